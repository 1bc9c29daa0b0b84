"""Long arrays in few characters, for numbers that nobody reads one by one: rows used, and how much of each.

    {"dtype": "float64", "shape": [744778], "packed": {"as": "int8", "differences": false, "zlib": "eNr…"}}

`as` is the narrowest kind of integer that holds every number exactly, or the dtype itself where they are no
whole numbers; `differences` says that each number is written as what it adds to the one before (the first to
0). Of their bytes, little-endian, come first the lowest of all numbers, then the next lowest of all; they are
compressed by zlib, and written in base64. How many bytes there must be is known before anything is
decompressed, and no more are: a small file cannot fill the memory.
"""

import base64
import binascii
import zlib
from typing import Any

import numpy as np

from .kinds import Choice, Flag, Place, Schema, Text, members, members_schema

LONG = 256  # shorter arrays are lists that a person can read
WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")  # the narrowest first
BROKEN = ("float32", "float64")
PARTS = ("as", "differences", "zlib")
EXACT = 2**53  # whole numbers up to here are exact as float64
LARGEST = 2**62  # differences of numbers up to here do not overflow


def pack(array: Any) -> dict[str, Any]:
    """The numbers of an array of integers or floats."""
    numbers, differences = _whole(array.ravel()), False
    if numbers.dtype.kind != "f":
        changes = _changes(numbers)
        differences = changes.dtype.itemsize < numbers.dtype.itemsize
        numbers = changes if differences else numbers
    lowest_first = numbers.astype(numbers.dtype.newbyteorder("<")).view(np.uint8)
    planes = lowest_first.reshape(-1, numbers.dtype.itemsize).T.tobytes()
    text = base64.b64encode(zlib.compress(planes)).decode()
    return {"as": numbers.dtype.name, "differences": differences, "zlib": text}


def _whole(numbers: Any) -> Any:
    """As integers, if not a bit is lost."""
    if numbers.dtype.kind == "f":
        if not (np.abs(numbers) <= EXACT).all():
            return numbers
        whole = numbers.astype(np.int64)
        if (whole.astype(numbers.dtype).view(np.uint8) != numbers.view(np.uint8)).any():  # -0.0, too
            return numbers
        numbers = whole
    return _narrowed(numbers)


def _narrowed(numbers: Any) -> Any:
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    names = (name for name in WHOLE if np.iinfo(name).min <= low and high <= np.iinfo(name).max)
    return numbers.astype(next(names))


def _changes(numbers: Any) -> Any:
    """What each number adds to the one before."""
    if max(-int(numbers.min(initial=0)), int(numbers.max(initial=0))) > LARGEST:
        return numbers
    return _narrowed(np.diff(numbers.astype(np.int64), prepend=np.int64(0)))


def unpack(packed: Any, dtype: np.dtype[Any], size: int, place: Place) -> Any:
    """A flat array of this number of numbers, each of which the dtype holds exactly."""
    given = members(packed, PARTS, place)
    kinds = WHOLE if dtype.kind != "f" else (*WHOLE, dtype.name)
    kind = np.dtype(Choice(*kinds).unpack(given["as"], place.of("as")))
    differences = Flag().unpack(given["differences"], place.of("differences"))
    place.require_room(size * max(dtype.itemsize, 8))
    where = place.of("zlib")
    data = _decompressed(Text().unpack(given["zlib"], where), size * kind.itemsize, where)
    planes = np.frombuffer(data, np.uint8).reshape(kind.itemsize, size)
    numbers = np.ascontiguousarray(planes.T).view(kind.newbyteorder("<")).ravel()
    if differences:
        numbers = _added_up(numbers, place)
    return _converted(numbers, dtype, place)


def _decompressed(text: str, size: int, place: Place) -> bytes:
    """This number of bytes; one more is enough to see that there are too many."""
    unzip = zlib.decompressobj()
    try:
        data = unzip.decompress(base64.b64decode(text.encode(), validate=True), size + 1)
    except (binascii.Error, UnicodeEncodeError, zlib.error):
        raise place.refusal(text, "base64 of what zlib has compressed") from None
    if len(data) != size or not unzip.eof or unzip.unused_data:
        raise place.refusal(text, f"{size} bytes, compressed, as shape and kind say")
    return data


def _added_up(numbers: Any, place: Place) -> Any:
    if numbers.dtype.kind == "f":
        raise place.of("differences").refusal(True, "false, because the numbers are no integers")
    if np.abs(numbers.astype(np.float64)).sum() > LARGEST:
        raise place.of("differences").refusal(True, f"those of numbers below {LARGEST}")
    return np.cumsum(numbers, dtype=np.int64)


def _converted(numbers: Any, dtype: np.dtype[Any], place: Place) -> Any:
    array = numbers.astype(dtype)
    same = array == numbers if numbers.dtype.kind == "f" else array.astype(np.int64) == numbers
    exact = dtype.kind != "f" or numbers.dtype.kind == "f" or (np.abs(numbers) <= EXACT).all()
    if not (exact and (same | (numbers != numbers)).all()):
        raise place.refusal("an array", f"one of numbers that {dtype.name} can hold")
    return array


def schema() -> Schema:
    kind = {"enum": [*WHOLE, *BROKEN]}
    text = {"type": "string", "contentEncoding": "base64"}
    return members_schema({"as": kind, "differences": Flag().schema(), "zlib": text})
