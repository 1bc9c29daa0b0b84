"""Rows that rules cannot tell apart count as one.

Weights of rules, and their losses, depend on the rows only by which rules hold and by the class. A table of
many rows has few such patterns, so that each is kept once, with the weights of its rows added up. As patterns
are sorted, the order of the rows makes no difference, except for the rounding of these sums.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .._types import Array

BLOCK = 65_536  # rows at a time, lest their patterns take more room than the table
WORD = 8  # bytes


class RowsAlike(NamedTuple):
    """The patterns: a row of 0.0 and 1.0 for each rule and a last one of ones; classes as ±1.0; weights."""

    X: Array
    signs: Array
    weights: Array


def rows_alike(held: Iterable[Array], signs: Array, weights: Array) -> RowsAlike:
    """The patterns of rules that hold in these rows; `held` has a row of 0 and 1 for each rule."""
    bits = [np.packbits(one) for one in (signs > 0, *held)]
    blocks = [slice(start, start + BLOCK) for start in range(0, len(signs), BLOCK)]
    parts = [_merged(_patterns(bits, rows, len(weights[rows])), weights[rows]) for rows in blocks]
    patterns, sums = (np.concatenate(some) for some in zip(*parts, strict=True))
    if len(parts) > 1:
        patterns, sums = _merged(patterns, sums)
    X = np.ones((len(bits), len(sums)))
    positive, X[:-1] = _cells(patterns, len(bits))
    return RowsAlike(X, np.where(positive, 1.0, -1.0), sums)


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
    order = np.lexsort(patterns.T)
    ordered = patterns[order]
    new = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(np.append(True, new))
    return ordered[starts], np.add.reduceat(weights[order], starts)


def _cells(patterns: Array, n_bits: int) -> tuple[Array, Array]:
    """The class of each pattern, and a row of 0 and 1 for each rule."""
    cells = np.unpackbits(patterns.view(np.uint8), axis=1, count=n_bits).T
    return cells[0], cells[1:]
