"""The best margin of a labelling: against its twin, at its limits, and its proof."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons.data.synthetic import separable
from perceptrons.theory import best_margin, hull
from tests.naive import best_margin as naive


def test_best_margin_is_the_twins():
    rng, separated, cases = np.random.default_rng(6), 0, 0
    for _ in range(150):
        n, d, lift = rng.integers(2, 40), rng.integers(1, 12), float(rng.integers(0, 3))
        X = rng.integers(-3, 4, size=(n, d)).astype(float)
        y = np.where(X @ rng.normal(size=d) + rng.choice([0, 1]) * rng.normal(size=n) > 0, 1, -1)
        if not X.any():
            continue
        found = best_margin(X, y, lift=lift)
        expected = naive.best_margin(X, y, lift**2)
        assert found.margin == pytest.approx(expected, abs=1e-9 * found.radius)
        assert found.margin <= found.margin_bound <= expected + 1e-9 * found.radius
        found.verify(X, y)
        sparse = best_margin(sp.csr_array(X), y, lift=lift)
        assert sparse.margin == pytest.approx(found.margin, abs=1e-9 * found.radius)
        sparse.verify(sp.csr_array(X), y)
        separated += expected > 0
        cases += 1
    assert cases >= 145
    assert 50 <= separated <= cases - 20


def gives_up(*args, **kwargs):
    raise RuntimeError("Maximum number of iterations reached.")


def test_best_margin_at_its_limits(monkeypatch):
    X, y, _ = separable(3000, 20, margin=0.01, random_state=0)  # more rows than join in one round
    found = best_margin(X, y)
    assert found.margin == pytest.approx(0.01, rel=1e-6)
    early = best_margin(X, y, max_rounds=1)
    assert early.margin <= 0.01 <= early.margin_bound  # wider, and true
    assert early.margin_bound > found.margin_bound
    with monkeypatch.context() as patched:
        patched.setattr(hull, "nnls", gives_up)
        start = best_margin(X, y)
    assert start.margin <= 0.01 <= start.margin_bound
    start.verify(X, y)
    nothing = best_margin(np.zeros((2, 2)), np.array([1, -1]))
    assert (nothing.margin, nothing.margin_bound, nothing.radius) == (0, 0, 0)
    nothing.verify(np.zeros((2, 2)), np.array([1, -1]))
    with pytest.raises(ValueError, match="y must hold -1 or 1 for each of the 2 rows"):
        best_margin(np.eye(2), np.array([0, 1]))


def test_a_false_margin_is_refused():
    X, y, _ = separable(30, 5, margin=0.2, random_state=1)
    found = best_margin(X, y)
    for wrong, what in (
        ({"margin": 0.3}, "margin is given as 0.3"),
        ({"margin_bound": 0.1}, "margin_bound is given as 0.1"),
        ({"radius": 2.0}, "radius is given as 2.0"),
        ({"duals": -found.duals}, "no shares"),
        ({"support": found.support + 30}, "not among these 30 rows"),
    ):
        with pytest.raises(ValueError, match=f"^The margin does not hold: .*{what}"):
            replace(found, **wrong).verify(X, y)
    with pytest.raises(ValueError, match="does not hold"):
        found.verify(X[::-1], y)
