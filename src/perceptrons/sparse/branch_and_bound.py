# mypy: allow-untyped-defs, allow-untyped-calls
"""Conjunctions of several literals by branch and bound: an extension covers no row that its stem does not.

If h covers the weight p of positive rows and n of negative ones, E_D[f·h] = 2(p − n) − E_D[f]. An extension
of h covers p' ≤ p and n' ≤ n, so the absolute value of its correlation is at most
max(2p − E_D[f], 2n + E_D[f]). A branch whose bound is below the best value found is not entered, and the most
promising of the branches of a conjunction is entered first.

The literals of a conjunction are in ascending order. The rows it covers are bits, the conjunction of packed
columns. The weights of its extensions come from one pass over these rows, or, if there are few extensions,
from the bits of each.
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.bits import lowest_bit, n_words, popcount
from .conjunctions import Literals, add_four_after
from .ranking import offer, threshold

ROUNDING = 2.0**-24  # of a float32
EVERYWHERE = np.uint64(2**64 - 1)  # a word of rows, all covered
NO_LIMIT = 2**62  # of visits


class BranchSample(NamedTuple):
    """Rows of literals, and their weights D, for compiled code."""

    rows: Any  # LiteralRows
    columns: Array  # the bits of each literal
    ends: Array
    twins: Array
    D: Array
    signed: Array  # D·f
    mean: float  # E_D[f]
    length: float  # what a pass over a row costs, in single cells


class Branches(NamedTuple):
    """The state of the search: a row for each number of literals."""

    path: Array  # the literals
    covers: Array  # the rows in which they hold
    gains: Array  # p − n of each extension
    masses: Array  # p + n
    rough: Array  # p − n in float32, of the longest
    bounds: Array
    open: Array  # extensions that may be extended, rising
    order: Array  # the same, the most promising first
    counts: Array  # how many of them
    turns: Array  # how many of them were entered
    visits: Array  # conjunctions visited, by their number of literals; [0] is the sum
    limit: int  # of visits
    missed: Array  # the highest bound of a branch that was not entered because of the limit


def branches(k: int, data: Literals, limit: int | None) -> Branches:
    """The state before the search."""
    shape = k, data.n_literals
    return Branches(
        path=np.zeros(k, np.int64),
        covers=np.zeros((k, n_words(data.n_rows)), np.uint64),
        gains=np.zeros(shape),
        masses=np.zeros(shape),
        rough=np.zeros(data.n_literals, np.float32),
        bounds=np.zeros(shape),
        open=np.zeros(shape, np.int64),
        order=np.zeros(shape, np.int64),
        counts=np.zeros(k, np.int64),
        turns=np.zeros(k, np.int64),
        visits=np.zeros(k + 1, np.int64),
        limit=NO_LIMIT if limit is None else limit,
        missed=np.zeros(1),
    )


@compiled
def search_branches(sample, best, work, k, start):
    """Search depth first below the open branches of a path of `start` literals."""
    size = start
    while size >= start:
        if work.turns[size] == work.counts[size]:
            size -= 1
            continue
        literal = work.order[size, work.turns[size]]
        work.turns[size] += 1
        if not enter(sample, best, work, size, literal):
            continue
        if size + 2 == k:
            finish(sample, best, work, size + 1)
        else:
            size += 1
            extend(sample, best, work, size)


@compiled
def search_from_pairs(sample, best, work, k, P, N, slack):
    """Search where the weights P and N of all pairs are known up to rounding, which `slack` bounds."""
    none, one = np.int64(0), np.int64(1)
    for c in range(work.counts[0]):
        i = work.order[0, c]
        if enter(sample, best, work, none, i):
            count = 0
            for j in range(sample.ends[i], sample.ends.size):
                bound = bound_of(P[i, j] - N[i, j], P[i, j] + N[i, j], sample.mean, best.share) + slack
                if bound >= threshold(best):
                    work.open[1, count], work.bounds[1, j] = j, bound
                    count += 1
            work.counts[1] = count
            put_in_order(work, one)
            search_branches(sample, best, work, k, one)


@compiled
def enter(sample, best, work, size, literal):
    """Extend the path by a literal, if this may lead to the best, and if no earlier path leads to the same
    rows. The literal is still open to longer paths, which its twin may be unable to join."""
    bound = work.bounds[size, literal]
    if bound < threshold(best) or not is_first(work.path, size, literal, sample.twins, sample.ends):
        return False
    if work.visits[0] >= work.limit:
        work.missed[0] = max(work.missed[0], bound)
        return False
    work.path[size] = literal
    for w in range(work.covers.shape[1]):
        before = work.covers[size - 1, w] if size > 0 else EVERYWHERE
        work.covers[size, w] = before & sample.columns[literal, w]
    return True


@compiled
def extend(sample, best, work, size):
    """Rank the extensions of a path of `size` literals; those that may lead to the best are open."""
    count, kept = choose(sample, best, work, size), 0
    weigh(sample, work, size, count)
    for c in range(count):
        j = work.open[size, c]
        gain = work.gains[size, j]
        rank(sample, best, work, size, j, gain)
        bound = bound_of(gain, work.masses[size, j], sample.mean, best.share)
        if bound >= threshold(best):
            work.open[size, kept], work.bounds[size, j] = j, bound
            kept += 1
    work.counts[size] = kept
    put_in_order(work, size)


@compiled
def finish(sample, best, work, size):
    """Rank extensions that are not extended further: of these there are many, so that sums in float32 tell
    which are worth exact ones."""
    count = choose(sample, best, work, size)
    if count == 0:
        return
    cover, slack = work.covers[size - 1], 2.0
    if is_worth_a_pass(sample, cover, count):
        first = work.open[size, 0]
        slack = 2.0 * add_rows(sample.rows, cover, sample.signed, work.rough, first)
    for c in range(count):
        j = work.open[size, c]
        rough = abs(2.0 * work.rough[j] - sample.mean) if slack < 2.0 else 0.0
        if best.share * (rough + slack) >= threshold(best):
            rank(sample, best, work, size, j, common_weight(cover, sample.columns[j], sample.signed))


@compiled
def rank(sample, best, work, size, literal, gain):
    """Rank the path and a literal more. Where p = n its correlation is the constant's, which is simpler."""
    if gain != 0.0 and is_first(work.path, size, literal, sample.twins, sample.ends):
        work.path[size] = literal
        offer(best, 2.0 * gain - sample.mean, work.path, size + 1)


@compiled
def choose(sample, best, work, size):
    """Open the extensions to visit: literals that were promising beside the last of the path."""
    start, least, count = sample.ends[work.path[size - 1]], threshold(best), 0
    for c in range(work.counts[size - 1]):
        j = work.open[size - 1, c]
        if j >= start and work.bounds[size - 1, j] >= least:
            work.open[size, count] = j
            count += 1
    work.visits[0] += count
    work.visits[size + 1] += count
    return count


@compiled
def weigh(sample, work, size, count):
    """Compute p − n and p + n of the extensions."""
    cover = work.covers[size - 1]
    for c in range(count):
        j = work.open[size, c]
        work.gains[size, j] = common_weight(cover, sample.columns[j], sample.signed)
        work.masses[size, j] = common_weight(cover, sample.columns[j], sample.D)


@compiled
def is_worth_a_pass(sample, cover, count):
    """Is one pass over the rows covered faster than a sum for each extension?"""
    covered = 0
    for word in cover:
        covered += popcount(word)
    return covered * sample.length < count * (cover.size + covered) / 2


@compiled
def bound_of(gain, mass, mean, share):
    """The highest value that an extension of a conjunction may have."""
    return share * max(mass + gain - mean, mass - gain + mean)


@compiled
def is_first(path, size, literal, twins, ends):
    """Does no earlier conjunction hold in the same rows, as far as twins tell? A literal whose twin cannot
    join the path, because another literal of that attribute has, counts as the first."""
    twin = twins[literal]
    if twin == literal:
        return True
    for c in range(size):
        if ends[path[c]] == ends[twin]:
            return path[c] != twin
    return False


@compiled
def put_in_order(work, size):
    """Sort the open branches, the most promising first. (Shell's sort: NumPy's takes seconds to compile.)"""
    bounds, order, n = work.bounds[size], work.order[size], work.counts[size]
    work.turns[size] = 0
    for c in range(n):
        order[c] = work.open[size, c]
    gap = n // 2
    while gap > 0:
        for c in range(gap, n):
            literal, place = order[c], c
            while place >= gap and bounds[order[place - gap]] < bounds[literal]:
                order[place] = order[place - gap]
                place -= gap
            order[place] = literal
        gap //= 2


@compiled
def add_rows(L, cover, weights, sums, start):
    """Compute Σ w_r x_r over the rows covered, from a literal on, in float32; return a bound of the error."""
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
def common_weight(cover, column, weights):
    """Σ w_r over the rows of both, in two sums, so that one need not wait for the other."""
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
