"""The weak learner of Jackson and Craven, section 3.3: of all conjunctions of at most k literals the one with
the largest correlation E_D[f·h] with the classes, that of a conjunction of several literals counting 1/k.

With P = Σ D x xᵀ over the positive rows, N over the negative ones and G = P − N, a pair's correlation is
E_D[f·h_ij] = 2G_ij − E_D[f]: all pairs are two matrix products. A stage of boosting multiplies the weights
of the rows it gets right by β, so P and N follow from these rows alone, or from the others: in one class from
the rows that its conjunction covers, in the other from those that it does not, or the other way round.
What rounding may have hidden is computed again: all conjunctions that could be the best are finalists,
rescored row by row in float64; when they become too many, P and N are computed afresh.

Values within a share of 1e-9 tie: to the conjunction of fewer literals (the constant has none), then to the
first. Two literals of one attribute are never joined.
"""

from typing import NamedTuple

import numpy as np

from ..data.compiled import compiled
from ..data.marks import Marks, holds
from ..data.rows import Array, add
from .gram import GramMatrix

TIE = 1e-9
ROUNDING = 1e-6  # of a correlation that is computed in float32 from P and N
MANY = 64  # finalists, before it is asked whether P and N should be computed afresh
TINY = 1e-6  # if a stage's errors weigh no more, what is left of P and N is rounding
WORTH = 200  # entries of P and N cost as much to compute as to rescore one finalist, about


class Literals(NamedTuple):
    """The rows of a training set, a column per literal; those of one attribute side by side."""

    rows: Marks
    n_rows: int
    ends: Array  # ends[i] is the first literal after those of i's attribute
    twins: Array  # the first literal that holds in the same rows

    @property
    def n_literals(self) -> int:
        return len(self.ends)


def arrange(rows: Marks, n_rows: int, attributes: Array) -> Literals:
    """`attributes[i]` is the attribute of literal i, and does not fall."""
    ends = np.searchsorted(attributes, attributes, side="right")
    # columns of ones in the same places have the same sum of random numbers, and others hardly ever
    numbers = np.random.default_rng(0).integers(2**63, size=n_rows, dtype=np.uint64)
    sums = np.zeros(len(ends), np.uint64)
    add_all(rows, numbers, sums)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    return Literals(rows, n_rows, ends, first[which])


class Found(NamedTuple):
    literals: tuple[int, ...]
    correlation: float


class Reweighing(NamedTuple):
    """What a stage did to the weights: those of right rows were multiplied by β, then all divided."""

    before: Array  # D
    right: Array  # which rows it got right
    beta: float
    total: float  # what they were divided by


class SingleSearch:
    """k = 1: the constant and the literals."""

    def __init__(self, data: Literals, signs: Array) -> None:
        self.data, self.signs = data, signs

    def best(self, D: Array) -> Found:
        signed, sums = D * self.signs, np.zeros(self.data.n_literals)
        add_all(self.data.rows, signed, sums)
        mean = float(signed.sum())
        correlations = np.concatenate([[mean], 2 * sums - mean])
        values = np.abs(correlations)
        place = int(np.argmax(values >= values.max() * (1 - TIE)))
        return Found((place - 1,) if place else (), float(correlations[place]))

    def follow(self, stage: Reweighing) -> None:
        """Nothing is kept from stage to stage."""


class PairSearch:
    """k = 2: pairs too, each correlation times `share`."""

    def __init__(self, data: Literals, signs: Array, D: Array, share: float) -> None:
        self.data, self.signs, self.share = data, signs, share
        self.sides = {sign: GramMatrix(data.rows, data.n_literals) for sign in (1, -1)}
        self._refresh(D)

    def _refresh(self, D: Array) -> None:
        for sign, matrix in self.sides.items():
            matrix.fill(np.flatnonzero((self.signs == sign) & (D > 0.0)), D)
        self._fresh, self._stale = True, False

    def best(self, D: Array) -> Found:
        signed = D * self.signs
        mean = float(signed.sum())
        if self._stale:
            self._refresh(D)
        pairs = self._finalists(mean)
        if not self._fresh and len(pairs) > MANY + self.data.n_literals**2 // WORTH:
            self._refresh(D)
            pairs = self._finalists(mean)
        sums = np.zeros(len(pairs))
        rescore(self.data.rows, signed, pairs, sums)
        correlations = np.append(2 * sums - mean, mean)
        values = np.abs(correlations)
        values[:-1][pairs[:, 0] < pairs[:, 1]] *= self.share
        equal = np.flatnonzero(values >= values.max() * (1 - TIE))
        literals = [*map(_as_tuple, pairs.tolist()), ()]
        winner = min(equal.tolist(), key=lambda place: (len(literals[place]), literals[place]))
        return Found(literals[winner], float(correlations[winner]))

    def _finalists(self, mean: float) -> Array:
        """All that may be the best, single literals as pairs (i, i)."""
        P, N, data = self.sides[1], self.sides[-1], self.data
        slack = 2 * (2 * (P.error + N.error) + ROUNDING)
        pairs = np.empty((MANY, 2), np.int64)
        while True:
            count = finalists(P.entries, N.entries, mean, self.share, data.ends, data.twins, slack, pairs)
            if count <= len(pairs):
                return pairs[:count]
            pairs = np.empty((count, 2), np.int64)

    def follow(self, stage: Reweighing) -> None:
        """P and N after a stage: of each class, the rows that were right, or those that were not, are summed
        up, whichever are fewer."""
        D, right, beta, total = stage
        self._fresh, self._stale = False, total < TINY
        if self._stale:
            return
        for sign, matrix in self.sides.items():
            mine = (self.signs == sign) & (D > 0.0)
            hits, misses = np.flatnonzero(mine & right), np.flatnonzero(mine & ~right)
            if len(hits) <= len(misses):
                matrix.add(hits, D[hits], (beta - 1.0) / total, keep=1.0 / total)
            else:
                matrix.add(misses, D[misses], (1.0 - beta) / total, keep=beta / total)


def _as_tuple(pair: list[int]) -> tuple[int, ...]:
    i, j = pair
    return (i,) if i == j else (i, j)


@compiled
def add_all(L, numbers, sums):
    """sums ← sums + Σ a_r x_r."""
    for r in range(numbers.size):
        add(L, r, numbers[r], sums)


@compiled
def rescore(L, signed, pairs, sums):
    """Σ D_r f_r over the rows in which both literals of a pair hold."""
    for r in range(signed.size):
        if signed[r] != 0.0:
            for c in range(len(pairs)):
                if holds(L, r, pairs[c, 0]) and holds(L, r, pairs[c, 1]):
                    sums[c] += signed[r]


@compiled
def cover(L, i, j, covered):
    """The rows in which both literals hold."""
    for r in range(covered.size):
        covered[r] = holds(L, r, i) and holds(L, r, j)


@compiled
def finalists(P, N, mean, share, ends, twins, slack, pairs):
    """All conjunctions whose value is less than `slack` below the highest; returns how many there are, though
    only so many are written as there is room for. Left out are those that hold in the same rows as an earlier
    one, or in no row, as does the constant with the other sign: they would lose the tie."""
    n = ends.size
    tops = np.empty(n)
    highest = abs(mean)
    for i in range(n):
        single = abs(2.0 * (P[i, i] - N[i, i]) - mean)
        tops[i] = share * top_of(P[i], N[i], ends[i], mean)
        highest = max(highest, single, tops[i])
    count = 0
    for i in range(n):
        if P[i, i] == 0.0 and N[i, i] == 0.0:
            continue
        if twins[i] == i and abs(2.0 * (P[i, i] - N[i, i]) - mean) >= highest - slack:
            count = note(pairs, count, i, i)
        if tops[i] >= highest - slack:
            for j in range(ends[i], n):
                value = share * abs(2.0 * (P[i, j] - N[i, j]) - mean)
                somewhere = P[i, j] != 0.0 or N[i, j] != 0.0
                if value >= highest - slack and somewhere and is_first(i, j, twins, ends):
                    count = note(pairs, count, i, j)
    return count


@compiled
def top_of(p, n, start, mean):
    """The largest |2(p − n) − mean| from an entry on."""
    low, high = np.inf, -np.inf
    for j in range(start, p.size):
        g = p[j] - n[j]
        low, high = min(low, g), max(high, g)
    return max(2.0 * high - mean, mean - 2.0 * low)


@compiled
def is_first(i, j, twins, ends):
    """Does no earlier conjunction hold in the same rows, as far as twins tell?"""
    a, b = min(twins[i], twins[j]), max(twins[i], twins[j])
    return (a, b) == (i, j) or (a != b and b < ends[a])


@compiled
def note(pairs, count, i, j):
    if count < len(pairs):
        pairs[count, 0], pairs[count, 1] = i, j
    return count + 1
