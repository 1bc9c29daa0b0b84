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
