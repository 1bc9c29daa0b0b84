"""The threshold of given weights: step 7 of Figure 1, or the one of fewest errors.

Both need no more than the scores of the rows, as a histogram: how much weight the positive and the negative
rows of each score have. A score is an integer from −n to n, and so thresholds are from −(n+1) to n.
"""

import numpy as np

from ..data.rows import Array

FIGURE_1, MIN_ERROR = "figure-1", "min-error"


def best_threshold(
    how: str, scores: Array, positive: Array, weights: Array | None, n: int, epsilon: float
) -> int:
    """The threshold r that is asked for; rows with scores > r are called positive."""
    wrong, right = _above(scores, positive, weights, n)
    place = _figure_1(right, wrong, epsilon) if how == FIGURE_1 else _min_error(right, wrong)
    return place - (n + 1)


def _above(scores: Array, positive: Array, weights: Array | None, n: int) -> Array:
    """Of negative and positive rows, the weight of scores > r, for r = −(n+1), …, n; exact if weights are
    integers below 2⁵³."""
    width = 2 * n + 1
    at = np.bincount(scores + n + width * positive, weights, 2 * width).reshape(2, width)
    sums = at[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.column_stack([sums, np.zeros_like(sums[:, :1])])


def _min_error(positive: Array, negative: Array) -> int:
    """Step 7 looks at positive predictions alone and breaks under noise; here every error counts."""
    return int(np.argmin(positive[0] - positive + negative))


def _figure_1(positive: Array, negative: Array, epsilon: float) -> int:
    """The first r with P(g=+ | g'=+) > 1 − ε/4. The paper does not say what P is where nobody is called
    positive any more: it ends there."""
    called = positive + negative
    with np.errstate(divide="ignore", invalid="ignore"):
        enough = (called == 0) | (positive / called > 1.0 - epsilon / 4)
    return int(np.argmax(enough))
