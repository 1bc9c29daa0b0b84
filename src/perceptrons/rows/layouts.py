# mypy: allow-untyped-defs, allow-untyped-calls
"""A row, for compiled code: dense, CSR or a row of kernel values behind the same few words.

`dot(X, i, w)`, `add(X, i, a, w)`, `sqnorm(X, i)`, `ready(X, i)`, `stream(X, start, stop)` and others are
ordinary Python functions (they say what is meant, and run when the JIT is off). Each has a compiled text per
layout, chosen from the type of `X` while compiling: a learner written with them is written once.

Why the compiled texts differ:

* dense: the sum may be reordered (`reassoc`, `contract`), so that it vectorizes. Not full fast-math:
  NaN keeps its meaning.
* CSR: no fast-math, which would emit slow gathers; four strict accumulators instead, and unsigned
  indices, which spare the test for negative ones.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numba import types

from .._types import Array
from ..compiled import compiled, text_for
from .order import BLOCK, GROUP

LINE = 64  # bytes of a cache line


class CSR(NamedTuple):
    """The three arrays of a compressed sparse row matrix, the index arrays unsigned."""

    data: Array
    indices: Array
    indptr: Array


class Gram(NamedTuple):
    """Rows known by their kernel values alone. Weights are then the scores they give to each row: a row
    reads its own score, and a multiple of it added to the weights adds kernel values to all scores."""

    matrix: Array  # K; a row of it is filled when it is first needed
    known: Array  # which rows are filled
    diagonal: Array  # K(x, x)


Rows: TypeAlias = Array | CSR | Gram


def cells(X: CSR, i: int) -> slice:
    """Where row i stands in `data` and `indices`."""
    return slice(int(X.indptr[i]), int(X.indptr[i + 1]))


def dot(X: Rows, i: int, w: Array) -> Any:
    """⟨x_i, w⟩."""
    if isinstance(X, Gram):
        return w[i]
    if isinstance(X, CSR):
        return (X.data[cells(X, i)] * w[X.indices[cells(X, i)]]).sum()
    return (X[i] * w).sum()


def add(X: Rows, i: int, a: float, w: Array) -> None:
    """w ← w + a·x_i, in place."""
    if isinstance(X, CSR):
        w[X.indices[cells(X, i)]] += w.dtype.type(a) * X.data[cells(X, i)]
    elif isinstance(X, Gram):
        w += a * X.matrix[i]
    else:
        w += w.dtype.type(a) * X[i]


def add_centered(X: Rows, i: int, a: float, center: Array, w: Array) -> None:
    """w ← w + a·(x_i − center), in place; for dense rows. CSR rows are not centered: most of a row is 0."""
    if isinstance(X, CSR):
        add(X, i, a, w)
    else:
        w += a * (np.asarray(X)[i] - center)


def sqnorm(X: Rows, i: int) -> float:
    """‖x_i‖², summed in double precision."""
    if isinstance(X, Gram):
        return float(X.diagonal[i])
    x = (X.data[cells(X, i)] if isinstance(X, CSR) else X[i]).astype(np.float64)
    return float((x * x).sum())


def dot_and_sqnorm(X: Rows, i: int, w: Array) -> tuple[Any, float]:
    """⟨x_i, w⟩ and ‖x_i‖², in one read of the row; for weights in double precision."""
    return dot(X, i, w), sqnorm(X, i)


def ready(X: Rows, i: int) -> bool:
    """May x_i be added? Not before its kernel values are known."""
    return not isinstance(X, Gram) or bool(X.known[i])


def stream(X: Rows, start: int, stop: int) -> float:
    """Read rows start … stop in memory order, so that they wait in the cache when they are visited
    out of order. The value means nothing; returning it keeps the compiler from dropping the reads."""
    return 0.0


def is_layout(X: Any, layout: type) -> bool:
    """Does a Numba type stand for that layout?"""
    return getattr(X, "instance_class", None) is layout


@text_for(dot, reordered=True)
def _dense_dot(X, i, w):
    if isinstance(X, types.Array):
        real = w.dtype

        def dense(X, i, w):
            total = real(0)
            for j in range(w.size):
                total += X[i, j] * w[j]
            return total

        return dense


@text_for(dot)
def _csr_dot(X, i, w):
    if is_layout(X, CSR):
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


@text_for(dot)
def _gram_dot(X, i, w):
    if is_layout(X, Gram):

        def gram(X, i, w):
            return w[i]

        return gram


@text_for(add)
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

    def gram(X, i, a, w):
        for j in range(w.size):
            w[j] += a * X.matrix[i, j]

    return dense if isinstance(X, types.Array) else csr if is_layout(X, CSR) else gram


@text_for(add_centered)
def _add_centered(X, i, a, center, w):
    def dense(X, i, a, center, w):
        for j in range(w.size):
            w[j] += a * (X[i, j] - center[j])

    def csr(X, i, a, center, w):
        add(X, i, a, w)

    return dense if isinstance(X, types.Array) else csr


@text_for(sqnorm, reordered=True)
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

    def gram(X, i):
        return X.diagonal[i]

    return dense if isinstance(X, types.Array) else csr if is_layout(X, CSR) else gram


@text_for(dot_and_sqnorm, reordered=True)
def _dense_dot_and_sqnorm(X, i, w):
    if isinstance(X, types.Array):

        def dense(X, i, w):
            total = squares = 0.0
            for j in range(w.size):
                x = np.float64(X[i, j])
                total += x * w[j]
                squares += x * x
            return total, squares

        return dense


@text_for(dot_and_sqnorm)
def _csr_dot_and_sqnorm(X, i, w):
    if is_layout(X, CSR):

        def csr(X, i, w):
            data, indices = X.data, X.indices
            start, stop = np.uint64(X.indptr[i]), np.uint64(X.indptr[i + 1])
            twos = stop - (stop - start) % np.uint64(2)
            s0 = s1 = q0 = q1 = 0.0
            for k in range(start, twos, np.uint64(2)):
                x0, x1 = np.float64(data[k]), np.float64(data[k + np.uint64(1)])
                s0 += x0 * w[indices[k]]
                s1 += x1 * w[indices[k + np.uint64(1)]]
                q0 += x0 * x0
                q1 += x1 * x1
            for k in range(twos, stop):
                x0 = np.float64(data[k])
                s0 += x0 * w[indices[k]]
                q0 += x0 * x0
            return s0 + s1, q0 + q1

        return csr


@text_for(ready)
def _ready(X, i):
    def always(X, i):
        return True

    def gram(X, i):
        return X.known[i]

    return gram if is_layout(X, Gram) else always


@text_for(stream)
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

    def gram(X, start, stop):
        return 0.0

    return dense if isinstance(X, types.Array) else csr if is_layout(X, CSR) else gram


@compiled
def stream_group(X, blocks, group):
    """Read the blocks of a group, each in memory order; see `stream`."""
    echo = 0.0
    for k in range(group * GROUP, min((group + 1) * GROUP, blocks.size)):
        start = int(blocks[k])
        echo += stream(X, start, start + BLOCK)
    return echo
