"""Many runs at once, from several starts with several step sizes; the best that any came to is kept."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..rejection.costs import Prices
from ..rows.encode import Encoded
from ..rows.order import starting_points, visits
from ..rows.standardized import enter, leave, standardized
from .conservative_parameters import CPLR2, Settings, steps_of
from .conservative_sweep import Look, Runs, largest_scores, look, sweep


@dataclass
class Best:
    """The weights of least training risk so far, of columns as they are."""

    risk: float = np.inf
    coef: Array = field(default_factory=lambda: np.empty(0))
    intercept: float = 0.0
    bands: Array = field(default_factory=lambda: np.zeros(2))
    run: int = -1
    n_updates: int = 0


class Training(NamedTuple):
    best: Best
    step_sizes: tuple[float, float]  # of the best run
    n_epochs: int


def train(
    data: Encoded, y: Array, prices: Prices, settings: Settings, rng: np.random.RandomState
) -> Training:
    """Epochs until a run has every row on its side, or there are enough; the best of what epochs end with."""
    X: Any = standardized(data.matrix, data.X) if settings.standardize else data.X
    prices = prices.in_steps()
    if prices.free:  # every row will be rejected; the weights are those that always answer
        settings = settings._replace(max_band=0.0)
    runs = begin(X, len(y), data.matrix.shape[1], settings, rng)
    steps, batch = steps_of(settings.rule, prices), settings.rule == CPLR2
    n_runs, scores, best, epoch = len(runs.intercepts), np.empty(len(y)), Best(), 0
    found = Look(np.empty(n_runs), np.zeros(n_runs, bool))
    while epoch < settings.max_epochs and not found.separated.any():  # nothing is better
        epoch += 1
        order, block = visits(len(y), rng)
        sweep(X, data.X, y, order, block, steps, settings.symmetric, runs)
        look(X, y, prices, batch, settings.symmetric, runs, scores, found)
        keep_best(best, X, runs, found)
    return Training(best, settings.step_sizes[best.run % len(settings.step_sizes)], epoch)


def begin(X: Any, n_rows: int, n_columns: int, settings: Settings, rng: np.random.RandomState) -> Runs:
    """Every start with every pair of step sizes; all pairs of one start follow one another."""
    points, bands = starting_points(settings.n_restarts, n_columns, rng)
    n_pairs = len(settings.step_sizes)
    points, bands = np.repeat(points, n_pairs, axis=0), np.repeat(bands, n_pairs, axis=0)
    etas = np.tile(np.array(settings.step_sizes), (settings.n_restarts, 1))
    n = len(points)
    runs = Runs(
        enter(X, points[:, :-1]),
        points[:, -1].copy(),
        bands[:, [1, 1]] if settings.symmetric else bands,
        np.empty(n),
        etas[:, 0].copy(),
        etas[:, 1].copy(),
        np.zeros(n, np.int64),
    )
    runs.caps[:] = 2.0 * largest_scores(X, n_rows, runs) if settings.max_band is None else settings.max_band
    np.minimum(runs.bands, runs.caps[:, None], out=runs.bands)
    return runs


def keep_best(best: Best, X: Any, runs: Runs, found: Look) -> None:
    """The first of the best, if it is better than what was kept; one that separates the rows in any case."""
    r = int(np.argmax(found.separated)) if found.separated.any() else int(np.argmin(found.risks))
    if found.separated[r] or found.risks[r] < best.risk:
        best.coef, best.intercept = leave(X, runs.weights[r], float(runs.intercepts[r]))
        best.risk, best.bands, best.run = float(found.risks[r]), runs.bands[r].copy(), r
        best.n_updates = int(runs.n_updates[r])
