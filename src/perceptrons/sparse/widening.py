"""A beam: conjunctions with any literal more, not only with later ones."""

import numpy as np

from ..data.compiled import compiled
from .branching import EVERYWHERE, is_first
from .covered import add_rows, common
from .ranking import offer, threshold


@compiled
def extend_freely(sample, best, next_best, work, literals, size):
    """Rank all extensions of a conjunction, whatever the order of their literals."""
    cover = work.covers[0]
    for w in range(cover.size):
        cover[w] = EVERYWHERE
        for c in range(size):
            cover[w] &= sample.columns[literals[c], w]
    slack = 2.0 * add_rows(sample.rows, cover, sample.signed, work.rough, np.int64(0))
    work.visits[0] += sample.ends.size
    for j in range(sample.ends.size):
        value = best.share * (abs(2.0 * work.rough[j] - sample.mean) + slack)
        promising = value >= threshold(best) or value >= threshold(next_best)
        if promising and insert(j, literals, size, sample.ends, work.path):
            gain = common(cover, sample.columns[j], sample.signed)
            if gain != 0.0 and is_first(literals, size, j, sample.twins, sample.ends):
                offer(best, 2.0 * gain - sample.mean, work.path, size + 1)
                offer(next_best, 2.0 * gain - sample.mean, work.path, size + 1)


@compiled
def insert(literal, literals, size, ends, path):
    """One literal more, in order; unless there is one of its attribute."""
    place = 0
    for c in range(size):
        if ends[literals[c]] == ends[literal]:
            return False
        path[c + (literals[c] > literal)] = literals[c]
        place += literals[c] < literal
    path[place] = literal
    return True
