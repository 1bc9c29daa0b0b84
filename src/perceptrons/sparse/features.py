"""Conjunctions as columns: first-order features are the literals, second-order ones their pairs (Jackson and
Craven, section 4)."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._types import Array
from ..rows.layouts import CSR
from .conjunctions import Literals

MOST_CELLS = 20_000_000  # 240 MB, and a few times as much while they are made


class Features(NamedTuple):
    """The columns that have weights: one of 0 and 1 for each conjunction that holds in some row."""

    X: Any  # CSR
    places: list[tuple[int, ...]]  # the literals of each: single literals first, then pairs, in order


def features_of(data: Literals, rows: Array, k: int) -> Features:
    """The conjunctions of at most k literals, in these rows."""
    cells, n = data.rows, data.n_literals
    if isinstance(cells, CSR):
        signed = (part.view(f"i{part.itemsize}") for part in (cells.indices, cells.indptr))
        L = sp.csr_array((cells.data, *signed), (data.n_rows, n))[rows]
    else:
        L = sp.csr_array(cells[rows])
    L = L.astype(np.float64)
    literals = L.indices.astype(np.int64)
    owners = np.repeat(np.arange(len(rows)), np.diff(L.indptr))
    codes = literals * (n + 1)  # (i, i) is the literal i
    if k == 2:
        check_cells(L, data.ends)
        one, other = _pairs(L.indptr, owners)
        joined = literals[other] >= data.ends[literals[one]]  # not two of one attribute
        one, other = one[joined], other[joined]
        codes = np.concatenate([codes, literals[one] * n + literals[other]])
        owners = np.concatenate([owners, owners[one]])
    return _assembled(codes, owners, (len(rows), n))


def _assembled(codes: Array, owners: Array, shape: tuple[int, int]) -> Features:
    """Code i·n + j is the pair (i, j)."""
    n_rows, n = shape
    found, columns = np.unique(codes, return_inverse=True)
    first, second = np.divmod(found, n)
    order = np.argsort(first < second, kind="stable")  # literals first
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    X = sp.csr_array((np.ones(len(codes)), (owners, rank[columns])), (n_rows, len(found)))
    couples = zip(first[order].tolist(), second[order].tolist(), strict=True)
    return Features(X, [(i,) if i == j else (i, j) for i, j in couples])


def _pairs(starts: Array, owners: Array) -> tuple[Array, Array]:
    """The positions of all pairs of cells of one row, the first before the second."""
    cells = np.arange(len(owners))
    after = starts[owners + 1] - cells - 1  # cells that follow in the row
    first = np.repeat(cells, after)
    return first, first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(after) - after, after)


def check_cells(L: Any, ends: Array) -> None:
    """Raise if there are too many ones among the pairs."""
    _, owners = np.unique(ends, return_inverse=True)
    groups = sp.csr_array((np.ones(len(ends)), (np.arange(len(ends)), owners)))
    alike = L @ groups  # literals of each attribute that hold in each row
    n_cells = L.nnz + int(((L.sum(axis=1) ** 2).sum() - (alike.data**2).sum()) / 2)
    if n_cells > MOST_CELLS:
        raise ValueError(
            f"With k=2 literals and their pairs hold {n_cells:,} times in the rows, but at most "
            f"{MOST_CELLS:,} can be kept. Use k=1, fewer rows or columns, or a smaller n_thresholds."
        )
