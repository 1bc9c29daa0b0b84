"""The result of training: the bands that are kept, the risk of the training rows, and the warning.

Risks are weighted means, where rows have weights; how many rows are wrong and rejected is a matter of rows.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rejection.costs import Prices
from .conservative_parameters import ConservativeParameters
from .conservative_sweep import REJECTED, WRONG, mean_cost
from .restarts import TrainedRuns
from .scored_rows import Scored, worthwhile


class ConservativeOutcome(NamedTuple):
    bands: Array  # of the negative and the positive side
    risk: float
    n_wrong: int
    n_rejected: int
    n_rows: int
    rejects_all: bool  # no hyperplane found costs less than rejecting every row
    converged: bool  # no risk can be lower


def outcome_of(
    training: TrainedRuns, rows: Scored, parameters: ConservativeParameters
) -> ConservativeOutcome:
    """The scores of the rows are those of `decision_function`, which may round otherwise than in training.

    Bands that were learned from these rows must cost no more than none, nor than rejecting every row: steps
    may lead too far, most of all where errors in one class cost far more than in the other. The bands of
    band="cv" have been judged so by rows left out; where even their training rows are cheaper to reject, they
    are: rows left out are few, and on noise they promise too much.
    """
    bands, prices = training.bands, rows.prices
    if parameters.exact_bands:
        bands = rows.least_bands(parameters.symmetric)
    elif parameters.checks_bands:
        bands = worthwhile(rows, parameters.symmetric, bands)
    sums, counts = rows.tallies(bands)
    n_rows, n_rejected = int(counts.sum()), int(counts[REJECTED].sum())
    risk, of_rejections = float(mean_cost(sums, prices)), float(mean_cost(all_rejected(sums), prices))
    if prices.free or of_rejections < risk or n_rejected == n_rows:
        return ConservativeOutcome(np.full(2, np.inf), of_rejections, 0, n_rows, n_rows, True, False)
    dear = counts[REJECTED] * (prices.reject + prices.gain)
    n_wrong, least = int(counts[WRONG].sum()), not (counts[WRONG].any() or dear.any())
    return ConservativeOutcome(bands, risk, n_wrong, n_rejected, n_rows, False, least)


def all_rejected(sums: Array) -> Array:
    """What rows weigh, by class, if all of them are rejected."""
    rejected = np.zeros_like(sums)
    rejected[REJECTED] = sums.sum(axis=0)
    return rejected


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
