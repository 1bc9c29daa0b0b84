# mypy: allow-untyped-defs, allow-untyped-calls
"""Rows as if their columns had mean 0 and deviation 1, without a copy of them, and without losing zeros.

A learner that works with z = (x − μ)/σ asks for two things: ⟨w, z_i⟩, and w ← w + a·z_i. Weights are kept as
v = w/σ, so that v·(x − μ) is the score.

* array: v·(x_i − μ), and v ← v + a·(x_i − μ)/σ².
* CSR: zeros must not be touched. Of v = u − t·μ/σ² the sums u (of rows x/σ²) and t are kept, and p = ⟨u, μ⟩:
  the score is ⟨u, x_i⟩ + t·(Q − q_i) − p with q_i = ⟨x_i, μ/σ²⟩ and Q = Σ μ²/σ². t and p stand behind u.
  Rounding grows with (μ/σ)², and not with μ/σ as for arrays: at μ = 1e5·σ scores agree to nine digits still.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from .._types import Array
from ..compiled import compiled
from .layouts import CSR, Rows, add, cells, dot, is_layout
from .weights import NO_WEIGHTS

BLOCK = 4096  # rows whose deviations are squared at a time
EXTRA = 2  # t and p
LARGE = 1e140  # values whose squares, and those of small parts of them, are still numbers
EPS, TINY = np.finfo(np.float64).eps, np.finfo(np.float64).tiny


class StandardizedRows(NamedTuple):
    """Rows, and how to see them."""

    rows: Rows
    mean: Array
    gains: Array  # 1/σ²; 0 for a column that is constant but for rounding
    products: Array  # q, of CSR rows
    square: float  # Q


def standardized(matrix: Any, rows: Rows, weights: Array = NO_WEIGHTS) -> StandardizedRows:
    """A validated matrix and its rows, seen so; with weights, by weighted means and deviations."""
    check_columns(matrix, rows)
    if isinstance(rows, CSR):
        mean, variance = _sparse_moments(rows, matrix.shape[0], matrix.shape[1], weights)
    else:
        mean, variance = _weighted_moments(matrix, weights) if len(weights) else _moments(matrix)
    rounding = matrix.shape[0] * EPS * np.abs(mean)
    gains = np.divide(1.0, variance, np.zeros_like(variance), where=variance > rounding**2 + TINY)
    if not isinstance(rows, CSR):
        return StandardizedRows(rows, mean, gains, np.empty(0), 0.0)
    products = np.empty(matrix.shape[0])
    multiply(rows, mean * gains, products)
    return StandardizedRows(rows, mean, gains, products, float(mean @ (mean * gains)))


def check_columns(matrix: Any, rows: Rows) -> None:
    """Variances must neither overflow nor vanish."""
    if isinstance(matrix, np.ndarray):
        largest = np.maximum(np.abs(matrix.max(axis=0)), np.abs(matrix.min(axis=0))).astype(np.float64)
    else:
        largest = np.zeros(matrix.shape[1])
        find_largest(rows, largest)
    beyond = np.flatnonzero((largest > LARGE) | ((largest > 0.0) & (largest < 1.0 / LARGE)))
    if len(beyond):
        raise ValueError(
            f"The largest |value| of column {beyond[0]} is {largest[beyond[0]]:.3g}, but columns can be "
            f"standardized from {1.0 / LARGE:g} to {LARGE:g}; multiply it by a constant."
        )


def _sparse_moments(rows: CSR, m: int, n: int, weights: Array) -> tuple[Array, Array]:
    """The mean and the variance of each column; cell by cell, because NumPy would copy all of them thrice."""
    counts, stored, sums, squares = np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n)
    add_cells(rows, weights, counts, stored, sums)
    total = weights.sum() if len(weights) else m
    zeros = np.maximum(total - stored, 0.0)
    zeros[counts == m] = 0.0  # where none is, rounding must not leave some
    mean = sums / total
    add_squares(rows, weights, mean, squares)
    return mean, (squares + zeros * mean**2) / total


def _moments(matrix: Array) -> tuple[Array, Array]:
    """The same of an array."""
    m, n = matrix.shape
    mean, squares = matrix.mean(axis=0, dtype=np.float64), np.zeros(n)
    for start in range(0, m, BLOCK):
        squares += ((matrix[start : start + BLOCK] - mean) ** 2).sum(axis=0)
    return mean, squares / m


def _weighted_moments(matrix: Array, weights: Array) -> tuple[Array, Array]:
    """The same where rows count as much as they weigh."""
    (m, n), total = matrix.shape, weights.sum()
    blocks = [slice(start, start + BLOCK) for start in range(0, m, BLOCK)]
    mean, squares = np.zeros(n), np.zeros(n)
    for block in blocks:
        mean += weights[block] @ matrix[block] / total
    for block in blocks:
        squares += weights[block] @ (matrix[block] - mean) ** 2
    return mean, squares / total


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


@overload(score, jit_options={"fastmath": {"reassoc", "contract"}, "forceinline": True})
def _score_dense(X, i, v):
    if is_layout(X, StandardizedRows) and _dense(X):

        def dense(X, i, v):
            rows, mean, total = X.rows, X.mean, 0.0
            for j in range(v.size):
                total += (rows[i, j] - mean[j]) * v[j]
            return total

        return dense


@overload(score)
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


@overload(correct)
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
