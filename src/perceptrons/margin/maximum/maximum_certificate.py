# mypy: allow-untyped-defs, allow-untyped-calls
"""What the certificate of a `MaxMarginPerceptron` may claim, beyond that of a perceptron."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..._types import Array
from ...compiled import compiled
from ...rows.encode import Encoded, read_only
from ...rows.layouts import dot
from ...theory.exact import cancels, exact_weights
from ..certificates import Examination
from .exactly import proposed
from .slack import per_weight, ridge_of

Pairs = tuple[tuple[int, Fraction], ...]
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
    witness = _checked(data, signs, model._witnesses[k] or (), terms.fit_intercept)
    return look._replace(witness=witness, undecided=model._undecided[k] or None)


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


def _checked(data: Encoded, signs: Array, pairs: Pairs, intercept: bool) -> Pairs | None:
    """The witness, if its rows are there and cancel exactly. Weights of a file that an earlier version wrote
    were rounded; if these rows have a witness, it is found again."""
    rows = np.array([row for row, _ in pairs], np.int64)
    there = data.places(rows) if len(rows) else None
    if there is None or there.min() < 0 or there.max() >= len(signs) or len(np.unique(rows)) < len(rows):
        return None
    X, y, weights = proposed(data.matrix, there), signs[there], [Fraction(weight) for _, weight in pairs]
    if len(X) < len(y):  # no witness that was found has as many
        return None
    if not (min(weights) > 0 and cancels(X, y, weights, intercept)):
        exact = exact_weights(X, y, intercept)[0] or [Fraction(0)]
        if min(exact) == 0:
            return None
        weights = list(exact)
    return tuple(zip(rows.tolist(), weights, strict=True))


@compiled
def lowest_with_slack(X, y, w, b, a, ridge, weights):
    """The smallest y·score, what the row's own coordinate adds included."""
    low = np.inf
    for i in range(y.size):
        low = min(low, y[i] * (dot(X, i, w) + b) + ridge_of(ridge, weights, i) * a[i])
    return low
