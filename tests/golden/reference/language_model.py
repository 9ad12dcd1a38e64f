"""Group language_model: small models of text, trained for some steps."""
import copy
import math

import torch
from torch import nn

from reference.attention import recipe
from reference.common import CLOSE, DTYPES, default_dtype, widened
from reference.optimisers import hyperparameters
from reference.projected_attention import CausalMultiHeadAttention, heads_of, joined


class OneBlock(nn.Module):
    """Embedding and positions, one causal block with the norms before what they feed, a
    head."""

    def __init__(self, a):
        super().__init__()
        dim, length = a["dim"], a["max_seq_len"]
        self.tok = nn.Embedding(a["vocab"], dim)
        self.pos = nn.Embedding(length, dim)
        self.ln1 = nn.LayerNorm(dim)
        self.attn = CausalMultiHeadAttention(dim, a["n_heads"], length, 0.0, True)
        self.ln2 = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, a["hidden"])
        self.fc2 = nn.Linear(a["hidden"], dim)
        self.lnf = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, a["vocab"])
        self.gelu = nn.GELU(approximate=a["gelu"])

    def forward(self, ids):
        h = self.tok(ids) + self.pos.weight[: ids.shape[1]]
        h = h + self.attn(*[self.ln1(h)] * 3)["y"]
        h = h + self.fc2(self.gelu(self.fc1(self.ln2(h))))
        return self.head(self.lnf(h))


class Norm(nn.Module):
    """A layer norm that may be without bias."""

    def __init__(self, width, bias):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return nn.functional.layer_norm(x, self.weight.shape, self.weight, self.bias)


def causal_attention(x, c_attn, c_proj, heads):
    q, k, v = (heads_of(part, heads) for part in c_attn(x).chunk(3, dim=-1))
    future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    scores = (q @ k.mT / math.sqrt(k.shape[-1])).masked_fill(future, -math.inf)
    return c_proj(joined(torch.softmax(scores, dim=-1) @ v))


class Gpt(nn.Module):
    """GPT-2 with nanoGPT's names, initial values and order of draws."""

    def __init__(self, a):
        super().__init__()
        self.heads, width, bias = a["n_head"], a["n_embd"], a["bias"]
        linear = lambda inner, outer: nn.Linear(inner, outer, bias=bias)

        def block():
            ln_1 = Norm(width, bias)
            attn = {"c_attn": linear(width, 3 * width), "c_proj": linear(width, width)}
            ln_2 = Norm(width, bias)
            mlp = {"c_fc": linear(width, 4 * width), "c_proj": linear(4 * width, width)}
            attn, mlp = nn.ModuleDict(attn), nn.ModuleDict(mlp)
            return nn.ModuleDict({"ln_1": ln_1, "attn": attn, "ln_2": ln_2, "mlp": mlp})

        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(a["vocab_size"], width),
                "wpe": nn.Embedding(a["block_size"], width),
                "h": nn.ModuleList(block() for _ in range(a["n_layer"])),
                "ln_f": Norm(width, bias),
            }
        )
        self.lm_head = nn.Linear(width, a["vocab_size"], bias=False)
        if a["tied"]:
            self.transformer["wte"].weight = self.lm_head.weight
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
            if isinstance(module, nn.Linear) and bias and module.bias is not None:
                nn.init.zeros_(module.bias)
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * a["n_layer"]))

    def forward(self, ids):
        parts = self.transformer
        x = parts["wte"](ids) + parts["wpe"].weight[: ids.shape[1]]
        for block in parts["h"]:
            layers = block["attn"].values()
            x = x + causal_attention(block["ln_1"](x), *layers, self.heads)
            wide = nn.functional.gelu(block["mlp"]["c_fc"](block["ln_2"](x)))
            x = x + block["mlp"]["c_proj"](wide)
        return self.lm_head(parts["ln_f"](x))


def trained(model, ids, targets, kind, options, steps):
    """Trains the model; all that a case holds of it."""
    found = {"init." + k: v.clone() for k, v in model.state_dict().items()}
    optimiser = getattr(torch.optim, kind)(model.parameters(), **options)
    losses = []
    for step in range(steps + 1):
        optimiser.zero_grad()
        logits = model(ids)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        losses.append(loss.detach())
        if step == steps:
            break
        loss.backward()
        if step == 0:
            found["out.logits"] = logits.detach()
            for name, parameter in model.named_parameters():
                found["grad.param." + name] = parameter.grad.clone()
        optimiser.step()
    for name, parameter in model.named_parameters():
        found["final." + name] = parameter.detach().clone()
    return {**found, "final.logits": logits.detach(), "step.loss": torch.stack(losses)}


def case(cases, dtype, name, seed, make, attributes, kind, options):
    attributes = {"seed": seed, "steps": 20, "optimiser": kind, **attributes}
    torch.manual_seed(seed)
    model = make(attributes)
    # Two texts; each position's target is the token that follows it.
    text = torch.tensor([[0, 1, 2, 3, 4], [3, 1, 1, 2, 0]])
    ids, targets = text[:, :-1], text[:, 1:]
    run = lambda model: trained(model, ids, targets, kind, options, 20)
    wide = copy.deepcopy(model).double()
    found, tolerance = run(model), CLOSE[dtype]
    if dtype == "f32":
        with default_dtype("f64"):
            tolerance = widened(tolerance, found, run(wide))
    cases.add(
        "lm_" + name,
        "language_model",
        dtype,
        {"in.ids": ids, "in.targets": targets, **found},
        {**attributes, **hyperparameters(options)},
        tolerance,
        recipe=recipe("the model"),
        notes="step.loss[i] is before step i, the last one after all of them; "
        "out.logits and grad.* are of the first step",
    )


def family(cases, dtype):
    add = lambda *row: case(cases, dtype, *row)
    sizes = {"vocab": 5, "dim": 6, "n_heads": 2, "max_seq_len": 6, "hidden": 8}
    sgd = "SGD", {"lr": 0.1, "momentum": 0.8, "nesterov": True}
    adamw = "AdamW", {"lr": 0.02, "betas": (0.8, 0.95), "weight_decay": 0.1}
    add("sgd", 51, OneBlock, {**sizes, "gelu": "tanh"}, *sgd)
    add("adamw", 52, OneBlock, {**sizes, "gelu": "none"}, *adamw)
    sizes = {"model": "gpt", "vocab_size": 5, "block_size": 6, "n_head": 2, "n_embd": 4}
    two = {**sizes, "n_layer": 2, "bias": True, "tied": True}
    add("gpt_sgd", 53, Gpt, two, *sgd)
    # No bias: that of the keys has the gradient 0, and AdamW would magnify what rounding
    # leaves of it.
    one = {**sizes, "n_layer": 1, "bias": False, "tied": False}
    add("gpt_adamw", 54, Gpt, one, *adamw)
    add("gpt_adam", 55, Gpt, one, "Adam", {"lr": 0.02, "betas": (0.8, 0.95)})


def add_to(cases):
    for dtype in DTYPES:
        with default_dtype(dtype):
            family(cases, dtype)
