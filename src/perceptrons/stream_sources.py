"""Rows that come batch by batch: the sources of `fit_stream`, and what is asked of them.

A source is read several times, from front to back or, if it can be, batch by batch in any order. What it
gives must be the same each time: how many rows a batch has, their labels and some of their cells are
compared with those of the first pass, so that a source that changes is noticed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple, Protocol
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from ._types import Array
from .checks import count_rows, number

BATCH_BYTES = 1 << 22  # of a batch that we cut ourselves: it fits into a cache,
FEWEST_ROWS = 1024  # but at least so many rows
SOME_ROWS = 16  # of a batch, whose cells must be the same in each pass


class Batch(NamedTuple):
    """Some rows, and where they come from."""

    X: Any
    y: Any
    weights: Any = None
    name: str = ""


class Source(Protocol):
    """Batches, the same in each pass."""

    seekable: bool  # can batches be read in any order?
    repeatable: bool  # can they be read more than once?

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        """All batches; or, of a seekable source, those of these numbers in this order."""


def open_source(source: Any, batch_rows: int | None = None) -> Source:
    """What the user passed, as a source.

    A tuple (X, y) or (X, y, weights) of arrays, memory-mapped ones included, or of a CSR matrix and an array;
    a list of such tuples, the batches; a function that returns an iterator of them, again whenever it is
    called; an object that can be iterated over again; or an iterator, which is read once.
    """
    if hasattr(source, "read") and hasattr(source, "seekable") and hasattr(source, "repeatable"):
        return source  # type: ignore[no-any-return]
    if isinstance(source, tuple):
        X, y, *weights = as_tuple(source, "source")
        return ArraySource(X, y, weights[0] if weights else None, batch_rows)
    if isinstance(source, list):
        return ListSource(source)
    if isinstance(source, str | bytes) or hasattr(source, "__array__") or sp.issparse(source):
        raise ValueError(
            f"source is a {type(source).__name__}, but it must be a tuple (X, y) of arrays, a list of such "
            "batches, or a function that returns an iterator of them; for files use stream_table."
        )
    if callable(source):
        return FunctionSource(source)
    if hasattr(source, "__next__"):
        return IteratorSource(source)
    if hasattr(source, "__iter__"):
        return FunctionSource(source.__iter__)
    raise ValueError(f"source={source!r} cannot be iterated over; pass a function that returns an iterator.")


def as_tuple(given: Any, what: str) -> tuple[Any, ...]:
    if isinstance(given, Batch):
        return tuple(given)
    if not isinstance(given, tuple | list) or not 2 <= len(given) <= 3:
        raise ValueError(
            f"{what} is a {type(given).__name__}, but it must be a pair (X, y) or (X, y, weights)."
        )
    return tuple(given)


def as_batch(given: Any, k: int) -> Batch:
    """Batches are counted from 1."""
    if isinstance(given, Batch) and given.name:
        return given
    name = f"batch {k + 1}"
    X, y, *weights = as_tuple(given, name)[:3]
    return Batch(X, y, weights[0] if weights else None, name)


class ArraySource:
    """Arrays in memory or in files, cut into batches."""

    seekable = repeatable = True

    def __init__(self, X: Any, y: Any, weights: Any = None, batch_rows: int | None = None) -> None:
        self.X = X.tocsr() if is_sparse(X) else X
        self.y, self.weights, self.n_rows = np.asarray(y), weights, count_rows(X)
        if len(self.y) != self.n_rows:
            raise ValueError(f"X has {self.n_rows} rows, but y has {len(self.y)} labels; give one for each.")
        if weights is not None and len(weights) != self.n_rows:
            raise ValueError(
                f"X has {self.n_rows} rows, but there are {len(weights)} weights; give one for each."
            )
        self.batch_rows = rows_of_batch(X, self.n_rows, batch_rows)

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        n_batches = -(-self.n_rows // self.batch_rows)
        for k in range(n_batches) if order is None else order:
            part = slice(k * self.batch_rows, min((k + 1) * self.batch_rows, self.n_rows))
            weights = None if self.weights is None else self.weights[part]
            name = f"batch {k + 1} (rows {part.start} to {part.stop - 1})"
            yield Batch(self.X[part], self.y[part], weights, name)


def rows_of_batch(X: Any, n_rows: int, batch_rows: int | None) -> int:
    """The number that was asked for, or that has about `BATCH_BYTES`."""
    if batch_rows is not None:
        return int(number("batch_rows", batch_rows, "[1, inf)", "use None, for batches of 4 MB", int))
    cells = X.data if is_sparse(X) else X
    n_bytes = getattr(cells, "nbytes", 8 * n_rows)
    return max(FEWEST_ROWS, BATCH_BYTES * n_rows // max(n_bytes, 1))


class ListSource:
    """Batches at hand."""

    seekable = repeatable = True

    def __init__(self, batches: list[Any]) -> None:
        self.batches = tuple(batches)

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        for k in range(len(self.batches)) if order is None else order:
            yield as_batch(self.batches[k], k)


class FunctionSource:
    """A function that returns an iterator of batches whenever it is called."""

    seekable, repeatable = False, True

    def __init__(self, function: Callable[[], Iterable[Any]]) -> None:
        self.function, self.known = function, False

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        given = self.function()
        again = None if self.known else self.function()
        self.known = True
        if given is again and hasattr(given, "__next__"):
            raise ValueError(
                "The source returns the same iterator whenever it is asked, which can be read once only; "
                "return a new one, which begins at the first row."
            )
        return (as_batch(one, k) for k, one in enumerate(given))


class IteratorSource:
    """An iterator, which is read once."""

    seekable = repeatable = False

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator = iterator

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        return (as_batch(one, k) for k, one in enumerate(self.iterator))


def check_repeatable(source: Source, why: str) -> None:
    """Asked before anything is read."""
    if not source.repeatable:
        raise ValueError(
            f"source is an iterator, which can be read once only, but {why}; pass a function that returns a "
            "new one."
        )


@contextmanager
def blamed_on(name: str) -> Iterator[None]:
    """What is wrong with a batch names it."""
    try:
        yield
    except ValueError as error:
        if str(error).startswith(name):
            raise
        raise ValueError(f"{name}: {error}") from error


def is_sparse(matrix: Any) -> bool:
    """`issparse` without its type guard."""
    return bool(sp.issparse(matrix))


class Fingerprint(NamedTuple):
    """Of a batch: whether it is the same as before."""

    n_rows: int
    check: int


def fingerprint(X: Any, y: Array, whole: bool = False) -> Fingerprint:
    """Of labels and of the cells of some rows, evenly spread, or of all."""
    n_rows = X.shape[0]
    rows = X if whole else X[:: max(1, n_rows // SOME_ROWS)]
    parts = [rows.data, rows.indices, rows.indptr] if is_sparse(rows) else [rows]
    check = crc32(repr(y.tolist()).encode() if y.dtype.kind in "OU" else np.ascontiguousarray(y).data)
    for part in parts:
        check = crc32(np.ascontiguousarray(part).data, check)
    return Fingerprint(n_rows, check)


def check_same(found: Fingerprint, first: Fingerprint, name: str) -> None:
    if found != first:
        rows = f" ({first.n_rows} rows then, {found.n_rows} now)" if found.n_rows != first.n_rows else ""
        raise ValueError(
            f"{name} is not what it was in the first pass{rows}; the source must give the same rows each "
            "time."
        )


def in_batches(batches: Iterator[Batch], expected: int) -> Iterator[Batch]:
    """The same number as in the first pass."""
    n = 0
    for n, batch in enumerate(islice(batches, expected + 1), start=1):
        if n > expected:
            break
        yield batch
    if n != expected:
        found = "more" if n > expected else f"only {n}"
        raise ValueError(
            f"The source had {expected} batches in the first pass, but now has {found}; it must give the "
            "same rows each time: pass a function that returns a new iterator."
        )
