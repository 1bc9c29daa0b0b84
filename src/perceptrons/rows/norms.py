# mypy: allow-untyped-defs, allow-untyped-calls
"""How long rows are: the shortest, the longest, and the usual norm, a power of two.

The usual norm is a median, and a median needs no more than a thousand rows: up to 2,048 all are counted,
of more rows between 1,024 and 2,048, spread evenly over them. Which these are depends on their numbers alone
(the multiples of the golden ratio, modulo 1, that are below 2^-level), never on layout or batches: counts
are kept by level, so that those of parts add up to those of the whole, exactly.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled, inlined
from .layouts import Rows, sqnorm

LOWEST, EXPONENTS = -537, 1050  # powers of two that norms of doubles are rounded to
LEVELS = 32
COUNTED_BITS = 11  # 2,048 rows are counted at most
GOLDEN = np.uint64(0x9E3779B9)  # 2^32 divided by the golden ratio, odd
TOP, ALL = np.uint64(2**31), np.uint64(2**32)


class NormCounts(NamedTuple):
    """How many rows have which norm, each rounded to the nearest power of two; rows of zeros do not count."""

    n_rows: int  # seen, whether counted or not
    first: int  # the exponent of the first column
    counts: Array  # a line per level, a column per exponent

    def __add__(self, other: Any) -> "NormCounts":
        parts = [part for part in (self, other) if part.counts.size]
        first = min((part.first for part in parts), default=0)
        last = max((part.first + part.counts.shape[1] for part in parts), default=first)
        n_levels = max((len(part.counts) for part in parts), default=0)
        total = np.zeros((n_levels, last - first), np.result_type(self.counts, other.counts))
        for part in parts:
            start = part.first - first
            total[: len(part.counts), start : start + part.counts.shape[1]] += part.counts
        return NormCounts(self.n_rows + other.n_rows, first, total)

    def fits(self) -> bool:
        """Whether levels and exponents can be those of rows."""
        lines, columns = self.counts.shape
        return lines <= LEVELS and LOWEST <= self.first and self.first + columns <= LOWEST + EXPONENTS

    def median(self) -> float:
        """The power of two that is the lower median of the norms; 1 if there are none."""
        counts = self.counts[level_for(self.n_rows) :].sum(axis=0)
        counts = counts if counts.any() else self.counts.sum(axis=0)
        if not counts.any():
            return 1.0
        below = np.cumsum(counts)
        return float(np.ldexp(1.0, self.first + int(np.argmax(2 * below >= below[-1]))))


class Measured(NamedTuple):
    """The squared norms of rows: their ends, infinite or NaN if a cell is; and the counts."""

    smallest: float
    largest: float
    norms: NormCounts


def measure(
    X: Rows, n_rows: int, weights: Array, seen: int = 0, every: bool = True, level: int | None = None
) -> Measured:
    """Measure rows, of which `seen` others came before; unless `every`, only those that are counted: those
    from this level on, by default that for the number of rows."""
    level = level_for(seen + n_rows) if level is None else level
    table = np.zeros((LEVELS, EXPONENTS))
    smallest, largest, first, last = count_norms(X, n_rows, weights, (seen, level, every), table)
    if last < first and level > 0 and not seen:  # none of them tells, being zero: all must
        smallest, largest, first, last = count_norms(X, n_rows, weights, (0, 0, True), table)
    counts = table[:, first - LOWEST : last + 1 - LOWEST]
    counts = counts[: 1 + int(np.flatnonzero(counts.any(axis=1)).max(initial=-1))]
    norms = NormCounts(n_rows, first, counts.copy() if len(weights) else counts.astype(np.int64))
    return Measured(smallest, largest, norms)


def level_for(n_rows: int) -> int:
    """The level from which on rows are counted, for this number of rows."""
    return (max(n_rows, 1) - 1 >> COUNTED_BITS).bit_length()


@compiled
def count_norms(X, n_rows, weights, which, table):
    """The smallest and the largest ‖x‖²; the largest is NaN or infinite if any value is. `table` counts the
    rows by level and norm, weights included; of its exponents, the first and the last that occur."""
    seen, level, every = which
    limit = TOP >> np.uint64(level - 1) if level > 0 else ALL  # of rows that are counted
    smallest, largest, first, last = np.inf, 0.0, LOWEST + EXPONENTS, LOWEST - 1
    for i in range(n_rows):
        bits = (np.uint64(seen + i + 1) % ALL) * GOLDEN % ALL
        if bits >= limit and not every:
            continue
        q = sqnorm(X, i)
        smallest = min(smallest, q)
        largest = q if not q <= largest else largest
        if not np.isfinite(largest):
            break
        if bits < limit and q > 0.0:
            k = exponent(q)
            first, last = min(first, k), max(last, k)
            table[leading_zeros(bits), k - LOWEST] += weights[i] if weights.size else 1.0
    return smallest, largest, first, last


@inlined
def leading_zeros(bits):
    """The level of a row: its number times the golden ratio begins with k zeros or more in 1 of 2^k rows."""
    level = 0
    while bits < TOP and level < LEVELS - 1:
        bits, level = bits << np.uint64(1), level + 1
    return level


@inlined
def exponent(q):
    """The k of the power 2^k nearest to √q; norms from 2^(k − ½) on are rounded up to 2^k."""
    return math.frexp(q)[1] >> 1
