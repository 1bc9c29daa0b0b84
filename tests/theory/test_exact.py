"""Witnesses: weights with which rows cancel exactly."""

from fractions import Fraction

import numpy as np
import pytest

from perceptrons.theory.exact import LONGEST, cancels, exact_weights, whole
from tests.naive.exact import is_separable, is_witness
from tests.sizes import cases


def circuit(rng, intercept):
    """A few random rows: a simplex around the origin, or not; of any scale, some of whole numbers."""
    n = int(rng.integers(1, 5))
    X = rng.standard_normal((n + 1 + intercept, n)) * 2.0 ** rng.integers(-60, 60)
    if rng.random() < 0.5:
        X = rng.integers(-2, 3, X.shape).astype(float) * 0.1
    y = rng.choice([-1, 1], len(X))
    y[:2] = -1, 1
    return X, y


@pytest.mark.parametrize("intercept", [False, True])
def test_weights_cancel_exactly_where_there_are_any(intercept):
    rng, found, none, parts = np.random.default_rng(intercept), 0, 0, 0
    for _ in range(cases(1000)):
        X, y = circuit(rng, intercept)
        weights, reason = exact_weights(X, y, intercept)
        if weights is None:
            none += 1
            assert reason
            continue
        found += 1
        assert not is_separable(X, y, intercept)
        pairs = [(row, weight) for row, weight in enumerate(weights) if weight]
        parts += len(pairs) < len(X)
        assert is_witness(X, y, pairs, intercept)
        assert cancels(X, y, weights, intercept)
        off = [weights[0] + Fraction(1, 10**30), *weights[1:]]
        assert not cancels(X, y, off, intercept)
        shorter = X.copy()
        shorter[pairs[0][0]] *= 0.75
        moved = shorter if intercept or X[pairs[0][0]].any() else shorter + 1.0
        assert cancels(moved, y, weights, intercept) is is_witness(moved, y, pairs, intercept)
    assert min(found, none, parts) > cases(1000) // 20


def test_every_set_that_is_a_simplex_is_decided():
    """Affinely independent rows except for one: if they have a witness at all, it is found."""
    rng, missed, ran = np.random.default_rng(3), 0, 0
    for _ in range(cases(500)):
        X, y = rng.standard_normal((4, 3)), rng.choice([-1, 1], 4)
        ran += 1
        missed += (exact_weights(X, y, intercept=False)[0] is None) != is_separable(X, y, intercept=False)
    assert ran
    assert missed == 0


def test_whole_numbers_are_the_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 3)) * 2.0 ** rng.integers(-1000, 900, (6, 3))
    X[0, 0], X[:, 2], X[1, 1] = 5e-324, 0.0, -1.7e308
    for by_column in (True, False):
        numbers, exponents = whole(X, by_column)
        for i in range(6):
            for j in range(3):
                assert int(numbers[i, j]) * Fraction(2) ** int(exponents[j]) == Fraction(X[i, j])
    assert len(set(exponents.tolist())) == 1
    assert whole(np.zeros((2, 2)))[0].tolist() == [[0, 0], [0, 0]]


def test_what_is_no_witness():
    X, y, half = np.array([[1.0], [1.0], [2.0]]), np.array([1, -1, 1]), Fraction(1, 2)
    assert cancels(X[:2], y[:2], [half, half], intercept=False)
    assert not cancels(X[:2], y[:2], [half, half], intercept=True)  # in each class, the sum is 1
    assert cancels(X[:2], y[:2], [Fraction(1), Fraction(1)], intercept=True)
    assert not cancels(X[:2], y[:2], [half], intercept=False)
    assert not cancels(X[:0], y[:0], [], intercept=False)
    assert not cancels(X, np.array([1, -1, -1]), [Fraction(3, 2), half, -half], intercept=False)
    endless = [Fraction(1, 3**k) for k in range(2 * LONGEST)]
    assert not cancels(np.ones((len(endless), 1)), np.ones(len(endless)), endless, intercept=False)


def test_what_is_too_much_is_not_attempted():
    rng = np.random.default_rng(0)
    for shape, why in (((600, 2), "600 rows of 2 columns"), ((300, 2000), "300 rows of 2000 columns")):
        weights, reason = exact_weights(rng.standard_normal(shape), np.ones(shape[0]), intercept=False)
        assert weights is None
        assert reason.startswith(why)
    X = rng.standard_normal((302, 300))
    weights, reason = exact_weights(X, rng.choice([-1, 1], 302), intercept=True)
    assert weights is None
    assert "bits" in reason
