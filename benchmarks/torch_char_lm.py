#!/usr/bin/env python3
"""What char_lm trains by default, in PyTorch: the same model, recipe and pieces of text.

    torch_char_lm.py FILE [--compile] [--steps 2000] [--seed 42] [--threads N]

Prints the losses on the way, the loss over the whole validation part, and the times: of
compiling, of the steps with their evaluations, and of that last loss. The initial values
and the pieces of text are those of char_lm for the same seed.
"""
import argparse
import math
import os
import time

import torch_environment

torch_environment.restart()
try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    raise SystemExit("torch_char_lm.py: PyTorch is needed: pip install torch")

LAYERS, HEADS, WIDTH, CONTEXT, BATCH = 4, 4, 128, 64, 12
LR, MIN_LR, WARMUP, BETAS, WEIGHT_DECAY, CLIP = 1e-3, 1e-4, 100, (0.9, 0.99), 0.1, 1.0
EVAL_EVERY, EVAL_BATCHES = 250, 20


class Norm(nn.Module):
    """Layer normalisation without a bias."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return F.layer_norm(x, (WIDTH,), self.weight)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.c_proj = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (part.view(b, t, HEADS, -1).transpose(1, 2)
                   for part in self.c_attn(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(b, t, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = Norm(), Attention(), Norm()
        self.c_fc = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.c_proj = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.c_proj(F.gelu(self.c_fc(self.ln_2(x))))


class Model(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = Norm()
        self.lm_head = nn.Linear(WIDTH, vocabulary, bias=False)
        self.wte.weight = self.lm_head.weight
        for part in self.modules():
            if isinstance(part, (nn.Linear, nn.Embedding)):
                nn.init.normal_(part.weight, std=0.02)
        for block in self.h:  # what writes into the residual stream
            for part in (block.attn.c_proj, block.c_proj):
                nn.init.normal_(part.weight, std=0.02 / math.sqrt(2 * LAYERS))

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def loss_of(model, inputs, targets):
    return F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())


def pieces(part, offsets, length=CONTEXT):
    ids = part[offsets[:, None] + torch.arange(length + 1)]
    return ids[:, :-1], ids[:, 1:]


def random_pieces(part, generator):
    return pieces(part, torch.randint(len(part) - CONTEXT, (BATCH,), generator=generator))


def sampled_loss(loss, model, part, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        return sum(loss(model, *random_pieces(part, generator)).item()
                   for _ in range(EVAL_BATCHES)) / EVAL_BATCHES


def whole_loss(model, part):
    """The mean over each character but the first, in pieces, of which the last is shorter; 16
    pieces at a time, as in char_lm. Never compiled, for it runs once."""
    asked, total = len(part) - 1, 0.0
    whole = asked - asked % CONTEXT
    starts = [torch.arange(begin, min(begin + 16 * CONTEXT, whole), CONTEXT)
              for begin in range(0, whole, 16 * CONTEXT)]
    batches = [(start, CONTEXT) for start in starts]
    if whole < asked:
        batches.append((torch.tensor([whole]), asked - whole))
    with torch.no_grad():
        for start, length in batches:
            total += loss_of(model, *pieces(part, start, length)).item() * len(start) * length
    return total / asked


def rate(step, steps):
    warmup = min(WARMUP, steps)
    if step < warmup:
        return LR * (step + 1) / (warmup + 1)
    done = (step - warmup) / (steps - warmup)
    return MIN_LR + (LR - MIN_LR) * (1 + math.cos(math.pi * done)) / 2


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", metavar="FILE")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--compile", action="store_true", help="under torch.compile")
    options = parser.parse_args()
    if options.threads < 1 or options.steps < 1:
        parser.error("--threads and --steps must be at least 1")
    torch.set_num_threads(options.threads)
    try:
        with open(options.text, encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        parser.error(f"{options.text}: cannot be read: {error}")
    if len(text) // 10 <= CONTEXT:
        parser.error(f"{options.text}: must have at least {10 * CONTEXT + 10} "
                     f"characters, got {len(text)}")
    numbers = {character: i for i, character in enumerate(sorted(set(text)))}
    ids = torch.tensor([numbers[character] for character in text])
    train, validation = ids[:len(ids) * 9 // 10], ids[len(ids) * 9 // 10:]

    torch.manual_seed(options.seed)
    model = Model(len(numbers))
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    optimiser = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": WEIGHT_DECAY},
         {"params": vectors, "weight_decay": 0}], lr=LR, betas=BETAS, fused=True)
    of_batch = torch.compile(loss_of) if options.compile else loss_of
    generator = torch.Generator().manual_seed(options.seed + 2)
    times = [time.perf_counter()]
    if options.compile:  # for the steps, and for the evaluations
        of_batch(model, *pieces(train, torch.arange(BATCH))).backward()
        sampled_loss(of_batch, model, train, 0)
    times.append(time.perf_counter())
    for step in range(options.steps + 1):
        if step % EVAL_EVERY == 0 or step == options.steps:
            losses = [sampled_loss(of_batch, model, part, options.seed + 1)
                      for part in (train, validation)]
            print("step {}: training loss {:.6f}, validation loss {:.6f}".format(step, *losses),
                  flush=True)
        if step == options.steps:
            break
        for group in optimiser.param_groups:
            group["lr"] = rate(step, options.steps)
        optimiser.zero_grad(set_to_none=True)
        of_batch(model, *random_pieces(train, generator)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimiser.step()
    times.append(time.perf_counter())
    print(f"validation loss over all {len(validation) - 1} predictable characters: "
          f"{whole_loss(model, validation):.4f}")
    times.append(time.perf_counter())
    compiling, training, checking = (b - a for a, b in zip(times, times[1:]))
    print(f"{compiling:.1f} s to compile, {training:.1f} s for {options.steps} steps and their "
          f"evaluations, {checking:.1f} s for the loss over all characters")


if __name__ == "__main__":
    main()
