#!/usr/bin/env python3
"""Where the time of a workload goes, by kind of work: a table in Markdown.

    where_time_goes.py build/benchmarks/workloads WORKLOAD [WORKLOAD ...] [--threads N ...]

Needs Linux's perf (Debian: linux-perf). A part is known by the function or the library
that it is in. What sets the workload up is in the samples too.
"""
import argparse
import os
import re
import shutil
import subprocess
import tempfile

# The first pattern that is found in "library function" gives the kind.
KINDS = [
    ("tiles of products", r"multiply_(tile|rows)"),
    ("packing and transposing", r"::(pack|transpose|pack_side_by_side)<"),
    ("attention: weights and blocks", r"ScoresTile|exp_columns|Runs<|Forward<|Backward<|::dot<"
                                      r"|ValidLens|attention_(in_tiles|by_rows)"),
    ("loops of products", r"TiledProducts<|Worker<|multiply|add_row"),
    ("norms", r"::(forward|backward)<|layer_norm"),
    ("elementwise", r"Formula|kernel<"),
    ("sums and softmax", r"fold|softmax|exp_sum|scale<"),
    ("optimiser", r"update<|Optimiser"),
    ("waiting for threads", r"Team::|Task::|heed::in_threads\(|yield"),
    ("system, and memory set or moved", r"kernel\.kallsyms|mem(set|move|cpy)"),
]


def profile(program, workload, threads):
    """{kind: percent}"""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "perf.data")
        subprocess.run(["perf", "record", "-q", "-o", data, program, "--only", workload,
                        "--threads", str(threads), "--seconds", "1"],
                       check=True, stdout=subprocess.DEVNULL)
        report = subprocess.run(["perf", "report", "-i", data, "--stdio", "-g", "none",
                                 "--no-children", "--sort", "dso,sym", "-n"],
                                check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True).stdout
    samples = dict.fromkeys([kind for kind, _ in KINDS] + ["the rest"], 0)
    for count, place in re.findall(r"^\s+[\d.]+%\s+(\d+)\s+(.*)", report, re.MULTILINE):
        kind = next((k for k, pattern in KINDS if re.search(pattern, place)), "the rest")
        samples[kind] += int(count)
    return {kind: 100 * n / sum(samples.values()) for kind, n in samples.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="build/benchmarks/workloads")
    parser.add_argument("names", metavar="WORKLOAD", nargs="+")
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, os.cpu_count()}))
    options = parser.parse_args()
    if not shutil.which("perf"):
        raise SystemExit("where_time_goes.py: perf is needed: apt-get install linux-perf")
    if not shutil.which(options.program):
        parser.error(f"{options.program}: is no program")
    known = subprocess.run([options.program, "--list"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.split()
    for name in options.names:
        if name not in known:
            parser.error(f"no workload is named {name!r}; {options.program} --list has them")
    columns = {f"{name}, {n} thread{'s' if n > 1 else ''}": profile(options.program, name, n)
               for name in options.names for n in options.threads}
    print("| % of the time | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for kind in next(iter(columns.values())):
        print(f"| {kind} | " + " | ".join(f"{c[kind]:.1f}" for c in columns.values()) + " |")


if __name__ == "__main__":
    main()
