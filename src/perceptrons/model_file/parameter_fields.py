"""Fields that hold what a constructor was given, functions excepted, and sources of random numbers."""

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from .arrays import Array
from .compound import Record
from .kinds import NOT_FINITE, Count, Field, Flag, Place, Real, Schema, Text, members, members_schema, real

DIGITS = 40  # of an integer; longer ones take time that grows with the square of their length


@dataclass(frozen=True)
class LostFunction:
    """Stands where a function was when the model was saved: a file holds data, never code."""

    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError(
            f"The function {self.name!r} is not in the model file, which cannot hold functions; set the "
            "parameter again, for example with set_params."
        )


STATE = Record(
    dict,
    {
        "key": Array(("uint32",), (624,)),
        "pos": Count(0, 624),  # beyond it NumPy would read what is not there
        "has_gauss": Flag(),
        "gauss": Real(),
    },
)


class RandomState(Field):
    """A NumPy `RandomState` (Mersenne Twister), so that shuffles go on where they stopped."""

    def pack(self, value: Any) -> dict[str, Any]:
        state = value.get_state(legacy=False)
        if state["bit_generator"] != "MT19937":
            raise ValueError(f"a RandomState of {state['bit_generator']}; use RandomState(seed)")
        return STATE.pack({**state, **state["state"]})

    def unpack(self, packed: Any, place: Place) -> np.random.RandomState:
        state = STATE.unpack(packed, place)
        source = np.random.RandomState(0)
        gauss = int(state["has_gauss"]), state["gauss"]
        source.set_state(("MT19937", state["key"], state["pos"], *gauss))
        return source

    def schema(self) -> Schema:
        return STATE.schema()


class Parameter(Field):
    """What estimators take: None, flags, numbers, text, lists (also of lists), tuples, dicts, random states,
    functions."""

    def pack(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return {"tuple": [_pack_plain(one) for one in value]}
        if isinstance(value, list) and not _are_splits(value):
            return [[*map(_pack_plain, one)] if isinstance(one, list) else _pack_plain(one) for one in value]
        if isinstance(value, np.random.RandomState):
            return {"random_state": RandomState().pack(value)}
        if isinstance(value, dict):
            return {"dict": [[_pack_plain(name), _pack_plain(one)] for name, one in value.items()]}
        if callable(value) or hasattr(value, "get_n_splits") or _are_splits(value):
            return {"function": _name_of(value)}  # how rows were split is not needed to predict
        return _pack_plain(value)

    def unpack(self, packed: Any, place: Place) -> Any:
        if isinstance(packed, list):
            return [_unpack_item(one, place.at(i)) for i, one in enumerate(packed)]
        if not isinstance(packed, dict) or "number" in packed:
            return _unpack_plain(packed, place)
        (kind,) = packed if len(packed) == 1 else (None,)
        if kind == "tuple" and isinstance(packed[kind], list):
            return tuple(_unpack_plain(one, place.at(i)) for i, one in enumerate(packed[kind]))
        if kind == "dict" and isinstance(packed[kind], list):
            return dict(_unpack_pair(one, place.at(i)) for i, one in enumerate(packed[kind]))
        if kind == "random_state":
            return RandomState().unpack(packed[kind], place.of(kind))
        if kind == "function":
            return LostFunction(Text().unpack(packed[kind], place.of(kind)))
        raise place.refusal(packed, 'plain, or an object with "tuple", "dict", "random_state" or "function"')

    def schema(self) -> Schema:
        number = members_schema({"number": {"enum": list(NOT_FINITE)}})
        plain = {"anyOf": [{"type": ["null", "boolean", "number", "string"]}, number]}
        several = {"type": "array", "items": plain}
        lists = {"type": "array", "items": {"anyOf": [plain, several]}}
        pairs = {"type": "array", "items": {**several, "minItems": 2, "maxItems": 2}}
        special = {
            "tuple": several,
            "dict": pairs,
            "random_state": STATE.schema(),
            "function": Text().schema(),
        }
        return {"anyOf": [plain, lists, *(members_schema({name: one}) for name, one in special.items())]}


def _unpack_item(packed: Any, place: Place) -> Any:
    """A member of a list, which may be a list itself."""
    if isinstance(packed, list):
        return [_unpack_plain(one, place.at(i)) for i, one in enumerate(packed)]
    return _unpack_plain(packed, place)


def _are_splits(value: Any) -> bool:
    """A list of pairs of rows, to learn from and to test on."""
    pairs = isinstance(value, list) and all(isinstance(one, tuple | list) and len(one) == 2 for one in value)
    return bool(pairs and value and all(np.ndim(part) == 1 for one in value for part in one))


def _name_of(function: Any) -> str:
    if isinstance(function, LostFunction):
        return function.name
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _pack_plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**DIGITS:
        raise ValueError(f"an integer of more than {DIGITS} digits")
    if value is not None and not isinstance(value, bool | int | float | str):
        raise ValueError(f"{value!r}, which is neither a plain value nor a list or tuple of plain values")
    return value


def _unpack_plain(packed: Any, place: Place) -> Any:
    if isinstance(packed, dict):
        return real(members(packed, ("number",), place)["number"], place, finite=False)
    if isinstance(packed, list) or (isinstance(packed, float) and not math.isfinite(packed)):
        raise place.refusal(packed, "null, true, false, a finite number or text")
    return packed


def _unpack_pair(packed: Any, place: Place) -> tuple[Any, Any]:
    if not isinstance(packed, list) or len(packed) != 2:
        raise place.refusal(packed, "a name and a value")
    name, value = (_unpack_plain(one, place.at(i)) for i, one in enumerate(packed))
    return name, value


class Parameters(Field):
    """Parameters by name, whatever the names are: for an estimator to check."""

    def pack(self, value: Any) -> dict[str, Any]:
        return {name: Parameter().pack(one) for name, one in value.items()}

    def unpack(self, packed: Any, place: Place) -> dict[str, Any]:
        if not isinstance(packed, dict):
            raise place.refusal(packed, "an object")
        return {name: Parameter().unpack(one, place.of(name)) for name, one in packed.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": Parameter().schema()}
