"""From counts and rows to a model: the weights by one of the methods, then the threshold.

Golea and Marchand, Figure 1 and eq. 11. The weights need counts alone:

    Inf(x_i) = 2 [P(g=+ | x_i=+) − P(g=+ | x_i=−)]        w_i = its sign, or 0 where it is small
    Σ g x_i                                               w_i = its sign, sgn(0) = −1

The threshold (step 7, or the one of fewest errors) needs the scores of the rows, as a histogram: how much
weight the positive and the negative rows of each score have. A score is an integer from −n to n, and so
thresholds are from −(n+1) to n. With `epsilon="auto"` columns vote whose influence is beyond noise
(`discoveries`), unless others have said the same (`votes`). The method "sbpi" learns from the rows themselves
(`sbpi`).

Deviations. Section 4 prints "|" for "," and a wrong denominator in the influence; this is eq. 2. A column of
one value is neglected by both rules: it tells nothing, and its part of the sum belongs to the threshold.
Where all rows are of one class the hypothesis is constant, whatever the rule.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rows.bits import Bits
from .averaged_states import cut_averages
from .binary_parameters import AUTO, FIGURE_1, HEBB, INFLUENCE, MIN_ERROR, SBPI, BinaryParameters
from .counts import Counts
from .kept_rows import LabeledBits
from .packed_perceptron import PackedPerceptron, pack_weights
from .sbpi import CONVERGED, run_sbpi, sbpi_steps
from .votes import choose_votes

CONSTANT = {1: -1, -1: 0}  # thresholds of models without weights: Σ = 0 is above −1, and not above 0


class CountedWeights(NamedTuple):
    """What the counts say of each column."""

    coef: Array  # int8: −1, 0, +1
    influence: Array
    neglected: Array


class BinaryFit(NamedTuple):
    model: PackedPerceptron
    counted: CountedWeights
    n_epochs: int = 0  # of "sbpi", as the following
    converged: bool = True
    stopped: str = CONVERGED


def learn(
    counts: Counts,
    rows: LabeledBits | None,
    parameters: BinaryParameters,
    rng: np.random.RandomState,
    sample: LabeledBits | None = None,
) -> BinaryFit:
    """The model that counts, and rows where they are needed, lead to; columns are compared with each other on
    a sample of the rows, if there is one."""
    if parameters.needs_rows:
        rows = require_rows(rows, parameters)
    counted, constant = learn_weights(counts, sample or rows, parameters)
    if constant is not None:
        return BinaryFit(constant, counted)
    if parameters.method == SBPI:
        return learn_by_sbpi(counts, counted, parameters, require_rows(rows, parameters), rng)
    return BinaryFit(with_threshold(counted.coef, parameters, rows), counted)


def learn_weights(
    counts: Counts, sample: LabeledBits | None, parameters: BinaryParameters
) -> tuple[CountedWeights, PackedPerceptron | None]:
    """What counts say of each column, and votes of a sample; and the model, where it is constant."""
    hebb = parameters.method == HEBB
    counted = clipped_hebb(counts) if hebb else figure_1(counts, parameters.epsilon)
    only = only_class(counts, parameters.epsilon / 4 if parameters.method == INFLUENCE else 0.0)
    if only is not None:
        return counted, pack_weights(np.zeros_like(counted.coef), CONSTANT[only])
    if parameters.by_noise:
        votes = choose_votes(counts, counted.influence, counted.neglected, require_rows(sample, parameters))
        counted = counted._replace(coef=votes)
    return counted, None


def rows_for(parameters: BinaryParameters) -> str:
    """The parameter that needs rows."""
    return "epsilon='auto'" if parameters.by_noise else f"threshold={parameters.threshold!r}"


def require_rows(rows: LabeledBits | None, parameters: BinaryParameters) -> LabeledBits:
    if rows is None:
        raise ValueError(
            f"{rows_for(parameters)} needs rows, and this model has kept none: it comes from a file, or "
            "had another epsilon or threshold. Fit a new one, or give the threshold as an integer and "
            "epsilon as a number."
        )
    return rows


# --- weights ---


def only_class(counts: Counts, least: float) -> int | None:
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


def figure_1(counts: Counts, epsilon: float) -> CountedWeights:
    """Steps 5 and 6."""
    n, influence, share = len(counts.ones), influences(counts), counts.ones / counts.rows
    least, gap = epsilon / (4 * n), 0.5 * (epsilon / 2) / (n + 1)
    neglected = counts.constant | (share <= least) | (1.0 - share <= least)
    idle = neglected | (np.abs(influence) <= gap)
    return CountedWeights(np.where(idle, 0, np.sign(influence)).astype(np.int8), influence, neglected)


def clipped_hebb(counts: Counts) -> CountedWeights:
    """Eq. 11."""
    rows, positive, ones, both = counts
    agreement = 2 * (both + (rows - positive) - (ones - both)) - rows  # Σ g x: 2·(alike) − all
    coef = np.where(counts.constant, 0, np.where(agreement > 0, 1, -1))
    return CountedWeights(coef.astype(np.int8), influences(counts), counts.constant)


def learn_by_sbpi(
    counts: Counts,
    counted: CountedWeights,
    parameters: BinaryParameters,
    rows: LabeledBits,
    rng: np.random.RandomState,
) -> BinaryFit:
    """The method "sbpi"; columns that Figure 1 calls without influence take part, too."""
    cells = rows.cells if isinstance(rows.cells, Bits) else rows.cells.packed()
    packed = rows._replace(cells=cells)
    coef = np.where(counted.neglected, 0, np.where(counted.influence > 0, 1, -1)).astype(np.int8)
    moves = isinstance(parameters.threshold, str)
    start = with_threshold(coef, parameters._replace(threshold=MIN_ERROR) if moves else parameters, packed)
    steps = sbpi_steps(2.0 * counts.ones / counts.rows - 1.0, counted.neglected)
    run = run_sbpi(packed, cells.words, steps, start, moves, parameters.max_epochs, rng)
    model = run.best
    if run.stopped != CONVERGED and run.sums.any():
        fixed = parameters.threshold if isinstance(parameters.threshold, int) else None
        averaged = cut_averages(run.sums, packed, fixed)
        model = averaged if packed.errors(averaged) <= packed.errors(model) else model
    model = final_threshold(model, parameters, packed)
    converged = packed.errors(model) == 0
    return BinaryFit(model, counted, run.n_epochs, converged, CONVERGED if converged else run.stopped)


def final_threshold(
    model: PackedPerceptron, parameters: BinaryParameters, rows: LabeledBits
) -> PackedPerceptron:
    """The threshold that "sbpi" learned, unless another is asked for or makes fewer errors."""
    if isinstance(parameters.threshold, int):
        return pack_weights(model.coef, parameters.threshold)
    how = FIGURE_1 if parameters.threshold == FIGURE_1 else MIN_ERROR
    other = with_threshold(model.coef, parameters._replace(threshold=how), rows)
    if parameters.threshold != AUTO or rows.errors(other) < rows.errors(model):
        return other
    return model


# --- thresholds of given weights ---


def with_threshold(coef: Array, parameters: BinaryParameters, rows: LabeledBits | None) -> PackedPerceptron:
    """The model of these weights and the threshold that is asked for: a number, "figure-1", "min-error"."""
    if isinstance(parameters.threshold, int):
        return pack_weights(coef, parameters.threshold)
    rows, n = require_rows(rows, parameters), len(coef)
    scores = pack_weights(coef, 0).scores(rows.cells)
    return pack_weights(coef, threshold_of(weight_above(scores, rows, n), parameters))


def threshold_of(above: Array, parameters: BinaryParameters) -> int:
    """The threshold that is asked for, from `weight_above` of all rows."""
    (negative, positive), n = above, above.shape[1] // 2 - 1
    if parameters.threshold == FIGURE_1:
        chosen = _pure_enough(positive, negative, parameters.epsilon)
    else:
        chosen = _fewest_errors(positive, negative)
    return int(chosen - (n + 1))


def weight_above(scores: Array, rows: LabeledBits, n: int) -> Array:
    """Of negative and positive rows, the weight of scores > r, for r = −(n+1), …, n; exact if weights are
    integers below 2⁵³."""
    width = 2 * n + 1
    at = np.bincount(scores + n + width * rows.positive, rows.weights, 2 * width).reshape(2, width)
    sums = at[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.column_stack([sums, np.zeros_like(sums[:, :1])])


def _fewest_errors(positive: Array, negative: Array) -> int:
    """Step 7 looks at positive predictions alone and breaks under noise; here every error counts."""
    return int(np.argmin(positive[0] - positive + negative))


def _pure_enough(positive: Array, negative: Array, epsilon: float) -> int:
    """Step 7: the first r with P(g=+ | g'=+) > 1 − ε/4. The paper does not say what P is where no row is
    called positive any more: the search ends there."""
    called = positive + negative
    with np.errstate(divide="ignore", invalid="ignore"):
        enough = (called == 0) | (positive / called > 1.0 - epsilon / 4)
    return int(np.argmax(enough))
