"""Draws graphs with Graphviz, and looks for the names of all ops and leaves in the
pictures: graphviz.py HOSTILE_GRAPH EXAMPLES, the program and the folder of the others"""

import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

PROGRAMS = "nw_kernel_regression", "self_attention", "causal_language_model"
SVG = "{http://www.w3.org/2000/svg}"


def texts(dot):
    """The texts of the drawing, and how often each is there."""
    drawn = subprocess.run(["dot", "-Tsvg", dot], capture_output=True, text=True)
    assert drawn.returncode == 0 and drawn.stderr == "", drawn.stderr
    root = xml.etree.ElementTree.fromstring(drawn.stdout)
    kinds = {element.tag for element in root.iter()}
    allowed = {SVG + kind for kind in
               ("svg", "g", "title", "polygon", "ellipse", "path", "text")}
    assert kinds <= allowed, f"the drawing has {kinds - allowed}"
    # Graphviz writes blanks that follow one another as no-break spaces.
    return collections.Counter(text.text.replace("\u00a0", " ")
                               for text in root.iter(SVG + "text"))


def names_are_text(program, folder):
    dot, names = folder / "hostile.dot", folder / "names"
    subprocess.run([program, dot, names], check=True)
    found = texts(dot)
    for name in names.read_text().splitlines():
        assert found[name] == 1, f"{name!r} is not among {found}"
    count = len(names.read_text().splitlines())
    assert found["add"] == found["tanh"] == count, found


def a_program_draws_what_it_tells(program, folder):
    for ending in "dot", "txt":
        subprocess.run([program, "--graph", folder / f"graph.{ending}"], check=True,
                       stdout=subprocess.DEVNULL)
    head, *rows, _ = (folder / "graph.txt").read_text().splitlines()
    value, shape = head.index("value"), head.index("shape")
    wanted = collections.Counter(row[value:shape].strip() for row in rows)
    assert len(wanted) > 3, wanted
    found = texts(folder / "graph.dot")
    for name, count in wanted.items():
        assert found[name] >= count, f"{program}: {count} of {name}, drawn {found[name]}"


def main(hostile, examples):
    if not shutil.which("dot"):
        print("skipped: no dot (Graphviz)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="heed-graphs-") as folder:
        folder = pathlib.Path(folder)
        names_are_text(hostile, folder)
        for program in PROGRAMS:
            a_program_draws_what_it_tells(pathlib.Path(examples) / program, folder)


main(*sys.argv[1:])
