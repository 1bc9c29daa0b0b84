"""From counts and rows to a model: the weights by one of the methods, then the threshold.

The threshold of given weights: step 7 of Figure 1, or the one of fewest errors.

Both need no more than the scores of the rows, as a histogram: how much weight the positive and the negative
rows of each score have. A score is an integer from −n to n, and so thresholds are from −(n+1) to n.

Weights from counts: the influences of Figure 1, and the clipped Hebb rule (eq. 11).

    Inf(x_i) = 2 [P(g=+ | x_i=+) − P(g=+ | x_i=−)]        w_i = its sign, or 0 where it is small
    Σ g x_i                                               w_i = its sign, sgn(0) = −1

Deviations. Section 4 prints "|" for "," and a wrong denominator in the influence; this is eq. 2. A column of
one value is neglected by both rules: it tells nothing, and its part of the sum belongs to the threshold.
Where all rows are of one class the hypothesis is constant, whatever the rule.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rows.bits import Bits
from .binary_parameters import AUTO, FIGURE_1, HEBB, INFLUENCE, MIN_ERROR, SBPI, Settings
from .counts import Counts
from .kept_rows import Rows
from .packed_perceptron import PackedPerceptron, pack_weights
from .sbpi import learn, steps_of


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


class Weights(NamedTuple):
    coef: Array  # int8: −1, 0, +1
    influence: Array
    neglected: Array


def always(counts: Counts, least: float) -> int | None:
    """The class ±1 of all rows but a share that is too small to matter; None if there are two."""
    share = counts.positive / counts.rows
    if share >= 1.0 - least:
        return 1
    return -1 if share <= least else None


def influences(counts: Counts) -> Array:
    """Inf(x_i); 0 of a column of one value."""
    rows, positive, ones, both = counts
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = both / ones - (positive - both) / (rows - ones)
    return np.where(counts.constant, 0.0, 2.0 * gap)


def figure_1(counts: Counts, epsilon: float) -> Weights:
    """Steps 5 and 6."""
    n, influence, share = len(counts.ones), influences(counts), counts.ones / counts.rows
    least, gap = epsilon / (4 * n), 0.5 * (epsilon / 2) / (n + 1)
    neglected = counts.constant | (share <= least) | (1.0 - share <= least)
    idle = neglected | (np.abs(influence) <= gap)
    return Weights(np.where(idle, 0, np.sign(influence)).astype(np.int8), influence, neglected)


def clipped_hebb(counts: Counts) -> Weights:
    """Eq. 11."""
    rows, positive, ones, both = counts
    agreement = 2 * (both + (rows - positive) - (ones - both)) - rows  # Σ g x: 2·(alike) − all
    coef = np.where(counts.constant, 0, np.where(agreement > 0, 1, -1))
    return Weights(coef.astype(np.int8), influences(counts), counts.constant)


CONSTANT = {1: -1, -1: 0}  # thresholds of models without weights: Σ = 0 is above −1, and not above 0


class Outcome(NamedTuple):
    model: PackedPerceptron
    found: Weights
    n_epochs: int  # of "sbpi"
    converged: bool


def conclude(counts: Counts, rows: Rows | None, settings: Settings, rng: np.random.RandomState) -> Outcome:
    """The model that counts, and rows where they are needed, lead to."""
    if settings.needs_rows:
        rows = required(rows, settings)
    found = clipped_hebb(counts) if settings.method == HEBB else figure_1(counts, settings.epsilon)
    only = always(counts, settings.epsilon / 4 if settings.method == INFLUENCE else 0.0)
    if only is not None:
        none = pack_weights(np.zeros_like(found.coef), CONSTANT[only])
        return Outcome(none, found, 0, True)
    if settings.method == SBPI:
        return train(counts, found, settings, required(rows, settings), rng)
    return Outcome(with_threshold(found.coef, settings, rows), found, 0, True)


def required(rows: Rows | None, settings: Settings) -> Rows:
    if rows is None:
        raise ValueError(
            f"threshold={settings.threshold!r} needs rows, and this model has kept none: it comes from a "
            "file, or had another threshold. Fit a new one, or give the threshold as an integer."
        )
    return rows


def with_threshold(coef: Array, settings: Settings, rows: Rows | None) -> PackedPerceptron:
    how = settings.threshold
    if isinstance(how, int):
        return pack_weights(coef, how)
    rows = required(rows, settings)
    scores = pack_weights(coef, 0).scores(rows.cells)
    found = best_threshold(how, scores, rows.positive, rows.weights, len(coef), settings.epsilon)
    return pack_weights(coef, found)


def train(
    counts: Counts, found: Weights, settings: Settings, rows: Rows, rng: np.random.RandomState
) -> Outcome:
    """The method "sbpi"; columns that Figure 1 calls without influence take part, too."""
    cells = rows.cells if isinstance(rows.cells, Bits) else rows.cells.packed()
    packed = rows._replace(cells=cells)
    coef = np.where(found.neglected, 0, np.where(found.influence > 0, 1, -1)).astype(np.int8)
    moves = isinstance(settings.threshold, str)
    start = with_threshold(coef, settings._replace(threshold=MIN_ERROR) if moves else settings, packed)
    steps = steps_of(2.0 * counts.ones / counts.rows - 1.0, found.neglected)
    model, n_epochs = learn(packed, cells.words, steps, start, moves, settings.max_epochs, rng)
    model = settle(model, settings, packed)
    return Outcome(model, found, n_epochs, packed.errors(model) == 0)


def settle(model: PackedPerceptron, settings: Settings, rows: Rows) -> PackedPerceptron:
    """The threshold that was learnt, unless another is asked for or makes fewer errors."""
    if isinstance(settings.threshold, int):
        return pack_weights(model.coef, settings.threshold)
    how = FIGURE_1 if settings.threshold == FIGURE_1 else MIN_ERROR
    other = with_threshold(model.coef, settings._replace(threshold=how), rows)
    if settings.threshold != AUTO or rows.errors(other) < rows.errors(model):
        return other
    return model
