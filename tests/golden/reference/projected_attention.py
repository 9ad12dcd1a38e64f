"""Groups general_attention, self_attention, multi_head_attention and causal_mha:
attention between linear layers."""
import copy
import math

import torch
from torch import nn

from reference.attention import JUST_BEFORE, kept, recipe
from reference.common import DTYPES, default_dtype, record, widened


class GeneralAttention(nn.Module):
    """Self-attention too, when query and key_value are the same."""

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_k or d_model)
        self.W_k = nn.Linear(d_model, d_k or d_model)
        self.W_v = nn.Linear(d_model, d_v or d_model)

    def forward(self, query, key_value):
        q, k, v = self.W_q(query), self.W_k(key_value), self.W_v(key_value)
        weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
        return {"y": weights @ v, "weights": weights}


def heads_of(x, heads):
    """(batch, n, width) -> (batch, heads, n, width / heads)"""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined(x):
    """The way back."""
    return x.transpose(1, 2).flatten(2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, d_k, d_v, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_k)
        self.W_k = nn.Linear(d_model, d_k)
        self.W_v = nn.Linear(d_model, d_v)
        self.W_o = nn.Linear(d_v, d_model)

    def forward(self, x):
        layers = (self.W_q, self.W_k, self.W_v)
        q, k, v = (heads_of(layer(x), self.num_heads) for layer in layers)
        weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
        return {"y": self.W_o(joined(weights @ v)), "weights": weights}


class CausalMultiHeadAttention(nn.Module):
    def __init__(self, dim, n_heads, max_seq_len, dropout, is_causal):
        super().__init__()
        self.n_heads = n_heads
        self.wq, self.wk, self.wv, self.wo = (
            nn.Linear(dim, dim, bias=False) for _ in range(4)
        )
        self.dropout = dropout
        self.mask = torch.zeros(1, 1, max_seq_len, max_seq_len)
        if is_causal:
            self.mask = torch.full_like(self.mask, -math.inf).triu(1)

    def forward(self, q, k, v):
        n = q.shape[1]
        layers = ((self.wq, q), (self.wk, k), (self.wv, v))
        q, k, v = (heads_of(layer(x), self.n_heads) for layer, x in layers)
        scores = q @ k.mT / math.sqrt(k.shape[-1]) + self.mask[..., :n, :n].to(q.dtype)
        weights = torch.softmax(scores, dim=-1)
        dropped = nn.functional.dropout(weights, self.dropout, self.training)
        y = self.wo(joined(dropped @ v))
        y = nn.functional.dropout(y, self.dropout, self.training)
        return {"y": y, "weights": weights}


def general_case(cases, dtype, case, sizes, widths, seed, layouts=None):
    """sizes: of batch, queries and keys; without keys it is self-attention. widths:
    d_model, d_k, d_v."""
    batch, *counts = sizes
    names = ["query", "key_value"] if len(counts) == 2 else ["x"]
    draw = lambda: {n: torch.randn(batch, c, widths[0]) for n, c in zip(names, counts)}
    torch.manual_seed(seed)
    if len(names) == 2:
        module, inputs = GeneralAttention(*widths), draw()
        drawn = recipe("W_q, W_k, W_v", "then query, key_value = randn each")
    else:
        inputs, module = draw(), GeneralAttention(*widths)
        drawn = recipe("x = randn", "then W_q, W_k, W_v")
    group = "general_attention" if len(names) == 2 else "self_attention"
    record(
        cases,
        group.replace("attention", case),
        group,
        dtype,
        inputs,
        lambda module, i: module(i[names[0]], i[names[-1]]),
        ["y"],
        {"seed": seed, **dict(zip(("d_model", "d_k", "d_v"), widths))},
        module=module,
        layouts=layouts or {},
        recipe=drawn,
    )


def checksums(name, x):
    flat, exact = x.detach().reshape(-1), x.detach().double()
    return {
        f"out.{name}.sum": exact.sum(),
        f"out.{name}.abs_sum": exact.abs().sum(),
        f"out.{name}.first": flat[:8],
        f"out.{name}.last": flat[-8:],
    }


def big_case(cases, dtype, sizes, widths, seed):
    """Larger than what is stored: sums, and the first and last elements."""
    batch, queries, keys = sizes
    torch.manual_seed(seed)
    module = GeneralAttention(*widths)
    query = torch.randn(batch, queries, widths[0])
    key_value = torch.randn(batch, keys, widths[0])

    def found(module, query, key_value):
        sums = {
            **checksums("W_q.weight", module.W_q.weight),
            **checksums("W_v.bias", module.W_v.bias),
            **checksums("query", query),
            **checksums("key_value", key_value),
        }
        for name, output in module(query, key_value).items():
            sums.update(checksums(name, output))
        return sums

    sums, tolerance = found(module, query, key_value), (1e-9, 1e-9)
    if dtype == "f32":
        wide = copy.deepcopy(module).double()
        exact = found(wide, query.double(), key_value.double())
        tolerance = widened((5e-5, 1e-5), sums, exact)
    attributes = {
        "seed": seed,
        **dict(zip(("d_model", "d_k", "d_v"), widths)),
        "query_shape": list(query.shape),
        "key_value_shape": list(key_value.shape),
        "y_shape": [batch, queries, widths[2]],
    }
    cases.add(
        "general_big",
        "general_attention",
        dtype,
        sums,
        attributes,
        tolerance,
        recipe=recipe("W_q, W_k, W_v", "then query, key_value = randn each"),
        notes="checksums alone; the sums in float64",
    )


def multi_head_case(cases, dtype, case, sizes, widths, heads, seed, layouts=None):
    """sizes: of batch and sequence. widths: d_model, d_k, d_v."""
    torch.manual_seed(seed)
    x = torch.randn(*sizes, widths[0])
    module = MultiHeadAttention(*widths, heads)
    widths = dict(zip(("d_model", "d_k", "d_v"), widths))
    record(
        cases,
        "mha_" + case,
        "multi_head_attention",
        dtype,
        {"x": x},
        lambda module, i: module(i["x"]),
        ["y"],
        {"seed": seed, **widths, "num_heads": heads},
        module=module,
        layouts=layouts or {},
        recipe=recipe("x = randn", "then W_q, W_k, W_v, W_o"),
    )


def causal_case(cases, dtype, case, sizes, options, seed, p=None, **more):
    """sizes: of batch and sequence. options: dim, n_heads, max_seq_len, is_causal. more:
    layouts, and the names of the inputs, one for all or three."""
    names = more.pop("names", ["x"])
    dim, n_heads, max_seq_len, is_causal = options
    torch.manual_seed(seed)
    module = CausalMultiHeadAttention(dim, n_heads, max_seq_len, p or 0.0, is_causal)
    module.train(p is not None)
    inputs = {name: torch.randn(*sizes, dim) for name in names}
    attributes = {
        "seed": seed,
        "dim": dim,
        "n_heads": n_heads,
        "max_seq_len": max_seq_len,
        "is_causal": is_causal,
        "dropout": p or 0.0,
        "training": p is not None,
    }
    buffers = {"mask": module.mask} if is_causal else {}
    before = ""
    if p is not None:
        attributes["dropout_seed"] = seed + 10
        before = JUST_BEFORE + ": the weights' mask is drawn first"
        shapes = [(sizes[0], n_heads, sizes[1], sizes[1]), (*sizes, dim)]
        masks = kept(seed + 10, p, *shapes)
        buffers.update(zip(("keep", "keep_result"), masks))
    draw = f"then {', '.join(names)} = randn each"
    record(
        cases,
        "causal_" + case,
        "causal_mha",
        dtype,
        inputs,
        lambda module, i: module(*[i[name] for name in (names * 3)[:3]]),
        ["y"],
        attributes,
        module=module,
        seed=attributes.get("dropout_seed"),
        buffers=buffers,
        recipe=recipe("wq, wk, wv, wo", draw, dropout=before),
        notes="out.weights is the softmax before dropout",
        **more,
    )


def general(cases, dtype):
    add = lambda *row, **more: general_case(cases, dtype, *row, **more)
    add("small", (2, 4, 3), (5, 3, 4), 21)
    add("default_sizes", (3, 2, 4), (3, None, None), 22)
    strides = {"query": "transposed:1,2", "key_value": "strided:1"}
    add("layouts", (2, 3, 4), (4, 6, 2), 23, layouts=strides)
    big_case(cases, dtype, (8, 6, 14), (96, 24, 40), 24)


def self_attention(cases, dtype):
    add = lambda *row, **more: general_case(cases, dtype, *row, **more)
    add("small", (3, 4), (5, 2, 3), 25)
    add("layout", (2, 5), (4, 3, 6), 26, layouts={"x": "transposed:0,1"})


def multi_head(cases, dtype):
    add = lambda *row, **more: multi_head_case(cases, dtype, *row, **more)
    add("small", (2, 4), (5, 6, 6), 3, 27)
    add("d_v_differs", (3, 3), (4, 2, 8), 2, 28)
    add("one_head", (2, 3), (3, 4, 5), 1, 29, layouts={"x": "strided:2"})


def causal(cases, dtype):
    add = lambda *row, **more: causal_case(cases, dtype, *row, **more)
    add("self", (2, 4), (6, 3, 7, True), 31)
    add("distinct", (3, 3), (8, 2, 5, True), 32, names=["q", "k", "v"])
    add("full_length", (1, 5), (6, 2, 5, True), 33)
    add("one_token", (2, 1), (4, 2, 3, True), 34)
    add("off", (2, 4), (6, 3, 4, False), 35)
    add("dropout", (2, 5), (6, 3, 6, True), 36, p=0.2)
    add("layout", (2, 4), (8, 4, 4, True), 37, layouts={"x": "transposed:1,2"})


def add_to(cases):
    for family in (general, self_attention, multi_head, causal):
        for dtype in DTYPES:
            with default_dtype(dtype):
                family(cases, dtype)
