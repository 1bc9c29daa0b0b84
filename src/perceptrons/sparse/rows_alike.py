"""Rows that rules cannot tell apart count as one.

Weights of rules, and their losses, depend on the rows only by which rules hold and by the class. A table of
many rows has few such patterns, so that each is kept once, with the weights of its rows added up. As patterns
are sorted, the order of the rows makes no difference, except for the rounding of these sums; so patterns of
rows in several places add up, too.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .._types import Array

BLOCK = 65_536  # rows at a time, lest their patterns take more room than the table
WORD = 8  # bytes


class RowsAlike(NamedTuple):
    """The patterns: a row of 0.0 and 1.0 for each rule and a last one of ones; classes as ±1.0; weights."""

    X: Array
    signs: Array
    weights: Array


class RowPatterns(NamedTuple):
    """The same in bits: a line of words of 64 bits for each pattern, in ascending order, and the weights."""

    words: Array
    weights: Array
    n_bits: int  # the class, and the rules

    def __add__(self, other: Any) -> "RowPatterns":
        """The patterns of both."""
        words, weights = (np.concatenate(some) for some in zip(self[:2], other[:2], strict=True))
        return RowPatterns(*_merged(words, weights), self.n_bits)

    def alike(self, rows: slice = slice(None)) -> RowsAlike:
        """All patterns as rows, or some."""
        weights = self.weights[rows]
        X = np.ones((self.n_bits, len(weights)))
        positive, X[:-1] = _cells(self.words[rows], self.n_bits)
        return RowsAlike(X, np.where(positive, 1.0, -1.0), weights)

    def blocks(self, size: int) -> Iterator[RowsAlike]:
        """The same, some at a time."""
        for start in range(0, len(self.weights), size):
            yield self.alike(slice(start, start + size))


def rows_alike(held: Iterable[Array], signs: Array, weights: Array) -> RowsAlike:
    """The patterns of rules that hold in these rows; `held` has a row of 0 and 1 for each rule."""
    return patterns_of(held, signs, weights).alike()


def patterns_of(held: Iterable[Array], signs: Array, weights: Array) -> RowPatterns:
    """The same in bits; there may be no rows."""
    bits = [np.packbits(one) for one in (signs > 0, *held)]
    blocks = [slice(start, start + BLOCK) for start in range(0, max(len(signs), 1), BLOCK)]
    parts = [_merged(_patterns(bits, rows, len(weights[rows])), weights[rows]) for rows in blocks]
    patterns, sums = (np.concatenate(some) for some in zip(*parts, strict=True))
    if len(parts) > 1:
        patterns, sums = _merged(patterns, sums)
    return RowPatterns(patterns, sums, len(bits))


def _patterns(bits: list[Array], rows: slice, n_rows: int) -> Array:
    """For each row the class and the rules that hold, in words of 64 bits."""
    some = slice(rows.start // 8, rows.stop // 8)
    cells = np.array([np.unpackbits(one[some], count=n_rows) for one in bits])
    by_row = np.packbits(cells, axis=0).T
    padded = np.zeros((n_rows, -(-by_row.shape[1] // WORD) * WORD), np.uint8)
    padded[:, : by_row.shape[1]] = by_row
    return padded.view(np.uint64)


def _merged(patterns: Array, weights: Array) -> tuple[Array, Array]:
    """Each pattern once, in ascending order, with the sum of its weights."""
    if not len(weights):
        return patterns, weights
    order = np.lexsort(patterns.T)
    ordered = patterns[order]
    new = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(np.append(True, new))
    return ordered[starts], np.add.reduceat(weights[order], starts)


def _cells(patterns: Array, n_bits: int) -> tuple[Array, Array]:
    """The class of each pattern, and a row of 0 and 1 for each rule."""
    cells = np.unpackbits(patterns.view(np.uint8), axis=1, count=n_bits).T
    return cells[0], cells[1:]
