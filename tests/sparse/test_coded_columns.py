"""Histograms of codes tell what literals and pairs gain."""

import numpy as np
import pytest

from perceptrons.sparse.coded_columns import CodedColumns, column_gains, pair_gains, single_gains
from perceptrons.sparse.rule_pool import PairLookup, RulePool
from perceptrons.tables.literal_cells import LiteralCodes, pack_row_numbers
from tests.naive import joint as naive

pytestmark = pytest.mark.kernels
WIDTHS = np.array([3, 1, 4, 1])
NESTED = np.array([True, True, False, False])


def free(columns):
    """No column has a sign, and none must be kept."""
    return np.zeros(len(columns), np.int64), np.zeros(len(columns), np.bool_)


def columns_of(seed, n_rows=40):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, width + 1, n_rows) for width in WIDTHS], np.uint8)
    starts = np.append(0, WIDTHS.cumsum()[:-1])
    return CodedColumns(codes, NESTED, starts, WIDTHS, *free(WIDTHS)), rng.integers(-9, 10, n_rows).astype(
        float
    )


def every_pair():
    return np.column_stack(np.triu_indices(4, 1)).astype(np.int64)


@pytest.mark.parametrize("seed", range(3))
def test_single_literals(seed):
    columns, r = columns_of(seed)
    gains = np.zeros((4, 5))
    single_gains(columns.codes, NESTED, WIDTHS, r, gains)
    for j, width in enumerate(WIDTHS):
        expected = [naive.gain(columns.codes, NESTED, [(j, c)], r) for c in range(width)]
        assert gains[j, 1 : width + 1].tolist() == expected
        held = [columns.column([int(columns.starts[j]) + c]) @ r for c in range(width)]
        assert held == expected
        assert column_gains(LiteralCodes(columns.codes[j], bool(NESTED[j])), r, width) == max(
            map(abs, expected)
        )


@pytest.mark.parametrize("seed", range(3))
def test_pairs(seed):
    columns, r = columns_of(seed)
    pairs = every_pair()
    best, places = np.zeros((6, 2)), np.zeros((6, 2, 2), np.int64)
    pair_gains(columns.codes, NESTED, WIDTHS, r, pairs, best, places)
    for (a, b), (high, low), where in zip(pairs.tolist(), best.tolist(), places.tolist(), strict=True):
        expected = {
            (c, d): naive.gain(columns.codes, NESTED, [(a, c), (b, d)], r)
            for c in range(WIDTHS[a])
            for d in range(WIDTHS[b])
        }
        assert high == max(0.0, *expected.values())
        assert low == min(0.0, *expected.values())
        for value, place in zip((high, low), where, strict=True):
            assert not value or expected[tuple(place)] == value


def test_a_column_that_is_stored_sparsely():
    rows = np.array([1, 4, 5])
    codes = LiteralCodes(np.array([2, 0, 1], np.uint8), True, pack_row_numbers(rows, 7), 1)
    whole = np.array([1, 2, 1, 1, 0, 1, 1])
    r = np.array([1.0, 2.0, -4.0, 8.0, -16.0, 32.0, 3.0])
    assert column_gains(codes, r, 2) == max(abs(r[whole > 0].sum()), abs(r[whole > 1].sum()))


def test_coarse_columns_are_looked_up_again_in_full():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 33, (2, 500)).astype(np.uint8)
    columns = CodedColumns(
        codes, np.array([True, True]), np.array([0, 32]), np.array([32, 32]), *free(range(2))
    )
    coarse = columns.coarse(5)
    for j in range(2):
        kept = columns.kept(j, 5)
        assert len(kept) == 5
        for c, number in enumerate(kept):
            assert ((coarse.codes[j] > c) == (codes[j] > number)).all()
    r = np.where((codes[0] > 11) & (codes[1] > 20), 1.0, -0.2)
    lookup = PairLookup(columns)
    lookup._coarse = coarse
    assert lookup.best(r, 1)[0].places == (11, 32 + 20)


def test_conjunctions_of_three_are_extensions_of_pairs():
    columns, r = columns_of(5, 200)
    pool = RulePool(columns, 10, 3, penalty=True)
    found = [one for one in pool.wider(r, 10, None) if len(one.places) == 3]
    assert found
    for one in found:
        assert columns.column(one.places) @ r == one.gain
        assert len({pool.owner(place) for place in one.places}) == 3


def test_a_full_pool_takes_no_more():
    columns, _ = columns_of(1)
    pool = RulePool(columns, 2, 2, penalty=True)
    assert pool.add((0,))
    assert not pool.add((0,))
    assert pool.add((0, 4))
    assert not pool.add((1,))
    assert pool.costs.tolist() == [1.0, 2.0]
    assert RulePool(columns, 2, 2, penalty=False).cost(2) == 1.0
