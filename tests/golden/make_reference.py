#!/usr/bin/env python3
"""Computes the reference cases with PyTorch.

    make_reference.py [FOLDER]

writes them into FOLDER, by default tests/golden/data beside this script; what the files
look like, tests/golden/case.h says. Needs PyTorch 1.13 with numpy: Debian 12's package
python3-torch and the system's /usr/bin/python3. The numbers in the tree were made with
it, on a processor with AVX2, by one thread; the same packages give the same bytes.

A group is a function in reference/ that adds cases to what it is given. To add a group,
write such a function and name it in FAMILIES.
"""
import os
import sys

# Which kernels PyTorch takes decides last bits, so they are chosen before it is loaded.
os.environ.update(
    ATEN_CPU_CAPABILITY="avx2",
    OMP_NUM_THREADS="1",
    OPENBLAS_CORETYPE="Haswell",
    OPENBLAS_NUM_THREADS="1",
)

from reference import (
    attention,
    common,
    edges,
    language_model,
    ops,
    optimisers,
    projected_attention,
    regression,
    streams,
    transformer,
)

FAMILIES = [
    streams.add_to,
    regression.add_to,
    optimisers.add_to,
    ops.add_to,
    edges.add_to,
    attention.add_to,
    projected_attention.add_to,
    language_model.add_to,
    transformer.add_to,
]


def main(folder):
    cases = common.Cases()
    for family in FAMILIES:
        family(cases)
    cases.write(folder)


if __name__ == "__main__":
    if len(sys.argv) > 2 or "--help" in sys.argv:
        sys.exit(__doc__)
    here = os.path.dirname(os.path.abspath(__file__))
    main(sys.argv[1] if len(sys.argv) == 2 else os.path.join(here, "data"))
