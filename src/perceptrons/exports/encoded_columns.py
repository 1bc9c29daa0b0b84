"""What models read: columns of a table as inputs, and what encoders make of them."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

from ..tables.cells import BOOLEAN, NUMERIC
from ..tables.literal_cells import BETWEEN
from ..tables.table_encoder import names_in
from ..tables.treatments import AS_IS, LEFT_OUT, Part, parts
from ..tables.written_numbers import COMMA, POINT
from .program import (
    NUMBER,
    TEXT,
    TRUTH,
    Above,
    All,
    Always,
    Feature,
    Holds,
    Indicator,
    Input,
    Named,
    Raw,
    Scaled,
    Sign,
    Standardized,
    Statement,
)

DAYS, HOURS = "days since 1970-01-01", "hours since midnight"
WRITTEN = {POINT: "1234.5 where the table has 1,234.50", COMMA: "1234.5 where the table has 1.234,50"}
MOST_SPLITS = 1000  # ways in which a joined name can be taken apart


class Columns:
    """The inputs found so far; each column is one input, however often it is used."""

    def __init__(self, owner: Any) -> None:
        self.names = names_in(owner)
        self.named = hasattr(owner, "feature_names_in_")
        self.inputs: list[Input] = []

    def take(self, place: int, kind: str, note: str = "") -> int:
        wanted = Input(self.names[place], kind, place, note)
        for number, one in enumerate(self.inputs):
            if one.place == place and one != wanted:
                raise ValueError(
                    f"Column {one.name!r} is read as {one.kind} by one part of the model and as {kind} by "
                    "another; give all parts the same encoder."
                )
            if one == wanted:
                return number
        self.inputs.append(wanted)
        return len(self.inputs) - 1

    def raw(self) -> list[Feature]:
        """All columns as they are, without an encoder."""
        return [Raw(self.take(place, NUMBER)) for place in range(len(self.names))]


def encoded(encoder: Any, columns: Columns) -> list[Feature]:
    """The coordinates that a `TableEncoder` makes."""
    own = parts(columns.names, getattr(encoder, "treatments_", None))
    found: list[Feature] = []
    facts = zip(own, encoder.kinds_, encoder.means_, encoder.scales_, encoder.categories_, strict=True)
    for part, kind, mean, scale, categories in facts:
        if kind == NUMERIC and scale == 0.0:  # constant: nothing has been learned from it
            found.append(Indicator(Always(False)))
        elif kind == NUMERIC:
            found.append(Standardized(number_of(encoder, part, columns), float(mean), float(scale)))
        elif kind == BOOLEAN:
            found.append(Sign(columns.take(part.source, TRUTH)))
        else:
            place = text_of(part, columns) if categories else -1
            found += [Indicator(Named(place, name)) for name in categories]
    return found


def literals(encoder: Any, columns: Columns, places: Sequence[int]) -> list[Statement]:
    """Those of the literals of a `LiteralEncoder` that have these places."""
    own = parts(columns.names, getattr(encoder, "treatments_", None))
    return [_literal(encoder, own, columns, place) for place in places]


def _literal(encoder: Any, own: list[Part], columns: Columns, place: int) -> Statement:
    literal, owner = encoder.literals_[place], int(encoder.attributes_[place])
    if owner >= len(own):
        return _joined(encoder, encoder.groups_[owner - len(own)], columns, literal.value)
    part, kind = own[owner], encoder.kinds_[owner]
    if kind == NUMERIC:
        return Above(number_of(encoder, part, columns), float(literal.value))
    if kind == BOOLEAN:
        return Holds(columns.take(part.source, TRUTH), literal.value == "true")
    return Named(text_of(part, columns), literal.value)


def number_of(encoder: Any, part: Part, columns: Columns) -> int:
    """A column of numbers, or of texts that write numbers or dates: as the numbers they stand for."""
    treatment = (getattr(encoder, "treatments_", None) or [AS_IS] * len(columns.names))[part.source]
    assert treatment not in LEFT_OUT
    if part.part not in ("", "days", "hours"):
        raise _no_dates(part, columns)
    note = {"days": DAYS, "hours": HOURS}.get(part.part, WRITTEN.get(treatment, ""))
    return columns.take(part.source, NUMBER, note)


def text_of(part: Part, columns: Columns) -> int:
    if part.part:
        raise _no_dates(part, columns)
    return columns.take(part.source, TEXT)


def _no_dates(part: Part, columns: Columns) -> ValueError:
    return ValueError(
        f"The model reads {part.name!r} out of the dates in {columns.names[part.source]!r}, which cannot be "
        f"exported; make {part.part} a column of its own, or leave the dates out, and fit again."
    )


def _joined(encoder: Any, group: Sequence[int], columns: Columns, value: str) -> Statement:
    """Names joined by blanks: the name is taken apart, in all ways if names hold blanks themselves."""
    inputs = [columns.take(place, TEXT) for place in group]
    words = value.split(BETWEEN)
    ways = list(_ways(words, len(inputs)))
    if len(ways) > MOST_SPLITS:
        raise ValueError(
            f"The joined name {value!r} can be taken apart in {len(ways)} ways, more than {MOST_SPLITS}, and "
            "cannot be exported; shorten the names, or leave the group out."
        )
    found: list[Statement] = []
    for names in ways:
        equal = tuple(Named(one, name) for one, name in zip(inputs, names, strict=True))
        found.append(All(equal, (True,) * len(equal)))
    if len(found) == 1:
        return found[0]
    return All(tuple(found), (False,) * len(found), negated=True)  # one of them


def _ways(words: list[str], n_parts: int) -> Any:
    for ends in combinations(range(1, len(words)), n_parts - 1):
        cuts = (0, *ends, len(words))
        yield [BETWEEN.join(words[a:b]) for a, b in pairwise(cuts)]


def scaled(scaler: Any, features: list[Feature]) -> list[Feature]:
    """What scikit-learn's `StandardScaler` makes of them."""
    n = len(features)
    means = scaler.mean_.tolist() if scaler.with_mean else [0.0] * n
    scales = scaler.scale_.tolist() if scaler.with_std else [1.0] * n
    return [Scaled(*one) for one in zip(features, means, scales, strict=True)]
