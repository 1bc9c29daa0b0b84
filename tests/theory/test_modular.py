"""Exact solutions of linear systems: as elimination with fractions finds them."""

from fractions import Fraction

import numpy as np
import pytest

from perceptrons.theory.modular import PRIME, independent, most_bits, solve
from tests.sizes import cases


def whole(rng, bits, shape):
    """Random whole numbers of any size, as Python's."""
    flat = [
        int(rng.integers(-(2**30), 2**30)) >> max(0, 30 - bits) << max(0, bits - 30)
        for _ in range(int(np.prod(shape)))
    ]
    low = [int(rng.integers(-3, 4)) for _ in flat]
    return np.array([a + b for a, b in zip(flat, low, strict=True)], object).reshape(shape)


def eliminated(A, b):
    """Gauss and Jordan in fractions; None if A is singular."""
    table = [[Fraction(int(value)) for value in (*row, one)] for row, one in zip(A, b, strict=True)]
    for k in range(len(table)):
        there = next((i for i in range(k, len(table)) if table[i][k]), None)
        if there is None:
            return None
        table[k], table[there] = table[there], table[k]
        table[k] = [value / table[k][k] for value in table[k]]
        for i in range(len(table)):
            if i != k:
                factor = table[i][k]
                table[i] = [a - factor * c for a, c in zip(table[i], table[k], strict=True)]
    return [row[-1] for row in table]


def test_solutions_are_those_of_fractions():
    rng, solved, singular, long = np.random.default_rng(0), 0, 0, 0
    for _ in range(cases(300, 3)):
        n, bits = int(rng.integers(1, 9)), int(rng.choice([1, 3, 20, 60, 120]))
        A, b = whole(rng, bits, (n, n)), whole(rng, bits, n)
        if rng.random() < 0.2:
            A[-1] = 3 * A[0]
        expected, found = eliminated(A, b), solve(A, b)
        if expected is None:
            singular += 1
            assert found is None
            continue
        solved += 1
        assert found is not None
        assert [Fraction(int(part), found.denominator) for part in found.numerators] == expected
        assert max(int(part).bit_length() for part in (*found.numerators, found.denominator)) <= most_bits(
            A, b
        )
        long += found.denominator.bit_length() > 100
    assert solved > 1.5 * singular > 0
    assert long > 0


def test_a_determinant_that_the_prime_divides_is_not_solved():
    assert solve(np.array([[PRIME]], object), np.array([1], object)) is None
    assert solve(np.array([[PRIME + 1]], object), np.array([1], object)).denominator == PRIME + 1


@pytest.mark.parametrize("seed", range(20))
def test_independent_columns_are_the_first_possible(seed):
    rng = np.random.default_rng(seed)
    A = whole(rng, 3, (5, 3)) @ whole(rng, 3, (3, 7))
    rows, columns = independent(A)
    assert len(rows) == len(columns) == np.linalg.matrix_rank(A.astype(float))
    for t in range(1, len(rows) + 1):
        leading = A[rows[:t]][:, columns[:t]]
        assert eliminated(leading, leading[:, 0]) is not None
        if t < len(columns):  # what lies between depends on the columns before it
            between = A[:, columns[t - 1] : columns[t]].astype(float)
            assert np.linalg.matrix_rank(np.hstack([A[:, columns[:t]].astype(float), between])) == t
