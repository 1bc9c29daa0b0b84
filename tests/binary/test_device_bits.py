"""Rows of bits on a device beside those of the processor; here PyTorch computes on the processor, and, marked
`gpu`, on a GPU."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import BinaryPerceptron
from perceptrons.binary import binary_perceptron, device_bits, streamed_counts
from perceptrons.binary.counts import count
from perceptrons.binary.device_bits import DeviceBits, bits_on
from perceptrons.binary.packed_perceptron import pack_weights
from perceptrons.rows.bits import Bits
from perceptrons.rows.packing import to_bits

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
TYPES = ["bool", "uint8", "int8", "uint16", "int32", "int64", "float32", "float64"]


def drawn(seed, n_rows=90, width=70, dtype="float64"):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2 if dtype == "bool" else 5, (n_rows, width)).astype(dtype)
    return X, rng.choice([0.0, 0.5, 1.0, 2.0, 3.7], width), rng.random(n_rows) < 0.4


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", TYPES)
def test_bits_counts_and_scores_are_those_of_the_processor(dtype, device, monkeypatch):
    monkeypatch.setattr(device_bits, "CELLS", 1_000)  # a few rows at a time

    @settings(deadline=None, derandomize=True, max_examples=12)
    @given(st.integers(0, 10**6), st.integers(1, 90), st.sampled_from([1, 7, 8, 63, 64, 65, 130]))
    def check(seed, n_rows, width):
        X, cuts, positive = drawn(seed, n_rows, width, dtype)
        here, there = to_bits(X, cuts), bits_on(torch.device(device), X, cuts)
        assert isinstance(there, DeviceBits)
        assert (len(there), there.width) == (len(here), here.width)
        assert (there.packed().words == here.words).all()
        some = np.arange(0, n_rows, 3)
        assert (there.take(some).words == here.words[some]).all()
        whole = np.random.default_rng(seed).integers(0, 2**40, n_rows)
        for weights in (None, whole, whole / 3.0):
            ours, theirs = count(there, positive, weights), count(here, positive, weights)
            assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
            assert [np.asarray(a).dtype for a in ours] == [np.asarray(b).dtype for b in theirs]
        coef = np.random.default_rng(seed + 1).integers(-1, 2, width).astype(np.int8)
        model = pack_weights(coef, 3)
        assert (model.scores(there) == model.scores(here)).all()
        assert (model.predict(there) == model.predict(here)).all()

    check()


HOW = [
    {},
    {"epsilon": 0.1},
    {"threshold": "figure-1", "epsilon": 0.1},
    {"method": "clipped-hebb"},
    {"method": "clipped-hebb", "threshold": "min-error"},
    {"class_weight": {0: 3, 1: 2}},
    {"class_weight": "balanced"},
]


def assert_same(ours, theirs, X):
    for name in ("coef_", "threshold_", "influence_", "neglected_", "cuts_"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name))
    assert all(np.array_equal(a, b) for a, b in zip(ours.counts_, theirs.counts_, strict=True))
    assert (ours.decision_function(X) == theirs.decision_function(X)).all()
    assert (ours.pack(X).words == theirs.pack(X).words).all()


@pytest.fixture(params=DEVICES)
def on_device(request, monkeypatch):
    """A model that computes on the device."""
    for module in (device_bits, binary_perceptron, streamed_counts):
        monkeypatch.setattr(module, "device_for", lambda model, X: read(model, request.param), raising=False)
    return lambda **how: BinaryPerceptron(**how, device="cuda")


def read(model, device):
    return torch.device(device) if model.device == "cuda" else None


@pytest.mark.parametrize("how", HOW, ids=str)
def test_models_are_those_of_the_processor(how, on_device):
    rng = np.random.default_rng(0)
    X = rng.random((400, 30))
    y = (X[:, :9].sum(axis=1) - X[:, 9:14].sum(axis=1) > 2).astype(int)
    ours, theirs = on_device(**how, random_state=0), BinaryPerceptron(**how, random_state=0)
    assert_same(ours.fit(X, y), theirs.fit(X, y), X)
    kept = ours._reservoir
    assert kept is None or isinstance(kept.rows.cells, Bits)
    if how.get("class_weight") != "balanced":
        for model in (ours, theirs):
            model.partial_fit(X[:100], y[:100])
        assert_same(ours, theirs, X)
        a, b = (model.fit_stream((X, y), batch_rows=150) for model in (ours, theirs))
        assert_same(a, b, X)


def test_of_many_rows_some_are_kept(on_device, monkeypatch):
    from perceptrons.binary import kept_rows

    monkeypatch.setattr(kept_rows, "CAPACITY", 50)
    X, _, _ = drawn(3, 200, 20)
    y = X[:, 0] + X[:, 1] > X[:, 2]
    ours, theirs = (make(random_state=0).fit(X, y) for make in (on_device, BinaryPerceptron))
    assert_same(ours, theirs, X)


@pytest.mark.parametrize(
    ("rows", "how", "words"),
    [
        (sp.csr_array, {}, "takes arrays, but the rows are a sparse matrix"),
        (np.asarray, {"method": "sbpi"}, 'method="sbpi" visits row after row; use device="cpu"'),
    ],
)
def test_what_only_the_processor_does(rows, how, words, monkeypatch):
    X, _, y = drawn(0)
    monkeypatch.setattr(device_bits, "read_device", lambda name: None if name == "cpu" else "a GPU")
    with pytest.raises(ValueError, match=words):
        BinaryPerceptron(**how, device="cuda").fit(rows(X), y)
    model = BinaryPerceptron(**how, device="auto", random_state=0).fit(rows(X), y)
    theirs = BinaryPerceptron(**how, random_state=0).fit(rows(X), y)
    assert (model.coef_ == theirs.coef_).all()
