"""Dask collections as lists of chunks, each with its rows, labels and weights.

Chunks are put together, neighbors with neighbors, into at most `MOST_PARTS` parts: few large tasks. How they
are depends on the collection alone, not on the cluster, so that sums over parts are always the same.
"""

from typing import Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.base import is_dask_collection

MOST_PARTS = 1024


class Chunk(NamedTuple):
    """Rows that Dask will compute on a worker, as `dask.delayed` objects."""

    X: Any
    y: Any
    weights: Any = None


def is_collection(X: Any) -> bool:
    return bool(is_dask_collection(X))


def read_chunks(X: Any, y: Any, weights: Any = None) -> list[Chunk]:
    """The chunks of rows, labels and weights, which belong together."""
    X = whole_rows(X)
    lists = [delayed_chunks(X)]
    for name, other in (("y", y), ("sample_weight", weights)):
        lists.append([None] * len(lists[0]) if other is None else beside(X, other, name))
    return [Chunk(*parts) for parts in zip(*lists, strict=True)]


def whole_rows(X: Any) -> Any:
    """A collection of whole rows: an array that was cut across columns, too, is put together there."""
    if not is_array(X) and not is_frame(X):
        raise ValueError(
            f"X is a {type(X).__name__}, but it must be a Dask array or dataframe; use "
            "dask.array.from_array(X, chunks=(100_000, -1)), or the learner of the same name in perceptrons."
        )
    if not is_array(X):
        return X
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions, but it must have 2: a row per example.")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def is_array(X: Any) -> bool:
    return isinstance(X, da.Array)


def is_frame(X: Any) -> bool:
    return isinstance(X, dd.DataFrame)


def delayed_chunks(X: Any) -> list[Any]:
    parts = X.to_delayed()
    return [*parts.ravel()] if is_array(X) else [*parts]


def beside(X: Any, other: Any, name: str) -> list[Any]:
    """The chunks of labels or weights that belong to those of X."""
    other = one_column(other, name)
    if is_array(X) and is_array(other):
        ours, theirs = X.chunks[0], other.chunks[0]
        known = not np.isnan([*ours, *theirs]).any()
        if known and sum(ours) != sum(theirs):
            raise ValueError(f"X has {sum(ours)} rows, but {name} has {sum(theirs)}; give one for each.")
        if known and ours != theirs:
            other = other.rechunk({0: ours})
    parts, expected = delayed_chunks(other), len(delayed_chunks(X))
    if len(parts) != expected:
        raise ValueError(
            f"X has {expected} chunks, but {name} has {len(parts)}, and their lengths are not known, so that "
            "rows cannot be matched; call compute_chunk_sizes() of arrays, or take both from one dataframe."
        )
    return parts


def one_column(other: Any, name: str) -> Any:
    """An array of one dimension, or a series."""
    if not is_collection(other) or not hasattr(other, "to_delayed"):
        raise ValueError(
            f"{name} is a {type(other).__name__}, but it must be a Dask array or series, in the same chunks "
            "as X; use dask.array.from_array(y, chunks=X.chunks[0])."
        )
    if is_frame(other):
        if len(other.columns) != 1:
            raise ValueError(f"{name} has {len(other.columns)} columns, but it must be one.")
        return other[other.columns[0]]
    if is_array(other) and other.ndim == 2 and other.shape[1] == 1:
        return other[:, 0]
    if is_array(other) and other.ndim != 1:
        raise ValueError(f"{name} has {other.ndim} dimensions, but it must have 1.")
    return other


def in_parts(chunks: list[Chunk]) -> list[list[Chunk]]:
    """Neighbors together, in at most `MOST_PARTS` parts."""
    together = -(-len(chunks) // MOST_PARTS)
    return [chunks[start : start + together] for start in range(0, len(chunks), together)]
