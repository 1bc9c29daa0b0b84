# mypy: allow-untyped-defs, allow-untyped-calls
"""Rows as if their columns had mean 0 and deviation 1, without a copy of them, and without losing zeros.

A learner that works with z = (x − μ)/σ asks for two things: ⟨w, z_i⟩, and w ← w + a·z_i. Weights are kept as
v = w/σ, so that v·(x − μ) is the score.

* array: v·(x_i − μ), and v ← v + a·(x_i − μ)/σ².
* CSR: zeros must not be touched. Of v = u − t·μ/σ² the sums u (of rows x/σ²) and t are kept, and p = ⟨u, μ⟩:
  the score is ⟨u, x_i⟩ + t·(Q − q_i) − p with q_i = ⟨x_i, μ/σ²⟩ and Q = Σ μ²/σ². t and p stand behind u.
  Rounding grows with (μ/σ)², and not with μ/σ as for arrays: at μ = 1e5·σ scores agree to nine digits still.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import types

from .._types import Array
from ..compiled import compiled, text_for
from .layouts import CSR, Rows, add, cells, dot, is_layout
from .weights import NO_WEIGHTS

BLOCK = 4096  # rows of arrays whose values and deviations are added up at a time
EXTRA = 2  # t and p
LARGE = 1e140  # values whose squares, and those of small parts of them, are still numbers
EPS, TINY = np.finfo(np.float64).eps, np.finfo(np.float64).tiny


class StandardizedRows(NamedTuple):
    """Rows, and how to see them."""

    rows: Rows
    mean: Array
    gains: Array  # 1/σ²; 0 for a column that is constant except for rounding
    products: Array  # q, of CSR rows
    square: float  # Q


class Moments(NamedTuple):
    """Of columns: means, and what z is multiplied by."""

    mean: Array
    gains: Array  # 1/σ²; 0 for a column that is constant but for rounding


Part = tuple[Any, Rows, Array]  # some of the rows: a matrix, the same for compiled code, and their weights
Read = Callable[[], Iterator[Part]]


def standardized(matrix: Any, rows: Rows, weights: Array = NO_WEIGHTS) -> StandardizedRows:
    """A validated matrix and its rows, seen so; with weights, by weighted means and deviations."""
    check_columns(matrix, rows)
    whole = [(matrix, rows, weights)]
    moments = moments_of(lambda: iter(whole), matrix.shape, isinstance(rows, CSR), weights)
    return seen_through(rows, matrix.shape[0], moments)


def moments_of(read: Read, shape: tuple[int, int], sparse: bool, weights: Array) -> Moments:
    """Of rows that come in parts, which are read twice; the same however they are cut. `weights` are those
    of all rows."""
    return moments_from(*means_and_variances(read, shape, sparse, weights), shape[0])


def means_and_variances(
    read: Read, shape: tuple[int, int], sparse: bool, weights: Array
) -> tuple[Array, Array]:
    """The same rows' weighted means, and mean squared distances from them."""
    return (_sparse_moments if sparse else _dense_moments)(read, *shape, weights)


def moments_from(mean: Array, variance: Array, n_rows: int) -> Moments:
    """Of that many rows."""
    rounding = n_rows * EPS * np.abs(mean)
    gains = np.divide(1.0, variance, np.zeros_like(variance), where=variance > rounding**2 + TINY)
    return Moments(mean, gains)


def seen_through(rows: Rows, n_rows: int, moments: Moments) -> StandardizedRows:
    """Rows, or some of them, by the moments of all."""
    mean, gains = moments
    if not isinstance(rows, CSR):
        return StandardizedRows(rows, mean, gains, np.empty(0), 0.0)
    products = np.empty(n_rows)
    multiply(rows, mean * gains, products)
    return StandardizedRows(rows, mean, gains, products, float(mean @ (mean * gains)))


def check_columns(matrix: Any, rows: Rows) -> None:
    """Variances must neither overflow nor vanish."""
    check_largest(largest_of(matrix, rows))


def largest_of(matrix: Any, rows: Rows) -> Array:
    """The largest |value| of each column."""
    if isinstance(matrix, np.ndarray):
        ends = np.abs(matrix.max(axis=0)), np.abs(matrix.min(axis=0))
        return np.asarray(np.maximum(*ends), np.float64)
    largest = np.zeros(matrix.shape[1])
    find_largest(rows, largest)
    return largest


def check_largest(largest: Array) -> None:
    beyond = np.flatnonzero((largest > LARGE) | ((largest > 0.0) & (largest < 1.0 / LARGE)))
    if len(beyond):
        raise ValueError(
            f"The largest |value| of column {beyond[0]} is {largest[beyond[0]]:.3g}, but columns can be "
            f"standardized from {1.0 / LARGE:g} to {LARGE:g}; multiply it by a constant."
        )


def _sparse_moments(read: Read, m: int, n: int, every: Array) -> tuple[Array, Array]:
    """The mean and the variance of each column; cell by cell, because NumPy would copy all of them thrice."""
    counts, stored, sums, squares = np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n)
    total = every.sum() if len(every) else m
    for _, rows, weights in read():
        add_cells(rows, weights, counts, stored, sums)
    zeros = np.maximum(total - stored, 0.0)
    zeros[counts == m] = 0.0  # where none is, rounding must not leave some
    mean = sums / total
    for _, rows, weights in read():
        add_squares(rows, weights, mean, squares)
    return mean, (squares + zeros * mean**2) / total


def _dense_moments(read: Read, m: int, n: int, every: Array) -> tuple[Array, Array]:
    """The same of arrays."""
    mean, squares = np.zeros(n), np.zeros(n)
    total = every.sum() if len(every) else m
    for block, weights in _blocks(read()):
        mean += weights @ block / total if len(weights) else block.sum(axis=0, dtype=np.float64)
    if not len(every):
        mean /= m
    for block, weights in _blocks(read()):
        away = (block - mean) ** 2
        squares += weights @ away if len(weights) else away.sum(axis=0)
    return mean, squares / total


def _blocks(parts: Iterator[Part]) -> Iterator[tuple[Array, Array]]:
    """Rows and weights in blocks of one size, however they came: sums are then those of the same blocks."""
    rows, weights = None, NO_WEIGHTS
    for matrix, _, own in parts:
        rows = matrix if rows is None else np.concatenate([rows, matrix])
        weights = np.concatenate([weights, own]) if len(weights) else own
        full = len(rows) - len(rows) % BLOCK
        for start in range(0, full, BLOCK):
            yield rows[start : start + BLOCK], weights[start : start + BLOCK]
        rows, weights = rows[full:], weights[full:]
    if rows is not None and len(rows):
        yield rows, weights


@compiled
def find_largest(X, largest):
    """The largest |value| of each column that CSR rows store."""
    for k in range(X.data.size):
        largest[X.indices[k]] = max(largest[X.indices[k]], abs(X.data[k]))


@compiled
def add_cells(X, weights, counts, stored, sums):
    """Of each column: how many cells are stored, what they weigh, and their weighted sum."""
    for i in range(X.indptr.size - 1):
        weight = weights[i] if weights.size else 1.0
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            j = X.indices[k]
            counts[j] += 1
            stored[j] += weight
            sums[j] += weight * X.data[k]


@compiled
def add_squares(X, weights, mean, squares):
    """Of each column: the weighted sum of squared distances from the mean, over the cells stored."""
    for i in range(X.indptr.size - 1):
        weight = weights[i] if weights.size else 1.0
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            away = X.data[k] - mean[X.indices[k]]
            squares[X.indices[k]] += weight * (away * away)


@compiled
def multiply(X, v, products):
    """⟨x, v⟩ of CSR rows, one cell after the other."""
    for i in range(products.size):
        total = 0.0
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            total += X.data[k] * v[X.indices[k]]
        products[i] = total


def enter(X: Rows | StandardizedRows, w: Array) -> Array:
    """Weights, one row each, as they are kept; of standardized columns, if X is standardized."""
    if not isinstance(X, StandardizedRows):
        return w.copy()
    v = w * np.sqrt(X.gains)
    return v if not X.products.size else np.column_stack([v, np.zeros(len(v)), v @ X.mean])


def leave(X: Rows | StandardizedRows, v: Array, b: float) -> tuple[Array, float]:
    """Weights and intercept of columns as they are, from weights as they are kept."""
    if not isinstance(X, StandardizedRows):
        return v.copy(), b
    if not X.products.size:
        return v.copy(), b - float(v @ X.mean)
    t, p = v[-EXTRA:]
    return v[:-EXTRA] - t * X.mean * X.gains, b - float(p) + float(t) * X.square


def score(X: Rows | StandardizedRows, i: int, v: Array) -> Any:
    """⟨w, z_i⟩; of rows that are not standardized ⟨w, x_i⟩."""
    if not isinstance(X, StandardizedRows):
        return dot(X, i, v)
    if not isinstance(X.rows, CSR):
        return ((np.asarray(X.rows)[i] - X.mean) * v).sum()
    u, t, p = v[:-EXTRA], v[-2], v[-1]
    return dot(X.rows, i, u) + t * (X.square - X.products[i]) - p


def correct(X: Rows | StandardizedRows, i: int, a: float, v: Array) -> None:
    """w ← w + a·z_i, in place; of rows that are not standardized w ← w + a·x_i."""
    if not isinstance(X, StandardizedRows):
        add(X, i, a, v)
    elif not isinstance(X.rows, CSR):
        v += a * (np.asarray(X.rows)[i] - X.mean) * X.gains
    else:
        columns = X.rows.indices[cells(X.rows, i)]
        v[columns] += a * X.rows.data[cells(X.rows, i)] * X.gains[columns]
        v[-2] += a
        v[-1] += a * X.products[i]


def _dense(X: Any) -> bool:
    return isinstance(X.types[0], types.Array)


@text_for(score, reordered=True)
def _score_dense(X, i, v):
    if is_layout(X, StandardizedRows) and _dense(X):

        def dense(X, i, v):
            rows, mean, total = X.rows, X.mean, 0.0
            for j in range(v.size):
                total += (rows[i, j] - mean[j]) * v[j]
            return total

        return dense


@text_for(score)
def _score(X, i, v):
    if is_layout(X, StandardizedRows):
        if _dense(X):
            return None

        def csr(X, i, v):
            return dot(X.rows, i, v) + v[v.size - 2] * (X.square - X.products[i]) - v[v.size - 1]

        return csr

    def plain(X, i, v):
        return dot(X, i, v)

    return plain


@text_for(correct)
def _correct(X, i, a, v):
    def dense(X, i, a, v):
        rows, mean, gains = X.rows, X.mean, X.gains
        for j in range(v.size):
            v[j] += a * (rows[i, j] - mean[j]) * gains[j]

    def csr(X, i, a, v):
        rows, gains = X.rows, X.gains
        for k in range(np.uint64(rows.indptr[i]), np.uint64(rows.indptr[i + 1])):
            v[rows.indices[k]] += a * rows.data[k] * gains[rows.indices[k]]
        v[v.size - 2] += a
        v[v.size - 1] += a * X.products[i]

    def plain(X, i, a, v):
        add(X, i, a, v)

    if not is_layout(X, StandardizedRows):
        return plain
    return dense if _dense(X) else csr
