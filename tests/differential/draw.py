"""Programs at random: each op is run by PyTorch as soon as it is drawn, so that the next
can be drawn to fit its result. A program ends early where PyTorch refuses."""

import itertools
import math
import random

import torch

import program as programs
import torch_side
from table import TABLE

MOST_LEAVES, MOST_OPS, MOST_RANK, MOST_SIZE = 4, 8, 4, 6
MOST_ELEMENTS = 400
# Beyond it rounding in later ops would be larger than what is compared.
LARGEST = 1e3

# How the numbers of leaves are drawn: away from kinks, or on purpose at them.
SMOOTH = ["smooth"] * 7
KINKS = ["ties", "constant", "corners"]
TIES = [-1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
CORNERS = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e200, -1e200, 1e-310]


class Reject(Exception):
    """None of the values at hand will do for the op."""


class Name(str):
    """The name of a value, to tell it from arguments."""


class Drawer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.choice = self.random.choice
        self.integer = self.random.randint
        self.mode = self.choice(SMOOTH + KINKS)
        self.spoils = self.chance(0.15)
        self.program = {"leaves": [], "ops": [], "outputs": []}
        self.values = {}  # name -> torch.Tensor
        self.numbering = {kind: itertools.count() for kind in "xim"}

    # --- chances

    def chance(self, p):
        return self.random.random() < p

    def flag(self):
        return self.chance(0.5)

    def wrong(self):
        """Whether to spoil what is being drawn; as a number, by how much."""
        return self.spoils and self.chance(0.15)

    def shuffled(self, parts):
        parts = list(parts)
        self.random.shuffle(parts)
        return parts

    # --- shapes and dimensions

    def new_size(self):
        return 0 if self.chance(0.03) else self.choice([1, 2, 2, 3, 3, 4, 5, MOST_SIZE])

    def new_shape(self):
        rank = self.choice([0, 1, 1, 2, 2, 2, 3, 3, MOST_RANK])
        shape = [self.new_size() for _ in range(rank)]
        while math.prod(shape) > MOST_ELEMENTS:
            shape[self.integer(0, rank - 1)] = 1
        return tuple(shape)

    def shape(self, name):
        return tuple(self.values[name].shape)

    def size(self, name, dim):
        shape = self.shape(name)
        return shape[dim] if -len(shape) <= dim < len(shape) else 1

    def signed(self, dim, rank):
        """The same dimension, counted from the end or not."""
        return dim - rank if self.flag() else dim

    def dim(self, name):
        rank = max(len(self.shape(name)), 1)
        return self.signed(self.integer(0, rank - 1), rank) + rank * self.wrong()

    def dims(self, name):
        rank = max(len(self.shape(name)), 1)
        some = self.random.sample(range(rank), self.integer(1, rank))
        dims = tuple(self.signed(dim, rank) for dim in some)
        return dims + dims[:1] if self.wrong() else dims

    def repeated(self, shape):
        """A shape that broadcasts to this one."""
        shape = self.narrowed(shape)
        shape = shape[self.integer(0, len(shape)) :] if self.chance(0.3) else shape
        return (7, *shape) if self.wrong() else shape

    def narrowed(self, shape):
        """The same, of the same rank."""
        return tuple(1 if self.chance(0.2) else size for size in shape)

    def factors(self, count):
        """A shape of `count` elements."""
        shape = [] if count == 1 and self.flag() else [count]
        for _ in range(self.integer(0, 2) if shape else 0):
            at = self.integer(0, len(shape) - 1)
            left = self.divisor(shape[at]) if shape[at] else self.integer(1, 3)
            shape[at : at + 1] = [left, shape[at] // left]
        return self.shuffled(shape)

    def divisor(self, n):
        return self.choice([i for i in range(1, n + 1) if n % i == 0])

    # --- values

    def number(self):
        if self.mode == "corners" and self.chance(0.3):
            return self.choice(CORNERS[:5])
        if self.mode != "smooth":
            return self.choice(TIES)
        return round(self.random.uniform(-2, 2), 3)

    def add_leaf(self, kind, dtype, shape, values, requires_grad=False):
        name = Name(f"{kind}{next(self.numbering[kind])}")
        x = programs.leaf(name, dtype, shape, values, requires_grad)
        self.program["leaves"].append(x)
        self.values[name] = torch_side.read_leaf(x)
        return name

    def constant(self, shape):
        values = [self.number() for _ in range(math.prod(shape))]
        values = [v if abs(v) < 1e3 else 0.0 for v in values]
        return self.add_leaf("x", "float64", shape, values)

    def leaf(self, shape, low=-2.0, regular=False):
        leaves = [x for x in self.program["leaves"] if x["dtype"] == "float64"]
        if len(leaves) >= MOST_LEAVES or math.prod(shape) > MOST_ELEMENTS:
            raise Reject
        count = math.prod(shape)
        values = [round(self.random.uniform(low, 2), 3) for _ in range(count)]
        if self.mode == "ties":
            values = [self.choice(TIES) for _ in range(count)]
        elif self.mode == "constant":
            values = [self.choice(TIES + [round(self.random.random(), 3)])] * count
        elif self.mode == "corners" and not regular:
            values = [self.choice(CORNERS) if self.chance(0.2) else v for v in values]
        wanted = not leaves or self.chance(0.75)
        return self.add_leaf("x", "float64", shape, values, wanted)

    def value(self, suits=None):
        """A value of float64, of a shape that suits, or a new leaf."""
        found = [
            name
            for name, x in self.values.items()
            if x.dtype == torch.float64 and (suits is None or suits(tuple(x.shape)))
        ]
        if found and not self.chance(0.1):
            return Name(self.choice(found[-3:] if self.flag() else found))
        for _ in range(20):
            shape = self.new_shape()
            if suits is None or suits(shape):
                return self.leaf(shape)
        raise Reject

    def ranked(self, empty=True):
        return self.value(lambda shape: len(shape) > 0 and (empty or 0 not in shape))

    def positive(self):
        name = self.value()
        if self.mode != "smooth" or bool((self.values[name] > 0.05).all()):
            return name
        found = [
            name
            for name, x in self.values.items()
            if x.dtype == torch.float64 and bool((x > 0.05).all())
        ]
        return Name(self.choice(found)) if found else self.leaf(self.new_shape(), low=0.1)

    def finite(self, suits):
        name = self.value(suits)
        if not bool(torch.isfinite(self.values[name]).all()):
            raise Reject
        return name

    def finite_fitting(self, shape):
        return (
            self.finite(lambda other: other == tuple(shape))
            if self.flag()
            else (self.leaf(shape, regular=True))
        )

    def fitting(self, shape):
        """A value of just this shape."""
        shape = tuple(shape)
        found = [
            name
            for name, x in self.values.items()
            if x.dtype == torch.float64 and tuple(x.shape) == shape
        ]
        return Name(self.choice(found)) if found and self.flag() else self.leaf(shape)

    def partner(self, shape):
        """A value that broadcasts with this shape, or is to."""
        found = []
        for name, x in self.values.items():
            if x.dtype == torch.float64 and torch_side.broadcasts(x.shape, shape):
                found.append(name)
        if found and not self.chance(0.2):
            return Name(self.choice(found))
        return self.leaf(self.repeated(shape))

    def mask(self, shape):
        found = [
            name
            for name, x in self.values.items()
            if x.dtype == torch.bool and tuple(x.shape) == tuple(shape)
        ]
        if found and self.flag():
            return Name(self.choice(found))
        values = [self.chance(0.6) for _ in range(math.prod(shape))]
        return self.add_leaf("m", "bool", shape, values)

    def mask_of(self, trues):
        """A mask with that many trues, and a shape that it has."""
        values = self.shuffled([True] * trues + [False] * self.integer(0, 3))
        shape = tuple(self.factors(len(values)))
        return self.add_leaf("m", "bool", shape, values), shape

    def whole(self, shape, below, spread=False):
        """Whole numbers from 0 to below - 1; with `spread` perhaps made by expand()."""
        shape = tuple(shape)
        found = [
            name
            for name, x in self.values.items()
            if x.dtype == torch.int64
            and tuple(x.shape) == shape
            and (x.numel() == 0 or 0 <= int(x.min()) and int(x.max()) < below)
        ]
        if found and self.flag():
            return Name(self.choice(found))
        narrow = shape
        if spread and self.chance(0.2):
            narrow = self.narrowed(shape)
        count = math.prod(narrow)
        if below <= 0 and count:
            raise Reject
        values = [self.integer(0, below - 1) for _ in range(count)]
        if values and self.wrong():
            values[0] = self.choice([-1, below])
        name = self.add_leaf("i", "int64", narrow, values)
        if narrow == shape:
            return name
        self.apply("expand", {"a": name, "shape": shape})
        return Name(self.program["ops"][-1]["name"])

    # --- ops

    def apply(self, row, drawn):
        """Adds the op, and its results. Throws what PyTorch throws."""
        op = {
            "name": f"v{len(self.program['ops'])}",
            "row": row,
            "inputs": {k: str(v) for k, v in drawn.items() if isinstance(v, Name)},
            "args": {k: v for k, v in drawn.items() if not isinstance(v, Name)},
        }
        self.program["ops"].append(op)
        results = torch_side.apply(op, self.values)
        self.values.update(results)
        return results

    def undo(self, before):
        ops, leaves, names = before
        del self.program["ops"][ops:], self.program["leaves"][leaves:]
        for name in list(self.values)[names:]:
            del self.values[name]

    def add_op(self):
        """Adds one op at random. Returns the refusal if PyTorch refuses it."""
        rows = list(TABLE.values())
        while True:
            before = [
                len(self.program["ops"]),
                len(self.program["leaves"]),
                len(self.values),
            ]
            row = self.choice(rows)
            try:
                results = self.apply(row.name, row.draw(self))
            except Reject:
                self.undo(before)
                continue
            except torch_side.REFUSALS as error:
                return torch_side.refusal(self.program["ops"][-1]["name"], error)
            if all(map(self.bounded, results.values())):
                return None
            self.undo(before)

    def bounded(self, x):
        """Whether the result is one to go on with."""
        if x.numel() > MOST_ELEMENTS or x.dim() > MOST_RANK + 1:
            return False
        if self.mode == "corners" or x.dtype != torch.float64:
            return True
        finite = x.detach()[torch.isfinite(x.detach())]
        return finite.numel() == 0 or float(finite.abs().max()) < LARGEST

    def choose_outputs(self):
        """The floating results that nothing uses, or some; perhaps one that is used."""
        used = {name for op in self.program["ops"] for name in op["inputs"].values()}
        made = [
            name
            for name, x in self.values.items()
            if x.dtype == torch.float64 and name.startswith("v")
        ]
        outputs = [name for name in made if name not in used]
        if len(outputs) > 1 and self.chance(0.3):
            outputs.pop(self.integer(0, len(outputs) - 1))
        others = [name for name in made if name not in outputs]
        if others and self.chance(0.3):
            outputs.append(self.choice(others))
        self.program["outputs"] = outputs


def draw(seed):
    """The program of this seed, and PyTorch's answer to it."""
    drawer = Drawer(seed)
    drawer.leaf(drawer.new_shape())
    refused = None
    for _ in range(drawer.choice([1, 2, 3, 4, 5, 6, 7, MOST_OPS])):
        refused = drawer.add_op()
        if refused:
            break
    drawer.choose_outputs()
    program, values = drawer.program, drawer.values
    made = {name: x for name, x in values.items() if name.startswith("v")}
    answer = {"values": made, **(refused or {})}
    if not refused:
        torch_side.differentiate(program, values, answer)
    return program, answer
