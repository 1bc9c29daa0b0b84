"""Which device a fit uses, and what is said where there is none."""

import sys

import numpy as np
import pytest

from perceptrons import SparsePerceptron
from perceptrons.sparse import device as devices

X, Y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5), np.array([0, 1, 1, 0] * 5)


def fit(**settings):
    return SparsePerceptron(**{"refit": "stagewise", "stages": 3, **settings}).fit(X, Y)


def test_the_processor_is_the_default():
    assert SparsePerceptron().device == "cpu"
    assert devices.read_device("cpu") is None


def test_without_torch_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'pip install "perceptrons\[neural\]"'):
        fit(device="cuda")


@pytest.mark.torch
def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ValueError, match='finds no GPU; use device="cpu"'):
        fit(device="cuda")
    with pytest.raises(ValueError, match=r'device="cuda:7", but the GPUs here are: none'):
        fit(device="cuda:7")
    assert fit(device="auto").to_text() == fit().to_text()  # asks whether there is one


@pytest.mark.parametrize("wrong", ["gpu", "cuda:x", 0, None])
def test_other_names_are_refused(wrong):
    with pytest.raises((ValueError, ImportError), match="device"):
        fit(device=wrong)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"refit": "together", "stages": "cv"}, 'use refit="stagewise"'),
        ({"k": 4}, "at most 3 literals, but k=4"),
        ({"beam": 3}, "beam=3 is for"),
        ({"max_visits": 10}, "max_visits=10 is for"),
    ],
)
def test_searches_of_the_processor_alone_are_refused(settings, words, monkeypatch):
    monkeypatch.setattr(devices, "read_device", lambda name: "a GPU")
    with pytest.raises(ValueError, match=words):
        fit(device="cuda", **settings)
