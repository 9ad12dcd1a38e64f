"""The table of ops: what PyTorch and heed call each, and how its arguments are drawn.

A row's `torch` and `heed` are the sources of a call, with names in braces for inputs and
arguments. `op` is the name in golden's table of ops, by which replay.cpp computes it.
`draw` gets a Drawer (draw.py) and returns inputs and arguments by name. `tensors` are the
inputs that heed takes as Tensor.
"""

import inspect
import re
from dataclasses import dataclass
from typing import Callable

import rows_layers
import rows_numbers
import rows_shapes


@dataclass(frozen=True)
class Row:
    name: str
    op: str
    torch: str
    heed: str
    draw: Callable
    tensors: frozenset


class Table(dict):
    def row(self, name, torch, heed, draw, op=None, tensors=()):
        always = {"index", "mask", "ids", "target", "repeats", "lens", "keep"}
        known = frozenset(always.union(tensors))
        self[name] = Row(name, op or name, torch, heed, draw, known)

    def helpers(self, rows):
        """The sources of the functions of helpers.py that these rows call."""
        import helpers

        functions = dict(inspect.getmembers(helpers, inspect.isfunction))
        found, text = {}, " ".join(row.torch for row in rows)
        while True:
            called = [n for n in functions if re.search(rf"(?<![.\w]){n}\(", text)]
            new = [n for n in called if n not in found]
            if not new:
                return [found[n] for n in functions if n in found]
            for n in new:
                found[n] = inspect.getsource(functions[n])
                text += found[n].split(":", 1)[1]


TABLE = Table()
for family in (rows_numbers, rows_shapes, rows_layers):
    family.add_rows(TABLE.row)
