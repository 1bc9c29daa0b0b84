"""C4.5-like trees: gain ratio and pessimistic errors by hand, pruning, values that were not met."""

import numpy as np
import pytest

from perceptrons.papers.jackson_craven import c45

WEATHER = np.array(  # Quinlan's table: outlook, windy; play or not
    [
        [0, 0],
        [0, 1],
        [1, 0],
        [2, 0],
        [2, 0],
        [2, 1],
        [1, 1],
        [0, 0],
        [0, 0],
        [2, 0],
        [0, 1],
        [1, 1],
        [1, 0],
        [2, 1],
    ]
)
PLAY = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0])


def test_gain_and_gain_ratio_are_those_of_the_book():
    gain, ratio = c45.gain_and_ratio(WEATHER[:, 0], PLAY)
    assert (round(gain, 3), round(ratio, 3)) == (0.247, 0.156)
    assert c45.gain_and_ratio(np.arange(14), PLAY) == (
        0.0,
        0.0,
    )  # a name for each row tells nothing of others


def test_pessimistic_errors_are_those_of_the_book():
    assert [round(c45.pessimistic(0, n) / n, 3) for n in (6, 9, 1)] == [0.206, 0.143, 0.75]
    assert c45.pessimistic(3, 3) == 3


def test_a_tree_that_says_what_the_columns_say():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (400, 5))
    y = ((X[:, 1] == 2) | ((X[:, 3] == 0) & (X[:, 1] == 1))).astype(int)
    tree = c45.grow(X, y)
    assert (c45.predict(tree, X) == y).all()
    assert tree.leaves() == 5
    assert tree.column == 1
    unseen = np.full((1, 5), 9)
    assert c45.predict(tree, unseen) == [tree.answer]


def test_noise_is_pruned():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 2, (300, 8)), rng.random(300) < 0.2
    assert c45.grow(X, y.astype(int)).leaves() < c45._grow(X, y.astype(int)).leaves() / 3
    assert c45.grow(X, np.ones(300, int)) == c45.Node(1)


@pytest.mark.parametrize("answer", [0, 1])
def test_a_constant_needs_no_split(answer):
    assert c45.grow(np.zeros((10, 1), int), np.full(10, answer)).leaves() == 1
