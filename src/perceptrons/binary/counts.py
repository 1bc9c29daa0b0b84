# mypy: allow-untyped-defs, allow-untyped-calls
"""What one pass over the rows leaves: how often a cell is +1, and how often in a positive row.

Golea and Marchand, Figure 1: all probabilities are estimated from these. Counts of parts of the rows add up
to those of the whole, exactly: integers, unless weights are fractions.
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.bits import Bits, joint_counts, pack_vector, weighted_ones
from ..rows.packing import CutRows, SparseBits, comparable, is_unlike
from .device_bits import DeviceBits

BLOCK = 127  # rows whose ones a byte can count
EXACT = 2.0**53  # integers up to here are floats, too


class Counts(NamedTuple):
    """How many rows there are of each kind; with weights, what they weigh together."""

    rows: Any
    positive: Any
    ones: Array  # of the rows in which x_i = +1, for each column i
    positive_ones: Array  # of those that are positive, too

    def __add__(self, other: Any) -> "Counts":
        return Counts(*(mine + its for mine, its in zip(self, other, strict=True)))

    @property
    def constant(self) -> Array:
        """Which columns have one value only."""
        return np.asarray((self.ones == 0) | (self.ones == self.rows))


def count(
    cells: Bits | SparseBits | CutRows | DeviceBits, positive: Array, weights: Array | None = None
) -> Counts:
    """Packed or sparse rows, which of them are positive, and what each counts."""
    if isinstance(cells, DeviceBits) and weights is not None and weights.dtype.kind == "f":
        cells = cells.packed()  # sums of fractions depend on their order
    if weights is not None:
        ones, both = _weighted(cells, weights, positive)
        return Counts(_sum(weights), _sum(weights * positive), ones, both)
    if isinstance(cells, Bits):
        ones, both = np.zeros(cells.width, np.int64), np.zeros(cells.width, np.int64)
        joint_counts(cells.transposed().words, pack_vector(positive), ones, both)
    else:
        ones, both = _weighted(cells, np.ones(len(cells), np.int64), positive)
    return Counts(len(positive), int(np.count_nonzero(positive)), ones, both)


def count_array(X: Array, cuts: Array, positive: Array) -> Counts:
    """The same of an array, without packing it: where rows are looked at once, that takes longer."""
    ones, both = np.zeros(X.shape[1], np.int64), np.zeros(X.shape[1], np.int64)
    add_cells(*comparable(X, cuts), positive.view(np.int8), ones, both)
    return Counts(len(positive), int(np.count_nonzero(positive)), ones, both)


def exact_weights(weights: Array) -> Array:
    """Integers if all are, so that sums are exact in any order."""
    with np.errstate(over="ignore"):
        total = float(weights.sum(dtype=np.float64))
    if not np.isfinite(total):
        raise ValueError(
            f"A row has the weight {weights.max():g}, and all together overflow; divide them by the largest."
        )
    whole = (weights == np.floor(weights)).all() and total < EXACT
    return weights.astype(np.int64) if whole else weights.astype(np.float64)


def _weighted(
    cells: Bits | SparseBits | CutRows | DeviceBits, weights: Array, positive: Array
) -> tuple[Array, Array]:
    if isinstance(cells, DeviceBits):
        return cells.ones(weights), cells.ones(weights * positive)
    ones, both = np.zeros(cells.width, weights.dtype), np.zeros(cells.width, weights.dtype)
    heavy = weights * positive
    if isinstance(cells, Bits):
        weighted_ones(cells.words, weights, heavy, ones, both)
        return ones, both
    if isinstance(cells, CutRows):
        weighted_cells(cells.X, cells.cuts, cells.base, weights, heavy, ones, both)
    else:
        weighted_sparse(cells.indices, cells.indptr, weights, heavy, ones, both)
    base = cells.base
    return np.where(base, _sum(weights) - ones, ones), np.where(base, _sum(heavy) - both, both)


def _sum(weights: Array) -> Any:
    """Added one by one, as those of columns are: a column that is always 1 must have the same sum."""
    return np.cumsum(weights)[-1]


@compiled
def add_cells(X, cuts, positive, ones, both):
    """Counted in bytes, block by block: as many at a time as a register has bytes."""
    n_rows, width = X.shape
    few, few_both = np.zeros(width, np.int8), np.zeros(width, np.int8)
    for start in range(0, n_rows, BLOCK):
        few[:] = 0
        few_both[:] = 0
        for i in range(start, min(n_rows, start + BLOCK)):
            for j in range(width):
                one = np.int8(X[i, j] > cuts[j])
                few[j] += one
                few_both[j] += one & positive[i]
        for j in range(width):
            ones[j] += few[j]
            both[j] += few_both[j]


@compiled
def weighted_sparse(indices, indptr, weights, heavy, ones, both):
    for i in range(weights.size):
        for e in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
            ones[np.int64(indices[e])] += weights[i]
            both[np.int64(indices[e])] += heavy[i]


@compiled
def weighted_cells(X, cuts, base, weights, heavy, ones, both):
    """The same of CSR rows of numbers, where a cell is unlike zeros."""
    for i in range(weights.size):
        for e in range(np.int64(X.indptr[i]), np.int64(X.indptr[i + 1])):
            j, unlike = np.int64(X.indices[e]), is_unlike(X, e, cuts, base)
            ones[j] += unlike * weights[i]
            both[j] += unlike * heavy[i]
