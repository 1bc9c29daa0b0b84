"""How fast this machine reads the rows and does nothing else: the limit of any sweep over them."""

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp
from numba import njit


@njit(cache=True, fastmath={"reassoc", "contract"})
def _total(cells):  # type: ignore[no-untyped-def]
    total = cells.dtype.type(0)
    for k in range(cells.size):
        total += cells[k]
    return total


def reader(matrix: Any) -> Callable[[], object]:
    """A function that reads the matrix's memory once: the array, or data and indices of a CSR matrix."""
    if sp.issparse(matrix):
        return lambda: (_total(matrix.data), _total(matrix.indices))
    cells = matrix.ravel()  # a view: the rows are C-ordered
    return lambda: _total(cells)


def size_in_bytes(matrix: Any) -> int:
    return int(matrix.data.nbytes + matrix.indices.nbytes if sp.issparse(matrix) else matrix.nbytes)
