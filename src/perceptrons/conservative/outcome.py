"""The result of training: the bands that are kept, the risk of the training rows, and the warning.

Risks are weighted means, where rows have weights; how many rows are wrong and rejected is a matter of rows.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rejection.costs import Prices
from .bands import best_bands, worthwhile
from .conservative_parameters import ConservativeParameters
from .conservative_sweep import WeightedSigns
from .restarts import TrainedRuns


class ConservativeOutcome(NamedTuple):
    bands: Array  # of the negative and the positive side
    risk: float
    n_wrong: int
    n_rejected: int
    n_rows: int
    rejects_all: bool  # no hyperplane found costs less than rejecting every row
    converged: bool  # no risk can be lower


def outcome_of(
    training: TrainedRuns,
    scores: Array,
    signs: WeightedSigns,
    prices: Prices,
    parameters: ConservativeParameters,
) -> ConservativeOutcome:
    """`scores` are those of `decision_function`, which may round otherwise than those in training.

    Bands that were learned from these rows must cost no more than none, nor than rejecting every row: steps
    may lead too far, most of all where errors in one class cost far more than in the other. The bands of
    band="cv" have been judged so by rows left out; where even their training rows are cheaper to reject, they
    are: rows left out are few, and on noise they promise too much.
    """
    bands, (y, weights) = training.bands, signs
    if parameters.exact_bands:
        bands = best_bands(scores, y, prices, parameters.symmetric, weights)
    elif parameters.checks_bands:
        bands = worthwhile(scores, y, prices, parameters.symmetric, bands, weights)
    codes = (y > 0).astype(np.intp)
    sides, rejected = decide(scores, bands)
    paid = prices.of_rows(codes, sides == codes, rejected)
    risk, of_rejections = mean(paid, weights), mean(prices.reject[codes], weights)
    if prices.free or of_rejections < risk or rejected.all():
        return ConservativeOutcome(np.full(2, np.inf), of_rejections, 0, len(codes), len(codes), True, False)
    n_wrong, n_rejected = np.count_nonzero((sides != codes) & ~rejected), np.count_nonzero(rejected)
    least = not (paid + prices.gain[codes]).any()
    return ConservativeOutcome(bands, risk, int(n_wrong), int(n_rejected), len(codes), False, least)


def mean(costs: Array, weights: Array) -> float:
    return float(np.average(costs, weights=weights) if len(weights) else costs.mean())


def decide(scores: Array, bands: Array) -> tuple[Array, Array]:
    """The side of each score, 0 or 1, and whether it is within the band of that side."""
    sides = (scores >= 0.0).astype(np.intp)
    return sides, np.abs(scores) < bands[sides]


def complaint(found: ConservativeOutcome, prices: Prices, n_runs: int, max_epochs: int) -> str:
    """Why a fit that did not converge warns, and what to do."""
    if prices.free:
        return (
            "Rejections cost nothing and right answers earn nothing, so no answer can be better than a "
            "rejection: every row is rejected. Let rejections cost or right answers earn something."
        )
    if found.rejects_all:
        return (
            f"Rejecting every row costs {found.risk:.3g} on average, and no hyperplane was found that costs "
            "less: every row is rejected. If that is too cautious, rejections cost more than stated; else "
            "add columns, restarts (n_restarts) or epochs (max_epochs)."
        )
    shares = [f"{100 * n / found.n_rows:.3g} %" for n in (found.n_wrong, found.n_rejected)]
    return (
        f"None of {n_runs} runs was right about every row within max_epochs={max_epochs}; the best answers "
        f"{shares[0]} of the training rows wrong and rejects {shares[1]}, at a risk of {found.risk:.3g}. "
        "This is usual where no hyperplane separates the rows; if one should, raise max_epochs or n_restarts."
    )
