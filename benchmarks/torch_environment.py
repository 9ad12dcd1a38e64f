"""Restarts a program in the environment in which PyTorch is fastest.

These settings are read when the libraries are loaded: it is too late for them once the
program runs.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# MKL takes its AVX2 and AVX-512 kernels on Intel's processors only, unless this function,
# which it calls, returns 1. On two cores of a Zen 3 the product of two (2048, 2048) matrices
# takes 6 % less time with those for AVX2 than with those that MKL takes by itself.
MKL_ASKS = "int mkl_serv_intel_cpu_true(void) { return 1; }\n"


def best_environment(folder):
    """What lets PyTorch use AVX2 and AVX-512 where the processor has them. What must be
    built for that is put into `folder`."""
    environment = dict(os.environ, HEED_TORCH_RESTARTED="1")
    info = pathlib.Path("/proc/cpuinfo")
    processor = info.read_text() if info.exists() else ""
    if "avx512f" in processor:
        # Debian's PyTorch and OpenBLAS do not find AVX-512 in a virtual machine.
        environment.setdefault("ATEN_CPU_CAPABILITY", "avx512")
        environment.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")
    if "avx2" in processor and "GenuineIntel" not in processor:
        source, library = pathlib.Path(folder, "mkl.c"), pathlib.Path(folder, "mkl.so")
        source.write_text(MKL_ASKS)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        environment["LD_PRELOAD"] = f"{library} {environment.get('LD_PRELOAD', '')}".strip()
    return environment


def restart():
    """Runs this program once more, in that environment, and ends with its exit code."""
    if "HEED_TORCH_RESTARTED" in os.environ:
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable] + sys.argv
        raise SystemExit(subprocess.run(command, env=best_environment(folder)).returncode)
