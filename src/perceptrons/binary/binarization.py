# mypy: allow-untyped-defs, allow-untyped-calls
"""Binarization: each column of numbers is cut in two, and a cell is +1 where its value is above the cut.

A column of two values is cut between them, any other at its weighted median. A column of one value c tells
nothing of another; it is cut at c/2, which will be right where the values are 0 and 1 or −1 and +1. With
`binarize=None` columns of more than two values raise an error, and the two levels of each are remembered.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.encode import as_rows, is_sparse
from ..tables.thresholds import Numbers, readable, thresholds, whole_weights
from .binary_parameters import AUTO

TOGETHER = 16  # columns that are read side by side
SHARES = 8  # in which sparse columns are copied


class Levels(NamedTuple):
    """The smallest and the largest value of each column."""

    low: Array
    high: Array


class Binarization(NamedTuple):
    """Where columns are cut; and if no other values are allowed, their two levels."""

    cuts: Array
    levels: Levels | None


def learn_binarization(
    matrix: Any, weights: Array | None, binarize: float | str | None, names: Any
) -> Binarization:
    """From the first rows; `names` of columns are for the error about one of more than two values."""
    if binarize is not None and binarize != AUTO:
        return Binarization(np.full(matrix.shape[1], float(binarize)), None)
    levels = levels_of(matrix)
    more = np.flatnonzero(has_other_values(matrix, levels))
    cuts = midpoints(levels)
    if binarize is None:
        require_two_values(more, names)
        return Binarization(cuts, levels)
    if len(more):
        cuts[more] = medians(matrix, more, weights)
    return Binarization(cuts, None)


def require_same_binarize(learned: Binarization, binarize: float | str | None) -> None:
    """Raise a ValueError if the parameter has changed: cuts stay what the first rows made them."""
    changed = isinstance(binarize, float) and (learned.cuts != binarize).any()
    if changed or (learned.levels is None) == (binarize is None):
        raise ValueError(
            f"binarize={binarize!r}, but columns were cut otherwise when the first rows came; set it back, "
            "or fit again."
        )


def add_levels(learned: Binarization, matrix: Any, names: Any) -> Binarization:
    """Raise a ValueError for values that columns have not had; but where a column has had one only, a second
    is welcome if it is on the other side of the cut."""
    if learned.levels is None:
        return learned
    (low, high), cuts, now = learned.levels, learned.cuts, levels_of(matrix)
    below = (low == high) & (low > cuts) & (now.low <= cuts)
    above = (low == high) & (low <= cuts) & (now.high > cuts)
    levels = Levels(np.where(below, now.low, low), np.where(above, now.high, high))
    require_two_values(np.flatnonzero(has_other_values(matrix, levels)), names)
    return learned._replace(levels=levels)


def merge_levels(one: Binarization, other: Binarization, names: Any) -> Binarization:
    """The levels of both, where others are not allowed; the cuts are the same."""
    if one.levels is None or other.levels is None:
        return one
    values = np.stack([*one.levels, *other.levels])
    sides = (np.where(side, values, np.nan) for side in (values <= one.cuts, values > one.cuts))
    low, high = ((np.fmin.reduce(side), np.fmax.reduce(side)) for side in sides)
    require_two_values(np.flatnonzero((low[0] < low[1]) | (high[0] < high[1])), names)
    return one._replace(levels=Levels(np.fmin(low[0], high[0]), np.fmax(low[0], high[0])))


def require_two_values(wrong_columns: Array, names: Any) -> None:
    if len(wrong_columns):
        which = f"{wrong_columns[0]}" if names is None else f"{names[wrong_columns[0]]!r}"
        many = f" (and so have {len(wrong_columns) - 1} more)" * (len(wrong_columns) > 1)
        raise ValueError(
            f"Column {which} has more than two values, or two on the same side of its cut{many}, rows seen "
            "before included; binarize=None takes columns of two. Use 'auto', which cuts others at the "
            "median, or a number."
        )


def levels_of(matrix: Any) -> Levels:
    """Of an array or a CSR matrix."""
    if is_sparse(matrix):
        n_rows, n = matrix.shape
        low, high, counts = np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n, np.int64)
        widen_stored(as_rows(matrix), low, high, counts)
        whole = counts == n_rows  # all others have zeros that are not stored
        low, high = np.where(whole, low, np.minimum(low, 0.0)), np.where(whole, high, np.maximum(high, 0.0))
    else:
        cells = _numbers(matrix)
        low, high = cells[0].copy(), cells[0].copy()
        widen_range(cells, low, high)
    return Levels(low.astype(np.float64), high.astype(np.float64))


def has_other_values(matrix: Any, levels: Levels) -> Array:
    """Which columns hold a value that is neither of their levels."""
    found = np.zeros(matrix.shape[1], np.bool_)
    if is_sparse(matrix):
        counts = np.zeros(matrix.shape[1], np.int64)
        find_other_stored(as_rows(matrix), *levels, found, counts)
        found |= (counts < matrix.shape[0]) & (levels.low != 0) & (levels.high != 0)
    else:
        cells = _numbers(matrix)
        find_other_cells(cells, *_in_type(levels, cells.dtype), found)
    return found


def _numbers(matrix: Array) -> Array:
    return matrix.view(np.uint8) if matrix.dtype == np.bool_ else matrix


def _in_type(levels: Levels, dtype: Any) -> Levels:
    """In the type of the values, if it holds them all: bytes are quicker to compare with bytes."""
    with np.errstate(all="ignore"):
        own = Levels(*(ends.astype(dtype) for ends in levels))
    same = all((mine == its).all() for mine, its in zip(own, levels, strict=True))
    return own if same and dtype.itemsize < 8 else levels


def midpoints(levels: Levels) -> Array:
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
        numbers = (Numbers(one.astype(np.float64), len(one)) for one in _taken(matrix, columns))
        return np.array([thresholds(one, whole, 1)[0] for one in numbers])
    return np.array([_median(one) for one in _taken(matrix, columns)])


def _taken(matrix: Array, columns: Array) -> Iterator[Array]:
    """One after the other, to be overwritten; several that lie side by side are read together. In their own
    type: what is half as wide is partitioned in half the time. Integers of 64 bits become floats."""
    kind = matrix.dtype if matrix.dtype.itemsize < 8 else np.dtype(np.float64)
    room = np.empty((min(TOGETHER, len(columns)), len(matrix)), kind)
    for start in range(0, len(columns), TOGETHER):
        some = columns[start : start + TOGETHER]
        copy_columns(matrix, some, room)
        yield from room[: len(some)]


def _median(values: Array) -> float:
    """The threshold that `thresholds` finds, without sorting; the values are put in another order."""
    middle = (len(values) - 1) // 2
    values.partition(middle)
    value = values[middle]
    below, above = neighbors(values, value)
    low, high = (value, above) if above > value else (below, value)
    return readable(float(low), float(high)) + 0.0  # no -0.0


def _sparse_medians(matrix: Any, columns: Array, weights: Array | None) -> Array:
    """Where zeros are half of a column or more, and nothing is less, the median is 0."""
    n_rows, n = matrix.shape
    whole = None if weights is None else whole_weights(weights, 1)
    each = np.ones(n_rows, np.int64) if whole is None else whole
    stored = np.zeros(n, np.int64)
    count_nonzero(as_rows(matrix), each, stored)
    zero = (2 * stored <= each.sum()) & (levels_of(matrix).low >= 0)
    cuts, others = np.zeros(len(columns)), np.flatnonzero(~zero[columns])
    for some in _shares(others, matrix.nnz // n + 1, matrix.nnz):
        csc = matrix[:, columns[some]].tocsc()
        for k, (start, end) in zip(some, pairwise(csc.indptr), strict=True):
            cells = Numbers(csc.data[start:end].astype(np.float64), n_rows, csc.indices[start:end])
            cuts[k] = thresholds(cells, whole, 1)[0]
    return cuts


def _shares(columns: Array, per_column: int, n_cells: int) -> list[Array]:
    """As many of the columns at a time as have about 1 in SHARES of all cells: they will be copied."""
    step = max(n_cells // (SHARES * per_column), 1)
    return [columns[start : start + step] for start in range(0, len(columns), step)]


@compiled
def copy_columns(X, columns, out):
    """Each of these columns into a line of `out`."""
    for i in range(X.shape[0]):
        for k in range(columns.size):
            out[k, i] = X[i, columns[k]]


@compiled
def neighbors(values, value):
    """The largest value below, and the smallest above; the value itself where there is none."""
    low, high = values.min(), values.max()
    below, above = min(low, value), max(high, value)
    for i in range(values.size):
        one = values[i]
        below = max(below, one if one < value else low)
        above = min(above, one if one > value else high)
    return below, above


@compiled
def widen_range(X, low, high):
    """Both ends of each column in one pass over the rows."""
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            low[j] = min(low[j], X[i, j])
            high[j] = max(high[j], X[i, j])


@compiled
def widen_stored(X, low, high, counts):
    """The same of the cells that CSR rows store, and how many these are."""
    for e in range(X.data.size):
        j, x = X.indices[e], X.data[e]
        low[j], high[j] = min(low[j], x), max(high[j], x)
        counts[j] += 1


@compiled
def count_nonzero(X, weights, counts):
    """Of each column of CSR rows, the weight of the cells that are not 0."""
    for i in range(weights.size):
        for e in range(np.int64(X.indptr[i]), np.int64(X.indptr[i + 1])):
            if X.data[e] != 0.0:
                counts[X.indices[e]] += weights[i]


@compiled
def find_other_cells(X, low, high, found):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            found[j] |= (X[i, j] != low[j]) & (X[i, j] != high[j])


@compiled
def find_other_stored(X, low, high, found, counts):
    """The same of CSR rows; also how many cells of each column are stored."""
    for e in range(X.data.size):
        j = X.indices[e]
        counts[j] += 1
        found[j] |= (X.data[e] != low[j]) & (X.data[e] != high[j])
