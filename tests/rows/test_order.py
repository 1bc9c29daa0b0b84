"""Visiting orders: every row once, mixed well, as the seed says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.rows import order
from perceptrons.rows.order import (
    BLOCK,
    BUCKET,
    FEW,
    GROUP,
    GROUP_ROWS,
    deal,
    permutations,
    permuted,
    shuffled,
)

pytestmark = pytest.mark.kernels


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 4 * FEW), st.integers(0, 1000))
def test_a_shuffle_visits_every_row_once(m, seed):
    visited = shuffled(m, np.random.RandomState(seed))
    assert np.array_equal(np.sort(visited.rows), np.arange(m))
    assert len(visited.blocks) == (m // BLOCK if m > FEW else 0)


def test_groups_are_what_their_blocks_hold():
    for m in (FEW + 1, 20_000, 20_003, 64 * 1024):
        visited = shuffled(m, np.random.RandomState(m))
        for group in range(len(visited.blocks) // GROUP):
            blocks = visited.blocks[group * GROUP : (group + 1) * GROUP]
            rows = visited.rows[group * GROUP_ROWS : (group + 1) * GROUP_ROWS]
            assert set((rows // BLOCK * BLOCK).tolist()) == set(blocks.tolist())


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_every_group_has_rows_of_a_class_at_the_end_of_sorted_rows(share):
    m = 50_000
    positive = np.arange(m) >= (1 - share) * m
    visited = shuffled(m, np.random.RandomState(0)).rows
    groups = positive[visited][: m // GROUP_ROWS * GROUP_ROWS].reshape(-1, GROUP_ROWS)
    assert abs(groups.mean(axis=1) - share).max() <= 2 / GROUP  # two blocks more or less
    assert groups.any(axis=1).all()


def test_shuffles_differ_from_epoch_to_epoch_and_follow_the_seed():
    for m in (200, 2 * FEW):
        first, again = (order.generators(3, 2) for _ in range(2))
        one, two = shuffled(m, first[0]).rows, shuffled(m, first[0]).rows
        assert not np.array_equal(one, two)
        assert np.array_equal(one, shuffled(m, again[0]).rows)
        assert not np.array_equal(one, shuffled(m, again[1]).rows)


def test_permutations_are_the_same_drawn_together_or_one_by_one():
    together = permutations(50, 7, np.random.RandomState(3))
    rng = np.random.RandomState(3)
    assert together.tolist() == [shuffled(50, rng).rows.tolist() for _ in range(7)]


def test_rows_are_dealt_as_fisher_and_yates_say():
    bits = np.random.RandomState(0).randint(2**32, size=(5, 40), dtype=np.uint32)
    orders = np.empty((5, 40), np.uint32)
    deal(bits, orders)
    for numbers, found in zip(bits.tolist(), orders.tolist(), strict=True):
        dealt = []
        for i, number in enumerate(numbers):
            place = number * (i + 1) // 2**32
            dealt.append(i)
            dealt[i], dealt[place] = dealt[place], dealt[i]
        assert found == dealt


def test_every_permutation_is_as_likely():
    drawn = permutations(4, 24_000, np.random.RandomState(0))
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(counts) == 24
    assert abs(counts - 1000).max() < 150  # nearly five standard deviations


def test_many_rows_are_permuted_in_buckets():
    """Every row once; and a row is as likely at one place as at any other: chi-squared over 32 × 32 parts."""
    m, parts = 4 * BUCKET, 32
    assert m > FEW
    counts, rng = np.zeros((parts, parts)), np.random.RandomState(0)
    for _ in range(20):
        rows = permuted(np.arange(m, dtype=np.uint32), rng)
        assert np.array_equal(np.sort(rows), np.arange(m))
        np.add.at(counts, (np.arange(m) * parts // m, rows * parts // m), 1)
    expected = 20 * m / parts**2
    assert (
        (counts - expected) ** 2 / expected
    ).sum() < 1150  # 1,024 cells, of which 961 are free: 4.3 deviations
    # neighbors are torn apart, too
    assert np.mean(np.abs(np.diff(rows.astype(np.int64))) < BUCKET / 8) < 0.1


def test_permutations_of_buckets_follow_the_seed():
    rows = np.arange(2 * BUCKET, dtype=np.uint32)
    one, same, other = (permuted(rows, np.random.RandomState(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
