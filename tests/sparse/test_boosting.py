"""The search for conjunctions and AdaBoost around it, against the slow twin and against full products."""

import tracemalloc
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons.rows.encode import as_rows
from perceptrons.sparse import pairs
from perceptrons.sparse.boosting import boost
from perceptrons.sparse.conjunctions import arrange
from perceptrons.sparse.pairs import PairSearch
from perceptrons.sparse.search import ConjunctionSearch, Scope
from tests.naive import boosting as naive

pytestmark = pytest.mark.kernels

LAYOUTS = ["array", "CSR"]


def laid_out(L, layout):
    return as_rows(L if layout == "array" else sp.csr_array(L))


def stages_of(L, attributes, y, weights, k, penalty, n_stages, layout="array"):
    """As the twin returns them: a stage without error is alone."""
    data = arrange(laid_out(L, layout), len(L), attributes)
    found = list(islice(boost(ConjunctionSearch(data, y, Scope(k, penalty)), weights), n_stages))
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


@pytest.mark.slow
def test_no_table_of_all_pairs_is_made():
    """A byte for each of 1,000 rows and 20,100 conjunctions would be 20 MB."""
    L, y = planted(np.random.default_rng(6), 1_000, 200, 0.3)
    data = arrange(L, 1_000, np.arange(200))
    next(boost(ConjunctionSearch(data, y, Scope()), np.ones(1_000)))  # compiled
    tracemalloc.start()
    list(islice(boost(ConjunctionSearch(data, y, Scope()), np.ones(1_000)), 5))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


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
