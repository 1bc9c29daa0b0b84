"""Rows that rules cannot tell apart count once, with their weights added up."""

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perceptrons import SparsePerceptron
from perceptrons.sparse.rows_alike import BLOCK, rows_alike
from perceptrons.sparse.surgery import RuleRows, eliminate


def problem(n_rules, n_rows, seed):
    rng = np.random.default_rng(seed)
    held = [rng.integers(0, 2, n_rows).astype(np.uint8) for _ in range(n_rules)]
    return held, rng.choice([-1.0, 1.0], n_rows), rng.integers(1, 5, n_rows).astype(float)


def counted(X, signs, weights):
    found = Counter()
    for *pattern, sign, weight in zip(*X, signs, weights, strict=True):
        found[tuple(map(float, pattern)), sign] += weight
    return found


@given(
    n_rules=st.sampled_from([0, 1, 3, 62, 63, 64, 95, 130]),
    n_rows=st.sampled_from([1, 2, 7, 8, 9, 40]),
    seed=st.integers(0, 99),
    block=st.sampled_from([BLOCK, 8]),
)
def test_every_pattern_once_with_its_weight(n_rules, n_rows, seed, block):
    held, signs, weights = problem(n_rules, n_rows, seed)
    held = [one[np.arange(n_rows) % 7] for one in held] if n_rows > 7 else held  # so that some are alike
    with patch("perceptrons.sparse.rows_alike.BLOCK", block):
        X, y, p = rows_alike(held, signs, weights)
    found = counted(X[:-1], y, p)
    assert found == counted(held, signs, weights)
    assert len(found) == len(p)
    assert (X[-1] == 1.0).all()


def test_rows_that_the_last_of_many_rules_tells_apart():
    held = [np.zeros(4, np.uint8)] * 70 + [np.array([0, 1, 1, 0], np.uint8)]
    assert rows_alike(held, np.ones(4), np.ones(4)).weights.tolist() == [2.0, 2.0]


def test_the_order_of_the_rows_makes_no_difference():
    held, signs, weights = problem(4, 300, 0)
    order = np.random.default_rng(1).permutation(300)
    one = rows_alike(held, signs, weights)
    other = rows_alike([column[order] for column in held], signs[order], weights[order])
    assert all((mine == its).all() for mine, its in zip(one, other, strict=True))


@pytest.mark.kernels
def test_weights_fitted_to_patterns_are_those_fitted_to_rows():
    held, signs, weights = problem(5, 300, 2)
    rows = np.vstack([*held, np.ones(300)]).astype(float)
    free, none = np.zeros(6, np.int64), np.zeros(6, np.bool_)
    sizes = np.array([5, 2])
    whole = eliminate(RuleRows(rows, signs, weights), 1.0, sizes, 1e-9, free, none)
    alike = RuleRows(*rows_alike(held, signs, weights))
    assert np.allclose(eliminate(alike, 1.0, sizes, 1e-9, free, none), whole)


def test_a_row_given_three_times_is_a_row_of_weight_three():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (400, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 1, 400) > 2.5).astype(int)
    folds = [(np.arange(400) % 5 != k, np.arange(400) % 5 == k) for k in range(5)]
    thrice = [tuple(np.tile(part, 3) for part in fold) for fold in folds]
    one = SparsePerceptron(cv=folds).fit(X, y, sample_weight=np.full(400, 3.0))
    other = SparsePerceptron(cv=thrice).fit(np.tile(X, (3, 1)), np.tile(y, 3))
    assert [*map(str, one.conjunctions_)] == [*map(str, other.conjunctions_)]
    assert np.allclose(one.weights_, other.weights_, rtol=1e-9, atol=0.0)
