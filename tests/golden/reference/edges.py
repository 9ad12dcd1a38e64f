"""Group edges: values and gradients where rules branch: at zero, at ties, in constant
rows, at infinities, NaN and denormal numbers, over nothing and over one element.

PyTorch's numbers, but where heed differs on purpose (on_purpose.py): the note of such a
case says how. Newer versions (2.15) give the same numbers as 1.13, but where a note says
so, and except for clamp: at a bound their gradient is 0."""
import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F

from reference import on_purpose
from reference.common import DTYPES, default_dtype, differentiated, generator_for
from reference.on_purpose import INF, NAN
from reference.ops import named

RTOL = {"f32": 1e-5, "f64": 1e-10}
# Some of these numbers are denormal: a few of their last places.
ATOL = {name: 8 * torch.finfo(t).tiny * torch.finfo(t).eps for name, t in DTYPES.items()}


def numbers():
    """The kinds of numbers there are, in the default dtype."""
    info = torch.finfo(torch.get_default_dtype())
    denormal = 1000 * info.tiny * info.eps
    kinds = [0.0, 1.0, 0.25, 3.0, INF, info.tiny, denormal, info.max]
    return torch.tensor(kinds + [-x for x in kinds] + [NAN])


def pairs(first=None, second=None):
    """Every number of the first beside every one of the second."""
    first = numbers() if first is None else first
    second = numbers() if second is None else second
    a, b = torch.meshgrid(first, second, indexing="ij")
    return {"a": a.clone(), "b": b.clone()}


def rows():
    """Rows of four, by what is special about each."""
    info = torch.finfo(torch.get_default_dtype())
    denormal = 1000 * info.tiny * info.eps
    huge = info.max**0.6  # its square overflows
    return {
        "zeros": [0.0, 0.0, 0.0, 0.0],
        "signed_zeros": [0.0, -0.0, -0.0, 0.0],
        "constant": [2.5, 2.5, 2.5, 2.5],
        "uneven_constant": [0.1, 0.1, 0.1, 0.1],
        "one_zero": [2.0, 0.0, -3.0, 0.5],
        "two_zeros": [0.0, 2.0, 0.0, 0.5],
        "tie_above": [1.0, 4.0, 4.0, -2.0],
        "tie_below": [1.0, -4.0, 4.0, -4.0],
        "infinity": [1.0, INF, 2.0, -3.0],
        "two_infinities": [1.0, INF, INF, -3.0],
        "minus_infinity": [1.0, -INF, 2.0, -3.0],
        "minus_infinities": [-INF, -INF, -INF, -INF],
        "both_infinities": [INF, 1.0, -INF, 0.0],
        "infinity_and_zero": [INF, 1.0, 2.0, 0.0],
        "nan": [1.0, NAN, 2.0, -3.0],
        "nan_and_infinity": [INF, 1.0, NAN, NAN],
        "denormal": [denormal, 0.0, 2 * denormal, denormal],
        "huge": [huge, -huge / 3, 0.7 * huge, 1.0],
        "largest": [info.max, info.max, info.max, info.max],
    }


class Table:
    def __init__(self):
        self.rows = []

    def add(
        self,
        case,
        op,
        inputs,
        compute,
        under=None,
        instead=None,
        note="",
        atol=None,
        **attributes,
    ):
        """inputs() -> dict of tensors. compute(namespace of them) -> a tensor or a pair
        (values, indices). The gradient of the values is drawn, or `under` everywhere.
        instead is where heed differs on purpose, and the note says how."""
        row = (case, op, inputs, compute, under, instead, note, atol, attributes)
        self.rows.append(row)


def elementwise(t):
    a = lambda: {"a": numbers()}
    for op in ("sqrt", "rsqrt", "reciprocal", "square", "relu", "neg", "exp", "log"):
        t.add(op, op, a, lambda i, op=op: getattr(torch, op)(i.a))
    for op in ("tanh", "sigmoid", "erf", "sin", "cos"):
        t.add(op, op, a, lambda i, op=op: getattr(torch, op)(i.a))
    for op in ("silu", "softplus"):
        t.add(op, op, a, lambda i, op=op: getattr(F, op)(i.a))
    t.add("abs", "abs", a, lambda i: i.a.abs(), **on_purpose.NAN_SLOPE)
    t.add("log1p", "log1p", a, lambda i: i.a.log1p(), **on_purpose.LARGEST_LOG1P)
    for form in ("none", "tanh"):
        gelu = lambda i, form=form: F.gelu(i.a, approximate=form)
        t.add("gelu_" + form, "gelu", a, gelu, approximate=form, atol=1e-6)
    t.add("div", "div", pairs, lambda i: i.a / i.b)
    t.add("mul", "mul", pairs, lambda i: i.a * i.b)
    for number in (0.0, 3.0, INF, NAN):
        t.add(f"div_{number}", "div", a, lambda i, b=number: i.a / b, b=number)
        # PyTorch's 3 / a is 3 times 1 / a.
        over = lambda i, b=number: torch.full_like(i.a, b) / i.a
        t.add(f"rdiv_{number}", "rdiv", a, over, b=number)
    for op in ("maximum", "minimum"):
        both = lambda i, op=op: getattr(torch, op)(i.a, i.b)
        for g in (None, INF, NAN):
            t.add(f"{op}_under_{g}", op, pairs, both, under=g)
    bounds = [(-1.0, 3.0), (3.0, -1.0), (0.0, None), (None, 0.0), (1.0, 1.0)]
    for low, high in bounds + [(-INF, INF), (INF, None)]:
        held = lambda i, low=low, high=high: i.a.clamp(low, high)
        t.add(f"clamp_{low}_{high}", "clamp", a, held, min=low, max=high)
    for low, high in [(NAN, None), (None, NAN), (NAN, 1.0), (0.0, NAN)]:
        held = lambda i, low=low, high=high: i.a.clamp(low, high)
        name = f"clamp_{low}_{high}"
        t.add(name, "clamp", a, held, **on_purpose.NAN_BOUND, min=low, max=high)
    for g in (INF, NAN):
        held = lambda i: i.a.clamp(-1.0, 1.0)
        t.add(f"clamp_under_{g}", "clamp", a, held, under=g, min=-1.0, max=1.0)


def powers(t):
    exponents = lambda: torch.tensor(
        [0.0, -0.0, 1.0, 2.0, 3.0, 0.5, 1.5, 40.0, INF, NAN]
        + [-1.0, -2.0, -3.0, -0.5, -1.5, -40.0, -INF]
    )
    both = lambda: pairs(None, exponents())
    for g in (None, INF, NAN):
        raised = lambda i: i.a**i.b
        t.add(f"pow_under_{g}", "pow", both, raised, under=g, **on_purpose.POWER)
    for b in (0.0, 1.0, 2.0, 3.0, 0.5, 1.5, INF, NAN, -1.0, -2.0, -0.5, -1.5, -INF):
        a = lambda: {"a": numbers()}
        t.add(f"pow_{b}", "pow", a, lambda i, b=b: i.a**b, exponent=b)
    for a in (0.0, 1.0, 2.0, INF, NAN, -2.0):
        b = lambda: {"b": exponents()}
        raised = lambda i, a=a: torch.pow(a, i.b)
        t.add(f"rpow_{a}", "rpow", b, raised, base=a)
        t.add(f"rpow_{a}_under_nan", "rpow", b, raised, under=NAN, base=a)


REDUCTIONS = {
    "sum": lambda x, d: x.sum(d),
    "mean": lambda x, d: x.mean(d),
    "prod": lambda x, d: x.prod(d),
    "norm": lambda x, d: torch.linalg.vector_norm(x, 2, d),
    "logsumexp": lambda x, d: torch.logsumexp(x, d),
    "max": lambda x, d: tuple(x.max(d)),
    "min": lambda x, d: tuple(x.min(d)),
    "amax": lambda x, d: x.amax(d),
    "amin": lambda x, d: x.amin(d),
    "softmax": torch.softmax,
    "log_softmax": torch.log_softmax,
    "cumsum": torch.cumsum,
    "sort": lambda x, d: tuple(x.sort(dim=d, stable=True)),
    "var": lambda x, d: x.var(dim=d, correction=1),
    "std": lambda x, d: x.std(dim=d, correction=1),
}
ON_PURPOSE = {
    "norm": on_purpose.NORM,
    "amax": on_purpose.SHARED_EXTREME,
    "amin": on_purpose.SHARED_EXTREME,
    "std": on_purpose.std(1),
}


def of_rows():
    return {"a": torch.tensor([*rows().values()])}


def of_columns():
    return {"a": of_rows()["a"].t().contiguous()}


def reductions(t):
    for op, f in REDUCTIONS.items():
        for layout, inputs, dim in [("rows", of_rows, 1), ("columns", of_columns, 0)]:
            along = lambda i, f=f, d=dim: f(i.a, d)
            more = ON_PURPOSE.get(op, {})
            t.add(f"{op}_{layout}", op, inputs, along, **more, dim=dim)
        for g in (INF, NAN):
            more = ON_PURPOSE.get(op, {})
            along = lambda i, f=f: f(i.a, 1)
            t.add(f"{op}_under_{g}", op, of_rows, along, under=g, **more, dim=1)
    for row in ("zeros", "tie_above", "tie_below", "two_infinities", "nan_and_infinity"):
        one = lambda row=row: {"a": torch.tensor(rows()[row])}
        for op in ("max", "min"):
            whole = lambda i, op=op: getattr(i.a, op)()
            for g in (None, INF, NAN):
                t.add(f"{op}_of_{row}_under_{g}", op, one, whole, under=g)
    descending = lambda i: tuple(i.a.sort(dim=1, stable=True, descending=True))
    t.add("sort_descending", "sort", of_rows, descending, dim=1, descending=True)
    normal = lambda: 1.05 * math.log(torch.finfo(torch.get_default_dtype()).tiny)
    small = lambda: {"a": torch.tensor([[0.0, normal(), -3.0, normal() - 3]])}
    along = lambda i: torch.softmax(i.a, 1)
    t.add("softmax_small", "softmax", small, along, **on_purpose.FLUSHED, dim=1)
    along = lambda i: torch.log_softmax(i.a, 1)
    t.add("log_softmax_small", "log_softmax", small, along, dim=1)


def corrections(t):
    """Variances with the divisor n - correction, for n = 4 and for few."""
    for op in ("var", "std"):
        for correction in (0, 3, 4, 5):
            more = {"correction": correction}
            if op == "std":
                more.update(on_purpose.std(correction))
            elif correction > 4:
                more.update(on_purpose.NO_FREEDOM)
            along = lambda i, op=op, c=correction: getattr(i.a, op)(dim=1, correction=c)
            t.add(f"{op}_{correction}", op, of_rows, along, **more, dim=1)
        for correction in (1, 2):
            for n in (0, 1):
                more = {"correction": correction}
                if op == "var" and correction > n > 0:
                    more.update(on_purpose.NO_FREEDOM)
                few = lambda n=n: {"a": torch.full((2, n), 1.5)}
                along = lambda i, op=op, c=correction: getattr(i.a, op)(
                    dim=1, correction=c
                )
                t.add(f"{op}_{correction}_of_{n}", op, few, along, **more, dim=1)


def sizes(t):
    """Over nothing and over one element."""
    for op, f in REDUCTIONS.items():
        one = lambda: {"a": torch.tensor([[0.5], [0.0], [-INF], [NAN]])}
        more = ON_PURPOSE.get(op, {})
        t.add(f"{op}_one", op, one, lambda i, f=f: f(i.a, 1), **more, dim=1)
        outer = lambda: {"a": torch.empty(0, 3)}
        t.add(f"{op}_of_no_rows", op, outer, lambda i, f=f: f(i.a, 1), dim=1)
        if op != "var":  # whose gradient is infinite in PyTorch 1.13, NaN in newer ones
            scalar = lambda: {"a": torch.tensor(-1.5)}
            t.add(f"{op}_scalar", op, scalar, lambda i, f=f: f(i.a, 0), dim=0)
        if op not in ("max", "min", "amax", "amin"):
            inner = lambda: {"a": torch.empty(2, 0)}
            t.add(f"{op}_of_nothing", op, inner, lambda i, f=f: f(i.a, 1), dim=1)


def losses(t):
    targets = torch.arange(len(rows())) % 4
    targets[:2] = -100
    scores = lambda: {**of_rows(), "target": targets}
    ignored = lambda: {"a": torch.zeros(2, 3), "target": torch.tensor([-100, -100])}
    whole = lambda: torch.empty(0, dtype=torch.int64)
    no_scores = lambda: {"a": torch.empty(0, 3), "target": whole()}
    ties = lambda: pairs(*2 * [torch.tensor([0.0, -0.0, 1.0, 1.0, -2.0])])
    nothing = lambda: {"a": torch.empty(0, 2), "b": torch.empty(0, 2)}
    for kind in ("mean", "sum", "none"):
        for op in ("mse_loss", "l1_loss"):
            loss = lambda i, f=getattr(F, op), kind=kind: f(i.a, i.b, reduction=kind)
            t.add(f"{op}_{kind}", op, ties, loss, reduction=kind)
            t.add(f"{op}_{kind}_of_nothing", op, nothing, loss, reduction=kind)
        for smoothing in (0.0, 0.1):
            cross = lambda i, k=kind, s=smoothing: F.cross_entropy(
                i.a, i.target, reduction=k, label_smoothing=s
            )
            options = {"reduction": kind, "label_smoothing": smoothing}
            name = f"cross_entropy_{kind}_{smoothing}"
            t.add(name, "cross_entropy", scores, cross, **options)
            t.add(name + "_ignored", "cross_entropy", ignored, cross, **options)
            t.add(name + "_of_nothing", "cross_entropy", no_scores, cross, **options)
        nll = lambda i, k=kind: F.nll_loss(
            torch.log_softmax(i.a, 1), i.target, reduction=k
        )
        t.add(f"nll_loss_{kind}", "nll_loss", scores, nll, reduction=kind)
        t.add(f"nll_loss_{kind}_ignored", "nll_loss", ignored, nll, reduction=kind)
        t.add(f"nll_loss_{kind}_of_nothing", "nll_loss", no_scores, nll, reduction=kind)
    square = lambda i: F.mse_loss(i.a, i.b, reduction="none")
    t.add("mse_loss_every", "mse_loss", pairs, square, reduction="none")
    distance = lambda i: F.l1_loss(i.a, i.b, reduction="none")
    more = on_purpose.NAN_SLOPE
    t.add("l1_loss_every", "l1_loss", pairs, distance, **more, reduction="none")


def add_case(cases, dtype, row):
    case, op, inputs, compute, under, instead, note, atol, attributes = row
    given = inputs()
    outputs = lambda i: named(compute(SimpleNamespace(**i)))
    y = outputs(given)["y"]
    if under is None:
        up = torch.rand(y.shape, generator=generator_for("edges_" + case)) + 0.5
    else:
        up = torch.full(y.shape, under)
    found = differentiated(outputs, given, {"y": up})
    if instead:
        changes = instead(SimpleNamespace(**given), y, up)
        for name, (where, value) in changes.items():
            where = torch.as_tensor(where).broadcast_to(found[name].shape)
            value = torch.as_tensor(value, dtype=found[name].dtype)
            found[name] = torch.where(where, value, found[name])
    tensors = {"in." + k: v for k, v in given.items()}
    tensors.update({"up.y": up, **found})
    tolerance = (RTOL[dtype], atol or ATOL[dtype])
    attributes = {"op": op, **attributes}
    cases.add("edges_" + case, "edges", dtype, tensors, attributes, tolerance, notes=note)


def add_to(cases):
    table = Table()
    for family in (elementwise, powers, reductions, corrections, sizes, losses):
        family(table)
    for dtype in DTYPES:
        with default_dtype(dtype):
            for row in table.rows:
                add_case(cases, dtype, row)
