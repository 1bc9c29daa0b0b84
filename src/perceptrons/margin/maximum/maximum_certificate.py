# mypy: allow-untyped-defs, allow-untyped-calls
"""What the certificate of a `MaxMarginPerceptron` may claim, beyond that of a perceptron."""

from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..._types import Array
from ...compiled import compiled
from ...rows.encode import Encoded, read_only
from ...rows.scores import dot_and_size
from ...theory.exact import cancels, exact_weights
from ...theory.outward import down, float_below, sum_error
from ..certificates import Examination, duals_of, margin_of
from ..duals import LESS, Duals, bound_of, slack_bounds
from ..exact_look import exact_low_with_slack
from ..facts import ExactFacts
from .exactly import proposed
from .slack import ridge_of

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
    little = LESS  # of a bound may be rounding

    @property
    def free_intercept(self) -> bool:
        """Is the intercept free, and no coordinate of the weights?"""
        return self.fit_intercept

    def bounds_margins(self, signed: Array) -> bool:
        """Do these duals prove a bound? With a free intercept both classes must have the same sum of them,
        except for rounding."""
        return not self.fit_intercept or abs(float(signed.sum())) <= UNBALANCED * float(np.abs(signed).sum())

    def update_bound(self, radius: float, margin: float, start: Any = None) -> None:
        """No theorem bounds the steps of these methods."""


def examine_maximum(
    model: Any, look: Examination, k: int, data: Encoded, signs: Array, a: Array, combination: Array
) -> Examination:
    """What `certify` must know beyond a perceptron's look: slack has an interval of its own; a witness is
    added up again."""
    terms = model._terms
    if look.bound is not None and np.isfinite(terms.C):
        look = look._replace(soft=_soft_interval(model, k, data, signs, a, combination))
    witness = _checked(data, signs, model._witnesses[k] or (), terms.fit_intercept)
    return look._replace(witness=witness, undecided=model._undecided[k] or None)


def _soft_interval(
    model: Any, k: int, data: Encoded, signs: Array, a: Array, combination: Array
) -> tuple[float, float]:
    """Margin and bound of the rows extended by a coordinate each, (x_i, y_i e_i √r_i), see `slack`; both
    rounded to the safe side."""
    w, b, C = model.coef_[k].astype(np.float64), float(model.intercept_[k]), model._terms.C
    duals = soft_duals(model, data, a * signs)
    ridge, weights = 1.0 / C, read_only(np.ascontiguousarray(data.weights))
    low, size = lowest_with_slack(data.X, signs, w, b, a, ridge, weights)
    far = 2.0 * sum_error(len(w) + 8, size)
    if far > LESS * abs(low) and far > 0.0:
        low = float_below(exact_low_with_slack(data, signs, w, b, a, C, data.weights))
    else:
        low = down(low - far)
    slack = slack_bounds(duals)[low > 0.0]
    return margin_of(low, w, b, 0.0, more=Fraction(slack)), bound_of(duals, combination).value


def soft_duals(model: Any, data: Encoded, signed: Array) -> Duals:
    """The rows with a dual, what they contribute, and their slack."""
    duals = duals_of(model, data, signed)
    weights = data.weights[duals.used] if len(data.weights) else data.weights
    return duals._replace(C=model._terms.C, weights=weights)


class MaximumFacts(ExactFacts):
    """With slack, of the rows extended by a coordinate each."""

    @cached_property
    def soft(self) -> tuple[Fraction, Fraction, Fraction] | None:
        C = self.model._terms.C
        if np.isinf(C):
            return None
        duals = soft_duals(self.model, self.data, self.a * self.signs)
        low = exact_low_with_slack(self.data, self.signs, self.w, self.b, self.a, C, self.data.weights)
        return low, self.norm_squared + duals.exact_slack(), duals.exactly()


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
    """The smallest y·score, what the row's own coordinate adds included, and the largest sum of sizes."""
    low, most = np.inf, 0.0
    for i in range(y.size):
        product, size = dot_and_size(X, i, w)
        own = ridge_of(ridge, weights, i) * a[i]
        low = min(low, y[i] * (product + b) + own)
        most = max(most, size + abs(b) + own)
    return low, most
