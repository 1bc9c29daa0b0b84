"""One thread: a second pool beside the caller's own would wait for the first."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> Any:
    """Found once; to look for them takes milliseconds, as long as many a fit."""
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """While it is open, linear algebra runs in one thread."""
    limited: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limited
