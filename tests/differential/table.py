"""The table of ops: what PyTorch and heed call each, and how its arguments are drawn.

A row's `torch` and `heed` are the sources of a call, with names in braces for inputs and
arguments. `op` is the name in golden's table of ops, by which replay.cpp computes it.
`draw` gets a Drawer (draw.py) and returns inputs and arguments by name. `tensors` are the
inputs that heed takes as Tensor.
"""
import inspect
import re
from dataclasses import dataclass
from typing import Callable

import draw_args as draw


@dataclass(frozen=True)
class Row:
    name: str
    op: str
    torch: str
    heed: str
    draw: Callable
    tensors: frozenset


class Table(dict):
    def row(self, name, torch, heed, draw, op=None, tensors=()):
        always = {"index", "mask", "ids", "target", "repeats", "lens", "keep"}
        known = frozenset(always.union(tensors))
        self[name] = Row(name, op or name, torch, heed, draw, known)

    def helpers(self, rows):
        """The sources of the functions of helpers.py that these rows call."""
        import helpers

        functions = dict(inspect.getmembers(helpers, inspect.isfunction))
        found, text = {}, " ".join(row.torch for row in rows)
        while True:
            called = [n for n in functions if re.search(rf"(?<![.\w]){n}\(", text)]
            new = [n for n in called if n not in found]
            if not new:
                return [found[n] for n in functions if n in found]
            for n in new:
                found[n] = inspect.getsource(functions[n])
                text += found[n].split(":", 1)[1]


TABLE = Table()
row = TABLE.row


def elementwise():
    for name in "abs cos erf exp neg relu sigmoid sin square tanh".split():
        row(name, f"torch.{name}({{a}})", f"{name}({{a}})", draw.value)
    for name in "log log1p reciprocal rsqrt sqrt".split():
        row(name, f"torch.{name}({{a}})", f"{name}({{a}})", draw.positive)
    for name in "silu softplus".split():
        row(name, f"F.{name}({{a}})", f"{name}({{a}})", draw.value)
    gelu = "F.gelu({a}, approximate={approximate})"
    row("gelu", gelu, "gelu({a})", draw.value_and(approximate="none"))
    heed = "gelu({a}, Gelu::tanh)"
    row("gelu_tanh", gelu, heed, draw.value_and(approximate="tanh"), op="gelu")
    row("sign", "sign({a})", "sign({a})", draw.value)
    row("detach", "{a}.detach()", "{a}.detach()", draw.value)
    heed = "clamp({a}, {min}, {max})"
    row("clamp", "torch.clamp({a}, {min}, {max})", heed, draw.clamp)
    for name in ("isfinite", "isinf", "isnan"):
        row(name, f"torch.{name}({{a}})", f"{name}({{a}})", draw.value, tensors={"a"})


def pairs():
    arithmetic = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
    comparison = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    for name, sign in {**arithmetic, **comparison}.items():
        call = f"{{a}} {sign} {{b}}"
        row(name, call, call, draw.pair)
        row(name + "_number", call, call, draw.value_and_number, op=name)
    for name, sign in [("rsub", "-"), ("rdiv", "/")]:
        call = f"{{b}} {sign} {{a}}"
        row(name, call, call, draw.value_and_number)
    for name in ("maximum", "minimum"):
        row(name, f"torch.{name}({{a}}, {{b}})", f"{name}({{a}}, {{b}})", draw.pair)
    row("pow", "torch.pow({a}, {b})", "pow({a}, {b})", draw.powers)
    power = "pow({a}, {exponent})"
    row("pow_number", "torch." + power, power, draw.power_of_number, op="pow")
    row("rpow", "torch.pow({base}, {b})", "pow({base}, {b})", draw.exponential)
    for name in ("logical_and", "logical_or", "logical_xor"):
        call = f"{name}({{a}}, {{b}})"
        row(name, "torch." + call, call, draw.masks, tensors={"a", "b"})
    row("logical_not", "~{a}", "logical_not({a})", draw.one_mask, tensors={"a"})


def choosing():
    call = "where({cond}, {a}, {b})"
    row("where", "torch." + call, call, draw.where)
    row("where_number", "torch." + call, call, draw.where_number, op="where")
    row("number_where", "torch." + call, call, draw.number_where, op="where")
    heed = "masked_fill({a}, {mask}, {value})"
    row("masked_fill", "{a}.masked_fill({mask}, {value})", heed, draw.masked_fill)


def reductions():
    for name in ("sum", "mean", "prod"):
        call = f"torch.{name}({{a}}, {{dim}}, {{keepdim}})".replace("torch.prod", "prod")
        row(name, call, f"heed::{name}({{a}}, {{dim}}, {{keepdim}})", draw.over_some)
        row(name + "_all", f"torch.{name}({{a}})", f"{name}({{a}})", draw.value, op=name)
    for name in ("amax", "amin", "logsumexp"):
        call = f"{name}({{a}}, {{dim}}, {{keepdim}})"
        row(name, "torch." + call, call, draw.over_some)
    for name in ("amax", "amin"):
        row(name + "_all", f"torch.{name}({{a}})", f"{name}({{a}})", draw.value, op=name)
    for name in ("var", "std"):
        given = "{dim}, correction={correction}, keepdim={keepdim}"
        heed = f"heed::{name}({{a}}, {{dim}}, {{correction}}, {{keepdim}})"
        row(name, f"torch.{name}({{a}}, {given})", heed, draw.spread)
        heed = f"heed::{name}({{a}})"
        row(name + "_all", f"torch.{name}({{a}})", heed, draw.value, op=name)
    norm = "torch.linalg.vector_norm({a}, 2, {dim}, {keepdim})"
    row("norm", norm, "norm({a}, {dim}, {keepdim})", draw.over_some)
    row("norm_all", "torch.linalg.vector_norm({a})", "norm({a})", draw.value, op="norm")
    for name in ("max", "min", "argmax", "argmin"):
        heed = f"heed::{name}({{a}}, {{dim}}, {{keepdim}})"
        row(name + "_dim", f"torch.{name}({{a}}, {{dim}}, {{keepdim}})", heed,
            draw.over_one, op=name)
        heed = f"heed::{name}({{a}})"
        row(name, f"torch.{name}({{a}})", heed, draw.value)
    for name in ("all", "any"):
        call = f"{name}({{a}}, {{dim}}, {{keepdim}})"
        row(name, "torch." + call, call, draw.over_one)
        row(name + "_all", f"torch.{name}({{a}})", f"{name}({{a}})", draw.value, op=name)
    row("sum_to", "{a}.sum_to_size({shape})", "sum_to({a}, {shape})", draw.sum_to)
    for name in ("softmax", "log_softmax"):
        row(name, f"torch.{name}({{a}}, {{dim}})", f"{name}({{a}}, {{dim}})", draw.along)
    row("cumsum", "torch.cumsum({a}, {dim})", "cumsum({a}, {dim})", draw.along)


def order():
    call = "torch.sort({a}, dim={dim}, descending={descending}, stable=True)"
    row("sort", call, "sort({a}, {dim}, {descending})", draw.sort)
    row("argsort", call + ".indices", "argsort({a}, {dim}, {descending})", draw.sort)
    call = "topk({a}, {k}, {dim}, {largest})"
    row("topk", call, call, draw.topk)


def products():
    row("matmul", "torch.matmul({a}, {b})", "matmul({a}, {b})", draw.matmul)
    row("bmm", "torch.bmm({a}, {b})", "bmm({a}, {b})", draw.bmm)
    row("outer", "torch.outer({a}, {b})", "outer({a}, {b})", draw.outer)
    row("linear", "F.linear({a}, {w}, {b})", "nn::linear({a}, {w}, {b})", draw.linear)
    row("linear_plain", "F.linear({a}, {w})", "nn::linear({a}, {w})",
        draw.linear_plain, op="linear")


def views():
    row("reshape", "{a}.reshape({shape})", "reshape({a}, {shape})", draw.reshape)
    row("view", "{a}.view({shape})", "view({a}, {shape})", draw.reshape)
    row("flatten", "{a}.flatten({start}, {end})", "flatten({a}, {start}, {end})",
        draw.flatten)
    row("transpose", "{a}.transpose(*{dims})", "transpose({a}, {dims[0]}, {dims[1]})", draw.transpose)
    row("permute", "{a}.permute({dims})", "permute({a}, {dims})", draw.permute)
    row("expand", "{a}.expand({shape})", "expand({a}, {shape})", draw.expand)
    row("squeeze", "{a}.squeeze()", "squeeze({a})", draw.value)
    row("squeeze_dim", "{a}.squeeze({dim})", "squeeze({a}, {dim})", draw.along,
        op="squeeze")
    row("unsqueeze", "{a}.unsqueeze({dim})", "unsqueeze({a}, {dim})", draw.unsqueeze)
    row("slice", "torch.ops.aten.slice({a}, {dim}, {start}, {end}, {step})",
        "slice({a}, {dim}, {start}, {end}, {step})", draw.slice)
    row("select", "{a}.select({dim}, {index})", "select({a}, {dim}, {index})", draw.select)
    row("split", "{a}.split({size}, {dim})", "split({a}, {size}, {dim})", draw.split)
    row("split_with_sizes", "{a}.split_with_sizes({sizes}, {dim})",
        "split_with_sizes({a}, {sizes}, {dim})", draw.split_with_sizes, op="split")
    row("chunk", "{a}.chunk({chunks}, {dim})", "chunk({a}, {chunks}, {dim})", draw.chunk)


def joining():
    for count in (2, 3):
        parts = ", ".join(["{a}", "{b}", "{c}"][:count])
        for name in ("cat", "stack"):
            row(f"{name}{count}", f"torch.{name}([{parts}], {{dim}})",
                f"{name}({{{{{parts}}}}}, {{dim}})", getattr(draw, f"{name}_{count}"),
                op=name)
    row("repeat", "{a}.repeat({repeats})", "repeat({a}, {repeats})", draw.repeat)
    name = "repeat_interleave"
    row("interleave", f"{{a}}.{name}({{repeats}})", f"{name}({{a}}, {{repeats}})",
        draw.interleave, op=name)
    call = f"{{a}}.{name}({{repeats}}, {{dim}})"
    heed = f"{name}({{a}}, {{repeats}}, {{dim}})"
    row("interleave_dim", call, heed, draw.interleave_dim, op=name)
    row("interleave_counts", call, heed, draw.interleave_counts, op=name)
    row("flip", "{a}.flip({dim})", "flip({a}, {dim})", draw.flip)


def indexing():
    row("index_select", "{a}.index_select({dim}, {index})",
        "index_select({a}, {dim}, {index})", draw.index_select)
    row("gather", "{a}.gather({dim}, {index})", "gather({a}, {dim}, {index})", draw.gather)
    row("masked_select", "{a}.masked_select({mask})", "masked_select({a}, {mask})",
        draw.masked_select)
    zeros = "torch.zeros({shape}, dtype=torch.float64)"
    for name in ("index_add", "scatter_add"):
        row(name, f"{zeros}.{name}({{dim}}, {{index}}, {{a}})",
            f"{name}({{shape}}, {{dim}}, {{index}}, {{a}})", getattr(draw, name))
    row("masked_scatter", zeros + ".masked_scatter({mask}, {a})",
        "masked_scatter({shape}, {mask}, {a})", draw.masked_scatter)
    row("slice_scatter", f"slice_scatter({zeros}, {{a}}, {{dim}}, {{start}}, {{step}})",
        "slice_scatter({shape}, {a}, {dim}, {start}, {step})", draw.slice_scatter)
    row("select_scatter", zeros + ".select_scatter({a}, {dim}, {index})",
        "select_scatter({shape}, {a}, {dim}, {index})", draw.select_scatter)
    for name in ("triu", "tril"):
        call = f"{name}({{a}}, {{diagonal}})"
        row(name, "torch." + call, call, draw.triangle)


def layers():
    given = "{a}, {normalized_shape}, {w}, {b}, {eps}"
    row("layer_norm", f"F.layer_norm({given})", f"nn::layer_norm({given})",
        draw.layer_norm("wb"))
    row("layer_norm_weight", "F.layer_norm({a}, {normalized_shape}, {w}, None, {eps})",
        "nn::layer_norm({a}, {normalized_shape}, {w}, {eps})", draw.layer_norm("w"),
        op="layer_norm")
    row("layer_norm_plain", "F.layer_norm({a}, {normalized_shape}, eps={eps})",
        "nn::layer_norm({a}, {normalized_shape}, {eps})", draw.layer_norm(""),
        op="layer_norm")
    row("layer_norm_rows", "F.layer_norm({a}, {a}.shape[-1:], {w}, None, {eps})",
        "layer_norm({a}, {w}, zeros({{0}}, float64), {eps})", draw.layer_norm_rows)
    row("embedding", "F.embedding({ids}, {w}, padding_idx={padding_idx})",
        "nn::embedding({w}, {ids}, {padding_idx})", draw.embedding)
    for name in ("mse_loss", "l1_loss"):
        row(name, f"F.{name}({{a}}, {{b}}, reduction={{reduction}})",
            f"nn::{name}({{a}}, {{b}}, nn::Reduction::{{reduction}})", draw.loss)
    row("nll_loss", "F.nll_loss({log_probabilities}, {target}, reduction={reduction}, "
        "ignore_index={ignore_index})",
        "nn::nll_loss({log_probabilities}, {target}, {{.reduction = "
        "nn::Reduction::{reduction}, .ignore_index = {ignore_index}}})", draw.nll_loss)
    row("cross_entropy", "F.cross_entropy({a}, {target}, reduction={reduction}, "
        "ignore_index={ignore_index}, label_smoothing={label_smoothing})",
        "nn::cross_entropy({a}, {target}, {{.reduction = nn::Reduction::{reduction}, "
        ".ignore_index = {ignore_index}, .label_smoothing = {label_smoothing}}})",
        draw.cross_entropy)


def attention():
    row("sdpa", "fused_attention({q}, {k}, {v}, {scale})",
        "scaled_dot_product_attention({q}, {k}, {v}, {{}}, {scale})", draw.attention,
        op="scaled_dot_product_attention")
    row("sdpa_lens", "fused_attention({q}, {k}, {v}, {scale}, {lens})",
        "scaled_dot_product_attention({q}, {k}, {v}, {lens}, {scale})",
        draw.attention_lens, op="scaled_dot_product_attention")
    row("composed_attention", "fused_attention({q}, {k}, {v}, {scale}, {lens})",
        "composed_attention({q}, {k}, {v}, {lens}, {scale})", draw.attention_lens)
    options = "nn::Dropout(0), {{.scale = {scale}}}"
    heed = f"nn::attention({{q}}, {{k}}, {{v}}, nn::Mask::keep({{keep}}), {options})"
    row("attention", "attention({q}, {k}, {v}, {scale}, {keep})", heed,
        draw.attention_keep)
    heed = f"nn::attend({{q}}, {{k}}, {{v}}, nn::Mask::additive({{bias}}), {options})"
    row("attend_bias", "attention({q}, {k}, {v}, {scale}, None, {bias}).output", heed,
        draw.attention_bias, op="attend", tensors={"bias"})
    heed = f"nn::attend({{q}}, {{k}}, {{v}}, nn::Mask::causal(nn::CausalAlign::{{align}}), {options})"
    row("attend_causal", "causal_attention({q}, {k}, {v}, {scale}, {align})", heed,
        draw.attention_causal, op="attend")
    heed = (
        "nn::attend_heads({q}, {k}, {v}, {heads}, nn::Mask::valid_lens({lens}), "
        "nn::Dropout(0))"
    )
    row("attend_heads", "attend_heads({q}, {k}, {v}, {heads}, {lens})", heed,
        draw.attention_heads)
    row("masked_softmax", "softmax_of_kept({a}, {keep}.expand({a}.shape))",
        "nn::masked_softmax({a}, nn::Mask::keep({keep}))", draw.masked_softmax)
    row("split_heads", "heads_of({a}, {heads})", "nn::split_heads({a}, {heads})",
        draw.split_heads)
    row("join_heads", "{a}.transpose(1, 2).flatten(2)", "nn::join_heads({a})",
        draw.join_heads)
    for name in ("additive_scores", "gaussian_weights"):
        row(name, f"{name}({{q}}, {{k}}, {{w}})", f"{name}({{q}}, {{k}}, {{w}})",
            getattr(draw, name))


for family in (
    elementwise,
    pairs,
    choosing,
    reductions,
    order,
    products,
    views,
    joining,
    indexing,
    layers,
    attention,
):
    family()
