# mypy: allow-untyped-defs, allow-untyped-calls
"""The best conjunctions found so far, for compiled code.

Of values that tie, the conjunction of fewer literals is better, then the first. Ties are between neighbors,
not with the highest of all: if three values differ by less than 1e-9 each, brute force may choose another.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from .conjunctions import TIE, FoundConjunction


class Ranking(NamedTuple):
    """The best conjunctions for which there is room, the best first."""

    values: Array  # |correlation|, times its share; −1 where there is none yet
    correlations: Array
    sizes: Array  # how many literals
    literals: Array  # a row each
    fewest: int  # literals of those that are ranked
    share: float  # of the correlation that counts, if there are several literals

    def found(self) -> list[FoundConjunction]:
        count = int(np.count_nonzero(self.values >= 0.0))
        return [
            FoundConjunction(tuple(self.literals[q, : self.sizes[q]].tolist()), float(self.correlations[q]))
            for q in range(count)
        ]


def empty_ranking(k: int, share: float, room: int = 1, fewest: int = 0) -> Ranking:
    """A ranking without conjunctions."""
    places = np.zeros((room, k), np.int64)
    return Ranking(np.full(room, -1.0), np.zeros(room), np.zeros(room, np.int64), places, fewest, share)


@compiled
def threshold(best):
    """Lower values do not enter the ranking."""
    return best.values[-1] * (1.0 - TIE)


@compiled
def offer(best, correlation, path, size):
    """Insert a conjunction at its rank, unless it is there already."""
    value = abs(correlation) * (best.share if size > 1 else 1.0)
    if size < best.fewest or value < threshold(best):
        return
    place, last = best.values.size, best.values.size - 1
    while place > 0 and is_better(value, path, size, best, place - 1):
        place -= 1
    if place > last or (place > 0 and is_same(path, size, best, place - 1)):
        return
    for q in range(last, place, -1):
        best.values[q], best.correlations[q] = best.values[q - 1], best.correlations[q - 1]
        best.sizes[q] = best.sizes[q - 1]
        for c in range(best.sizes[q]):
            best.literals[q, c] = best.literals[q - 1, c]
    best.values[place], best.correlations[place], best.sizes[place] = value, correlation, size
    for c in range(size):
        best.literals[place, c] = path[c]


@compiled
def is_better(value, path, size, best, place):
    other = best.values[place]
    if other < value * (1.0 - TIE) or value < other * (1.0 - TIE):
        return value > other
    if size != best.sizes[place]:
        return size < best.sizes[place]
    for c in range(size):
        if path[c] != best.literals[place, c]:
            return path[c] < best.literals[place, c]
    return False


@compiled
def is_same(path, size, best, place):
    if size != best.sizes[place] or best.values[place] < 0.0:
        return False
    differ = 0
    for c in range(size):
        differ += path[c] != best.literals[place, c]
    return differ == 0


@compiled
def offer_singles(best, mean, gains, twins):
    """Offer the constant and the literals; of literals that hold in the same rows, the first."""
    path, none, one = np.zeros(1, np.int64), np.int64(0), np.int64(1)  # literals would be compiled apart
    offer(best, mean, path, none)
    for i in range(gains.size):
        if twins[i] == i:
            path[0] = i
            offer(best, 2.0 * gains[i] - mean, path, one)
