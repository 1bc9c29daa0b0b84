"""Packed arrays of model files, read in plain Python, as a program in another language would."""

import base64
import struct
import zlib

LETTERS = {
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float32": "f",
    "float64": "d",
}


def numbers(packed, size):
    """The list of so many numbers."""
    letter = LETTERS[packed["as"]]
    width = struct.calcsize(f"<{letter}")
    data = zlib.decompress(base64.b64decode(packed["zlib"]))
    assert len(data) == size * width
    values = []
    for i in range(size):
        own = bytes(data[plane * size + i] for plane in range(width))
        values += struct.unpack(f"<{letter}", own)
    if packed["differences"]:
        for i in range(1, size):
            values[i] += values[i - 1]
    return values
