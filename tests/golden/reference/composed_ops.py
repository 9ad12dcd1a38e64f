"""Rows of the table of ops: those that heed puts together of others (autograd/composed.h and
tensor/reduce/counting.h)."""
import math

import torch
import torch.nn.functional as F

NAN, INF = math.nan, math.inf


def a_of(*shape):
    return lambda d: {"a": d.normal(*shape)}


def ab_of(a, b):
    return lambda d: {"a": d.normal(*a), "b": d.normal(*b)}


def numbers(*a):
    return lambda d: {"a": torch.tensor(a)}


def tied(*shape):
    return lambda d: {"a": d.tied(*shape)}


def products(t):
    t.add("mm", "mm", ab_of((2, 3), (3, 4)), lambda i: torch.mm(i.a, i.b))
    t.add("mv", "mv", ab_of((2, 3), (3,)), lambda i: torch.mv(i.a, i.b))
    t.add("dot", "dot", ab_of((3,), (3,)), lambda i: torch.dot(i.a, i.b))
    three = lambda d: {"a": d.normal(2, 3), "b": d.normal(3, 4), "c": d.normal(4)}
    for beta, alpha in [(1, 1), (0.5, 2)]:
        f = lambda i, s=(beta, alpha): torch.addmm(i.c, i.a, i.b, beta=s[0], alpha=s[1])
        t.add(f"addmm_{beta}", "addmm", three, f, beta=beta, alpha=alpha)
    t.add("trace", "trace", a_of(3, 4), lambda i: torch.trace(i.a))
    for shape in [(3,), (3, 4)]:
        for k in (0, 1, -2):
            f = lambda i, k=k: torch.diag(i.a, k)
            t.add(f"diag_{len(shape)}d_{k}", "diag", a_of(*shape), f, diagonal=k)
    t.add("cdist", "cdist", ab_of((3, 4), (5, 4)), lambda i: torch.cdist(i.a, i.b))
    same = lambda d: {"a": torch.ones(2, 2), "b": torch.tensor([[1.0, 1.0], [1.0, 2.0]])}
    t.add("cdist_equal", "cdist", same, lambda i: torch.cdist(i.a, i.b))
    batch = ab_of((2, 3, 4), (2, 1, 4))
    t.add("cdist_batch", "cdist", batch, lambda i: torch.cdist(i.a, i.b))
    t.add("dist", "dist", ab_of((3, 4), (4,)), lambda i: torch.dist(i.a, i.b))


def shapes(t):
    for name, a, b in [("0d", (), ()), ("1d", (2,), (3,)), ("2d", (2, 1), (2, 3))]:
        t.add("hstack_" + name, "hstack", ab_of(a, b), lambda i: torch.hstack((i.a, i.b)))
    for name, a, b in [("0d", (), ()), ("1d", (3,), (3,)), ("2d", (1, 3), (2, 3))]:
        t.add("vstack_" + name, "vstack", ab_of(a, b), lambda i: torch.vstack((i.a, i.b)))
    both = ("y0", "y1")
    parts = lambda i: dict(zip(both, torch.unbind(i.a, -1)))
    t.add("unbind", "unbind", a_of(3, 2), parts, up=both, dim=-1)
    for repeats in ([2], [2, 1, 3]):
        f = lambda i, r=repeats: torch.tile(i.a, r)
        t.add(f"tile_{len(repeats)}", "tile", a_of(2, 3), f, repeats=repeats)
    for source, destination in [([0], [2]), ([0, 1], [-1, 0])]:
        f = lambda i, s=source, d=destination: torch.movedim(i.a, s, d)
        options = {"source": source, "destination": destination}
        t.add(f"movedim_{len(source)}", "movedim", a_of(2, 3, 4), f, **options)
    swapped = lambda i: torch.swapaxes(i.a, 0, -1)
    t.add("swapaxes", "swapaxes", a_of(2, 3, 4), swapped, dims=[0, -1])
    split = lambda i: i.a.unflatten(-1, (2, -1))
    t.add("unflatten", "unflatten", a_of(2, 6), split, dim=-1, shape=[2, -1])
    part = lambda i: torch.narrow(i.a, 1, -3, 2)
    t.add("narrow", "narrow", a_of(2, 4), part, dim=1, start=-3, length=2)
    t.add("ravel", "ravel", a_of(2, 3), lambda i: torch.ravel(i.a))
    wide = lambda i: torch.broadcast_to(i.a, (2, 3))
    t.add("broadcast_to", "broadcast_to", a_of(2, 1), wide, shape=[2, 3])
    t.add("fliplr", "fliplr", a_of(2, 3), lambda i: torch.fliplr(i.a))
    t.add("flipud", "flipud", a_of(2, 3), lambda i: torch.flipud(i.a))
    t.add("roll_flat", "roll_flat", a_of(2, 3), lambda i: torch.roll(i.a, -2), shift=-2)


def elementwise(t):
    pair = ab_of((2, 3), (3,))
    for op in ("add", "sub"):
        f = lambda i, op=op: getattr(torch, op)(i.a, i.b, alpha=2.5)
        t.add(op + "_alpha", op + "_function", pair, f, alpha=2.5)
    for op in ("mul", "div"):
        f = lambda i, op=op: getattr(torch, op)(i.a, i.b)
        t.add(op + "_function", op + "_function", pair, f)
    ties = lambda d: {"a": d.tied(2, 3), "b": d.tied(3)}
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        f = lambda i, op=op: getattr(torch, op)(i.a, i.b)
        t.add(op, op, ties, f, up=())
    three = lambda d: {"a": d.normal(2, 3), "b": d.normal(3), "c": d.uniform(0, 1, 2, 1)}
    scaled = lambda i: torch.addcmul(i.a, i.b, i.c, value=0.5)
    t.add("addcmul", "addcmul", three, scaled, value=0.5)
    for weight in (0.25, 0.75, 1.0):
        f = lambda i, w=weight: torch.lerp(i.a, i.b, w)
        t.add(f"lerp_{weight}", "lerp", ab_of((2, 3), (2, 3)), f, weight=weight)
    t.add("lerp_tensor", "lerp", three, lambda i: torch.lerp(i.a, i.b, i.c))
    special = numbers(0.0, 1.0, 8.0, 1000.0, 0.3, INF, NAN, -1.0)
    for op in ("log2", "log10"):
        t.add(op, op, special, lambda i, op=op: getattr(torch, op)(i.a))
    t.add("exp2", "exp2", numbers(0.0, 3.0, -1.5, -INF), lambda i: torch.exp2(i.a))
    t.add("tan", "tan", a_of(2, 3), lambda i: torch.tan(i.a))
    cut = numbers(-1.5, -0.5, 0.0, 1.7, INF, -INF)
    t.add("trunc", "trunc", cut, lambda i: torch.trunc(i.a))
    for decimals in (2, -1):
        f = lambda i, n=decimals: torch.round(30 * i.a, decimals=n)
        t.add(f"round_{decimals}", "round_to", a_of(2, 3), f, decimals=decimals)
    cells = numbers(NAN, INF, -INF, 1.5)
    t.add("nan_to_num", "nan_to_num", cells, lambda i: torch.nan_to_num(i.a))
    given = lambda i: torch.nan_to_num(i.a, 7.0, 8.0, 9.0)
    options = {"nan": 7.0, "posinf": 8.0, "neginf": 9.0}
    t.add("nan_to_num_given", "nan_to_num", cells, given, **options)
    t.add("clip", "clip", a_of(2, 3), lambda i: torch.clip(i.a, -0.5), min=-0.5)


def reductions(t):
    nonzero = lambda i: torch.count_nonzero(i.a, 1)
    t.add("count_nonzero", "count_nonzero", tied(3, 4), nonzero, up=(), dim=1)
    some = ("y0", "y1")
    for op in ("std_mean", "var_mean"):
        f = lambda i, op=op: dict(zip(some, getattr(torch, op)(i.a, -1, keepdim=True)))
        t.add(op, op, a_of(2, 3), f, up=some, dim=-1, keepdim=True)
    # torch.aminmax of 1.13 has no derivative.
    ends = lambda i: {"y0": torch.amin(i.a), "y1": torch.amax(i.a)}
    t.add("aminmax", "aminmax", tied(2, 5), ends, up=some)
    ends = lambda i: {"y0": i.a.amin(1, True), "y1": i.a.amax(1, True)}
    t.add("aminmax_dim", "aminmax", tied(2, 5), ends, up=some, dim=1, keepdim=True)
    holes = lambda d: {"a": torch.tensor([[1.0, NAN, 3.0], [NAN, NAN, NAN]])}
    gaps = lambda d: {"a": torch.tensor([[1.0, NAN, 3.0], [NAN, 2.0, 5.0]])}
    for op in ("nansum", "nanmean"):
        t.add(op, op, holes, lambda i, op=op: getattr(torch, op)(i.a))
        f = lambda i, op=op: getattr(torch, op)(i.a, 1, keepdim=True)
        # Of a row of NaN the gradient of nanmean is NaN in PyTorch, here 0.
        t.add(op + "_dim", op, gaps, f, dim=1, keepdim=True)
    for name, inputs in [("", a_of(2, 4)), ("_ties", tied(3, 3)), ("_nan", holes)]:
        t.add("median" + name, "median", inputs, lambda i: torch.median(i.a))
    t.add("median_empty", "median", a_of(0), lambda i: torch.median(i.a), up=())
    for name, inputs in [("", a_of(4, 3)), ("_nan", holes)]:
        f = lambda i: tuple(torch.median(i.a, 0, keepdim=True))
        t.add("median_dim" + name, "median", inputs, f, dim=0, keepdim=True)
    third = lambda i: tuple(torch.kthvalue(i.a, 3, 1))
    t.add("kthvalue", "kthvalue", a_of(2, 5), third, k=3, dim=1)
    t.add("kthvalue_nan", "kthvalue", gaps, lambda i: torch.kthvalue(i.a, 3)[0], k=3)
    for q in (0.0, 0.3, 1.0):
        f = lambda i, q=q: torch.quantile(i.a, q)
        t.add(f"quantile_{q}", "quantile", a_of(2, 4), f, q=q)
    f = lambda i: torch.quantile(i.a, 0.4, 0, keepdim=True)
    t.add("quantile_dim", "quantile", a_of(4, 3), f, q=0.4, dim=0, keepdim=True)
    t.add("quantile_nan", "quantile", holes, lambda i: torch.quantile(i.a, 0.4, 1), q=0.4, dim=1)
    several = lambda d: {"a": d.normal(3, 4), "qs": torch.tensor([0.25, 0.6])}
    f = lambda i: torch.quantile(i.a, i.qs.detach(), 1)
    t.add("quantile_several", "quantile", several, f, dim=1)
    f = lambda i: torch.quantile(i.a, i.qs.detach(), keepdim=True)
    t.add("quantile_several_all", "quantile", several, f, keepdim=True)
    for name, inputs in [
        ("", a_of(2, 5)),
        ("_zero", lambda d: {"a": torch.tensor([[2.0, 0.0, 3.0, 4.0], [0.0, 2.0, 0.0, 5.0]])}),
    ]:
        t.add("cumprod" + name, "cumprod", inputs, lambda i: torch.cumprod(i.a, -1), dim=-1)
    falls = lambda d: {"a": torch.tensor([[1.0, 3.0, 3.0, 2.0, NAN, 4.0], [5.0, 4.0, 4.0, 6.0, 0.0, 1.0]])}
    for op in ("cummax", "cummin"):
        f = lambda i, op=op: tuple(getattr(torch, op)(i.a, 1))
        t.add(op, op, falls, f, dim=1)
    for n, dim in [(1, -1), (2, 0), (4, 0)]:
        f = lambda i, n=n, dim=dim: torch.diff(i.a, n, dim)
        t.add(f"diff_{n}", "diff", a_of(3, 4), f, n=n, dim=dim)
    t.add("diff_bool", "diff", lambda d: {"a": d.chance(0.5, 6)}, lambda i: torch.diff(i.a), up=())


def indexing(t):
    index = torch.tensor([[0, 2], [3, 1]])
    spread = lambda d: {"a": d.normal(3, 4), "index": index}
    put = lambda i: torch.scatter(i.a, 1, i.index, 1.5)
    t.add("scatter_value", "scatter", spread, put, dim=1, value=1.5)
    with_source = lambda d: {"a": d.normal(3, 4), "index": index, "src": d.normal(2, 3)}
    for op in ("scatter", "scatter_add"):
        f = lambda i, op=op: getattr(torch, op)(i.a, -1, i.index, i.src[:2, :2])
        t.add(op + "_source", op + "_source", with_source, f, dim=-1)
    rows = lambda d: {"a": d.normal(3, 2), "index": torch.tensor([0, 2, 0]), "src": d.normal(3, 2)}
    for alpha in (1, -2):
        f = lambda i, alpha=alpha: torch.index_add(i.a, 0, i.index, i.src, alpha=alpha)
        t.add(f"index_add_{alpha}", "index_add_source", rows, f, dim=0, alpha=alpha)
    some = lambda d: {"a": d.normal(3, 4), "index": torch.tensor([[0, -1], [5, 5]])}
    t.add("take", "take", some, lambda i: torch.take(i.a, i.index))
    sorting = lambda d: {"a": d.normal(3, 4), "index": torch.tensor([[1, 1, 3]])}
    f = lambda i: torch.take_along_dim(i.a, i.index, 1)
    t.add("take_along_dim", "take_along_dim", sorting, f, dim=1)
    t.add("take_along_dim_flat", "take_along_dim", sorting, lambda i: torch.take_along_dim(i.a, i.index))
    for op in ("tril_indices", "triu_indices"):
        f = lambda i, op=op: getattr(torch, op)(3, 4, 1)
        t.add(op, op, lambda d: {}, f, up=(), rows=3, columns=4, offset=1)
    t.add("cartesian_prod", "cartesian_prod", ab_of((2,), (3,)), lambda i: torch.cartesian_prod(i.a, i.b))


def counting(t):
    for name, inputs in [("", tied(3, 4)), ("_whole", lambda d: {"a": d.whole(4, 7)}), ("_empty", a_of(0))]:
        f = lambda i: dict(zip(("y", "inverse", "counts"), torch.unique(i.a, return_inverse=True, return_counts=True)))
        t.add("unique" + name, "unique", inputs, f, up=())
    t.add("bincount", "bincount", lambda d: {"a": d.whole(5, 9)}, lambda i: torch.bincount(i.a), up=())
    nothing = lambda d: {"a": d.whole(5, 0)}
    t.add("bincount_empty", "bincount", nothing, lambda i: torch.bincount(i.a, minlength=3), up=(), minlength=3)
    weighted = lambda d: {"a": d.whole(5, 9), "weights": d.normal(9)}
    t.add("bincount_weights", "bincount", weighted, lambda i: torch.bincount(i.a, i.weights, 7), up=(), minlength=7)
    t.add("histc", "histc", a_of(20), lambda i: torch.histc(i.a, 5), up=(), bins=5)
    t.add("histc_range", "histc", a_of(20), lambda i: torch.histc(i.a, 4, -1, 1), up=(), bins=4, min=-1, max=1)
    t.add("histc_equal", "histc", numbers(2.0, 2.0), lambda i: torch.histc(i.a, 4), up=(), bins=4)
    bounds = lambda d: {"a": torch.tensor([1.0, 2.0, 2.0, 4.0]), "b": torch.tensor([[0.0, 1.0, 2.0], [3.0, 9.0, NAN]])}
    for right in (False, True):
        f = lambda i, right=right: torch.searchsorted(i.a, i.b, right=right)
        t.add(f"searchsorted_{right}", "searchsorted", bounds, f, up=(), right=right)
        f = lambda i, right=right: torch.bucketize(i.b, i.a, right=right)
        t.add(f"bucketize_{right}", "bucketize", bounds, f, up=(), right=right)
    rows = lambda d: {"a": d.normal(2, 4).sort(-1)[0], "b": d.normal(2, 3)}
    t.add("searchsorted_rows", "searchsorted", rows, lambda i: torch.searchsorted(i.a, i.b), up=())


def layers(t):
    pair = ab_of((2, 3), (2, 3))
    t.add("cosine_similarity", "cosine_similarity", pair, lambda i: F.cosine_similarity(i.a, i.b))
    wide = ab_of((2, 1, 3), (4, 3))
    f = lambda i: F.cosine_similarity(i.a, i.b, -1)
    t.add("cosine_similarity_wide", "cosine_similarity", wide, f, dim=-1)
    for p, dim in [(2, 1), (1, 0), (3, -1)]:
        f = lambda i, p=p, dim=dim: F.normalize(i.a, p, dim)
        t.add(f"normalize_{p}", "normalize", a_of(2, 3), f, p=p, dim=dim)
    zero = lambda d: {"a": torch.tensor([[0.0, 0.0], [3.0, 4.0]])}
    t.add("normalize_zero", "normalize", zero, lambda i: F.normalize(i.a))
    for name, pads in [("last", [0, 2]), ("both", [1, 1, 2, 0]), ("cut", [-1, 1, 0, -1])]:
        f = lambda i, pads=pads: F.pad(i.a, pads, value=-2.0)
        t.add("pad_" + name, "pad", a_of(2, 3), f, pads=pads, value=-2.0)


def more(t):
    three = lambda d: {"a": d.normal(2, 3), "b": d.normal(3), "c": d.uniform(1, 2, 2, 1)}
    t.add("addcdiv", "addcdiv", three, lambda i: torch.addcdiv(i.a, i.b, i.c, value=0.5), value=0.5)
    batch = lambda d: {"a": d.normal(2, 3, 4), "b": d.normal(2, 4, 2), "c": d.normal(2, 3, 2)}
    f = lambda i: torch.baddbmm(i.c, i.a, i.b, beta=0.5, alpha=2)
    t.add("baddbmm", "baddbmm", batch, f, beta=0.5, alpha=2)
    t.add("cdist_p", "cdist_p", ab_of((3, 4), (5, 4)), lambda i: torch.cdist(i.a, i.b, 1.0), p=1.0)
    t.add("corrcoef", "corrcoef", a_of(3, 6), lambda i: torch.corrcoef(i.a))
    t.add("cov", "cov", a_of(3, 6), lambda i: torch.cov(i.a, correction=0), correction=0)
    for name, equation, shapes in [
        ("", "bqd,bkd->bkq", [(2, 3, 4), (2, 5, 4)]),
        ("_three", "ij,jk,k", [(2, 3), (3, 4), (4,)]),
        ("_one", "abc->ca", [(2, 3, 4)]),
    ]:
        inputs = lambda d, shapes=shapes: {n: d.normal(*s) for n, s in zip("abc", shapes)}
        f = lambda i, e=equation, n=len(shapes): torch.einsum(e, *[getattr(i, x) for x in "abc"[:n]])
        t.add("einsum" + name, "einsum", inputs, f, equation=equation)
    t.add("fmod", "fmod", ab_of((2, 3), (3,)), lambda i: torch.fmod(i.a, i.b))
    places = {"rows": torch.tensor([[0], [-1]]), "columns": torch.tensor([1, 3, 1])}
    t.add("index", "index", lambda d: {"a": d.normal(3, 4, 2), **places}, lambda i: i.a[i.rows, i.columns])
    fill = lambda d: {"a": d.normal(3, 4), "index": torch.tensor([0, 3])}
    f = lambda i: i.a.index_fill(1, i.index, 1.5)
    t.add("index_fill", "index_fill", fill, f, dim=1, value=1.5)
    put = lambda d: {"a": d.normal(3, 4, 2), "src": d.normal(3, 2), **places}
    f = lambda i: i.a.index_put((i.rows, i.columns), i.src, accumulate=True)
    t.add("index_put", "index_put", put, f, accumulate=True)
    t.add("isin", "isin", lambda d: {"a": d.whole(5, 2, 3), "b": d.whole(5, 2)}, lambda i: torch.isin(i.a, i.b), up=())
    same = lambda d: {"a": torch.tensor([1.0, -INF, 90.0, 2.0]), "b": torch.tensor([1.0, 3.0, -90.0, 5.0])}
    t.add("logaddexp", "logaddexp", same, lambda i: torch.logaddexp(i.a, i.b))
    t.add("logit", "logit", lambda d: {"a": d.uniform(0, 1, 2, 3)}, lambda i: torch.logit(i.a, 0.2), eps=0.2)
    f = lambda i: torch.logspace(-1, 2, 5, base=2.0)
    t.add("logspace", "logspace", lambda d: {}, f, up=(), start=-1, end=2, steps=5, base=2.0)


def angles_products_and_shapes(t):
    for op in ("acos", "asin"):
        inside = lambda d: {"a": torch.cat([d.uniform(-0.9, 0.9, 4), torch.tensor([1.0, -1.0])])}
        t.add(op, op, inside, lambda i, op=op: getattr(torch, op)(i.a))
    edges = lambda d: {"a": torch.tensor([0.0, -0.5, 3.0, -9.0, INF, NAN])}
    for op in ("atan", "cosh", "sinh", "frac", "deg2rad", "rad2deg"):
        f = lambda i, op=op: getattr(torch, op)(i.a)
        t.add(op, op, edges if op == "atan" else a_of(2, 3), f)
    corners = lambda d: {
        "a": torch.tensor([0.0, 1.0, -1.0, 2.0]),
        "b": torch.tensor([[-1.0, 0.0, -2.0, 3.0], [1.0, -2.0, 0.0, 0.5]]),
    }
    t.add("atan2", "atan2", corners, lambda i: torch.atan2(i.a, i.b))
    t.add("hypot", "hypot", corners, lambda i: torch.hypot(i.a, i.b))
    for n, shape in ((1, ()), (2, (3,)), (3, (2, 3))):
        f = lambda i, n=n: getattr(torch, f"atleast_{n}d")(i.a)
        t.add(f"atleast_{n}d", f"atleast_{n}d", a_of(*shape), f)
    for r, again in ((2, False), (3, True)):
        f = lambda i, r=r, again=again: torch.combinations(i.a, r, again)
        t.add(f"combinations_{r}", "combinations", a_of(4), f, r=r, with_replacement=again)
    for dim, shape in ((-1, (2, 3)), (0, (3, 2))):
        f = lambda i, dim=dim: torch.cross(i.a, i.b, dim=dim)
        t.add(f"cross_{dim}", "cross", ab_of(shape, shape), f, dim=dim)
    for name, a, b in (("", (2, 3), (2, 2)), ("_ranks", (2,), (3, 1, 2))):
        t.add("kron" + name, "kron", ab_of(a, b), lambda i: torch.kron(i.a, i.b))
    for n in (0, 1, 5):
        f = lambda i, n=n: torch.matrix_power(i.a, n)
        t.add(f"matrix_power_{n}", "matrix_power", a_of(2, 3, 3), f, n=n)
    again = lambda d: {"a": d.normal(2, 2), "index": torch.tensor([2, 0, 1, 3])}
    f = lambda i: torch.repeat_interleave(i.a, i.index)
    t.add("repeat_interleave_flat", "repeat_interleave_flat", again, f)
    for k in (1, 2, -1):
        f = lambda i, k=k: torch.rot90(i.a, k, (1, 2))
        t.add(f"rot90_{k}", "rot90", a_of(2, 3, 4), f, k=k, dims=[1, 2])
    f = lambda i: torch.cat([piece for piece in torch.tensor_split(i.a, 3, 1)], 1)
    t.add("tensor_split", "tensor_split", a_of(2, 7), f, sections=3)
    f = lambda i: torch.tensordot(i.a, i.b, dims=([0, 2], [1, 0]))
    t.add("tensordot", "tensordot", ab_of((2, 3, 4), (4, 2, 5)), f, of_a=[0, 2], of_b=[1, 0])
    t.add("trapezoid", "trapezoid", ab_of((2, 4), (4,)), lambda i: torch.trapezoid(i.a, i.b))


def add_rows(table):
    families = (products, shapes, elementwise, reductions, indexing, counting, layers, more)
    for family in (*families, angles_products_and_shapes):
        family(table)
