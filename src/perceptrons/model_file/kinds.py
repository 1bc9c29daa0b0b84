"""What a field is, where it stands in the file, and the fields that hold one plain value."""

import math
import operator
import re
import reprlib
from fractions import Fraction
from typing import Any, NamedTuple

Schema = dict[str, Any]

MOST = 2**53  # counts up to here are exact in every language that reads JSON
# bytes of a file, and of the arrays that are packed in it; what is read takes up to some twenty times as much
LIMIT = 2**28
RATIO = re.compile("[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")  # more digits Python does not read
MOST_DIGITS = 8001
SHOWN = 200  # characters of a value that is refused
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}  # JSON has no numbers for them


class Room:
    """How much memory what is packed in a file may still take, which the file itself says."""

    def __init__(self, n_bytes: int) -> None:
        self.most = self.left = n_bytes


class Place(NamedTuple):
    """Where in the file something stands, the sizes that have been read so far, and what room is left."""

    path: str
    sizes: dict[tuple[str, str], int]
    home: str = ""  # the record around it, to which sizes that begin with a dot belong
    room: Room | None = None

    def of(self, name: str) -> "Place":
        return self._replace(path=f"{self.path}.{name}" if self.path else name)

    def at(self, number: int) -> "Place":
        return self._replace(path=f"{self.path}[{number}]")

    def inside(self) -> "Place":
        return self._replace(home=self.path)

    def refusal(self, value: Any, must: str) -> ValueError:
        shown = reprlib.repr(value)  # of a dict of dicts, still long
        shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]} …"
        return ValueError(f"{self.path or 'it'} is {shown}, but it must be {must}")

    def require_room(self, n_bytes: int) -> None:
        """May this number of bytes be unpacked here, after what has been unpacked before?"""
        room = self.room or Room(LIMIT)
        if n_bytes > room.left:
            raise ValueError(
                f"{self.path} would bring what is packed to {room.most - room.left + n_bytes:,} bytes, more "
                f"than max_bytes={room.most:,}; raise max_bytes if you trust it"
            )
        room.left -= n_bytes

    def require_size(self, name: str | int | None, size: int) -> None:
        """The size bearing this name must be the same wherever it is read; a number stands for itself."""
        if name is None:
            return
        key = (self.home if str(name).startswith(".") else "", str(name))
        expected = name if isinstance(name, int) else self.sizes.setdefault(key, size)
        if size != expected:
            what = "" if isinstance(name, int) else f" {name.strip('.')}"
            raise ValueError(f"{self.path} has {size}{what}, but it must have {expected} as the rest implies")


class Field:
    """A kind of value: how it is written to JSON, read back, and described to other programs."""

    def pack(self, value: Any) -> Any:
        raise NotImplementedError

    def unpack(self, packed: Any, place: Place) -> Any:
        """The value, or a ValueError that names the place."""
        raise NotImplementedError

    def schema(self) -> Schema:
        """The JSON Schema of what `pack` returns."""
        raise NotImplementedError


def members(packed: Any, names: Any, place: Place) -> dict[str, Any]:
    """The members of a JSON object that must have these names, no fewer and no more."""
    if not isinstance(packed, dict):
        raise place.refusal(packed, "an object")
    for name in [*packed, *names]:
        if name not in packed:
            raise ValueError(f"{place.of(name).path} is missing")
        if name not in names:
            raise ValueError(f"{place.of(reprlib.repr(name)).path} is nothing this version knows")
    return packed


def members_schema(properties: dict[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class Count(Field):
    """An integer from `least` to `most`; with `size`, one that shapes must agree with."""

    def __init__(self, least: int = 0, most: int = MOST, size: str | None = None) -> None:
        self.least, self.most, self.size = least, most, size

    def pack(self, value: Any) -> int:
        return int(operator.index(value))

    def unpack(self, packed: Any, place: Place) -> int:
        if type(packed) is not int or not self.least <= packed <= self.most:
            raise place.refusal(packed, f"an integer from {self.least} to {self.most}")
        place.require_size(self.size, packed)
        return packed

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


class Real(Field):
    """A number ≥ `least`; with `finite=False` also NaN and the infinities, written as text."""

    def __init__(self, least: float = -math.inf, finite: bool = True) -> None:
        self.least, self.finite = least, finite

    def pack(self, value: Any) -> float | str:
        number = float(value)
        return number if math.isfinite(number) else str(number)

    def unpack(self, packed: Any, place: Place) -> float:
        number = real(packed, place, self.finite)
        if number < self.least:
            raise place.refusal(packed, f"a number >= {self.least:g}")
        return number

    def schema(self) -> Schema:
        number: Schema = {"type": "number"}
        if self.least > -math.inf:
            number["minimum"] = self.least
        return number if self.finite else {"anyOf": [number, {"enum": list(NOT_FINITE)}]}


def real(packed: Any, place: Place, finite: bool) -> float:
    """A float from JSON, where 1e999 reads as infinity and NaN is spelled as text."""
    if not finite and isinstance(packed, str) and packed in NOT_FINITE:
        return NOT_FINITE[packed]
    if type(packed) not in (int, float) or not math.isfinite(packed):
        raise place.refusal(packed, "a finite number" if finite else 'a number, "nan", "inf" or "-inf"')
    return float(packed)


class Ratio(Field):
    """A fraction ≥ 0, written as text: "1/3". Earlier versions wrote such numbers rounded, as numbers."""

    def pack(self, value: Any) -> str:
        return str(Fraction(value))

    def unpack(self, packed: Any, place: Place) -> Fraction:
        if isinstance(packed, str):
            if len(packed) > MOST_DIGITS or not RATIO.fullmatch(packed):
                raise place.refusal(packed, f'a fraction such as "1/3", of at most {MOST_DIGITS} characters')
            return Fraction(packed)
        return Fraction(real(packed, place, finite=True))

    def schema(self) -> Schema:
        text = {"type": "string", "pattern": f"^{RATIO.pattern}$", "maxLength": MOST_DIGITS}
        return {"anyOf": [text, {"type": "number"}]}


class Flag(Field):
    """True or False."""

    def pack(self, value: Any) -> bool:
        return bool(value)

    def unpack(self, packed: Any, place: Place) -> bool:
        if not isinstance(packed, bool):
            raise place.refusal(packed, "true or false")
        return packed

    def schema(self) -> Schema:
        return {"type": "boolean"}


class Text(Field):
    """A string."""

    def pack(self, value: Any) -> str:
        return str(value)

    def unpack(self, packed: Any, place: Place) -> str:
        if not isinstance(packed, str):
            raise place.refusal(packed, "text")
        return packed

    def schema(self) -> Schema:
        return {"type": "string"}


class Choice(Text):
    """One of a few strings."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def unpack(self, packed: Any, place: Place) -> str:
        if not isinstance(packed, str) or packed not in self.choices:
            raise place.refusal(packed, f"one of {', '.join(map(repr, self.choices))}")
        return packed

    def schema(self) -> Schema:
        return {"enum": list(self.choices)}
