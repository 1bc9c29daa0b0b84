# mypy: allow-untyped-defs, allow-untyped-calls
"""Arrays, CSR matrices and frames become bits: 1 where a value is greater than the cut of its column.

A CSR matrix may stay sparse (`SparseBits`): one base row, and for each row the columns in which it differs.
The base row is what zeros become, and a row differs where a stored value is on the other side of the cut.
Text has tens of thousands of columns and a hundred words in a row: packed, it would be larger. Where the rows
are only read, nothing is copied at all (`CutRows`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Array
from ..compiled import compiled, inlined
from ..structure import check_structure
from .bits import Bits, n_words, pack_vector
from .encode import as_rows, canonical, is_sparse
from .layouts import CSR

FAR = 2**52  # integers below are floats, too


@dataclass(frozen=True, eq=False)
class SparseBits:
    """Rows of bits as their differences from one base row."""

    base: Array  # bool, one per column
    indices: Array  # the columns in which a row differs, row after row
    indptr: Array  # where rows begin

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def width(self) -> int:
        return len(self.base)

    def packed(self) -> Bits:
        words = np.empty((len(self), n_words(self.width)), np.uint64)
        words[:] = pack_vector(self.base)
        toggle_bits(self.indices, self.indptr, words)
        return Bits(words, self.width)

    def take(self, which: Any) -> "SparseBits":
        """Some of the rows, by their numbers."""
        starts, ends = self.indptr[:-1][which].astype(np.int64), self.indptr[1:][which].astype(np.int64)
        indptr = np.append(0, np.cumsum(ends - starts))
        kind = np.int32 if len(self.indices) < 2**31 else np.int64
        places = np.repeat((starts - indptr[:-1]).astype(kind), ends - starts)
        places += np.arange(indptr[-1], dtype=kind)
        return SparseBits(self.base, self.indices[places], indptr)


@dataclass(frozen=True, eq=False)
class CutRows:
    """The rows of a CSR matrix, seen as differences from a base row: no copy, each value is compared again.

    What is to be kept is taken out, so that the matrix can go.
    """

    X: CSR
    cuts: Array  # float64
    base: Array

    def __len__(self) -> int:
        return len(self.X.indptr) - 1

    @property
    def width(self) -> int:
        return len(self.base)

    def packed(self) -> Bits:
        words = np.empty((len(self), n_words(self.width)), np.uint64)
        words[:] = pack_vector(self.base)
        toggle_cells(self.X, self.cuts, self.base, words)
        return Bits(words, self.width)

    def take(self, which: Array) -> SparseBits:
        """Some of the rows, by their numbers."""
        indptr = np.zeros(len(which) + 1, signed_kind(self.X.indptr))
        count_differences(self.X, which, self.cuts, self.base, indptr)
        np.cumsum(indptr, out=indptr)
        indices = np.empty(indptr[-1] + 1, signed_kind(self.X.indices))
        list_differences(self.X, which, self.cuts, self.base, indices)
        return SparseBits(self.base, indices[:-1], indptr)

    def kept(self) -> SparseBits:
        """All rows."""
        return self.take(np.arange(len(self)))


def signed_kind(array: Array) -> np.dtype[Any]:
    """Of compiled code's unsigned numbers, the type that SciPy has for them."""
    return np.dtype(f"i{array.itemsize}")


def to_bits(matrix: Any, cuts: Array) -> Bits | CutRows:
    """The rows of an array, packed; those of a canonical CSR matrix, seen through its cells."""
    return cut_rows(matrix, cuts) if is_sparse(matrix) else pack_rows(matrix, cuts)


def cut_rows(matrix: Any, cuts: Array) -> CutRows:
    """A canonical CSR matrix, each value seen as greater than the cut of its column or not."""
    rows: Any = as_rows(matrix)
    return CutRows(rows, np.ascontiguousarray(cuts, np.float64), np.asarray(cuts < 0.0))


def stack_rows(one: Bits | SparseBits, other: Bits | SparseBits) -> Bits | SparseBits:
    """The rows of both; packed, if some are. Sparse ones must have the same base row."""
    if isinstance(one, SparseBits) and isinstance(other, SparseBits):
        indptr = np.append(one.indptr, other.indptr[1:].astype(np.int64) + one.indptr[-1])
        return SparseBits(one.base, np.append(one.indices, other.indices), indptr)
    words = [cells.words if isinstance(cells, Bits) else cells.packed().words for cells in (one, other)]
    return Bits(np.concatenate(words), one.width)


def pack_rows(X: Any, cuts: Any = 0.0) -> Bits:
    """The rows of an array, CSR matrix or frame; `cuts` is one number, or one per column.

    Zeros that a CSR matrix does not store are cells like any other.
    """
    if hasattr(X, "columns"):
        return pack_columns(X, cuts).transposed()
    matrix: Any = X if is_sparse(X) else np.asarray(X)
    n_rows, width = matrix.shape
    cuts = _per_column(cuts, width)
    if is_sparse(matrix):
        check_structure(matrix)
        return cut_rows(canonical(matrix.tocsr()), cuts).packed()
    words = np.empty((n_rows, n_words(width)), np.uint64)
    pack_cells(*comparable(np.ascontiguousarray(matrix), cuts), words)
    return Bits(words, width)


def pack_columns(X: Any, cuts: Any = 0.0) -> Bits:
    """The columns; of a frame one after the other, so that no array of all is made."""
    if not hasattr(X, "columns"):
        return pack_rows(X, cuts).transposed()
    names = list(X.columns)
    cuts = _per_column(cuts, len(names))
    words = np.zeros((len(names), n_words(len(X))), np.uint64)
    for j, name in enumerate(names):
        words[j] = pack_vector(np.asarray(X[name]) > cuts[j])
    return Bits(words, len(X))


def _per_column(cuts: Any, width: int) -> Array:
    """One number per column, side by side: a view of a single one would be slow to compare with."""
    return np.array(np.broadcast_to(np.asarray(cuts, np.float64), (width,)))


def comparable(X: Array, cuts: Array) -> tuple[Array, Array]:
    """An array, and cuts of its own type that divide its values as the given ones do: x > c is x > ⌊c⌋ for
    integers. Comparing bytes as doubles would take several times as long."""
    if X.dtype.kind == "b":
        X = X.view(np.uint8)
    if X.dtype.kind in "iu":
        limits, low = np.iinfo(X.dtype), np.floor(cuts)
        if (low >= float(limits.min)).all() and (low < FAR).all():
            return X, np.minimum(low, min(limits.max, FAR)).astype(X.dtype)
        return X.astype(np.float64), cuts
    if X.dtype == np.float32:
        with np.errstate(over="ignore"):
            near = cuts.astype(np.float32)
        return X, np.where(near > cuts, np.nextafter(near, np.float32(-np.inf)), near)
    return X.astype(np.float64, copy=False), cuts


@compiled
def pack_cells(X, cuts, words):
    n_rows, width = X.shape
    whole = width // 64
    for i in range(n_rows):
        for k in range(whole):
            word = np.uint64(0)
            for b in range(64):
                word |= np.uint64(X[i, 64 * k + b] > cuts[64 * k + b]) << np.uint64(b)
            words[i, k] = word
        if 64 * whole < width:
            word = np.uint64(0)
            for j in range(64 * whole, width):
                word |= np.uint64(X[i, j] > cuts[j]) << np.uint64(j - 64 * whole)
            words[i, whole] = word


@inlined
def is_unlike(X, e, cuts, base):
    """Is the cell at place e of CSR rows on another side of its cut than zeros?"""
    j = X.indices[e]
    return (X.data[e] > cuts[j]) != base[j]


@compiled
def count_differences(X, rows, cuts, base, counts):
    """For each of these CSR rows, behind a 0, how many of its cells are unlike zeros."""
    for k in range(rows.size):
        for e in range(np.int64(X.indptr[rows[k]]), np.int64(X.indptr[rows[k] + 1])):
            counts[k + 1] += is_unlike(X, e, cuts, base)


@compiled
def list_differences(X, rows, cuts, base, indices):
    """The columns of these cells; each is written down, and the next one over it if it is like zeros."""
    found = 0
    for k in range(rows.size):
        for e in range(np.int64(X.indptr[rows[k]]), np.int64(X.indptr[rows[k] + 1])):
            indices[found] = X.indices[e]
            found += is_unlike(X, e, cuts, base)


@compiled
def toggle_cells(X, cuts, base, words):
    for i in range(words.shape[0]):
        for e in range(np.int64(X.indptr[i]), np.int64(X.indptr[i + 1])):
            j = np.int64(X.indices[e])
            words[i, j // 64] ^= np.uint64(is_unlike(X, e, cuts, base)) << np.uint64(j % 64)


@compiled
def toggle_bits(indices, indptr, words):
    for i in range(words.shape[0]):
        for e in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
            j = np.int64(indices[e])
            words[i, j // 64] ^= np.uint64(1) << np.uint64(j % 64)
