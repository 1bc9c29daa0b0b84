# mypy: allow-untyped-defs, allow-untyped-calls
"""Beyond the paper: a pass of the rule's weights with bands of fixed width 1, for averaged weights.

A row that is rejected or on the wrong side corrects the weights by the same multiples as in the paper
(`CplrSteps.along`); the bands stay, so that they are a margin to be kept. Within such a band a row on the
wrong side counts as wrong, not as rejected: where rejections cost next to nothing, it would teach nothing. A
run may leave out the rows of one fold, to be judged by them later. The average of the weights after each row
is kept as the last weights minus lags/T, where a correction made after k of the T rows that count adds k
times itself to the lags.
"""

from typing import NamedTuple

from .._types import Array
from ..compiled import compiled
from ..rows.standardized import correct, score
from .conservative_sweep import NEGATIVE, POSITIVE, REJECTED, WRONG, weight_of

BAND = 1.0
NO_FOLD = -1


class AveragedRuns(NamedTuple):
    """What the runs have come to; an entry per run."""

    weights: Array  # as `rows.standardized` keeps them
    intercepts: Array
    lags: Array  # of the weights
    intercept_lags: Array
    eta: Array
    repeats: Array  # the line of `folds` by which a run leaves rows out
    held_out: Array  # the fold that it leaves out, or NO_FOLD
    n_updates: Array


@compiled
def averaged_sweep(X, signs, order, along, folds, runs, elapsed):
    """Present the rows to all runs; `elapsed` rows have counted before, or −1: none counts yet."""
    y = signs.y
    for position in range(order.size):
        i = order[position]
        label = POSITIVE if y[i] > 0 else NEGATIVE
        for r in range(len(runs.intercepts)):
            if folds[runs.repeats[r], i] == runs.held_out[r]:
                continue
            s = score(X, i, runs.weights[r]) + runs.intercepts[r]
            right = (s >= 0.0) == (label == POSITIVE)
            if right and abs(s) >= BAND:
                continue
            step = weight_of(signs, i) * runs.eta[r] * along[REJECTED if right else WRONG, label] * y[i]
            correct(X, i, step, runs.weights[r])
            runs.intercepts[r] += step
            if elapsed >= 0:
                lag = step * (elapsed + position)
                correct(X, i, lag, runs.lags[r])
                runs.intercept_lags[r] += lag
            runs.n_updates[r] += 1


@compiled
def judge(X, runs, r, norm, rows, scores):
    """What a run says of some rows, its weights divided by their norm."""
    for k in range(rows.size):
        scores[k] = (score(X, rows[k], runs.weights[r]) + runs.intercepts[r]) / norm
