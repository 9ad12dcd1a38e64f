"""What a program shows in a terminal, as text and as an SVG picture."""

import fcntl
import html
import os
import pty
import re
import struct
import termios

PAPER, INK = "#ffffff", "#1f2328"
WIDTH, HEIGHT = 8, 17  # of a character
HALF = "▀"


def is_there():
    """Whether this system makes pseudo-terminals."""
    try:
        ends = pty.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


def run(command, columns, rows):
    """What a terminal of that size shows when the command of the shell has ended. Progress,
    on standard error, is gone by then."""
    child, terminal = pty.fork()
    if child == 0:
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("NO_COLOR", "DISPLAY")}
        environment.update(TERM="xterm-256color", COLORTERM="truecolor")
        # The size of the terminal is there before the command begins.
        script = f"read start && {{ {command}; }} 2>/dev/null"
        os.execvpe("/bin/sh", ["sh", "-c", script], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    attributes = termios.tcgetattr(terminal)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    os.write(terminal, b"\n")
    output = b""
    while True:
        try:
            got = os.read(terminal, 1 << 16)
        except OSError:  # the command has closed it
            got = b""
        if not got:
            break
        output += got
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == 0, f"{command}: exit code {code}\n{output.decode()}"
    lines = output.decode().replace("\r\n", "\n").strip("\n").split("\n")
    return "\n".join(lines[-rows:])


def cells(line):
    """For each character of a line: (character, its colour, the colour behind it)."""
    front, behind, found = INK, None, []
    for codes, character in re.findall("\x1b\\[([0-9;]*)m|(.)", line):
        if character:
            assert character >= " ", f"a control character {character!r}"
            found.append((character, front, behind))
            continue
        numbers = [int(code or 0) for code in codes.split(";")]
        while numbers:
            code = numbers.pop(0)
            if code in (38, 48):
                assert numbers[0] == 2, f"a colour that is not red, green and blue: {codes}"
                colour = "#%02x%02x%02x" % tuple(numbers[1:4])
                front, behind = (colour, behind) if code == 38 else (front, colour)
                numbers = numbers[4:]
            else:
                assert code == 0, f"an unknown code {code}"
                front, behind = INK, None
    return found


def svg(text, name):
    """A picture of the text and its colours; `name` is what readers of screens read."""
    rows = [cells(line) for line in text.split("\n")]
    width = max(map(len, rows)) * WIDTH + 2 * WIDTH
    height = len(rows) * HEIGHT + HEIGHT
    areas = {}  # for each colour the rectangles, as a path
    texts = []

    def fill(colour, column, row, count, half=""):
        y = HEIGHT / 2 + row * HEIGHT + (HEIGHT / 2 if half == "lower" else 0)
        tall = HEIGHT / 2 if half else HEIGHT
        x = WIDTH + column * WIDTH
        areas[colour] = areas.get(colour, "") + (
            f"M{x} {y:g}h{count * WIDTH}v{tall:g}h-{count * WIDTH}z")

    for number, row in enumerate(rows):
        start = 0
        while start < len(row):
            character, front, behind = row[start]
            end = start + 1
            same = lambda cell: cell[1:] == (front, behind) and (
                cell[0] == character or HALF not in (cell[0], character)
                and not cell[0] == character == " ")
            while end < len(row) and same(row[end]):
                end += 1
            written = "".join(cell[0] for cell in row[start:end])
            if character == HALF:
                fill(front, start, number, end - start, "upper")
                if behind:
                    fill(behind, start, number, end - start, "lower")
            else:
                if behind:
                    fill(behind, start, number, end - start)
                for match in re.finditer(r"\S+(?: \S+)*", written):
                    count = len(match[0])
                    x = (start + match.start() + 1) * WIDTH
                    colour = "" if front == INK else f' fill="{front}"'
                    texts.append(
                        f'<text x="{x}" y="{number * HEIGHT + 1.25 * HEIGHT:g}" '
                        f'textLength="{count * WIDTH}"{colour}>{html.escape(match[0])}'
                        "</text>")
            start = end
    paths = [f'<path fill="{colour}" d="{path}"/>' for colour, path in areas.items()]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(name)}">',
        f'<rect width="{width}" height="{height}" rx="6" fill="{PAPER}" stroke="#d0d7de"/>',
        '<g shape-rendering="crispEdges">', *paths, "</g>",
        f'<g font-family="DejaVu Sans Mono, monospace" font-size="13" fill="{INK}">',
        *texts, "</g>", "</svg>", ""])
