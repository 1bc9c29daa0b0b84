"""The path's solutions are optima, as an outside solver's are."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from perceptrons.sparse import l1_path
from tests.naive import joint as naive

pytestmark = pytest.mark.kernels

# scikit-learn 1.8 and later choose the penalty by `l1_ratio` alone
L1 = {"penalty": "l1"} if LogisticRegression().l1_ratio is None else {"l1_ratio": 1.0}


def problem(seed, n_rows=80, n_columns=9):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_columns, n_rows)).astype(np.uint8)
    signs = np.where(X[0] + X[1] * X[2] + rng.normal(0, 0.7, n_rows) > 0.8, 1.0, -1.0)
    return X, signs, rng.integers(1, 4, n_rows).astype(float)


def solved(X, signs, weights, penalties):
    state = l1_path.start_path(signs, weights)
    w, at_work = np.zeros(len(X)), np.zeros(len(X), np.bool_)
    for factor in (8.0, 4.0, 2.0, *[1.0] * 100):  # one call stops when it is close enough for a path
        l1_path.solve_step(X, len(X), factor * penalties, np.zeros(len(X), np.int64), state, w, at_work)
    return state, w


@pytest.mark.parametrize("seed", range(4))
def test_a_solution_satisfies_the_conditions_of_an_optimum(seed):
    X, signs, weights = problem(seed)
    penalties = np.where(np.arange(len(X)) < 5, 4.0, 8.0)
    state, w = solved(X, signs, weights, penalties)
    rows, close = X.T.tolist(), l1_path.CLOSE * weights.sum()
    told = naive.violation(rows, signs.tolist(), weights.tolist(), w.tolist(), state.bias[0], penalties)
    assert told < close
    assert 0 < np.count_nonzero(w) < len(w)


def test_an_outside_solver_finds_the_same():
    X, signs, weights = problem(7)
    state, w = solved(X, signs, weights, np.full(len(X), 3.0))
    outside = LogisticRegression(**L1, C=1 / 3, solver="saga", max_iter=100_000, tol=1e-8)
    outside.fit(X.T.astype(float), signs, sample_weight=weights)
    assert np.allclose(w, outside.coef_[0], atol=0.02)
    assert state.bias[0] == pytest.approx(outside.intercept_[0], abs=0.02)
    assert ((w != 0) == (abs(outside.coef_[0]) > 1e-3)).all()


def test_scores_are_those_of_the_weights():
    X, signs, weights = problem(1)
    state, w = solved(X, signs, weights, np.full(len(X), 2.0))
    assert np.allclose(state.scores, w @ X + state.bias[0], rtol=1e-9)


def test_separable_rows_have_finite_weights():
    X = np.zeros((1, 10), np.uint8)
    X[0, 5:] = 1
    signs = np.where(X[0] > 0, 1.0, -1.0)
    state, w = solved(X, signs, np.ones(10), np.full(1, 1e-9))
    assert np.isfinite(w).all()
    assert abs(w[0]) <= l1_path.MOST
    assert np.isfinite(state.scores).all()
