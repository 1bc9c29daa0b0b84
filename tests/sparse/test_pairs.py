"""Pairs by updated products: what a full product finds, and errors that are admitted."""

import numpy as np
import pytest

from perceptrons.compiled import threads
from perceptrons.sparse import pairs
from perceptrons.sparse.conjunctions import Reweighing, arrange, rows_of
from perceptrons.sparse.pairs import (
    BLOCK,
    GramMatrix,
    PairSearch,
    finalists,
    is_first_pair,
    parts_of,
    rescore_columns,
    rescore_rows,
)
from tests.naive import boosting as naive
from tests.sparse.test_boosting import LAYOUTS, laid_out, planted

pytestmark = pytest.mark.kernels


def best_by_full_product(L, attributes, y, D, share):
    """All correlations in float64, from one product, and the tie rule read off the definition."""
    G = (L * (D * y)[:, None]).T @ L.astype(float)
    mean = (D * y).sum()
    n = len(attributes)
    values = {(): mean, **{(i,): 2 * G[i, i] - mean for i in range(n)}}
    values |= {
        (i, j): 2 * G[i, j] - mean
        for i in range(n)
        for j in range(i + 1, n)
        if attributes[i] != attributes[j]
    }
    sizes = {c: abs(v) * (share if len(c) == 2 else 1.0) for c, v in values.items()}
    most = max(sizes.values())
    winner = min((c for c in sizes if sizes[c] >= most * (1 - 1e-9)), key=lambda c: (len(c), c))
    return winner, values[winner]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("density", [0.1, 0.5])
def test_updated_products_pick_what_a_full_product_picks(layout, density, jit):
    """On enough rows for several blocks; the matrices must stay within the error they admit."""
    rng = np.random.default_rng(7)
    n_rows, n_stages = (3 * BLOCK + 5, 60) if jit else (BLOCK + 5, 12)
    L, y = planted(rng, n_rows, 24, density)
    attributes = np.arange(24) // 2
    data = arrange(laid_out(L, layout), n_rows, attributes)
    D, admitted = np.full(n_rows, 1 / n_rows), 0.0
    search = PairSearch(data, y, D, 0.5)
    for _ in range(n_stages):
        found = search.best(D)
        winner, correlation = best_by_full_product(L, attributes, y, D, 0.5)
        assert found.literals == winner
        assert found.correlation == pytest.approx(correlation, abs=1e-12)
        for sign, side in search.sides.items():
            exact = (L * (D * (y == sign))[:, None]).T @ L.astype(float)
            assert np.abs(np.triu(side.entries - exact)).max() <= side.error + 1e-15
            admitted = max(admitted, side.error)
        covered, sign = rows_of(data, winner), 1 if correlation > 0 else -1
        right = (y == sign) == covered
        error = D[~right].sum()
        beta = error / (1 - error)
        after = np.where(right, D * beta, D)
        search.follow(Reweighing(D, right, beta, after.sum()))
        D = after / after.sum()
    assert admitted > 0.0


def test_equal_weights_are_counted_without_error():
    L, _ = planted(np.random.default_rng(1), 2 * BLOCK + 1, 10, 0.5)
    matrix = GramMatrix(L, 10)
    matrix.fill(np.arange(len(L)), np.full(len(L), 1.0))
    counts = L.astype(int).T @ L
    assert (np.triu(matrix.entries) == np.triu(counts)).all()
    matrix.fill(np.arange(len(L)), np.full(len(L), 1 / len(L)))
    assert 0.0 < np.abs(np.triu(matrix.entries - counts / len(L))).max() <= matrix.error


def test_the_error_of_unequal_weights_is_admitted():
    """Ones throughout: every entry is 1, and all terms are rounded alike."""
    L = np.ones((8 * BLOCK, 5), np.uint8)
    for seed in range(5):
        D = np.random.default_rng(seed).choice([1.0, 0.1], len(L))
        matrix = GramMatrix(L, 5)
        matrix.fill(np.arange(len(L)), D / D.sum())
        error = np.abs(np.triu(matrix.entries - 1.0))[np.triu_indices(5)].max()
        assert 2.0**-23 < error <= matrix.error  # more than the last step rounds


@pytest.mark.parametrize("layout", LAYOUTS)
def test_threads_share_the_rows_and_change_nothing(layout, monkeypatch, jit):
    """The matrix of parts is within its error, and that of threads the same, bit for bit."""
    monkeypatch.setattr(pairs, "PART_TIME", 100.0)
    monkeypatch.setattr(pairs, "MERGED", 0)
    monkeypatch.setattr(pairs, "LONG", 0)
    rng, n_rows = np.random.default_rng(3), 5 * BLOCK + 7 if jit else BLOCK + 7
    L, y = planted(rng, n_rows, 24, 0.3)
    data, D = arrange(laid_out(L, layout), n_rows, np.arange(24)), rng.random(n_rows)
    D /= D.sum()
    found = []
    for n_jobs in (1, 2, 3):
        with threads(n_jobs) as workers:
            search = PairSearch(data, y, D, 0.5, workers)
            found.append(
                (search.best(D), search.top(D, 7), *(side.entries for side in search.sides.values()))
            )
    for other in found[1:]:
        assert other[:2] == found[0][:2]
        assert all((a == b).all() for a, b in zip(other[2:], found[0][2:], strict=True))
    for side in search.sides.values():
        assert len(parts_of(n_rows // 2, side._row_time, 0)) == 8
    for sign, entries in zip(search.sides, found[0][2:], strict=True):
        exact = (L * (D * (y == sign))[:, None]).T @ L.astype(float)
        assert np.abs(np.triu(entries - exact)).max() <= search.sides[sign].error


def test_parts_are_long_enough_to_be_worth_it():
    assert parts_of(5, 0.0, 100) == [slice(0, 5)]
    assert parts_of(1000, 399.0, 100) == [slice(0, 1000)]
    assert parts_of(1001, 400.0, 100) == [slice(0, 500), slice(500, 1001)]
    assert len(parts_of(10**6, 400.0, 10**6)) == 8
    assert len(parts_of(1000, 1e5, 10**7)) == 1  # to add them up would take as long


@pytest.mark.parametrize("layout", LAYOUTS)
def test_packed_columns_rescore_bit_for_bit(layout):
    rng = np.random.default_rng(4)
    L, y = planted(rng, 200, 12, 0.4)
    signed = rng.random(200) * y
    signed[::7] = 0.0
    ends = np.repeat([3, 6, 9, 12], 3)
    data, packed = (arrange(laid_out(L, layout), 200, np.repeat(np.arange(4), 3)) for _ in range(2))
    assert (data.ends == ends).all()
    some = np.array([(i, j) for i in range(12) for j in range(i, 12)])
    one, other = np.zeros((2, len(some)))
    rescore_rows(data.rows, signed, some, one)
    assert not packed.are_packed
    rescore_columns(packed.columns, signed, some, other)
    assert packed.are_packed
    assert (one == other).all()
    assert one == pytest.approx([(signed * L[:, i] * L[:, j]).sum() for i, j in some], abs=1e-12)
    for literals in [(), (4,), (1, 7), (1, 2), (0, 3, 11)]:
        assert (rows_of(data, literals) == rows_of(packed, literals)).all()


def test_literals_that_hold_in_the_same_rows_are_not_scored_again():
    """A hundred copies of a column are one finalist, and its first."""
    rng = np.random.default_rng(2)
    column = rng.integers(0, 2, 60).astype(np.uint8)
    L = np.repeat(column[:, None], 100, axis=1)
    y = np.where((column == 1) ^ (rng.random(60) < 0.2), 1, -1).astype(np.int8)
    data = arrange(L, 60, np.arange(100))
    assert (data.twins == 0).all()
    D = np.full(60, 1 / 60)
    search = PairSearch(data, y, D, 1.0)
    assert len(search._finalists(float((D * y).sum()))) == 1
    assert search.best(D).literals == (0,)


def test_a_twin_in_the_partners_attribute_does_not_hide_a_pair():
    """Literals 0 and 2 hold in the same rows, but 0 cannot be joined with 1, its own attribute's."""
    twins, ends = np.array([0, 1, 0, 3]), np.array([2, 2, 3, 4])
    assert is_first_pair(1, 2, twins, ends)  # (0, 1) is no conjunction
    assert not is_first_pair(2, 3, twins, ends)  # (0, 3) is one, and comes first
    assert not is_first_pair(0, 2, twins, ends)  # literal 0 alone


def test_more_finalists_than_room_are_counted_and_kept():
    P, N = np.full((30, 30), 0.5), np.zeros((30, 30))
    few = np.empty((5, 2), np.int64)
    arguments = P, N, 0.0, 1.0, np.arange(1, 31), np.arange(30), 1e-6
    assert finalists(*arguments, few) == 30 + 30 * 29 // 2
    assert few.tolist() == [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4]]
    L = np.eye(30, dtype=np.uint8)
    search = PairSearch(arrange(L, 30, np.arange(30)), np.ones(30, np.int8), np.full(30, 1 / 30), 1.0)
    search.sides[1].entries[:] = 0.5
    assert len(search._finalists(0.0)) == 465


@pytest.mark.parametrize(
    ("n_attributes", "n_values", "expected"), [(15, 2, 450), (57, 4, 25_764), (15, 4, 1_740)]
)
def test_as_many_conjunctions_as_in_the_paper(n_attributes, n_values, expected):
    """All pairs that the search looks at are finalists if the slack is large enough; the constant is none."""
    attributes = np.repeat(np.arange(n_attributes), n_values)
    assert len(naive.conjunctions(attributes.tolist(), 2)) == expected + 1
    n = len(attributes)
    ends = np.searchsorted(attributes, attributes, side="right")
    ones, room = np.full((n, n), 0.25), np.empty((1, 2), np.int64)
    assert finalists(ones, np.zeros((n, n)), 0.0, 1.0, ends, np.arange(n), 10.0, room) == expected


def test_pairs_that_hold_nowhere_are_no_finalists():
    """One literal per row: no pair holds anywhere, and each would tie with the constant."""
    rng = np.random.default_rng(22)
    L = np.eye(60, dtype=np.uint8)[rng.integers(0, 60, 300)]
    y = np.where(rng.random(300) < 0.03, 1, -1).astype(np.int8)
    D = np.full(300, 1 / 300)
    search = PairSearch(arrange(L, 300, np.arange(60)), y, D, 1.0)
    assert len(search._finalists(float((D * y).sum()))) <= 60
