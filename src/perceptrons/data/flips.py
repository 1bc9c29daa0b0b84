"""A sparse Boolean matrix: one row that all begin with, and for each row the cells in which it differs.

Of a CSR matrix the row is what zeros become, and a row differs where a stored value is on the other side of
the cut. Text has tens of thousands of columns and a hundred words in a row: packed, it would be larger.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .bits import Bits, n_words, pack_vector
from .compiled import compiled
from .rows import Array


@dataclass(frozen=True, eq=False)
class Flips:
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
        flip(self.indices, self.indptr, words)
        return Bits(words, self.width)

    def copied(self) -> "Flips":
        """In memory of its own: the indices may be those of a matrix that others will change."""
        return Flips(self.base, self.indices.copy(), self.indptr.copy())

    def take(self, which: Any) -> "Flips":
        """Some of the rows, by their numbers."""
        starts, ends = self.indptr[:-1][which].astype(np.int64), self.indptr[1:][which].astype(np.int64)
        indptr = np.append(0, np.cumsum(ends - starts))
        places = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], ends - starts)
        return Flips(self.base, self.indices[places], indptr)


def flips_of(matrix: Any, cuts: Array) -> Flips:
    """A canonical CSR matrix, each value seen as greater than the cut of its column or not."""
    indices, base = matrix.indices, np.asarray(cuts < 0.0)
    differs = (matrix.data > cuts[indices]) != base[indices]
    if differs.all():
        return Flips(base, indices, matrix.indptr)
    before = np.append(0, np.cumsum(differs))
    return Flips(base, indices[differs], before[matrix.indptr])


def stacked(one: Bits | Flips, other: Bits | Flips) -> Bits | Flips:
    """The rows of both; packed, if some are. Sparse ones must begin with the same row."""
    if isinstance(one, Flips) and isinstance(other, Flips):
        indptr = np.append(one.indptr, other.indptr[1:].astype(np.int64) + one.indptr[-1])
        return Flips(one.base, np.append(one.indices, other.indices), indptr)
    words = [cells.words if isinstance(cells, Bits) else cells.packed().words for cells in (one, other)]
    return Bits(np.concatenate(words), one.width)


@compiled
def flip(indices, indptr, words):
    for i in range(words.shape[0]):
        for e in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
            j = np.int64(indices[e])
            words[i, j // 64] ^= np.uint64(1) << np.uint64(j % 64)
