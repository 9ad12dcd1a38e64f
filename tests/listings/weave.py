"""Writes a C++ file in which the listings of the .md files stand, so that they are compiled.

    weave.py ROOT TEMPLATE OUTPUT
    weave.py ROOT                   prints the .md files that have listings

A line of the template that is `// LISTING path number` becomes the listing of that number among the
file's blocks of C++, from 1; `// TABLE path heading` the code in the second column of the table
below that heading, and `// MISTAKES path heading` a check that the code in the first column throws
an Error with the message in the second. Ends with 1 when a listing of any .md file is in no line of
the template, unless it is a whole program: that is an example of its own.
"""
import pathlib
import re
import sys

root, *rest = map(pathlib.Path, sys.argv[1:])


def blocks(path):
    """The C++ listings of a file: the number of the first line and the text of each."""
    text = (root / path).read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)) + 1, match[1])
            for match in re.finditer(r"^```cpp\n(.*?)^```$", text, re.M | re.S)]


def rows(path, heading):
    """The rows of the first table below a heading: the number of the line, and the cells."""
    lines = (root / path).read_text(encoding="utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if line == heading)
    at = next(i for i in range(at, len(lines)) if lines[i].startswith("|--"))
    for number in range(at + 1, len(lines)):
        if not lines[number].startswith("|"):
            return
        cells = [cell.strip() for cell in lines[number].strip("|").split(" | ")]
        yield number + 1, cells


def code(cell):
    """The pieces of code in a cell that can be compiled: expressions and statements."""
    spans = re.findall(r"`([^`]+)`", cell)
    return [span for span in spans
            if ("(" in span or ";" in span or "<<" in span)
            and "..." not in span and "operator" not in span]


def statement(span):
    return span.rstrip(";") + ";" if ";" in span else f"static_cast<void>({span});"


folders = [path for path in root.iterdir() if (path / "README.md").exists()]
documents = [path.relative_to(root).as_posix() for path in
             [*root.glob("*.md"), *(p for folder in folders for p in folder.rglob("*.md"))]]
if not rest:
    print(*(root / path for path in sorted(documents) if blocks(path)), sep="\n")
    sys.exit()
template, output = rest
used = set()


def woven(line):
    kind, _, rest = line.strip().removeprefix("// ").partition(" ")
    if kind == "LISTING":
        path, number = rest.split(" ")
        used.add((path, int(number)))
        first, text = blocks(path)[int(number) - 1]
        yield f'#line {first} "{path}"\n{text}'
    elif kind == "TABLE":
        path, heading = rest.split(" ", 1)
        for number, cells in rows(path, heading):
            for span in code(cells[1]):
                yield f'#line {number} "{path}"\n  {{ {statement(span)} }}\n'
    elif kind == "MISTAKES":
        path, heading = rest.split(" ", 1)
        for number, cells in rows(path, heading):
            span, message = cells[0].strip("`"), cells[1].replace('"', '\\"')
            yield (f'#line {number} "{path}"\n'
                   f'  BOOST_TEST(error_of([&] {{ {statement(span)} }}) == "{message}");\n')
    else:
        yield line


text = "".join(piece for line in template.read_text(encoding="utf-8").splitlines(True)
               for piece in woven(line))
for path in documents:
    for number, (_, block) in enumerate(blocks(path), 1):
        if "int main(" not in block and (path, number) not in used:
            sys.exit(f"{path}: listing {number} is in no line of {template}")
output.write_text(text, encoding="utf-8")
