"""The rows of a collection as the training of `ConservativePerceptron` sees them, and mixed epochs.

In an epoch every part begins with the same runs and sweeps over its own rows. What that has moved is mixed:
for each run, parts have shares in proportion to the corrections they made. With shares μ_k, n rows in all and
n_k in part k, whose lags of the average are l_k, the mixture moves the average's lags by

    t·Σ μ_k Δw_k + n·Σ μ_k l_k/n_k

after t rows that count: all epochs weigh the same in the average, in each the parts according to their
shares. Bands, risks and what they need are sums over all rows.
"""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._types import Array
from ..compiled import Threads
from ..conservative.assessed_parts import RunSums, move_bands
from ..conservative.averaged_sweep import AveragedRuns
from ..conservative.averaged_training import AveragedTraining
from ..conservative.band_search import search, side_by_side, together
from ..conservative.bands import extra_costs
from ..conservative.conservative_parameters import CYCLIC, ConservativeParameters
from ..conservative.conservative_sweep import CplrRuns, CplrSteps, mean_cost
from ..conservative.folds import FoldPlan
from ..conservative.restarts import RestartedTraining
from ..conservative.scored_rows import Scored, Tallies
from ..conservative.training_parts import FitRows
from ..rejection.costs import Prices
from ..rows.encode import as_rows
from ..rows.standardized import check_largest, moments_from, seen_through
from ..rows.stream_facts import StreamFacts
from .conservative_part import (
    ByModel,
    EpochChange,
    LeftOut,
    PartSettings,
    averaged_epoch,
    between_cuts,
    column_sums,
    largest_in_part,
    rejected_in_part,
    restarted_epoch,
    sums_of_part,
    tallies_of_part,
)
from .part_facts import facts_for_part
from .rounds import Rounds

NOTHING = np.zeros(0)


class CollectionParts(FitRows):
    """Rows that stay on their workers."""

    def __init__(
        self, rounds: Rounds, facts: StreamFacts, n_columns: int, parameters: ConservativeParameters
    ) -> None:
        self.rounds, self.cyclic = rounds, parameters.order == CYCLIC
        self.n_columns, self.n_rows, self.norm = n_columns, facts.n_rows, facts.norms.median()
        self.settings = [PartSettings(facts_for_part(facts, k)) for k in range(len(rounds.numbers))]
        self.n_scored = 0
        row = np.zeros((1, n_columns), facts.dtype)
        self.kind: Any = as_rows(sp.csr_array(row) if facts.sparse else row)
        self._look_at_columns(parameters.standardize)

    def asked(self, stage: str, question: Any, *told: Any) -> list[Any]:
        """The answers of the parts that have rows that count."""
        each = [(one, *told) for one in self.settings]
        return [one for one in self.rounds.ask_each(stage, question, each) if one is not None]

    def _look_at_columns(self, standardize: bool) -> None:
        """Means and deviations, from those of the parts; and how many rows of each class are where."""
        each = [(one, standardize) for one in self.settings]
        answers = self.rounds.ask_each("columns", column_sums, each)
        found = [one for one in answers if one is not None]
        weights, moments = np.array([one.weight for one in found]), None
        if standardize:
            check_largest(np.max([one.largest for one in found], axis=0))
            shares, means = weights / weights.sum(), np.stack([one.mean for one in found])
            mean = shares @ means
            variance = shares @ (np.stack([one.variance for one in found]) + (means - mean) ** 2)
            moments = moments_from(mean, variance, self.n_rows)
            self.kind = seen_through(self.kind, 1, moments)
        before = np.zeros(2, np.int64)
        for k, one in enumerate(answers):
            self.settings[k] = self.settings[k]._replace(
                moments=moments,
                usual_weight=float(weights.sum()) / self.n_rows,
                before=(int(before[0]), int(before[1])),
            )
            before = before if one is None else before + one.of_classes
        self.fewest = int(before.min())

    def draw_folds(self, rng: np.random.RandomState) -> tuple[FoldPlan, Array]:
        """Each part draws its own, and keeps them."""
        plan = FoldPlan.of(self.fewest)
        for k, seed in enumerate(self.seeds(rng)):
            self.settings[k] = self.settings[k]._replace(plan=plan, seed=seed)
        return plan, NOTHING

    def seeds(self, rng: np.random.RandomState) -> list[int]:
        """One for each part."""
        return rng.randint(2**31 - 1, size=len(self.settings)).tolist()  # type: ignore[no-any-return]

    def mixed_epoch(self, question: Any, rng: np.random.RandomState, runs: Any, *how: Any) -> EpochChange:
        """What all parts together have moved."""
        seeds = [None] * len(self.settings) if self.cyclic else self.seeds(rng)
        each = [(one, seed, runs, *how) for one, seed in zip(self.settings, seeds, strict=True)]
        changes = [one for one in self.rounds.ask_each("epochs", question, each) if one is not None]
        return mixture(changes)

    def largest(self, runs: CplrRuns) -> Array:
        return np.asarray(np.max(self.asked("epochs", largest_in_part, runs), axis=0))

    def left_out(
        self, runs: AveragedRuns, judging: range, norms: Array, folds: Array, prices: Prices
    ) -> Scored:
        own = AveragedRuns(*(one[judging.start : judging.stop] for one in without_lags(runs)))
        return ScoredParts(self, LeftOut(self._key(), own, norms[judging.start : judging.stop]), prices)

    def scored(self, coef: Array, intercept: float, prices: Prices) -> Scored:
        return ScoredParts(self, ByModel(self._key(), coef, intercept), prices)

    def _key(self) -> str:
        self.n_scored += 1
        return str(self.n_scored)

    def assess(self, prices: Prices, batch: bool, symmetric: bool, shares: Any, workers: Threads) -> None:
        """As `assess_parts`, of runs that are all in one share."""
        ((runs, found),) = shares
        sums = self._sums("ends", symmetric, runs, np.zeros((len(runs.intercepts), 2)))
        if batch and sums.wrong.any():
            sums = sums.with_others(self._sums("counts", symmetric, runs, sums.farthest))
        found.separated[:] = sums.wrong == 0
        move_bands(runs, prices, batch, symmetric, sums)
        costs = self._sums("costs", symmetric, runs, sums.farthest).costs
        found.risks[:] = [mean_cost(one, prices) for one in costs]

    def _sums(self, what: str, symmetric: bool, runs: CplrRuns, farthest: Array) -> RunSums:
        parts: list[RunSums] = self.asked("risks", sums_of_part, what, symmetric, runs, farthest)
        return reduce(RunSums.with_others, parts)


class ScoredParts(Scored):
    """Rows of all parts, with scores that stay there."""

    def __init__(self, rows: CollectionParts, what: LeftOut | ByModel, prices: Prices) -> None:
        self.rows, self.what, self._prices = rows, what, prices

    @property
    def prices(self) -> Prices:
        return self._prices

    def least_bands(self, symmetric: bool) -> Array:
        sides, extra = [None] if symmetric else [0, 1], extra_costs(self._prices)

        def ask(questions: dict[int, Any]) -> dict[int, Any]:
            by_side = {sides[k]: one for k, one in questions.items()}
            parts = self.rows.asked("bands", between_cuts, self.what, extra, by_side)
            return {
                k: together([one[sides[k]] for one in parts], question, extra)
                for k, question in questions.items()
            }

        return np.resize(side_by_side([search(extra) for _ in sides], ask), 2)

    def rejected_by_kind(self, bands: Array) -> Array:
        parts = self.rows.asked("bands", rejected_in_part, self.what, bands)
        return np.asarray(reduce(add, parts))

    def tallies(self, bands: Array) -> Tallies:
        parts = self.rows.asked("bands", tallies_of_part, self.what, bands)
        return Tallies(*(reduce(add, each) for each in zip(*parts, strict=True)))


def mixture(changes: list[EpochChange]) -> EpochChange:
    """Each part in proportion to its corrections, run by run; these are added up."""
    updates = np.array([one.updates for one in changes], np.float64)
    shares = updates / np.maximum(updates.sum(axis=0), 1.0)
    moved: dict[str, Array] = {}
    for own, change in zip(shares, changes, strict=True):
        for name, each in change.moved.items():
            moved[name] = moved.get(name, 0.0) + own.reshape(-1, *[1] * (each.ndim - 1)) * each
    return EpochChange(np.sum([one.updates for one in changes], axis=0), moved)


def without_lags(runs: AveragedRuns) -> AveragedRuns:
    """Which parts need not know."""
    return runs._replace(lags=runs.lags[:, :0], intercept_lags=np.zeros_like(runs.intercepts))


class MixedAverages(AveragedTraining):
    """Averaged runs, mixed after each epoch."""

    def pass_over(self, rows: Any, shares: Any, workers: Threads) -> None:
        runs, counts = self.runs, self.counted >= 0
        change = rows.mixed_epoch(averaged_epoch, self.rng, without_lags(runs), self.along, counts)
        moved = change.moved
        if counts:
            runs.lags[:] += self.counted * moved["weights"] + rows.n_rows * moved["lags"]
            runs.intercept_lags[:] += (
                self.counted * moved["intercepts"] + rows.n_rows * moved["intercept_lags"]
            )
            self.counted += rows.n_rows
        runs.weights[:] += moved["weights"]
        runs.intercepts[:] += moved["intercepts"]
        runs.n_updates[:] += change.updates


class MixedRestarts(RestartedTraining):
    """The paper's runs, weights and bands of which are mixed after each epoch."""

    def pass_over(self, rows: Any, steps: CplrSteps, symmetric: bool, shares: Any, workers: Threads) -> None:
        runs = self.runs
        change = rows.mixed_epoch(restarted_epoch, self.rng, runs, steps, symmetric)
        for name, each in change.moved.items():
            getattr(runs, name)[:] += each
        runs.n_updates[:] += change.updates
