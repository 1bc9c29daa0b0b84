"""The classes of a classifier, in every dtype that labels come in."""

import re
from itertools import pairwise
from typing import Any

import numpy as np

from .arrays import FLOATS, PARTS, Array, array_schema, read_shape
from .kinds import Field, Place, Schema, Text, members

NUMBERS = (
    "bool",
    *(f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u")),
    "float16",
    *FLOATS,
)
FIXED = r"(?:<U|\|S)([1-9][0-9]{0,7})"  # text or bytes of a width, as NumPy writes them
CHARACTERS = 2**24  # of all labels together: one long label and many short ones must not fill the memory


class Labels(Field):
    """Classes, each greater than the one before: numbers, text, bytes, or Python objects of one such kind."""

    def __init__(self, size: str, least: int = 2) -> None:
        self.size, self.least = size, least

    def pack(self, value: Any) -> dict[str, Any]:
        array = np.asarray(value)
        values = [one.item() if isinstance(one, np.generic) else one for one in array.tolist()]
        values = [one.decode("latin-1") if isinstance(one, bytes) else one for one in values]
        return {"dtype": _dtype_name(array.dtype), "shape": list(array.shape), "values": values}

    def unpack(self, packed: Any, place: Place) -> Any:
        given, where = members(packed, PARTS, place), place.of("values")
        name = Text().unpack(given["dtype"], place.of("dtype"))
        if name in NUMBERS:
            array = Array(NUMBERS, (self.size,)).unpack(packed, place)
        else:
            read_shape(given, (self.size,), place)
            array = _others(given["values"], name, place)
        if len(array) < self.least:
            raise where.refusal(given["values"], f"{self.least} labels or more")
        if not _ascending(array.tolist()):
            raise where.refusal(given["values"], "labels of one kind in ascending order")
        return array

    def schema(self) -> Schema:
        fixed = {"type": "string", "pattern": f"^{FIXED}$", "maxLength": 10}  # "$" lets a line end pass
        names = {"anyOf": [{"enum": [*NUMBERS, "object"]}, fixed]}
        labels = array_schema(names, {"type": ["number", "boolean", "string"]}, (self.size,))
        labels["properties"]["values"]["minItems"] = self.least
        return labels


def _dtype_name(dtype: np.dtype[Any]) -> str:
    if dtype.kind == "U":
        return f"<U{dtype.itemsize // 4}"
    if dtype.kind == "S":
        return f"|S{dtype.itemsize}"
    if dtype.kind != "O" and dtype.name not in NUMBERS:
        raise ValueError(f"labels of dtype {dtype}; use numbers or text")
    return dtype.name


def _others(values: list[Any], name: str, place: Place) -> Any:
    """Labels that are not numbers of a NumPy dtype."""
    fixed = re.fullmatch(FIXED, name)
    if not fixed and name != "object":
        raise place.of("dtype").refusal(name, "a dtype that labels have")
    width, kinds = (int(fixed[1]), (str,)) if fixed else (0, (str, bool, int, float))
    if width * len(values) > CHARACTERS:
        raise place.of("dtype").refusal(name, f"no more than {CHARACTERS} characters for all labels")
    highest = "\xff" if name[0] == "|" else "\U0010ffff"
    for number, value in enumerate(values):
        if type(value) not in kinds or (fixed and (len(value) > width or max(value, default="") > highest)):
            raise place.of("values").at(number).refusal(value, f"a label of dtype {name}")
    return np.array([one.encode("latin-1") for one in values] if name[0] == "|" else values, name)


def _ascending(values: list[Any]) -> bool:
    try:
        return all(one < other for one, other in pairwise(values))
    except TypeError:  # text among numbers
        return False
