"""Nearest points of hulls without rounding: decided as the exact simplex method decides."""

from collections import Counter

import numpy as np
import pytest

from perceptrons.theory.exact_hull import nearest
from tests.naive.exact import is_separable, is_witness
from tests.naive.max_margin import best_margin
from tests.sizes import cases


@pytest.mark.parametrize("intercept", [False, True])
def test_a_witness_or_the_best_margin(intercept):
    rng, counts = np.random.default_rng(intercept), Counter()
    for _ in range(cases(400)):
        m, n = int(rng.integers(2, 12)), int(rng.integers(1, 5))
        X, y = rng.integers(-3, 4, (m, n)).astype(float), rng.choice([-1, 1], m)
        y[:2] = -1, 1
        start = np.array([0, 1]) if rng.random() < 0.5 else rng.permutation(m)[: 1 + m // 2]
        found, reason = nearest(X, y, intercept, start, rng.random(len(start)) - 0.2, tol=1e-9)
        assert reason == ""
        counts[found.vanishes] += 1
        assert found.vanishes is not is_separable(X, y, intercept)
        if found.vanishes:
            assert is_witness(X, y, list(zip(found.rows.tolist(), found.weights, strict=True)), intercept)
        else:
            length = np.linalg.norm(found.w) / (1 + intercept)
            assert length == pytest.approx(best_margin(X, y, intercept), rel=1e-6)
            assert sum(found.weights) == 1 + intercept
            signed = np.array([float(a) for a in found.weights]) * y[found.rows]
            assert signed @ X[found.rows] == pytest.approx(found.w, abs=1e-12)
    assert min(counts.values()) > cases(400) // 10


def test_a_margin_far_below_rounding():
    X = np.array([[2.0**46, 0.0], [2.0**46, 1.0]])
    found, _ = nearest(X, np.array([-1, 1]), False, np.array([0, 1]), np.array([0.5, 0.5]), tol=1e-3)
    assert not found.vanishes
    w = [int(part * 2.0**100) for part in found.w]
    assert -(2**46) * w[0] > 0
    assert 2**46 * w[0] + w[1] > 0


def test_what_is_too_much_is_not_attempted():
    rng = np.random.default_rng(0)
    for X in (rng.standard_normal((3, 42)), rng.standard_normal((2001, 10))):
        found, reason = nearest(X, np.ones(len(X)), False, np.array([0]), np.ones(1), 1e-3)
        assert found is None
        assert "too many" in reason
    X = rng.standard_normal((30, 20)) * 2.0 ** rng.integers(-450, 450, (30, 20))
    found, reason = nearest(X, np.ones(len(X)), False, np.array([0]), np.ones(1), 1e-3)
    assert found is None
    assert "digits" in reason
