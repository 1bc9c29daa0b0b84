"""One way to compile: cached on disk where a cache can be written, in memory where it cannot; and threads.

Compiled code releases the interpreter's lock, so that threads run side by side. One thread is the default,
and never are two pools at work: while ours is, linear algebra keeps to one thread.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from numbers import Integral
from threading import Lock
from typing import Any, TypeVar, cast

import numba
from joblib import effective_n_jobs
from numba.extending import overload
from threadpoolctl import ThreadpoolController

from .checks import is_number

_KERNELS: list[Any] = []  # all that were made
_COMMON = {"no_cfunc_wrapper": True}  # nothing is called from C: a tenth less to compile
_OPTIONS: Any = {"nogil": True, **_COMMON}
_INLINED = {"forceinline": True, **_COMMON}
_REORDERED = {"fastmath": {"reassoc", "contract"}, **_INLINED}


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with Numba; the result is kept on disk, so that a new process does not compile again.

    In a read-only installation without a writable home Numba has nowhere to put its cache and
    raises while the module is being imported; the function is then compiled again in each process.
    """
    return _kernel(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same, written into the compiled functions that call it: what is short, or called in one place,
    takes less time to compile than a function of its own."""
    return _kernel(function, inline="always")


def _kernel(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    kernel: Callable[..., Any]
    try:
        kernel = numba.njit(cache=True, **_OPTIONS, **options)(function)
    except RuntimeError:  # Numba: "no locator available"
        kernel = numba.njit(**_OPTIONS, **options)(function)
    _KERNELS.append(kernel)
    return kernel


def text_for(
    function: Callable[..., Any], *, inlined: bool = False, reordered: bool = False
) -> Callable[..., Any]:
    """Numba's `overload`: what is decorated returns a compiled text of the function for some types of its
    arguments. It may be `inlined` into all its callers; and its sums `reordered`, so that they vectorize."""
    options: Any = _REORDERED if reordered else _INLINED if inlined else _COMMON
    decorate: Callable[..., Any] = overload(function, jit_options=options)
    return decorate


def n_specializations() -> int:
    """How often kernels have been compiled, or loaded from disk, in this process."""
    return sum(len(getattr(kernel, "overloads", ())) for kernel in _KERNELS)


@cache
def _libraries() -> Any:
    """Found once; to look for them takes milliseconds, as long as many a fit."""
    return ThreadpoolController()


class _OneThread:
    """A limit that several fits, in threads of the user's own, may hold at once: the last one lifts it."""

    def __init__(self) -> None:
        self._lock, self._holders, self._limit = Lock(), 0, cast(Any, None)

    def __enter__(self) -> None:
        with self._lock:
            if not self._holders:
                self._limit = _libraries().limit(limits=1, user_api="blas")
            self._holders += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._holders -= 1
            if not self._holders:
                self._limit.restore_original_limits()


_ONE_THREAD = _OneThread()


def one_thread() -> AbstractContextManager[None]:
    """While it is open, linear algebra runs in one thread."""
    return _ONE_THREAD


Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads:
    """Threads at work, or the caller's own alone."""

    def __init__(self, n: int = 1, pool: ThreadPoolExecutor | None = None) -> None:
        self.n, self._pool = n, pool

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """function(item) for each, in the order of the items."""
        return [*self._pool.map(function, items)] if self._pool else [function(item) for item in items]

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The same, one after the other as they are asked for."""
        return self._pool.map(function, items) if self._pool else map(function, items)

    def shares(self, items: list[Item]) -> list[list[Item]]:
        """The items dealt out, a list for each thread that has any."""
        return [items[k :: self.n] for k in range(min(self.n, len(items)))]


SERIAL = Threads()


@contextmanager
def threads(n_jobs: Any) -> Iterator[Threads]:
    """As many threads as `n_jobs` asks for, in scikit-learn's way: None is one, -1 is one per core."""
    n = count_threads(n_jobs)
    if n == 1:
        yield Threads()
        return
    with one_thread(), ThreadPoolExecutor(n) as pool:
        yield Threads(n, pool)


def count_threads(n_jobs: Any) -> int:
    """The number that `n_jobs` stands for."""
    if n_jobs is not None and not (is_number(n_jobs, Integral) and n_jobs != 0):
        raise ValueError(
            f"n_jobs={n_jobs!r}, but it must be an integer other than 0; use None for one thread, -1 for one "
            "per core."
        )
    return int(effective_n_jobs(n_jobs))
