#!/usr/bin/env python3
"""Times heed's workloads and PyTorch's in turn, workload by workload, and prints ratios.

    compare.py build/benchmarks/workloads [--python /usr/bin/python3] [--only TEXT]

Each side is timed with one thread and with all; the better of the two counts.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys


def best_ms(command, name, seconds, environment):
    """The least time of the workload with one thread and with all processors."""
    least = None
    for threads in sorted({1, os.cpu_count()}):
        arguments = ["--only", name, "--seconds", str(seconds), "--threads", str(threads)]
        run = subprocess.run(command + arguments, env=environment, stdout=subprocess.PIPE,
                             text=True)
        if run.returncode:
            raise SystemExit(f"compare.py: {command[-1]} failed")
        output = run.stdout
        for line in output.splitlines():
            row = json.loads(line)
            if row["name"] == name and (least is None or row["best_ms"] < least):
                least = row["best_ms"]
    return least


def torch_environment():
    """What lets PyTorch use AVX-512 where the processor has it."""
    environment = dict(os.environ)
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists() and "avx512f" in info.read_text():
        environment.setdefault("ATEN_CPU_CAPABILITY", "avx512")
        environment.setdefault("OPENBLAS_CORETYPE", "SKYLAKEX")
    return environment


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", help="heed's program")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch")
    parser.add_argument("--only", default="", help="just the names that hold this text")
    parser.add_argument("--seconds", type=float, default=0.2, help="how long a round lasts")
    options = parser.parse_args()
    heed = [options.workloads, "--json"]
    torch = [options.python, str(pathlib.Path(__file__).with_name("torch_workloads.py"))]
    names = subprocess.run([options.workloads, "--list"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    print(f"{'workload':<28} {'heed ms':>12} {'PyTorch ms':>12} {'times faster':>13}")
    for name in names:
        if options.only not in name:
            continue
        ours = best_ms(heed, name, options.seconds, None)
        theirs = best_ms(torch, name, options.seconds, torch_environment())
        print(f"{name:<28} {ours:>12.6f} {theirs:>12.6f} {theirs / ours:>13.2f}", flush=True)


if __name__ == "__main__":
    main()
