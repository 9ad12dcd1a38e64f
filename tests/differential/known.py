"""Where heed and PyTorch differ and heed is to stay as it is, each with its reason.

An entry applies to an op by its row, inputs and arguments, and then to the whole program,
since later numbers follow. With `by_differences` it excuses a program only if finite
differences side with heed.
"""
import math
from dataclasses import dataclass
from typing import Callable

from program import numbers


@dataclass(frozen=True)
class Known:
    rows: tuple
    reason: str
    holds: Callable = lambda inputs, args: True
    by_differences: bool = False

    def applies(self, op, inputs):
        return op["row"] in self.rows and self.holds(inputs, op["args"])


def some(x, condition):
    return any(map(condition, numbers(x["data"])))


def chunked(inputs, args):
    shape, dim = inputs["a"]["shape"], args["dim"]
    return -len(shape) <= dim < len(shape) and shape[dim] == 0


KNOWN = [
    Known(
        ("sign",),
        "sign(NaN) is NaN, so that it does not go unseen; PyTorch's is 0",
        lambda inputs, args: some(inputs["a"], math.isnan),
    ),
    Known(
        ("chunk",),
        "an empty dimension gives one empty piece, as split does; PyTorch gives `chunks`",
        chunked,
    ),
    Known(
        ("embedding",),
        "a negative padding_idx is refused; PyTorch counts it from the end",
        lambda inputs, args: (args["padding_idx"] or 0) < 0,
    ),
    Known(
        ("masked_fill",),
        "the result has x's shape; PyTorch broadcasts x to the mask",
        lambda inputs, args: len(inputs["mask"]["shape"]) > len(inputs["a"]["shape"]),
    ),
]
