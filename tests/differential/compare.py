"""Compares heed's answer to a program with PyTorch's. Both are as read from JSON; nothing
here needs PyTorch."""

import math
from dataclasses import dataclass

from program import numbers

TOLERANCE = 1e-9

# Which part of heed's answer is compared with which of PyTorch's.
PARTS = {"values": "values", "backward": "grad", "grad": "grad", "second": "second"}


@dataclass
class Mismatch:
    part: str  # of heed's answer: values, backward, grad, second; refusal; or broken,
    #            where heed did not answer
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


def tensor_mismatches(part, name, heed, torch):
    for key in ("dtype", "shape"):
        if heed[key] != torch[key]:
            yield Mismatch(part, name, -1, heed[key], torch[key])
            return
    if part == "values" and heed["requires_grad"] != torch["requires_grad"]:
        wants = [f"requires_grad {x['requires_grad']}" for x in (heed, torch)]
        yield Mismatch(part, name, -1, *wants)
    if heed["data"] == torch["data"]:
        return
    pairs = zip(numbers(heed["data"]), numbers(torch["data"]))
    for i, (a, b) in enumerate(pairs):
        if not near(a, b):
            yield Mismatch(part, name, i, a, b)


def mismatches(heed, torch):
    """All of them, in the order of computing. Where one side refuses, or PyTorch lacks a
    derivative, what both computed is compared."""
    if "broken" in heed:
        return [Mismatch("broken", "", -1, heed["broken"], torch.get("error"))]
    found = []
    unable = torch.get("at") in ("loss", "grad", "second")
    refused = unable or "error" in heed or "error" in torch
    heed, torch = completed(heed), completed(torch)
    for part, other in PARTS.items():
        ours, theirs = heed.get(part, {}), torch.get(other, {})
        for name in {**theirs, **ours}:
            if name in ours and name in theirs:
                found += tensor_mismatches(part, name, ours[name], theirs[name])
            elif not refused:
                have = ["none" if name not in x else "one" for x in (ours, theirs)]
                found.append(Mismatch(part, name, -1, *have))
    if heed.get("at") != torch.get("at") and not unable:
        words = [
            f"refuses {x['at']}: {x['error']}" if "at" in x else "computes it"
            for x in (heed, torch)
        ]
        name = heed.get("at") or torch.get("at")
        found.append(Mismatch("refusal", name, -1, *words))
    return found


def completed(answer):
    """With zeros for the second derivatives that are not there: gradients that are
    constants have derivatives of 0, asked for or not."""
    if "grad" not in answer or "at" in answer:
        return answer
    zeros = {
        name: {**x, "data": " ".join(["0.0"] * len(x["data"].split()))}
        for name, x in answer["grad"].items()
    }
    return {**answer, "second": {**zeros, **answer.get("second", {})}}
