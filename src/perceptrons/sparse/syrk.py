"""C ← C + a·XᵀX in float32, by BLAS, without the interpreter's lock.

`scipy.linalg.blas.ssyrk` keeps the lock while it computes, so that threads would wait for each other. Here
the same routine is called by its address: the same numbers, and other threads run beside it.
"""

from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_float, c_int, c_void_p
from functools import cache
from typing import Any

import scipy.linalg.cython_blas  # noqa: F401  whose address is looked up
from numba.extending import get_cython_function_address

from .._types import Array


@cache
def _routine() -> Any:
    """uplo, trans, n, k, alpha, a, lda, beta, c, ldc; calls of ctypes release the lock."""
    number, integer = POINTER(c_float), POINTER(c_int)
    prototype = CFUNCTYPE(
        None, c_char_p, c_char_p, integer, integer, number, c_void_p, integer, number, c_void_p, integer
    )
    return prototype(get_cython_function_address("scipy.linalg.cython_blas", "ssyrk"))


def add_product(factor: float, X: Array, entries: Array) -> None:
    """Add factor·XᵀX to the entries (i, j) with j ≥ i; both arrays are float32 and C-ordered.

    What is the upper triangle in C order is the lower one to Fortran, where X is transposed, too."""
    assert X.dtype == entries.dtype == "float32"
    assert X.flags.c_contiguous
    assert entries.flags.c_contiguous
    assert entries.flags.writeable
    n_rows, n = X.shape
    assert entries.shape == (n, n)
    size, one = c_int(n), c_float(1.0)
    _routine()(
        b"L",
        b"N",
        byref(size),
        byref(c_int(n_rows)),
        byref(c_float(factor)),
        X.ctypes.data,
        byref(size),
        byref(one),
        entries.ctypes.data,
        byref(size),
    )
