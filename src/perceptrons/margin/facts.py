"""What is so, in fractions: the last word on the claims of a certificate.

A claim m about a margin holds if m ≤ min y·score/‖w‖. Both sides are square roots of fractions, so signed
squares are compared: m|m|·‖w‖² ≤ s|s|, s the smallest y·score, without any rounding. Each number is computed
when it is first asked for: bounds in floating point decide most claims without it.
"""

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from .._types import Array
from ..rows.encode import Encoded
from ..theory.outward import exact_sqnorm, exact_sum, is_at_most
from .certificates import duals_of, stream_blur
from .exact_look import exact_look, exact_radius_squared


class ExactFacts:
    """One weight vector of a linear model, on rows with signs ±1; `a` are the corrections of these rows."""

    def __init__(self, model: Any, k: int, data: Encoded, signs: Array, a: Array) -> None:
        self.model, self.k, self.data, self.signs, self.a = model, k, data, signs, a
        self.w, self.b = model.coef_[k].astype(np.float64), float(model.intercept_[k])

    @cached_property
    def low(self) -> Fraction:
        """The smallest y·score."""
        return exact_look(self.data, self.signs, self.w, self.b)[0]

    @cached_property
    def norm_squared(self) -> Fraction:
        """‖(w, b/ρ)‖²."""
        lift = self.model.lift_
        return exact_sqnorm(self.w) + (Fraction(self.b) ** 2 / Fraction(lift) ** 2 if lift else 0)

    @cached_property
    def bound_squared(self) -> Fraction:
        """What the duals prove, squared."""
        return duals_of(self.model, self.data, self.a * self.signs).exactly()

    @cached_property
    def radius_squared(self) -> Fraction:
        """The largest squared norm of a lifted row."""
        return exact_radius_squared(self.data, self.model.lift_)

    @property
    def soft(self) -> tuple[Fraction, Fraction, Fraction] | None:
        """With slack: the smallest y·score, ‖w‖² and the squared bound; None without slack."""
        return None

    def margin_holds(self, claim: float) -> bool:
        return achieves(claim, self.low, self.norm_squared)

    def margin_bound_holds(self, claim: float) -> bool:
        return is_root_above(claim, self.bound_squared)

    def stream_bound_holds(self, claim: float) -> bool:
        """Is claim ≥ (‖w‖ + what rounding may have done)/Σa? The rows of a stream are gone."""
        total, blur = exact_sum(np.abs(self.model.dual_coef_[self.k])), stream_blur(self.model, self.k)
        room = Fraction(claim) * total - Fraction(1.005 * blur) if claim < np.inf else None
        return room is None or (room >= 0 and room * room >= self.norm_squared)

    def radius_holds(self, claim: float) -> bool:
        return is_root_above(claim, self.radius_squared)

    def soft_margin_holds(self, claim: float) -> bool:
        return self.soft is not None and achieves(claim, *self.soft[:2])

    def soft_margin_bound_holds(self, claim: float) -> bool:
        return self.soft is not None and is_root_above(claim, self.soft[2])


def achieves(claim: float, low: Fraction, norm_squared: Fraction) -> bool:
    """Is claim ≤ low/norm? Weights that are 0 have the margin 0."""
    return is_at_most(claim, low, norm_squared) if norm_squared else claim <= 0.0


def is_root_above(claim: float, square: Fraction) -> bool:
    """Is claim ≥ √square?"""
    return claim == np.inf or (claim >= 0.0 and Fraction(claim) ** 2 >= square)
