"""Many runs at once, from several starts with several step sizes; the best that any came to is kept.

Runs do not depend on one another, except for the order of the rows, which they share, and the end: threads
can take an epoch of some of them each, and the model is the same.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import Threads, threads
from ..rejection.costs import Prices
from ..rows.order import starting_points
from ..rows.standardized import enter, leave
from .assessed_parts import Share
from .conservative_parameters import CPLR2, ConservativeParameters, steps_of
from .conservative_sweep import Assessment, CplrRuns, CplrSteps, sweep
from .saved_training import SavedTraining
from .training_parts import FitRows, RowPart


@dataclass
class BestRun:
    """The state of least training risk so far."""

    risk: float = np.inf
    weights: Array = field(default_factory=lambda: np.empty(0))  # as `rows.standardized` keeps them
    intercept: float = 0.0
    bands: Array = field(default_factory=lambda: np.zeros(2))
    run: int = -1
    n_updates: int = 0


class TrainedRuns(NamedTuple):
    coef: Array  # of the best run, of columns as they are
    intercept: float
    bands: Array
    n_updates: int
    step_sizes: tuple[float, float]
    n_epochs: int


def deal_out(runs: CplrRuns, found: Assessment, n_shares: int) -> list[Share]:
    """Neighbors stay together: compiled code is compiled for arrays without gaps."""
    ends = np.linspace(0, len(runs.intercepts), n_shares + 1).astype(int)
    parts = [slice(start, stop) for start, stop in pairwise(ends)]
    return [
        (CplrRuns(*(one[part] for one in runs)), Assessment(*(one[part] for one in found))) for part in parts
    ]


@dataclass
class RestartedTraining:
    """What the runs have come to, and how far they are."""

    runs: CplrRuns
    found: Assessment
    best: BestRun
    rng: np.random.RandomState
    max_epochs: int
    epoch: int = 0  # epochs that are over

    @property
    def is_over(self) -> bool:
        """Are epochs used up, or does a run separate all rows? Nothing is better."""
        return self.epoch >= self.max_epochs or bool(self.found.separated.any())

    def run(
        self,
        rows: FitRows,
        prices: Prices,
        parameters: ConservativeParameters,
        workers: Threads,
        saved: SavedTraining | None,
    ) -> None:
        """All epochs, or those that are left."""
        steps, batch = steps_of(parameters.rule, prices), parameters.rule == CPLR2
        shares = deal_out(self.runs, self.found, min(workers.n, len(self.runs.intercepts)))
        if saved is not None:
            saved.resume(self)
        while not self.is_over:
            self.pass_over(rows, steps, parameters.symmetric, shares, workers)
            rows.assess(prices, batch, parameters.symmetric, shares, workers)
            keep_best(self.best, self.runs, self.found)
            self.epoch += 1
            if saved is not None:
                saved.pause(self)

    def pass_over(
        self, rows: Any, steps: CplrSteps, symmetric: bool, shares: list[Share], workers: Threads
    ) -> None:
        """The corrections of an epoch."""
        for part in rows.epoch(self.rng):
            workers.map(partial(_sweep, part, steps, symmetric), shares)

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        best = self.best
        document = [best.risk, best.intercept, best.run, best.n_updates, self.epoch]
        arrays = {**self.runs._asdict(), **self.found._asdict()}
        return {"best": document}, {**arrays, "best weights": best.weights, "best bands": best.bands}

    def restore(self, document: dict[str, Any], arrays: dict[str, Array]) -> None:
        for name, one in {**self.runs._asdict(), **self.found._asdict()}.items():
            one[...] = arrays[name]
        risk, intercept, run, n_updates, self.epoch = document["best"]
        weights, bands = arrays["best weights"], arrays["best bands"]
        self.best = BestRun(risk, weights, intercept, bands, run, n_updates)


def _sweep(part: RowPart, steps: CplrSteps, symmetric: bool, share: Share) -> None:
    sweep(part.X, part.rows, part.signs, part.order, steps, symmetric, share[0])


def train(
    rows: FitRows,
    prices: Prices,
    parameters: ConservativeParameters,
    rng: np.random.RandomState,
    saved: SavedTraining | None = None,
    kind: type[RestartedTraining] = RestartedTraining,
) -> TrainedRuns:
    """Run epochs until a run separates all rows, at most max_epochs; keep the best state that ends one.

    saved : from where training goes on, and where it is written down how far it is.
    kind : how an epoch is made.
    """
    prices = prices.in_steps()
    if prices.free:  # every row will be rejected; the weights are those that always answer
        parameters = parameters._replace(max_band=0.0)
    runs = start_runs(rows, parameters, rng)
    n_runs = len(runs.intercepts)
    found = Assessment(np.empty(n_runs), np.zeros(n_runs, bool))
    training = kind(runs, found, BestRun(), rng, parameters.max_epochs)
    with threads(parameters.n_jobs) as workers:
        training.run(rows, prices, parameters, workers, saved)
    # not among the threads, where linear algebra keeps to one, and may round otherwise
    best = training.best
    coef, intercept = leave(rows.kind, best.weights, best.intercept)
    step_sizes = parameters.step_sizes[best.run % len(parameters.step_sizes)]
    return TrainedRuns(coef, intercept, best.bands, best.n_updates, step_sizes, training.epoch)


def start_runs(rows: FitRows, parameters: ConservativeParameters, rng: np.random.RandomState) -> CplrRuns:
    """Every start with every pair of step sizes; all pairs of one start follow one another."""
    points, bands = starting_points(parameters.n_restarts, rows.n_columns, rng)
    n_pairs = len(parameters.step_sizes)
    points, bands = np.repeat(points, n_pairs, axis=0), np.repeat(bands, n_pairs, axis=0)
    etas = np.tile(np.array(parameters.step_sizes), (parameters.n_restarts, 1))
    n = len(points)
    runs = CplrRuns(
        enter(rows.kind, points[:, :-1]),
        points[:, -1].copy(),
        np.ascontiguousarray(bands[:, [1, 1]]) if parameters.symmetric else bands,
        np.empty(n),
        etas[:, 0].copy(),
        etas[:, 1].copy(),
        np.zeros(n, np.int64),
    )
    if parameters.max_band is None:
        runs.caps[:] = 2.0 * rows.largest(runs)
    else:
        runs.caps[:] = parameters.max_band
    np.minimum(runs.bands, runs.caps[:, None], out=runs.bands)
    return runs


def keep_best(best: BestRun, runs: CplrRuns, found: Assessment) -> None:
    """The first of the best, if it is better than what was kept; one that separates the rows in any case."""
    r = int(np.argmax(found.separated)) if found.separated.any() else int(np.argmin(found.risks))
    if found.separated[r] or found.risks[r] < best.risk:
        best.weights, best.intercept = runs.weights[r].copy(), float(runs.intercepts[r])
        best.risk, best.bands, best.run = float(found.risks[r]), runs.bands[r].copy(), r
        best.n_updates = int(runs.n_updates[r])
