"""Where heed and PyTorch differ and heed is to stay as it is, each with its reason.

An entry applies to an op, by its row, inputs and arguments. It excuses mismatches in
`parts` of the answer that can follow from that op, none of them as small as rounding. With
`by_finite_differences` these have the last word, on small ones too: the entry excuses a
program only if finite differences side with heed.
"""

import math
from dataclasses import dataclass
from typing import Callable

import torch
from program import numbers

OLD = torch.__version__.startswith("1.")
ALL = ("refusal", "values", "backward", "grad", "second")
DERIVATIVES = ("backward", "grad", "second")


@dataclass(frozen=True)
class Known:
    rows: str  # those of the table; none stands for all
    reason: str
    holds: Callable = lambda inputs, args: True
    parts: tuple = ALL
    by_finite_differences: bool = False
    mismatch: Callable = lambda m: True  # holds for each of them
    no_first: bool = False  # only where neither side's first derivative is finite
    slight: bool = False  # mismatches as small as rounding, too

    def applies(self, op, inputs):
        return (not self.rows or op["row"] in self.rows.split()) and self.holds(
            inputs, op["args"]
        )


def some(condition, names="a"):
    """Whether one of the numbers of these inputs is such; `names` has a letter for each."""
    return lambda inputs, args: any(
        condition(number)
        for name in names
        if name in inputs
        for number in numbers(inputs[name]["data"])
    )


def some_input(condition):
    """The same of all inputs."""
    return lambda inputs, args: some(condition, inputs)(inputs, args)


def extreme(number):
    """Whether its square, or a product with it, is beyond what a double holds."""
    return number != number or (number != 0 and not 1e-150 < abs(number) < 1e150)


def zero(number):
    return number == 0


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


def wide(inputs, args):
    """Whether exp() of the least number is lost beside that of the largest."""
    data = numbers(inputs["a"]["data"])
    return len(data) > 0 and max(data) - min(data) > 30


def repeated(data):
    return len(set(data)) < len(data)


def repeats(inputs, args):
    """Whether the numbers that a result is made of may all be equal."""
    return repeated(numbers(inputs["a"]["data"])) or reduced(inputs, args) <= 1


def pole(m):
    """Neither side has a finite number."""
    return m.element >= 0 and not math.isfinite(m.heed) and not math.isfinite(m.torch)


def both_finite(m):
    return m.element >= 0 and math.isfinite(m.heed) and math.isfinite(m.torch)


def nan_of_torch(m):
    return m.element >= 0 and not math.isnan(m.heed) and math.isnan(m.torch)


def nan_of_heed(m):
    return m.element >= 0 and math.isnan(m.heed) and not math.isnan(m.torch)


KNOWN = [
    # --- PyTorch's is wrong: where by_finite_differences stands, each program proves it
    Known(
        "gather",
        "PyTorch's gradient of gather by an index made by expand() is in wrong places",
        by_finite_differences=True,
        parts=DERIVATIVES,
    ),
    Known(
        "scatter_add",
        "PyTorch's scatter_add by an index made by expand() adds to wrong places",
        lambda inputs, args: inputs["index"]["row"] == "expand",
    ),
    Known(
        "masked_select",
        "old PyTorch's gradient of masked_select of a permuted tensor is out of order",
        by_finite_differences=True,
        parts=DERIVATIVES,
    ),
    Known(
        "masked_select",
        "old PyTorch's gradient of masked_select of a permuted tensor is out of order: with "
        "numbers that are not finite, of which finite differences say nothing",
        lambda inputs, args: OLD and some(extreme)(inputs, args),
        parts=DERIVATIVES,
    ),
    Known(
        "pow rpow",
        "in old PyTorch 0 to a negative power has the derivative 0",
        lambda inputs, args: OLD and has_zeros(inputs, args),
        parts=DERIVATIVES,
    ),
    Known(
        "log1p",
        "PyTorch rounds denormal numbers, or takes them as 0",
        some(extreme),
    ),
    Known(
        "clamp",
        "old PyTorch does not see a bound of NaN",
        lambda inputs, args: OLD and any(b != b for b in (args["min"], args["max"])),
    ),
    Known(
        "cumprod",
        "PyTorch divides by the elements, so that a NaN comes to its own gradient too",
        some(extreme),
        parts=DERIVATIVES,
        mismatch=nan_of_torch,
    ),
    Known(
        "prod prod_all",
        "with two zeros PyTorch's first derivative is a constant 0, and its second 0",
        some(zero),
        by_finite_differences=True,
        parts=("second",),
    ),
    Known(
        "prod prod_all",
        "with two zeros PyTorch's first derivative is a constant 0: where a kink elsewhere "
        "keeps finite differences from deciding",
        lambda inputs, args: OLD and some(zero)(inputs, args),
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
        "pow",
        "PyTorch's gradient of a^b by a is a constant 0 where b is 0, so that its "
        "derivative by b is 0 there and not 1 / a",
        some(zero, "b"),
        by_finite_differences=True,
        parts=("second",),
    ),
    Known(
        "pow",
        "the derivative of a^b by b is NaN for a negative a, and so are those of it; "
        "PyTorch's by a is 0 where b is 0, whatever comes from above",
        lambda inputs, args: some(zero, "b")(inputs, args)
        and some(lambda number: number < 0)(inputs, args),
        parts=("second",),
        mismatch=nan_of_heed,
    ),
    Known(
        "pow",
        "under a gradient of NaN the gradient of a^b by a is NaN where b is 0, too; "
        "PyTorch's is a constant 0 there",
        some(zero, "b"),
        parts=DERIVATIVES,
        mismatch=lambda m: m.part == "second" or pole(m) or nan_of_heed(m),
        no_first=True,
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
    Known(
        "composed_attention sdpa_lens",
        "PyTorch adds -inf to the scores that a mask hides; of an infinite one that makes "
        "NaN",
        some(extreme, "qk"),
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
        mismatch=nan_of_torch,
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
        slight=True,
    ),
    Known(
        "index_add",
        "an index out of range is refused where there is nothing to add, too",
        lambda inputs, args: math.prod(inputs["a"]["shape"]) == 0,
        parts=("refusal",),
    ),
    Known(
        "cat2 cat3",
        "PyTorch leaves out what has the shape (0), whatever dim is",
        lambda inputs, args: any(x["shape"] == [0] for x in inputs.values()),
        parts=("refusal",),
    ),
    Known(
        "interleave_counts",
        "there is one number for each slice; PyTorch takes a single one for all",
        lambda inputs, args: inputs["repeats"]["shape"] == [1],
        parts=("refusal",),
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
        "repeat",
        "a negative number of copies is refused, of nothing too",
        lambda inputs, args: min(args["repeats"], default=0) < 0,
        parts=("refusal",),
    ),
    Known(
        "interleave interleave_dim",
        "a negative number of copies is refused, of nothing too",
        lambda inputs, args: args["repeats"] < 0,
        parts=("refusal",),
    ),
    Known(
        "split",
        "a size of 0 is refused; PyTorch takes it where there is nothing to split",
        lambda inputs, args: args["size"] == 0,
        parts=("refusal",),
    ),
    Known(
        "tril triu",
        "a vector is refused; PyTorch takes an empty one",
        lambda inputs, args: len(inputs["a"]["shape"]) < 2,
        parts=("refusal",),
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
    Known(
        "attention attend_causal attend_heads composed_attention sdpa_lens",
        "what the mask leaves out has the gradient 0; PyTorch multiplies it by its weight "
        "of 0, which gives NaN where what comes from above is not finite",
        parts=DERIVATIVES,
        mismatch=nan_of_torch,
    ),
    Known(
        "",
        "there is no derivative of a first derivative that is infinite or NaN",
        parts=DERIVATIVES,
        mismatch=lambda m: pole(m) or (m.part == "second" and not both_finite(m)),
        no_first=True,
    ),
    # --- other formulas, which differ where numbers leave the range of a double
    Known(
        "rdiv",
        "c / x is divided; PyTorch multiplies c by 1 / x, which overflows alone",
        some(extreme),
    ),
    Known(
        "div",
        "a quotient may overflow on the way to the gradient; the order differs",
        some(extreme, "ab"),
        parts=DERIVATIVES,
    ),
    Known(
        "linear linear_plain matmul bmm",
        "sums of products that overflow or are infinite; with or without fused "
        "multiplication and addition",
        some(extreme, "abw"),
    ),
    Known(
        "gaussian_weights gaussian_attention",
        "distances that overflow, or denormal numbers, which heed's kernel takes as 0",
        some(extreme, "qkw"),
    ),
    Known(
        "softmax masked_softmax log_softmax logsumexp cross_entropy",
        "where one number has all the weight y, 1 - y is what rounding leaves",
        wide,
        parts=DERIVATIVES,
        slight=True,
    ),
    Known(
        "attention attend_bias attend_causal attend_heads composed_attention sdpa "
        "sdpa_lens",
        "where one key has all the weight, scores get what rounding leaves of a gradient "
        "of 0; an extreme number makes it large",
        some(extreme, "qkv"),
        parts=DERIVATIVES,
    ),
    Known(
        "layer_norm layer_norm_weight layer_norm_plain layer_norm_rows",
        "a row whose squares overflow, or a weight that is not finite",
        some(extreme, "awb"),
        slight=True,
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
        "a second derivative has squares of numbers, or of their reciprocals, and they "
        "leave the range of a double earlier in one formula than in another",
        some_input(extreme),
        parts=("second",),
    ),
    Known(
        "",
        "a derivative that is infinite on one side and NaN on the other, at a pole",
        mismatch=pole,
        parts=DERIVATIVES,
    ),
]
