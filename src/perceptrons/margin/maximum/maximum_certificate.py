# mypy: allow-untyped-defs, allow-untyped-calls
"""What the certificate of a `MaxMarginPerceptron` may claim, beyond that of a perceptron."""

from typing import Any, NamedTuple

import numpy as np

from ..._types import Array
from ...compiled import compiled
from ...rows.encode import Encoded, is_sparse, read_only
from ...rows.layouts import dot
from ..certificates import Examination
from .pool import gather, rounding, squared_distance
from .slack import per_weight, ridge_of

UNBALANCED = 1e-9  # what the duals of both classes may differ by, relative to their sum


class _Found(NamedTuple):
    C: float
    fit_intercept: bool
    reproducible: bool  # the weights are the shortest combination of their support rows
    class_weight: Any = None  # at the time
    n_given: int = 0  # rows given, those of weight 0 among them


class MaximumTerms(_Found):
    """What a model was asked for, and found: what its certificate may claim. There is no lift, no stream."""

    rho_squared = 0.0
    streamed = False
    foreign = False
    lift_from_rows = False
    choices = 0.0

    def update_bound(self, radius: float, margin: float) -> None:
        """No theorem bounds the steps of these methods."""


def examine_maximum(
    model: Any, look: Examination, k: int, data: Encoded, signs: Array, a: Array
) -> Examination:
    """What `certify` must know beyond a perceptron's look: the bound holds for every intercept only if both
    classes have the same sum of duals; slack has an interval of its own; a witness is added up again."""
    terms, radius = model._terms, float(np.sqrt(data.largest))
    total = float(a.sum())
    if look.sum_norm is not None and terms.fit_intercept and total > 0.0:
        unbalanced = abs(float((a * signs).sum()))
        # a hyperplane that separates has an intercept of at most the radius; with slack a little more
        fair = unbalanced <= UNBALANCED * total
        look = look._replace(sum_norm=look.sum_norm + unbalanced * radius if fair else None)
    if np.isfinite(terms.C):
        look = look._replace(soft=_soft_interval(model, look, k, data, signs, a))
    pairs = model._witnesses[k]
    if pairs is not None:
        rows, weights = np.array([row for row, _ in pairs]), np.array([weight for _, weight in pairs])
        there = data.places(rows) if len(rows) else None
        left, largest = np.inf, 0.0
        if there is not None:
            left, largest = _left_over(data, signs, there, weights, terms.fit_intercept)
        if left <= 2 * rounding(data.matrix.shape[1], len(pairs)) * largest:
            look = look._replace(witness=pairs, witness_norm=left)
    return look


def _soft_interval(
    model: Any, look: Examination, k: int, data: Encoded, signs: Array, a: Array
) -> tuple[float, float] | None:
    """Margin and bound of the rows extended by a coordinate each, (x_i, y_i e_i √r_i), see `slack`."""
    if look.sum_norm is None or not a.any():
        return None
    ridge, weights = 1.0 / model._terms.C, read_only(np.ascontiguousarray(data.weights))
    slack = ridge * float(per_weight(a * a, weights, slice(None)).sum())
    low = lowest_with_slack(data.X, signs, model.coef_[k], float(model.intercept_[k]), a, ridge, weights)
    margin, bound = low / np.sqrt(look.norm**2 + slack), np.sqrt(look.sum_norm**2 + slack) / a.sum()
    return float(margin), float(bound)


def _left_over(
    data: Encoded, signs: Array, rows: Array, weights: Array, intercept: bool
) -> tuple[float, float]:
    """‖Σ a_i y_i x_i‖ for a witness, and its largest term; inf if its weights are not convex.

    With an intercept terms are counted from a row of the witness: its sums per class are equal."""
    if not len(rows) or rows.min() < 0 or rows.max() >= len(signs) or not (weights > 0.0).all():
        return np.inf, 0.0
    if len(np.unique(rows)) < len(rows):
        return np.inf, 0.0
    sides = [signs[rows] < 0, signs[rows] > 0] if intercept else [np.ones(len(rows), bool)]
    if any(abs(float(weights[side].sum()) - 1.0) > 1e-12 for side in sides):
        return np.inf, 0.0
    total, centre = np.zeros(data.matrix.shape[1]), np.zeros(data.matrix.shape[1])
    if intercept and not is_sparse(data.matrix):
        centre = data.matrix[rows[0]].astype(np.float64)
    gather(data.X, rows, weights * signs[rows], centre, total)
    largest = max(squared_distance(data.X, row, centre) for row in rows)
    return float(np.sqrt((total * total).sum())) / len(sides), float(np.sqrt(largest))


@compiled
def lowest_with_slack(X, y, w, b, a, ridge, weights):
    """The smallest y·score, what the row's own coordinate adds included."""
    low = np.inf
    for i in range(y.size):
        low = min(low, y[i] * (dot(X, i, w) + b) + ridge_of(ridge, weights, i) * a[i])
    return low
