"""What all groups share: saving cases, tolerances, gradients, layouts."""
import contextlib
import copy
import zlib
from functools import partial

import torch

from pack import Packer

DTYPES = {"f32": torch.float32, "f64": torch.float64}
NAMES = {
    torch.float32: "F32",
    torch.float64: "F64",
    torch.int64: "I64",
    torch.bool: "BOOL",
}

EXACT = (0.0, 0.0)
# rtol and atol where nothing else is said.
CLOSE = {"f32": (1e-5, 1e-6), "f64": (1e-10, 1e-12)}
# Numbers that pass through the C library's log, sin and cos in double.
LIBRARY = (1e-14, 2e-15)


class Cases:
    def __init__(self):
        self.packer = Packer()

    def add(
        self, case, group, dtype, tensors, attributes, tolerance, recipe="", notes=""
    ):
        rtol, atol = tolerance
        metadata = {"rtol": repr(rtol), "atol": repr(atol)}
        if recipe:
            metadata["recipe"] = recipe
        if notes:
            metadata["notes"] = notes
        for name, value in attributes.items():
            metadata["attr." + name] = as_text(value)
        stored = {}
        for name, tensor in tensors.items():
            dense = tensor.detach().contiguous()
            stored[name] = (NAMES[dense.dtype], dense.shape, dense.numpy().tobytes())
        self.packer.add(case, group, dtype, metadata, stored)

    def write(self, folder):
        version = f"PyTorch {torch.__version__}, CPU, one thread, AVX2 kernels"
        self.packer.write(folder, version)
        print(f"{len(self.packer.entries)} cases in {folder}")


def as_text(value):
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(map(as_text, value))
    return repr(value) if isinstance(value, float) else str(value)


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(DTYPES[dtype])
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def generator_for(name):
    """Each case draws from a stream of its own, so that adding one changes no other."""
    return torch.Generator().manual_seed(zlib.crc32(name.encode()))


def widened(base, got, exact):
    """`base`, doubled until it is eight times the error that PyTorch itself makes in
    float32, measured against its float64 results `exact` on the same inputs."""
    rtol, atol = base
    for name, want in exact.items():
        if not want.is_floating_point() or want.numel() == 0:
            continue
        error = (got[name].double() - want).abs()
        while not (8 * error <= atol + rtol * want.abs()).logical_or(error.isnan()).all():
            rtol, atol = 2 * rtol, 2 * atol
    return rtol, atol


def with_layout(x, layout):
    """x with the strides that `layout` names."""
    if layout is None:
        return x
    kind, dims = layout.split(":")
    dims = [int(dim) for dim in dims.split(",")]
    if kind == "transposed":
        return x.transpose(*dims).contiguous().transpose(*dims)
    sizes = list(x.shape)
    sizes[dims[0]] *= 2
    every_other = x.new_zeros(sizes).unfold(dims[0], 1, 2).squeeze(-1)
    return every_other.copy_(x)


def differentiated(compute, inputs, upstream, layouts=None, parameters=()):
    """The outputs of compute(inputs), and the gradients of the floating inputs and of the
    named parameters of the sum over `upstream` of sum(upstream[name] * outputs[name])."""
    leaves, fed = {}, {}
    for name, value in inputs.items():
        fed[name] = with_layout(value.detach().clone(), (layouts or {}).get(name))
        if upstream and value.is_floating_point():
            leaves["in." + name] = fed[name].requires_grad_(True)
    outputs = compute(fed)
    found = {"out." + name: output.detach() for name, output in outputs.items()}
    if upstream:
        leaves.update({"param." + name: value for name, value in parameters})
        loss = sum((upstream[name] * outputs[name]).sum() for name in upstream)
        gradients = torch.autograd.grad(loss, [*leaves.values()], allow_unused=True)
        for (name, leaf), gradient in zip(leaves.items(), gradients):
            unreached = gradient is None
            found["grad." + name] = torch.zeros_like(leaf) if unreached else gradient
    return found


def record(cases, case, group, dtype, inputs, compute, upstream, attributes, **more):
    """Adds the case of compute(inputs), a dict of outputs, with random upstream gradients
    for the outputs named in `upstream`. `more`: layouts, recipe, notes, and
    module      compute(module, inputs) is computed, and the parameters are stored
    seed        the seed of the dropout, set just before each computation
    buffers     what else is stored"""
    layouts = more.pop("layouts", {})
    module = more.pop("module", None)
    seed = more.pop("seed", None)
    buffers = more.pop("buffers", {})

    def run(module, *arguments):
        if seed is not None:
            torch.manual_seed(seed)
        if module is None:
            return differentiated(compute, *arguments)
        own = list(module.named_parameters())
        return differentiated(partial(compute, module), *arguments, parameters=own)

    with torch.no_grad():
        shapes = {k: v.shape for k, v in run(module, inputs, {}).items()}
    source = generator_for(case + " upstream")
    ups = {
        name: torch.randn(shapes["out." + name], generator=source, dtype=DTYPES[dtype])
        for name in upstream
    }
    found = run(module, inputs, ups, layouts)
    tolerance = CLOSE[dtype]
    if dtype == "f32":
        wide = {
            k: v.double() if v.is_floating_point() else v for k, v in inputs.items()
        }
        wide_ups = {k: v.double() for k, v in ups.items()}
        wide_module = module and copy.deepcopy(module).double()
        with default_dtype("f64"):
            exact = run(wide_module, wide, wide_ups)
        tolerance = widened(tolerance, found, exact)
    tensors = {"in." + k: v for k, v in inputs.items()}
    tensors.update({"up." + k: v for k, v in ups.items()})
    tensors.update({"buf." + k: v for k, v in buffers.items()})
    if module is not None:
        tensors.update({"param." + k: v for k, v in module.named_parameters()})
    tensors.update(found)
    attributes = {**attributes, **{"layout." + k: v for k, v in layouts.items()}}
    cases.add(case, group, dtype, tensors, attributes, tolerance, **more)
