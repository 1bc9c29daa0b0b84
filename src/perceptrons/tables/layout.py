"""What a table is for: its columns described, its target split off, its columns laid out for an encoder."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from .._types import Array
from . import dates
from .cells import NOMINAL, NUMERIC, Column, as_name, column_of, kind_of, shown
from .column_names import check_name as check_name
from .column_names import if_made_up
from .column_names import listed as listed
from .read import MISSING, Frame, Series, as_categories, as_labels, as_names, as_numbers_or_none, as_truths
from .table_error import Argument, TableError
from .treatments import ALL, AS_IS, LEFT_OUT, READ, in_agreement, kinds_of_table, n_unreadable, treatment_of
from .written_numbers import COMMA, POINT

FEW_VALUES = 20  # up to this number of different values, numbers may always be classes


class Facts(NamedTuple):
    """A column for display."""

    name: str
    kind: str
    missing: int
    distinct: int  # different values, not counting missing
    treatment: str = AS_IS  # "as it is", why it is left out, or how its texts are read

    @property
    def is_left_out(self) -> bool:
        return self.treatment in LEFT_OUT


def describe(frame: Frame, keep: Collection[str] = ()) -> list[Facts]:
    table = [column_of(series.name, series) for series in frame]
    each = [treatment_of(column, ALL in keep or column.name in keep) for column in table]
    found = zip(frame, table, in_agreement(each, table), strict=True)
    return [_facts(series, column, treatment) for series, column, treatment in found]


def _facts(series: Series, column: Column, treatment: str) -> Facts:
    if treatment in (POINT, COMMA):
        kind = NUMERIC
    elif treatment in dates.FORMS:
        kind = "time" if treatment == dates.CLOCK else "date"
    else:
        kind = kind_of(column)
    return Facts(series.name, kind, series.null_count(), series.drop_nulls().n_unique(), treatment)


def check_something_left(facts: Sequence[Facts]) -> None:
    """Is there a column to learn from?"""
    if all(one.is_left_out for one in facts):
        named = [f"{one.name!r} ({one.treatment})" for one in facts[:5]]
        more = f" and {len(facts) - 5} more" if len(facts) > 5 else ""
        raise TableError(
            f"There is nothing to learn from: {', '.join(named)}{more} cannot teach; add columns, or use ",
            *(Argument("keep", [facts[0].name]), "."),
        )


def prepare(
    frame: Frame,
    drop: Collection[str] = (),
    nominal: Collection[str] = (),
    target: str | None = None,
    keep: Collection[str] = (),
) -> Frame:
    """Without some columns, and with some whose numbers are names (like postal codes)."""
    for name in [*drop, *nominal, *(one for one in keep if one != ALL)]:
        check_name(frame.columns, name)
    frame = frame.drop(list(dict.fromkeys(drop)))
    for column in frame:
        if column.dtype.is_nested() or str(column.dtype) in ("Binary", "Object"):
            raise _no_cells(column, column.name == target)
    named = [name for name in nominal if name in frame.columns and name != target]
    return frame.with_columns(as_categories(frame[name]) for name in named)


def _no_cells(column: Series, is_target: bool) -> ValueError:
    what = f"Column {column.name!r} holds {column.dtype}, but a cell is a number, a text or a truth value; "
    if is_target:
        return TableError(what, "write its classes as texts.")
    return TableError(what, "use ", Argument("drop", [column.name]), ".")


def split(frame: Frame, target: str) -> tuple[Frame, Array]:
    """The other columns, and the labels, which are classes as they are written; rows without one are left
    out."""
    check_name(frame.columns, target)
    if frame.width == 1:
        raise ValueError(f"The table has no column besides the target {target!r} to predict it from.")
    n_missing = frame[target].null_count()
    frame = frame.filter(frame[target].is_not_null()) if n_missing else frame
    if not frame.height:
        raise ValueError(
            f"The target {target!r} has no value in any row; fill in classes. {_what_is_missing()}"
        )
    _check_some_value(frame.drop(target))
    labels = as_labels(frame[target])
    if labels.n_unique() == 1:
        others = f" (It has no value in {n_missing:,} rows. {_what_is_missing()})" if n_missing else ""
        raise ValueError(
            f"The target {target!r} holds one class only, {shown(labels[0])}; a classifier needs two.{others}"
        )
    _check_classes(labels, target)
    return frame.drop(target), labels.to_numpy()


def _what_is_missing() -> str:
    return (
        f"Missing is what is empty or {', '.join(MISSING[1:])}, in capitals, too; if that is a class, "
        "give it another name."
    )


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
    table = list(zip(encoder.feature_names_in_, kinds_of_table(encoder), strict=True))
    needed = [(name, kind) for name, (treatment, kind, _) in table if treatment not in LEFT_OUT]
    absent = [name for name, _ in needed if name not in frame.columns]
    if absent:
        remedy: list[str | Argument] = ["name its columns as in the table the model was fitted to"]
        if frame.width == 1:
            remedy += [", or give the ", Argument("separator"), " that it uses"]
        what = f"The model needs {listed(absent)}, but the table has {listed(frame.columns)}; "
        raise TableError(what, *remedy, ".", *if_made_up(absent))
    return frame.select(_as_kind(frame[name], kind) for name, kind in needed)


def as_fitted(frame: Frame, encoder: Any) -> Frame:
    """Laid-out columns for another fit, in which names stay names: a copy of the model then reads them
    alike."""
    kinds = dict(
        zip(encoder.feature_names_in_, [kind for _, kind, _ in kinds_of_table(encoder)], strict=True)
    )
    return frame.with_columns(as_categories(one) for one in frame if kinds[one.name] == NOMINAL)


def _as_kind(column: Series, kind: str) -> Series:
    if kind == NOMINAL:
        return as_names(column)
    if not kind:  # numbers and dates that the encoder reads itself
        return column
    if kind == NUMERIC and column.null_count() < len(column):
        numbers = as_numbers_or_none(column)
        return column if numbers is None else numbers
    return as_truths(column, both=False)


class Unseen(NamedTuple):
    """The names in a column that no row fitted had, so that nothing is known about them."""

    column: str
    unseen: int  # cells, with names or, in a column of dates or numbers, texts that are neither
    filled: int  # cells that are not missing


def unseen(frame: Frame, encoder: Any) -> list[Unseen]:
    """Of a table that is laid out: the columns with such names."""
    triples = [*zip(encoder.feature_names_in_, kinds_of_table(encoder), strict=True)]
    known = {name: encoder.categories_[place] for name, (_, kind, place) in triples if kind == NOMINAL}
    counts = [
        Unseen(name, int((~column.is_in(names)).sum()), len(column))
        for name, names in known.items()
        for column in [frame[name].drop_nulls()]
    ]
    for name, (treatment, _, _) in triples:
        if treatment in READ:
            cells = frame[name].drop_nulls()
            counts.append(Unseen(name, n_unreadable(column_of(name, cells), treatment), len(cells)))
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
