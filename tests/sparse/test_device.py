"""Which fits a GPU makes, and what is said of the others."""

import numpy as np
import pytest

from perceptrons import SparsePerceptron
from perceptrons.sparse import device as devices

X, Y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 5), np.array([0, 1, 1, 0] * 5)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 4}, "at most 3 literals, but k=4"),
        ({"beam": 3}, "beam=3 is for"),
        ({"max_visits": 10}, "max_visits=10 is for"),
    ],
)
def test_searches_of_the_processor_alone_are_refused(settings, words, monkeypatch):
    monkeypatch.setattr(devices, "read_device", lambda name: "a GPU")
    with pytest.raises(ValueError, match=words):
        SparsePerceptron(**{"refit": "stagewise", "stages": 3, "device": "cuda", **settings}).fit(X, Y)
