"""Outward rounding: what floating point can claim of the real numbers that its arrays hold.

A double is a rational number, so a claim about doubles is true or false. Two roads lead to claims that are
true. Bounds: a sum in floating point, and how far rounding may have taken it (Higham, *Accuracy and Stability
of Numerical Algorithms*, chapter 3): |fl(Σ x_j w_j) − Σ x_j w_j| ≤ γ_n Σ|x_j w_j|, γ_n = n·u/(1 − n·u), for
every order of the sum, with or without fused multiplication. Exact numbers: sums in integers, which no
bound limits; roots and quotients are then rounded once, to the nearest double on the safe side.

Deviation from the book: underflow is counted, too. Every product may be off by half the smallest double.

>>> row, w = [2.0**60, 1.0, -(2.0**60)], [1.0, 1.0, 1.0]
>>> float(np.dot(row, w)), exact_dot(row, w)
(0.0, Fraction(1, 1))
>>> third = Fraction(1, 3)
>>> float_below(third) < third < float_above(third), sqrt_below(Fraction(9, 4)), sqrt_above(Fraction(9, 4))
(True, 1.5, 1.5)
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from operator import mul
from typing import Any

import numpy as np

from .._types import Array

UNIT = 2.0**-53  # u, what one rounding costs, relative to its result
LEAST = 2.0**-1074  # the least double
LARGEST = float(np.finfo(np.float64).max)
BLOCK = 4096  # doubles that are Python's numbers at a time


def up(value: float) -> float:
    """The next double above."""
    return math.nextafter(value, math.inf)


def down(value: float) -> float:
    """The next double below."""
    return math.nextafter(value, -math.inf)


def error_factor(n: int) -> float:
    """γ_n = n·u/(1 − n·u), rounded up: n roundings in a row change a number by no more than this share."""
    if n >= 2**51:
        return math.inf
    return up(up(n * UNIT) / (1.0 - n * UNIT))  # 1 − n·u is exact


def sum_error(n: int, size: float) -> float:
    """How far a sum of n products in floating point may be from the true one. `size` : at least Σ|x_j w_j|,
    such as ‖x‖·‖w‖, itself within twice n roundings of that."""
    return up(up(error_factor(n) * size * (1.0 + 4.0 * error_factor(n))) + n * LEAST)


def dot_bounds(X: Any, w: Any) -> tuple[Array, Array]:
    """Lower and upper bounds on ⟨x, w⟩ for every row x of an array, from two products."""
    X, w = np.asarray(X, np.float64), np.asarray(w, np.float64)
    n = w.shape[0]
    products, sizes = X @ w, np.abs(X) @ np.abs(w)
    far = np.nextafter(sizes * (error_factor(n + 2) * (1.0 + 4.0 * error_factor(n + 2))), np.inf) + (
        (n + 2) * LEAST
    )
    return np.nextafter(products - far, -np.inf), np.nextafter(products + far, np.inf)


def norm_bounds(values: Any) -> tuple[float, float]:
    """Lower and upper bounds on ‖v‖, neither overflowing nor vanishing on the way."""
    v = np.asarray(values, np.float64).ravel()
    with np.errstate(over="ignore"):
        square, share = float(v @ v), error_factor(len(v) + 4)
    if 1e-200 < square < 1e200:  # squares that vanish beside it do not count
        root = math.sqrt(square)
        return down(down(root * (1.0 - share))), up(up(root * (1.0 + share)))
    v = np.abs(v)
    largest = float(v.max(initial=0.0))
    if largest == 0.0:
        return 0.0, 0.0
    if not math.isfinite(largest):
        return 0.0, math.inf
    exponent = math.frexp(largest)[1]
    with np.errstate(under="ignore"):
        scaled = np.ldexp(v, -exponent)  # the largest lies in [½, 1): what underflows does not count
        root = math.sqrt(float((scaled * scaled).sum()))
    low, high = down(down(root * (1.0 - share))), up(up(root * (1.0 + share)))
    return max(0.0, down(_shifted(low, exponent))), up(_shifted(high, exponent))


def _shifted(value: float, exponent: int) -> float:
    """value·2^exponent; infinite if that overflows."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.inf


def hypot_above(*lengths: float) -> float:
    """√Σ l², rounded up; `math.hypot` is off by less than a unit in the last place or two."""
    return up(up(up(math.hypot(*lengths))))


def total_bounds(values: Any) -> tuple[float, float]:
    """Lower and upper bounds on a sum, next to one another: `fsum` rounds once."""
    doubles = np.asarray(values, np.float64).ravel()
    total = math.fsum(one_by_one(doubles))
    rest = math.fsum(chain(one_by_one(doubles), [-total]))  # exactly 0 if the sum is a double
    return (down(total) if rest < 0.0 else total), (up(total) if rest > 0.0 else total)


def one_by_one(doubles: Array) -> Iterator[float]:
    """As Python's numbers, which are large, some at a time."""
    parts = (doubles[start : start + BLOCK] for start in range(0, len(doubles), BLOCK))
    return chain.from_iterable(part.tolist() for part in parts)


# Exact numbers --------------------------------------------------------------------------------------------


def integers(values: Any) -> tuple[list[int], int]:
    """Doubles as integers times one power of two, exactly: (integers, exponent)."""
    fractions, exponents = np.frexp(np.asarray(values, np.float64).ravel())
    whole = np.ldexp(fractions, 53).astype(np.int64)
    used = exponents[whole != 0]
    if not used.size:
        return [0] * len(whole), 0
    lowest, highest = int(used.min()), int(used.max())
    if lowest == highest:
        return whole.tolist(), lowest - 53
    shifts = np.maximum(exponents - lowest, 0)
    return [
        number << shift for number, shift in zip(whole.tolist(), shifts.tolist(), strict=True)
    ], lowest - 53


def scaled(number: int, exponent: int) -> Fraction:
    """number·2^exponent."""
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def exact_dot(x: Any, w: Any) -> Fraction:
    """⟨x, w⟩ of finite doubles."""
    (xs, one), (ws, other) = integers(x), integers(w)
    return scaled(sum(map(mul, xs, ws)), one + other)


def exact_sum(values: Any) -> Fraction:
    """Σ v_j."""
    numbers, exponent = integers(values)
    return scaled(sum(numbers), exponent)


def exact_sqnorm(values: Any) -> Fraction:
    """‖v‖²."""
    numbers, exponent = integers(values)
    return scaled(sum(map(mul, numbers, numbers)), 2 * exponent)


def exact_combination(factors: Any, rows: Any) -> list[Fraction]:
    """Σ factors_i·rows_i of a dense array of rows, column by column."""
    numbers, exponent = integers(factors)
    columns = []
    for column in np.asarray(rows).T:
        cells, other = integers(column)
        columns.append(scaled(sum(map(mul, numbers, cells)), exponent + other))
    return columns


def squared_length(columns: Sequence[Fraction]) -> Fraction:
    """Σ c_j² of fractions, brought to one denominator: denominators are powers of two."""
    common = max((column.denominator for column in columns), default=1)
    whole = [column.numerator * (common // column.denominator) for column in columns]
    return Fraction(sum(map(mul, whole, whole)), common * common)


# From exact numbers to the nearest double on the safe side ------------------------------------------------


def float_below(value: Fraction) -> float:
    """The largest double that is not above; minus infinity if there is none."""
    try:
        nearest = float(value)
    except OverflowError:
        return LARGEST if value > 0 else -math.inf
    return down(nearest) if Fraction(nearest) > value else nearest


def float_above(value: Fraction) -> float:
    """The smallest double that is not below; infinite if there is none."""
    return -float_below(-value) + 0.0  # + 0.0: no negative zero


def sqrt_below(square: Fraction) -> float:
    """The largest double that is not above the square root."""
    return float_below(_root(square)[0])


def sqrt_above(square: Fraction) -> float:
    """The smallest double that is not below the square root."""
    return float_above(_root(square)[1])


def _root(square: Fraction) -> tuple[Fraction, Fraction]:
    """√square rounded down and up, to enough digits that no double lies strictly between."""
    number, denominator = square.numerator, square.denominator
    if number < 0:
        raise ValueError(f"{square} has no square root.")
    if number == 0:
        return Fraction(0), Fraction(0)
    shift = max(0, 64 - (number.bit_length() - denominator.bit_length()) // 2)
    scaled_square, rest = divmod(number << 2 * shift, denominator)
    root = math.isqrt(scaled_square)
    exact = rest == 0 and root * root == scaled_square
    return Fraction(root, 1 << shift), Fraction(root if exact else root + 1, 1 << shift)


def quotient_below(value: Fraction, squared: Fraction) -> float:
    """The largest double that is not above value/√squared."""
    ratio = value * value / squared
    return sqrt_below(ratio) if value >= 0 else -sqrt_above(ratio)


def quotient_above(value: Fraction, squared: Fraction) -> float:
    """The smallest double that is not below value/√squared."""
    return -quotient_below(-value, squared) + 0.0


def is_at_most(claim: float, value: Fraction, squared: Fraction) -> bool:
    """Is claim ≤ value/√squared? By squares, exactly."""
    if not math.isfinite(claim):
        return claim == -math.inf
    ratio = Fraction(claim)
    return ratio * abs(ratio) * squared <= value * abs(value)
