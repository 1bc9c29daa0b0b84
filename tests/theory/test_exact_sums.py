"""Sums over many rows, exactly: as fractions give them."""

from fractions import Fraction

import numpy as np

from perceptrons.theory.exact_sums import least_dot, mean, squared_difference
from tests.sizes import cases


def rows_that_cancel(rng):
    X = rng.integers(-3, 4, (8, 4)) * 2.0 ** rng.integers(-60, 61, (1, 4))
    return np.hstack([X, -X[:, ::-1] * (1 + 2.0**-50 * rng.integers(0, 3, X.shape))])


def test_the_least_inner_product():
    rng, misled = np.random.default_rng(0), 0
    for _ in range(cases(500)):
        X, w = rows_that_cancel(rng), rng.integers(-3, 4, 8) * 0.1
        exact = [
            sum(Fraction(a) * Fraction(b) for a, b in zip(row, w.tolist(), strict=True)) for row in X.tolist()
        ]
        assert least_dot(X, w) == min(exact)
        misled += exact[int(np.argmin(X @ w))] > min(exact)
    assert misled > 0  # floating point picks another row


def test_means_and_their_distance():
    rng = np.random.default_rng(1)
    for _ in range(cases(200)):
        X, times = rows_that_cancel(rng), rng.integers(1, 9, 8)
        exact = [
            sum(int(t) * Fraction(v) for t, v in zip(times, column, strict=True)) / int(times.sum())
            for column in X.T.tolist()
        ]
        assert mean(times, X) == exact
        assert squared_difference((times, X), ([1], np.ones((1, 8)))) == sum(
            (part - 1) ** 2 for part in exact
        )
