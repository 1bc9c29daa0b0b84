"""What a table is for: its columns described, its target split off, its columns laid out for an encoder."""

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from .._types import Array
from .cells import NOMINAL, NUMERIC, as_name, column_of, kind_of, shown
from .read import MISSING, Frame, Series, as_labels, as_names, as_numbers_or_none, as_truths
from .table_error import Argument, TableError

FEW_VALUES = 20  # up to this number of different values, numbers may always be classes


class Facts(NamedTuple):
    """A column for display."""

    name: str
    kind: str
    missing: int
    distinct: int  # different values, not counting missing

    def names_rows(self, n_rows: int) -> bool:
        """Whether a nominal column tells rows apart, like a name or a number of a file, instead of groups."""
        return self.kind == NOMINAL and n_rows >= FEW_VALUES and self.distinct > 0.9 * (n_rows - self.missing)


def describe(frame: Frame) -> list[Facts]:
    return [_facts(column) for column in frame]


def _facts(column: Series) -> Facts:
    kind = kind_of(column_of(column.name, column))
    return Facts(column.name, kind, column.null_count(), column.drop_nulls().n_unique())


def prepare(
    frame: Frame, drop: Collection[str] = (), nominal: Collection[str] = (), target: str | None = None
) -> Frame:
    """Without some columns, and with some whose numbers are names (like postal codes)."""
    for name in [*drop, *nominal]:
        check_name(frame.columns, name)
    frame = frame.drop(list(dict.fromkeys(drop)))
    for column in frame:
        if column.dtype.is_nested() or str(column.dtype) in ("Binary", "Object"):
            raise _no_cells(column, column.name == target)
    return frame.with_columns(as_names(frame[name]) for name in nominal if name in frame.columns)


def _no_cells(column: Series, is_target: bool) -> ValueError:
    what = f"Column {column.name!r} holds {column.dtype}, but a cell is a number, a text or a truth value; "
    if is_target:
        return TableError(what, "write its classes as texts.")
    return TableError(what, "use ", Argument("drop", [column.name]), ".")


def check_name(names: Sequence[str], name: str) -> None:
    """Is there such a column? If not, which are there, and which may be meant?"""
    if name not in names:
        close = get_close_matches(name, names, n=1) or [n for n in names if n.lower() == name.lower()]
        meant = f"did you mean {close[0]!r}?" if close else f"there are {listed(names)}."
        raise TableError(f"There is no column {name!r}; {meant}", *_if_made_up([name]))


def _if_made_up(names: Sequence[str]) -> list[str | Argument]:
    """What to do if columns are absent that are called by their positions, like column_3."""
    made_up = all(re.fullmatch(r"column_[0-9]+", name) for name in names)
    return [" If the first line is data, use ", Argument("header", False), "."] if made_up else []


def listed(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(map(repr, names[:most])) + (
        f" and {len(names) - most} more" if len(names) > most else ""
    )


def split(frame: Frame, target: str) -> tuple[Frame, Array]:
    """The other columns, and the labels, which are classes as they are written."""
    check_name(frame.columns, target)
    if frame.width == 1:
        raise ValueError(f"The table has no column besides the target {target!r} to predict it from.")
    column, missing = frame[target], frame[target].null_count()
    if missing:
        raise ValueError(
            f"{missing:,} of {frame.height:,} rows have no value in the target {target!r}; fill in or remove "
            f"them. (Missing is what is empty or {', '.join(MISSING[1:])}, in capitals, too; if that is a "
            "class, give it another name.)"
        )
    _check_some_value(frame.drop(target))
    labels = as_labels(column)
    if labels.n_unique() == 1:
        raise ValueError(
            f"The target {target!r} holds one class only, {shown(labels[0])}; a classifier needs two."
        )
    _check_classes(labels, target)
    return frame.drop(target), labels.to_numpy()


def _check_some_value(frame: Frame) -> None:
    if all(column.null_count() == len(column) for column in frame):
        raise ValueError(f"There is nothing to predict from: no cell of {listed(frame.columns)} has a value.")


def _check_classes(labels: Series, target: str) -> None:
    distinct = labels.n_unique()
    if distinct <= FEW_VALUES:
        return
    numbers = as_numbers_or_none(labels)
    if numbers is not None and (distinct > 0.1 * len(labels) or not (numbers == numbers.round()).all()):
        raise ValueError(
            f"A classifier predicts classes, but the target {target!r} has {distinct} different numbers; "
            "divide them into a few classes first."
        )
    if distinct > 0.5 * len(labels):
        raise ValueError(
            f"A classifier predicts classes, but the target {target!r} has {distinct} different values in "
            f"{len(labels)} rows: it names rows, not classes."
        )


def lay_out(frame: Frame, encoder: Any) -> Frame:
    """The columns a fitted encoder expects, by name and of the kinds it knows; others are left out."""
    names = list(encoder.feature_names_in_)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        remedy: list[str | Argument] = ["name its columns as in the table the model was fitted to"]
        if frame.width == 1:
            remedy += [", or give the ", Argument("separator"), " that it uses"]
        what = f"The model needs {listed(absent)}, but the table has {listed(frame.columns)}; "
        raise TableError(what, *remedy, ".", *_if_made_up(absent))
    pairs = zip(names, encoder.kinds_, strict=True)
    return frame.select(_as_kind(frame[name], kind) for name, kind in pairs)


def _as_kind(column: Series, kind: str) -> Series:
    if kind == NOMINAL:
        return as_names(column)
    if kind == NUMERIC and column.null_count() < len(column):
        numbers = as_numbers_or_none(column)
        return column if numbers is None else numbers
    return as_truths(column, both=False)


class Unseen(NamedTuple):
    """The names in a column that no row fitted had, so that nothing is known about them."""

    column: str
    unseen: int  # cells
    filled: int  # cells that are not missing


def unseen(frame: Frame, encoder: Any) -> list[Unseen]:
    """Of a table that is laid out: the columns with such names."""
    triples = zip(frame, encoder.kinds_, encoder.categories_, strict=True)
    counts = [
        Unseen(column.name, int((~column.drop_nulls().is_in(names)).sum()), len(column.drop_nulls()))
        for column, kind, names in triples
        if kind == NOMINAL
    ]
    return [count for count in counts if count.unseen]


def labels_of(frame: Frame, target: str, classes: Array) -> Array:
    """The target as the classes of a model, in whatever way either is written: 1 or 1.0, true or True."""
    check_name(frame.columns, target)
    if frame[target].dtype.is_nested():
        raise _no_cells(frame[target], is_target=True)
    names = [str(name) for name in classes.tolist()]
    known = {as_name(name): k for k, name in enumerate(names)} | {name: k for k, name in enumerate(names)}
    labels = as_labels(frame[target]).to_list()
    places = {label: known.get(str(label), known.get(as_name(label), -1)) for label in set(labels)}
    for row, label in enumerate(labels):
        if places[label] < 0:
            what = "nothing" if label is None else shown(str(label))
            raise ValueError(
                f"The target {target!r} holds {what} in row {row + 1}, but the model knows the classes "
                f"{listed(names)}."
            )
    return classes[[places[label] for label in labels]]
