"""One way to compile: cached on disk where a cache can be written, in memory where it cannot."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with Numba; the result is kept on disk, so that a new process does not compile again.

    In a read-only installation without a writable home Numba has nowhere to put its cache and
    raises while the module is being imported; the function is then compiled anew in each process.
    """
    try:
        kernel = numba.njit(cache=True)(function)
    except RuntimeError:  # Numba: "no locator available"
        kernel = numba.njit()(function)
    return kernel
