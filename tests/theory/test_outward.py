"""Outward rounding against fractions: never on the wrong side, and no double lies between."""

import math
from fractions import Fraction

import numpy as np
import pytest

from perceptrons.theory.outward import (
    LARGEST,
    dot_bounds,
    down,
    error_factor,
    exact_combination,
    exact_dot,
    exact_sqnorm,
    exact_sum,
    float_above,
    float_below,
    is_at_most,
    norm_bounds,
    quotient_above,
    quotient_below,
    sqrt_above,
    sqrt_below,
    squared_length,
    sum_error,
    total_bounds,
    up,
)
from tests.sizes import cases


def numbers(rng):
    """A double of any size."""
    return float(rng.uniform(-1.0, 1.0) * 2.0 ** rng.integers(-1070, 1020))


def fraction(rng):
    kind = rng.integers(4)
    if kind == 0:
        return Fraction(int(rng.integers(-5, 6)))
    if kind == 1:
        return Fraction(numbers(rng)) ** int(rng.integers(1, 3))
    if kind == 2:
        return Fraction(int(rng.integers(-(10**9), 10**9)), int(rng.integers(1, 10**9)))
    return Fraction(float(rng.standard_normal())) * 3


def vector(rng, n):
    """Doubles that may cancel: a wide range of sizes, some of them twice with both signs."""
    v = rng.integers(-9, 10, n) * 2.0 ** rng.integers(-30, 31, n) + rng.choice([0.0, 2.0**60, 1e-300], n)
    return np.where(rng.random(n) < 0.3, -np.roll(v, 1), v)


@pytest.mark.thorough
def test_rounded_numbers_are_on_their_side_and_next_to_it():
    rng, exact = np.random.default_rng(0), 0
    for _ in range(cases(20_000)):
        q = fraction(rng)
        low, high = float_below(q), float_above(q)
        assert low == -math.inf or Fraction(low) <= q < (Fraction(up(low)) if low < LARGEST else q + 1)
        assert high == math.inf or (Fraction(down(high)) if high > -LARGEST else q - 1) < q <= Fraction(high)
        root, above = sqrt_below(abs(q)), sqrt_above(abs(q))
        assert Fraction(root) ** 2 <= abs(q) < Fraction(up(root)) ** 2
        assert Fraction(above) ** 2 >= abs(q)
        assert q == 0 or Fraction(down(above)) ** 2 < abs(q)
        exact += low == high
    assert exact >= cases(20_000) // 10
    assert (float_below(Fraction(10) ** 400), float_above(Fraction(10) ** 400)) == (LARGEST, math.inf)
    assert (float_below(-(Fraction(10) ** 400)), float_above(-(Fraction(10) ** 400))) == (-math.inf, -LARGEST)


@pytest.mark.thorough
def test_quotients_are_decided_by_signed_squares():
    rng, at_most, above = np.random.default_rng(1), 0, 0
    for _ in range(cases(20_000)):
        value, squared = fraction(rng), abs(fraction(rng)) or Fraction(1)
        low, high = quotient_below(value, squared), quotient_above(value, squared)
        if not (math.isfinite(low) and math.isfinite(high)):
            continue
        for claim in (low, up(low), down(low), high, -low, 0.0, numbers(rng)):
            if not math.isfinite(claim):
                continue
            square = Fraction(claim) ** 2 * squared
            if (claim <= 0.0) != (value <= 0):
                true = claim <= 0.0
            else:
                true = square <= value**2 if claim > 0.0 else square >= value**2
            assert is_at_most(claim, value, squared) == true
            at_most, above = at_most + true, above + (not true)
        assert is_at_most(low, value, squared)
        assert is_at_most(-high, -value, squared)
        assert not is_at_most(up(low), value, squared)
    assert min(at_most, above) >= cases(20_000)
    assert not is_at_most(math.nan, Fraction(1), Fraction(1))
    assert not is_at_most(math.inf, Fraction(1), Fraction(1))


@pytest.mark.thorough
def test_bounds_hold_what_fractions_say():
    rng, tight = np.random.default_rng(2), 0
    for _ in range(cases(2_000)):
        n = int(rng.integers(1, 30))
        x, w = vector(rng, n), vector(rng, n)
        true = sum(
            (Fraction(a) * Fraction(b) for a, b in zip(x.tolist(), w.tolist(), strict=True)), Fraction()
        )
        assert exact_dot(x, w) == true
        assert exact_sum(x) == sum(map(Fraction, x.tolist()))
        (low,), (high,) = dot_bounds(x[None], w)
        assert Fraction(float(low)) <= true <= Fraction(float(high))
        off = abs(Fraction(float(x @ w)) - true)
        assert off <= Fraction(sum_error(n, norm_bounds(x)[1] * norm_bounds(w)[1]))
        least, most = norm_bounds(x)
        assert Fraction(least) ** 2 <= exact_sqnorm(x) <= Fraction(most) ** 2
        assert most <= least * (1.0 + 1e-13)
        least, most = total_bounds(x)
        assert Fraction(least) <= exact_sum(x) <= Fraction(most)
        tight += least == most
        rows = np.array([vector(rng, 3) for _ in range(n)])
        columns = exact_combination(x, rows)
        assert columns == [exact_dot(x, column) for column in rows.T]
        assert squared_length(columns) == sum(column * column for column in columns)
    assert 0 < tight < cases(2_000)


def test_norms_of_very_long_and_very_short_vectors():
    for size in (1e-320, 1e-200, 1e200, LARGEST):
        low, high = norm_bounds([size, size])
        assert 0.0 < low < high
        assert Fraction(low) ** 2 <= 2 * Fraction(size) ** 2
        assert high == math.inf or 2 * Fraction(size) ** 2 <= Fraction(high) ** 2
    assert norm_bounds([0.0]) == norm_bounds([]) == (0.0, 0.0)
    assert norm_bounds([math.nan]) == (0.0, math.inf)


def test_the_factor_of_many_roundings():
    for n in (1, 2, 10, 1000, 10**9):
        u = Fraction(1, 2**53)
        assert n * u / (1 - n * u) <= Fraction(error_factor(n)) <= n * u * (1 + 3 * n * u + 8 * u)
    assert error_factor(2**52) == math.inf
