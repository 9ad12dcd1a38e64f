#!/usr/bin/env python3
"""How time and memory grow: of attention with the length of its sequences, of a training
step with its width, its batch and the number of threads, of heed and of PyTorch.

    growth.py build/benchmarks/workloads [--python PYTHON] [--figure FILE.png] [--longest 8192]

Prints tables in Markdown. Each figure is taken in a process of its own, all threads unless
the table says how many. Milliseconds are the median of seven rounds; MiB is the peak of
the process, less that of one that adds 1,000 numbers, or for PyTorch less what its import
takes.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FORMS = {"heed, fused": ("heed", "fused"), "heed, composed": ("heed", "composed"),
         "PyTorch, fused": ("torch", "fused"), "PyTorch, composed": ("torch", "composed")}


class Programs:
    def __init__(self, heed, python):
        torch = str(pathlib.Path(__file__).with_name("torch_workloads.py"))
        self.commands = {"heed": [heed, "--json"], "torch": [python, torch]}
        # First of all, for the rest takes long: whether there is a PyTorch.
        if subprocess.run([python, "-c", "import torch"]).returncode != 0:
            sys.exit(f"growth.py: {python} has no PyTorch; --python names another")
        self.empty = self.run("heed", "add/1000")["peak_mib"]

    def run(self, side, name, threads=os.cpu_count()):
        command = self.commands[side] + ["--only", name, "--threads", str(threads)]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(out.splitlines()[-1])

    def time(self, side, name, threads=os.cpu_count()):
        return self.run(side, name, threads)["ms"]

    def time_and_memory(self, side, name):
        row = self.run(side, name)
        return row["ms"], row["peak_mib"] - row.get("import_mib", self.empty)


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(x if isinstance(x, str) else f"{x:.3g}" if x < 1000 else f"{x:,.0f}"
                                for x in row) + " |", flush=True)
    print(flush=True)


def attention(programs, longest):
    """{form: [(t, milliseconds, MiB)]}"""
    lengths = [t for t in (128, 256, 512, 1024, 2048, 4096, 8192) if t <= longest]
    found = {form: [(t, *programs.time_and_memory(side, f"growth/{op}_t{t}"))
                    for t in lengths] for form, (side, op) in FORMS.items()}
    for what, column in (("ms", 1), ("MiB", 2)):
        table([f"keys, {what}"] + list(FORMS),
              [[str(t)] + [found[form][i][column] for form in FORMS]
               for i, t in enumerate(lengths)])
    return found


def parameters(d, vocab=65, length=64):
    """Of the language model of growth/width: embeddings, four blocks, norm and head."""
    block = 4 * d * d + 8 * d * d + 5 * d + 4 * d  # attention, MLP, its biases, two norms
    return 2 * vocab * d + length * d + 4 * block + 2 * d


def steps(programs):
    tokens = 12 * 64
    rows = []
    for d in (32, 64, 128, 256, 512):
        ms, theirs = (programs.time(side, f"growth/width_d{d}") for side in ("heed", "torch"))
        n = parameters(d)
        rows.append([str(d), n, ms, theirs, ms / tokens * 1e3, ms / tokens / n * 1e9])
    table(["features", "parameters", "heed, ms", "PyTorch, ms", "heed, µs a token",
           "ps a token and parameter"], rows)
    batches = (1, 4, 16, 64)
    table(["sequences", "heed, ms", "PyTorch, ms", "heed, µs a token"],
          [[str(b), ms := programs.time("heed", f"growth/batch_b{b}"),
            programs.time("torch", f"growth/batch_b{b}"), ms / b / 64 * 1e3] for b in batches])
    name = "growth/width_d256"
    table(["threads", "heed, ms", "PyTorch, ms"],
          [[str(n), programs.time("heed", name, n), programs.time("torch", name, n)]
           for n in sorted({1, 2, os.cpu_count() // 2, os.cpu_count()} - {0})])


def draw(found, path):
    """Time and memory of attention over its length, by gnuplot."""
    with tempfile.TemporaryDirectory() as folder:
        for i, rows in enumerate(found.values()):
            # An axis of logarithms has no place for 0.
            pathlib.Path(folder, f"{i}").write_text(
                "".join(f"{t} {ms} {max(mib, 0.1)}\n" for t, ms, mib in rows))
        plots = [", ".join(
            f"'{folder}/{i}' using 1:{column} with linespoints lw 2 title '{form}'"
            for i, form in enumerate(found)) for column in (2, 3)]
        script = f"""set terminal pngcairo size 1200,520 font 'DejaVu Sans,11'
set output '{path.replace("'", "''")}'
set multiplot layout 1,2
set logscale xy
set key left top
set grid
set xlabel 'keys and queries'
set xtics (128, 256, 512, 1024, 2048, 4096, 8192)
set ylabel 'milliseconds, forward and backward'
plot {plots[0]}
set ylabel 'MiB'
plot {plots[1]}
"""
        subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", metavar="PROGRAM", help="build/benchmarks/workloads")
    parser.add_argument("--python", default=sys.executable, help="a Python with PyTorch")
    parser.add_argument("--figure", help="where to draw attention's growth; needs gnuplot")
    parser.add_argument("--longest", type=int, default=8192,
                        help="keys at most, from 128 on; 8192 take 4.3 GiB in the composed form")
    options = parser.parse_args()
    if options.longest < 128:
        parser.error(f"--longest must be at least 128, got {options.longest}")
    for program in (options.workloads, options.python):
        if not shutil.which(program):
            parser.error(f"{program}: is no program")
    if options.figure and not shutil.which("gnuplot"):
        parser.error("--figure needs gnuplot: apt-get install gnuplot-nox")
    if options.figure and not os.access(pathlib.Path(options.figure).parent, os.W_OK):
        parser.error(f"--figure {options.figure}: the folder cannot be written")
    programs = Programs(options.workloads, options.python)
    found = attention(programs, options.longest)
    steps(programs)
    if options.figure:
        draw(found, options.figure)


if __name__ == "__main__":
    main()
