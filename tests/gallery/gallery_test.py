"""Compares the pictures in gallery/ with what the programs draw now: gallery_test.py BUILD

Another processor rounds otherwise, and another gnuplot, Graphviz or font draws a little
otherwise. So what is compared is what a picture shows: its texts, in which numbers may
differ by a tenth; where its curves and points are, to a fiftieth of its width; the colours
of its heat maps; and of a photograph the mean colours of 20 x 15 parts. Where Graphviz has
put something is left to Graphviz.
"""

import base64
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
GALLERY = pathlib.Path(__file__).resolve().parents[2] / "gallery"
sys.path.insert(0, str(GALLERY))

import png

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
LARGEST, LARGEST_OF_ALL = 40_000, 250_000  # bytes


def loaded(path):
    """The module in a file without an ending."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


# --- what a picture shows

def texts(svg):
    return [re.sub("<.*?>", "", text).strip()
            for text in re.findall(r"<text.*?>(.*?)</text>", svg, re.DOTALL)]


def curves(svg):
    """Lines of at least ten points: their colours, and the points."""
    found = []
    for path in re.findall(r"<path [^>]*>", svg):
        points = [(float(x), float(y))
                  for x, y in re.findall(r"[ML] ?(-?[\d.]+),(-?[\d.]+)", path)]
        if len(points) >= 10:
            found.append((re.search("stroke=(['\"])(.*?)\\1", path)[2], points))
    return found


def marks(svg):
    return [(float(x), float(y)) for x, y in re.findall(
        r"<use xlink:href='#gpPt\d+' transform='translate\((-?[\d.]+),(-?[\d.]+)\)", svg)]


def heat_maps(svg):
    """Its pixels, and the cells of what a terminal shows: a list of rows."""
    maps = [png.read(base64.b64decode(data))[2]
            for data in re.findall(r"data:image/png;base64,([\w+/=\s]+)", svg)]
    cells = {}
    for colour, path in re.findall(r'<path fill="#(\w{6})" d="(M[^"]*z)"', svg):
        for x, y, width, height in re.findall(r"M(\d+) ([\d.]+)h(\d+)v([\d.]+)", path):
            for i in range(0, int(width), 8):
                cells[float(y), int(x) + i] = tuple(bytes.fromhex(colour))
    return maps + [[[cells[place]] for place in sorted(cells)]]


def parts(rows, across=20, down=15):
    """The mean colours of equal parts of a picture."""
    height, width = len(rows) // down, len(rows[0]) // across
    for i in range(down):
        for j in range(across):
            pixels = [pixel for row in rows[i * height:(i + 1) * height]
                      for pixel in row[j * width:(j + 1) * width]]
            yield [sum(channel) / len(pixels) for channel in zip(*pixels)]


# --- comparisons

def compare_texts(old, new):
    expect([NUMBER.sub("#", text) for text in old] == [NUMBER.sub("#", text) for text in new],
           f"texts: kept {old}, drawn {new}")
    for one, other in zip(old, new):
        for a, b in zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other))):
            expect(abs(a - b) <= 0.01 + 0.1 * max(a, b), f"kept {one!r}, drawn {other!r}")


def compare_places(old, new, width):
    """Two lists of points, which may have another number of points between the same ends."""
    expect(abs(len(old) - len(new)) <= 0.02 * len(old),
           f"{len(old)} points are kept, {len(new)} drawn")
    for i in range(51):
        a, b = (points[round(i / 50 * (len(points) - 1))] for points in (old, new))
        expect(max(abs(a[0] - b[0]), abs(a[1] - b[1])) <= width / 50,
               f"kept a point at {a}, drawn at {b}")


def compare_colours(old, new):
    expect([len(row) for row in old] == [len(row) for row in new], "sizes of heat maps")
    differences = [abs(a - b) for one, other in zip(old, new)
                   for left, right in zip(one, other) for a, b in zip(left, right)]
    mean = sum(differences) / max(1, len(differences))
    expect(mean <= 4, f"the colours of a heat map differ by {mean} on average")


def compare_svg(old, new):
    compare_texts(texts(old), texts(new))
    width = float(re.search(r'width="(\d+)', old)[1])
    lines, drawn = curves(old), curves(new)
    expect([colour for colour, _ in lines] == [colour for colour, _ in drawn], "curves")
    for (_, one), (_, other) in zip(lines, drawn):
        compare_places(one, other, width)
    if marks(old) or marks(new):
        compare_places(marks(old), marks(new), width)
    maps, drawn = heat_maps(old), heat_maps(new)
    expect(len(maps) == len(drawn), f"{len(maps)} heat maps are kept, {len(drawn)} drawn")
    for one, other in zip(maps, drawn):
        compare_colours(one, other)


def compare_png(old, new):
    (width, height, kept), (*size, drawn) = png.read(old), png.read(new)
    expect(size == [width, height], f"{width} x {height} is kept, drawn are {size}")
    differences = [abs(a - b) for one, other in zip(parts(kept), parts(drawn))
                   for a, b in zip(one, other)]
    expect(max(differences) <= 60, f"a part differs by {max(differences)}")
    mean = sum(differences) / len(differences)
    expect(mean <= 4, f"parts differ by {mean} on average")


def compare(name, old, new):
    if name.endswith(".png"):
        compare_png(old, new)
    else:
        compare_svg(old.decode(), new.decode())


# --- tests

def differences_are_found():
    def differs(name, change):
        old = (GALLERY / name).read_bytes()
        new = change(old)
        expect(old != new, f"{name} was not changed")
        try:
            compare(name, old, new)
        except AssertionError:
            return
        raise AssertionError(f"a change of {name} is not found")

    def moved(svg):
        path = next(path for path in re.findall(rb"<path [^>]*>", svg)
                    if path.count(b" L") > 10)
        return svg.replace(path, re.sub(rb",(\d+)", lambda y: b",%d" % (int(y[1]) - 30), path))

    def white(svg):
        return re.sub(rb'<path fill="#\w+"', b'<path fill="#ffffff"', svg)

    def darker(data):
        rows = png.read(data)[2]
        shade = lambda pixel: tuple(channel * 4 // 5 for channel in pixel)
        return png.write([[shade(pixel) for pixel in row] for row in rows])

    differs("fits.svg", lambda svg: svg.replace(b"Gaussian", b"Gauss"))
    differs("fits.svg", moved)
    differs("fits.svg", lambda svg: svg.replace(b"<use xlink:href='#gpPt6' t", b"<use t", 3))
    differs("loss.svg", moved)
    differs("loss.svg", lambda svg: svg.replace(b"1500", b"1000"))
    differs("terminal.svg", lambda svg: svg.replace(b"after", b"AFTER"))
    differs("terminal.svg", white)
    differs("flow.svg", lambda svg: svg.replace(b"softmax", b"tanh"))
    differs("page.png", darker)


def the_documents_name_every_picture(pictures):
    kept = {path.name for path in GALLERY.iterdir() if path.suffix in (".svg", ".png")}
    expect(kept == set(pictures), f"pictures without a command, or the reverse: "
                                  f"{kept ^ set(pictures)}")
    text = (GALLERY / "README.md").read_text()
    for name, (command, _) in pictures.items():
        expect(f"]({name})" in text, f"gallery/README.md does not show {name}")
        expect(command in text, f"gallery/README.md does not have the command {command}")


def the_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in GALLERY.iterdir()
             if path.suffix in (".svg", ".png")}
    for name, size in sizes.items():
        expect(size <= LARGEST, f"{name} has {size} bytes")
    expect(sum(sizes.values()) <= LARGEST_OF_ALL, f"all have {sum(sizes.values())} bytes")


def main(build):
    make = loaded(GALLERY / "make")
    if make.missing():
        print(f"skipped: no {', no '.join(make.missing())}")
        sys.exit(77)
    differences_are_found()
    the_documents_name_every_picture(make.PICTURES)
    the_pictures_are_small()
    failed = False
    with tempfile.TemporaryDirectory(prefix="heed-gallery-") as folder:
        folder = pathlib.Path(folder)
        make.make(build, folder)
        for name in make.PICTURES:
            try:
                compare(name, (GALLERY / name).read_bytes(), (folder / name).read_bytes())
            except AssertionError as error:
                print(f"{name}: {error}\n  gallery/make {build} makes it again")
                failed = True
    sys.exit(failed)


main(*sys.argv[1:])
