# mypy: allow-untyped-defs, allow-untyped-calls
"""Where columns of numbers are cut in two: a cell is +1 where its value is greater than the cut.

A column of two values is cut between them, any other at its weighted median. A column of one value c tells
nothing of another; it is cut at c/2, which will be right where the values are 0 and 1 or −1 and +1.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.sparsefuncs import min_max_axis

from .._types import Array
from ..compiled import compiled
from ..rows.encode import as_rows, is_sparse
from ..tables.thresholds import Numbers, readable, thresholds, whole_weights

TOGETHER = 16  # columns


class Levels(NamedTuple):
    """The smallest and the largest value of each column."""

    low: Array
    high: Array


def levels_of(matrix: Any) -> Levels:
    """Of an array or a CSR matrix."""
    if is_sparse(matrix):
        low, high = min_max_axis(matrix, axis=0)
    else:
        cells = _numbers(matrix)
        low, high = cells[0].copy(), cells[0].copy()
        widen(cells, low, high)
    return Levels(low.astype(np.float64), high.astype(np.float64))


def others(matrix: Any, levels: Levels) -> Array:
    """Which columns hold a value that is neither of their levels."""
    found = np.zeros(matrix.shape[1], np.bool_)
    if is_sparse(matrix):
        stored = np.bincount(matrix.indices, minlength=matrix.shape[1])
        mark_stored(as_rows(matrix), *levels, found)
        found |= (stored < matrix.shape[0]) & (levels.low != 0) & (levels.high != 0)
    else:
        cells = _numbers(matrix)
        mark_cells(cells, *_own(levels, cells.dtype), found)
    return found


def _numbers(matrix: Array) -> Array:
    return matrix.view(np.uint8) if matrix.dtype == np.bool_ else matrix


def _own(levels: Levels, dtype: Any) -> Levels:
    """In the type of the values, if it holds them all: bytes are quicker to compare with bytes."""
    with np.errstate(all="ignore"):
        own = Levels(*(part.astype(dtype) for part in levels))
    same = all((mine == its).all() for mine, its in zip(own, levels, strict=True))
    return own if same and dtype.itemsize < 8 else levels


def middles(levels: Levels) -> Array:
    """Cuts between two values; low ≤ cut < high, however near they are."""
    low, high = levels
    middle = low / 2 + high / 2
    return np.where(low == high, low / 2, np.where((low <= middle) & (middle < high), middle, low))


def medians(matrix: Any, columns: Array, weights: Array | None) -> Array:
    """The cuts of columns of more than two values."""
    if is_sparse(matrix):
        return _sparse_medians(matrix, columns, weights)
    if weights is not None:
        whole = whole_weights(weights, 1)
        return np.array([thresholds(Numbers(one, len(one)), whole, 1)[0] for one in _taken(matrix, columns)])
    return np.array([_median(one) for one in _taken(matrix, columns)])


def _taken(matrix: Array, columns: Array) -> Iterator[Array]:
    """One after the other; read several at a time, which lie side by side."""
    for start in range(0, len(columns), TOGETHER):
        yield from np.ascontiguousarray(matrix[:, columns[start : start + TOGETHER]].T, np.float64)


def _median(values: Array) -> float:
    """As `thresholds` says, without sorting."""
    middle = (len(values) - 1) // 2
    value = np.partition(values, middle)[middle]
    if value == values.max():
        value = values[values < value].max()
    return readable(float(value), float(values[values > value].min())) + 0.0  # no -0.0


def _sparse_medians(matrix: Any, columns: Array, weights: Array | None) -> Array:
    """Where zeros are half of a column or more, and nothing is less, the median is 0."""
    csc, n_rows = matrix.tocsc(), matrix.shape[0]
    whole = None if weights is None else whole_weights(weights, 1)
    each = np.ones(n_rows, np.int64) if whole is None else whole
    stored = np.bincount(matrix.indices, each[_row_numbers(matrix)] * (matrix.data != 0), matrix.shape[1])
    zero = (2 * stored <= each.sum()) & (levels_of(matrix).low >= 0)
    cuts = np.zeros(len(columns))
    for k in np.flatnonzero(~zero[columns]):
        part = slice(csc.indptr[columns[k]], csc.indptr[columns[k] + 1])
        cells = Numbers(csc.data[part].astype(np.float64), n_rows, csc.indices[part])
        cuts[k] = thresholds(cells, whole, 1)[0]
    return cuts


def _row_numbers(matrix: Any) -> Array:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


@compiled
def widen(X, low, high):
    """Both in one pass over the rows."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            low[j] = min(low[j], X[i, j])
            high[j] = max(high[j], X[i, j])


@compiled
def mark_cells(X, low, high, found):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            found[j] |= (X[i, j] != low[j]) & (X[i, j] != high[j])


@compiled
def mark_stored(X, low, high, found):
    for e in range(X.data.size):
        j = X.indices[e]
        found[j] |= (X.data[e] != low[j]) & (X.data[e] != high[j])
