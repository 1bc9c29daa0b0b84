"""A part of the rows, on the worker that holds it."""

from collections.abc import Callable
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from .._types import Array
from ..checks import count_rows
from ..input_kinds import check_labels
from ..stream_sources import blamed_on, is_sparse


class RowKind(NamedTuple):
    """What rows of all chunks must have in common."""

    X: str  # the words for it
    y: str
    weighted: bool


class CollectionPart:
    """Rows as Dask computed them, and what has been worked out of them.

    The second can always be worked out again, and so does not travel: a worker that loses a part, or passes
    it on, loses time alone.
    """

    def __init__(
        self, name: str, X: Any, y: Any, weights: Array | None, kind: RowKind | None, n_rows: int
    ) -> None:
        self.name, self.X, self.y, self.weights, self.kind, self.n_rows = name, X, y, weights, kind, n_rows
        self.memo: dict[str, Any] = {}

    def worked_out(self, key: str, make: Callable[["CollectionPart"], Any]) -> Any:
        """What `make` makes of the rows, kept under this key."""
        if key not in self.memo:
            self.memo[key] = make(self)
        return self.memo[key]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "memo": {}}

    def __sizeof__(self) -> int:
        """By which Dask decides what is worth moving."""
        return 1000 + n_bytes(self.X) + n_bytes(self.y)


def n_bytes(X: Any) -> int:
    if X is None:
        return 0
    if is_sparse(X):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    if hasattr(X, "memory_usage"):
        return int(np.sum(X.memory_usage()))
    return int(X.nbytes)


def load_part(first: int, Xs: list[Any], ys: list[Any], weights: list[Any]) -> CollectionPart:
    """The rows of some chunks, which are counted from 0; `first` is the number of the first."""
    name = f"chunk {first}" if len(Xs) == 1 else f"chunks {first} to {first + len(Xs) - 1}"
    there, kind = [], None  # type: tuple[list[tuple[Any, Any, Any]], RowKind | None]
    for k, (X, y, each) in enumerate(zip(Xs, ys, weights, strict=True), start=first):
        with blamed_on(f"chunk {k}"):
            labels = None if y is None else np.asarray(y)
            check_lengths(X, labels, each)
            if count_rows(X):
                own = kind_of_rows(X, labels, each)
                kind = own if kind is None else common_kind(kind, own)
                there.append((X, labels, each))
    if not there:
        return CollectionPart(name, None, None, None, None, 0)
    X = stacked_chunks([one[0] for one in there])
    y = None if there[0][1] is None else np.concatenate([one[1] for one in there])
    each = None if there[0][2] is None else np.concatenate([np.asarray(one[2]) for one in there])
    return CollectionPart(name, X, y, each, kind, count_rows(X))


def check_lengths(X: Any, y: Any, weights: Any) -> None:
    for what, other in (("labels", y), ("weights", weights)):
        if other is not None and len(other) != count_rows(X):
            raise ValueError(f"X has {count_rows(X)} rows, but there are {len(other)} {what}.")


def stacked_chunks(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0].tocsr() if is_sparse(parts[0]) else parts[0]
    if is_sparse(parts[0]):
        return sp.vstack(parts, format="csr")
    if hasattr(parts[0], "columns"):
        return pd.concat(parts)
    return np.concatenate(parts)


def kind_of_rows(X: Any, y: Any, weights: Any) -> RowKind:
    """What is compared between chunks: layout, types and columns of rows, and whether labels are texts."""
    if hasattr(X, "columns"):
        columns = ", ".join(f"{name!r} {kind_of_cells(dtype)}" for name, dtype in X.dtypes.items())
        rows = f"a table of the columns {columns}"
    else:
        rows = f"{'sparse' if is_sparse(X) else 'dense'} rows of {X.shape[1]} columns of {X.dtype}"
    return RowKind(rows, "" if y is None else kind_of_labels(y), weights is not None)


def kind_of_cells(dtype: Any) -> str:
    """Whole numbers and others may stand in one column: a missing cell makes floats of integers."""
    if getattr(dtype, "kind", "O") in "biuf" and str(dtype) != "float32":
        return "numbers"
    return str(dtype)


def kind_of_labels(y: Array) -> str:
    check_labels(y)
    return "texts" if isinstance(y[0], str) else "numbers"


def common_kind(one: RowKind, other: RowKind) -> RowKind:
    """The same for both, or a ValueError."""
    if one.X != other.X:
        now, before = first_difference(other.X, one.X)
        raise ValueError(
            f"X is {now}, but before it is {before}; all chunks must have the same columns and types: use "
            "astype."
        )
    if one.y != other.y:
        raise ValueError(
            f"y holds {other.y}, but before it holds {one.y}; labels must be all texts or all numbers."
        )
    return one


def first_difference(one: str, other: str) -> tuple[str, str]:
    """Of two lists, the first entries that are not the same."""
    pairs = zip_longest(one.split(", "), other.split(", "), fillvalue="nothing more")
    return next((mine, its) for mine, its in pairs if mine != its)
