"""What a vector or a combination does to many rows, exactly: for claims that are true of the real numbers.

Bounds come first, from products in floating point; the rows that these cannot tell from the lowest are summed
exactly (`outward`).
"""

from fractions import Fraction
from typing import Any

import numpy as np

from .._types import Array
from .outward import dot_bounds, exact_combination, exact_dot


def least_dot(X: Array, w: Array) -> Fraction:
    """The least ⟨x, w⟩ of the rows of an array, exactly.

    >>> least_dot(np.array([[2.0**60, 1.0, -(2.0**60)], [0.0, 2.0, 0.0]]), np.ones(3))
    Fraction(1, 1)
    """
    low, high = dot_bounds(X, w)
    return min(exact_dot(X[i], w) for i in np.flatnonzero(low <= high.min()))


def squared_difference(one: tuple[Any, Any], other: tuple[Any, Any]) -> Fraction:
    """‖p − q‖² of the means p and q of points, given with how often each counts: (times, points).

    >>> squared_difference(([1, 2], [[0.0], [3.0]]), ([1], [[0.0]]))
    Fraction(4, 1)
    """
    p, q = mean(*one), mean(*other)
    return squared_length_of([a - b for a, b in zip(p, q, strict=True)])


def mean(times: Any, points: Any) -> list[Fraction]:
    """Σ times·points / Σ times."""
    total = sum(int(one) for one in times)
    return [column / total for column in exact_combination(times, points)]


def squared_length_of(vector: list[Fraction]) -> Fraction:
    """Σ v_j² of any fractions."""
    return sum((part * part for part in vector), Fraction(0))
