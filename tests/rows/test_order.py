"""Visiting orders: every row once, block by block, as the seed says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.rows import order


@settings(deadline=None)
@given(st.integers(1, 700), st.integers(0, 1000))
def test_a_shuffle_visits_every_row_once_block_by_block(m, seed):
    visited = order.shuffled(m, np.random.RandomState(seed))
    assert sorted(visited.tolist()) == list(range(m))
    blocks = visited // order.BLOCK
    assert (np.diff(blocks.astype(int)) != 0).sum() == -(-m // order.BLOCK) - 1


def test_shuffles_differ_from_epoch_to_epoch_and_follow_the_seed():
    first, again = (order.generators(3, 2) for _ in range(2))
    one, two = order.shuffled(200, first[0]), order.shuffled(200, first[0])
    assert not np.array_equal(one, two)
    assert np.array_equal(one, order.shuffled(200, again[0]))
    assert not np.array_equal(one, order.shuffled(200, again[1]))
