"""What a training comes to: the bands that are kept, the risk of the training rows, and what to say of it."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from .._types import Array
from ..rejection.costs import Prices
from ..rows.encode import Encoded
from .bands import best_bands
from .conservative_parameters import Settings
from .restarts import Best


class Outcome(NamedTuple):
    bands: Array  # of the negative and the positive side
    risk: float
    n_wrong: int
    n_rejected: int
    n_rows: int
    futile: bool  # nothing is better than to reject every row
    converged: bool  # no risk is less


def outcome(best: Best, data: Encoded, signs: Array, prices: Prices, settings: Settings) -> Outcome:
    """Judged by scores as `decision_function` gives them, which may round otherwise than in training."""
    scores = np.ravel(safe_sparse_dot(data.matrix, best.coef[:, None], dense_output=True)) + best.intercept
    bands = best_bands(scores, signs, prices, settings.symmetric) if settings.exact else best.bands
    codes = (signs > 0).astype(np.intp)
    sides, rejected = decide(scores, bands)
    paid = prices.of_rows(codes, sides == codes, rejected)
    risk = float(paid.mean())
    of_refusals = float(prices.reject[codes].mean())
    if prices.free or of_refusals < risk or rejected.all():
        return Outcome(np.full(2, np.inf), of_refusals, 0, len(codes), len(codes), True, False)
    n_wrong, n_rejected = np.count_nonzero((sides != codes) & ~rejected), np.count_nonzero(rejected)
    least = not (paid + prices.gain[codes]).any()
    return Outcome(bands, risk, int(n_wrong), int(n_rejected), len(codes), False, least)


def decide(scores: Array, bands: Array) -> tuple[Array, Array]:
    """The side of each score, 0 or 1, and whether it is within the band of that side."""
    sides = (scores >= 0.0).astype(np.intp)
    return sides, np.abs(scores) < bands[sides]


def futility(prices: Prices, found: Outcome) -> str:
    if prices.free:
        return (
            "Refusals cost nothing and right answers earn nothing, so no answer can be better than a "
            "refusal: every row is rejected. Let refusals cost something, or right answers earn something."
        )
    return (
        f"To reject every row costs {found.risk:.3g} on average, and no hyperplane was found that costs "
        "less: every row is rejected. If that is too cautious, refusals cost more than was said; else add "
        "columns, restarts (n_restarts) or epochs (max_epochs)."
    )


def complaint(found: Outcome, n_runs: int, max_epochs: int) -> str:
    shares = [f"{100 * n / found.n_rows:.3g} %" for n in (found.n_wrong, found.n_rejected)]
    return (
        f"None of {n_runs} runs was right about every row within max_epochs={max_epochs}; the best answers "
        f"{shares[0]} of the training rows wrong and rejects {shares[1]}, at a risk of {found.risk:.3g}. "
        "This is usual where no hyperplane separates the rows; if one should, raise max_epochs or n_restarts."
    )
