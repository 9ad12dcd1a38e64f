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


def broadcasts(a, b):
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b)))


def read_leaf(x):
    values = torch.tensor(numbers(x["data"]), dtype=torch.float64)
    values = values.to(getattr(torch, x["dtype"])).reshape(x["shape"])
    return values.requires_grad_() if x["requires_grad"] else values


def apply(op, values, change=None):
    """The op's results by name. Throws what PyTorch throws."""
    inputs = {key: values[name] for key, name in op["inputs"].items()}
    if change and op["row"].startswith("layer_norm"):
        inputs["a"] = change.before(inputs["a"])
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
    """PyTorch's answer, in the form of replay.cpp's, with tensors. `change`, a Rounding,
    is applied to every result and to very large leaves."""
    answer = {"values": {}}
    values = {x["name"]: read_leaf(x) for x in program["leaves"]}
    if change:
        values = {name: change.large(x) for name, x in values.items()}
    for op in program["ops"]:
        try:
            results = apply(op, values, change)
        except REFUSALS as error:
            return {**answer, **refusal(op["name"], error)}
        if change:
            for name, x in results.items():
                results[name] = change(x, op["row"]) if x.is_floating_point() else x
        values.update(results)
        answer["values"].update(results)
    differentiate(program, values, answer)
    return answer


# Rows whose results differ by rounding even where they happen to be round numbers.
ROUNDED = frozenset(
    "additive_scores attend_bias attend_causal attend_heads attention "
    "composed_attention cross_entropy gaussian_attention gaussian_weights layer_norm "
    "layer_norm_plain layer_norm_rows layer_norm_weight log_softmax logsumexp "
    "masked_softmax mean mean_all mse_loss norm norm_all pow pow_number rdiv rpow "
    "sdpa sdpa_lens softmax std std_all var var_all".split()
)


class Rounding:
    """Changes numbers as another order of computing may: in their last digits, and those
    that may be what a difference of larger ones has left. Numbers that come out exactly
    in any order (multiples of 1/1024 below 1024) stay, so that equal ones and kinks do;
    but a zero gets another sign. With an odd seed equal numbers change alike; with the
    seed 0 nearly equal ones become equal."""

    def __init__(self, seed):
        self.seed = seed

    def noise(self, value):
        """From -1 to 1."""
        bits = value.contiguous().view(torch.int64)
        if self.seed % 2 == 0:
            bits = bits + torch.arange(value.numel()).reshape(value.shape)
        # Neighbours would change alike without the shift.
        bits = (bits + self.seed) * (0x9E3779B97F4A7C15 - 2**64)
        bits = (bits ^ (bits >> 32)) * (0xD6E8FEB86659FD93 - 2**64)
        return (bits >> 40).double() / 2**23

    def exact(self, value):
        whole = (value * 1024 == (value * 1024).round()) & (value.abs() < 1024)
        return whole | ~torch.isfinite(value)

    def __call__(self, x, row):
        """A result of an op of that row."""
        value = x.detach()
        if self.seed == 0:
            return self.snapped(x, 1e-100)
        exact = self.exact(value)
        if self.seed % 2 == 0 and row in ROUNDED:
            zero = (value == 0) & (not row.startswith("layer_norm"))
            exact &= zero | ~torch.isfinite(value)
        noise = self.noise(value).masked_fill(exact, 0)
        x = x * (1 + 1e-14 * noise) + 1e-16 * noise
        sign = [1, -1][self.seed % 2]
        return sign * (sign * x + 0.0)

    def snapped(self, x, least):
        """Multiples of 2^-42 for numbers from `least` to 1024."""
        value = x.detach()
        off = (value * 2**42).round() / 2**42 - value
        inside = (least < value.abs()) & (value.abs() < 1024)
        return x + off.masked_fill(~inside, 0)

    def large(self, x):
        """A leaf, changed as results are, but only where sums would lose the other
        numbers."""
        if not x.dtype.is_floating_point:
            return x
        value = x.detach()
        if self.seed == 0:
            return self.snapped(value, 1e-9).requires_grad_(x.requires_grad)
        noise = self.noise(value).masked_fill(self.exact(value) | (value.abs() < 1e9), 0)
        return (value * (1 + 1e-14 * noise)).requires_grad_(x.requires_grad)

    def before(self, x):
        """An input of layer_norm, changed in its last digit: the mean of equal numbers may
        miss them by as much, and what that leaves is divided by roots of eps."""
        if self.seed == 0:
            return x
        noise = self.noise(x.detach()).masked_fill(self.exact(x.detach()), 0)
        return x * (1 + 1e-15 * noise)


def written(answer):
    """The answer as JSON has it."""

    def text(x):
        # Some gradients are zeros without storage.
        values = (
            [0.0] * x.numel() if x._is_zerotensor() else x.detach().flatten().tolist()
        )
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
