"""What a user knows of columns: with which risk can only rise or fall, which must have a rule, which none."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..checks import is_number
from ..tables.cells import NUMERIC
from ..tables.literal_encoder import LiteralEncoder
from ..tables.table_encoder import names_in

FOLLOWS = ("", "days", "hours", "year")  # the parts of a column that rise with it; a month does not


class Limits(NamedTuple):
    """By the numbers of the columns that the encoder uses."""

    signs: Array  # of the weights of their rules: +1, −1, or 0 for either
    required: Array
    allowed: Array  # whether rules may speak of them

    def signs_of(self, places: Sequence[tuple[int, ...]], attributes: Array) -> Array:
        """The signs of the weights of these conjunctions, none of which speaks of columns of both."""
        return np.array([np.sign(self.signs[attributes[list(one)]].sum()) for one in places], np.int64)


def read_limits(
    encoder: LiteralEncoder, monotone: Any = None, required: Any = None, forbidden: Any = None
) -> Limits:
    """What the parameters mean for a fitted encoder."""
    sources = encoder.sources_
    signs, needed = np.zeros(len(sources), np.int64), np.zeros(len(sources), np.bool_)
    allowed = np.ones(len(sources), np.bool_)
    for source, sign in _signs(encoder, monotone).items():
        for j in _parts(encoder, source, "monotone"):
            signs[j] = sign
            allowed[j] = encoder.kinds_[j] == NUMERIC and encoder.part_of(j) in FOLLOWS
        if not allowed[[source in own for own in sources]].any():
            raise ValueError(
                f"monotone has {names_in(encoder)[source]!r}, but its values are names, which do not rise; "
                "leave it out, or turn names into numbers."
            )
        for j, own in enumerate(sources):
            allowed[j] &= source not in own or len(own) == 1  # what it is joined to does not rise with it
    for source in _listed(encoder, "forbidden", forbidden):
        allowed[[source in own for own in sources]] = False
    for source in _listed(encoder, "required", required):
        mine = [j for j in _parts(encoder, source, "required") if allowed[j]]
        if not mine:
            raise ValueError(
                f"required has {names_in(encoder)[source]!r}, but no rule may speak of it; take it out of "
                "forbidden."
            )
        needed[mine[0]] = True
    if not allowed[np.unique(encoder.attributes_)].any():
        raise ValueError("forbidden leaves no column for rules; give fewer columns.")
    return Limits(signs, needed, allowed)


def _signs(encoder: LiteralEncoder, monotone: Any) -> dict[int, int]:
    """The sign of each column that has one."""
    if monotone is None:
        return {}
    if not isinstance(monotone, Mapping):
        raise ValueError(f"monotone={monotone!r}, but it must be a dict such as {{'age': +1}}; give one.")
    found: dict[int, int] = {}
    for name, sign in monotone.items():
        if not is_number(sign, Integral) or sign not in (-1, 0, 1):
            raise ValueError(
                f"monotone has {sign!r} for {name!r}, but a sign is +1 (the risk of classes_[1] rises with "
                "the column), -1 (it falls) or 0 (either); use one of these."
            )
        source = place_of_column(encoder, name, "monotone")
        if found.get(source, sign) != sign:
            raise ValueError(
                f"monotone has the signs {found[source]:+d} and {sign:+d} for the column "
                f"{names_in(encoder)[source]!r}; give one of them."
            )
        found[source] = int(sign)
    return {source: sign for source, sign in found.items() if sign}


def _parts(encoder: LiteralEncoder, source: int, parameter: str) -> list[int]:
    """The columns that the encoder makes of one column alone."""
    mine = [j for j, own in enumerate(encoder.sources_) if own == (source,)]
    used = set(encoder.attributes_.tolist())
    if not any(j in used for j in mine):
        raise ValueError(
            f"{parameter} has {names_in(encoder)[source]!r}, but nothing can be learned from that column: it "
            f"was left out, or is constant; take it out of {parameter}, or keep it by keep="
            f"[{names_in(encoder)[source]!r}]."
        )
    return [j for j in mine if j in used]


def _listed(encoder: LiteralEncoder, parameter: str, given: Any) -> list[int]:
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise ValueError(f"{parameter}={given!r}, but it must be a list of columns; give their names.")
    return [place_of_column(encoder, one, parameter) for one in given]


def place_of_column(encoder: LiteralEncoder, column: Any, parameter: str) -> int:
    """The number of a column, given by its name or its number."""
    names = names_in(encoder)
    if is_number(column, Integral) and 0 <= column < len(names):
        return int(column)
    if isinstance(column, str) and column in names:
        return names.index(column)
    some = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    raise ValueError(f"{parameter} has {column!r}, but the columns are {some}; use one of these names.")
