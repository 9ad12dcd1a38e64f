#!/usr/bin/env python3
"""heed's workloads in PyTorch: a line of JSON a workload, named as workloads.cpp names them.

Optimisers are fused, and PyTorch runs with all that makes it fast: see
torch_environment.py.
"""
import argparse
import json
import math
import resource
import statistics
import sys
import time

import torch_environment

torch_environment.restart()
try:
    import torch
    from torch.nn import functional as F
except ImportError:
    raise SystemExit("torch_workloads.py: PyTorch is needed: pip install torch")


compiled = False  # set by --compile


def prepare(function):
    """The function as it is timed: compiled, if that was asked for."""
    return torch.compile(function) if compiled else function


class KernelRegression(torch.nn.Module):
    """The tutorial's model: a Gaussian kernel whose inverse width is learnt."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.rand(1))

    def forward(self, queries, keys, values):
        count = keys.shape[1]
        queries = queries.repeat_interleave(count).reshape(-1, count)
        weights = F.softmax(-((queries - keys) * self.w) ** 2 / 2, dim=1)
        return torch.bmm(weights.unsqueeze(1), values.unsqueeze(-1)).reshape(-1)


def nw_epoch(n):
    x = (torch.rand(n) * 5).sort().values
    y = 2 * torch.sin(x) + x ** 0.8 + torch.normal(0.0, 0.5, (n,))
    others = ~torch.eye(n, dtype=torch.bool)
    keys = x.expand(n, n)[others].reshape(n, n - 1)
    values = y.expand(n, n)[others].reshape(n, n - 1)
    net = KernelRegression()
    loss = torch.nn.MSELoss(reduction="none")
    optimiser = torch.optim.SGD(net.parameters(), lr=25 / n / n, fused=True)
    total = prepare(lambda: loss(net(x, keys, values), y).sum())

    def epoch():
        optimiser.zero_grad()
        total().backward()
        optimiser.step()
    return epoch


def additive_step(batch, n, m, h):
    w_q, w_k, w_v = (torch.nn.Linear(h, width, bias=False) for width in (h, h, 1))
    queries, keys, values = (torch.randn(batch, rows, h, requires_grad=True)
                             for rows in (n, m, m))
    optimiser = torch.optim.SGD([w_q.weight, w_k.weight, w_v.weight], lr=1e-3, fused=True)

    @prepare
    def loss():
        features = torch.tanh(w_q(queries).unsqueeze(2) + w_k(keys).unsqueeze(1))
        weights = F.softmax(w_v(features).squeeze(-1), -1)
        return torch.bmm(weights, values).square().mean()

    def step():
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()
    return step


class CausalSelfAttention(torch.nn.Module):
    """Four projections without biases, heads of equal width, scores above the diagonal masked."""

    def __init__(self, d, heads, dropout=0.0):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, torch.nn.Linear(d, d, bias=False))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (W(x).view(b, t, self.heads, -1).transpose(1, 2)
                   for W in (self.W_q, self.W_k, self.W_v))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout, is_causal=True)
        y = self.W_o(y.transpose(1, 2).reshape(b, t, d))
        return F.dropout(y, self.dropout)


def mha(b, t, d, heads, train, dropout=0.0):
    net = CausalSelfAttention(d, heads, dropout)
    x, y = torch.randn(b, t, d, requires_grad=train), torch.randn(b, t, d)
    optimiser = torch.optim.SGD(net.parameters(), lr=1e-3, fused=True)
    output = prepare(lambda: net(x))
    loss = prepare(lambda: F.mse_loss(net(x), y))

    def forward():
        with torch.no_grad():
            output()

    def step():
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()
    return step if train else forward


def one_query(heads, m, d):
    shapes = [(heads, 1, d), (heads, m, d), (heads, m, d)]
    q, k, v = (torch.randn(shape, requires_grad=True) for shape in shapes)
    loss = prepare(
        lambda: (F.softmax(q @ k.transpose(1, 2) / math.sqrt(d), -1) @ v).sum())

    def step():
        for x in (q, k, v):
            x.grad = None
        loss().backward()
    return step


def causal_attention(t, is_fused):
    q, k, v = (torch.randn(4, t, 64, requires_grad=True) for _ in range(3))
    hidden = torch.ones(t, t, dtype=torch.bool).triu(1)

    @prepare
    def total():
        if is_fused:
            return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True).sum()
        scores = (q @ k.transpose(1, 2)) * 0.125
        return (scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v).sum()

    def step():
        for x in (q, k, v):
            x.grad = None
        total().backward()
    return step


class Block(torch.nn.Module):
    """Attention and an MLP, each with a norm before it and a residual connection."""

    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.ln2 = torch.nn.LayerNorm(d), torch.nn.LayerNorm(d)
        self.attention = CausalSelfAttention(d, heads)
        self.up, self.down = torch.nn.Linear(d, 4 * d), torch.nn.Linear(4 * d, d)

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.down(F.gelu(self.up(self.ln2(x))))


class LanguageModel(torch.nn.Module):
    def __init__(self, layers, d, heads, length, vocab):
        super().__init__()
        self.tokens = torch.nn.Embedding(vocab, d)
        self.positions = torch.nn.Embedding(length, d)
        self.blocks = torch.nn.Sequential(*(Block(d, heads) for _ in range(layers)))
        self.ln = torch.nn.LayerNorm(d)
        self.head = torch.nn.Linear(d, vocab, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        return self.head(self.ln(self.blocks(x)))


def gpt_step(layers, d, heads, t, b, vocab):
    net = LanguageModel(layers, d, heads, t, vocab)
    optimiser = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
    ids, targets = torch.randint(vocab, (b, t)), torch.randint(vocab, (b * t,))
    loss = prepare(lambda: F.cross_entropy(net(ids).view(-1, vocab), targets))

    def step():
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()
    return step


def scalar_chain():
    a = torch.tensor(1.5, requires_grad=True)

    def chain():
        x = a
        for _ in range(1000):
            x = x * 1.0001 + 0.0001
        x.backward()
    return chain


def product(n):
    a, b = torch.randn(n, n), torch.randn(n, n)
    return prepare(lambda: a @ b)


def bmm_nt(b, m, n, k):
    x, y = torch.randn(b, m, k), torch.randn(b, n, k)
    return prepare(lambda: torch.bmm(x, y.transpose(1, 2)))


def elementwise(op, n):
    a, b = torch.randn(n), torch.randn(n)
    return prepare((lambda: a + b) if op == "add" else (lambda: getattr(torch, op)(a)))


def softmax(rows, columns):
    a = torch.randn(rows, columns)
    return prepare(lambda: F.softmax(a, -1))


def workloads():
    """Pairs of a name and a function that sets the workload up and returns what to time."""
    for n in (50, 500, 2000):
        yield f"nw_epoch/n{n}", lambda n=n: nw_epoch(n)
    for b, n, m, h in ((2, 1, 10, 8), (16, 32, 32, 64), (32, 64, 64, 128)):
        yield (f"additive_step/b{b}_q{n}_k{m}_h{h}",
               lambda b=b, n=n, m=m, h=h: additive_step(b, n, m, h))
    for train in (False, True):
        for b, t, d, h in ((32, 16, 64, 4), (8, 128, 256, 8), (4, 512, 512, 8), (1, 1024, 512, 8)):
            yield (f"mha_{'step' if train else 'forward'}/b{b}_t{t}_d{d}_h{h}",
                   lambda b=b, t=t, d=d, h=h, train=train: mha(b, t, d, h, train))
    yield "mha_dropout_step/b4_t512_d512_h8", lambda: mha(4, 512, 512, 8, True, 0.1)
    yield "one_query/h8_m512_d64", lambda: one_query(8, 512, 64)
    for size in ((4, 128, 4, 64, 12, 65), (4, 256, 8, 256, 8, 256)):
        yield "gpt_step/l%d_d%d_h%d_t%d_b%d" % size[:5], lambda size=size: gpt_step(*size)
    yield "scalar_chain/2000", scalar_chain
    for n in (64, 128, 256, 512, 1024, 2048):
        yield f"matmul/{n}", lambda n=n: product(n)
    for b, m, n, k in ((512, 16, 16, 16), (256, 16, 16, 64), (256, 10, 20, 64),
                       (64, 64, 64, 64), (64, 128, 128, 64), (32, 512, 512, 64)):
        yield (f"bmm_nt/b{b}_m{m}_n{n}_k{k}",
               lambda b=b, m=m, n=n, k=k: bmm_nt(b, m, n, k))
    for op in ("add", "exp", "tanh"):
        for n in (1000, 100000, 10000000):
            yield f"{op}/{n}", lambda op=op, n=n: elementwise(op, n)
    for rows, columns in ((512, 16), (8192, 128), (16384, 512)):
        yield f"softmax/{rows}x{columns}", lambda r=rows, c=columns: softmax(r, c)
    for t in (128, 256, 512, 1024, 2048, 4096, 8192):
        yield f"growth/fused_t{t}", lambda t=t: causal_attention(t, True)
        yield f"growth/composed_t{t}", lambda t=t: causal_attention(t, False)
    for d in (32, 64, 128, 256, 512):
        yield f"growth/width_d{d}", lambda d=d: gpt_step(4, d, 4, 64, 12, 65)
    for b in (1, 4, 16, 64):
        yield f"growth/batch_b{b}", lambda b=b: gpt_step(4, 128, 4, 64, b, 65)


def peak_mib():
    """The most memory that this program has had so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def repeat(run, count):
    start = time.perf_counter()
    for _ in range(count):
        run()
    return time.perf_counter() - start


class Timer:
    """A workload that is set up and warm; round() gives the milliseconds of a repetition."""

    def __init__(self, make, seconds):
        torch.manual_seed(0)
        self.run = make()
        repeat(self.run, 3)  # the first one compiles
        self.count = max(1, int(seconds / max(repeat(self.run, 1), 1e-9)))

    def round(self):
        return repeat(self.run, self.count) / self.count * 1e3


def serve(seconds):
    """Times a round of the workload that each line of the input names: see compare.py."""
    timer, timed = None, None
    for line in sys.stdin:
        name = line.strip()
        if name != timed:
            named = dict(workloads())
            if name not in named:
                raise SystemExit(f"torch_workloads.py: no workload is named {name!r}")
            timer, timed = Timer(named[name], seconds), name
        print(json.dumps({"name": name, "ms": timer.round()}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="just the workload of this name, or those whose name holds this "
                             "text; growth/... only so")
    parser.add_argument("--seconds", type=float, default=0.2, help="how long a round lasts")
    parser.add_argument("--compile", action="store_true", help="under torch.compile")
    parser.add_argument("--serve", action="store_true",
                        help="one round of each workload that standard input names")
    options = parser.parse_args()
    if options.threads < 1 or not options.seconds > 0:
        parser.error("--threads must be at least 1 and --seconds above 0")
    torch.set_num_threads(options.threads)
    global compiled
    compiled = options.compile
    if options.serve:
        return serve(options.seconds)
    import_mib = peak_mib()
    named = {name: make for name, make in workloads()
             if options.only in name and (options.only or not name.startswith("growth/"))}
    if not named:
        parser.error(f"no workload's name holds {options.only!r}")
    chosen = ([(options.only, named[options.only])] if options.only in named
              else list(named.items()))
    for name, make in chosen:
        timer = Timer(make, options.seconds)
        rounds = [timer.round() for _ in range(7)]
        row = {"name": name, "threads": options.threads, "compiled": compiled,
               "ms": round(statistics.median(rounds), 6), "best_ms": round(min(rounds), 6),
               "torch": torch.__version__}
        if len(chosen) == 1:  # otherwise the peak may be another's
            row.update(peak_mib=peak_mib(), import_mib=import_mib)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
