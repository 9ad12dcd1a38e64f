#!/usr/bin/env python3
"""Times heed's workloads and PyTorch's in turn, and prints how many times faster heed is.

    compare.py build/benchmarks/workloads [--python PYTHON] [--compile] [--only TEXT]

PyTorch runs eagerly and, with --compile, under torch.compile too; heed and PyTorch with one
thread and with all. Of heed's settings and of PyTorch's the one with the least median counts.
Each round times every setting once, so that a slow moment of the machine meets all of them.
The probes of the machine come first, whatever --only says.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time


class Setting:
    """A program with its options, which times one round of the workload that it is asked for."""

    def __init__(self, what, threads, command):
        self.what = f"{what}, {threads} thread{'s' if threads > 1 else ''}"
        command = command + ["--threads", str(threads), "--serve"]
        # PyTorch's threads are bound to processors: otherwise two share one at times, until
        # the system notices.
        bound = threads > 1 and what != "heed"
        environment = dict(os.environ, OMP_PROC_BIND="true") if bound else None
        self.process = subprocess.Popen(command, text=True, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def round(self, name):
        """The row of one round."""
        # For some milliseconds PyTorch's threads, if the setting before was one of its,
        # wait for work in a busy loop, which takes a processor from this one.
        time.sleep(0.02)
        line = ""
        with contextlib.suppress(BrokenPipeError):
            print(name, file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"compare.py: {self.what} ended at {name}")
        return json.loads(line)

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


def timed(name, settings, rounds):
    """Each setting's times in milliseconds, and a row of the first."""
    times = {setting: [] for setting in settings}
    for _ in range(rounds + 1):
        rows = {setting: setting.round(name) for setting in settings}
        for setting, row in rows.items():
            times[setting].append(row["ms"])
    # The first round is to warm up.
    return {setting: ms[1:] for setting, ms in times.items()}, rows[settings[0]]


def fastest(times, settings):
    """The setting with the least median, and its times."""
    return min(((setting, times[setting]) for setting in settings),
               key=lambda x: statistics.median(x[1]))


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
    parser.add_argument("workloads", metavar="PROGRAM", help="build/benchmarks/workloads")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch")
    parser.add_argument("--compile", action="store_true", help="torch.compile too")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="just the workload of this name, or those whose name holds this text")
    parser.add_argument("--rounds", type=int, default=5, help="after one to warm up")
    parser.add_argument("--seconds", type=float, default=0.2,
                        help="how long each setting repeats the workload in a round")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    for program in (options.workloads, options.python):
        if not shutil.which(program):
            parser.error(f"{program}: is no program")
    seconds = ["--seconds", str(options.seconds)]
    heed = [options.workloads] + seconds
    torch = [options.python, str(pathlib.Path(__file__).with_name("torch_workloads.py"))]
    counts = sorted({1, os.cpu_count()})
    names = subprocess.run([options.workloads, "--list"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    chosen = [name for name in names
              if options.only in name
              and not name.startswith(("probe/", "growth/", "linear/"))]
    if options.only in chosen:
        chosen = [options.only]
    if not chosen:
        parser.error(f"no workload that is compared has {options.only!r} in its name")
    with contextlib.ExitStack() as stack:
        def start(*arguments):
            setting = Setting(*arguments)
            stack.callback(setting.close)
            return setting

        ours = [start("heed", n, heed) for n in counts]
        theirs = [start("eager", n, torch + seconds) for n in counts]
        if options.compile:
            theirs += [start("compiled", n, torch + seconds + ["--compile"])
                       for n in counts]
        for setting in ours + theirs:
            setting.round("add/1000")  # so that none is still starting below
        peaks = {}
        for name in (name for name in names if name.startswith("probe/")):
            times, row = timed(name, ours[-1:], options.rounds)
            peaks[name] = (row["flop"] or row["bytes"]) / min(times[ours[-1]])
            unit = "GFLOP/s" if row["flop"] else "GB/s"
            print(f"{name}: {peaks[name] / 1e6:.1f} {unit} ({ours[-1].what})")
        print("Milliseconds, and how many times faster heed is: the median and, in brackets, "
              f"the least\nand the most of {options.rounds} rounds.\n")
        for name in chosen:
            times, row = timed(name, ours + theirs, options.rounds)
            our, our_times = fastest(times, ours)
            their, their_times = fastest(times, theirs)
            ratios = [b / a for a, b in zip(our_times, their_times)]
            print(f"{name:<32} {spread(our_times)} {our.what} | {spread(their_times)} "
                  f"{their.what} | {statistics.median(ratios):6.2f} ({min(ratios):.2f}-"
                  f"{max(ratios):.2f}) | {fraction(row, statistics.median(our_times), peaks)}",
                  flush=True)


if __name__ == "__main__":
    main()
