"""Bands found by questions to many places beside those of all rows sorted in one: the same, bit for bit."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from perceptrons.conservative import band_search
from perceptrons.conservative.band_search import cut_up, look, search, side_by_side, sorted_sizes, together
from perceptrons.conservative.bands import best_bands, extra_costs
from perceptrons.conservative.conservative_sweep import EACH_ONE, WeightedSigns
from perceptrons.rejection.costs import Prices
from tests.jit import JIT
from tests.sizes import cases

pytestmark = pytest.mark.kernels
SEEN = Counter()


def searched(s, y, weights, cuts, prices, symmetric):
    """Bands by questions, how many there were, and the sizes of their answers: bins, and rows."""
    extra, sizes, sides = extra_costs(prices), [], [None] if symmetric else [0, 1]
    parts = [
        (s[own], WeightedSigns(y[own], weights[own] if len(weights) else EACH_ONE))
        for own in np.split(np.arange(len(s)), sorted(cuts))
    ]
    rows = [
        [sorted_sizes(*part, None if side is None else (part[0] >= 0.0) == bool(side)) for part in parts]
        for side in sides
    ]

    def ask(questions):
        found = {}
        for k, question in questions.items():
            answers = [look(one, question, extra) for one in rows[k]]
            n_rows = sum(len(one.sizes) for one in answers) if question.rows else 0
            sizes.append((0 if question.rows else len(question.spans), n_rows))
            found[k] = together(answers, question, extra)
        return found

    return np.resize(side_by_side([search(extra) for _ in sides], ask), 2), sizes


PRICE = st.tuples(
    st.sampled_from([0.0, 0.3]), st.sampled_from([0.5, 1.0, 7.0]), st.sampled_from([0.0, 0.1, 0.2])
)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 300))
    s = rng.normal(size=n) if draw(st.booleans()) else rng.integers(-9, 10, n) / 7
    s = s * draw(st.sampled_from([1.0, 1e-300, 1e200])) if draw(st.booleans()) else np.exp(9 * s)
    if draw(st.booleans()):  # some |s| differ by rounding alone, and are the same
        s = np.where(rng.random(n) < 0.5, s, np.nextafter(s, np.inf))
    y = np.where(s + draw(st.sampled_from([0.1, 1.0, 30.0])) * rng.normal(size=n) > 0, 1, -1).astype(np.int8)
    weights = rng.choice([0.5, 1.0, 4.0], n) if draw(st.booleans()) else EACH_ONE
    prices = Prices(*(np.array(part) for part in zip(draw(PRICE), draw(PRICE), strict=True)))
    cuts = draw(st.lists(st.integers(0, n), max_size=5))
    return (
        s,
        y,
        weights,
        cuts,
        prices,
        draw(st.booleans()),
        draw(st.sampled_from([2, 3, 16])),
        draw(st.sampled_from([0, 5, 1000])),
    )


@pytest.mark.thorough
@settings(max_examples=cases(2000), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
@example(
    (np.array([np.inf, 1.0]), np.ones(2), EACH_ONE, [1], Prices(*np.ones((3, 2))), False, 16, 0)
)  # overflow
def test_the_bands_of_all_rows(problem):
    *rows, prices, symmetric, bins, few = problem
    s, y, weights, cuts = rows
    with pytest.MonkeyPatch.context() as patch, np.errstate(invalid="ignore"):
        patch.setattr(band_search, "BINS", bins)
        patch.setattr(band_search, "FEW_ROWS", few)
        found, sizes = searched(*rows, prices, symmetric)
        assert found.tolist() == best_bands(s, y, prices, symmetric, weights).tolist()
    assert max(n_bins for n_bins, _ in sizes) <= bins
    assert max(n_rows for _, n_rows in sizes) <= few
    SEEN["cases"] += 1
    SEEN["rejecting"] += bool(found.any() and np.isfinite(found).all())
    SEEN["several questions"] += len(sizes) > 4
    SEEN["several places"] += bool(cuts)


def test_the_random_cases_told_something():
    assert not SEEN or min(SEEN.values()) > 0.1 * SEEN["cases"]


def test_answers_of_many_rows_are_few_and_small():
    rng = np.random.default_rng(0)
    n = 300_000 if JIT else 6_000
    s = rng.normal(size=n)
    y = np.where(s + rng.normal(size=len(s)) > 0, 1, -1).astype(np.int8)
    prices = Prices(np.zeros(2), np.ones(2), np.full(2, 0.2))
    found, sizes = searched(s, y, EACH_ONE, [*range(n // 33, n, n // 33)], prices, False)
    assert found.tolist() == best_bands(s, y, prices, False).tolist()
    assert len(sizes) <= 2 * 6
    assert max(n_rows for _, n_rows in sizes) <= band_search.FEW_ROWS


@pytest.mark.parametrize("n", [2, 3, 256])
@pytest.mark.parametrize("ends", [(0.0, 5e-324), (0.0, 1.0), (3.0, 3.0), (1e-300, 1e300), (1.0, np.inf)])
def test_spans_are_cut_up_between_neighboring_doubles(ends, n):
    spans = cut_up(*ends, n)
    assert 1 <= len(spans) <= n
    assert (spans[0, 0], spans[-1, 1]) == ends
    assert (spans[:, 0] <= spans[:, 1]).all()
    assert np.array_equal(np.nextafter(spans[:-1, 1], np.inf), spans[1:, 0])
    assert len(spans) > 1 or ends[0] == ends[1]
