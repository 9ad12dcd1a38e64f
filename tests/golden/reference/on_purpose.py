"""Where heed differs from PyTorch on purpose: `note` and `instead` for edges.Table.add.
instead(inputs, values, their gradient) gives, by the name of a tensor, where it differs
and what stands there."""
import math

import torch

INF, NAN = math.inf, math.nan


def differs(note, instead):
    return {"note": note, "instead": instead}


def reduced(a, y):
    """The dimension of `a` along which y was made."""
    return 0 if y.shape == a.shape[1:] else 1


def tiny(x):
    return torch.finfo(x.dtype).tiny


# --- NaN

NAN_SLOPE = differs(
    "the slope at NaN is NaN, PyTorch has 0",
    lambda i, y, up: {"grad.in." + name: (y.isnan(), NAN) for name in vars(i)},
)
NAN_BOUND = differs(
    "a bound of NaN makes every element NaN, as in newer versions of PyTorch",
    lambda i, y, up: {"out.y": (True, NAN)},
)


def shared_extreme(i, y, up):
    dim = reduced(i.a, y)
    y, up = y.unsqueeze(dim), up.unsqueeze(dim)
    hit = (i.a == y) | (i.a.isnan() & y.isnan())
    share = up / hit.sum(dim, keepdim=True)
    wanted = torch.where(hit, share, torch.zeros_like(share))
    return {"grad.in.a": (y.isnan() | ~up.isfinite(), wanted)}


SHARED_EXTREME = differs(
    "selects, and NaN share; PyTorch multiplies by where a equals y", shared_extreme
)

# --- zero

POWER = differs(
    "multiplies by 0 where b is 0, and so has a derivative by b; PyTorch selects. The "
    "largest float64 to the power 1 is infinite in PyTorch 1.13",
    lambda i, y, up: {"grad.in.a": (i.b == 0, up * 0), "out.y": (i.b == 1, i.a)},
)


def without_freedom(i, y, up):
    distance = i.a - i.a.mean(1, keepdim=True)
    return {"grad.in.a": (True, up.unsqueeze(1) * distance * INF)}


NO_FREEDOM = differs(
    "divides by max(0, n - correction) in the gradient as in the value", without_freedom
)

# --- the largest and the smallest numbers

LARGEST_LOG1P = differs(
    "PyTorch 1.13 has infinity for the largest",
    lambda i, y, up: {"out.y": (i.a == torch.finfo(y.dtype).max, i.a.log())},
)


def norm_of_doubles(i, y, up):
    dim = reduced(i.a, y)
    root = torch.linalg.vector_norm(i.a.double(), 2, dim).to(y.dtype)
    where = (root != y) & ~y.isnan()
    slope = up.unsqueeze(dim) * (i.a / root.unsqueeze(dim))
    return {"out.y": (where, root), "grad.in.a": (where.unsqueeze(dim), slope)}


NORM = differs(
    "the squares are added in double, PyTorch has them in the dtype", norm_of_doubles
)


def std(correction):
    def instead(i, y, up):
        dim = reduced(i.a, y)
        y, up = y.unsqueeze(dim), up.unsqueeze(dim)
        distance = i.a - i.a.mean(dim, keepdim=True)
        freedom = max(0, i.a.shape[dim] - correction)
        where = ((0 < y) & (y < tiny(y))) | (y == INF)
        return {"grad.in.a": (where, up * (distance / y / freedom))}

    note = "divides by the root first: PyTorch's g / y overflows where y is denormal"
    return differs(note, instead)


FLUSHED = differs(
    "what is below the smallest normal number is 0: it would slow down every product",
    lambda i, y, up: {name: (y < tiny(y), 0.0) for name in ("out.y", "grad.in.a")},
)
