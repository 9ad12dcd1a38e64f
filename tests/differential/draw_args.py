"""How the inputs and arguments of each op are drawn: functions that take a Drawer
(draw.py) and return both by name. What they draw fits, except a share that d.wrong()
spoils."""

import math


def value(d):
    return {"a": d.value()}


def positive(d):
    return {"a": d.positive()}


def value_and(**arguments):
    return lambda d: {"a": d.value(), **arguments}


def value_and_number(d):
    return {"a": d.value(), "b": d.number()}


def clamp(d):
    low, high = sorted([d.number(), d.number()])
    if d.chance(0.1):
        low, high = high, low
    missing = d.choice(["", "", "low", "high"])
    return {
        "a": d.value(),
        "min": None if missing == "low" else low,
        "max": None if missing == "high" else high,
    }


# --- pairs


def pair(d):
    a = d.value()
    a, b = d.shuffled([a, d.partner(d.shape(a))])
    return {"a": a, "b": b}


def powers(d):
    a = d.positive()
    return {"a": a, "b": d.partner(d.shape(a))}


def power_of_number(d):
    exponents = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
    exponent = d.choice(exponents)
    whole = exponent >= 0 and exponent == int(exponent)
    return {"a": d.value() if whole else d.positive(), "exponent": exponent}


def exponential(d):
    return {"b": d.value(), "base": d.choice([0.0, 0.5, 1.0, 2.0, 2.5])}


def one_mask(d):
    return {"a": d.mask(d.new_shape())}


def masks(d):
    shape = d.new_shape()
    return {"a": d.mask(shape), "b": d.mask(d.repeated(shape))}


# --- choosing


def where(d):
    a = d.value()
    return {"cond": d.mask(d.repeated(d.shape(a))), "a": a, "b": d.partner(d.shape(a))}


def where_number(d):
    a = d.value()
    return {"cond": d.mask(d.repeated(d.shape(a))), "a": a, "b": d.number()}


def number_where(d):
    b = d.value()
    return {"cond": d.mask(d.repeated(d.shape(b))), "a": d.number(), "b": b}


def masked_fill(d):
    a = d.value()
    return {"a": a, "mask": d.mask(d.repeated(d.shape(a))), "value": d.number()}


# --- one dimension, or some


def along(d):
    a = d.value()
    return {"a": a, "dim": d.dim(a)}


def over_one(d):
    return {**along(d), "keepdim": d.flag()}


def over_some(d):
    a = d.value()
    return {"a": a, "dim": d.dims(a), "keepdim": d.flag()}


def spread(d):
    return {**over_some(d), "correction": d.choice([0, 1, 1, 1, 2])}


def sum_to(d):
    a = d.value()
    return {"a": a, "shape": d.repeated(d.shape(a))}


def sort(d):
    return {**along(d), "descending": d.flag()}


def topk(d):
    a = d.value()
    dim = d.dim(a)
    k = d.integer(0, d.size(a, dim) + d.wrong())
    return {"a": a, "k": k, "dim": dim, "largest": d.flag()}


# --- products


def matmul(d):
    a = d.value(lambda shape: len(shape) >= 1)
    shape = d.shape(a)
    inner = shape[-1] + d.wrong()
    if d.chance(0.25):
        return {"a": a, "b": d.fitting((inner,))}
    batch = d.repeated(shape[:-2]) if d.flag() else ()
    return {"a": a, "b": d.fitting((*batch, inner, d.new_size()))}


def bmm(d):
    a = d.value(lambda shape: len(shape) == 3)
    batch, _, inner = d.shape(a)
    return {"a": a, "b": d.fitting((batch, inner + d.wrong(), d.new_size()))}


def outer(d):
    vector = lambda shape: len(shape) == 1 or d.wrong()
    return {"a": d.value(vector), "b": d.value(vector)}


def linear_plain(d):
    a = d.value(lambda shape: len(shape) >= 1)
    return {"a": a, "w": d.fitting((d.new_size(), d.shape(a)[-1] + d.wrong()))}


def linear(d):
    found = linear_plain(d)
    return {**found, "b": d.fitting((d.shape(found["w"])[0],))}


# --- views


def reshape(d):
    a = d.value()
    shape = d.factors(math.prod(d.shape(a)))
    if shape and 0 not in shape and d.chance(0.3):
        shape[d.integer(0, len(shape) - 1)] = -1
    if d.wrong():
        shape = [*shape, 2]
    return {"a": a, "shape": tuple(shape)}


def flatten(d):
    a = d.value()
    rank = max(len(d.shape(a)), 1)
    start, end = sorted([d.integer(0, rank - 1), d.integer(0, rank - 1)])
    if d.wrong():
        start, end = end, start
    return {"a": a, "start": start, "end": d.signed(end, rank)}


def transpose(d):
    a = d.value()
    return {"a": a, "dims": (d.dim(a), d.dim(a))}


def permute(d):
    a = d.value()
    rank = len(d.shape(a))
    dims = d.shuffled(range(rank))
    if rank and d.wrong():
        dims[0] = dims[-1]
    return {"a": a, "dims": tuple(d.signed(dim, rank) for dim in dims)}


def expand(d):
    a = d.value(lambda shape: len(shape) < 4)
    shape = [d.new_size() if size == 1 else size for size in d.shape(a)]
    if shape and d.chance(0.2):
        shape[-1] = -1
    if d.wrong():
        shape = [*shape, 2]
    return {"a": a, "shape": tuple([d.new_size()] * d.flag() + shape)}


def unsqueeze(d):
    a = d.value(lambda shape: len(shape) < 4)
    rank = len(d.shape(a)) + 1
    return {"a": a, "dim": d.signed(d.integer(0, rank - 1), rank)}


def slice(d):
    a = d.ranked()
    return {
        "a": a,
        "dim": d.dim(a),
        "start": d.integer(-4, 4),
        "end": d.choice([d.integer(-4, 8), 9223372036854775807]),
        "step": d.integer(1 - d.wrong(), 3),
    }


def select(d):
    a = d.ranked()
    dim = d.dim(a)
    size = d.size(a, dim)
    index = d.signed(d.integer(0, max(size - 1, 0)), size)
    return {"a": a, "dim": dim, "index": size if d.wrong() else index}


def split(d):
    a = d.ranked()
    return {"a": a, "size": d.integer(1 - d.wrong(), 4), "dim": d.dim(a)}


def split_with_sizes(d):
    a = d.ranked()
    dim = d.dim(a)
    rest, sizes = d.size(a, dim), []
    while rest or not sizes:
        sizes.append(d.integer(0, rest))
        rest -= sizes[-1]
    return {"a": a, "sizes": tuple(sizes + [1] * d.wrong()), "dim": dim}


def chunk(d):
    a = d.ranked()
    return {"a": a, "chunks": d.integer(1 - d.wrong(), 4), "dim": d.dim(a)}


# --- joining


def cat(d, count):
    a = d.ranked()
    dim = d.dim(a)
    parts = [a]
    while len(parts) < count:
        shape = list(d.shape(a))
        if -len(shape) <= dim < len(shape):
            shape[dim] = d.new_size()
        parts.append(d.fitting(shape))
    return {**dict(zip("abc", d.shuffled(parts))), "dim": dim}


def cat_2(d):
    return cat(d, 2)


def cat_3(d):
    return cat(d, 3)


def stack(d, count):
    a = d.value(lambda shape: len(shape) < 4)
    rank = len(d.shape(a)) + 1
    parts = [a] + [d.fitting(d.shape(a)) for _ in range(count - 1)]
    dim = d.signed(d.integer(0, rank - 1), rank)
    return {**dict(zip("abc", parts)), "dim": dim + rank * d.wrong()}


def stack_2(d):
    return stack(d, 2)


def stack_3(d):
    return stack(d, 3)


def repeat(d):
    a = d.value()
    repeats = [d.integer(0 - d.wrong(), 2) for _ in d.shape(a)]
    if len(repeats) < 4 and d.flag():
        repeats.insert(0, d.integer(1, 3))
    return {"a": a, "repeats": tuple(repeats)}


def interleave(d):
    return {"a": d.value(), "repeats": d.integer(0 - d.wrong(), 3)}


def interleave_dim(d):
    a = d.ranked()
    return {"a": a, "repeats": d.integer(0 - d.wrong(), 3), "dim": d.dim(a)}


def interleave_counts(d):
    a = d.ranked()
    dim = d.dim(a)
    counts = d.whole((d.size(a, dim) + d.wrong(),), 3)
    return {"a": a, "repeats": counts, "dim": dim}


def roll(d):
    a = d.ranked()
    return {"a": a, "shift": d.integer(-7, 8), "dim": d.dim(a)}


def flip(d):
    a = d.value()
    return {"a": a, "dim": d.dims(a) if d.shape(a) else ()}


# --- indexing


def index_select(d):
    a = d.ranked()
    dim = d.dim(a)
    return {"a": a, "dim": dim, "index": d.whole((d.new_size(),), d.size(a, dim))}


def gather(d):
    a = d.ranked()
    dim = d.dim(a)
    shape = [d.integer(1, size) if size else 0 for size in d.shape(a)]
    shape[dim % len(shape)] = d.new_size()
    return {"a": a, "dim": dim, "index": d.whole(shape, d.size(a, dim), spread=True)}


def masked_select(d):
    a = d.value()
    return {"a": a, "mask": d.mask(d.repeated(d.shape(a)))}


def index_add(d):
    a = d.ranked()
    dim = d.dim(a)
    shape = list(d.shape(a))
    shape[dim % len(shape)] = size = d.new_size()
    index = d.whole((d.size(a, dim) + d.wrong(),), size)
    return {"a": a, "dim": dim, "index": index, "shape": tuple(shape)}


def scatter_add(d):
    a = d.ranked()
    dim = d.dim(a)
    shape = [size + d.integer(0, 1) for size in d.shape(a)]
    shape[dim % len(shape)] = size = d.new_size()
    index = d.whole(d.shape(a), size, spread=True)
    return {"a": a, "dim": dim, "index": index, "shape": tuple(shape)}


def masked_scatter(d):
    a = d.value(lambda shape: len(shape) == 1)
    mask, shape = d.mask_of(d.size(a, 0) + d.wrong())
    return {"a": a, "mask": mask, "shape": shape}


def slice_scatter(d):
    a = d.ranked()
    dim = d.dim(a)
    shape, start, step = list(d.shape(a)), d.integer(0, 2), d.integer(1, 3)
    need = start + max(d.size(a, dim) - 1, 0) * step + 1
    shape[dim % len(shape)] = need if d.size(a, dim) else start
    return {"a": a, "shape": tuple(shape), "dim": dim, "start": start, "step": step}


def select_scatter(d):
    a = d.value(lambda shape: len(shape) < 4)
    rank = len(d.shape(a)) + 1
    dim, size = d.integer(0, rank - 1), d.new_size() or 1
    shape = list(d.shape(a))
    shape.insert(dim, size)
    index = d.signed(d.integer(0, size - 1), size)
    return {
        "a": a,
        "shape": tuple(shape),
        "dim": d.signed(dim, rank),
        "index": size if d.wrong() else index,
    }


def triangle(d):
    a = d.value(lambda shape: len(shape) >= 2 or d.wrong())
    return {"a": a, "diagonal": d.integer(-2, 2)}


def matrix(d):
    return {"a": d.value(lambda shape: len(shape) == 2)}
