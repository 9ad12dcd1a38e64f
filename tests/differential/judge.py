"""Where the answers differ: what rounding explains, what finite differences say, and what
known.py lists."""

import copy
import math

import torch_side
from compare import differences, near
from known import KNOWN
from program import numbers

# Rounding is tried this often, and before a program is said to fail so often: each
# comparison of a number with its equal has to fall to both sides once. A difference of
# MARGIN times the effect of rounding passes.
ROUNDINGS, LAST_ROUNDINGS, MARGIN = range(20), range(20, 200), 10.0


def without_rounding(program, torch, found, seeds):
    """The differences that rounding does not explain: PyTorch's numbers are computed
    again with results that are changed in their last digits, once for each seed."""
    changed = [
        torch_side.written(torch_side.compute(program, torch_side.Rounding(seed)))
        for seed in seeds
    ]
    return [d for d in found if not explained(d, torch, changed)]


def explained(d, torch, changed):
    if d.element < 0:
        # Another shape or a refusal: by rounding only if PyTorch's changes too.
        return any(
            x.get("at") != torch.get("at") or shapes(x) != shapes(torch) for x in changed
        )
    part = "grad" if d.part == "backward" else d.part
    spread = 0.0
    for x in changed:
        other = x.get(part, {}).get(d.name)
        if other is None or other["shape"] != torch[part][d.name]["shape"]:
            return True
        number = numbers(other["data"])[d.element]
        if math.isfinite(number) and math.isfinite(d.torch):
            spread = max(spread, abs(number - d.torch))
        elif not near(number, d.torch):
            return True
    return near(d.heed, d.torch, MARGIN * spread)


def shapes(answer):
    return {name: x["shape"] for name, x in answer["values"].items()}


# --- finite differences, of heed's values, or of its first derivatives


def weighted(x):
    return sum(v * math.cos(i) for i, v in enumerate(numbers(x["data"])))


def total(answer, part):
    if part == "second":
        return (
            sum(weighted(x) for x in answer["grad"].values()) if "grad" in answer else 0.0
        )
    return numbers(answer["loss"]["data"])[0] if "loss" in answer else math.nan


def finite_difference(replay, program, d, step=1e-4):
    """The derivative as differences on both sides have it; None where they disagree, at a
    kink, or where a number is not finite."""
    at = [x["name"] for x in program["leaves"]].index(d.name)
    values = numbers(program["leaves"][at]["data"])

    def f(k):
        moved = copy.deepcopy(program)
        here = [*values]
        here[d.element] += k * step
        moved["leaves"][at]["data"] = " ".join(map(repr, here))
        return total(replay(moved), d.part)

    here = f(0)
    sides = [(-3 * here + 4 * f(k) - f(2 * k)) / (2 * k * step) for k in (1, -1)]
    if not all(map(math.isfinite, sides)):
        return None
    middle = sum(sides) / 2
    return middle if abs(sides[0] - sides[1]) <= 1e-4 * max(1, abs(middle)) else None


def sides_with_heed(replay, program, d):
    """True if the differences are near heed's number, False if they are near PyTorch's;
    None if they do not decide. The other number must be ten times farther away, and ten
    times farther than two steps differ from each other."""
    if d.part not in ("backward", "grad", "second") or d.element < 0:
        return None
    number = finite_difference(replay, program, d)
    coarse = finite_difference(replay, program, d, step=2e-4)
    if number is None or coarse is None:
        return None
    away = lambda x: abs(x - number) if math.isfinite(x) else math.inf
    heed, torch = away(d.heed), away(d.torch)
    near, far = sorted((heed, torch))
    if near > 1e-3 * max(1, abs(number)) or far < 10 * max(near, abs(number - coarse)):
        return None
    return heed < torch


# --- verdicts


class Verdict:
    def __init__(self, found, known=None, rounding=False):
        self.found = found  # the differences that are left
        self.known = known  # the entry that explains them
        self.rounding = rounding  # whether rounding explained some


def inputs_of(program, torch):
    """Each op with its inputs, as JSON has them; those of an op that is refused too."""
    values = {**{x["name"]: x for x in program["leaves"]}, **torch["values"]}
    for op in program["ops"]:
        if all(name in values for name in op["inputs"].values()):
            yield op, {key: values[name] for key, name in op["inputs"].items()}


def gross(d):
    """Whether it is more than other rounding: what is known differs in kind."""
    if d.element < 0 or not math.isfinite(d.heed) or not math.isfinite(d.torch):
        return True
    return abs(d.heed - d.torch) > 1e-6 * max(1, abs(d.torch))


def judge(replay, program, heed, torch):
    """Compares the answers."""
    found = differences(heed, torch)
    if not found:
        return Verdict(found)
    left = without_rounding(program, torch, found, ROUNDINGS)
    if not left:
        return Verdict(left, rounding=True)
    parts = {d.part for d in left}
    for entry in KNOWN:
        if not parts <= set(entry.parts):
            continue
        if not (entry.slight or entry.by_differences or all(map(gross, left))):
            continue
        if not any(entry.applies(op, x) for op, x in inputs_of(program, torch)):
            continue
        if not all(map(entry.differs, left)):
            continue
        if entry.no_first and any(math.isfinite(total(x, "second")) for x in (heed, torch)):
            continue
        if entry.by_differences:
            sides = [sides_with_heed(replay, program, d) for d in left]
            if False in sides or True not in sides:
                continue
        return Verdict([], known=entry)
    left = without_rounding(program, torch, left, LAST_ROUNDINGS)
    return Verdict(left, rounding=not left)
