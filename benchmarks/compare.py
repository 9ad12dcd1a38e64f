#!/usr/bin/env python3
"""Times heed's workloads and PyTorch's in turn, and prints how many times faster heed is.

    compare.py build/benchmarks/workloads [--python PYTHON] [--compile] [--only TEXT]

PyTorch runs eagerly and, with --compile, under torch.compile too; both sides with one
thread and with all. Of each side the setting with the least median counts. Each round
times every setting once, so that a slow moment of the machine meets all of them.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time


class Side:
    """A program that times one round of the workload that it is asked for."""

    def __init__(self, what, threads, command):
        self.what = f"{what}, {threads} thread{'s' if threads > 1 else ''}"
        command = command + ["--threads", str(threads), "--serve"]
        # Bound to processors: otherwise two threads share one at times, until the system
        # notices.
        environment = dict(os.environ, OMP_PROC_BIND="true") if threads > 1 else None
        self.process = subprocess.Popen(command, text=True, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def round(self, name):
        """The row of one round."""
        # For some milliseconds the threads of the side before wait for work in a busy
        # loop, which takes a processor from this one.
        time.sleep(0.02)
        print(name, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"compare.py: {self.what} ended at {name}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(name, sides, rounds):
    """Each side's times in milliseconds, and a row of the first side."""
    times = {side: [] for side in sides}
    for _ in range(rounds + 1):
        for side in sides:
            row = side.round(name)
            times[side].append(row["ms"])
            first = row if side is sides[0] else first
    return {side: of_side[1:] for side, of_side in times.items()}, first  # one to warm up


def fastest(times, sides):
    """The side with the least median, and its times."""
    return min(((side, times[side]) for side in sides), key=lambda x: statistics.median(x[1]))


def fraction(row, milliseconds, peaks):
    """How near the work of a row comes to the measured peak, as text."""
    for work, probe, of in (("flop", "probe/fma", "FMA"), ("bytes", "probe/memory", "memory")):
        if row[work]:
            return f"{row[work] / milliseconds / peaks[probe]:.0%} of {of}"
    return ""


def spread(values):
    return f"{statistics.median(values):9.4f} ({min(values):.4f}-{max(values):.4f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", help="heed's program")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch")
    parser.add_argument("--compile", action="store_true", help="torch.compile too")
    parser.add_argument("--only", default="", help="just the names that hold this text")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.2, help="how long a round lasts")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    seconds = ["--seconds", str(options.seconds)]
    heed = [options.workloads] + seconds
    torch = [options.python, str(pathlib.Path(__file__).with_name("torch_workloads.py"))]
    counts = sorted({1, os.cpu_count()})
    names = subprocess.run([options.workloads, "--list"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    with contextlib.ExitStack() as stack:
        def start(*arguments):
            side = Side(*arguments)
            stack.callback(side.close)
            return side

        ours = [start("heed", n, heed) for n in counts]
        theirs = [start("eager", n, torch + seconds) for n in counts]
        if options.compile:
            theirs += [start("compiled", n, torch + seconds + ["--compile"])
                       for n in counts]
        for side in ours + theirs:
            side.round("add/1000")  # so that none is still starting below
        peaks = {}
        for name in (name for name in names if name.startswith("probe/")):
            times, row = timed(name, ours[-1:], options.rounds)
            peaks[name] = (row["flop"] or row["bytes"]) / min(times[ours[-1]])
            print(f"{name}: {peaks[name] / 1e6:.1f} G/s ({ours[-1].what})")
        print("Milliseconds, and how many times faster heed is: the median and, in brackets, "
              f"the least\nand the most of {options.rounds} rounds.\n")
        for name in names:
            if options.only not in name or name.startswith(("probe/", "growth/")):
                continue
            times, row = timed(name, ours + theirs, options.rounds)
            our, our_times = fastest(times, ours)
            their, their_times = fastest(times, theirs)
            ratios = [b / a for a, b in zip(our_times, their_times)]
            print(f"{name:<28} heed {spread(our_times)} | PyTorch {spread(their_times)} "
                  f"{their.what} | {statistics.median(ratios):6.2f} ({min(ratios):.2f}-"
                  f"{max(ratios):.2f}) | {fraction(row, statistics.median(our_times), peaks)}",
                  flush=True)


if __name__ == "__main__":
    main()
