"""Holds heed's answer to a program against PyTorch's. Both are as JSON has them; nothing
here needs PyTorch."""

import math
from dataclasses import dataclass

from program import numbers

TOLERANCE = 1e-9

# What of heed's answer is held against what of PyTorch's.
PARTS = {"values": "values", "backward": "grad", "grad": "grad", "second": "second"}


@dataclass
class Difference:
    part: str  # of heed's answer: values, backward, grad, second, or refusal
    name: str = ""  # of the tensor
    element: int = -1
    heed: object = None
    torch: object = None

    def __str__(self):
        if self.element < 0:
            return f"{self.part} {self.name}: heed {self.heed}, PyTorch {self.torch}"
        return (
            f"{self.part} {self.name}, element {self.element}: "
            f"heed {self.heed!r}, PyTorch {self.torch!r}"
        )


def near(a, b, allowed=0.0):
    """Whether the numbers agree, up to `allowed` more than the tolerance."""
    if a == b or (a != a and b != b):
        return True
    limit = TOLERANCE * max(1.0, abs(b)) + allowed
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= limit


def tensor_differences(part, name, heed, torch):
    for key in ("dtype", "shape"):
        if heed[key] != torch[key]:
            yield Difference(part, name, -1, heed[key], torch[key])
            return
    if part == "values" and heed["requires_grad"] != torch["requires_grad"]:
        wants = [f"requires_grad {x['requires_grad']}" for x in (heed, torch)]
        yield Difference(part, name, -1, *wants)
    if heed["data"] == torch["data"]:
        return
    pairs = zip(numbers(heed["data"]), numbers(torch["data"]))
    for i, (a, b) in enumerate(pairs):
        if not near(a, b):
            yield Difference(part, name, i, a, b)


def differences(heed, torch):
    """All of them, in the order of computing. Where one side refuses, or PyTorch lacks a
    derivative, what both computed is compared."""
    if "broken" in heed:
        return [Difference("refusal", "", -1, heed["broken"], torch.get("error"))]
    found = []
    unable = torch.get("at") in ("loss", "grad", "second")
    refused = unable or "error" in heed or "error" in torch
    for part, other in PARTS.items():
        ours, theirs = heed.get(part, {}), torch.get(other, {})
        if part == "second" and "grad" in heed and "grad" in torch and not refused:
            # Gradients that are constants have derivatives of 0, asked for or not.
            ours, theirs = with_zeros(ours, heed["grad"]), with_zeros(
                theirs, torch["grad"]
            )
        for name in {**theirs, **ours}:
            if name in ours and name in theirs:
                found += tensor_differences(part, name, ours[name], theirs[name])
            elif not refused:
                have = ["none" if name not in x else "one" for x in (ours, theirs)]
                found.append(Difference(part, name, -1, *have))
    if heed.get("at") != torch.get("at") and not unable:
        words = [
            f"refuses {x['at']}: {x['error']}" if "at" in x else "computes it"
            for x in (heed, torch)
        ]
        name = heed.get("at") or torch.get("at")
        found.append(Difference("refusal", name, -1, *words))
    return found


def with_zeros(derivatives, like):
    zeros = {
        name: {**x, "data": " ".join(["0.0"] * len(x["data"].split()))}
        for name, x in like.items()
    }
    return {**zeros, **derivatives}
