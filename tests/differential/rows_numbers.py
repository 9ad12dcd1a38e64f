"""Rows of the table (table.py): arithmetic, choosing, reductions, order, products."""

import draw_args as draw


def elementwise(row):
    for name in (
        "abs ceil cos erf exp exp2 expm1 floor neg relu sigmoid sin square tanh trunc"
    ).split():
        row(name, f"torch.{name}({{a}})", f"{name}({{a}})", draw.value)
    for name in "log log10 log1p log2 reciprocal rsqrt sqrt".split():
        row(name, f"torch.{name}({{a}})", f"{name}({{a}})", draw.positive)
    for name in "logsigmoid silu softplus".split():
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


def pairs(row):
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
    row("remainder", "torch.remainder({a}, {b})", "{a} % {b}", draw.pair)
    row("pow", "torch.pow({a}, {b})", "pow({a}, {b})", draw.powers)
    power = "pow({a}, {exponent})"
    row("pow_number", "torch." + power, power, draw.power_of_number, op="pow")
    row("rpow", "torch.pow({base}, {b})", "pow({base}, {b})", draw.exponential)
    for name in ("logical_and", "logical_or", "logical_xor"):
        call = f"{name}({{a}}, {{b}})"
        row(name, "torch." + call, call, draw.masks, tensors={"a", "b"})
    row("logical_not", "~{a}", "logical_not({a})", draw.one_mask, tensors={"a"})


def choosing(row):
    call = "where({cond}, {a}, {b})"
    row("where", "torch." + call, call, draw.where)
    row("where_number", "torch." + call, call, draw.where_number, op="where")
    row("number_where", "torch." + call, call, draw.number_where, op="where")
    heed = "masked_fill({a}, {mask}, {value})"
    row("masked_fill", "{a}.masked_fill({mask}, {value})", heed, draw.masked_fill)


def reductions(row):
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
        row(
            name + "_dim",
            f"torch.{name}({{a}}, {{dim}}, {{keepdim}})",
            heed,
            draw.over_one,
            op=name,
        )
        heed = f"heed::{name}({{a}})"
        row(name, f"torch.{name}({{a}})", heed, draw.value)
    for name in ("all", "any"):
        call = f"{name}({{a}}, {{dim}}, {{keepdim}})"
        row(name, "torch." + call, call, draw.over_one)
        row(name + "_all", f"torch.{name}({{a}})", f"{name}({{a}})", draw.value, op=name)
    row("sum_to", "{a}.sum_to_size({shape})", "sum_to({a}, {shape})", draw.sum_to)
    for name in ("softmax", "log_softmax"):
        row(name, f"torch.{name}({{a}}, {{dim}})", f"{name}({{a}}, {{dim}})", draw.along)
    for name in ("cumsum", "cumprod"):
        row(name, f"torch.{name}({{a}}, {{dim}})", f"{name}({{a}}, {{dim}})", draw.along)


def order(row):
    call = "torch.sort({a}, dim={dim}, descending={descending}, stable=True)"
    row("sort", call, "sort({a}, {dim}, {descending})", draw.sort)
    row("argsort", call + ".indices", "argsort({a}, {dim}, {descending})", draw.sort)
    call = "topk({a}, {k}, {dim}, {largest})"
    row("topk", call, call, draw.topk)


def products(row):
    row("matmul", "torch.matmul({a}, {b})", "matmul({a}, {b})", draw.matmul)
    row("bmm", "torch.bmm({a}, {b})", "bmm({a}, {b})", draw.bmm)
    row("outer", "torch.outer({a}, {b})", "outer({a}, {b})", draw.outer)
    row("linear", "F.linear({a}, {w}, {b})", "nn::linear({a}, {w}, {b})", draw.linear)
    row(
        "linear_plain",
        "F.linear({a}, {w})",
        "nn::linear({a}, {w})",
        draw.linear_plain,
        op="linear",
    )


def add_rows(row):
    for family in (elementwise, pairs, choosing, reductions, order, products):
        family(row)
