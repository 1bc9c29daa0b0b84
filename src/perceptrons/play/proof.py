"""Novikoff's proof in motion, and the interval around the best margin, after each correction.

Let u be the unit vector with the best margin δ, R the largest norm of a row, all of lifted rows (x, ρ). Each
correction τ·y·x with y·⟨w, x⟩ ≤ β brings ⟨u, w⟩ up by at least τδ, and ‖w‖² by at most 2τβ + τ²R². So

    δ·Στ  ≤  ⟨u, w⟩  ≤  ‖w‖  ≤  √Σ(2τβ + τ²R²),

a straight line below a square root, which cannot be for long: corrections end. With a tolerance (MinOver) the
worst row is corrected although it is right; then β is its score, the root bends no more, and what ends
training is the interval. ALMA shrinks weights that have left the unit ball; Στ and both bounds shrink by the
same factor, so that the inequalities, and δ ≤ ‖w‖/Στ, stay true.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._types import Array
from ..margin.maximum.max_margin_perceptron import MaxMarginPerceptron
from ..margin.trace import Correction
from .listed_facts import plain, separable_in_words


class MarginDirection(NamedTuple):
    """The direction of the best margin of lifted rows, and that margin: if there is one, which is proved."""

    direction: Array
    margin: float
    exists: bool
    separable: str  # in words


def lifted(X: Array, lift: float) -> Array:
    """Rows (x, ρ); as they are without intercept."""
    return np.column_stack([X, np.full(len(X), lift)]) if lift else X


def lifted_weights(weights: Array, lift: float) -> Array:
    """(w, b/ρ) of lines (w, b)."""
    return np.column_stack([weights[:, :-1], weights[:, -1] / lift]) if lift else weights[:, :-1]


def best_margin(rows: Array, signs: Array) -> MarginDirection:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the certificate says whether it is proved
        model = MaxMarginPerceptron(fit_intercept=False, tol=1e-6).fit(rows, signs)
    certificate: Any = model.certificate_
    w, words = model.coef_[0], separable_in_words(certificate)
    length = float(np.linalg.norm(w)) or 1.0
    return MarginDirection(w / length, float(certificate.margin), certificate.separable is True, words)


def in_motion(
    X: Array,
    signs: Array,
    weights: Array,
    corrections: Sequence[Correction],
    lift: float,
    best: MarginDirection,
    shrinks: bool = False,
) -> dict[str, Any]:
    """A number for each weight vector, the first of which is 0: what all rows say of it, and the proof; of
    ALMA, which `shrinks` its weights, too."""
    rows, W = lifted(X, lift), lifted_weights(weights, lift)
    norms = np.sqrt((W**2).sum(axis=1))
    scores = X @ weights[:, :-1].T + weights[:, -1]
    reach = (scores * signs[:, None]).min(axis=0)
    shrunk = [
        _shrunk(one, rows, before) if shrinks else 1.0 for one, before in zip(corrections, W, strict=False)
    ]
    steps = _added([one.step for one in corrections], shrunk)
    with np.errstate(divide="ignore", invalid="ignore"):
        margin, bound = reach / norms, norms / steps
    facts = {
        "errors": ((scores > 0) != (signs[:, None] > 0)).sum(axis=0).tolist(),
        "reach": reach.tolist(),
        "margin": plain(margin),
        "bound": plain(bound),
        "length": norms.tolist(),
        "ceiling": _ceilings(corrections, X, float((rows**2).sum(axis=1).max()), shrunk),
    }
    if not best.exists:
        return facts
    return facts | {
        "best": best.margin,
        "along": (W @ best.direction).tolist(),
        "floor": (best.margin * steps).tolist(),
    }


def _shrunk(one: Correction, rows: Array, before: Array) -> float:
    """By what ALMA multiplied the corrected weights, to bring them back into the unit ball."""
    return 1.0 / max(1.0, float(np.linalg.norm(before + one.step * one.sign * rows[one.row])))


def _added(terms: Sequence[float], factors: Sequence[float]) -> Array:
    """The sum so far, from 0 on; after each term it is multiplied by the factor."""
    sums = [0.0]
    for term, factor in zip(terms, factors, strict=True):
        sums.append((sums[-1] + term) * factor)
    return np.array(sums)


def _ceilings(
    corrections: Sequence[Correction], X: Array, longest: float, shrunk: Sequence[float]
) -> list[float]:
    """√Σ(2τβ + τ²R²) after each correction; `longest` is R²."""
    squares = [2 * one.step * _reached(one, X) + one.step**2 * longest for one in corrections]
    ceilings: list[float] = np.sqrt(_added(squares, [factor**2 for factor in shrunk])).tolist()
    return ceilings


def _reached(one: Correction, X: Array) -> float:
    """What y·score did not exceed."""
    return max(one.beta, one.sign * (float(X[one.row] @ one.coef_before) + one.intercept_before))
