"""Fields made of other fields: optional ones, alternatives, lists, records; `COLUMNS`, which every
estimator has, and `SEEN`, which every classifier has."""

from collections.abc import Iterable
from dataclasses import MISSING
from typing import Any

import numpy as np

from ..seen_rows import SeenRows
from .arrays import Array, Names
from .kinds import Count, Field, Flag, Place, Schema, members, members_schema


class Optional(Field):
    """None, or the field."""

    def __init__(self, field: Field) -> None:
        self.field = field

    def pack(self, value: Any) -> Any:
        return None if value is None else self.field.pack(value)

    def unpack(self, packed: Any, place: Place) -> Any:
        return None if packed is None else self.field.unpack(packed, place)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "null"}, self.field.schema()]}


class IfSet(Optional):
    """An attribute that some models do not have at all; null in the file."""


class Either(Field):
    """The first of several fields that takes the value."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields

    def _first(self, attempts: Iterable[Any]) -> Any:
        error = ValueError("no field given")
        for attempt in attempts:
            try:
                return attempt()
            except (TypeError, ValueError) as refused:
                error = ValueError(str(refused))
        raise error

    def pack(self, value: Any) -> Any:
        return self._first(lambda field=field: field.pack(value) for field in self.fields)

    def unpack(self, packed: Any, place: Place) -> Any:
        return self._first(lambda field=field: field.unpack(packed, place) for field in self.fields)

    def schema(self) -> Schema:
        return {"anyOf": [field.schema() for field in self.fields]}


class Each(Field):
    """A list of the field; `size` names its length."""

    def __init__(self, field: Field, size: str | None = None) -> None:
        self.field, self.size = field, size

    def pack(self, value: Any) -> list[Any]:
        return [self.field.pack(one) for one in value]

    def unpack(self, packed: Any, place: Place) -> Any:
        if not isinstance(packed, list):
            raise place.refusal(packed, "a list")
        place.require_size(self.size, len(packed))
        return [self.field.unpack(one, place.at(number)) for number, one in enumerate(packed)]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.field.schema()}


class OneOrMore(Each):
    """A list in the file, not empty; in the model the bare value where there is one only."""

    def schema(self) -> Schema:
        return {**super().schema(), "minItems": 1}

    def pack(self, value: Any) -> list[Any]:
        return super().pack(value if isinstance(value, list | np.ndarray) else [value])

    def unpack(self, packed: Any, place: Place) -> Any:
        values = super().unpack(packed, place)
        return values[0] if len(values) == 1 else values


class Record(Field):
    """An object with a field per member: a named tuple, a dataclass or a dict."""

    def __init__(self, make: Any, fields: dict[str, Field]) -> None:
        names = getattr(make, "_fields", None) or tuple(getattr(make, "__dataclass_fields__", fields))
        if set(names) != set(fields):  # a member without a field would be lost in silence
            raise TypeError(f"{make.__name__} has the members {names}, declared are {tuple(fields)}")
        self.make, self.fields = make, fields

    def _values(self, value: Any) -> dict[str, Any]:
        if self.make is dict:
            return dict(value)
        if not isinstance(value, self.make):
            raise TypeError(f"{value!r} is no {self.make.__name__}")
        return {name: getattr(value, name) for name in self.fields}

    def _defaults(self) -> list[tuple[str, Any]]:
        if hasattr(self.make, "_field_defaults"):
            return list(self.make._field_defaults.items())
        declared = getattr(self.make, "__dataclass_fields__", {})
        return [(name, one.default) for name, one in declared.items() if one.default is not MISSING]

    def pack(self, value: Any) -> dict[str, Any]:
        values = self._values(value)
        return {name: field.pack(values[name]) for name, field in self.fields.items()}

    def unpack(self, packed: Any, place: Place) -> Any:
        if isinstance(packed, dict):  # members that did not exist when the file was written
            absent = {name: value for name, value in self._defaults() if name not in packed}
            packed = {**{name: self.fields[name].pack(value) for name, value in absent.items()}, **packed}
        given = members(packed, self.fields, place)
        values = {
            name: field.unpack(given[name], place.inside().of(name)) for name, field in self.fields.items()
        }
        try:
            return self.make(**values)
        except ValueError as error:  # of a class that refuses values that do not fit together
            raise ValueError(f"{place.path}: {str(error).removesuffix('.')}") from None

    def schema(self) -> Schema:
        return members_schema({name: field.schema() for name, field in self.fields.items()})


class Tuples(Field):
    """A tuple of tuples, each with a value per field; lists in the file."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields

    def pack(self, value: Any) -> list[list[Any]]:
        return [[field.pack(part) for field, part in zip(self.fields, one, strict=True)] for one in value]

    def unpack(self, packed: Any, place: Place) -> Any:
        if not isinstance(packed, list):
            raise place.refusal(packed, "a list")
        return tuple(self._unpack_one(one, place.at(number)) for number, one in enumerate(packed))

    def _unpack_one(self, packed: Any, place: Place) -> tuple[Any, ...]:
        if not isinstance(packed, list) or len(packed) != len(self.fields):
            raise place.refusal(packed, f"a list of {len(self.fields)} values")
        parts = zip(self.fields, packed, strict=True)
        return tuple(field.unpack(part, place.at(number)) for number, (field, part) in enumerate(parts))

    def schema(self) -> Schema:
        size = len(self.fields)
        items = {"type": "array", "prefixItems": [field.schema() for field in self.fields]}
        return {"type": "array", "items": {**items, "minItems": size, "maxItems": size}}


SEEN: dict[str, Field] = {  # which every classifier has
    "_seen_rows": IfSet(
        Record(
            SeenRows,
            {
                "n_rows": Count(least=1),
                "marks": Array(("int64",), (".marks",), compact=True),
                "weighted": Flag(),
                "streamed": Flag(),
            },
        )
    )
}
COLUMNS: dict[str, Field] = {
    "n_features_in_": Count(least=1, size="features"),
    "feature_names_in_": IfSet(Names("features")),
}
