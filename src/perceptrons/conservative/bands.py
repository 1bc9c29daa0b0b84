# mypy: allow-untyped-defs, allow-untyped-calls
"""Beyond the paper: the bands of least training risk, exactly, for scores that are given.

Rows of a side, sorted by |s|, are rejected up to some place and answered from there on. What a row costs more
if it is answered than if it is rejected, summed from the far end, ranks the places; one sort finds the best.
Rows count as much as they weigh. What bands that come from elsewhere save is added up here, too.
"""

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rejection.costs import Prices
from ..rows.weights import NO_WEIGHTS

ROUNDING = 16 * np.finfo(np.float64).eps
KINDS = 4  # of rows: two classes, right or wrong
BLOCK = 1 << 15  # rows looked at together, so that there is no array as long as the rows


def best_bands(
    scores: Array, y: Array, prices: Prices, symmetric: bool, weights: Array = NO_WEIGHTS
) -> Array:
    """The bands of the negative and the positive side: of all pairs with the lowest risk the smallest.

    A band is infinite where all rows of that side are better rejected.
    """
    side, codes = scores >= 0.0, y > 0
    kinds = 2 * codes.view(np.int8) + (side == codes)
    extra = extra_costs(prices)
    if symmetric:
        return np.full(2, _best_band(np.abs(scores), kinds, weights, extra))
    return np.array(
        [
            _best_band(np.abs(scores[on]), kinds[on], weights[on] if len(weights) else weights, extra)
            for on in (~side, side)
        ]
    )


def extra_costs(prices: Prices) -> Array:
    """What an answer costs more than a rejection, by kind of row."""
    return np.stack([prices.wrong - prices.reject, -prices.gain - prices.reject], axis=1).ravel()


def savings(scores: Array, y: Array, prices: Prices, bands: Array, weights: Array = NO_WEIGHTS) -> Array:
    """What each row costs less because it is rejected; 0 if it is not."""
    side, codes = (scores >= 0.0).astype(np.intp), (y > 0).astype(np.intp)
    answered = prices.of_rows(codes, side == codes, np.zeros(len(codes), np.bool_))
    saved = (answered - prices.reject[codes]) * (np.abs(scores) < bands[side])
    return np.asarray(saved * weights if len(weights) else saved)


def saved_by_side(
    scores: Array, y: Array, prices: Prices, bands: Array, weights: Array = NO_WEIGHTS
) -> Array:
    """What rows cost less because they are rejected: its sums on each side, and those of its squares."""
    found = np.zeros((2, 2))
    for start in range(0, len(scores), BLOCK):
        part = slice(start, start + BLOCK)
        own = weights[part] if len(weights) else weights
        saved = savings(scores[part], y[part], prices, bands, own)
        side = (scores[part] >= 0.0).astype(np.intp)
        found += [np.bincount(side, saved, 2), np.bincount(side, saved**2, 2)]
    return found


def _best_band(sizes: Array, kinds: Array, weights: Array, extra: Array) -> float:
    """The least threshold from which on to answer; `extra` is what an answer costs more, by kind."""
    if not len(sizes):
        return 0.0
    order, total = np.argsort(sizes), weights.sum() if len(weights) else len(sizes)
    alike, slack = ROUNDING * sizes[order[-1]], ROUNDING * total * np.abs(extra).max()
    place = least_costly(sizes, order, kinds, weights, extra, alike, slack)
    if place == 0:
        return 0.0
    if place == len(sizes):
        return np.inf
    return between(float(sizes[order[place - 1]]), float(sizes[order[place]]))


@compiled
def least_costly(sizes, order, kinds, weights, extra, alike, slack):
    """How many of the smallest are best rejected: the fewest of those that cost the least, up to rounding.
    Equal rows fare alike. Two looks from the far end, one for the lowest cost, one for its place: no array
    holds the costs of all places."""
    least, chosen = 0.0, sizes.size  # nothing is answered
    for look in range(2):
        sums = np.zeros(KINDS)
        for place in range(sizes.size - 1, -1, -1):
            i = order[place]
            sums[kinds[i]] += weights[i] if weights.size else 1.0
            if place > 0 and not sizes[i] - sizes[order[place - 1]] > alike:
                continue
            cost = 0.0
            for kind in range(KINDS):
                cost += sums[kind] * extra[kind]
            if look == 0:
                least = min(least, cost)
            elif cost <= least + slack:
                chosen = place
    return chosen


def between(low: float, high: float) -> float:
    """Above the one, at most the other."""
    middle = low + (high - low) / 2.0
    return middle if low < middle else high
