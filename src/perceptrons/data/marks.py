"""Rows of truth values, for compiled code: zeros and ones in an array, or CSR that stores the ones, sorted.

Sums of such rows are `rows.add`; here is what is asked of one cell.
"""

from typing import TypeAlias

import numpy as np
from numba import types
from numba.extending import overload

from .rows import CSR, Array, cells

Marks: TypeAlias = Array | CSR


def holds(L: Marks, i: int, j: int) -> bool:
    """Is x_ij true?"""
    if isinstance(L, CSR):
        return bool((L.indices[cells(L, i)] == j).any())
    return bool(L[i, j])


@overload(holds)
def _holds(L, i, j):
    def dense(L, i, j):
        return L[i, j] != 0

    def csr(L, i, j):
        low, high = np.int64(L.indptr[i]), np.int64(L.indptr[i + 1])
        while low < high:  # half of the row is left out at a time
            middle = low + (high - low) // 2
            if L.indices[middle] < j:
                low = middle + 1
            else:
                high = middle
        return low < np.int64(L.indptr[i + 1]) and L.indices[low] == j

    return dense if isinstance(L, types.Array) else csr


def add_four_after(L: Marks, rows: Array, weights: Array, sums: Array, start: int) -> None:
    """sums ← sums + Σ a·x_i over four rows, from a column on."""
    for i, a in zip(rows.tolist(), weights.tolist(), strict=True):
        if isinstance(L, CSR):
            columns = L.indices[cells(L, i)]
            sums[columns[columns >= start]] += a
        else:
            sums[start:] += a * L[i, start:]


@overload(add_four_after)
def _add_four_after(L, rows, weights, sums, start):
    real = sums.dtype

    def dense(L, rows, weights, sums, start):
        a, b, c, d = weights[0], weights[1], weights[2], weights[3]
        x, y = L[rows[0], start:], L[rows[1], start:]
        z, w = L[rows[2], start:], L[rows[3], start:]
        rest = sums[start:]
        for j in range(rest.size):  # the sums are read and written once for all four
            rest[j] += (a * real(x[j]) + b * real(y[j])) + (c * real(z[j]) + d * real(w[j]))

    def csr(L, rows, weights, sums, start):
        for k in range(4):
            i, a = rows[k], weights[k]
            for p in range(np.uint64(L.indptr[i + 1]), np.uint64(L.indptr[i]), np.int64(-1)):
                j = L.indices[p - np.uint64(1)]
                if j < start:
                    break
                sums[j] += a

    return dense if isinstance(L, types.Array) else csr
