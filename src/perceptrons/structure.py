"""Sparse matrices whose arrays contradict one another are refused, before any code reads them.

A CSR matrix says where its rows begin (`indptr`) and which columns its cells are in (`indices`). Compiled
code, SciPy's, scikit-learn's and ours, believes that: one number out of range, and it reads or writes memory
that is not the matrix's. SciPy looks at the numbers when a matrix is made, not at what is written into its
arrays later. So each door calls `check_structure` first: one pass over the indices, which NumPy makes at the
speed of memory.

What is unusual but no contradiction passes: cells stored twice or out of order, arrays with gaps between
their numbers.
"""

from collections.abc import Callable
from itertools import chain
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._types import Array

REMEDY = (
    "Its arrays have been changed since it was made; make it again from rows, columns and values: "
    "scipy.sparse.coo_array((values, (rows, columns)), shape=shape)."
)


def check_structure(X: Any) -> None:
    """Raise a ValueError if X is a sparse matrix whose arrays do not fit one another."""
    if not sp.issparse(X):
        return
    matrix: Any = X
    if len(matrix.shape) != 2:
        raise ValueError(
            f"Expected 2D array, got a sparse one of shape {matrix.shape}; use X.reshape(1, -1) for one row."
        )
    CHECKS[matrix.format](matrix)


def _compressed(X: Any) -> None:
    """CSR and CSC: the lines are rows or columns."""
    n_lines, width = X.shape if X.format == "csr" else X.shape[::-1]
    _values(X, 1)
    _lines(X, n_lines, width)


def _blocks(X: Any) -> None:
    """BSR: the cells are blocks of one shape."""
    _values(X, 3)
    height, width = X.data.shape[1:]
    if not (height and width) or X.shape[0] % height or X.shape[1] % width:
        _refuse(X, f"its blocks have the shape {height}×{width}, which must divide its shape {X.shape}")
    _lines(X, X.shape[0] // height, X.shape[1] // width)


def _lines(X: Any, n_lines: int, width: int) -> None:
    """`indptr`, `indices` and the number of cells, of any compressed format."""
    starts, places = X.indptr, X.indices
    for name, part in (("indptr", starts), ("indices", places)):
        _integers(X, name, part)
    if len(starts) != n_lines + 1:
        _refuse(X, f"indptr has {len(starts)} entries, but there must be {n_lines + 1}")
    if starts[0] != 0:
        _refuse(X, f"indptr begins with {starts[0]}, but it must begin with 0")
    falls = starts[1:] < starts[:-1]
    if falls.any():
        k = int(np.argmax(falls))
        _refuse(X, f"indptr falls from {starts[k]} to {starts[k + 1]}, but it must not fall")
    if len(places) != len(X.data):
        _refuse(
            X, f"there are {len(places)} indices for {len(X.data)} values, but there must be one for each"
        )
    if starts[-1] != len(places):  # room behind the last cell is as bad: SciPy picks columns from it
        _refuse(
            X, f"indptr ends with {starts[-1]}, but there are {len(places)} indices (X.prune() cuts them)"
        )
    _within(X, "indices", places, width)


def _coordinates(X: Any) -> None:
    _values(X, 1)
    for name, part, size in zip(("row", "col"), X.coords, X.shape, strict=True):
        _integers(X, name, part)
        if len(part) != len(X.data):
            _refuse(
                X, f"{name} has {len(part)} entries for {len(X.data)} values, but there must be one for each"
            )
        _within(X, name, part, size)


def _diagonals(X: Any) -> None:
    _values(X, 2)
    _integers(X, "offsets", X.offsets)
    if len(X.offsets) != len(X.data):
        _refuse(X, f"there are {len(X.offsets)} offsets for {len(X.data)} diagonals")
    beyond = X.offsets[(X.offsets < -X.shape[0]) | (X.offsets > X.shape[1])]
    if len(beyond):
        _refuse(X, f"offsets has {beyond[0]}, but they must be from {-X.shape[0]} to {X.shape[1]}")
    if len(np.unique(X.offsets)) < len(X.offsets):
        _refuse(X, "an offset occurs twice")


def _lists(X: Any) -> None:
    """LIL: a list of columns and one of values for each row."""
    for name, part in (("rows", X.rows), ("data", X.data)):
        if not isinstance(part, np.ndarray) or part.shape != (X.shape[0],) or part.dtype != object:
            _refuse(X, f"{name} must be an array of {X.shape[0]} lists")
        if not all(type(line) is list for line in part):
            _refuse(X, f"{name} must hold lists")
    for i, (places, cells) in enumerate(zip(X.rows, X.data, strict=True)):
        if len(places) != len(cells):
            _refuse(X, f"row {i} has {len(places)} columns for {len(cells)} values")
    try:
        found = np.fromiter(chain.from_iterable(X.rows), np.int64)
    except (OverflowError, TypeError, ValueError) as error:
        _refuse(X, f"rows holds what is no column ({error})")
    _within(X, "rows", found, X.shape[1])
    for cell in chain.from_iterable(X.data):
        if not isinstance(cell, (Number, np.bool_)):
            _refuse(X, f"data holds {cell!r}, which is no number")


def _keys(X: Any) -> None:
    """DOK: a dictionary of cells."""
    cells = X.keys()  # to go through the matrix itself would be to go through its rows
    for i, j in cells:
        if not (0 <= i < X.shape[0] and 0 <= j < X.shape[1]):
            _refuse(X, f"it has a cell ({i}, {j}), but its shape is {X.shape}")


CHECKS: dict[str, Callable[[Any], None]] = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _blocks,
    "coo": _coordinates,
    "dia": _diagonals,
    "lil": _lists,
    "dok": _keys,
}


def _values(X: Any, n_dimensions: int) -> None:
    if not isinstance(X.data, np.ndarray) or X.data.ndim != n_dimensions:
        shape = getattr(X.data, "shape", type(X.data).__name__)
        _refuse(X, f"data has the shape {shape}, but it must be an array of {n_dimensions} dimensions")


def _integers(X: Any, name: str, part: Any) -> None:
    """What SciPy itself makes: int32 or int64, one dimension."""
    if not isinstance(part, np.ndarray) or part.ndim != 1:
        shape = getattr(part, "shape", type(part).__name__)
        _refuse(X, f"{name} has the shape {shape}, but it must be an array of one dimension")
    if part.dtype not in (np.int32, np.int64):
        _refuse(X, f"{name} has the type {part.dtype}, but it must be int32 or int64")


def _within(X: Any, name: str, places: Array, size: int) -> None:
    """All from 0 to size − 1. Seen as unsigned, negative ones are the largest: one look for both ends."""
    if len(places) and places.view(f"u{places.itemsize}").max() >= size:
        k = int(np.argmax((places < 0) | (places >= size)))
        _refuse(X, f"{name}[{k}] is {places[k]}, but it must be from 0 to {size - 1}")


def _refuse(X: Any, what: str) -> None:
    raise ValueError(f"X is no valid {X.format.upper()} matrix: {what}. {REMEDY}")
