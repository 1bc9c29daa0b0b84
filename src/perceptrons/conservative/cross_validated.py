"""Beyond the paper: averaged weights, and the bands of least risk on rows that were not learned from.

For each step size of the weights a run learns from all rows, and others leave out a fold each. The scores
that the latter give to the rows they left out, divided by the norms of their weights, which make them
comparable, have bands of least risk: these, in the scale of the run on all rows, are the model's. The step
size of least such risk is taken. The folds are drawn twice, which makes the bands steadier. A band that saves
less than half a standard error of what it saves is 0: a few rows by chance are no reason to reject; unless it
would then cost less to reject every row. So what the bands cost on rows left out is never more than what it
costs without bands, nor than to reject every row.

Why: on the training rows bands are too narrow, and both are 0 where a hyperplane separates the rows; and
averaged weights are steadier than the best of many runs. All runs start at 0 and share the order of the rows.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from .._types import Array
from ..compiled import threads
from ..rejection.costs import Prices
from ..rows.standardized import StandardizedRows, leave
from .averaged_sweep import NO_FOLD, AveragedRuns
from .averaged_training import AveragedTraining
from .bands import saved_by_side
from .conservative_parameters import ConservativeParameters, steps_of
from .folds import REPEATS, FoldPlan
from .restarts import TrainedRuns
from .saved_training import SavedTraining
from .scored_rows import Scored, risk_of, worthwhile
from .training_parts import FitRows, usual_square

CLEAR = 0.5  # standard errors that a band must save
EPOCHS = 20  # at most; the weights of the later half are averaged


def train_cross_validated(
    rows: FitRows,
    prices: Prices,
    parameters: ConservativeParameters,
    rng: np.random.RandomState,
    saved: SavedTraining | None = None,
    kind: type[AveragedTraining] = AveragedTraining,
) -> TrainedRuns:
    """A class of one row cannot be left out and learned at once: bands are then those of training rows.

    saved : from where training goes on, and where it is written down how far it is.
    kind : how an epoch is made.
    """
    prices = prices.in_steps()
    unit = 1.0 / usual_square(rows) if parameters.relative else 1.0
    etas = [*dict.fromkeys(eta * unit for eta, _ in parameters.step_sizes)]
    plan, folds = rows.draw_folds(rng)
    training = kind(
        start_runs(rows.n_columns + n_extra(rows.kind), etas, plan),
        folds,
        steps_of(parameters.rule, prices).along,
        min(parameters.max_epochs, EPOCHS),
        rng,
    )
    with threads(parameters.n_jobs) as workers:
        training.run(rows, workers, saved)
    return best_of(rows, training, prices, parameters)


def n_extra(X: Any) -> int:
    """How many more numbers than columns weights are kept as."""
    return 2 if isinstance(X, StandardizedRows) and X.products.size else 0


def start_runs(n_weights: int, etas: list[float], plan: FoldPlan) -> AveragedRuns:
    """For each step size the run on all rows, then those that leave out a fold."""
    held = [(0, NO_FOLD)]
    if plan.n_folds > 1:
        held += [(repeat, fold) for repeat in range(plan.n_repeats) for fold in range(plan.n_folds)]
    n = len(etas) * len(held)
    repeats, held_out = (np.tile(part, len(etas)) for part in np.array(held).T)
    return AveragedRuns(
        np.zeros((n, n_weights)), np.zeros(n), np.zeros((n, n_weights)), np.zeros(n),
        np.repeat(etas, len(held)), repeats, held_out, np.zeros(n, np.int64),
    )  # fmt: skip


def best_of(
    rows: FitRows, training: AveragedTraining, prices: Prices, parameters: ConservativeParameters
) -> TrainedRuns:
    """The step size of least risk on rows left out, and of equals the first."""
    runs, folds, n_epochs = training.averaged(), training.folds, training.epoch
    wholes, X = np.flatnonzero(runs.held_out == NO_FOLD), rows.kind
    left = [leave(X, v, float(b)) for v, b in zip(runs.weights, runs.intercepts, strict=True)]
    overflown = [coef for coef, _ in left if not np.isfinite(coef).all()]
    if overflown:  # the caller raises
        return TrainedRuns(overflown[0], 0.0, np.zeros(2), 0, (1.0, 1.0), n_epochs)
    norms = np.array([norm_of(X, coef) for coef, _ in left])
    least, kept, bands = np.inf, int(wholes[0]), np.zeros(2)
    for first, stop in pairwise([*wholes, len(runs.intercepts)]):
        judging = range(first + (stop > first + 1), stop)
        judged = rows.left_out(runs, judging, norms, folds, prices)
        cap = np.inf if parameters.max_band is None else parameters.max_band / norms[first]
        found, cost = judged_bands(judged, parameters.symmetric, cap)
        if cost < least or not np.isfinite(least):
            least, kept, bands = cost, int(first), found * norms[first]
    (coef, intercept), eta = left[kept], float(runs.eta[kept])
    return TrainedRuns(coef, intercept, bands, int(runs.n_updates[kept]), (eta, eta), n_epochs)


def judged_bands(rows: Scored, symmetric: bool, cap: float = np.inf) -> tuple[Array, float]:
    """Bands and their risk: those beyond chance, unless to reject every row costs less; then those of least
    risk, which may be infinite."""
    nothing, least = np.full(2, np.inf), rows.least_bands(symmetric)
    of_rejections = risk_of(rows, nothing)
    for found in (clear_bands(rows, symmetric, least), least):
        bands = worthwhile(rows, symmetric, np.minimum(found, cap))  # the cap may have made them dear
        cost = risk_of(rows, bands)
        if cost <= of_rejections:
            return bands, cost
    return nothing, of_rejections


def clear_bands(rows: Scored, symmetric: bool, bands: Array) -> Array:
    """The bands of least risk; 0 where what a band saves is not beyond chance. A row that was left out
    REPEATS times is no more than one row."""
    sums, squares = saved_by_side(rows.rejected_by_kind(bands), rows.prices)
    errors = np.sqrt(REPEATS * squares)
    if symmetric:
        sums, errors = np.full(2, sums.sum()), np.full(2, np.hypot(*errors))
    return np.where(sums > CLEAR * errors, bands, 0.0)


def norm_of(X: Any, coef: Array) -> float:
    """Of the weights of columns as they were learned from; 1 for weights that are all 0."""
    if isinstance(X, StandardizedRows):
        coef = np.divide(coef, np.sqrt(X.gains), np.zeros_like(coef), where=X.gains > 0.0)
    largest = float(np.abs(coef).max(initial=0.0))  # whose square might overflow
    return largest * float(np.linalg.norm(coef / largest)) if 0.0 < largest < np.inf else 1.0
