"""PNG files: those of 8 bits a channel and of palettes are read, small ones with a palette
are written. (https://www.w3.org/TR/png-3/)"""

import collections
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 6: 4}  # of each colour type


def read(data):
    """Width, height and pixels: for each row a list of (red, green, blue)."""
    assert data.startswith(SIGNATURE), "this is no PNG file"
    chunks, at = collections.defaultdict(bytes), len(SIGNATURE)
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunks[kind] += data[at + 8:at + 8 + size]
        at += size + 12
    width, height, depth, colour, *_, interlaced = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert depth * CHANNELS[colour] in (1, 2, 4, 8, 24, 32) and not interlaced
    palette = [tuple(chunks[b"PLTE"][i:i + 3]) for i in range(0, len(chunks[b"PLTE"]), 3)]
    step = max(1, depth * CHANNELS[colour] // 8)  # bytes from a pixel to the next
    stride = (width * depth * CHANNELS[colour] + 7) // 8
    raw, above, rows = zlib.decompress(chunks[b"IDAT"]), bytearray(stride), []
    for at in range(0, height * (stride + 1), stride + 1):
        line = unfiltered(raw[at], bytearray(raw[at + 1:at + 1 + stride]), above, step)
        if colour in (0, 3):
            numbers = [line[i * depth // 8] >> (8 - depth - i * depth % 8) & (1 << depth) - 1
                       for i in range(width)]
            rows.append([palette[n] if palette else (n * 255 // ((1 << depth) - 1),) * 3
                         for n in numbers])
        else:
            rows.append([tuple(line[i:i + 3]) for i in range(0, stride, step)])
        above = line
    return width, height, rows


def unfiltered(kind, line, above, step):
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        up, corner = above[i], above[i - step] if i >= step else 0
        if kind == 4:
            guess = left + up - corner
            line[i] = line[i] + min((left, up, corner), key=lambda x: abs(guess - x)) & 255
        elif kind:
            line[i] = line[i] + (0, left, up, (left + up) // 2)[kind] & 255
    return line


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def write(rows, colours=48):
    """A PNG file of the most frequent colours: of those that are much alike, one."""
    coarse = lambda pixel: tuple(channel >> 4 for channel in pixel)
    shades = collections.defaultdict(collections.Counter)
    for row in rows:
        for pixel, count in collections.Counter(row).items():
            shades[coarse(pixel)][pixel] += count
    groups = sorted(shades.values(), key=lambda group: -sum(group.values()))
    palette = [group.most_common(1)[0][0] for group in groups[:colours]]
    nearest = {}
    for group in shades.values():
        for pixel in group:
            nearest[pixel] = min(range(len(palette)), key=lambda i: sum(
                (a - b) ** 2 for a, b in zip(pixel, palette[i])))
    raw = b"".join(bytes([0, *(nearest[pixel] for pixel in row)]) for row in rows)
    size = struct.pack(">II", len(rows[0]), len(rows))
    return (SIGNATURE + chunk(b"IHDR", size + bytes([8, 3, 0, 0, 0]))
            + chunk(b"PLTE", bytes(channel for colour in palette for channel in colour))
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))
