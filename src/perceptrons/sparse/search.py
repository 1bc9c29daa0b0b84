# mypy: allow-untyped-defs, allow-untyped-calls
"""The best conjunction of at most k literals, stage after stage.

The constant and the single literals come first; their weights are sums over the rows. A literal whose bound
(see `branching`) is below the best of them is in no conjunction that could win. Where few literals are left,
branch and bound looks at what these make; where many are, the products of `pairs` look at all pairs, and
follow from stage to stage; conjunctions of more literals start from there. Either way the winner is the same.

A beam: conjunctions with any literal more, not only with later ones.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.layouts import CSR, add
from .branch_and_bound import (
    EVERYWHERE,
    Branches,
    Sample,
    add_rows,
    branches,
    common,
    is_first,
    put_in_order,
    search,
    search_pairs,
)
from .conjunctions import Found, Literals, Reweighing
from .pairs import PairSearch
from .ranking import Ranking, offer, offer_singles, ranking, threshold


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


FEW = 0.2  # of the literals: up to which share of them branch and bound is the faster way to pairs
LEAST = 64  # literals: of the pairs of fewer, products take no longer than bounds
SEEDS = 20  # pairs that are extended before all others, so that the search has something good to beat
PATIENCE = 8  # stages that products follow before they are given up; twice as many each time
LANES = 16  # cells of an array that are added at once
MOST_BITS = 2**33  # of packed columns: 1 GiB


class Scope(NamedTuple):
    """What is searched."""

    k: int = 2  # the most literals of a conjunction
    penalty: bool = True  # whether the correlation of several literals counts 1/k
    beam: int | None = None  # conjunctions of each order that are extended; None: all that may win
    max_visits: int | None = None  # of a stage, by branch and bound

    @property
    def share(self) -> float:
        return 1 / self.k if self.penalty else 1.0


class Look(NamedTuple):
    """What a stage looked at."""

    visits: tuple[int, ...]  # conjunctions of two literals, of three, …
    missed: float  # how much better one that was not looked at may be


class Search:
    """Of one vector of classes, ±1."""

    def __init__(self, data: Literals, signs: Array, scope: Scope) -> None:
        self.data, self.signs, self.scope = data, signs, scope
        self.looks: list[Look] = []
        self._pairs: PairSearch | None = None
        self._follows = False  # are the products up to date?
        self._wait = self._patience = PATIENCE
        few_bits = data.n_rows * data.n_literals <= MOST_BITS
        self._branches = scope.k > 2 or (scope.k == 2 and few_bits and data.n_literals >= LEAST)

    def best(self, D: Array) -> Found:
        """The winner under these weights, which add up to 1."""
        if self.scope.k == 2 and (self._follows or not self._branches):
            return self._best_pair(D)
        sample, scope = self._sample(D), self.scope
        best, work = ranking(scope.k, scope.share), branches(scope.k, self.data, scope.max_visits)
        if self._follows or not self._by_branches(sample, best, work):
            if scope.k == 2:
                return self._best_pair(D)
            best = ranking(scope.k, scope.share)
            self._offer(best, self._up_to_date(D).best(D))
            self._beyond_pairs(sample, best, work)
        missed = max(0.0, float(work.missed[0] - best.values[0]))
        self.looks.append(Look(tuple(work.visits[2:].tolist()), missed))
        return best.found()[0]

    def top(self, D: Array, room: int) -> list[Found]:
        """The best conjunctions of exactly k literals."""
        sample, k = self._sample(D)._replace(columns=self.data.columns), self.scope.k
        best, work = ranking(k, self.scope.share, room, k), branches(k, self.data, self.scope.max_visits)
        if k > 2:
            self._beyond_pairs(sample, best, work)
        else:
            gains, masses = self._singles(sample, best)
            if k == 2:
                self._open(gains, masses, 0.0, sample, best, work)
                search(sample, best, work, k, 0)
        self.looks.append(Look(tuple(work.visits[2:].tolist()), float(work.missed[0])))
        return best.found()

    def follow(self, stage: Reweighing) -> None:
        """AdaBoost has changed the weights."""
        if self._follows and self._pairs is not None:
            self._pairs.follow(stage)

    def forget(self) -> None:
        """The weights will be others."""
        self._follows = False

    def _sample(self, D: Array) -> Sample:
        data, signed = self.data, D * self.signs
        columns = data.columns if self._branches else np.zeros((0, 0), np.uint64)
        cells = (
            len(data.rows.indices) / data.n_rows if isinstance(data.rows, CSR) else data.n_literals / LANES
        )
        return Sample(data.rows, columns, data.ends, data.twins, D, signed, float(signed.sum()), cells)

    def _by_branches(self, sample: Sample, best: Ranking, work: Branches) -> bool:
        """Done, unless too many literals may be in the winner."""
        gains, masses = self._singles(sample, best)
        if self.scope.k == 1:
            return True
        if self._open(gains, masses, 0.0, sample, best, work) > FEW:
            return False
        if self.scope.beam is None:
            search(sample, best, work, self.scope.k, 0)
        else:
            seeds = ranking(2, self.scope.share, self.scope.beam, 2)
            search(sample, seeds, work, 2, 0)
            self._widen(sample, best, work, seeds.found(), self.scope.beam)
        return True

    def _singles(self, sample: Sample, best: Ranking) -> tuple[Array, Array]:
        """Rank them; p − n and p + n of each."""
        p, n = np.zeros((2, self.data.n_literals))
        add_each(sample.rows, sample.signed, p, n)
        gains, masses = p - n, p + n
        offer_singles(best, sample.mean, gains, sample.twins)
        return gains, masses

    def _best_pair(self, D: Array) -> Found:
        """By products alone."""
        found, self._follows = self._up_to_date(D).best(D), True
        self.looks.append(Look((self.data.n_pairs,), 0.0))
        self._wait -= 1
        if self._branches and self._wait <= 0:
            self._reconsider(found, float((D * self.signs).sum()))
        return found

    def _reconsider(self, found: Found, mean: float) -> None:
        """Do bounds leave few literals? Then products need not follow for now."""
        assert self._pairs is not None
        value = abs(found.correlation) * (self.scope.share if len(found.literals) > 1 else 1.0)
        p, n = (self._pairs.sides[sign].entries.diagonal() for sign in (1, -1))
        bounds = self.scope.share * np.maximum(2 * p - mean, 2 * n + mean)
        if np.mean(bounds >= value) <= FEW / 2:
            self._follows, self._patience = False, 2 * self._patience
        self._wait = self._patience

    def _open(
        self, gains: Array, masses: Array, slack: float, sample: Sample, best: Ranking, work: Branches
    ) -> float:
        """Branches begin with literals that may be in the winner; returns their share of all."""
        mean, share = sample.mean, self.scope.share
        work.bounds[0] = share * np.maximum(masses + gains - mean, masses - gains + mean) + slack
        literals = np.flatnonzero(work.bounds[0] >= threshold(best))
        work.open[0, : len(literals)], work.counts[0] = literals, len(literals)
        put_in_order(work, 0)
        return len(literals) / self.data.n_literals

    def _beyond_pairs(self, sample: Sample, best: Ranking, work: Branches) -> None:
        """Three literals and more, from what products tell about two."""
        scope, pairs = self.scope, self._up_to_date(sample.D)
        room = scope.beam or SEEDS
        self._widen(sample, best, work, pairs.top(sample.D, room), room)
        P, N = pairs.sides[1].entries, pairs.sides[-1].entries
        p, n = np.diag(P).astype(np.float64), np.diag(N).astype(np.float64)
        share = self._open(p - n, p + n, pairs.slack, sample, best, work)
        if scope.beam is None:
            search_pairs(sample, best, work, scope.k, P, N, pairs.slack)
        work.visits[2] = self.data.n_pairs
        self._follows = share > FEW / 2  # of fewer, branch and bound may look at pairs, too

    def _up_to_date(self, D: Array) -> PairSearch:
        if self._pairs is None:
            self._pairs = PairSearch(self.data, self.signs, D, self.scope.share)
        elif not self._follows:
            self._pairs.refresh(D)
        return self._pairs

    def _widen(self, sample: Sample, best: Ranking, work: Branches, seeds: list[Found], room: int) -> None:
        """The best of each order, with any literal more."""
        for size in range(2, self.scope.k + 1):
            wider = ranking(self.scope.k, self.scope.share, room, size + 1)
            for one in seeds:
                self._offer(best, one)
                if size < self.scope.k and work.visits[0] < work.limit:
                    extend_freely(sample, best, wider, work, np.array(one.literals, np.int64), size)
                    if self.scope.beam is not None:  # else they are visited again
                        work.visits[size + 1] += self.data.n_literals
            seeds = wider.found()

    def _offer(self, best: Ranking, one: Found) -> None:
        offer(best, one.correlation, np.array(one.literals, np.int64), len(one.literals))


@compiled
def add_each(L, signed, p, n):
    """Σ D_r x_r over the positive rows, and over the negative ones."""
    for r in range(signed.size):
        if signed[r] > 0.0:
            add(L, r, signed[r], p)
        elif signed[r] < 0.0:
            add(L, r, -signed[r], n)
