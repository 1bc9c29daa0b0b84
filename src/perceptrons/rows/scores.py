# mypy: allow-untyped-defs, allow-untyped-calls
"""On which side of a hyperplane a row lies, as a statement about real numbers.

A score ⟨w, x⟩ + b is first summed up in double precision. Where rounding could have changed its sign, it is
summed up once more without any: products and sums are split into a double and its rounding error (Dekker
1971), and the errors are kept in a list of doubles that do not overlap (Shewchuk 1997). The sign is then that
of the real number: the same for dense and CSR rows, for one row and for many, on every machine.

Deviation: products so small or factors so large that their error is no double are left to fractions.
"""

from typing import Any

import numpy as np
from numba import types

from .._types import Array
from ..compiled import compiled, inlined, text_for
from ..theory.outward import LEAST, error_factor, exact_dot, float_below
from .encode import as_rows, canonical, is_sparse
from .layouts import CSR, Rows, cells, is_layout

PARTS = 48  # doubles that do not overlap, at most: 2,098 binary places, 53 each
SPLIT = 134_217_729.0  # 2^27 + 1
TINY, HUGE = 2.0**-960, 2.0**500  # of a product, and of a factor, for its error to be a double


def dot_and_size(X: Rows, i: int, w: Array) -> tuple[float, float]:
    """⟨x_i, w⟩ and Σ|x_ij w_j|, in double precision."""
    if isinstance(X, CSR):
        products = X.data[cells(X, i)].astype(np.float64) * w[X.indices[cells(X, i)]]
    else:
        products = np.asarray(X)[i].astype(np.float64) * w
    return float(products.sum()), float(np.abs(products).sum())


def n_cells(X: Rows, i: int) -> int:
    """How many cells of row i are stored."""
    return int(X.indptr[i + 1]) - int(X.indptr[i]) if isinstance(X, CSR) else int(np.asarray(X).shape[1])


def cell(X: Rows, i: int, k: int) -> tuple[float, int]:
    """The k-th of these, and its column."""
    if isinstance(X, CSR):
        place = int(X.indptr[i]) + k
        return float(X.data[place]), int(X.indices[place])
    return float(np.asarray(X)[i, k]), k


@text_for(dot_and_size, reordered=True)
def _dense_dot_and_size(X, i, w):
    if isinstance(X, types.Array):

        def dense(X, i, w):
            total = size = 0.0
            for j in range(w.size):
                product = np.float64(X[i, j]) * w[j]
                total += product
                size += abs(product)
            return total, size

        return dense


@text_for(dot_and_size)
def _csr_dot_and_size(X, i, w):
    if is_layout(X, CSR):

        def csr(X, i, w):
            data, indices = X.data, X.indices
            total = size = 0.0
            for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
                product = np.float64(data[k]) * w[indices[k]]
                total += product
                size += abs(product)
            return total, size

        return csr


@text_for(n_cells)
def _n_cells(X, i):
    def dense(X, i):
        return X.shape[1]

    def csr(X, i):
        return np.int64(X.indptr[i + 1]) - np.int64(X.indptr[i])

    return dense if isinstance(X, types.Array) else csr


@text_for(cell)
def _cell(X, i, k):
    def dense(X, i, k):
        return np.float64(X[i, k]), k

    def csr(X, i, k):
        place = np.uint64(X.indptr[i]) + np.uint64(k)
        return np.float64(X.data[place]), np.int64(X.indices[place])

    return dense if isinstance(X, types.Array) else csr


@inlined
def two_sum(a, b):
    """a + b, and its rounding error (Knuth)."""
    total = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


@inlined
def two_product(a, b):
    """a·b, and its rounding error (Dekker)."""
    product = a * b
    wide = SPLIT * a
    a_high = wide - (wide - a)
    a_low = a - a_high
    wide = SPLIT * b
    b_high = wide - (wide - b)
    b_low = b - b_high
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


@inlined
def grown(parts, count, x):
    """Add x to a sum that is a list of doubles, the largest last; returns how many they are then."""
    kept = 0
    for s in range(count):
        x, rest = two_sum(x, parts[s])
        if rest != 0.0:
            parts[kept] = rest
            kept += 1
    parts[kept] = x
    return kept + 1


@inlined
def rounded(parts, count):
    """Such a sum between two doubles, the same one twice if it is a double; and the nearer of them."""
    place = count - 1
    total, rest = parts[place], 0.0
    while place > 0 and rest == 0.0:
        place -= 1
        total, rest = two_sum(total, parts[place])
    low = np.nextafter(total, -np.inf) if rest < 0.0 else total
    high = np.nextafter(total, np.inf) if rest > 0.0 else total
    return low, high, total


@compiled
def bracket(X, i, w, b):
    """⟨w, x_i⟩ + b between two doubles, next to one another or the same; the nearer of them; and whether that
    is sure: if not, some rounding error is no double, and the numbers mean nothing."""
    parts, count, sure = np.empty(PARTS), 1, abs(b) < HUGE
    parts[0] = b
    for k in range(n_cells(X, i)):
        x, j = cell(X, i, k)
        if x != 0.0 and w[j] != 0.0:
            if not (abs(x) < HUGE and abs(w[j]) < HUGE):
                return x, x, x, False
            terms = two_product(x, w[j])
            sure = sure and abs(terms[0]) > TINY
            for term in terms:
                if term != 0.0:
                    count = grown(parts, count, term)
    low, high, nearest = rounded(parts, count)
    return low, high, nearest, sure


@compiled
def score_rows(X, w, b, factor, scores, unsure):
    """The scores; where `factor`·Σ|x_j w_j| says that the sign is in doubt, those of `bracket`. Returns how
    many rows are unsure even then."""
    n_unsure = 0
    for i in range(scores.size):
        product, size = dot_and_size(X, i, w)
        score = product + b  # infinite if it overflows, and then in no doubt
        if abs(score) <= factor * (size + abs(b)) + (w.size + 2) * LEAST:
            _, _, nearest, sure = bracket(X, i, w, b)
            score = nearest if sure else score
            unsure[n_unsure] = i
            n_unsure += not sure
        scores[i] = score
    return n_unsure


def scores_with_true_signs(matrix: Any, w: Array, b: float) -> Array:
    """⟨w, x⟩ + b for every row of a validated array or CSR matrix, in double precision, with the sign of the
    real number."""
    matrix = canonical(matrix) if is_sparse(matrix) else matrix
    w, b, n_rows = np.ascontiguousarray(w, np.float64), float(b), matrix.shape[0]
    scores, unsure = np.empty(n_rows), np.empty(n_rows, np.int64)
    factor = 2.0 * error_factor(len(w) + 2)
    n_unsure = score_rows(as_rows(matrix), w, b, factor, scores, unsure)
    for i in unsure[:n_unsure]:
        row = matrix[[i]].toarray()[0] if is_sparse(matrix) else matrix[i]
        if np.isfinite(row).all() and np.isfinite(w).all() and np.isfinite(b):
            scores[i] = signed_double(exact_dot(np.append(row, 1.0), np.append(w, b)))
    return scores


def signed_double(exact: Any) -> float:
    """The double below, or the smallest of its sign: a number that is not 0 stays so."""
    below = float_below(exact)
    return LEAST if exact > 0 and below <= 0.0 else below
