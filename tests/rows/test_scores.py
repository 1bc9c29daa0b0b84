"""Scores with the signs of real numbers, against fractions."""

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import MaxMarginPerceptron, Perceptron
from perceptrons.rows.encode import as_rows
from perceptrons.rows.scores import bracket, cell, n_cells, scores_with_true_signs
from tests.naive.scores import score
from tests.sizes import cases

pytestmark = pytest.mark.kernels


def sign(value):
    return (value > 0) - (value < 0)


def hostile(rng, m, n):
    """Rows that lie on the hyperplane, or beside it by a few units in the last place."""
    w = rng.standard_normal(n) * 2.0 ** rng.integers(-20, 21, n)
    if rng.random() < 0.3:
        w = w * rng.choice([1e-290, 1e290, 1e-308])
    X = rng.standard_normal((m, n)) * 2.0 ** rng.integers(-8, 9, (m, n))
    X[rng.random((m, n)) < 0.3] = 0.0
    last = int(np.argmax(np.abs(w)))
    X[:, last] = 0.0
    b = float(rng.choice([0.0, 1.0, w[0]]))
    with np.errstate(over="ignore"):
        X[:, last] = -(X @ w + b) / w[last]
    X = np.clip(X, -1e30, 1e30)  # a float32 can hold it
    return X.astype(np.float32) if rng.random() < 0.3 else X, w, b


@pytest.mark.thorough
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_signs_are_those_of_real_numbers(make):
    rng, hard, wrong = np.random.default_rng(0), 0, 0
    for _ in range(cases(400)):
        X, w, b = hostile(rng, 20, int(rng.integers(1, 12)))
        found = scores_with_true_signs(make(X), w, b)
        true = [score(x, w, b) for x in X]
        assert np.sign(found).tolist() == [sign(value) for value in true]
        plain = X.astype(np.float64) @ w + b
        hard += sum(abs(p - float(t)) > 0.01 * abs(float(t)) for p, t in zip(plain, true, strict=True))
        wrong += int((np.sign(plain) != np.sign(found)).sum())
    assert min(hard, wrong) >= cases(400)


def test_brackets_are_next_to_the_real_number():
    rng, exact = np.random.default_rng(1), 0
    for _ in range(cases(2000)):
        n = int(rng.integers(1, 9))
        x, w = (rng.integers(-99, 100, n) * 2.0 ** rng.integers(-60, 61, n) for _ in range(2))
        low, high, nearest, sure = bracket(as_rows(x[None]), 0, w, 1.0)
        true = score(x, w, 1.0)
        assert sure
        assert low <= true <= high
        assert low == high or np.nextafter(low, np.inf) == high
        assert nearest in (low, high)
        exact += low == high
    assert cases(2000) // 20 < exact < cases(2000)
    assert not bracket(as_rows(np.array([[1e-200]])), 0, np.array([1e-200]), 0.0)[3]
    assert not bracket(as_rows(np.array([[np.nan]])), 0, np.array([1.0]), 0.0)[3]
    assert bracket(as_rows(np.zeros((1, 2))), 0, np.ones(2), 0.0) == (0.0, 0.0, 0.0, True)


def test_cells_of_a_row():
    X = sp.csr_array(np.array([[0.0, 2.0, 3.0], [4.0, 0.0, 0.0]]))
    assert [cell(as_rows(X), 0, k) for k in range(n_cells(as_rows(X), 0))] == [(2.0, 1), (3.0, 2)]


@pytest.mark.parametrize("kind", [Perceptron, MaxMarginPerceptron])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predictions_do_not_depend_on_layout_or_batch(kind, dtype):
    """Rows on the hyperplane except for rounding, where every order of a sum gives another sign."""
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((40, 30)).astype(dtype), rng.integers(0, 2, 40)
    model = kind().fit(X, y) if kind is Perceptron else kind(C=1.0).fit(X, y)
    w = model.coef_[0].astype(np.float64)
    near = rng.standard_normal((60, 30))
    near -= np.outer((near @ w + model.intercept_[0]) / (w @ w), w)
    near = near.astype(dtype)
    together = model.predict(near)
    assert together.tolist() == [int(score(x, w, model.intercept_[0]) > 0) for x in near]
    assert (model.predict(sp.csr_array(near)) == together).all()
    assert [model.predict(x[None])[0] for x in near] == together.tolist()
    assert 10 <= together.sum() <= 50
