"""What PyTorch computes for a program."""
import string

import torch
import torch.nn.functional as F

import helpers
from program import numbers
from table import TABLE

# What PyTorch throws when it refuses.
REFUSALS = (RuntimeError, IndexError, TypeError, ValueError)

NAMES = {"torch": torch, "F": F, **vars(helpers)}


def compiled(text):
    fields = {name for _, name, _, _ in string.Formatter().parse(text) if name}
    return compile(text.format(**{name: name for name in fields}), text, "eval")


CODE = {name: compiled(row.torch) for name, row in TABLE.items()}


def count(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def broadcasts(a, b):
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b)))


def read_leaf(x):
    values = torch.tensor(numbers(x["data"]), dtype=torch.float64)
    values = values.to(getattr(torch, x["dtype"])).reshape(x["shape"])
    return values.requires_grad_() if x["requires_grad"] else values


def apply(op, values):
    """The op's results by name. Throws what PyTorch throws."""
    inputs = {key: values[name] for key, name in op["inputs"].items()}
    found = eval(CODE[op["row"]], NAMES, {**inputs, **op["args"]})
    name = op["name"]
    if isinstance(found, torch.Tensor):
        return {name: found}
    for parts in (("values", "indices"), ("output", "weights")):
        if hasattr(found, parts[0]):
            return {f"{name}.{part}": getattr(found, part) for part in parts}
    return {f"{name}[{i}]": part for i, part in enumerate(found)}


def weighted_sum(tensors):
    total = torch.zeros((), dtype=torch.float64)
    for x in tensors:
        weights = torch.arange(float(x.numel()), dtype=torch.float64).cos()
        total = total + (x * weights.reshape(x.shape)).sum()
    return total


def gradients(of, leaves, **options):
    """By name. The gradient by a leaf that takes no part is 0."""
    found = torch.autograd.grad(of, list(leaves.values()), allow_unused=True, **options)
    zero = lambda x, g: torch.zeros_like(x) if g is None else g
    return {name: zero(leaves[name], g) for name, g in zip(leaves, found)}


def differentiate(program, values, answer):
    """Adds the loss and its derivatives to the answer."""
    at = "loss"
    try:
        leaves = {x["name"]: values[x["name"]] for x in program["leaves"]}
        leaves = {name: x for name, x in leaves.items() if x.requires_grad}
        loss = answer["loss"] = weighted_sum(values[name] for name in program["outputs"])
        if not loss.requires_grad:
            return
        at = "grad"
        answer["grad"] = gradients(loss, leaves, create_graph=True)
        at = "second"
        of = weighted_sum(g for g in answer["grad"].values() if g.requires_grad)
        if of.requires_grad:
            answer["second"] = gradients(of, leaves)
    except REFUSALS as error:
        answer.update(refusal(at, error))


def refusal(at, error):
    return {"at": at, "error": str(error).split("\n")[0]}


def compute(program, change=None):
    """PyTorch's answer, in the form of replay.cpp's, with tensors. `change` is applied to
    each floating result."""
    answer = {"values": {}}
    values = {x["name"]: read_leaf(x) for x in program["leaves"]}
    for op in program["ops"]:
        try:
            results = apply(op, values)
        except REFUSALS as error:
            return {**answer, **refusal(op["name"], error)}
        if change:
            for name, x in results.items():
                results[name] = change(x) if x.dtype == torch.float64 else x
        values.update(results)
        answer["values"].update(results)
    differentiate(program, values, answer)
    return answer


class Rounding:
    """Changes numbers as rounding may: a little, and equal numbers alike. Those that are
    exact in every way of computing them (small multiples of 1/1024) stay. A zero gets
    another sign, which depends on the order of computing too."""

    def __init__(self, seed):
        self.factor = 0x9E3779B97F4A7C15 + 2 * seed - 2**64
        self.sign = [1, -1][seed % 2]

    def __call__(self, x):
        value = x.detach()
        exact = (value * 1024 == (value * 1024).round()) & (value.abs() < 1024)
        exact |= ~torch.isfinite(value)
        hashed = (value.contiguous().view(torch.int64) * self.factor) >> 40
        change = 1 + 1e-14 * (hashed.double() / 2**23)
        x = x * torch.where(exact, torch.ones_like(change), change)
        return self.sign * (self.sign * x + 0.0)


def written(answer):
    """The answer as JSON has it."""

    def text(x):
        # Some gradients are zeros without storage.
        values = [0.0] * x.numel() if x._is_zerotensor() else x.detach().flatten().tolist()
        return {
            "dtype": str(x.dtype).split(".")[1],
            "shape": list(x.shape),
            "data": " ".join(repr(float(value)) for value in values),
            "requires_grad": x.requires_grad,
        }

    found = {key: answer[key] for key in ("error", "at") if key in answer}
    if "loss" in answer:
        found["loss"] = text(answer["loss"])
    for key in ("values", "grad", "second"):
        if key in answer:
            found[key] = {name: text(x) for name, x in answer[key].items()}
    return found
