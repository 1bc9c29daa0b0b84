"""One thread: a second pool beside the caller's own would wait for the first.

One way to compile: cached on disk where a cache can be written, in memory where it cannot.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numba
from threadpoolctl import ThreadpoolController


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


@cache
def _libraries() -> Any:
    """Found once; to look for them takes milliseconds, as long as many a fit."""
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """While it is open, linear algebra runs in one thread."""
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited
