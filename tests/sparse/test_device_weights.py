"""Weights fitted on a device beside those of the processor; here PyTorch computes on the processor, and,
marked `gpu`, on a GPU."""

import numpy as np
import pytest
import torch

from perceptrons import SparsePerceptron
from perceptrons.sparse import device as devices
from perceptrons.sparse import device_weights
from perceptrons.sparse.device_weights import DeviceRuleRows
from perceptrons.sparse.surgery import STEPS, RuleRows, eliminate

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
pytestmark = pytest.mark.torch


def problem(seed, n_rules=9, n_rows=500):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rules, n_rows)) < rng.uniform(0.05, 0.9, n_rules)[:, None]
    signs = np.where(2.0 * X[0] - X[1] + rng.normal(0, 0.6, n_rows) > 0.4, 1.0, -1.0)
    return np.vstack([X, np.ones(n_rows, np.bool_)]), signs, rng.integers(1, 4, n_rows).astype(float)


@pytest.mark.parametrize("device", DEVICES)
def test_newtons_method_is_that_of_the_processor(device, monkeypatch):
    monkeypatch.setattr(device_weights, "ROWS", 64)
    n_close = 0
    for seed in range(12):
        here, there = RuleRows(*problem(seed)), DeviceRuleRows(*problem(seed), torch.device(device))
        assert len(here) == len(there) == 10
        places = np.flatnonzero(np.random.default_rng(seed).random(10) < 0.8)
        start = np.random.default_rng(seed).normal(0, 4 * (seed % 3), len(places))  # far off, steps halve
        for steps in (0, 1, STEPS):
            found = []
            for rows in (here, there):
                v = start.copy()
                H, is_close = rows.newton(places, 0.5, v, steps, 1e-4)
                found.append((v, H, is_close))
            (v, H, is_close), (u, G, is_near) = found
            np.testing.assert_allclose(u, v, rtol=1e-7, atol=1e-9)
            np.testing.assert_allclose(G, H, rtol=1e-7, atol=1e-9)
            assert is_close == is_near
            n_close += is_close
    assert 8 <= n_close < 24


@pytest.mark.parametrize("device", DEVICES)
def test_weights_are_dropped_in_the_same_order(device):
    sizes = np.array([9, 7, 4, 2, 1, 0])
    own, kept = np.array([1, 0, -1] * 3), np.arange(9) == 5
    for seed in range(6):
        rows = RuleRows(*problem(seed)), DeviceRuleRows(*problem(seed), torch.device(device))
        here, there = (eliminate(one, 1.0, sizes, 1e-6, own, kept) for one in rows)
        assert ((here == 0) == (there == 0)).all()
        np.testing.assert_allclose(there, here, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("how", [{}, {"max_points": 5}, {"k": 4, "beam": 3, "max_rules": 6}], ids=str)
def test_models_are_those_of_the_processor(how, device, monkeypatch):
    if device == "cpu":
        monkeypatch.setattr(
            devices, "read_device", lambda name: torch.device("cpu") if name == "cuda" else None
        )
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 5))
    y = ((X[:, 0] > 0.2) & (X[:, 1] > 0)) ^ (rng.random(600) < 0.1)
    ours = SparsePerceptron(**how, device="cuda", random_state=0).fit(X, y)
    theirs = SparsePerceptron(**how, random_state=0).fit(X, y)
    assert [str(one) for one in ours.conjunctions_] == [str(one) for one in theirs.conjunctions_]
    assert len(ours.conjunctions_) > 1
    np.testing.assert_allclose(ours.weights_, theirs.weights_, rtol=1e-7)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-7, atol=1e-9)
