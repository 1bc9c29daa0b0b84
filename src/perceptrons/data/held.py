"""The cells of a column, dense or sparse, as literals see them: numbers, or names."""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .cells import BOOLEAN, NOMINAL, NUMERIC, Column, as_name, as_numbers, as_signs, as_texts, kind_of
from .rows import Array
from .thresholds import Numbers

TRUTHS = ("false", "true")
PLAIN = {str, type(None), float}  # equal values of these types have equal names; 1 and True have not


class Stored(NamedTuple):
    """A column of a sparse matrix: the cells it stores, the rows they stand in; 0 stands in all others."""

    name: str
    values: Array
    rows: Array
    n_rows: int

    def whole(self) -> Column:
        cells = np.zeros(self.n_rows, self.values.dtype)
        cells[self.rows] = self.values
        return Column(self.name, cells)


Held: TypeAlias = Column | Stored


def stored_columns(X: Any, names: list[str]) -> list[Held]:
    """The columns of a sparse matrix, without their zeros."""
    by_column = X.tocsc()
    if not by_column.has_canonical_format:  # cells stored twice are added up, but not in the caller's matrix
        by_column = by_column.copy()
        by_column.sum_duplicates()
    values, rows = by_column.data, by_column.indices
    ends = zip(names, pairwise(by_column.indptr.tolist()), strict=True)
    return [Stored(name, values[start:end], rows[start:end], X.shape[0]) for name, (start, end) in ends]


def n_rows_of(column: Held) -> int:
    return column.n_rows if isinstance(column, Stored) else len(column.values)


def at(column: Held, here: Array) -> Held:
    """The column in these rows alone."""
    if isinstance(column, Column):
        return column._replace(values=column.values[here])
    stored = here[column.rows]
    rows = (np.cumsum(here) - 1)[column.rows[stored]]
    return Stored(column.name, column.values[stored], rows, int(np.count_nonzero(here)))


def kind_in(column: Held) -> str:
    """What a column is to the encoder; numeric if it is stored."""
    if isinstance(column, Stored):
        kind_of(Column(column.name, column.values))  # refuses what is no number
        return NUMERIC
    if column.values.dtype.kind == "O":
        types = set(map(type, column.values.tolist()))
        if str in types <= PLAIN:  # the common case, without a look at each cell
            return NOMINAL
    return kind_of(column)


class Names(NamedTuple):
    """The cells of any other column: cell i is called `names[codes[i]]`, None where it is missing."""

    names: Sequence[str | None]
    codes: Array

    def any(self) -> bool:
        """Is there a cell that is not missing?"""
        here = np.array([name is not None for name in self.names], bool)
        return bool(here[self.codes].any())


def cells_of(column: Held, kind: str) -> Numbers | Names:
    """The cells, read as this kind."""
    if kind == NUMERIC:
        numbers = as_numbers(Column(column.name, column.values))
        if isinstance(column, Stored):
            return Numbers(numbers, column.n_rows, column.rows)
        return Numbers(numbers, len(numbers))
    whole = column.whole() if isinstance(column, Stored) else column
    if kind == BOOLEAN and whole.values.dtype.kind == "b":
        return Names(TRUTHS, whole.values.astype(np.intp))
    if kind == BOOLEAN:
        return Names(("false", None, "true"), (as_signs(whole) + 1).astype(np.intp))
    return _names(whole)


def _names(column: Column) -> Names:
    if column.values.dtype.kind in "biuf":
        distinct, codes = np.unique(column.values, return_inverse=True)
        return Names([as_name(value) for value in distinct], codes)
    cells = column.values.tolist()
    if not set(map(type, cells)) <= PLAIN:
        cells = as_texts(column)
    places = {value: place for place, value in enumerate(dict.fromkeys(cells))}
    codes = np.fromiter(map(places.__getitem__, cells), np.intp, len(cells))
    return Names([as_name(value) for value in places], codes)


def categories(column: Held, cells: Names, weights: Array | None, limit: int) -> list[str]:
    """The names in a column, sorted; if they are more than `limit`, those of the largest weight."""
    found: dict[str, float] = {}
    for name, weight in zip(cells.names, np.bincount(cells.codes, weights, len(cells.names)), strict=True):
        if name is not None:
            found[name] = found.get(name, 0) + weight
    numbers = column.values.dtype.kind in "iuf"  # categories that are numbers keep their order
    names = sorted(found, key=lambda name: (float(name) if numbers else 0.0, name))
    if len(names) <= limit:
        return names
    warnings.warn(
        f"Column {column.name!r} has {len(names)} values, more than max_categories={limit}: those of the "
        "largest weight are kept. Drop the column, or group its values.",
        stacklevel=6,  # the caller of fit
    )
    kept = set(sorted(names, key=lambda name: -found[name])[:limit])
    return [name for name in names if name in kept]
