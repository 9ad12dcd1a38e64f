"""Where heed and PyTorch differ and heed is to stay as it is, each with its reason.

An entry applies to an op, by its row, inputs and arguments, and then to the whole
program, since later numbers follow from it: to differences in `parts` of the answer, none
of them as small as rounding. With `by_differences` finite differences have the last word:
the entry excuses the program only if they side with heed.
"""

import math
from dataclasses import dataclass
from typing import Callable

from program import numbers

ALL = ("refusal", "values", "backward", "grad", "second")
DERIVATIVES = ("backward", "grad", "second")


@dataclass(frozen=True)
class Known:
    rows: str  # those of the table; none stands for all
    reason: str
    holds: Callable = lambda inputs, args: True
    parts: tuple = ALL
    by_differences: bool = False
    poles: bool = False  # only where neither side has a finite number

    def applies(self, op, inputs):
        return (not self.rows or op["row"] in self.rows.split()) and self.holds(
            inputs, op["args"]
        )


def some(condition, names="a"):
    """Whether one of the numbers of these inputs is such."""
    return lambda inputs, args: any(
        condition(number)
        for name in names
        if name in inputs
        for number in numbers(inputs[name]["data"])
    )


def extreme(number):
    """Whether its square, or a product with it, is beyond what a double holds."""
    return number != number or (number != 0 and not 1e-150 < abs(number) < 1e150)


def zero(number):
    return number == 0


def chunks_nothing(inputs, args):
    shape, dim = inputs["a"]["shape"], args["dim"]
    return -len(shape) <= dim < len(shape) and shape[dim] == 0


def exceeds(inputs, args):
    """Whether the mask has a dimension or a size that a has not."""
    a, mask = inputs["a"]["shape"], inputs["mask"]["shape"]
    wider = any(m != n and m != 1 for m, n in zip(reversed(mask), reversed(a)))
    return len(mask) > len(a) or wider


def on_bound(inputs, args):
    bounds = (args["min"], args["max"])
    return some(lambda number: number in bounds)(inputs, args)


def has_zeros(inputs, args):
    return args.get("base") == 0 or some(zero)(inputs, args)


def reduced(inputs, args):
    """How many numbers each result is made of."""
    shape = inputs["a"]["shape"]
    dims = args.get("dim", range(len(shape))) if shape else ()
    return math.prod(shape[dim] for dim in set(d % len(shape) for d in dims))


def repeats(inputs, args):
    """Whether the numbers that a result is made of may all be equal."""
    data = numbers(inputs["a"]["data"])
    return len(set(data)) < len(data) or reduced(inputs, args) <= 1


KNOWN = [
    # --- PyTorch's is wrong, as finite differences show
    Known(
        "gather",
        "PyTorch's gradient of gather by an index made by expand() is in wrong places",
        by_differences=True,
        parts=DERIVATIVES,
    ),
    Known(
        "masked_select",
        "old PyTorch's gradient of masked_select of a permuted tensor is out of order",
        by_differences=True,
        parts=DERIVATIVES,
    ),
    Known(
        "prod prod_all",
        "with two zeros PyTorch's first derivative is a constant 0, and its second 0",
        some(zero),
        by_differences=True,
        parts=("second",),
    ),
    Known(
        "pow pow_number rpow",
        "0 to the power b is 0, so its second derivative by b is 0; PyTorch's is NaN, "
        "from 0 log(0)",
        has_zeros,
        parts=("second",),
    ),
    Known(
        "norm norm_all",
        "PyTorch's second derivative of a norm of 0 is NaN, though its first is 0",
        some(zero),
        parts=("second",),
    ),
    Known(
        "std std_all",
        "a standard deviation of 0 has the derivatives 0; PyTorch's second is NaN, and "
        "its value for equal numbers may be what rounding leaves instead of 0",
        repeats,
        parts=DERIVATIVES,
    ),
    Known(
        "gelu gelu_tanh",
        "far from 0 gelu is x or 0; PyTorch's second derivative is NaN there, from x² 0",
        some(extreme),
        parts=("second",),
    ),
    # --- a choice
    Known(
        "var var_all std std_all",
        "with no more numbers than the correction takes away there is no variance; "
        "PyTorch's gradient is finite over given dimensions, NaN or infinite over all",
        lambda inputs, args: reduced(inputs, args) <= args.get("correction", 1),
        parts=DERIVATIVES,
    ),
    Known(
        "amax amin amax_all amin_all",
        "the winners alone share the gradient, NaN those of a NaN, as in PyTorch's "
        "max(); its amax() multiplies: an infinite gradient, or an extreme of NaN, gives "
        "NaN to all",
        parts=DERIVATIVES,
    ),
    Known(
        "abs l1_loss",
        "the derivative of abs at NaN is NaN; PyTorch's is 0, which hides it",
        some(lambda number: not math.isfinite(number), "ab"),
        parts=DERIVATIVES,
    ),
    Known(
        "clamp",
        "on a bound the gradient passes, as PyTorch had it before it chose 0",
        on_bound,
        parts=DERIVATIVES,
    ),
    Known(
        "chunk",
        "an empty dimension gives one empty piece, as split does; PyTorch gives `chunks`",
        chunks_nothing,
    ),
    Known(
        "embedding",
        "a negative padding_idx is refused; PyTorch counts it from the end",
        lambda inputs, args: (args["padding_idx"] or 0) < 0,
    ),
    Known(
        "masked_fill",
        "the result has x's shape; PyTorch broadcasts x to the mask",
        exceeds,
    ),
    Known(
        "topk",
        "none of a scalar is refused; PyTorch gives the scalar, as for one",
        lambda inputs, args: inputs["a"]["shape"] == [] and args["k"] == 0,
    ),
    Known(
        "view",
        "whether view() can do it depends on the order in which earlier results lie in "
        "memory, which is each side's own",
        parts=("refusal",),
    ),
    # --- other formulas, which differ where numbers leave the range of a double
    Known(
        "rdiv",
        "c / x is divided; PyTorch multiplies c by 1 / x, which overflows alone",
        some(extreme),
    ),
    Known(
        "layer_norm layer_norm_weight layer_norm_plain layer_norm_rows",
        "a row whose squares overflow, or a weight that is not finite",
        some(extreme, "awb"),
    ),
    Known(
        "norm norm_all",
        "squares that overflow or vanish; in new PyTorch the norm of one number is its "
        "absolute value",
        some(extreme),
    ),
    Known(
        "prod prod_all",
        "products that overflow on the way, in another order",
        some(extreme),
    ),
    Known(
        "",
        "a derivative that is infinite on one side and NaN on the other, at a pole",
        poles=True,
        parts=DERIVATIVES,
    ),
]
