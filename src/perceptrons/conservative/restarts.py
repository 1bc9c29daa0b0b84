"""Many runs at once, from several starts with several step sizes; the best that any came to is kept.

Runs do not depend on one another, but for the order of the rows, which they share, and the end: threads can
take an epoch of some of them each, and the model is the same.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import threads
from ..rejection.costs import Prices
from ..rows.encode import Encoded
from ..rows.order import Order, shuffled, starting_points
from ..rows.standardized import enter, leave, standardized
from .conservative_parameters import CPLR2, ConservativeParameters, steps_of
from .conservative_sweep import Assessment, CplrRuns, WeightedSigns, assess, largest_scores, sweep


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


class RunShare(NamedTuple):
    """Some of the runs, for one thread: views of what they have come to, and room for scores of its own."""

    runs: CplrRuns
    scores: Array
    found: Assessment


def deal_out(runs: CplrRuns, found: Assessment, n_rows: int, n_shares: int) -> list[RunShare]:
    """Neighbors stay together: compiled code is compiled for arrays without gaps."""
    ends = np.linspace(0, len(runs.intercepts), n_shares + 1).astype(int)
    parts = [slice(start, stop) for start, stop in pairwise(ends)]
    return [
        RunShare(
            CplrRuns(*(one[part] for one in runs)),
            np.empty(n_rows),
            Assessment(*(one[part] for one in found)),
        )
        for part in parts
    ]


def train(
    data: Encoded,
    signs: WeightedSigns,
    prices: Prices,
    parameters: ConservativeParameters,
    rng: np.random.RandomState,
) -> TrainedRuns:
    """Run epochs until a run separates all rows, at most max_epochs; keep the best state that ends one."""
    X: Any = standardized(data.matrix, data.X, signs.weights) if parameters.standardize else data.X
    prices = prices.in_steps()
    if prices.free:  # every row will be rejected; the weights are those that always answer
        parameters = parameters._replace(max_band=0.0)
    n_rows, n_columns = data.matrix.shape
    runs = start_runs(X, n_rows, n_columns, parameters, rng)
    steps, batch = steps_of(parameters.rule, prices), parameters.rule == CPLR2
    n_runs, best, epoch = len(runs.intercepts), BestRun(), 0
    found = Assessment(np.empty(n_runs), np.zeros(n_runs, bool))

    def run_epoch(order: Order, share: RunShare) -> None:
        sweep(X, data.X, signs, order, steps, parameters.symmetric, share.runs)
        assess(X, signs, prices, batch, parameters.symmetric, *share)

    with threads(parameters.n_jobs) as workers:
        shares = deal_out(runs, found, n_rows, min(workers.n, n_runs))
        while epoch < parameters.max_epochs and not found.separated.any():  # nothing is better
            epoch += 1
            workers.map(partial(run_epoch, shuffled(n_rows, rng)), shares)
            keep_best(best, runs, found)
    # not among the threads, where linear algebra keeps to one, and may round otherwise
    coef, intercept = leave(X, best.weights, best.intercept)
    step_sizes = parameters.step_sizes[best.run % len(parameters.step_sizes)]
    return TrainedRuns(coef, intercept, best.bands, best.n_updates, step_sizes, epoch)


def start_runs(
    X: Any, n_rows: int, n_columns: int, parameters: ConservativeParameters, rng: np.random.RandomState
) -> CplrRuns:
    """Every start with every pair of step sizes; all pairs of one start follow one another."""
    points, bands = starting_points(parameters.n_restarts, n_columns, rng)
    n_pairs = len(parameters.step_sizes)
    points, bands = np.repeat(points, n_pairs, axis=0), np.repeat(bands, n_pairs, axis=0)
    etas = np.tile(np.array(parameters.step_sizes), (parameters.n_restarts, 1))
    n = len(points)
    runs = CplrRuns(
        enter(X, points[:, :-1]),
        points[:, -1].copy(),
        np.ascontiguousarray(bands[:, [1, 1]]) if parameters.symmetric else bands,
        np.empty(n),
        etas[:, 0].copy(),
        etas[:, 1].copy(),
        np.zeros(n, np.int64),
    )
    runs.caps[:] = (
        2.0 * largest_scores(X, n_rows, runs) if parameters.max_band is None else parameters.max_band
    )
    np.minimum(runs.bands, runs.caps[:, None], out=runs.bands)
    return runs


def keep_best(best: BestRun, runs: CplrRuns, found: Assessment) -> None:
    """The first of the best, if it is better than what was kept; one that separates the rows in any case."""
    r = int(np.argmax(found.separated)) if found.separated.any() else int(np.argmin(found.risks))
    if found.separated[r] or found.risks[r] < best.risk:
        best.weights, best.intercept = runs.weights[r].copy(), float(runs.intercepts[r])
        best.risk, best.bands, best.run = float(found.risks[r]), runs.bands[r].copy(), r
        best.n_updates = int(runs.n_updates[r])
