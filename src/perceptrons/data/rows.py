"""A row, for compiled code: dense or CSR behind the same few words.

`dot(X, i, w)`, `add(X, i, a, w)`, `sqnorm(X, i)` and `stream(X, start, stop)` are ordinary Python
functions (they say what is meant, and run when the JIT is off). Each has a compiled text per layout,
chosen from the type of `X` while compiling: a learner written with them is written once.

Why the compiled texts differ:

* dense: the sum may be reordered (`reassoc`, `contract`), so that it vectorises. Not full fast-math:
  NaN keeps its meaning.
* CSR: no fast-math, which would emit slow gathers; four strict accumulators instead, and unsigned
  indices, which spare the test for negative ones.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import types
from numba.extending import overload

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

LINE = 64  # bytes of a cache line


class CSR(NamedTuple):
    """The three arrays of a compressed sparse row matrix, the index arrays unsigned."""

    data: Array
    indices: Array
    indptr: Array


Rows: TypeAlias = Array | CSR


def _cells(X: CSR, i: int) -> slice:
    return slice(int(X.indptr[i]), int(X.indptr[i + 1]))


def dot(X: Rows, i: int, w: Array) -> Any:
    """⟨x_i, w⟩."""
    if isinstance(X, CSR):
        return (X.data[_cells(X, i)] * w[X.indices[_cells(X, i)]]).sum()
    return (X[i] * w).sum()


def add(X: Rows, i: int, a: float, w: Array) -> None:
    """w ← w + a·x_i, in place."""
    if isinstance(X, CSR):
        w[X.indices[_cells(X, i)]] += w.dtype.type(a) * X.data[_cells(X, i)]
    else:
        w += w.dtype.type(a) * X[i]


def sqnorm(X: Rows, i: int) -> float:
    """‖x_i‖², summed in double precision."""
    x = (X.data[_cells(X, i)] if isinstance(X, CSR) else X[i]).astype(np.float64)
    return float((x * x).sum())


def stream(X: Rows, start: int, stop: int) -> float:
    """Read rows start … stop in memory order, so that they wait in the cache when they are visited
    out of order. The value means nothing; returning it keeps the compiler from dropping the reads."""
    return 0.0


_REORDERED: Any = {"fastmath": {"reassoc", "contract"}, "forceinline": True}


@overload(dot, jit_options=_REORDERED)
def _dense_dot(X, i, w):
    if isinstance(X, types.Array):
        real = w.dtype

        def dense(X, i, w):
            total = real(0)
            for j in range(w.size):
                total += X[i, j] * w[j]
            return total

        return dense


@overload(dot)
def _csr_dot(X, i, w):
    if not isinstance(X, types.Array):
        real = w.dtype

        def csr(X, i, w):
            data, indices = X.data, X.indices
            start, stop = np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])
            fours = stop - (stop - start) % np.uint64(4)
            s0 = s1 = s2 = s3 = real(0)
            for k in range(start, fours, np.uint64(4)):
                s0 += data[k] * w[indices[k]]
                s1 += data[k + np.uint64(1)] * w[indices[k + np.uint64(1)]]
                s2 += data[k + np.uint64(2)] * w[indices[k + np.uint64(2)]]
                s3 += data[k + np.uint64(3)] * w[indices[k + np.uint64(3)]]
            for k in range(fours, stop):
                s0 += data[k] * w[indices[k]]
            return (s0 + s1) + (s2 + s3)

        return csr


@overload(add)
def _add(X, i, a, w):
    real = w.dtype

    def dense(X, i, a, w):
        factor = real(a)
        for j in range(w.size):
            w[j] += factor * X[i, j]

    def csr(X, i, a, w):
        factor = real(a)
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            w[X.indices[k]] += factor * X.data[k]

    return dense if isinstance(X, types.Array) else csr


@overload(sqnorm, jit_options=_REORDERED)
def _sqnorm(X, i):
    def dense(X, i):
        total = 0.0
        for j in range(X.shape[1]):
            total += np.float64(X[i, j]) * np.float64(X[i, j])
        return total

    def csr(X, i):
        total = 0.0
        for k in range(np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])):
            total += np.float64(X.data[k]) * np.float64(X.data[k])
        return total

    return dense if isinstance(X, types.Array) else csr


@overload(stream)
def _stream(X, start, stop):
    def dense(X, start, stop):
        cells = X.reshape(X.size)
        top = cells[0]
        for k in range(start * X.shape[1], stop * X.shape[1], LINE // X.itemsize):
            top = max(top, cells[k])
        return np.float64(top)

    def csr(X, start, stop):
        first, last = np.int64(X.indptr[start]), np.int64(X.indptr[stop])
        top = 0.0
        for k in range(first, last, LINE // X.data.itemsize):
            top = max(top, np.float64(X.data[k]))
        for k in range(first, last, LINE // X.indices.itemsize):
            top = max(top, np.float64(X.indices[k]))
        return top

    return dense if isinstance(X, types.Array) else csr
