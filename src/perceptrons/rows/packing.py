# mypy: allow-untyped-defs, allow-untyped-calls
"""Arrays, CSR matrices and frames become bits: 1 where a value is greater than the cut of its column.

A CSR matrix may stay sparse (`SparseBits`): one base row, and for each row the columns in which it differs.
The base row is what zeros become, and a row differs where a stored value is on the other side of the cut.
Text has tens of thousands of columns and a hundred words in a row: packed, it would be larger.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..structure import check_structure
from .bits import Bits, n_words, pack_vector
from .encode import as_rows, canonical, is_sparse

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

    def copied(self) -> "SparseBits":
        """In memory of its own: the indices may be those of a matrix that others will change."""
        return SparseBits(self.base, self.indices.copy(), self.indptr.copy())

    def take(self, which: Any) -> "SparseBits":
        """Some of the rows, by their numbers."""
        starts, ends = self.indptr[:-1][which].astype(np.int64), self.indptr[1:][which].astype(np.int64)
        indptr = np.append(0, np.cumsum(ends - starts))
        kind = np.int32 if len(self.indices) < 2**31 else np.int64
        places = np.repeat((starts - indptr[:-1]).astype(kind), ends - starts)
        places += np.arange(indptr[-1], dtype=kind)
        return SparseBits(self.base, self.indices[places], indptr)


def to_bits(matrix: Any, cuts: Array) -> Bits | SparseBits:
    """The rows of an array, packed; those of a CSR matrix, sparse as they are."""
    return sparse_bits(matrix, cuts) if is_sparse(matrix) else pack_rows(matrix, cuts)


def sparse_bits(matrix: Any, cuts: Array) -> SparseBits:
    """A canonical CSR matrix, each value seen as greater than the cut of its column or not."""
    base, indptr = np.asarray(cuts < 0.0), np.zeros(matrix.shape[0] + 1, matrix.indptr.dtype)
    rows = as_rows(matrix)
    count_differences(rows, cuts, base, indptr)
    np.cumsum(indptr, out=indptr)
    if indptr[-1] == len(matrix.indices):
        return SparseBits(base, matrix.indices, matrix.indptr)
    indices = np.empty(indptr[-1], matrix.indices.dtype)
    list_differences(rows, cuts, base, indices)
    return SparseBits(base, indices, indptr)


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
        return sparse_bits(canonical(matrix.tocsr()), cuts).packed()
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


@compiled
def count_differences(X, cuts, base, counts):
    """For each CSR row, behind a 0, how many of its cells are on another side of their cuts than zeros."""
    for i in range(counts.size - 1):
        for e in range(np.int64(X.indptr[i]), np.int64(X.indptr[i + 1])):
            j = X.indices[e]
            counts[i + 1] += (X.data[e] > cuts[j]) != base[j]


@compiled
def list_differences(X, cuts, base, indices):
    """The columns of these cells."""
    k = 0
    for e in range(X.data.size):
        j = X.indices[e]
        if (X.data[e] > cuts[j]) != base[j]:
            indices[k] = j
            k += 1


@compiled
def toggle_bits(indices, indptr, words):
    for i in range(words.shape[0]):
        for e in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
            j = np.int64(indices[e])
            words[i, j // 64] ^= np.uint64(1) << np.uint64(j % 64)
