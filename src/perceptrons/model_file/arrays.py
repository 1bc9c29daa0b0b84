"""Fields that hold arrays: {"dtype", "shape", "values"}, the values in one flat list, row by row. Of those
that are `compact`, long ones have "packed" instead of "values", see `packed.py`.

Neither shape nor dtype of a file is trusted: the values are counted, and compared with what they became.
"""

import math
from typing import Any

import numpy as np

from . import packed as few
from .kinds import NOT_FINITE, Choice, Count, Field, Place, Real, Schema, Text, members, members_schema, real

FLOATS = ("float64", "float32")
PARTS = ("dtype", "shape", "values")
PACKED = ("dtype", "shape", "packed")
TYPES = {"f": "number", "iu": "integer", "b": "boolean"}  # JSON's words for the kinds of dtypes


class Array(Field):
    """An array of one of these dtypes; its shape in names and numbers, () for a NumPy scalar. A `compact` one
    is not meant to be read by people or in other languages: if it is long, it is packed."""

    def __init__(
        self,
        dtypes: tuple[str, ...],
        shape: tuple[str | int, ...],
        *,
        finite: bool = True,
        compact: bool = False,
    ) -> None:
        self.dtypes, self.shape, self.finite, self.compact = dtypes, shape, finite, compact

    def pack(self, value: Any) -> dict[str, Any]:
        array = np.asarray(value)
        if array.dtype.name not in self.dtypes:
            raise ValueError(f"an array of dtype {array.dtype}, which is none of {', '.join(self.dtypes)}")
        head = {"dtype": array.dtype.name, "shape": list(array.shape)}
        if self.compact and array.size >= few.LONG:
            return {**head, "packed": few.pack(array)}
        values = array.ravel().tolist()
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            values = [value if math.isfinite(value) else str(value) for value in values]
        return {**head, "values": values}

    def unpack(self, packed: Any, place: Place) -> Any:
        is_packed = self.compact and isinstance(packed, dict) and "packed" in packed
        given = members(packed, PACKED if is_packed else PARTS, place)
        dtype = np.dtype(Choice(*self.dtypes).unpack(given["dtype"], place.of("dtype")))
        shape = read_shape(given, self.shape, place)
        if is_packed:
            return self._unpack_few(given["packed"], dtype, shape, place.of("packed"))
        return numbers(given["values"], dtype, self.finite, place.of("values")).reshape(shape)[()]

    def _unpack_few(self, packed: Any, dtype: np.dtype[Any], shape: tuple[int, ...], place: Place) -> Any:
        array = few.unpack(packed, dtype, math.prod(shape), place)
        if self.finite and dtype.kind == "f" and not np.isfinite(array).all():
            raise place.refusal("an array", f"one of finite values of dtype {dtype.name}")
        return array.reshape(shape)

    def schema(self) -> Schema:
        kinds = {np.dtype(name).kind for name in self.dtypes}
        types = [word for letters, word in TYPES.items() if kinds & set(letters)]
        number: Schema = {"type": types[0] if len(types) == 1 else types}
        items = number if self.finite else {"anyOf": [number, {"enum": list(NOT_FINITE)}]}
        plain = array_schema({"enum": list(self.dtypes)}, items, self.shape)
        if not self.compact:
            return plain
        head = {name: plain["properties"][name] for name in PACKED[:2]}
        return {"anyOf": [plain, members_schema({**head, "packed": few.schema()})]}


def array_schema(dtype: Schema, items: Schema, names: tuple[str | int, ...]) -> Schema:
    sizes = [{"const": name} if isinstance(name, int) else Count().schema() for name in names]
    shape = {"type": "array", "minItems": len(names), "maxItems": len(names)}
    shape |= {"prefixItems": sizes} if sizes else {}
    return members_schema({"dtype": dtype, "shape": shape, "values": {"type": "array", "items": items}})


def read_shape(given: dict[str, Any], names: tuple[str | int, ...], place: Place) -> tuple[int, ...]:
    """The shape, if there are as many values as it says (those packed are counted later) and its sizes agree
    with the rest of the model."""
    shape = given["shape"]
    if not isinstance(shape, list) or len(shape) != len(names):
        raise place.of("shape").refusal(shape, f"a list of {len(names)} integers")
    sizes = tuple(Count().unpack(size, place.of("shape")) for size in shape)
    values: Any = given.get("values")
    if "packed" not in given and (not isinstance(values, list) or len(values) != math.prod(sizes)):
        raise place.of("values").refusal(values, f"a list of {math.prod(sizes)} values, as shape says")
    for name, size in zip(names, sizes, strict=True):
        place.require_size(name, size)
    return sizes


def numbers(values: list[Any], dtype: np.dtype[Any], finite: bool, place: Place) -> Any:
    """A flat array of these values, each of which must be of the dtype's kind and survive the conversion."""
    kinds: set[type] = {bool} if dtype.kind == "b" else {int}
    if dtype.kind == "f":
        kinds = {int, float} if finite else {int, float, str}
    if set(map(type, values)) - kinds:
        number = next(i for i, value in enumerate(values) if type(value) not in kinds)
        raise place.at(number).refusal(values[number], f"a {'finite ' * finite}value of dtype {dtype.name}")
    if dtype.kind == "f":
        return _floats(values, dtype, place)
    if dtype.kind in "iu" and values:
        within = Count(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        within.unpack(min(values), place), within.unpack(max(values), place)
    return np.array(values, dtype)


def _floats(values: list[Any], dtype: np.dtype[Any], place: Place) -> Any:
    spelled = str in set(map(type, values))  # NaN and infinity are, and only they
    if spelled:
        values = [real(value, place.at(i), finite=False) for i, value in enumerate(values)]
    wide = np.array(values, np.float64)
    with np.errstate(all="ignore"):
        array = wide.astype(dtype)
    exact = (array == wide) & np.isfinite(array) | (spelled & ~np.isfinite(wide))
    if not exact.all():
        number = int(np.flatnonzero(~exact)[0])
        raise place.at(number).refusal(values[number], f"a number that {dtype.name} can hold")
    return array


class Names(Field):
    """An object array of strings, such as `feature_names_in_`; a plain list in the file."""

    def __init__(self, size: str | None = None) -> None:
        self.size = size

    def pack(self, value: Any) -> list[str]:
        return [Text().pack(name) for name in value]

    def unpack(self, packed: Any, place: Place) -> Any:
        if not isinstance(packed, list):
            raise place.refusal(packed, "a list of names")
        place.require_size(self.size, len(packed))
        return np.array([Text().unpack(name, place.at(i)) for i, name in enumerate(packed)], object)

    def schema(self) -> Schema:
        return {"type": "array", "items": Text().schema()}


class Structured(Field):
    """One row of a structured dtype (an array of length 1): counts ≥ 0 and finite numbers. Those that came
    `later` than the first files are 0 where a file lacks them."""

    def __init__(self, dtype: np.dtype[Any], later: tuple[str, ...] = ()) -> None:
        self.dtype, self.later = dtype, later
        self.fields: dict[str, Field] = {
            name: Count() if dtype[name].kind == "i" else Real() for name in dtype.names or ()
        }

    def pack(self, value: Any) -> dict[str, Any]:
        return {name: field.pack(value[name][0]) for name, field in self.fields.items()}

    def unpack(self, packed: Any, place: Place) -> Any:
        if isinstance(packed, dict):
            packed = {**dict.fromkeys(self.later, 0), **packed}
        given, row = members(packed, self.fields, place), np.zeros(1, self.dtype)
        for name, field in self.fields.items():
            row[name] = field.unpack(given[name], place.of(name))
        return row

    def schema(self) -> Schema:
        return members_schema({name: field.schema() for name, field in self.fields.items()})
