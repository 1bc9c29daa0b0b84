"""Weights fitted by sums over several places are those fitted to all rows in one."""

import numpy as np
import pytest

from perceptrons.sparse.rows_alike import patterns_of
from perceptrons.sparse.summed_rules import SummedRuleRows, sums_at
from perceptrons.sparse.surgery import RuleRows, eliminate, newton


def problem(seed, n_rules=5, n_rows=300):
    rng = np.random.default_rng(seed)
    held = rng.integers(0, 2, (n_rules, n_rows)).astype(np.uint8)
    signs = np.where(held[0] + held[1] + rng.integers(0, 2, n_rows) > 1, 1.0, -1.0)
    return held, signs, rng.random(n_rows) + 0.5


def in_places(held, signs, weights, cuts):
    """Sums over patterns that lie in several places, one of which has none."""
    parts = np.split(np.arange(len(signs)), sorted([*cuts, cuts[0]]))
    patterns = [patterns_of(held[:, rows], signs[rows], weights[rows]) for rows in parts]

    def sums(places, v):
        found = [sums_at(one, places, v) for one in patterns]
        return tuple(sum(some) for some in zip(*found, strict=True))

    return SummedRuleRows(len(held) + 1, sums)


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_all_rows_in_one_place(seed, monkeypatch):
    monkeypatch.setattr("perceptrons.sparse.summed_rules.BLOCK", 7)
    held, signs, weights = problem(seed)
    rows = RuleRows(np.vstack([held, np.ones(300)]), signs, weights)
    free, none, sizes = np.zeros(5, np.int64), np.zeros(5, np.bool_), np.array([5, 3, 1])
    one = eliminate(rows, 0.5, sizes, 1e-9, free, none)
    other = eliminate(in_places(held, signs, weights, [80, 200]), 0.5, sizes, 1e-9, free, none)
    assert np.array_equal(one != 0.0, other != 0.0)
    assert np.allclose(one, other, rtol=1e-7, atol=1e-9)


def test_a_step_that_goes_too_far_is_halved():
    """From weights so wrong that Newton's parabola has no bottom nearby."""
    held, signs, weights = problem(3)
    X, far = np.vstack([held, np.ones(300)]).astype(float), np.full(6, 6.0)
    one, other = far.copy(), far.copy()
    asked = in_places(held, signs, weights, [100, 150])
    points, sums = [], asked.sums
    asked.sums = lambda places, v: points.append(v.copy()) or sums(places, v)
    H, is_close = newton(X, signs, weights, 0.5, one, 25, 1e-9)
    mine, mine_close = asked.newton(np.arange(6), 0.5, other, 25, 1e-9)
    assert is_close
    assert mine_close
    assert np.allclose(one, other, rtol=1e-8)
    assert np.allclose(H, mine, rtol=1e-6)
    assert abs(np.diff([abs(point).max() for point in points])).max() > 1.0
