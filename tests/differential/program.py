"""A program: leaves, then ops on the values before them; its loss is a weighted sum of
its outputs. It is a dict, since it travels as JSON:

    {"leaves": [{"name": "x0", "dtype": "float64", "shape": [2], "data": "1 2",
                 "requires_grad": True}],
     "ops": [{"name": "v0", "row": "sum", "inputs": {"a": "x0"}, "args": {"dim": (-1,)}}],
     "outputs": ["v0"]}

`row` names a row of the table (table.py). This file says what a program is for
replay.cpp, and in the languages of both sides.
"""

import json
import math
import re
import string


def numbers(data):
    return [float(number) for number in data.split()]


def leaf(name, dtype, shape, values, requires_grad=False):
    return {
        "name": name,
        "dtype": dtype,
        "shape": list(shape),
        "data": " ".join(repr(float(value)) for value in values),
        "requires_grad": requires_grad,
    }


def op_of(name):
    """v3 of v3.values and of v3[1]."""
    return re.split(r"[.\[]", name)[0]


def attribute(value):
    """An argument as the text that golden's cases have for it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in value)
    return str(value)


def wire(program, table):
    """The line that replay.cpp reads."""
    ops = []
    for op in program["ops"]:
        given = {k: attribute(v) for k, v in op["args"].items() if v is not None}
        attributes = {"op": table[op["row"]].op, **given}
        ops.append({"name": op["name"], "inputs": op["inputs"], "attributes": attributes})
    return json.dumps({**program, "ops": ops})


# --- sources

TORCH = string.Template("""\
import types

import torch
import torch.nn.functional as F

$helpers
def weighted_sum(values):
    weights = [torch.arange(float(x.numel())).double().cos() for x in values]
    return sum((x * w.reshape(x.shape)).sum() for x, w in zip(values, weights))

$leaves
$ops
loss = weighted_sum([$outputs])
first = torch.autograd.grad(loss, [$wanted], create_graph=True, allow_unused=True)
print(loss, *first, sep="\\n")
used = [g for g in first if g is not None and g.requires_grad]
if used:
    second = torch.autograd.grad(weighted_sum(used), [$wanted], allow_unused=True)
    print(*second, sep="\\n")
""")

HEED = string.Template("""\
#include <cmath>

#include <heed.h>

using namespace heed;

Variable weighted_sum(const std::vector<Variable>& all) {
  Variable total = zeros({}, float64);
  for (const Variable& x : all) {
    const Tensor i = arange(static_cast<double>(x.numel()), float64);
    total = total + sum(x * reshape(cos(i), x.shape()));
  }
  return total;
}

int main() {
$leaves
$ops
  const Variable loss = weighted_sum({$outputs});
  const std::vector<Variable> first = grad(loss, {$wanted}, {.create_graph = true});
  fmt::print("{}\\n", loss);
  for (const Variable& g : first) fmt::print("{}\\n", g);
  const Variable again = weighted_sum(first);
  if (!again.requires_grad()) return 0;
  for (const Variable& g : grad(again, {$wanted})) fmt::print("{}\\n", g);
}
""")


def python_literal(value):
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value!r}')"
    return repr(value)


class CppList(list):
    """Prints as C++ has it; its elements are at hand for a row's text too."""

    def __str__(self):
        return "{" + ", ".join(str(cpp_literal(part)) for part in self) + "}"


def cpp_literal(value):
    if value is None:
        return "{}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NAN" if math.isnan(value) else "-INFINITY" if value < 0 else "INFINITY"
    if isinstance(value, (list, tuple)):
        return CppList(value)
    return str(value)


def torch_leaf(x):
    values = ", ".join(python_literal(value) for value in numbers(x["data"]))
    wants = ".requires_grad_()" if x["requires_grad"] else ""
    dtype = "" if x["dtype"] == "float64" else f".to(torch.{x['dtype']})"
    return (
        f"{x['name']} = torch.tensor([{values}], dtype=torch.float64){dtype}"
        f".reshape({tuple(x['shape'])}){wants}"
    )


def heed_leaf(x):
    values = f"std::vector<double>{cpp_literal(numbers(x['data']))}"
    dtype = {"float64": "", "int64": ".to(int64)", "bool": ".to(boolean)"}[x["dtype"]]
    wants = ", true" if x["requires_grad"] else ""
    shape = cpp_literal(x["shape"])
    return f"  const Variable {x['name']}(from_vector({values}, {shape}){dtype}{wants});"


def heed_op(op, row):
    inputs = {
        key: f"{name}.value()" if key in row.tensors and ".indices" not in name else name
        for key, name in op["inputs"].items()
    }
    args = {key: cpp_literal(value) for key, value in op["args"].items()}
    return f"  const auto {op['name']} = {row.heed.format(**inputs, **args)};"


def torch_op(op, row):
    args = {key: python_literal(value) for key, value in op["args"].items()}
    return f"{op['name']} = {row.torch.format(**op['inputs'], **args)}"


def torch_source(program, table):
    """The program in PyTorch, with what it needs of the table's helpers."""
    rows = [table[op["row"]] for op in program["ops"]]
    return TORCH.substitute(
        helpers="\n\n".join(table.helpers(rows)),
        leaves="\n".join(map(torch_leaf, program["leaves"])),
        ops="\n".join(map(torch_op, program["ops"], rows)),
        outputs=", ".join(program["outputs"]),
        wanted=", ".join(x["name"] for x in program["leaves"] if x["requires_grad"]),
    )


def heed_source(program, table):
    rows = [table[op["row"]] for op in program["ops"]]
    return HEED.substitute(
        leaves="\n".join(map(heed_leaf, program["leaves"])),
        ops="\n".join(map(heed_op, program["ops"], rows)),
        outputs=", ".join(program["outputs"]),
        wanted=", ".join(x["name"] for x in program["leaves"] if x["requires_grad"]),
    )
