# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part of CPLR1 and CPLR2: a pass over the rows by several runs at once, then their risks.

Runs differ in where they start and in their step sizes. A row is brought into the cache once and presented
to all of them. A score s is on side + if s ≥ 0, else on side −; the row is rejected if |s| is less than the
band of that side. A row that is rejected or on the wrong side corrects weights and bands by multiples that
depend on which of both it is and on its class y (`CplrSteps`), scaled by the run's step sizes:

    w ← w + η·along·y·x    λ_y ← λ_y + η'·own    λ_−y ← λ_−y + η'·other

with bands kept within 0 and their cap. Beyond the paper, rows may have weights, which multiply their steps,
and what is counted of it after the pass. CPLR1 is all in these multiples (equations 9 to 11). In CPLR2
(equation 13) the bands are left to one step per pass, from all scores (equations 14 to 17). If after a pass
no row is on the wrong side, the weights stay and bands shrink, step by step, until no row is rejected
(section 3.3): how many steps that takes is known beforehand, so they are made at once. Where these steps lead
does not depend on weights: every row is answered, and right.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.layouts import stream_group
from ..rows.order import GROUP_ROWS
from ..rows.standardized import correct, score

REJECTED, WRONG, RIGHT = 0, 1, 2
NEGATIVE, POSITIVE = 0, 1  # sides, and classes
EACH_ONE = np.zeros(0, np.int64)  # no weights: rows are counted, in integers, which are quicker to add up


class CplrSteps(NamedTuple):
    """Multiples by what went wrong, REJECTED or WRONG, and by the class of the row."""

    along: Array
    own: Array
    other: Array


class WeightedSigns(NamedTuple):
    """The classes of the rows, and what the rows count."""

    y: Array  # ±1
    weights: Array  # of mean 1; or EACH_ONE

    @staticmethod
    def of(y: Array, weights: Array) -> "WeightedSigns":
        """Weights are divided by their mean, so that step sizes keep their meaning; equal ones are none."""
        if not len(weights) or (weights == weights[0]).all():
            return WeightedSigns(y, EACH_ONE)
        shares = weights / weights.max()  # whose sum cannot overflow
        return WeightedSigns(y, shares / shares.mean())


class CplrRuns(NamedTuple):
    """What the runs have come to, and their step sizes; an entry per run."""

    weights: Array  # as `rows.standardized` keeps them
    intercepts: Array
    bands: Array  # of the negative and the positive side
    caps: Array
    eta_weights: Array
    eta_bands: Array
    n_updates: Array


class Assessment(NamedTuple):
    """How each run does on all rows; an entry per run."""

    risks: Array
    separated: Array  # no row is on the wrong side


@compiled
def sweep(X, rows, signs, order, steps, symmetric, runs):
    """Present the rows in this order to all runs; `rows` are those of X, not standardized.

    Groups of blocks are read beforehand. What is returned means nothing; it keeps the compiler from dropping
    that.
    """
    y, bands, echo = signs.y, runs.bands, 0.0
    for position in range(order.rows.size):
        if order.blocks.size > 0 and position % GROUP_ROWS == 0:
            echo += stream_group(rows, order.blocks, position // GROUP_ROWS)
        i = order.rows[position]
        label = POSITIVE if y[i] > 0 else NEGATIVE
        for r in range(len(runs.intercepts)):
            s = score(X, i, runs.weights[r]) + runs.intercepts[r]
            side = POSITIVE if s >= 0.0 else NEGATIVE
            rejected = abs(s) < bands[r, side]
            if side == label and not rejected:
                continue
            what, weight = REJECTED if rejected else WRONG, weight_of(signs, i)
            step = weight * runs.eta_weights[r] * steps.along[what, label] * y[i]
            correct(X, i, step, runs.weights[r])
            runs.intercepts[r] += step
            own, other = weight * steps.own[what, label], weight * steps.other[what, label]
            if symmetric:
                own = other = own + other
            bands[r, label] = clipped(bands[r, label] + runs.eta_bands[r] * own, runs.caps[r])
            bands[r, 1 - label] = clipped(bands[r, 1 - label] + runs.eta_bands[r] * other, runs.caps[r])
            runs.n_updates[r] += 1
    return echo


@compiled
def weight_of(signs, i):
    return signs.weights[i] if signs.weights.size else signs.weights.dtype.type(1)


@compiled
def clipped(band, cap):
    return min(max(band, 0.0), cap)


@compiled
def assess(X, signs, prices, batch, symmetric, runs, scores, found):
    """Score all rows with each run, correct its bands if this is done once per pass, and find its risk."""
    for r in range(len(runs.intercepts)):
        for i in range(scores.size):
            scores[i] = score(X, i, runs.weights[r]) + runs.intercepts[r]
        found.separated[r] = separates(scores, signs.y)
        if found.separated[r]:
            shrink_bands(scores, prices, symmetric, runs.eta_bands[r], runs.bands[r])
        elif batch:
            correct_bands(scores, signs, prices, symmetric, runs.eta_bands[r], runs.caps[r], runs.bands[r])
        found.risks[r] = risk(scores, signs, prices, runs.bands[r])


@compiled
def separates(scores, y):
    """Whether every row is on its side."""
    wrong = 0
    for i in range(y.size):
        wrong += (scores[i] >= 0.0) != (y[i] > 0)
    return wrong == 0


@compiled
def shrink_bands(scores, prices, symmetric, eta, bands):
    """By as many steps as it takes to reject no row, all of which are right; in place."""
    least = np.full(2, np.inf)
    for s in scores:
        side = POSITIVE if s >= 0.0 else NEGATIVE
        least[side] = min(least[side], abs(s))
    shrink_below(least, prices, symmetric, eta, bands)


@compiled
def shrink_below(least, prices, symmetric, eta, bands):
    """The same, given the least |score| of each side."""
    steps = eta * (prices.gain + prices.reject)
    if symmetric:
        least[:] = least.min()
        steps[:] = steps.min() if steps.min() > 0.0 else steps.max()
    for side in range(2):
        if bands[side] > least[side] and steps[side] > 0.0:
            n_steps = np.ceil((bands[side] - least[side]) / steps[side])
            bands[side] = min(max(bands[side] - n_steps * steps[side], 0.0), least[side])  # min: rounding
        elif bands[side] > least[side]:
            bands[side] = 0.0  # where rejections are free and answers earn nothing, steps lead nowhere


@compiled
def correct_bands(scores, signs, prices, symmetric, eta, cap, bands):
    """Equations 14 to 17, in place; if bands are symmetric the rows of both sides are taken together."""
    negative, positive = bands[NEGATIVE], bands[POSITIVE]
    if symmetric:
        both = clipped(positive + eta * correction(scores, signs, prices, -1, positive), cap)
        bands[NEGATIVE], bands[POSITIVE] = both, both
    else:
        bands[NEGATIVE] = clipped(negative + eta * correction(scores, signs, prices, NEGATIVE, negative), cap)
        bands[POSITIVE] = clipped(positive + eta * correction(scores, signs, prices, POSITIVE, positive), cap)


@compiled
def correction(scores, signs, prices, side, band):
    """Of the band of one side, or of both if it is −1."""
    y, farthest = signs.y, 0.0  # ξ: beyond it there are right answers only
    for i in range(y.size):
        on = POSITIVE if scores[i] >= 0.0 else NEGATIVE
        if side in (-1, on) and (on == POSITIVE) != (y[i] > 0):
            farthest = max(farthest, abs(scores[i]))
    counts = np.zeros((2, 2, 2), signs.weights.dtype)  # answered (up to ξ) or rejected; wrong or right; class
    for i in range(y.size):
        s, on = abs(scores[i]), POSITIVE if scores[i] >= 0.0 else NEGATIVE
        if side in (-1, on) and (s < band or s <= farthest):
            label = POSITIVE if y[i] > 0 else NEGATIVE
            counts[1 if s < band else 0, 1 if on == label else 0, label] += weight_of(signs, i)
    return direction(counts, prices)


@compiled
def direction(counts, prices):
    """Where a band goes: wider for what is answered beyond it, narrower for what is rejected within."""
    return max(trade_off(counts[0], prices), 0.0) + min(trade_off(counts[1], prices), 0.0)


@compiled
def trade_off(counts, prices):
    """What a row costs on average if it is answered, and not rejected."""
    total = counts.sum()
    if total == 0:
        return 0.0
    lost = won = 0.0
    for label in range(2):
        lost += counts[0, label] * (prices.wrong[label] - prices.reject[label])
        won += counts[1, label] * (prices.gain[label] + prices.reject[label])
    return (lost - won) / total


@compiled
def risk(scores, signs, prices, bands):
    """The mean cost."""
    return mean_cost(tally(scores, signs, bands), prices)


@compiled
def tally(scores, signs, bands):
    """What is rejected, wrong and right, by class."""
    y, counts = signs.y, np.zeros((3, 2), signs.weights.dtype)
    for i in range(y.size):
        side = POSITIVE if scores[i] >= 0.0 else NEGATIVE
        label = POSITIVE if y[i] > 0 else NEGATIVE
        if abs(scores[i]) < bands[side]:
            counts[REJECTED, label] += weight_of(signs, i)
        else:
            counts[WRONG if side != label else RIGHT, label] += weight_of(signs, i)
    return counts


@compiled
def mean_cost(counts, prices):
    """Of rows that were rejected, wrong or right, by class."""
    total = 0.0
    for label in range(2):
        total += counts[REJECTED, label] * prices.reject[label] + counts[WRONG, label] * prices.wrong[label]
        total -= counts[RIGHT, label] * prices.gain[label]
    return total / counts.sum()


@compiled
def largest_scores(X, n_rows, runs):
    """max |s| of each run."""
    largest = np.zeros(len(runs.intercepts))
    for i in range(n_rows):
        for r in range(len(runs.intercepts)):
            s = score(X, i, runs.weights[r]) + runs.intercepts[r]
            largest[r] = max(largest[r], abs(s))
    return largest
