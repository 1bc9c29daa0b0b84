"""Beyond the paper: the bands of least training risk, exactly, for scores that are given.

Rows of a side, sorted by |s|, are rejected up to some place and answered from there on. What a row costs more
if it is answered than if it is rejected, summed from the far end, ranks the places; one sort finds the best.
Rows count as much as they weigh. Bands that come from elsewhere are judged here, too: one that costs more
than none is 0.
"""

import numpy as np

from .._types import Array
from ..rejection.costs import Prices
from ..rows.weights import NO_WEIGHTS

ROUNDING = 16 * np.finfo(np.float64).eps
KINDS = 4  # of rows: two classes, right or wrong


def best_bands(
    scores: Array, y: Array, prices: Prices, symmetric: bool, weights: Array = NO_WEIGHTS
) -> Array:
    """The bands of the negative and the positive side: of all pairs with the least risk the smallest.

    A band is infinite where all rows of that side are better rejected.
    """
    side, codes = scores >= 0.0, y > 0
    kinds = 2 * codes + (side == codes)
    extra = np.stack([prices.wrong - prices.reject, -prices.gain - prices.reject], axis=1).ravel()
    weights = weights if len(weights) else np.ones(len(scores))
    if symmetric:
        return np.full(2, _best_band(np.abs(scores), kinds, weights, extra))
    return np.array([_best_band(np.abs(scores[on]), kinds[on], weights[on], extra) for on in (~side, side)])


def savings(scores: Array, y: Array, prices: Prices, bands: Array, weights: Array = NO_WEIGHTS) -> Array:
    """What each row costs less because it is rejected; 0 if it is not."""
    side, codes = (scores >= 0.0).astype(np.intp), (y > 0).astype(np.intp)
    answered = prices.of_rows(codes, side == codes, np.zeros(len(codes), np.bool_))
    saved = (answered - prices.reject[codes]) * (np.abs(scores) < bands[side])
    return np.asarray(saved * weights if len(weights) else saved)


def worthwhile(
    scores: Array, y: Array, prices: Prices, symmetric: bool, bands: Array, weights: Array = NO_WEIGHTS
) -> Array:
    """These bands, but 0 where a band costs more than none; if symmetric, both are one."""
    saved = savings(scores, y, prices, bands, weights)
    sums = np.bincount((scores >= 0.0).astype(np.intp), saved, 2)
    return np.where((sums.sum() if symmetric else sums) < 0.0, 0.0, bands)


def _best_band(sizes: Array, kinds: Array, weights: Array, extra: Array) -> float:
    """The least threshold from which on to answer; `extra` is what an answer costs more, by kind."""
    if not len(sizes):
        return 0.0
    order = np.argsort(sizes)
    sizes, kinds, weights = sizes[order], kinds[order], weights[order]
    gaps = np.diff(sizes, prepend=-np.inf, append=np.inf)
    places = np.flatnonzero(gaps > ROUNDING * sizes[-1])  # how many may be rejected: equal rows fare alike
    beyond = np.stack([_sums_from(weights * (kinds == kind), places) for kind in range(KINDS)], axis=1)
    costs = beyond @ extra
    place = places[np.argmax(costs <= costs.min() + ROUNDING * weights.sum() * np.abs(extra).max())]
    if place == 0:
        return 0.0
    return np.inf if place == len(sizes) else _between(float(sizes[place - 1]), float(sizes[place]))


def _sums_from(weights: Array, places: Array) -> Array:
    """The sum of the weights from each place on."""
    return np.asarray(np.append(np.cumsum(weights[::-1])[::-1], 0.0)[places])


def _between(low: float, high: float) -> float:
    """Above the one, at most the other."""
    middle = low + (high - low) / 2.0
    return middle if low < middle else high
