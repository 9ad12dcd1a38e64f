"""Groups masked_softmax, additive_attention, dot_product_attention, attention and
attention_temperature: how scores are made and turned into weights."""
import math

import torch
from torch import nn

from reference.common import DTYPES, default_dtype, generator_for, record

# What the tutorials put in the place of scores that do not count. Far below any score,
# but a number: a row without a key that counts gets equal weights.
MASKED, MASKED_BY_TEMPERATURE = -1e6, -1e9


def recipe(*draws, dropout=""):
    """`draws` in order, after the seed; `dropout`: what its mask needs to be known."""
    text = "; ".join(["torch.manual_seed(seed)", *draws])
    return text + ("; torch.manual_seed(dropout_seed) " + dropout if dropout else "")


JUST_BEFORE = "just before the forward pass"


def kept(seed, p, *shapes):
    """What dropout layers draw one after another: 1 where an element is kept."""
    torch.manual_seed(seed)
    return [torch.empty(shape).bernoulli_(1 - p) for shape in shapes]


def masked_softmax(scores, valid_lens):
    if valid_lens is None:
        return torch.softmax(scores, dim=-1)
    # (batch) is for all queries of a batch, (batch, queries) for each its own.
    lengths = valid_lens.reshape(valid_lens.shape + (1,) * (3 - valid_lens.dim()))
    counts = torch.arange(scores.shape[-1]) < lengths
    return torch.softmax(scores.masked_fill(~counts, MASKED), dim=-1)


class AdditiveAttention(nn.Module):
    def __init__(self, key_size, query_size, num_hiddens, dropout):
        super().__init__()
        self.W_k = nn.Linear(key_size, num_hiddens, bias=False)
        self.W_q = nn.Linear(query_size, num_hiddens, bias=False)
        self.w_v = nn.Linear(num_hiddens, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def scores(self, queries, keys):
        pairs = self.W_q(queries)[:, :, None] + self.W_k(keys)[:, None]
        return self.w_v(torch.tanh(pairs))[..., 0]


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def scores(self, queries, keys):
        return torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])


def scored(module, i):
    scores = module.scores(i["queries"], i["keys"])
    weights = masked_softmax(scores, i.get("valid_lens"))
    y = torch.bmm(module.dropout(weights), i["values"])
    return {"y": y, "weights": weights, "scores": scores}


def attention(q, k, v, dropout=lambda weights: weights):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = dropout(torch.softmax(scores, dim=-1))
    return {"y": weights @ v, "p_attn": weights}


def temperature_attention(q, k, v, temperature, mask):
    scores = (q / temperature) @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, MASKED_BY_TEMPERATURE)
    weights = torch.softmax(scores, dim=-1)
    return {"y": weights @ v, "p_attn": weights}


def with_lens(inputs, valid_lens):
    if valid_lens is None:
        return inputs
    return {**inputs, "valid_lens": torch.tensor(valid_lens)}


def softmax_case(cases, dtype, case, shape, lens, seed=None, layouts=None, notes=""):
    attributes = {
        "shape": shape,
        "valid_lens_dim": torch.tensor(lens or 0).dim(),
        "value": MASKED,
    }
    if seed is None:
        scores = 3 * torch.randn(shape, generator=generator_for(case))
        drawn = ""
    else:
        torch.manual_seed(seed)
        scores = torch.rand(shape)
        attributes["seed"] = seed
        drawn = recipe("X = rand(shape)")
    record(
        cases,
        "masked_softmax_" + case,
        "masked_softmax",
        dtype,
        with_lens({"X": scores}, lens),
        lambda i: {"y": masked_softmax(i["X"], i.get("valid_lens"))},
        ["y"],
        attributes,
        layouts=layouts or {},
        recipe=drawn,
        notes=notes,
    )


class Inputs:
    """Of a case that scores keys: tensors, and how they are drawn after the seed."""

    def __init__(self, seed, tensors, draws):
        self.seed, self.tensors, self.draws = seed, tensors, draws


def drawn(seed, batch, nq, nk, query_size, key_size, value_size):
    torch.manual_seed(seed)
    tensors = {
        "queries": torch.randn(batch, nq, query_size),
        "keys": torch.randn(batch, nk, key_size),
        "values": torch.randn(batch, nk, value_size),
    }
    return Inputs(seed, tensors, ["queries, keys, values = randn each"])


def toy(seed, query_size):
    """All keys are equal, so that the weights are equal, whatever the query."""
    torch.manual_seed(seed)
    whole = torch.arange(24, dtype=torch.get_default_dtype())
    tensors = {
        "queries": torch.normal(0, 1, (2, 1, query_size)),
        "keys": torch.ones(2, 8, 2),
        "values": whole.reshape(1, 8, 3).repeat(2, 1, 1),
    }
    draws = [
        "queries = normal(0, 1, shape)",
        "keys = ones",
        "values = arange(24).reshape(1,8,3).repeat(2,1,1)",
    ]
    return Inputs(seed, tensors, draws)


def scoring_case(cases, dtype, case, inputs, lens, hidden, p=0.0, **more):
    """hidden: the size of additive attention's, None for the dot product. more: layouts,
    and whether the module is in training."""
    training = more.pop("training", False)
    attributes = {"seed": inputs.seed, "dropout": p, "training": training}
    q, k = inputs.tensors["queries"], inputs.tensors["keys"]
    draws = inputs.draws
    if hidden:
        sizes = (k.shape[-1], q.shape[-1], hidden)
        attributes.update(zip(("key_size", "query_size", "num_hiddens"), sizes))
        kind, module = "additive", AdditiveAttention(*sizes, p)
        draws = [*draws, "then W_k, W_q, w_v"]
    else:
        kind, module = "dot_product", DotProductAttention(p)
    module.train(training)
    buffers = {}
    if training:
        seed = attributes["dropout_seed"] = inputs.seed + 10
        (buffers["keep"],) = kept(seed, p, (*q.shape[:2], k.shape[1]))
    record(
        cases,
        kind + "_" + case,
        kind + "_attention",
        dtype,
        with_lens(inputs.tensors, lens),
        scored,
        ["y"],
        attributes,
        module=module,
        seed=attributes.get("dropout_seed"),
        buffers=buffers,
        recipe=recipe(*draws, dropout=JUST_BEFORE if training else ""),
        **more,
    )


def attention_case(cases, dtype, case, shapes, seed, p=None, layouts=None):
    """One shape: q, k and v are the same x."""
    names = ["q", "k", "v"] if len(shapes) == 3 else ["x"]
    torch.manual_seed(seed)
    inputs = {name: torch.randn(shape) for name, shape in zip(names, shapes)}
    each = " each" if len(shapes) == 3 else ""
    draw = f"{', '.join(names)} = randn{each}"
    attributes = {"seed": seed, "self": len(shapes) == 1, "dropout": p}
    buffers = {}
    if p is not None:
        attributes["dropout_seed"] = seed + 10
        keys = inputs[names[min(1, len(names) - 1)]]
        (buffers["keep"],) = kept(seed + 10, p, shapes[0][:-1] + keys.shape[-2:-1])
    dropout = lambda weights: nn.functional.dropout(weights, p or 0.0)
    record(
        cases,
        "attention_" + case,
        "attention",
        dtype,
        inputs,
        lambda i: attention(*[i[name] for name in (names * 3)[:3]], dropout),
        ["y", "p_attn"],
        attributes,
        seed=attributes.get("dropout_seed"),
        buffers=buffers,
        layouts=layouts or {},
        recipe=recipe(draw, dropout=JUST_BEFORE if p is not None else ""),
    )


def temperature_case(cases, dtype, case, sizes, temperature, seed, masked):
    """sizes: of batch, heads, queries, keys, and of an element of keys and values."""
    batch, heads, nq, nk, key_size, value_size = sizes
    torch.manual_seed(seed)
    inputs = {
        "q": torch.randn(batch, heads, nq, key_size),
        "k": torch.randn(batch, heads, nk, key_size),
        "v": torch.randn(batch, heads, nk, value_size),
    }
    draws = ["q, k, v = randn each"]
    if masked:
        inputs["mask"] = torch.rand(batch, 1, nq, nk) < 0.7
        inputs["mask"][..., 0] = True
        draws.append("mask = rand(b,1,nq,nk) < 0.7, first column true")
    attend = temperature_attention
    record(
        cases,
        "temperature_" + case,
        "attention_temperature",
        dtype,
        inputs,
        lambda i: attend(i["q"], i["k"], i["v"], temperature, i.get("mask")),
        ["y", "p_attn"],
        {"seed": seed, "temperature": temperature, "masked": masked},
        recipe=recipe(*draws),
    )


def softmaxes(cases, dtype):
    add = lambda *row, **more: softmax_case(cases, dtype, *row, **more)
    add("none", (3, 2, 5), None, seed=3)
    add("1d", (3, 2, 5), [1, 5, 3], seed=3)
    add("2d", (2, 3, 6), [[1, 6, 3], [2, 4, 5]], seed=4)
    add("1d_ends", (4, 2, 3), [0, 3, 8, 1], notes="no key, all keys, beyond the end")
    add("2d_ends", (2, 3, 4), [[4, 0, 2], [0, 1, 9]], notes="rows without a key")
    add("one_key", (2, 3, 1), [1, 0])
    add("transposed", (2, 3, 4), [3, 1], layouts={"X": "transposed:1,2"})
    add("strided", (2, 2, 5), [[2, 0], [5, 4]], layouts={"X": "strided:2"})


def scorings(cases, dtype):
    strides = {
        "queries": "transposed:0,1",
        "keys": "strided:2",
        "values": "transposed:1,2",
    }
    # Queries may have another size than keys where a layer brings them together.
    for hidden, widths in [(7, (4, 2, 3)), (None, (4, 4, 3))]:
        add = lambda case, inputs, lens, **more: scoring_case(
            cases, dtype, case, inputs, lens, hidden, **more
        )
        of = lambda seed: drawn(seed, 2, 3, 5, *widths)
        add("none", of(5), None)
        add("1d", of(6), [3, 5])
        add("2d", of(7), [[5, 1, 2], [0, 3, 7]])
        add("layouts", of(8), [4, 2], layouts=strides)
        add("dropout", of(9), [5, 4], p=0.3, training=True)
        add("one_query", drawn(10, 3, 1, 2, *widths), [[2], [0], [1]])
        add("toy", toy(5, 6 if hidden else 2), [3, 7], p=0.4)


def functions(cases, dtype):
    add = lambda *row, **more: attention_case(cases, dtype, *row, **more)
    add("2d", [(2, 3), (4, 3), (4, 5)], 11)
    add("3d", [(3, 2, 5), (3, 4, 5), (3, 4, 2)], 12)
    cube = [(2, 3, 2, 4), (2, 3, 4, 4), (2, 3, 4, 3)]
    add("4d", cube, 13)
    add("broadcast", [(2, 3, 2, 5), (3, 4, 5), (4, 3)], 14)
    add("self", [(2, 5, 3)], 15)
    add("dropout", [(2, 4, 3), (2, 6, 3), (2, 6, 2)], 16, p=0.25)
    add("self_dropout", [(3, 4, 2)], 17, p=0.5)
    strides = {"q": "strided:3", "k": "transposed:2,3", "v": "transposed:0,1"}
    add("layouts", cube, 18, layouts=strides)
    add("5d", [(2, 1, 3, 2, 3), (2, 1, 3, 4, 3), (2, 1, 3, 4, 2)], 21)
    temperature_case(cases, dtype, "plain", (2, 3, 2, 4, 5, 2), 1.75, 19, False)
    temperature_case(cases, dtype, "masked", (3, 2, 4, 5, 2, 3), 0.6, 20, True)


def add_to(cases):
    for family in (softmaxes, scorings, functions):
        for dtype in DTYPES:
            with default_dtype(dtype):
                family(cases, dtype)
