"""Reduces a failing program: the same kind of difference with fewer ops, leaves,
gradients, elements, and rounder numbers."""

import copy

import torch_side
from program import leaf, numbers, op_of

MOST_TRIALS = 600


def pruned(program):
    """Without what no output, and no op that is left, needs. A program that is refused
    has no outputs to go by: its last op counts."""
    kept, needed = [], {op_of(name) for name in program["outputs"]}
    for i, op in reversed(list(enumerate(program["ops"]))):
        if op["name"] in needed or (not needed and i == len(program["ops"]) - 1):
            kept.insert(0, op)
            needed.add(op["name"])
            needed.update(op_of(name) for name in op["inputs"].values())
    leaves = [x for x in program["leaves"] if x["name"] in needed]
    return {**program, "ops": kept, "leaves": leaves}


def cut_outputs(program, values):
    """One output; or another value in its place."""
    names = list(dict.fromkeys(program["outputs"] + list(values)))
    for name in names:
        x = values.get(name)
        if x is not None and x.dtype.is_floating_point and [name] != program["outputs"]:
            yield {**program, "outputs": [name]}
    for i in range(len(program["outputs"])):
        if len(program["outputs"]) > 1:
            rest = program["outputs"][:i] + program["outputs"][i + 1 :]
            yield {**program, "outputs": rest}
    if program["outputs"]:
        yield {**program, "outputs": []}


def cut_ops(program, values):
    """A result becomes a leaf, and what made it goes."""
    for op in program["ops"]:
        for name in set(program["outputs"]).union(
            *(other["inputs"].values() for other in program["ops"])
        ):
            x = values.get(name)
            if x is None or op_of(name) != op["name"]:
                continue
            taken = {y["name"] for y in program["leaves"]}
            fresh = next(f"x{i}" for i in range(99) if f"x{i}" not in taken)
            flat = x.detach().double().flatten().tolist()
            made = leaf(fresh, str(x.dtype)[6:], x.shape, flat, x.requires_grad)
            renamed = lambda other: fresh if other == name else other
            ops = [
                {**o, "inputs": {k: renamed(v) for k, v in o["inputs"].items()}}
                for o in program["ops"]
            ]
            yield {**program, "ops": ops, "leaves": program["leaves"] + [made]}


def cut_gradients(program, values):
    wanting = [x for x in program["leaves"] if x["requires_grad"]]
    for x in wanting:
        if len(wanting) > 1:
            leaves = [
                {**y, "requires_grad": y["requires_grad"] and y is not x}
                for y in program["leaves"]
            ]
            yield {**program, "leaves": leaves}


def smaller(x, dim, size):
    """The leaf with `size` elements along dim, the first ones."""
    values = torch_side.read_leaf({**x, "requires_grad": False}).narrow(dim, 0, size)
    flat = values.double().flatten().tolist()
    return leaf(x["name"], x["dtype"], values.shape, flat, x["requires_grad"])


def cut_sizes(program, values):
    """Fewer elements: along a dimension of a leaf, or of all leaves and in arguments."""
    sizes = {size for x in program["leaves"] for size in x["shape"] if size > 1}
    for size in sorted(sizes, reverse=True):
        for to in {1, size - 1}:
            changed = copy.deepcopy(program)
            for i, x in enumerate(changed["leaves"]):
                for dim in range(len(x["shape"])):
                    if changed["leaves"][i]["shape"][dim] == size:
                        changed["leaves"][i] = smaller(changed["leaves"][i], dim, to)
            yield changed
            changed = copy.deepcopy(changed)
            for op in changed["ops"]:
                for key, value in op["args"].items():
                    if isinstance(value, tuple):
                        op["args"][key] = tuple(to if v == size else v for v in value)
            yield changed
    for i, x in enumerate(program["leaves"]):
        for dim, size in enumerate(x["shape"]):
            if size > 1:
                leaves = list(program["leaves"])
                leaves[i] = smaller(x, dim, size - 1)
                yield {**program, "leaves": leaves}


def round_numbers(program, values):
    for i, x in enumerate(program["leaves"]):
        if x["dtype"] != "float64":
            continue
        here = numbers(x["data"])
        plain = [
            [1.0] * len(here),
            [round(value) if abs(value) < 1e9 else value for value in here],
            [round(value, 1) if abs(value) < 1e9 else value for value in here],
        ]
        for other in plain:
            if other != here and repr(other) != repr(here):
                leaves = list(program["leaves"])
                shape, wants = x["shape"], x["requires_grad"]
                leaves[i] = leaf(x["name"], "float64", shape, other, wants)
                yield {**program, "leaves": leaves}


CUTS = [cut_outputs, cut_ops, cut_gradients, cut_sizes, round_numbers]


def size_of(program):
    """What is to become smaller."""
    elements = [v for x in program["leaves"] for v in numbers(x["data"])]
    return (
        len(program["ops"]),
        len(program["outputs"]),
        len(program["leaves"]) + sum(x["requires_grad"] for x in program["leaves"]),
        len(elements),
        sum(len(repr(v)) + (v != 1) for v in elements),
    )


def shrink(program, fails):
    """The smallest program found for which fails(program) still holds."""
    trials = 0
    progress = True
    while progress:
        progress = False
        values = torch_side.compute(program)["values"]
        for cut in CUTS:
            for candidate in cut(program, values):
                candidate = pruned(candidate)
                trials += 1
                if trials > MOST_TRIALS:
                    return program
                if size_of(candidate) < size_of(program) and fails(candidate):
                    program, progress = candidate, True
                    break
            if progress:
                break
    return program
