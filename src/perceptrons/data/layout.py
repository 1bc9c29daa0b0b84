"""What a table is for: its columns described, its target split off, its columns laid out for an encoder."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from .cells import BOOLEAN, NOMINAL, NUMERIC, shown
from .rows import Array
from .table import Frame, Series, as_labels, as_names, as_numbers_or_none, as_truths

FEW_VALUES = 20  # so many different numbers may always be classes


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
    return [
        Facts(column.name, kind_of(column), column.null_count(), column.drop_nulls().n_unique())
        for column in frame
    ]


def kind_of(column: Series) -> str:
    if column.dtype.is_numeric():
        return NUMERIC
    return BOOLEAN if str(column.dtype) == "Boolean" else NOMINAL


def prepare(frame: Frame, drop: Collection[str] = (), nominal: Collection[str] = ()) -> Frame:
    """Without some columns, and with some whose numbers are names (like postal codes)."""
    for name in [*drop, *nominal]:
        check_name(frame.columns, name)
    frame = frame.drop(list(dict.fromkeys(drop)))
    for column in frame:
        if column.dtype.is_nested() or str(column.dtype) in ("Binary", "Object"):
            raise ValueError(
                f"Column {column.name!r} holds {column.dtype}, but a cell is a number, a text or a truth "
                f"value; say --drop {column.name}."
            )
    return frame.with_columns(as_names(frame[name]) for name in nominal if name in frame.columns)


def check_name(names: Sequence[str], name: str) -> None:
    """Is there such a column? If not, which are there, and which may be meant?"""
    if name not in names:
        close = get_close_matches(name, names, n=1) or [n for n in names if n.lower() == name.lower()]
        meant = f"did you mean {close[0]!r}?" if close else f"there are {listed(names)}."
        raise ValueError(f"There is no column {name!r}; {meant}")


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
            f"{missing} of {frame.height} rows have no value in the target {target!r}; fill in or remove "
            "them."
        )
    labels = as_labels(column)
    if labels.n_unique() == 1:
        raise ValueError(
            f"The target {target!r} holds one class only, {shown(labels[0])}; a classifier needs two."
        )
    _refuse_continuous(labels, target)
    return frame.drop(target), labels.to_numpy()


def _refuse_continuous(labels: Series, target: str) -> None:
    distinct = labels.n_unique()
    numbers = as_numbers_or_none(labels)
    if distinct <= FEW_VALUES:
        return
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
        raise ValueError(
            f"The model needs {listed(absent)}, but the table has {listed(frame.columns)}; name its columns "
            "as in the table the model was fitted to."
        )
    pairs = zip(names, encoder.kinds_, strict=True)
    return frame.select(_as_kind(frame[name], kind) for name, kind in pairs)


def _as_kind(column: Series, kind: str) -> Series:
    if kind == NOMINAL or not column.drop_nulls().len():
        return column  # the encoder takes any value for a name, and missing for missing
    if kind == NUMERIC:
        numbers = as_numbers_or_none(column)
        return column if numbers is None else numbers
    return as_truths(column, both=False) if kind_of(column) == NOMINAL else column


def labels_of(frame: Frame, target: str, classes: Array) -> Array:
    """The target as the classes of a model; a label counts by how it is written, '1' as 1."""
    check_name(frame.columns, target)
    known = {str(name): k for k, name in enumerate(classes.tolist())}
    written = [None if label is None else str(label) for label in as_labels(frame[target]).to_list()]
    for row, label in enumerate(written):
        if label not in known:
            what = "nothing" if label is None else shown(label)
            raise ValueError(
                f"The target {target!r} holds {what} in row {row + 1}, but the model knows the classes "
                f"{listed(list(known))}."
            )
    return classes[[known[str(label)] for label in written]]
