"""Witnesses that cancel exactly: proofs that no hyperplane separates some rows.

Floating-point numbers are fractions. If no hyperplane separates rows, then a convex combination Σ a_i y_i x_i
of some of them is 0 (with an intercept one in which both classes have the same share), of at most one more
than there are columns (two more with an intercept), and its weights, which solve linear equations, are
fractions, too. A floating-point solver proposes the rows; here their equations are solved exactly, in whole
numbers. Nothing is a witness before the sum has been added up without rounding.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from .._types import Array
from .modular import MOST, independent, most_bits, solve

LONGEST = 12_000  # bits of a weight that is looked for: about a second
MOST_CELLS = 300_000  # of the rows proposed: half a second
TRIES = 4  # rows that depend on those before them, each of which may complete a witness

Weights = tuple[Fraction, ...]


def whole(X: Array, by_column: bool = True) -> tuple[Array, Array]:
    """X as whole numbers times powers of two, the exponents of its columns; all the same if not `by_column`.

    >>> numbers, exponents = whole(np.array([[0.75, 6.0], [-1.0, 0.0]]))
    >>> numbers.tolist(), exponents.tolist()
    ([[3, 3], [-4, 0]], [-2, 1])
    """
    fraction, exponent = np.frexp(np.asarray(X, np.float64))
    mantissa = np.ldexp(fraction, 53).astype(np.int64)
    zeros = np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1  # at the end of its binary digits
    zeros[mantissa == 0] = 0
    exponent = np.where(mantissa == 0, 2000, exponent - 53 + zeros)
    least = exponent.min(axis=0 if by_column else None, keepdims=True, initial=2000)
    shift = np.where(mantissa == 0, 0, exponent - least)
    exponents = np.broadcast_to(least, (1, X.shape[1]))[0]
    return (mantissa >> zeros).astype(object) << shift.astype(object), np.where(
        exponents == 2000, 0, exponents
    )


def equations(X: Array, signs: Array, intercept: bool) -> Array:
    """The matrix of whole numbers A, a column per row of X, with A a = 0 iff Σ a_i y_i x_i = 0 and, with an
    intercept, Σ a_i y_i = 0."""
    Z = whole(X)[0]
    signs = signs.astype(np.int64).astype(object)
    if intercept:
        Z = Z - Z[0]  # as both classes have the same share
    divisors = [gcd(*column) for column in Z.T]
    Z = Z[:, [divisor > 0 for divisor in divisors]]
    A = (signs[:, None] * Z // np.array([d for d in divisors if d], object)).T
    return np.vstack([signs, A]) if intercept else A


def cancels(X: Array, signs: Array, weights: Sequence[Fraction], intercept: bool) -> bool:
    """Are these the weights of a witness: not negative, of sum 1 (with an intercept in each class), and is
    Σ a_i y_i x_i exactly 0? X : one row per weight; signs : ±1.

    >>> X, signs = np.array([[0.1], [0.2], [0.3]]), np.array([1, -1, 1])
    >>> cancels(X, signs, [Fraction(1, 2), Fraction(1), Fraction(1, 2)], intercept=True)  # 0.1 + 0.3 > 2·0.2
    False
    >>> cancels(8 * X.round(), signs, [Fraction(1, 2), Fraction(1), Fraction(1, 2)], intercept=True)
    True
    """
    if not len(weights) or len(weights) != len(X) or min(weights) < 0:
        return False
    denominator = _common(weight.denominator for weight in weights)
    if denominator is None:
        return False
    a = np.array([int(weight * denominator) for weight in weights], object)
    sides = [signs < 0, signs > 0] if intercept else [np.ones(len(a), bool)]
    if any(a[side].sum() != denominator for side in sides):
        return False
    return not (equations(X, signs, intercept) @ a).any()


def exact_weights(X: Array, signs: Array, intercept: bool) -> tuple[Weights | None, str]:
    """The weights of a witness among these rows, with zeros for rows without a part in it; or None, and why.

    X : rows in the order in which they should be used, no more than some hundreds.

    >>> X = np.array([[0.0], [1.0], [0.375]])
    >>> exact_weights(X, np.array([1, 1, -1]), intercept=True)[0]
    (Fraction(5, 8), Fraction(3, 8), Fraction(1, 1))
    >>> exact_weights(X, np.array([1, -1, -1]), intercept=True)
    (None, 'no exact combination of the rows that cancel up to rounding was found')
    """
    if len(X) > MOST or X.size > MOST_CELLS:
        return None, f"{len(X)} rows of {X.shape[1]} columns are too many for an exact combination"
    A = equations(X, signs, intercept)
    if not len(A):  # rows of zeros, without intercept
        return (Fraction(1), *[Fraction(0)] * (len(X) - 1)), ""
    rows, columns = independent(A)
    outside = np.setdiff1d(np.arange(len(X)), columns)
    for one in outside[:TRIES]:
        k = int((columns < one).sum())
        matrix, goal = A[rows[:k]][:, columns[:k]], -A[rows[:k], one]
        if (length := most_bits(matrix, goal)) > LONGEST:
            return None, f"an exact combination of {k + 1} rows may need weights of {length} bits"
        found = solve(matrix, goal) if k else None
        a = np.zeros(len(X), object)
        a[one] = found.denominator if found else 1
        if found:
            a[columns[:k]] = found.numerators
        if min(a) >= 0 and not (A @ a).any():
            total = a[signs > 0].sum() if intercept else a.sum()
            return tuple(Fraction(int(part), int(total)) for part in a), ""
    return None, "no exact combination of the rows that cancel up to rounding was found"


def _common(denominators: Iterable[int]) -> int | None:
    """The least common multiple; None if it is longer than those of weights that are looked for."""
    common = 1
    for one in denominators:
        common = lcm(common, one)
        if common.bit_length() > 2 * LONGEST:
            return None
    return common
