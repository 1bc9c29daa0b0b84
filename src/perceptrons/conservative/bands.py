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


def rejected_by_kind(scores: Array, y: Array, bands: Array, weights: Array = NO_WEIGHTS) -> Array:
    """What the rejected rows of each side weigh, by kind, and their squared weights."""
    found = np.zeros((2, 2 * KINDS))
    for start in range(0, len(scores), BLOCK):
        own, codes = scores[start : start + BLOCK], y[start : start + BLOCK] > 0
        side = own >= 0.0
        rejected = np.abs(own) < bands[side.astype(np.intp)]
        places = (KINDS * side + 2 * codes + (side == codes))[rejected]
        each = weights[start : start + BLOCK][rejected] if len(weights) else None
        found[0] += np.bincount(places, each, 2 * KINDS)
        found[1] += np.bincount(places, None if each is None else each**2, 2 * KINDS)
    return found.reshape(2, 2, KINDS)


def saved_by_side(rejected: Array, prices: Prices) -> tuple[Array, Array]:
    """What these rows cost less because they are rejected: its sums on each side, and those of its squares.
    Rows are counted first, so that it is the same in whichever order they come."""
    extra = extra_costs(prices)
    return rejected[0] @ extra, rejected[1] @ extra**2


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
