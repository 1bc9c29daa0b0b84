"""Which device a fit uses, and what is said where there is none."""

import sys

import numpy as np
import pytest

from perceptrons import BinaryPerceptron, SparsePerceptron, devices

X, Y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5), np.array([0, 1, 1, 0] * 5)
LEARNERS = [
    lambda device: SparsePerceptron(refit="stagewise", stages=3, device=device),
    lambda device: BinaryPerceptron(epsilon=0.1, device=device),
]
each = pytest.mark.parametrize("make", LEARNERS, ids=["sparse", "binary"])


def test_the_processor_is_the_default():
    assert SparsePerceptron().device == BinaryPerceptron().device == "cpu"
    assert devices.read_device("cpu") is None


@each
def test_without_torch_the_message_names_the_extra(make, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'pip install "perceptrons\[neural\]"'):
        make("cuda").fit(X, Y)


@each
@pytest.mark.torch
def test_a_gpu_that_is_not_there_is_refused(make, monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ValueError, match='finds no GPU; use device="cpu"'):
        make("cuda").fit(X, Y)
    with pytest.raises(ValueError, match=r'device="cuda:7", but the GPUs here are: none'):
        make("cuda:7").fit(X, Y)
    there, here = make("auto").fit(X, Y), make("cpu").fit(X, Y)  # asks whether there is one
    assert (there.predict(X) == here.predict(X)).all()


@pytest.mark.torch
def test_auto_is_a_gpu_if_there_is_one(monkeypatch):
    import torch

    for there in (True, False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=there: there)
        assert devices.read_device("auto") == (torch.device("cuda") if there else None)


@each
@pytest.mark.parametrize("wrong", ["gpu", "cuda:x", 0, None])
def test_other_names_are_refused(make, wrong):
    with pytest.raises((ValueError, ImportError), match="device"):
        make(wrong).fit(X, Y)


@pytest.mark.torch
def test_triton_is_for_gpus():
    import torch

    assert not devices.has_triton(torch.device("cpu"))


@pytest.mark.torch
def test_a_gpu_that_is_too_small(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (10**6, 10**6))
    with pytest.raises(
        ValueError, match=r"9 rows take 0\.0006 GB, more than half of the 0\.001 GB .*, or wait"
    ):
        devices.check_room(torch.device("cuda"), 600_000, "9 rows", "wait")
    devices.check_room(torch.device("cuda"), 100_000, "9 rows", "wait")
    devices.check_room(torch.device("cpu"), 10**15, "9 rows", "wait")
