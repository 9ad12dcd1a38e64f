"""Group op: single operations and small graphs, with gradients."""
import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F

from reference.common import DTYPES, default_dtype, generator_for, record


class Draw:
    """Inputs of a case, from a stream of its own."""

    def __init__(self, case):
        self.source = generator_for(case)

    def normal(self, *shape):
        return torch.randn(shape, generator=self.source)

    def uniform(self, low, high, *shape):
        return low + (high - low) * torch.rand(shape, generator=self.source)

    def whole(self, high, *shape):
        return torch.randint(0, high, shape, generator=self.source)

    def chance(self, p, *shape):
        return torch.rand(shape, generator=self.source) < p

    def tied(self, *shape):
        """Few different values, so that many are equal."""
        return torch.randint(-2, 3, shape, generator=self.source).to(
            torch.get_default_dtype()
        )


class Table:
    def __init__(self):
        self.rows = []

    def add(
        self, case, op, inputs, compute, up=("y",), note="", layouts=None, **attributes
    ):
        """inputs(Draw) -> dict of tensors. compute(namespace of them) -> a tensor, a pair
        (values, indices) or a dict."""
        row = (case, op, inputs, compute, up, note, layouts or {}, attributes)
        self.rows.append(row)


def named(outputs):
    if isinstance(outputs, dict):
        return outputs
    if isinstance(outputs, tuple):
        return {"y": outputs[0], "indices": outputs[1]}
    return {"y": outputs}


def a_of(*shape):
    return lambda d: {"a": d.normal(*shape)}


def ab_of(a, b):
    return lambda d: {"a": d.normal(*a), "b": d.normal(*b)}


def elementwise(t):
    for op, f in [("add", torch.add), ("sub", torch.sub), ("mul", torch.mul)]:
        both = lambda i, f=f: f(i.a, i.b)
        t.add(op, op, ab_of((2, 3, 4), (2, 3, 4)), both)
        t.add(op + "_broadcast", op, ab_of((2, 1, 4), (3, 1)), both)
        t.add(op + "_number", op, a_of(2, 3), lambda i, f=f: f(i.a, 2.5), b=2.5)
        strided = {"a": "transposed:0,1", "b": "strided:0"}
        t.add(op + "_layout", op, ab_of((2, 3, 4), (3, 4)), both, layouts=strided)
    t.add("mul_itself", "mul", a_of(3, 4), lambda i: i.a * i.a, note="a twice")
    t.add("add_scalar", "add", ab_of((), (3, 4)), lambda i: i.a + i.b)
    positive = lambda d: {"a": d.normal(2, 3, 4), "b": d.uniform(0.5, 2, 4)}
    t.add("div", "div", positive, lambda i: i.a / i.b)
    t.add("div_number", "div", a_of(2, 3), lambda i: i.a / 3.0, b=3.0)
    t.add("number_sub", "rsub", a_of(2, 3), lambda i: 1.0 - i.a, b=1.0)
    away = lambda d: {"a": d.uniform(0.5, 2, 3, 4)}
    t.add("number_div", "rdiv", away, lambda i: 2.0 / i.a, b=2.0)
    for exponent in (0.8, 2, 3, -0.5):
        base = lambda d: {"a": d.uniform(0.1, 5, 3, 4)}
        power = lambda i, e=exponent: i.a**e
        t.add(f"pow_{exponent}", "pow", base, power, exponent=exponent)
    powers = lambda d: {"a": d.uniform(0.2, 3, 2, 1, 4), "b": d.normal(3, 1)}
    t.add("pow_tensor", "pow", powers, lambda i: i.a**i.b)
    wide = lambda d: {"a": 5 * d.normal(2, 3, 4), "b": d.normal(3, 1)}
    t.add("remainder", "remainder", wide, lambda i: torch.remainder(i.a, i.b))
    for b in (1.5, -1.5):
        rest = lambda i, b=b: torch.remainder(i.a, b)
        t.add(f"remainder_{b}", "remainder", a_of(3, 7), rest, b=b)
    ties = lambda d: {"a": d.tied(3, 4), "b": d.tied(3, 4)}
    t.add("maximum_ties", "maximum", ties, lambda i: torch.maximum(i.a, i.b))
    t.add("minimum_ties", "minimum", ties, lambda i: torch.minimum(i.a, i.b))

    scaled = lambda factor: lambda d: {"a": factor * d.normal(3, 7)}
    between = lambda low, high: lambda d: {"a": d.uniform(low, high, 3, 7)}
    corner = lambda d: {"a": torch.cat([d.normal(7), torch.tensor([0.0, -0.0])])}
    halves = lambda d: {"a": d.whole(20, 3, 7) / 2 - 5}
    for op, f, inputs in [
        ("abs", torch.abs, corner),
        ("ceil", torch.ceil, scaled(3)),
        ("cos", torch.cos, scaled(3)),
        ("erf", torch.erf, scaled(1)),
        ("exp", torch.exp, scaled(1)),
        ("expm1", torch.expm1, scaled(3)),
        ("floor", torch.floor, scaled(3)),
        ("log", torch.log, between(0.05, 6)),
        ("log1p", torch.log1p, between(-0.5, 3)),
        ("logsigmoid", F.logsigmoid, scaled(9)),
        ("neg", torch.neg, scaled(1)),
        ("reciprocal", torch.reciprocal, between(0.3, 3)),
        ("relu", torch.relu, corner),
        ("round", torch.round, halves),
        ("rsqrt", torch.rsqrt, between(0.01, 4)),
        ("sigmoid", torch.sigmoid, scaled(3)),
        ("silu", F.silu, scaled(2)),
        ("sin", torch.sin, scaled(3)),
        ("softplus", F.softplus, scaled(9)),
        ("sqrt", torch.sqrt, between(0.01, 4)),
        ("square", torch.square, scaled(1)),
        ("tanh", torch.tanh, scaled(2)),
    ]:
        t.add(op, op, inputs, lambda i, f=f: f(i.a))
    zero = lambda d: {"a": torch.tensor([0.0, 0.25, 4.0])}
    t.add("sqrt_at_zero", "sqrt", zero, lambda i: torch.sqrt(i.a))
    far = lambda d: {"a": torch.tensor([-800.0, -40.0, -1e-8, 0.0, 1e-8, 40.0, 800.0])}
    t.add("sigmoid_far", "sigmoid", far, lambda i: torch.sigmoid(i.a))
    t.add("tanh_far", "tanh", far, lambda i: torch.tanh(i.a))
    for form in ("none", "tanh"):
        gelu = lambda i, form=form: F.gelu(i.a, approximate=form)
        t.add("gelu_" + form, "gelu", scaled(2), gelu, approximate=form)
    leaky = lambda i: F.leaky_relu(i.a, 0.2)
    t.add("leaky_relu", "leaky_relu", corner, leaky, slope=0.2)
    t.add("elu", "elu", scaled(3), lambda i: F.elu(i.a, 1.5), alpha=1.5)
    ties_of_one = lambda d: {"a": d.tied(3, 4)}
    # torch.maximum takes no numbers.
    above = lambda i: torch.maximum(i.a, torch.tensor(1.0, dtype=i.a.dtype))
    t.add("maximum_number", "maximum", ties_of_one, above, b=1.0)
    below = lambda i: torch.minimum(i.a, torch.tensor(1.0, dtype=i.a.dtype))
    t.add("minimum_number", "minimum", ties_of_one, below, b=1.0)
    bounds = lambda d: {"a": torch.cat([d.normal(9), torch.tensor([-0.5, 0.75])])}
    t.add("clamp", "clamp", bounds, lambda i: i.a.clamp(-0.5, 0.75), min=-0.5, max=0.75)
    t.add("clamp_min", "clamp", bounds, lambda i: i.a.clamp(min=-0.5), min=-0.5)
    t.add("clamp_max", "clamp", bounds, lambda i: i.a.clamp(max=0.75), max=0.75)
    masked = lambda d: {"a": d.normal(2, 3, 4), "mask": d.chance(0.4, 3, 4)}
    fill = lambda i: i.a.masked_fill(i.mask, -1e9)
    t.add("masked_fill", "masked_fill", masked, fill, value=-1e9)
    assign = lambda i: torch.where(i.mask, torch.tensor(-7.0, dtype=i.a.dtype), 2 * i.a)
    note = "t = 2 * a; t[mask] = value"
    t.add("masked_assign", "masked_assign", masked, assign, value=-7.0, note=note)
    three = lambda d: {
        "cond": d.chance(0.5, 3, 1),
        "a": d.normal(2, 3, 4),
        "b": d.normal(4),
    }
    t.add("where", "where", three, lambda i: torch.where(i.cond, i.a, i.b))


def reductions(t):
    cube = a_of(2, 3, 4)
    for op, f in [("sum", torch.sum), ("mean", torch.mean)]:
        t.add(op + "_all", op, cube, lambda i, f=f: f(i.a))
        one = lambda i, f=f: f(i.a, 1)
        t.add(op + "_dim", op, cube, one, dim=1, keepdim=False)
        t.add(op + "_layout", op, cube, one, dim=1, layouts={"a": "transposed:1,2"})
        two = lambda i, f=f: f(i.a, (0, -1), keepdim=True)
        t.add(op + "_dims", op, cube, two, dim=[0, -1], keepdim=True)
    positive = lambda d: {"a": d.uniform(0.5, 2, 3, 4)}
    t.add("prod_all", "prod", positive, lambda i: i.a.prod())
    t.add("prod_dim", "prod", positive, lambda i: i.a.prod(1), dim=1)
    t.add("norm", "norm", a_of(3, 4), lambda i: i.a.norm(), p=2)
    t.add("var_all", "var", cube, lambda i: i.a.var(), unbiased=True)
    biased = lambda i: i.a.var(-1, unbiased=False, keepdim=True)
    t.add("var_dim", "var", cube, biased, dim=-1, unbiased=False, keepdim=True)
    t.add("var_dims", "var", cube, lambda i: i.a.var((0, 1)), dim=[0, 1], unbiased=True)
    t.add("std_dim", "std", cube, lambda i: i.a.std(-1), dim=-1, unbiased=True)
    t.add("logsumexp", "logsumexp", cube, lambda i: torch.logsumexp(i.a, 1), dim=1)
    ties = lambda d: {"a": d.tied(3, 5)}
    for op in ("max", "min"):
        t.add(op + "_all_ties", op, ties, lambda i, op=op: getattr(i.a, op)())
        one = lambda i, op=op: tuple(getattr(i.a, op)(1))
        t.add(op + "_dim", op, cube, one, dim=1, keepdim=False)
        t.add(op + "_layout", op, cube, one, dim=1, layouts={"a": "transposed:0,2"})
        keep = lambda i, op=op: tuple(getattr(i.a, op)(-1, keepdim=True))
        t.add(op + "_ties", op, ties, keep, dim=-1, keepdim=True)
        shared = lambda i, op=op: getattr(i.a, "a" + op)(-1)
        t.add("a" + op + "_ties", "a" + op, ties, shared, dim=-1, keepdim=False)
        place = lambda i, op=op: getattr(i.a, "arg" + op)(-1)
        t.add("arg" + op, "arg" + op, ties, place, up=(), dim=-1)


def softmaxes(t):
    for dim in (0, 1, -1):
        soft = lambda i, dim=dim: torch.softmax(i.a, dim)
        t.add(f"softmax_{dim}", "softmax", a_of(2, 3, 4), soft, dim=dim)
        log_soft = lambda i, dim=dim: torch.log_softmax(i.a, dim)
        t.add(f"log_softmax_{dim}", "log_softmax", a_of(2, 3, 4), log_soft, dim=dim)
    rows = lambda i: torch.softmax(i.a, -1)
    layouts = {"a": "transposed:1,2"}
    t.add("softmax_layout", "softmax", a_of(2, 3, 4), rows, dim=-1, layouts=layouts)
    inner = lambda i: torch.softmax(i.a, 2)
    t.add("softmax_4d", "softmax", a_of(2, 3, 4, 5), inner, dim=2)
    t.add("softmax_one_column", "softmax", a_of(3, 1), rows, dim=-1)
    far = lambda d: {
        "a": torch.tensor(
            [[1000.0, 1001.0, 999.0], [-1e6, -1e6, -1e6], [-1e6, 3.0, -1e6]]
        )
    }
    t.add("softmax_far", "softmax", far, rows, dim=-1)
    masked = lambda d: {"a": d.normal(4, 4) + torch.full((4, 4), -math.inf).triu(1)}
    t.add("softmax_minus_infinity", "softmax", masked, rows, dim=-1)


def products(t):
    for name, a, b in [
        ("vector_vector", (4,), (4,)),
        ("matrix_vector", (3, 4), (4,)),
        ("vector_matrix", (4,), (4, 5)),
        ("2d", (3, 4), (4, 5)),
        ("3d", (2, 3, 4), (2, 4, 5)),
        ("3d_2d", (2, 3, 4), (4, 5)),
        ("2d_3d", (3, 4), (2, 4, 5)),
        ("3d_vector", (2, 3, 4), (4,)),
        ("vector_3d", (4,), (2, 4, 5)),
        ("4d", (2, 3, 3, 4), (2, 3, 4, 5)),
        ("4d_broadcast", (2, 1, 3, 4), (3, 4, 5)),
        ("larger", (9, 33), (33, 17)),
    ]:
        t.add("matmul_" + name, "matmul", ab_of(a, b), lambda i: i.a @ i.b)
    turned = lambda i: i.a @ i.b.transpose(-2, -1)
    note = "a @ b transposed in its last two dims"
    t.add("matmul_turned", "matmul", ab_of((2, 3, 4), (2, 5, 4)), turned, note=note)
    layouts = {"a": "transposed:1,2", "b": "strided:2"}
    batches = ab_of((2, 3, 4), (2, 4, 5))
    t.add("matmul_layout", "matmul", batches, lambda i: i.a @ i.b, layouts=layouts)
    t.add("bmm", "bmm", batches, lambda i: torch.bmm(i.a, i.b))
    t.add("outer", "outer", ab_of((3,), (4,)), lambda i: torch.outer(i.a, i.b))


def layers(t):
    affine = lambda d: {"a": d.normal(2, 3, 4), "w": d.normal(5, 4), "b": d.normal(5)}
    t.add("linear", "linear", affine, lambda i: F.linear(i.a, i.w, i.b))
    plain = lambda d: {"a": d.normal(3, 4), "w": d.normal(5, 4)}
    t.add("linear_no_bias", "linear", plain, lambda i: F.linear(i.a, i.w))
    for name, shape in [("", (4,)), ("_2dims", (3, 4))]:
        inputs = lambda d, s=shape: {
            "a": d.normal(2, 3, 4),
            "w": d.normal(*s),
            "b": d.normal(*s),
        }
        norm = lambda i, s=shape: F.layer_norm(i.a, s, i.w, i.b, 1e-3)
        options = {"normalized_shape": shape, "eps": 1e-3}
        t.add("layer_norm" + name, "layer_norm", inputs, norm, **options)
    norm = lambda i: F.layer_norm(i.a, (4,))
    options = {"normalized_shape": [4], "eps": 1e-5}
    t.add("layer_norm_plain", "layer_norm", a_of(2, 3, 4), norm, **options)
    ids = lambda d: {"w": d.normal(6, 4), "ids": torch.tensor([[0, 5, 1], [1, 1, 4]])}
    t.add("embedding", "embedding", ids, lambda i: F.embedding(i.ids, i.w))
    padded = lambda i: F.embedding(i.ids, i.w, padding_idx=1)
    t.add("embedding_padded", "embedding", ids, padded, padding_idx=1)
    for kind in ("mean", "sum", "none"):
        classes = lambda d: {"a": 2 * d.normal(4, 5), "target": d.whole(5, 4)}
        cross = lambda i, kind=kind: F.cross_entropy(i.a, i.target, reduction=kind)
        t.add("cross_entropy_" + kind, "cross_entropy", classes, cross, reduction=kind)
        nll = lambda i, kind=kind: F.nll_loss(
            torch.log_softmax(i.a, 1), i.target, reduction=kind
        )
        note = "of log_softmax(a, 1)"
        t.add("nll_loss_" + kind, "nll_loss", classes, nll, reduction=kind, note=note)
        pair = ab_of((3, 4), (3, 4))
        mse = lambda i, kind=kind: F.mse_loss(i.a, i.b, reduction=kind)
        t.add("mse_loss_" + kind, "mse_loss", pair, mse, reduction=kind)
        l1 = lambda i, kind=kind: F.l1_loss(i.a, i.b, reduction=kind)
        t.add("l1_loss_" + kind, "l1_loss", pair, l1, reduction=kind)
        huber = lambda i, kind=kind: F.huber_loss(i.a, i.b, reduction=kind, delta=0.7)
        t.add("huber_loss_" + kind, "huber_loss", pair, huber, reduction=kind, delta=0.7)
        for beta in (0.7, 0):
            smooth = lambda i, kind=kind, beta=beta: F.smooth_l1_loss(
                i.a, i.b, reduction=kind, beta=beta
            )
            case = f"smooth_l1_loss_{beta}_{kind}"
            t.add(case, "smooth_l1_loss", pair, smooth, reduction=kind, beta=beta)
        both = lambda d: {"a": d.uniform(0, 1, 3, 4), "b": d.uniform(0, 1, 3, 4)}
        of_p = lambda i, kind=kind: F.binary_cross_entropy(i.a, i.b, reduction=kind)
        t.add("binary_cross_entropy_" + kind, "binary_cross_entropy", both, of_p, reduction=kind)
        op = "binary_cross_entropy_with_logits"
        chances = lambda d: {"a": 9 * d.normal(3, 4), "b": d.uniform(0, 1, 3, 4)}
        bce = lambda i, kind=kind, op=op: getattr(F, op)(i.a, i.b, reduction=kind)
        t.add(f"{op}_{kind}", op, chances, bce, reduction=kind)
        weighted = lambda d: {**chances(d), "pos_weight": d.uniform(0.5, 4, 4)}
        by_weight = lambda i, kind=kind, op=op: getattr(F, op)(
            i.a, i.b, pos_weight=i.pos_weight.detach(), reduction=kind
        )
        t.add(f"{op}_weighted_{kind}", op, weighted, by_weight, reduction=kind)
    some = lambda d: {"a": d.normal(5, 4), "target": torch.tensor([1, -1, 3, -1, 0])}
    ignore = lambda i: F.cross_entropy(i.a, i.target, ignore_index=-1)
    t.add("cross_entropy_ignore", "cross_entropy", some, ignore, ignore_index=-1)
    options = {"ignore_index": -1, "label_smoothing": 0.1}
    smooth = lambda i: F.cross_entropy(i.a, i.target, **options)
    t.add("cross_entropy_smooth", "cross_entropy", some, smooth, **options)
    shares = lambda d: {**some(d), "weight": d.uniform(0.5, 4, 4)}
    for kind in ("mean", "sum", "none"):
        reduced = {"ignore_index": -1, "reduction": kind}
        by_share = lambda i, reduced=reduced: F.cross_entropy(
            i.a, i.target, i.weight.detach(), label_smoothing=0.1, **reduced
        )
        case = "cross_entropy_weighted_" + kind
        t.add(case, "cross_entropy", shares, by_share, label_smoothing=0.1, **reduced)
        nll = lambda i, reduced=reduced: F.nll_loss(
            torch.log_softmax(i.a, 1), i.target, i.weight.detach(), **reduced
        )
        t.add("nll_loss_weighted_" + kind, "nll_loss", shares, nll, note=note, **reduced)
    images = lambda d: {"a": d.normal(2, 5, 3), "target": d.whole(5, 2, 3)}
    plain = lambda i: F.cross_entropy(i.a, i.target)
    t.add("cross_entropy_3d", "cross_entropy", images, plain)


def activations(t):
    # At the kinks too. Those of hardswish, -3 and 3, are left out: its derivatives there,
    # -0.5 and 1.5 in PyTorch 1.13, are 0 and 1 in newer versions and in heed.
    kinks = lambda d: {"a": torch.cat([4 * d.normal(19), torch.tensor([0.0, 6.0])])}
    bends = lambda d: {"a": torch.cat([4 * d.normal(19), torch.tensor([-3.0, 3.0])])}
    # The slope of F.hardsigmoid is 1/6 rounded to float32, in float64 too.
    hardsigmoid = lambda a: F.relu6(a + 3) / 6
    for op, f, inputs in [
        ("hardsigmoid", hardsigmoid, bends),
        ("hardswish", F.hardswish, kinks),
        ("mish", F.mish, kinks),
        ("relu6", F.relu6, kinks),
        ("selu", F.selu, kinks),
        ("softsign", F.softsign, kinks),
        ("tanhshrink", F.tanhshrink, kinks),
    ]:
        t.add(op, op, inputs, lambda i, f=f: f(i.a))
    bounds = {"min_val": -3.0, "max_val": 0.5}
    t.add("hardtanh", "hardtanh", bends, lambda i: F.hardtanh(i.a, **bounds), **bounds)
    t.add("celu", "celu", kinks, lambda i: F.celu(i.a, 1.5), alpha=1.5)
    t.add("glu", "glu", a_of(2, 4, 3), lambda i: F.glu(i.a, 1), dim=1)
    t.add("softmin", "softmin", a_of(3, 4), lambda i: F.softmin(i.a, 0), dim=0)


def losses_of_rows(t):
    three = lambda d: {name: d.normal(6, 4) for name in "abc"}
    pair = ab_of((6, 4), (6, 4))
    for p in (1.0, 2.0, 3.0):
        apart = lambda i, p=p: F.pairwise_distance(i.a, i.b, p)
        t.add(f"pairwise_distance_{p}", "pairwise_distance", pair, apart, p=p)
    signs = lambda d: d.whole(2, 6) * 2 - 1
    rows = lambda d: {**pair(d), "target": signs(d)}
    numbers = lambda d: {"a": d.normal(6), "b": d.normal(6), "target": signs(d)}
    for kind in ("mean", "sum", "none"):
        options = {"margin": 0.7, "p": 2.0, "reduction": kind}
        triplet = lambda i, options=options: F.triplet_margin_loss(i.a, i.b, i.c, **options)
        case = "triplet_margin_loss_" + kind
        t.add(case, "triplet_margin_loss", three, triplet, **options)
        options = {"margin": 0.2, "reduction": kind}
        for op, inputs in [("margin_ranking_loss", numbers), ("cosine_embedding_loss", rows)]:
            loss = lambda i, op=op, options=options: getattr(F, op)(
                i.a, i.b, i.target, **options
            )
            t.add(f"{op}_{kind}", op, inputs, loss, **options)


def graphs(t):
    def add(case, note, inputs, compute):
        t.add("graph_" + case, "graph", inputs, compute, note=note)

    reuse = lambda i: (i.a * i.a + i.a.exp()) * i.a
    add("reuse", "(a*a + exp(a)) * a", a_of(3, 4), reuse)
    add("detach", "a * detach(a)", a_of(3, 4), lambda i: i.a * i.a.detach())
    square = lambda d: {"a": d.normal(3, 4), "w": d.normal(4, 4)}
    diamond = lambda i: torch.tanh(i.a @ i.w) @ i.w.t() + (i.a @ i.w).sum(0)
    add("diamond", "tanh(a w) w^T + sum_0(a w)", square, diamond)
    note = "b takes no part: its gradient is zero"
    add("unused_input", note, ab_of((3, 4), (4,)), lambda i: 2 * i.a)


def add_to(cases):
    from reference import composed_ops, shape_ops

    table = Table()
    families = (elementwise, reductions, softmaxes, products, layers, graphs)
    for family in (*families, activations, losses_of_rows):
        family(table)
    shape_ops.add_rows(table)
    composed_ops.add_rows(table)
    for dtype in DTYPES:
        with default_dtype(dtype):
            for case, op, inputs, compute, up, note, layouts, attributes in table.rows:
                record(
                    cases,
                    "op_" + case,
                    "op",
                    dtype,
                    inputs(Draw(case)),
                    lambda i: named(compute(SimpleNamespace(**i))),
                    up,
                    {"op": op, **attributes},
                    notes=note,
                    layouts=layouts,
                )
