"""Many runs at once, from several starts with several step sizes; the best that any came to is kept."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..rejection.costs import Prices
from ..rows.encode import Encoded
from ..rows.order import shuffled, starting_points
from ..rows.standardized import enter, leave, standardized
from .conservative_parameters import CPLR2, ConservativeParameters, steps_of
from .conservative_sweep import Assessment, CplrRuns, assess, largest_scores, sweep


@dataclass
class BestRun:
    """The weights of least training risk so far, of columns as they are."""

    risk: float = np.inf
    coef: Array = field(default_factory=lambda: np.empty(0))
    intercept: float = 0.0
    bands: Array = field(default_factory=lambda: np.zeros(2))
    run: int = -1
    n_updates: int = 0


class TrainedRuns(NamedTuple):
    best: BestRun
    step_sizes: tuple[float, float]  # of the best run
    n_epochs: int


def train(
    data: Encoded, y: Array, prices: Prices, parameters: ConservativeParameters, rng: np.random.RandomState
) -> TrainedRuns:
    """Run epochs until a run separates all rows, at most max_epochs; keep the best state that ends one."""
    X: Any = standardized(data.matrix, data.X) if parameters.standardize else data.X
    prices = prices.in_steps()
    if prices.free:  # every row will be rejected; the weights are those that always answer
        parameters = parameters._replace(max_band=0.0)
    runs = start_runs(X, len(y), data.matrix.shape[1], parameters, rng)
    steps, batch = steps_of(parameters.rule, prices), parameters.rule == CPLR2
    n_runs, scores, best, epoch = len(runs.intercepts), np.empty(len(y)), BestRun(), 0
    found = Assessment(np.empty(n_runs), np.zeros(n_runs, bool))
    while epoch < parameters.max_epochs and not found.separated.any():  # nothing is better
        epoch += 1
        sweep(X, data.X, y, shuffled(len(y), rng), steps, parameters.symmetric, runs)
        assess(X, y, prices, batch, parameters.symmetric, runs, scores, found)
        keep_best(best, X, runs, found)
    return TrainedRuns(best, parameters.step_sizes[best.run % len(parameters.step_sizes)], epoch)


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
        bands[:, [1, 1]] if parameters.symmetric else bands,
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


def keep_best(best: BestRun, X: Any, runs: CplrRuns, found: Assessment) -> None:
    """The first of the best, if it is better than what was kept; one that separates the rows in any case."""
    r = int(np.argmax(found.separated)) if found.separated.any() else int(np.argmin(found.risks))
    if found.separated[r] or found.risks[r] < best.risk:
        best.coef, best.intercept = leave(X, runs.weights[r], float(runs.intercepts[r]))
        best.risk, best.bands, best.run = float(found.risks[r]), runs.bands[r].copy(), r
        best.n_updates = int(runs.n_updates[r])
