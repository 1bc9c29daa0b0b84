# mypy: allow-untyped-defs, allow-untyped-calls
"""Packed Boolean matrices: 64 cells in a word, an eighth of a byte each.

`Bits` are vectors of bits: the rows of a matrix, or its columns. Bit b of word k is cell 64k + b; what is
left over of the last word is 0. So words are what `np.packbits(..., bitorder="little")` writes, padded, on
every processor that counts bytes from the low end. `packing` makes them of arrays, CSR matrices and frames.
For compiled code `popcount` and `lowest_bit` are the processor's own instructions.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from .._types import Array
from ..compiled import compiled, text_for

WORD = 64


@dataclass(frozen=True, eq=False)
class Bits:
    """Vectors of `width` bits each, in words.

    >>> from perceptrons.rows.packing import pack_rows
    >>> rows = pack_rows(np.array([[1, -1, 1], [-1, -1, 1]]))
    >>> rows.words.tolist(), rows.width
    ([[5], [4]], 3)
    >>> rows.transposed().words.tolist()  # columns of two bits
    [[1], [0], [3]]
    >>> rows.unpacked().astype(int).tolist()
    [[1, 0, 1], [0, 0, 1]]
    """

    words: Array  # uint64, a row of words per vector
    width: int

    def __len__(self) -> int:
        return len(self.words)

    def transposed(self) -> "Bits":
        """Rows become columns, columns rows."""
        words = np.empty((self.width, n_words(len(self))), np.uint64)
        transpose(self.words, words, self.width)
        return Bits(words, len(self))

    def unpacked(self) -> Array:
        """The cells as truth values."""
        cells = np.unpackbits(self.to_bytes(), axis=1, count=self.width, bitorder="little")
        return cells.view(np.bool_)

    def to_bytes(self) -> Array:
        """The cells as `np.packbits(cells, axis=1, bitorder="little")` has them: ⌈width/8⌉ bytes each."""
        return self.words.astype("<u8", copy=False).view(np.uint8)[:, : -(-self.width // 8)]

    def take(self, which: Any) -> "Bits":
        """Some of the vectors, by their numbers or by a mask."""
        return Bits(self.words[which], self.width)


def n_words(width: int) -> int:
    return -(-width // WORD)


def from_bytes(packed: Array, width: int) -> Bits:
    """What `np.packbits(cells, axis=1, bitorder="little")` has packed."""
    packed = np.asarray(packed)
    n_bytes = -(-width // 8)
    if packed.dtype != np.uint8 or packed.ndim != 2 or packed.shape[1] != n_bytes:
        raise ValueError(
            f"The packed rows have dtype {packed.dtype} and shape {packed.shape}, but {width} bits need "
            f"uint8 and (rows, {n_bytes}); pack with np.packbits(cells, axis=1, bitorder='little')."
        )
    padded = np.zeros((len(packed), 8 * n_words(width)), np.uint8)
    padded[:, :n_bytes] = packed
    if width % 8:  # the bits beyond the width may hold anything
        padded[:, n_bytes - 1] &= 2 ** (width % 8) - 1
    return Bits(padded.view("<u8").astype(np.uint64, copy=False), width)


def pack_vector(cells: Array) -> Array:
    """Truth values in words."""
    packed = np.packbits(np.asarray(cells, np.bool_), bitorder="little")
    padded = np.zeros(8 * n_words(len(cells)), np.uint8)
    padded[: len(packed)] = packed
    return padded.view("<u8").astype(np.uint64, copy=False)


@compiled
def transpose(words, out, width):
    """Blocks of 64×64 bits, each by six exchanges of ever smaller squares."""
    block = np.empty(64, np.uint64)
    n_rows = words.shape[0]
    for k in range(words.shape[1]):
        for r in range(out.shape[1]):
            for b in range(64):
                block[b] = words[64 * r + b, k] if 64 * r + b < n_rows else np.uint64(0)
            transpose_block(block)
            for b in range(min(64, width - 64 * k)):
                out[64 * k + b, r] = block[b]


@compiled
def transpose_block(block):
    size, mask = 32, np.uint64(0x00000000FFFFFFFF)
    while size > 0:
        shift = np.uint64(size)
        for start in range(0, 64, 2 * size):
            for b in range(start, start + size):
                changed = ((block[b] >> shift) ^ block[b + size]) & mask
                block[b + size] ^= changed
                block[b] ^= changed << shift
        size //= 2
        mask ^= mask << np.uint64(max(size, 1))


def popcount(word: Any) -> Any:
    """How many bits of a word are 1."""
    return np.int64(np.bitwise_count(word))


@intrinsic
def _ones(typing_context, word):
    def emit(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), emit


@text_for(popcount)
def _popcount(word):
    def always(word):
        return _ones(word)  # type: ignore[call-arg]

    return always


def lowest_bit(word: Any) -> Any:
    """The number of the lowest bit that is 1, in a word that is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@intrinsic
def _trailing_zeros(typing_context, word):
    def emit(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), emit


@text_for(lowest_bit)
def _lowest_bit(word):
    def always(word):
        return _trailing_zeros(word)  # type: ignore[call-arg]

    return always


@compiled
def joint_counts(columns, chosen, ones, both):
    """Of each column, its ones, and those of them in chosen rows. Four columns at a time, because reading
    `chosen` once per column would take as long as reading the columns."""
    last = columns.shape[0] - 1
    for j in range(0, columns.shape[0], 4):
        j1, j2, j3 = min(j + 1, last), min(j + 2, last), min(j + 3, last)
        n0, n1, n2, n3, c0, c1, c2, c3 = count_four(columns[j], columns[j1], columns[j2], columns[j3], chosen)
        ones[j], ones[j1], ones[j2], ones[j3] = n0, n1, n2, n3
        both[j], both[j1], both[j2], both[j3] = c0, c1, c2, c3


@compiled
def count_four(w0, w1, w2, w3, chosen):
    n0 = n1 = n2 = n3 = c0 = c1 = c2 = c3 = 0
    for k in range(chosen.size):
        word = chosen[k]
        n0 += popcount(w0[k])
        c0 += popcount(w0[k] & word)
        n1 += popcount(w1[k])
        c1 += popcount(w1[k] & word)
        n2 += popcount(w2[k])
        c2 += popcount(w2[k] & word)
        n3 += popcount(w3[k])
        c3 += popcount(w3[k] & word)
    return n0, n1, n2, n3, c0, c1, c2, c3


@compiled
def weighted_ones(words, weights, heavy, ones, both):
    """Of each column of packed rows, the weight of the rows in which it is 1, in two weightings at once."""
    for i in range(words.shape[0]):
        for k in range(words.shape[1]):
            word = words[i, k]
            for b in range(min(64, ones.size - 64 * k)):
                bit = np.int64(word >> np.uint64(b) & np.uint64(1))
                ones[64 * k + b] += weights[i] * bit
                both[64 * k + b] += heavy[i] * bit
