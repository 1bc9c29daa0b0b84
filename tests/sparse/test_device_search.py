"""The search by products on a device finds what the processor's search finds; here PyTorch computes on the
processor, and, marked `gpu`, on a GPU."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from perceptrons import SparsePerceptron
from perceptrons.rows.encode import as_rows
from perceptrons.sparse.boosting import boost
from perceptrons.sparse.conjunctions import arrange
from perceptrons.sparse.device_rows import BASE, BITS, CHUNK, DeviceRows, packed
from perceptrons.sparse.device_search import DeviceSearch
from perceptrons.sparse.search import ConjunctionSearch, Scope

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
pytestmark = pytest.mark.torch


def problem(seed, n_rows=300, n=24, density=0.4, wrap=np.asarray, n_teacher=3):
    """Rows whose classes are a noisy vote of a few conjunctions."""
    rng = np.random.default_rng(seed)
    L = (rng.random((n_rows, n)) < density).astype(np.uint8)
    score = sum(L[:, rng.choice(n, 2, replace=False)].all(axis=1) * rng.normal() for _ in range(n_teacher))
    signs = np.where(score + 0.3 * rng.standard_normal(n_rows) > 0, 1, -1)
    attributes = np.sort(rng.integers(0, n // 2, n))
    return arrange(as_rows(wrap(L)), n_rows, attributes), signs


def stages(search, weights, n):
    found = []
    for stage, _ in zip(boost(search, weights), range(n), strict=False):
        found.append(stage)
    return found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scope", [Scope(2), Scope(2, penalty=False), Scope(3), Scope(3, penalty=False)])
def test_stages_are_those_of_the_processor(scope, wrap, device):
    """Fifty random problems in all: the same literals, signs and errors."""
    informative = 0
    for seed in range(7 if scope.k == 2 else 6):
        data, signs = problem(seed, wrap=wrap, density=(0.1, 0.5)[seed % 2], n=(24, 70)[seed % 2])
        weights = np.random.default_rng(seed).integers(0, 4, len(signs)).astype(float)
        ours = stages(DeviceSearch(data, signs, scope, torch.device(device)), weights, 12)
        theirs = stages(ConjunctionSearch(data, signs, scope), weights, 12)
        assert ours == theirs
        informative += len({len(stage.literals) for stage in ours}) > 1
    assert informative


@pytest.mark.parametrize("device", DEVICES)
def test_sums_are_exact_but_for_the_weights(device):
    """Whole numbers up to 2^24: nothing is lost, however they are summed."""
    rng = np.random.default_rng(0)
    n_rows = CHUNK + 1_000
    data, _ = problem(0, n_rows, 16, 0.9)
    rows = DeviceRows(data, torch.device(device))
    L, numbers = np.asarray(data.rows).astype(np.int64), rng.integers(-(2**BITS), 2**BITS, n_rows)
    numbers[0] = 2**BITS
    written = rows.written(rows.send(numbers.astype(float)))
    assert written.error == 0.0
    assert len(written.parts) == 3
    assert all(abs(part.float()).max() <= BASE / 2 for part, _ in written.parts)
    entries = torch.zeros((rows.width,) * 2, dtype=torch.float64, device=device)
    rows.add_gram(rows.send(np.arange(n_rows)), written, 1.0, entries)
    assert (np.triu(entries.cpu().numpy())[:16, :16] == np.triu(L.T @ (numbers[:, None] * L))).all()
    assert not entries[:, 16:].any()


@pytest.mark.parametrize("device", DEVICES)
def test_the_error_of_written_weights_is_what_it_says(device):
    weights = np.random.default_rng(1).exponential(size=1_000) ** 4
    rows = DeviceRows(problem(0, 8, 3)[0], torch.device(device))
    written = rows.written(rows.send(weights))
    again = sum(part.double().cpu().numpy() * unit for part, unit in written.parts)
    assert 0.0 < written.error < 1e-8 * weights.max() * len(weights)
    assert abs(again - weights).sum() == pytest.approx(written.error, rel=1e-6)


def test_csr_rows_and_arrays_are_packed_alike():
    dense, sparse = problem(3)[0], problem(3, wrap=sp.csr_array)[0]
    assert (packed(dense) == packed(sparse)).all()


@pytest.mark.parametrize("device", DEVICES)
def test_a_tiny_error_computes_anew(device):
    """A class that one conjunction nearly tells: what is left of the weights is not rounding."""
    data, _ = problem(5, 400, 20)
    signs = np.where(np.asarray(data.rows)[:, 3] & np.asarray(data.rows)[:, 17], 1, -1)
    signs[0] = -signs[0]
    weights = np.ones(400)
    weights[0] = 1e-9
    ours = stages(DeviceSearch(data, signs, Scope(2), torch.device(device)), weights, 6)
    assert ours == stages(ConjunctionSearch(data, signs, Scope(2)), weights, 6)


@pytest.mark.gpu
@pytest.mark.parametrize(("k", "booster"), [(2, "adaboost"), (3, "adaboost"), (2, "majority")])
def test_models_are_those_of_the_processor(k, booster):
    rng = np.random.default_rng(k)
    X = rng.standard_normal((400, 10))
    y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(400) < 0.1)
    settings = {"k": k, "booster": booster, "refit": "stagewise", "stages": 15, "random_state": 0}
    ours = SparsePerceptron(**settings, device="cuda").fit(X, y)
    theirs = SparsePerceptron(**settings).fit(X, y)
    assert ours.to_text() == theirs.to_text()
    assert (ours.coef_ == theirs.coef_).all() if hasattr(ours, "coef_") else True
