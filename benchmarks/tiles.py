#!/usr/bin/env python3
"""How near heed's matrix products come to the micro-kernel alone.

    tiles.py build/benchmarks/workloads [--rounds 9] [--only TEXT]

Prints a table in Markdown of square products and of those of the layers in gpt_step: how
many operations a second each does, as a share of what probe/tile does, on one thread and on
all. The product and the probe take turns, and the median of the shares counts.
"""
import argparse
import contextlib
import os
import statistics
import subprocess

from compare import Setting


def share(product, tile, name, rounds):
    """The median of the rate of a product over that of the probe, which other rounds
    follow and precede."""
    def rate(setting, name):
        row = setting.round(name)
        return row["flop"] / row["ms"]

    # The first round is to warm up.
    shares = [rate(product, name) / rate(tile, "probe/tile") for _ in range(rounds + 1)]
    return statistics.median(shares[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", metavar="PROGRAM", help="build/benchmarks/workloads")
    parser.add_argument("--rounds", type=int, default=9, help="after one to warm up")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="just products whose name holds this text")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    names = subprocess.run([options.workloads, "--list"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout.split()
    chosen = [name for name in names
              if options.only in name and name.startswith(("matmul/", "linear/"))]
    if not chosen:
        parser.error(f"no product has {options.only!r} in its name")
    counts = sorted({1, os.cpu_count()})
    print("| product | " + " | ".join(f"{n} thread{'s' * (n > 1)}" for n in counts) + " |")
    print("|---" * (1 + len(counts)) + "|")
    with contextlib.ExitStack() as stack:
        # A program each, so that neither sets its workload up for every round.
        pairs = [[stack.enter_context(contextlib.closing(
            Setting("heed", n, [options.workloads, "--seconds", "0.05"]))) for _ in range(2)]
            for n in counts]
        for name in chosen:
            shares = [share(product, tile, name, options.rounds) for product, tile in pairs]
            print(f"| `{name}` | " + " | ".join(f"{x:.2f}" for x in shares) + " |", flush=True)


if __name__ == "__main__":
    main()
