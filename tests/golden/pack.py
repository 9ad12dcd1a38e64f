#!/usr/bin/env python3
"""Reference cases in files: one per case, or one per group.

    pack.py FOLDER PACKED [GROUP]...

reads a folder of cases, one .safetensors file each beside an index.json, and writes those
of the named groups (of all groups, if none is named) into the folder PACKED, a file
per group. tests/golden/case.h says how both look. Needs Python alone.
"""
import json
import os
import struct
import sys

# How many bytes an element has.
WIDTH = {"F64": 8, "I64": 8, "F32": 4, "BOOL": 1}


def write_tensors(path, tensors):
    """tensors: name -> (dtype, shape, bytes), as read_tensors returns them."""
    header, blocks, end = {}, [], 0
    # Widest elements first, so that every tensor starts at a multiple of its width.
    for name in sorted(tensors, key=lambda name: (-WIDTH[tensors[name][0]], name)):
        dtype, shape, data = tensors[name]
        header[name] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [end, end + len(data)],
        }
        blocks.append(data)
        end += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blocks))


def read_tensors(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    return tensors


class Packer:
    """Gathers cases, and writes one file per group and the index."""

    def __init__(self):
        self.groups = {}
        self.entries = []

    def add(self, case, group, dtype, metadata, tensors):
        """metadata: text -> text. tensors: as write_tensors takes them."""
        prefix = f"{case}.{dtype}/"
        file = self.groups.setdefault(group, {})
        for name, tensor in tensors.items():
            if prefix + name in file:
                raise ValueError(f"{prefix + name} is there already")
            file[prefix + name] = tensor
        kept = {k: v for k, v in metadata.items() if k not in ("case", "group", "dtype")}
        self.entries.append(
            {
                "case": case,
                "dtype": dtype,
                "group": group,
                "file": group + ".safetensors",
                "prefix": prefix,
                "metadata": kept,
            }
        )

    def write(self, folder, reference):
        """`reference` says what computed the numbers."""
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(folder):
            if name.endswith(".safetensors"):
                os.remove(os.path.join(folder, name))
        for group, tensors in self.groups.items():
            write_tensors(os.path.join(folder, group + ".safetensors"), tensors)
        lines = ",\n".join(json.dumps(entry) for entry in self.entries)
        with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as file:
            title = json.dumps(reference)
            file.write(f'{{"reference": {title},\n"cases": [\n{lines}\n]}}\n')


def main(source, target, groups):
    with open(os.path.join(source, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    packer = Packer()
    for entry in index["cases"]:
        if groups and entry["group"] not in groups:
            continue
        packer.add(
            entry["case"],
            entry["group"],
            entry["dtype"],
            entry["metadata"],
            read_tensors(os.path.join(source, entry["file"])),
        )
    packer.write(target, index.get("reference", ""))
    print(f"{len(packer.entries)} cases in {len(packer.groups)} files")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
