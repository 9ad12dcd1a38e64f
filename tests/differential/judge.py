"""Where the answers differ: what rounding explains, what finite differences say, and what
known.py lists."""

import copy
import math
import re

import torch_side
from compare import completed, mismatches, near
from known import KNOWN
from program import numbers

# PyTorch's answer is computed again with so many changes of the last digits, and before a
# program is said to fail with so many more: where numbers are equal, a comparison may need
# one certain outcome of many. A number passes that is within MARGIN times the largest
# change seen.
ROUNDINGS, LAST_ROUNDINGS, MARGIN = range(20), range(20, 200), 10.0


def without_rounding(program, torch, found, seeds):
    """The mismatches that rounding does not explain: PyTorch's numbers are computed again
    with results that are changed in their last digits, once for each seed."""
    changed = [
        completed(
            torch_side.written(torch_side.compute(program, torch_side.Rounding(seed)))
        )
        for seed in seeds
    ]
    torch = completed(torch)
    return [m for m in found if not explained(m, torch, changed)]


def explained(m, torch, changed):
    if m.element < 0:
        # Another shape or a refusal: by rounding only if PyTorch's changes too.
        return any(
            x.get("at") != torch.get("at") or shapes(x) != shapes(torch) for x in changed
        )
    part = "grad" if m.part == "backward" else m.part
    largest = 0.0
    for x in changed:
        other = x.get(part, {}).get(m.name)
        if other is None or other["shape"] != torch[part][m.name]["shape"]:
            return True
        number = numbers(other["data"])[m.element]
        if math.isfinite(number) and math.isfinite(m.torch):
            largest = max(largest, abs(number - m.torch))
        elif not near(number, m.torch):
            return True
    return near(m.heed, m.torch, MARGIN * largest)


def shapes(answer):
    return {name: x["shape"] for name, x in answer["values"].items()}


# --- finite differences, of heed's values, or of its first derivatives


def weighted(x):
    return sum(v * math.cos(i) for i, v in enumerate(numbers(x["data"])))


def loss(answer):
    return numbers(answer["loss"]["data"])[0] if "loss" in answer else math.nan


def gradients(answer):
    """The weighted sum of the first derivatives, of which the second are taken."""
    return sum(map(weighted, answer.get("grad", {}).values()))


def finite_difference(replay, program, m, step=1e-4):
    """The derivative as finite differences on both sides have it; None where they
    disagree, at a kink, or where a number is not finite."""
    at = [x["name"] for x in program["leaves"]].index(m.name)
    values = numbers(program["leaves"][at]["data"])
    total = gradients if m.part == "second" else loss

    def f(k):
        moved = copy.deepcopy(program)
        here = [*values]
        here[m.element] += k * step
        moved["leaves"][at]["data"] = " ".join(map(repr, here))
        return total(replay(moved))

    here = f(0)
    sides = [(-3 * here + 4 * f(k) - f(2 * k)) / (2 * k * step) for k in (1, -1)]
    if not all(map(math.isfinite, sides)):
        return None
    middle = sum(sides) / 2
    return middle if abs(sides[0] - sides[1]) <= 1e-4 * max(1, abs(middle)) else None


def sides_with_heed(replay, program, m):
    """True if the finite difference is near heed's number, False if it is near PyTorch's;
    None if it does not decide. The other number must be ten times farther away, and ten
    times farther than two steps differ from each other."""
    if m.part not in ("backward", "grad", "second") or m.element < 0:
        return None
    number = finite_difference(replay, program, m)
    coarse = finite_difference(replay, program, m, step=2e-4)
    if number is None or coarse is None:
        return None
    away = lambda x: abs(x - number) if math.isfinite(x) else math.inf
    heed, torch = away(m.heed), away(m.torch)
    nearer, farther = sorted((heed, torch))
    if nearer > 1e-3 * max(1, abs(number)):
        return None
    if farther < 10 * max(nearer, abs(number - coarse)):
        return None
    return heed < torch


# --- what follows from what


def made_by(name):
    """The op, or the leaf, that a value belongs to: v2 for v2.indices and v2[0]."""
    return re.match(r"\w+", name)[0]


def results_of(program, name):
    """The op or leaf, and all ops that need it."""
    found = {name}
    for op in program["ops"]:
        if found & set(map(made_by, op["inputs"].values())):
            found.add(op["name"])
    return found


def concerns(program, op, m):
    """Whether what the op does otherwise can be the cause of the mismatch."""
    after = results_of(program, op["name"])
    if m.part in ("values", "refusal"):
        return made_by(m.name) in after
    of_leaf = results_of(program, m.name)
    # A first derivative comes from the op to its inputs, a second from all that meets it.
    return bool(of_leaf & after) if m.part == "second" else op["name"] in of_leaf


# --- verdicts


class Verdict:
    def __init__(self, found, known=None, rounding=False):
        self.found = found  # the mismatches that are left
        self.known = known  # the first entry that explains some
        self.rounding = rounding  # whether rounding explained some


def inputs_of(program, torch):
    """Each op with its inputs, as JSON has them, and with the row that made each; those of
    an op that is refused too."""
    values = {**{x["name"]: x for x in program["leaves"]}, **torch["values"]}
    rows = {op["name"]: op["row"] for op in program["ops"]}
    for op in program["ops"]:
        if all(name in values for name in op["inputs"].values()):
            yield op, {
                key: {**values[name], "row": rows.get(made_by(name))}
                for key, name in op["inputs"].items()
            }


def gross(m):
    """Whether it is more than other rounding: what is known differs in kind."""
    if m.element < 0 or not math.isfinite(m.heed) or not math.isfinite(m.torch):
        return True
    return abs(m.heed - m.torch) > 1e-6 * max(1, abs(m.torch))


def excused(entry, replay, program, heed, torch, left):
    """The mismatches of which what the entry says can be the cause."""
    if entry.no_first and any(math.isfinite(gradients(x)) for x in (heed, torch)):
        return []
    ops = [op for op, x in inputs_of(program, torch) if entry.applies(op, x)]
    found = [
        m
        for m in left
        if m.part in entry.parts
        and (entry.slight or entry.by_finite_differences or gross(m))
        and entry.mismatch(m)
        and any(concerns(program, op, m) for op in ops)
    ]
    if found and entry.by_finite_differences:
        sides = [sides_with_heed(replay, program, m) for m in found]
        return found if True in sides and False not in sides else []
    return found


def judge(replay, program, heed, torch, last=LAST_ROUNDINGS):
    """Compares the answers. `last` are the roundings tried before the program fails."""
    found = mismatches(heed, torch)
    if not found or "broken" in heed:
        return Verdict(found)
    left = without_rounding(program, torch, found, ROUNDINGS)
    if not left:
        return Verdict(left, rounding=True)
    known = None
    for entry in KNOWN:
        for m in excused(entry, replay, program, heed, torch, left):
            known = known or entry
            left.remove(m)
    if not left:
        return Verdict(left, known=known)
    left = without_rounding(program, torch, left, last)
    return Verdict(left, rounding=not left)
