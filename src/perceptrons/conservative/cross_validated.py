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

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from .._types import Array
from ..compiled import threads
from ..rejection.costs import Prices
from ..rows.encode import Encoded
from ..rows.order import permuted, shuffled, unsigned
from ..rows.standardized import StandardizedRows, leave, standardized
from .averaged_sweep import NO_FOLD, AveragedRuns, averaged_sweep, judge
from .bands import best_bands, saved_by_side, worthwhile
from .conservative_parameters import ConservativeParameters, steps_of
from .conservative_sweep import WeightedSigns, risk
from .restarts import TrainedRuns

FOLDS, REPEATS = 5, 2
CLEAR = 0.5  # standard errors that a band must save
EPOCHS = 20  # at most; the weights of the later half are averaged


def train_cross_validated(
    data: Encoded,
    signs: WeightedSigns,
    prices: Prices,
    parameters: ConservativeParameters,
    rng: np.random.RandomState,
) -> TrainedRuns:
    """A class of one row cannot be left out and learned at once: bands are then those of training rows."""
    X: Any = standardized(data.matrix, data.X, signs.weights) if parameters.standardize else data.X
    prices, n_rows = prices.in_steps(), len(signs.y)
    unit = 1.0 / usual_square(X, data) if parameters.relative else 1.0
    etas = [*dict.fromkeys(eta * unit for eta, _ in parameters.step_sizes)]
    folds = draw_folds(signs.y, rng)
    runs = start_runs(data.matrix.shape[1] + n_extra(X), etas, folds)
    along, n_runs = steps_of(parameters.rule, prices).along, len(runs.intercepts)
    n_epochs, counted, epoch = min(parameters.max_epochs, EPOCHS), -1, 0
    with threads(parameters.n_jobs) as workers:
        ends = np.linspace(0, n_runs, min(workers.n, n_runs) + 1).astype(int)
        shares = [AveragedRuns(*(one[a:b] for one in runs)) for a, b in pairwise(ends)]
        while epoch < n_epochs:
            before, order = runs.n_updates.sum(), shuffled(n_rows, rng).rows
            counted = max(counted, 0) if epoch >= n_epochs // 2 else -1
            workers.map(partial(_pass, X, signs, order, along, folds, counted), shares)
            epoch, counted = epoch + 1, counted + n_rows if counted >= 0 else -1
            if runs.n_updates.sum() == before:
                break  # every row keeps the margin, in all runs: nothing would change
    return best_of(X, averaged(runs, counted), folds, signs, prices, parameters, epoch)


def _pass(
    X: Any, signs: WeightedSigns, order: Array, along: Array, folds: Array, counted: int, share: AveragedRuns
) -> None:
    averaged_sweep(X, signs, order, along, folds, share, counted)


def usual_square(X: Any, data: Encoded) -> float:
    """The squared norm of a usual row, the intercept's coordinate included."""
    if isinstance(X, StandardizedRows):  # on average 1 for each column that is not constant
        return float(np.count_nonzero(X.gains)) + 1.0
    return data.norms.median() ** 2 + 1.0


def n_extra(X: Any) -> int:
    """How many more numbers than columns weights are kept as."""
    return 2 if isinstance(X, StandardizedRows) and X.products.size else 0


def draw_folds(y: Array, rng: np.random.RandomState) -> Array:
    """The fold of each row, classes spread evenly, a line for each time; no line if a class has one row."""
    places = [np.flatnonzero(y < 0), np.flatnonzero(y > 0)]
    fewest = min(map(len, places))
    folds = np.zeros((REPEATS if fewest > 1 else 1, len(y)), np.int8)
    if fewest == 1:
        return folds
    for line in folds:
        for rows in places:
            line[permuted(rows, rng)] = np.arange(len(rows)) % min(FOLDS, fewest)
    return folds


def start_runs(n_weights: int, etas: list[float], folds: Array) -> AveragedRuns:
    """For each step size the run on all rows, then those that leave out a fold."""
    n_folds = int(folds.max()) + 1
    held = [(0, NO_FOLD)]
    if n_folds > 1:
        held += [(repeat, fold) for repeat in range(len(folds)) for fold in range(n_folds)]
    n = len(etas) * len(held)
    repeats, held_out = (np.tile(part, len(etas)) for part in np.array(held).T)
    return AveragedRuns(
        np.zeros((n, n_weights)), np.zeros(n), np.zeros((n, n_weights)), np.zeros(n),
        np.repeat(etas, len(held)), repeats, held_out, np.zeros(n, np.int64),
    )  # fmt: skip


def averaged(runs: AveragedRuns, counted: int) -> AveragedRuns:
    """The runs with averages for weights; with the last weights where no row has counted."""
    if counted <= 0:
        return runs
    return runs._replace(
        weights=runs.weights - runs.lags / counted,
        intercepts=runs.intercepts - runs.intercept_lags / counted,
    )


def best_of(
    X: Any,
    runs: AveragedRuns,
    folds: Array,
    signs: WeightedSigns,
    prices: Prices,
    parameters: ConservativeParameters,
    n_epochs: int,
) -> TrainedRuns:
    """The step size of least risk on rows left out, and of equals the first."""
    wholes = np.flatnonzero(runs.held_out == NO_FOLD)
    left = [leave(X, v, float(b)) for v, b in zip(runs.weights, runs.intercepts, strict=True)]
    overflown = [coef for coef, _ in left if not np.isfinite(coef).all()]
    if overflown:  # the caller raises
        return TrainedRuns(overflown[0], 0.0, np.zeros(2), 0, (1.0, 1.0), n_epochs)
    norms = np.array([norm_of(X, coef) for coef, _ in left])
    least, kept, bands = np.inf, int(wholes[0]), np.zeros(2)
    for first, stop in pairwise([*wholes, len(runs.intercepts)]):
        judging = range(first + (stop > first + 1), stop)
        places = [rows_left_out(runs, r, folds) for r in judging]
        judged = np.empty(sum(map(len, places)))
        ends = np.cumsum([0, *map(len, places)])
        for r, rows, part in zip(judging, places, pairwise(ends), strict=True):
            judge(X, runs, r, norms[r], rows, judged[slice(*part)])
        own = signs_at(signs, np.concatenate(places))
        del places  # as long as the rows
        cap = np.inf if parameters.max_band is None else parameters.max_band / norms[first]
        found, cost = judged_bands(judged, own, prices, parameters.symmetric, cap)
        if cost < least or not np.isfinite(least):
            least, kept, bands = cost, int(first), found * norms[first]
    (coef, intercept), eta = left[kept], float(runs.eta[kept])
    return TrainedRuns(coef, intercept, bands, int(runs.n_updates[kept]), (eta, eta), n_epochs)


def judged_bands(
    scores: Array, signs: WeightedSigns, prices: Prices, symmetric: bool, cap: float = np.inf
) -> tuple[Array, float]:
    """Bands and their risk: those beyond chance, unless to reject every row costs less; then those of least
    risk, which may be infinite."""
    (y, weights), nothing = signs, np.full(2, np.inf)
    of_rejections = risk(scores, signs, prices, nothing)
    for find in (clear_bands, least_bands):
        bands = np.minimum(find(scores, signs, prices, symmetric), cap)
        bands = worthwhile(scores, y, prices, symmetric, bands, weights)  # the cap may have made them dear
        cost = risk(scores, signs, prices, bands)
        if cost <= of_rejections:
            return bands, cost
    return nothing, of_rejections


def rows_left_out(runs: AveragedRuns, r: int, folds: Array) -> Array:
    """By run r; all rows, if it left out none."""
    here = folds[runs.repeats[r]] == runs.held_out[r] if runs.held_out[r] != NO_FOLD else folds[0] >= 0
    return np.flatnonzero(here).astype(unsigned(folds.shape[1]))


def signs_at(signs: WeightedSigns, places: Array) -> WeightedSigns:
    return WeightedSigns(signs.y[places], signs.weights[places] if len(signs.weights) else signs.weights)


def least_bands(scores: Array, signs: WeightedSigns, prices: Prices, symmetric: bool) -> Array:
    """The bands of least risk."""
    return best_bands(scores, signs.y, prices, symmetric, signs.weights)


def clear_bands(scores: Array, signs: WeightedSigns, prices: Prices, symmetric: bool) -> Array:
    """The same; 0 where what a band saves is not beyond chance. A row that was left out REPEATS times is no
    more than one row."""
    bands = least_bands(scores, signs, prices, symmetric)
    sums, squares = saved_by_side(scores, signs.y, prices, bands, signs.weights)
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
