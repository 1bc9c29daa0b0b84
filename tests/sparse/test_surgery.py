"""Weights with a ridge are the optimum, and what is dropped is what matters least."""

from itertools import pairwise

import numpy as np
import pytest

from perceptrons.sparse.surgery import LEAST, STEPS, RuleRows, drop, eliminate, newton
from tests.naive import joint as naive

pytestmark = pytest.mark.kernels


def free(columns):
    """No column has a sign, and none must be kept."""
    return np.zeros(len(columns), np.int64), np.zeros(len(columns), np.bool_)


def problem(seed, n_columns=5, n_rows=60):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_columns, n_rows)).astype(float)
    signs = np.where(2.0 * X[0] + X[1] + rng.normal(0, 0.6, n_rows) > 1.2, 1.0, -1.0)
    return np.vstack([X, np.ones(n_rows)]), signs, rng.integers(1, 3, n_rows).astype(float)


@pytest.mark.parametrize("alpha", [0.5, 5.0])
def test_newtons_method_ends_where_plain_descent_does(alpha):
    X, signs, weights = problem(1, n_columns=3)
    v = np.zeros(4)
    newton(X, signs, weights, alpha, v, STEPS, 1e-10)
    w, b = naive.ridge(X[:-1].T.tolist(), signs.tolist(), weights.tolist(), alpha, 3_000)
    assert np.allclose(v, [*w, b], atol=1e-5)


def test_a_dropped_weight_raises_the_loss_as_little_as_any():
    same = 0
    for seed in range(12):
        X, signs, weights = problem(seed)
        v = np.zeros(6)
        H, _ = newton(X, signs, weights, 1.0, v, STEPS, 1e-10)
        places, _ = drop(H, v, np.arange(6), 4, np.zeros(6, np.bool_))
        (gone,) = set(range(5)) - set(places.tolist())
        losses = []
        for j in range(5):
            rest = [i for i in range(6) if i != j]
            u = np.zeros(5)
            newton(X[rest], signs, weights, 1.0, u, STEPS, 1e-10)
            own = naive.total_loss(X[rest][:-1].T.tolist(), signs.tolist(), weights.tolist(), u[:-1], u[-1])
            losses.append(own + 0.5 * float(u[:-1] @ u[:-1]))
        same += gone == int(np.argmin(losses))
    assert same >= 10  # a parabola says nearly always what the loss says


def test_sizes_fall_and_are_nested():
    X, signs, weights = problem(3)
    sizes = np.array([5, 3, 1, 0])
    found = eliminate(RuleRows(X, signs, weights), 1.0, sizes, 1e-8, *free(X))
    kept = [set(np.flatnonzero(row[:-1])) for row in found]
    assert [len(one) for one in kept] == sizes.tolist()
    assert all(small <= large for large, small in pairwise(kept))
    v = np.zeros(2)
    newton(np.ascontiguousarray(X[[*kept[2], 5]]), signs, weights, 1.0, v, STEPS, 1e-10)
    assert np.allclose(found[2][[*kept[2], 5]], v, atol=1e-6)


def test_rows_without_columns_have_the_log_odds():
    X, signs, weights = problem(3)
    (found,) = eliminate(RuleRows(X[-1:], signs, weights), 1.0, np.array([0]), 1e-9, *free(X))
    positive = weights[signs > 0].sum()
    assert found[0] == pytest.approx(np.log(positive / (weights.sum() - positive)), abs=1e-6)


def test_curvature_is_that_of_the_penalized_loss():
    X, signs, weights = problem(2, n_columns=3)
    v = np.array([0.3, -0.2, 0.5, 0.1])
    H, _ = newton(X, signs, weights, 2.0, v.copy(), 0, 1e-10)
    s = 1.0 / (1.0 + np.exp(signs * (v @ X)))
    expected = (X * (weights * s * (1.0 - s))) @ X.T + np.diag([2.0, 2.0, 2.0, LEAST])
    assert np.allclose(H, expected, rtol=1e-12)


def test_of_two_weights_that_stand_in_for_one_another_one_is_dropped():
    """The smallest weight is not the one that matters least."""
    H = np.eye(4)
    H[1, 2] = H[2, 1] = 0.99
    places, v = drop(H, np.array([0.5, 1.0, 1.0, 0.0]), np.arange(4), 2, np.zeros(3, np.bool_))
    assert places.tolist() == [0, 2, 3]
    assert v == pytest.approx([0.5, 1.99, 0.0])
