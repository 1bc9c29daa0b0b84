# mypy: allow-untyped-defs, allow-untyped-calls
"""The best conjunction of at most k literals, stage after stage.

The constant and the single literals come first; their weights are sums over the rows. A literal whose bound
(see `branch_and_bound`) is below the best of them is in no conjunction that could win. If few literals are
left, branch and bound searches their conjunctions. If many are, matrix products (see `pairs`) compute all
pairs and are updated from stage to stage, and conjunctions of more literals start from there. Either way the
winner is the same.

With a beam, only the best conjunctions of each order are extended, by any literal, not only by later ones.
Without one, a short beam search gives branch and bound something good to beat.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import SERIAL, Threads, compiled
from ..rows.layouts import CSR, add
from .branch_and_bound import (
    EVERYWHERE,
    Branches,
    BranchSample,
    add_rows,
    branches,
    common_weight,
    is_first,
    put_in_order,
    search_branches,
    search_from_pairs,
)
from .conjunctions import FoundConjunction, Literals, Reweighing, rows_of
from .pairs import PairSearch
from .ranking import Ranking, empty_ranking, offer, offer_singles, threshold

FEW = 0.2  # the share of literals up to which branch and bound is faster for pairs than products
LEAST = 64  # literals; with fewer, products take no longer than bounds
SEEDS = 20  # pairs that are extended before all others
PATIENCE = 8  # stages for which products are updated before they may be given up; doubled each time
LANES = 16  # cells of an array that are added at once
MOST_BITS = 2**33  # of packed columns: 1 GiB


class Scope(NamedTuple):
    """Which conjunctions are searched."""

    k: int = 2  # the most literals of a conjunction
    penalty: bool = True  # whether the correlation of several literals counts 1/k
    beam: int | None = None  # conjunctions of each order that are extended; None: all that may win
    max_visits: int | None = None  # of a stage, by branch and bound

    @property
    def share(self) -> float:
        return 1 / self.k if self.penalty else 1.0


class StageReport(NamedTuple):
    """What the search of a stage visited."""

    visits: tuple[int, ...]  # conjunctions of two literals, of three, …
    missed: float  # how much better one that was not visited may be


class ConjunctionSearch:
    """The search for one weight vector; `signs` are the classes, ±1. `workers` share the products."""

    def __init__(self, data: Literals, signs: Array, scope: Scope, workers: Threads = SERIAL) -> None:
        self.data, self.signs, self.scope, self._workers = data, signs, scope, workers
        self.reports: list[StageReport] = []
        self._pairs: PairSearch | None = None
        self._follows = False  # whether the products are up to date
        self._wait = self._patience = PATIENCE
        few_bits = data.n_rows * data.n_literals <= MOST_BITS
        self._branches = scope.k > 2 or (scope.k == 2 and few_bits and data.n_literals >= LEAST)

    def best(self, D: Array) -> FoundConjunction:
        """The winner under these weights, which add up to 1."""
        if self.scope.k == 2 and (self._follows or not self._branches):
            return self._best_pair(D)
        sample, scope = self._sample(D), self.scope
        best, work = empty_ranking(scope.k, scope.share), branches(scope.k, self.data, scope.max_visits)
        if self._follows or not self._by_branches(sample, best, work):
            if scope.k == 2:
                return self._best_pair(D)
            best = empty_ranking(scope.k, scope.share)
            self._offer(best, self._up_to_date(D).best(D))
            self._beyond_pairs(sample, best, work)
        missed = max(0.0, float(work.missed[0] - best.values[0]))
        self.reports.append(StageReport(tuple(work.visits[2:].tolist()), missed))
        return best.found()[0]

    def top(self, D: Array, room: int) -> list[FoundConjunction]:
        """The best conjunctions of exactly k literals."""
        sample, scope, k = self._sample(D)._replace(columns=self.data.columns), self.scope, self.scope.k
        best, work = empty_ranking(k, scope.share, room, k), branches(k, self.data, scope.max_visits)
        if k > 2:
            self._beyond_pairs(sample, best, work)
        else:
            gains, masses = self._singles(sample, best)
            if k == 2:
                self._open(gains, masses, 0.0, sample, best, work)
                search_branches(sample, best, work, k, 0)
        self.reports.append(StageReport(tuple(work.visits[2:].tolist()), float(work.missed[0])))
        return best.found()

    def follow(self, stage: Reweighing) -> None:
        """Update the products, if they are in use, after AdaBoost has changed the weights."""
        if self._follows and self._pairs is not None:
            self._pairs.follow(stage)

    def rows_of(self, literals: tuple[int, ...]) -> Array:
        """For each row, whether a conjunction holds in it."""
        return rows_of(self.data, literals)

    def forget(self) -> None:
        """The next weights will not follow from the last."""
        self._follows = False

    def _sample(self, D: Array) -> BranchSample:
        data, rows, signed = self.data, self.data.rows, D * self.signs
        columns = data.columns if self._branches else np.zeros((0, 0), np.uint64)
        cells = len(rows.indices) / data.n_rows if isinstance(rows, CSR) else data.n_literals / LANES
        return BranchSample(rows, columns, data.ends, data.twins, D, signed, float(signed.sum()), cells)

    def _by_branches(self, sample: BranchSample, best: Ranking, work: Branches) -> bool:
        """Search by branch and bound; False if too many literals may be in the winner."""
        gains, masses = self._singles(sample, best)
        if self.scope.k == 1:
            return True
        if self._open(gains, masses, 0.0, sample, best, work) > FEW:
            return False
        if self.scope.beam is None:
            search_branches(sample, best, work, self.scope.k, 0)
        else:
            seeds = empty_ranking(2, self.scope.share, self.scope.beam, 2)
            search_branches(sample, seeds, work, 2, 0)
            self._beam_search(sample, best, work, seeds.found(), self.scope.beam)
        return True

    def _singles(self, sample: BranchSample, best: Ranking) -> tuple[Array, Array]:
        """Rank the constant and the literals; return p − n and p + n of each literal."""
        p, n = np.zeros((2, self.data.n_literals))
        add_each(sample.rows, sample.signed, p, n)
        gains, masses = p - n, p + n
        offer_singles(best, sample.mean, gains, sample.twins)
        return gains, masses

    def _best_pair(self, D: Array) -> FoundConjunction:
        """The winner of at most two literals, by products alone."""
        found, self._follows = self._up_to_date(D).best(D), True
        self.reports.append(StageReport((self.data.n_pairs,), 0.0))
        self._wait -= 1
        if self._branches and self._wait <= 0:
            self._reconsider(found, float((D * self.signs).sum()))
        return found

    def _reconsider(self, found: FoundConjunction, mean: float) -> None:
        """Give up the products for now, if bounds leave few literals."""
        assert self._pairs is not None
        value = abs(found.correlation) * (self.scope.share if len(found.literals) > 1 else 1.0)
        p, n = (self._pairs.sides[sign].entries.diagonal() for sign in (1, -1))
        bounds = self.scope.share * np.maximum(2 * p - mean, 2 * n + mean)
        if np.mean(bounds >= value) <= FEW / 2:
            self._follows, self._patience = False, 2 * self._patience
        self._wait = self._patience

    def _open(
        self, gains: Array, masses: Array, slack: float, sample: BranchSample, best: Ranking, work: Branches
    ) -> float:
        """Open the branches of literals that may be in the winner; return the share of these literals."""
        mean, share = sample.mean, self.scope.share
        work.bounds[0] = share * np.maximum(masses + gains - mean, masses - gains + mean) + slack
        literals = np.flatnonzero(work.bounds[0] >= threshold(best))
        work.open[0, : len(literals)], work.counts[0] = literals, len(literals)
        put_in_order(work, 0)
        return len(literals) / self.data.n_literals

    def _beyond_pairs(self, sample: BranchSample, best: Ranking, work: Branches) -> None:
        """Search three literals and more, from the products' pairs."""
        scope, pairs = self.scope, self._up_to_date(sample.D)
        room = scope.beam or SEEDS
        self._beam_search(sample, best, work, pairs.top(sample.D, room), room)
        P, N = pairs.sides[1].entries, pairs.sides[-1].entries
        p, n = np.diag(P).astype(np.float64), np.diag(N).astype(np.float64)
        share = self._open(p - n, p + n, pairs.slack, sample, best, work)
        if scope.beam is None:
            search_from_pairs(sample, best, work, scope.k, P, N, pairs.slack)
        work.visits[2] = self.data.n_pairs
        self._follows = share > FEW / 2  # with fewer, branch and bound may search pairs, too

    def _up_to_date(self, D: Array) -> PairSearch:
        if self._pairs is None:
            self._pairs = PairSearch(self.data, self.signs, D, self.scope.share, self._workers)
        elif not self._follows:
            self._pairs.refresh(D)
        return self._pairs

    def _beam_search(
        self, sample: BranchSample, best: Ranking, work: Branches, seeds: list[FoundConjunction], room: int
    ) -> None:
        """Extend the best of each order by any literal."""
        for size in range(2, self.scope.k + 1):
            wider = empty_ranking(self.scope.k, self.scope.share, room, size + 1)
            for one in seeds:
                self._offer(best, one)
                if size < self.scope.k and work.visits[0] < work.limit:
                    rank_extensions(sample, best, wider, work, np.array(one.literals, np.int64), size)
                    if self.scope.beam is not None:  # without a beam they are visited again
                        work.visits[size + 1] += self.data.n_literals
            seeds = wider.found()

    def _offer(self, best: Ranking, one: FoundConjunction) -> None:
        offer(best, one.correlation, np.array(one.literals, np.int64), len(one.literals))


@compiled
def add_each(L, signed, p, n):
    """Σ D_r x_r over the positive rows, and over the negative ones."""
    for r in range(signed.size):
        if signed[r] > 0.0:
            add(L, r, signed[r], p)
        elif signed[r] < 0.0:
            add(L, r, -signed[r], n)


@compiled
def rank_extensions(sample, best, next_best, work, literals, size):
    """Rank all extensions of a conjunction, among all conjunctions and among those of the next order."""
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
            gain = common_weight(cover, sample.columns[j], sample.signed)
            if gain != 0.0 and is_first(literals, size, j, sample.twins, sample.ends):
                offer(best, 2.0 * gain - sample.mean, work.path, size + 1)
                offer(next_best, 2.0 * gain - sample.mean, work.path, size + 1)


@compiled
def insert(literal, literals, size, ends, path):
    """Write the literals and one more to `path`, in order; False if there is one of its attribute."""
    place = 0
    for c in range(size):
        if ends[literals[c]] == ends[literal]:
            return False
        path[c + (literals[c] > literal)] = literals[c]
        place += literals[c] < literal
    path[place] = literal
    return True
