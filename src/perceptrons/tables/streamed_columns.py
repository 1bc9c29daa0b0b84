"""Columns of a source, seen in one pass, as the encoders learn from them.

What is learned from a column depends on its values and how often each occurs; so the encoders are given one
cell for each distinct value, and the weight of its rows. Of numbers with more than `column_profile.MOST`
distinct values means are those of all rows, and quantiles those of a sketch. Names of more distinct values
are left out if they seem to name rows, and refused if not.
"""

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..checks import count_rows, row_weights
from ..stream_sources import Source, blamed_on
from .cells import NOMINAL, NUMERIC, Column, as_numbers, as_texts, columns, is_missing, kind_of
from .column_profile import MOST, NameProfile, NumberProfile, TooManyValues
from .treatments import (
    AS_IS,
    CONSTANT,
    EMPTY,
    ENOUGH,
    LEFT_OUT,
    MOSTLY,
    NAMES,
    form_of_objects,
    in_agreement,
    kept_names,
    treated,
    treatment_of,
    treatment_of_integers,
    treatment_of_names,
)
from .written_numbers import COMMA, POINT


class SeenColumn(NamedTuple):
    """One of the columns that an encoder sees: a cell for each distinct value, and what its rows weigh; or
    numbers of which there are too many."""

    column: Column
    weights: Array
    numbers: NumberProfile | None = None  # of a column that is used as it is


class SeenTable(NamedTuple):
    """All rows of a source, as far as an encoder must know them."""

    first: Any  # a batch, which shows names and number of the columns
    n_rows: int  # that count
    weight: float  # of all rows
    treatments: list[str]
    columns: list[SeenColumn]  # those that are used


class Seen:
    """One column of the table, batch by batch."""

    def __init__(self, column: Column, quantiles: bool) -> None:
        self.name, self.declared, self.dtype = column.name, column.declared, column.values.dtype
        self.kind = kind_of(column) if column.values.dtype.kind != "M" else NOMINAL
        self.blank = self._is_blank(column)
        self.numbers = NumberProfile(column.name, quantiles)
        self.names = NameProfile(column.name)

    def _is_blank(self, column: Column) -> bool:
        """Does it hold objects, and all of them are missing? Then another batch may say what it is."""
        undeclared = column.values.dtype.kind == "O" and column.declared in ("", "object")
        return undeclared and all(map(is_missing, column.values.tolist()))

    def add(self, column: Column, weights: Array | None) -> None:
        blank = self._is_blank(column)
        if self.blank and not blank:  # so far nothing was there: it is taken for what it is now
            n_before, self.blank = self.names.n_cells, False
            self.kind, self.dtype, self.declared = kind_of(column), column.values.dtype, column.declared
            self.numbers.n_cells = n_before
        if not blank and column.values.dtype.kind != "M":
            self._check_kind(column)
        if self.kind == NUMERIC and not self.blank:
            self.numbers.add(as_numbers(column), weights)
            return
        cells = [None if is_missing(value) else value for value in column.values]
        self.names.add(cells, weights)

    def __add__(self, other: "Seen") -> "Seen":
        """The column in the rows of both, of which the other's come later."""
        both = copy(other if self.blank else self)
        if not self.blank and not other.blank:
            self._check_same_kind(other.name, other.kind)
        if NUMERIC in (self.kind, other.kind) and not both.blank:
            both.numbers = self.numbers + other.numbers
            both.numbers.n_cells += self.names.n_cells + other.names.n_cells  # of rows where all are missing
        else:
            both.names = self.names + other.names
        return both

    def _check_kind(self, column: Column) -> None:
        self._check_same_kind(column.name, kind_of(column))

    def _check_same_kind(self, name: str, kind: str) -> None:
        if kind != self.kind and not (self.kind == NOMINAL and self.dtype.kind == "M"):
            raise ValueError(
                f"The column {name!r} is {kind}, but in the batches before it is {self.kind}; "
                "convert it to one type."
            )

    def distinct(self) -> tuple[Column, Array]:
        """A cell for each distinct value, and what its rows weigh."""
        if self.kind == NUMERIC and not self.blank:
            values, counts = self.numbers.distinct()
            return Column(self.name, values, self.declared), counts
        cells = [*self.names.counts]
        weights = self.names.weights or self.names.counts
        each = np.array([weights[cell] for cell in cells], np.float64)
        if self.dtype.kind == "M" or (self.dtype.kind in "biuf" and None not in cells):
            return Column(self.name, np.array(cells, self.dtype), self.declared), each
        values = np.empty(len(cells), object)
        values[:] = cells
        return Column(self.name, values, self.declared), each

    def treatment(self, keep: bool) -> str:
        """As `treatments.treatment_of` of the whole column."""
        if self.kind == NUMERIC and not self.blank:
            return AS_IS if keep or self.numbers.n_cells < ENOUGH else self._treatment_of_numbers()
        if self.names.full:
            return self._treatment_of_many(keep)
        column, _ = self.distinct()
        if self.dtype.kind == "M":
            return treatment_of(column, keep)
        if self.dtype.kind == "O" and "cat" not in self.declared.lower():
            form = form_of_objects(column)
            if form:
                return form
        if keep or self.names.n_cells < ENOUGH:
            return AS_IS
        texts = {text for text in as_texts(column) if text is not None}
        n_present = self.names.n_cells - self.names.counts[None]
        return treatment_of_names(self.kind, texts, n_present, self.names.n_cells)

    def _treatment_of_numbers(self) -> str:
        seen = self.numbers
        if not seen.n_present:
            return EMPTY
        if seen.low == seen.high:
            return CONSTANT
        if seen.n_present < ENOUGH or not seen.whole:
            return AS_IS
        n_distinct: float = (
            len(seen.values)
            if seen.values is not None
            else (seen.n_present if seen.ascending else seen.share_at_overflow * seen.n_present)
        )
        span = seen.high - seen.low + 1
        return treatment_of_integers(self.name, n_distinct, seen.n_present, span, seen.ascending)

    def _treatment_of_many(self, keep: bool) -> str:
        if not keep and self.names.share_at_overflow > MOSTLY:
            return NAMES
        raise TooManyValues(
            f"Column {self.name!r} has more than {MOST:,} different names, more than a stream can tell "
            "apart; drop it, or group its values."
        )


class PartTable(NamedTuple):
    """The columns of some rows, before it is known which of them are used."""

    first: Any
    columns: list[Seen]
    n_rows: int
    weight: float

    def __add__(self, other: Any) -> "PartTable":
        """Those of both, of which the other's come later."""
        both = [one + more for one, more in zip(self.columns, other.columns, strict=True)]
        return PartTable(self.first, both, self.n_rows + other.n_rows, self.weight + other.weight)

    def table(self, keep: Any) -> SeenTable:
        """The same when all rows have been seen."""
        treatments = chosen(self.first, self.columns, keep)
        used: list[SeenColumn] = []
        for one, treatment in zip(self.columns, treatments, strict=True):
            column, weights = (
                one.distinct() if not one.names.full else (Column(one.name, np.zeros(0)), np.zeros(0))
            )
            as_it_is = one.numbers if one.kind == NUMERIC and treatment == AS_IS and not one.blank else None
            used += [SeenColumn(part, weights, as_it_is) for part in treated([column], [treatment])]
        return SeenTable(self.first, self.n_rows, self.weight, treatments, used)


def see_table(source: Source, keep: Any, quantiles: bool) -> SeenTable:
    """One pass over the source."""
    return see_columns(source, quantiles).table(keep)


def see_columns(source: Source, quantiles: bool) -> PartTable:
    """What an encoder must know of the rows of a source."""
    first, seen, n_rows, total = None, [], 0, 0.0  # type: tuple[Any, list[Seen], int, float]
    for name, X, table, weights in rows_that_count(source):
        if first is None:
            first, seen = X, [Seen(column, quantiles) for column in table]
        if [column.name for column in table] != [one.name for one in seen]:
            mine, others = [column.name for column in table], [one.name for one in seen]
            raise ValueError(f"{name}: The columns are {mine}, but those of the batches before are {others}.")
        with blamed_on(name):
            for one, column in zip(seen, table, strict=True):
                one.add(column, weights)
        n_rows += len(table[0].values)
        total += float(len(table[0].values) if weights is None else weights.sum())
    if first is None:
        raise ValueError("The source is empty: it gave no rows of weight > 0.")
    return PartTable(first, seen, n_rows, total)


def chosen(X: Any, seen: list[Seen], keep: Any) -> list[str]:
    """As `treatments.choose` of the whole table."""
    if not hasattr(X, "columns") or not hasattr(X, "__getitem__"):
        return [AS_IS] * len(seen)
    kept = kept_names(keep, [one.name for one in seen])
    each = [one.treatment(one.name in kept) for one in seen]
    empty = Column("", np.zeros(0))
    written = [
        one.distinct()[0] if treatment in (POINT, COMMA) else empty
        for one, treatment in zip(seen, each, strict=True)
    ]
    found = in_agreement(each, written)
    return found if any(one not in LEFT_OUT for one in found) else [AS_IS] * len(seen)


def rows_that_count(source: Source) -> Iterator[tuple[str, Any, list[Column], Array | None]]:
    """The name of each batch, its rows, their columns, and the weights, without rows of weight 0."""
    for batch in source.read():
        if not count_rows(batch.X):
            continue
        with blamed_on(batch.name):
            table, weights = columns(batch.X), None
            if batch.weights is not None:
                if not np.any(batch.weights):
                    continue
                weights = row_weights(batch.weights, batch.X, np.float64)
                there = weights > 0.0
                table = [column._replace(values=column.values[there]) for column in table]
                weights = weights[there]
        yield batch.name, batch.X, table, weights
