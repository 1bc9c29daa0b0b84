"""Which literals the cells of a column make true.

A column, dense or sparse, is read as numbers (`Numbers`) or as names (`CodedNames`). Given the values of its
literals, each cell becomes one small number, from which rows of 0 and 1 are written (`LiteralCodes`).
"""

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from .._types import Array
from .cells import BOOLEAN, NOMINAL, NUMERIC, Column, as_name, as_numbers, as_signs, as_texts, kind_of
from .thresholds import Numbers

TRUTHS = ("false", "true")
BETWEEN = " "  # the names of columns that are joined
PARTS, ENOUGH = 16, 1_000_000  # in which columns are taken out of sparse rows; cells of each, at least
SPAN = 2**16  # rows that two bytes can tell apart
PLAIN = {str, type(None), float}  # equal values of these types have equal names; 1 and True have not


class SparseColumn(NamedTuple):
    """A column of a sparse matrix: the cells it stores, the rows they stand in; 0 stands in all others."""

    name: str
    values: Array
    rows: Array
    n_rows: int

    def whole(self) -> Column:
        cells = np.zeros(self.n_rows, self.values.dtype)
        cells[self.rows] = self.values
        return Column(self.name, cells)


AnyColumn: TypeAlias = Column | SparseColumn
Columns: TypeAlias = Sequence[AnyColumn]


class StoredColumns(Sequence[AnyColumn]):
    """The columns of a sparse matrix, without their zeros; named x0, x1, ... like those of an array.

    Those of long rows are taken out of them some at a time, when they are asked for, so that one after the
    other they need little memory.
    """

    def __init__(self, X: Any) -> None:
        n_parts = max(1, min(PARTS, X.nnz // ENOUGH)) if X.format == "csr" else 1
        self.n_rows = int(X.shape[0])
        self._X, self._width = X, -(-X.shape[1] // n_parts)
        self._first, self._some = 0, self._columns(0)

    def __len__(self) -> int:
        return int(self._X.shape[1])

    def __getitem__(self, j: Any) -> Any:
        if isinstance(j, slice):
            return [self[k] for k in range(*j.indices(len(self)))]
        j = range(len(self))[j]
        if not 0 <= j - self._first < self._width:
            self._some = []  # first let go
            self._first = j - j % self._width
            self._some = self._columns(self._first)
        return self._some[j - self._first]

    def _columns(self, first: int) -> list[AnyColumn]:
        X = self._X if self._width >= len(self) else self._X[:, first : first + self._width]
        by_column = X.tocsc()
        if by_column is X:  # SciPy may remember what was true of other arrays
            by_column = sp.csc_array((X.data, X.indices, X.indptr), shape=X.shape)
        if not by_column.has_canonical_format:  # cells stored twice are added up, but not in the caller's
            by_column = by_column.copy()
            by_column.sum_duplicates()
        values, rows = by_column.data, by_column.indices
        ends = enumerate(pairwise(by_column.indptr.tolist()), first)
        return [
            SparseColumn(f"x{j}", values[start:end], rows[start:end], X.shape[0]) for j, (start, end) in ends
        ]


def n_rows_of(columns: Columns) -> int:
    if isinstance(columns, StoredColumns):
        return columns.n_rows
    column = columns[0]
    return column.n_rows if isinstance(column, SparseColumn) else len(column.values)


def in_rows(column: AnyColumn, here: Array) -> AnyColumn:
    """The column in these rows alone."""
    if isinstance(column, Column):
        return column._replace(values=column.values[here])
    stored = here[column.rows]
    rows = (np.cumsum(here) - 1)[column.rows[stored]]
    return SparseColumn(column.name, column.values[stored], rows, int(np.count_nonzero(here)))


def kind_of_any(column: AnyColumn) -> str:
    """What a column is to the encoder; a sparse one is numeric."""
    if isinstance(column, SparseColumn):
        kind_of(Column(column.name, column.values))  # raises if the cells are no numbers
        return NUMERIC
    if column.values.dtype.kind == "O":
        types = set(map(type, column.values.tolist()))
        if str in types <= PLAIN:  # the common case, without a look at each cell
            return NOMINAL
    return kind_of(column)


class CodedNames(NamedTuple):
    """The cells of a column that is not numeric: the name of cell i is `names[codes[i]]`, None if missing."""

    names: Sequence[str | None]
    codes: Array

    def any(self) -> bool:
        """Is there a cell that is not missing?"""
        here = np.array([name is not None for name in self.names], bool)
        return bool(here[self.codes].any())


def cells_of(column: AnyColumn, kind: str) -> Numbers | CodedNames:
    """The cells, read as this kind."""
    if kind == NUMERIC:
        numbers = as_numbers(Column(column.name, column.values))
        if isinstance(column, SparseColumn):
            return Numbers(numbers, column.n_rows, column.rows)
        return Numbers(numbers, len(numbers))
    whole = column.whole() if isinstance(column, SparseColumn) else column
    if kind == BOOLEAN and whole.values.dtype.kind == "b":
        return CodedNames(TRUTHS, whole.values.astype(np.intp))
    if kind == BOOLEAN:
        return CodedNames(("false", None, "true"), (as_signs(whole) + 1).astype(np.intp))
    return _coded_names(whole)


def _coded_names(column: Column) -> CodedNames:
    if column.values.dtype.kind in "biuf":
        distinct, codes = np.unique(column.values, return_inverse=True)
        return CodedNames([as_name(value) for value in distinct], codes)
    cells = column.values.tolist()
    if not set(map(type, cells)) <= PLAIN:
        cells = as_texts(column)
    places = {value: place for place, value in enumerate(dict.fromkeys(cells))}
    codes = np.fromiter(map(places.__getitem__, cells), np.intp, len(cells))
    return CodedNames([as_name(value) for value in places], codes)


def categories(column: AnyColumn, cells: CodedNames, weights: Array | None, limit: int) -> list[str]:
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


class PackedRows(NamedTuple):
    """Ascending row numbers in two bytes each: those of a span of 65,536 rows are counted from its start."""

    low: Array
    starts: Array  # where the numbers of each span but the first begin
    wide: Any  # the type of the numbers

    def numbers(self) -> Array:
        rows = self.low.astype(self.wide)
        for span, (start, end) in enumerate(pairwise([*self.starts.tolist(), len(rows)]), 1):
            rows[start:end] += span * SPAN
        return rows


def pack_row_numbers(rows: Array, n_rows: int) -> PackedRows:
    starts = np.searchsorted(rows, np.arange(SPAN, n_rows, SPAN))
    return PackedRows(rows.astype(np.uint16), starts, rows.dtype)


class LiteralCodes(NamedTuple):
    """Which literals each cell of a column makes true, as a code.

    The code is the number of the one true literal, counted from 1, or 0 if none is true. Where the literals
    are `nested` thresholds, a code c means that the first c are exceeded. With `rows`, the codes are those of
    these rows, and the cells in all other rows have the code `others`.
    """

    codes: Array
    nested: bool = False
    rows: PackedRows | None = None
    others: int = 0

    def ones(self, weights: Array | None, total: int) -> int:
        """How many cells of the literals are 1, a row counting as often as it weighs."""
        if weights is not None and self.rows is not None:
            weights = weights[self.rows.numbers()]
        counts = np.bincount(self.codes, weights, self.others + 1)
        if self.rows is not None:
            counts[self.others] += total - counts.sum()
        true = np.arange(len(counts)) if self.nested else np.arange(len(counts)) > 0
        return int(counts @ true)

    def fill(self, block: Array) -> None:
        """Write the cells of the literals into these columns of a dense array."""
        if self.rows is None:
            block[:] = self._cells(self.codes, block.shape[1])
        else:
            block[:] = self._cells(np.array([self.others]), block.shape[1])
            block[self.rows.numbers()] = self._cells(self.codes, block.shape[1])

    def _cells(self, codes: Array, width: int) -> Array:
        places = np.arange(1, width + 1)
        return np.asarray(codes[:, None] >= places if self.nested else codes[:, None] == places)

    def add_to_counts(self, counts: Array) -> None:
        """Add to the number of true literals of each row those of this column."""
        true = self.codes if self.nested else self.codes > 0
        if self.rows is None:
            counts += true
        else:
            others = self.others if self.nested else int(self.others > 0)
            counts += others
            counts[self.rows.numbers()] += true.astype(np.int64) - others

    def entries(self, n_rows: int) -> tuple[Array, Array]:
        """What is 1: rows, in ascending order, and places among the column's literals."""
        codes, rows = self.codes, None if self.rows is None else self.rows.numbers()
        if rows is None or self.others:
            whole = np.full(n_rows, self.others, codes.dtype)
            whole[slice(None) if rows is None else rows] = codes
            codes, rows = whole, np.arange(n_rows)
        rows, codes = rows[codes > 0], codes[codes > 0].astype(np.int64)
        places = codes - 1
        if self.nested:  # a code of 3 makes literals 0, 1, 2 true
            rows, ends = np.repeat(rows, codes), np.cumsum(codes)
            places = np.arange(len(rows)) - np.repeat(ends - codes, codes)
        return rows, places


def csr_of_codes(codes: Sequence[LiteralCodes], starts: Sequence[int], shape: tuple[int, int]) -> Any:
    """The literals of all columns as CSR rows; those of a column begin at its start. One column after the
    other writes its ones behind those of the columns before."""
    counts = np.zeros(shape[0], np.int64)
    for one in codes:
        one.add_to_counts(counts)
    ends = np.cumsum(counts)
    index = (
        np.int32 if max(*shape, ends[-1]) < 2**31 else np.int64
    )  # of 32 bits where they do: trees want them
    indices, free = np.empty(ends[-1], index), ends - counts
    for one, start in zip(codes, starts, strict=False):
        rows, places = one.entries(shape[0])
        behind = free[rows]
        behind += places if one.nested else 0
        indices[behind] = start + places
        one.add_to_counts(free)
    indptr = np.append(0, ends).astype(index)
    return sp.csr_array((np.ones(len(indices), np.uint8), indices, indptr), shape=shape)


def literal_codes(cells: Numbers | CodedNames, values: Sequence[Any]) -> LiteralCodes:
    """The codes of the cells, for literals with these values: names, or ascending thresholds."""
    code = np.min_scalar_type(len(values))
    if isinstance(cells, CodedNames):
        places = {value: place for place, value in enumerate(values, 1)}
        return LiteralCodes(np.array([places.get(name, 0) for name in cells.names], code)[cells.codes])
    codes = np.zeros(len(cells.values), code)
    for threshold in values:
        codes += cells.values > threshold  # NaN exceeds none
    if cells.rows is None:
        return LiteralCodes(codes, True)
    others = sum(threshold < 0 for threshold in values)
    unlike = codes != others  # stored cells that are as those that are not need not be kept
    return LiteralCodes(codes[unlike], True, pack_row_numbers(cells.rows[unlike], cells.n_rows), others)


def literal_truth(cells: Numbers | CodedNames, value: Any) -> Array:
    """For each row, whether the literal with this value is true."""
    if isinstance(cells, CodedNames):
        return np.array([name == value for name in cells.names], bool)[cells.codes]
    truth: Array = np.full(cells.n_rows, value < 0)
    truth[slice(None) if cells.rows is None else cells.rows] = cells.values > value
    return truth
