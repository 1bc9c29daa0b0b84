"""The columns of rows of bits, each as the list of rows that differ from the first one.

Packed and sparse rows give the same lists. A column and its opposite have the same list too, so that a list
tells whether two columns say the same.
"""

from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .._types import Array
from ..rows.bits import Bits, pack_vector
from ..rows.packing import SparseBits


class BinaryColumn(NamedTuple):
    rows: Array  # in which it has another value than in the first row
    value: int  # that value, ±1


@dataclass(frozen=True, eq=False)
class PackedColumns:
    words: Array  # of each column, 1 where it differs from the first row
    first: Array  # bool, the first row
    n_rows: int

    def column(self, j: int) -> BinaryColumn:
        differs = Bits(self.words[j : j + 1], self.n_rows).unpacked()[0]
        return BinaryColumn(np.flatnonzero(differs), -1 if self.first[j] else 1)

    def key(self, j: int) -> bytes:
        return digest(self.words[j])


@dataclass(frozen=True, eq=False)
class SparseColumns:
    indices: Array  # the rows in which a column differs from the base row, column after column
    indptr: Array
    base: Array  # bool
    n_rows: int

    def column(self, j: int) -> BinaryColumn:
        rows = self.indices[self.indptr[j] : self.indptr[j + 1]]
        value = -1 if self.base[j] else 1
        if len(rows) and rows[0] == 0:
            return BinaryColumn(np.delete(np.arange(self.n_rows), rows), -value)
        return BinaryColumn(rows.astype(np.int64), value)

    def key(self, j: int) -> bytes:
        return digest(self.column(j).rows)


def digest(values: Array) -> bytes:
    """Of a whole column, in place of the column itself; two that differ have two."""
    return blake2b(np.ascontiguousarray(values).data, digest_size=32).digest()


def columns_of(cells: Bits | SparseBits) -> PackedColumns | SparseColumns:
    if isinstance(cells, Bits):
        words, first = cells.transposed().words, cells.take(slice(1)).unpacked()[0]
        every_row = pack_vector(np.ones(len(cells), np.bool_))  # what is left over of the last word stays 0
        return PackedColumns(np.where(first[:, None], words ^ every_row, words), first, len(cells))
    shape, stored = (len(cells), cells.width), np.ones(len(cells.indices), np.bool_)
    indptr = cells.indptr.astype(cells.indices.dtype, copy=False)  # else the indices would grow to 64 bits
    by_column = sp.csr_array((stored, cells.indices, indptr), shape=shape).tocsc()
    return SparseColumns(by_column.indices, by_column.indptr, cells.base, len(cells))


def first_alike(columns: PackedColumns | SparseColumns, which: Array) -> Array:
    """Of these columns, given by their numbers, the first ones of those that are equal or opposite."""
    seen: dict[bytes, int] = {}
    return np.array([j for j in which.tolist() if seen.setdefault(columns.key(j), j) == j], np.int64)
