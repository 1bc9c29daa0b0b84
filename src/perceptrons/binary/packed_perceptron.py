# mypy: allow-untyped-defs, allow-untyped-calls
"""A perceptron in two bits per column: its sign, and whether it counts. Golea and Marchand, eq. 1.

Of packed rows x a score takes an exclusive or and a count of ones: Σ w_i x_i = (weights that are not 0)
− 2·(bits that count and differ from the sign).
"""

from dataclasses import dataclass

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.bits import Bits, pack_vector, popcount
from ..rows.packing import CutRows, SparseBits, is_unlike
from .device_bits import DeviceBits

THRESHOLD_BYTES = 4


@dataclass(frozen=True, eq=False)
class PackedPerceptron:
    """+1 where Σ w_i x_i > threshold.

    >>> from perceptrons.rows.bits import from_bytes
    >>> model = pack_weights(np.array([1, -1, 0], np.int8), 1)
    >>> rows = from_bytes(np.array([[0b001], [0b011], [0b101]], np.uint8), 3)  # the first cell is the low bit
    >>> model.scores(rows).tolist(), model.predict(rows).tolist(), model.n_bytes
    ([2, 0, 2], [1, -1, 1], 6)
    """

    signs: Array  # uint64 words: 1 where w = +1
    mask: Array  # 1 where w is not 0
    threshold: int
    n_columns: int

    @property
    def n_bytes(self) -> int:
        """What a device must keep: two bits per column, whole bytes of each, and the threshold."""
        return 2 * -(-self.n_columns // 8) + THRESHOLD_BYTES

    @property
    def coef(self) -> Array:
        """The weights −1, 0, +1."""
        pair = Bits(np.stack([self.signs, self.mask]), self.n_columns).unpacked().astype(np.int8)
        return np.asarray(pair[1] * (2 * pair[0] - 1), np.int8)

    def scores(self, rows: Bits | SparseBits | CutRows | DeviceBits) -> Array:
        """Σ w_i x_i of each row."""
        if rows.width != self.n_columns:
            raise ValueError(
                f"The rows have {rows.width} columns, but the model has {self.n_columns}; pack those that it "
                "was fitted to."
            )
        if isinstance(rows, DeviceBits):
            return int(np.bitwise_count(self.mask).sum()) - 2 * rows.differences(self.signs, self.mask)
        sums = np.empty(len(rows), np.int64)
        if isinstance(rows, Bits):
            sum_words(rows.words, self.signs, self.mask, sums)
        else:
            coef = self.coef.astype(np.int64)
            base = np.where(rows.base, coef, -coef)
            if isinstance(rows, CutRows):
                sum_cells(rows.X, rows.cuts, rows.base, 2 * base, int(base.sum()), sums)
            else:
                sum_sparse(rows.indices, rows.indptr, 2 * base, int(base.sum()), sums)
        return sums

    def predict(self, rows: Bits | SparseBits | CutRows | DeviceBits) -> Array:
        """+1 or −1."""
        return np.where(self.scores(rows) > self.threshold, 1, -1).astype(np.int8)


def pack_weights(coef: Array, threshold: int) -> PackedPerceptron:
    """coef : −1, 0 or +1 for each column."""
    return PackedPerceptron(pack_vector(coef > 0), pack_vector(coef != 0), threshold, len(coef))


@compiled
def sum_words(words, signs, mask, sums):
    active = np.int64(0)
    for k in range(mask.size):
        active += popcount(mask[k])
    for i in range(words.shape[0]):
        against = np.int64(0)
        for k in range(mask.size):
            against += popcount((words[i, k] ^ signs[k]) & mask[k])
        sums[i] = active - 2 * against


@compiled
def sum_sparse(indices, indptr, changes, start, sums):
    for i in range(sums.size):
        total = start
        for e in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
            total -= changes[np.int64(indices[e])]
        sums[i] = total


@compiled
def sum_cells(X, cuts, base, changes, start, sums):
    """The same of CSR rows of numbers, where a cell is unlike zeros."""
    for i in range(sums.size):
        total = start
        for e in range(np.int64(X.indptr[i]), np.int64(X.indptr[i + 1])):
            total -= changes[np.int64(X.indices[e])] * is_unlike(X, e, cuts, base)
        sums[i] = total
