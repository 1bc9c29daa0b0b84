"""Sums over the rows that a conjunction covers, which are bits."""

import numpy as np

from ..data.compiled import compiled
from ..data.marks import add_four_after
from ..data.popcount import lowest_bit

ROUNDING = 2.0**-24  # of a float32


@compiled
def add_rows(L, cover, weights, sums, start):
    """Σ w_r x_r over the rows covered, from a literal on, in float32; returns how far off it may be."""
    for j in range(start, sums.size):
        sums[j] = 0.0
    four, theirs = np.zeros(4, np.int64), np.zeros(4, np.float32)
    count, total = 0, 0.0
    for w in range(cover.size):
        word = cover[w]
        while word != 0:
            r = 64 * w + lowest_bit(word)
            four[count & 3], theirs[count & 3] = r, weights[r]
            total += abs(weights[r])
            count += 1
            if count & 3 == 0:
                add_four_after(L, four, theirs, sums, start)
            word &= word - np.uint64(1)
    if count & 3 != 0:
        theirs[count & 3 :] = 0.0  # what is left of an earlier four
        add_four_after(L, four, theirs, sums, start)
    return ROUNDING * (count + 8) * total


@compiled
def common(cover, column, weights):
    """Σ w_r over the rows of both: two sums, so that one need not wait for the other."""
    total, other = 0.0, 0.0
    for w in range(cover.size):
        word = cover[w] & column[w]
        while word != 0:
            total += weights[64 * w + lowest_bit(word)]
            word &= word - np.uint64(1)
            if word != 0:
                other += weights[64 * w + lowest_bit(word)]
                word &= word - np.uint64(1)
    return total + other
