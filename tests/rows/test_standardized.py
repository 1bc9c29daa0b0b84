"""Rows seen with mean 0 and deviation 1: the same as a standardized copy, in both layouts."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.compiled import compiled
from perceptrons.rows.encode import as_rows
from perceptrons.rows.standardized import correct, enter, leave, score, standardized

pytestmark = pytest.mark.kernels


@compiled
def walk(X, order, steps, v):
    """Add multiples of rows, and collect the scores on the way."""
    scores = np.empty(len(order))
    for k in range(len(order)):
        scores[k] = score(X, order[k], v)
        correct(X, order[k], steps[k], v)
    return scores


def walk_of_copy(Z, order, steps, w):
    w, scores = w.copy(), []
    for i, step in zip(order, steps, strict=True):
        scores.append(Z[i] @ w)
        w = w + step * Z[i]
    return np.array(scores), w


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([np.asarray, sp.csr_array]), st.sampled_from(["f4", "f8"]))
def test_as_good_as_a_standardized_copy(seed, layout, dtype):
    rng = np.random.RandomState(seed)
    m, n = rng.randint(2, 20), rng.randint(1, 6)
    X = (rng.standard_normal((m, n)) * (rng.uniform(size=(m, n)) < 0.6) + rng.randint(-2, 3, n)).astype(dtype)
    X[:, rng.randint(n)] *= 100
    order, steps, w = rng.randint(0, m, 30), rng.standard_normal(30), rng.standard_normal(n)
    exact = X.astype("f8")
    spread = exact.std(axis=0)
    Z = np.divide(exact - exact.mean(axis=0), spread, np.zeros_like(exact), where=spread > 1e-12)
    w[spread <= 1e-12] = 0.0
    expected, w_after = walk_of_copy(Z, order, steps, w)
    matrix = layout(X)
    rows = standardized(matrix, as_rows(matrix))
    v = enter(rows, w[None])[0]
    np.testing.assert_allclose(walk(rows, order, steps, v), expected, rtol=1e-8, atol=1e-8)
    coef, intercept = leave(rows, v, 0.5)
    np.testing.assert_allclose(exact @ coef + intercept, Z @ w_after + 0.5, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
def test_rows_that_are_not_standardized_stay_as_they_are(layout):
    X = np.array([[1.0, 2.0], [0.0, 3.0]])
    rows, v = as_rows(layout(X)), np.array([1.0, 1.0])
    assert walk(rows, np.array([0, 1]), np.array([2.0, 1.0]), v).tolist() == [3.0, 15.0]
    assert v.tolist() == [3.0, 8.0]
    np.testing.assert_array_equal(enter(rows, v[None])[0], v)
    assert leave(rows, v, 2.0)[1] == 2.0


def test_many_rows_are_squared_in_blocks():
    X = np.random.RandomState(0).standard_normal((10_000, 2)) + 5.0
    seen = standardized(X, X)
    np.testing.assert_allclose(seen.mean, X.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(seen.gains, 1.0 / X.var(axis=0), rtol=1e-12)


def test_a_constant_column_has_no_say():
    X = np.column_stack([np.full(997, 0.1), np.arange(997.0)])
    for layout in (np.asarray, sp.csr_array):
        rows = standardized(layout(X), as_rows(layout(X)))
        coef, _ = leave(rows, enter(rows, np.ones((1, 2)))[0], 0.0)
        assert coef[0] == 0.0
        assert coef[1] > 0.0
