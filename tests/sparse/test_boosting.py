"""The search for conjunctions and AdaBoost around it, against the slow twin and against full products."""

import tracemalloc
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons.rows.encode import as_rows
from perceptrons.sparse import pairs
from perceptrons.sparse.boosting import boost
from perceptrons.sparse.conjunctions import Reweighing, arrange, rows_of
from perceptrons.sparse.pairs import BLOCK, GramMatrix, PairSearch, finalists, is_first_pair
from perceptrons.sparse.search import Scope
from tests.naive import boosting as naive

pytestmark = pytest.mark.kernels

LAYOUTS = ["array", "CSR"]


def laid_out(L, layout):
    return as_rows(L if layout == "array" else sp.csr_array(L))


def stages_of(L, attributes, y, weights, k, penalty, n_stages, layout="array"):
    """As the twin returns them: a stage without error is alone."""
    data = arrange(laid_out(L, layout), len(L), attributes)
    found = list(islice(boost(data, y, weights, Scope(k, penalty)), n_stages))
    return found[-1:] if found and found[-1].error == 0.0 else found


def random_case(rng, case):
    n_rows, sizes = int(rng.integers(4, 40)), rng.integers(1, 4, int(rng.integers(1, 6)))
    attributes = np.repeat(np.arange(len(sizes)), sizes)
    L = (rng.random((n_rows, len(attributes))) < rng.choice([0.2, 0.5, 0.8])).astype(np.uint8)
    if case % 3 == 0:
        L[:, -1] = L[:, 0]  # a tie between literals, and between all pairs with them
    y = np.where(rng.random(n_rows) < 0.5, 1, -1).astype(np.int8)
    weights = rng.integers(0, 4, n_rows).astype(float) if case % 2 else np.ones(n_rows)
    return L, attributes, y, weights


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_stage_is_that_of_the_slow_twin(layout):
    rng, cases, stages, pairs, alone, ended = np.random.default_rng(0), 0, 0, 0, 0, 0
    for case in range(160):
        L, attributes, y, weights = random_case(rng, case)
        if weights[y > 0].sum() == 0 or weights[y < 0].sum() == 0:
            continue
        k, penalty = 1 + case % 4 // 2, bool(case % 5)
        rows = L.tolist(), y.tolist(), weights.tolist(), attributes.tolist()
        expected = naive.boost(*rows, k, 12, penalty)
        found = stages_of(L, attributes, y, weights, k, penalty, 12, layout)
        assert [one[:2] for one in found] == [one[:2] for one in expected]
        for one, other in zip(found, expected, strict=True):
            assert one.error == pytest.approx(other[2], rel=1e-9)
            assert one.weight == pytest.approx(other[3], rel=1e-7)
        cases, stages = cases + 1, stages + len(found)
        pairs += sum(len(one.literals) == 2 for one in found)
        alone += len(found) == 1 and found[0].error == 0.0
        ended += len(found) < 12
    assert cases >= 140
    assert stages >= 1000
    assert pairs >= 100
    assert alone >= 3
    assert ended >= 5


def planted(rng, n_rows, n_literals, density):
    """Rows of literals, and classes that a few of them and of their pairs decide, with noise."""
    L = (rng.random((n_rows, n_literals)) < density).astype(np.uint8)
    picks = rng.integers(n_literals, size=(12, 2))
    score = sum(rng.normal() * (L[:, i] & L[:, j]) for i, j in picks) + rng.normal(size=n_rows) * 0.3
    return L, np.where(score > np.median(score), 1, -1).astype(np.int8)


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


def test_refreshing_when_rounding_leaves_too_many_finalists(monkeypatch):
    """The same stages, whether the products are kept or computed afresh whenever there are two finalists."""
    L, y = planted(np.random.default_rng(3), 400, 20, 0.4)
    attributes = np.arange(20)
    kept = stages_of(L, attributes, y, np.ones(400), 2, True, 25)
    monkeypatch.setattr(pairs, "MANY", 1)
    monkeypatch.setattr(pairs, "WORTH", 10**9)
    monkeypatch.setattr(pairs, "ROUNDING", 0.01)
    refreshed = []
    monkeypatch.setattr(
        PairSearch,
        "refresh",
        lambda self, D, old=PairSearch.refresh: (refreshed.append(1), old(self, D)),
    )
    again = stages_of(L, attributes, y, np.ones(400), 2, True, 25)
    assert len(refreshed) >= 5
    assert [one[:2] for one in again] == [one[:2] for one in kept]
    assert np.allclose([one[2:] for one in again], [one[2:] for one in kept], rtol=1e-9)


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


def test_no_table_of_all_pairs_is_made():
    """A byte for each of 1,000 rows and 20,100 conjunctions would be 20 MB."""
    L, y = planted(np.random.default_rng(6), 1_000, 200, 0.3)
    data = arrange(L, 1_000, np.arange(200))
    next(boost(data, y, np.ones(1_000), Scope()))  # compiled
    tracemalloc.start()
    list(islice(boost(data, y, np.ones(1_000), Scope()), 5))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


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


def test_classes_that_no_conjunction_tells_apart_end_at_once():
    """Each row twice, with either class."""
    L = np.repeat(np.array([[0, 1], [1, 0]], np.uint8), 2, axis=0)
    y = np.array([1, -1, 1, -1], np.int8)
    assert stages_of(L, np.arange(2), y, np.ones(4), 2, True, 10) == []


def test_a_conjunction_without_error_ends_it():
    """Two literals decide together. With the penalty single ones do, in turns: their correlation stays above
    one half, which is what the pair's counts."""
    L = np.random.default_rng(5).integers(0, 2, (80, 4)).astype(np.uint8)
    y = np.where(L[:, 1] & L[:, 3], 1, -1).astype(np.int8)
    assert stages_of(L, np.arange(4), y, np.ones(80), 2, False, 40) == [((1, 3), 1, 0.0, 1.0)]
    assert len(stages_of(L, np.arange(4), y, np.ones(80), 2, True, 40)) == 40
