#!/usr/bin/env python3
"""Files of tensors between Python and heed, bit for bit, both ways.

    safetensors_exchange.py COPY

writes a file, has the program COPY (safetensors_copy.cpp) read it and write it anew, and
reads that. The format is spelt out here a second time, by Python's standard library alone,
so that heed's reader and writer are not each other's only witnesses.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile


def write(path, tensors, metadata):
    """tensors: name -> (dtype, shape, bytes)."""
    header, data = {}, b""
    for name, (dtype, shape, block) in tensors.items():
        offsets = [len(data), len(data) + len(block)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        data += block
    header["__metadata__"] = metadata
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size).decode()), file.read()
    assert size % 8 == 0, "the data begin at a multiple of eight bytes"
    metadata = header.pop("__metadata__", {})
    tensors, end = {}, 0
    for name, entry in header.items():
        begin, stop = entry["data_offsets"]
        assert begin == end, "the tensors follow one another"
        end = stop
        tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    assert end == len(data), "the tensors fill the data"
    return tensors, metadata


def main():
    (copy,) = sys.argv[1:]
    nan, numbers = 0xFFC01234, range(-3, 3)
    tensors = {
        "flags": ("BOOL", [5], bytes([1, 0, 0, 1, 1])),
        "W_k.weight": ("F32", [2, 3], struct.pack("<6f", *(n / 7 for n in numbers))),
        "bits": ("F32", [2], struct.pack("<2I", nan, 1)),
        "wide": ("F64", [3, 1, 2], struct.pack("<6d", *(n / 7 for n in numbers))),
        "scalar": ("F64", [], struct.pack("<d", -0.0)),
        "ids": ("I64", [2], struct.pack("<2q", -(2**63), 2**63 - 1)),
        "none": ("F32", [4, 0], b""),
        "é \"\\\n\0😀": ("I64", [1, 1, 1, 1, 1, 1, 1, 1], struct.pack("<q", 7)),
        "": ("F32", [1], struct.pack("<f", 0.5)),
    }
    metadata = {"format": "pt", "é": "\u2028\n\""}
    with tempfile.TemporaryDirectory() as folder:
        there, back = os.path.join(folder, "there"), os.path.join(folder, "back")
        write(there, tensors, metadata)
        subprocess.run([copy, there, back], check=True)
        assert read(back) == (tensors, metadata), read(back)
    print(f"{len(tensors)} tensors went there and back")


main()
