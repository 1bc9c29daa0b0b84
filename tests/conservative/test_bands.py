"""Published bands cost no more than none, nor than rejecting every row, whatever costs are."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import ConservativePerceptron, Costs
from perceptrons.conservative import cross_validated
from perceptrons.conservative.conservative_sweep import WeightedSigns
from perceptrons.conservative.cross_validated import clear_bands, judged_bands
from perceptrons.conservative.scored_rows import ScoredRows, worthwhile
from perceptrons.rejection.costs import Prices
from tests.naive import conservative as naive
from tests.naive import conservative_cv as naive_cv
from tests.sizes import cases

pytestmark = pytest.mark.kernels
ROUNDING = 1e-12
PRICE = st.tuples(st.integers(0, 8), st.integers(1, 8), st.integers(0, 7))
ROWS = st.lists(
    st.tuples(st.integers(-6, 6), st.sampled_from([-1, 1]), st.sampled_from([1, 2, 4])), min_size=1
)
BANDS = st.sampled_from([0.0, 0.5, 1.5, 2.5, 4.5, np.inf])


def priced(of_negative, of_positive):
    """Costs for the twin, and for the library; a rejection costs less than an error."""
    parts = [(a, b + c, c) for a, b, c in (of_negative, of_positive)]
    costs = {name: {-1: down, 1: up} for name, down, up in zip("abc", *parts, strict=True)}
    return costs, Prices(*(np.array([one[-1], one[1]], float) for one in costs.values()))


@settings(max_examples=100, deadline=None)
@given(ROWS, PRICE, PRICE, BANDS, BANDS, st.booleans())
def test_a_band_that_costs_more_than_none_is_0(rows, negative, positive, down, up, symmetric):
    costs, prices = priced(negative, positive)
    s, y, weights = (np.array(part, float) for part in zip(*rows, strict=True))
    bands = {-1: down, 1: down if symmetric else up}
    expected = naive.worthwhile(s.tolist(), y.tolist(), bands, costs, symmetric, weights.tolist())
    rows = ScoredRows(s, WeightedSigns(y, weights), prices)
    found = worthwhile(rows, symmetric, np.array([bands[-1], bands[1]]))
    assert found.tolist() == [expected[-1], expected[1]]


@settings(max_examples=100, deadline=None)
@given(ROWS, PRICE, PRICE, st.booleans())
def test_bands_by_rows_left_out_are_those_of_the_slow_twin(rows, negative, positive, symmetric):
    costs, prices = priced(negative, positive)
    s, y, weights = (np.array(part, float) for part in zip(*rows, strict=True))
    expected, _ = naive_cv.judged_bands(s.tolist(), y.tolist(), costs, symmetric, weights.tolist())
    found, cost = judged_bands(ScoredRows(s, WeightedSigns(y, weights), prices), symmetric)
    assert found.tolist() == [expected[-1], expected[1]]
    for other in ({-1: 0, 1: 0}, {-1: np.inf, 1: np.inf}):
        assert cost <= naive.risk(s.tolist(), y.tolist(), other, costs, weights.tolist()) + ROUNDING


def test_a_cap_that_makes_a_band_dear_leaves_none():
    """Up to 2.5 two wrong rows are rejected with three right ones; up to 1.5, these alone."""
    s, y = np.repeat([1.0, 2.0, 5.0], (3, 2, 20)), np.repeat([1.0, -1.0, 1.0], (3, 2, 20))
    prices = Prices(np.zeros(2), np.array([11.0, 2.0]), np.ones(2))
    rows = ScoredRows(s, WeightedSigns(y, np.ones(25)), prices)
    assert judged_bands(rows, False)[0].tolist() == [0.0, 3.5]
    bands, cost = judged_bands(rows, False, 1.5)
    assert (bands.tolist(), cost) == ([0.0, 0.0], 22 / 25)


def test_where_a_band_is_not_beyond_chance_it_may_still_be_cheaper_to_reject_every_row():
    """One wrong row of two saves a little more than the right one costs: not beyond chance."""
    s, y = np.array([1.0, 1.0]), np.array([-1.0, 1.0])
    prices = Prices(np.zeros(2), np.ones(2), np.full(2, 0.45))
    rows = ScoredRows(s, WeightedSigns(y, np.ones(2)), prices)
    assert clear_bands(rows, False, rows.least_bands(False)).tolist() == [0.0, 0.0]
    bands, cost = judged_bands(rows, False)
    assert bands.tolist() == [0.0, np.inf]
    assert cost == pytest.approx(0.45)


def unequal(rng):
    """Costs that differ by up to four orders of magnitude."""
    wrong = {label: float(10.0 ** rng.uniform(-2, 2)) for label in (0, 1)}
    reject = {label: float(wrong[label] * rng.uniform(0.02, 0.9)) for label in (0, 1)}
    gain = {label: float(wrong[label] * rng.choice([0.0, 0.0, 0.3, 2.0])) for label in (0, 1)}
    return Costs(gain=gain, wrong=wrong, reject=reject)


def noisy(rng):
    X = rng.standard_normal((int(rng.choice([20, 40, 80])), int(rng.choice([1, 2, 5]))))
    noise = rng.choice([0.3, 1.0, 3.0])
    y = (X[:, 0] + noise * rng.standard_normal(len(X)) > rng.uniform(-0.5, 0.5)).astype(int)
    y[:2] = 0, 1
    return X, y


def risks(s, y, prices, bands, weights=None):
    """Of these bands, of none, and of rejecting every row."""
    labels, costs = (2 * y - 1).tolist(), {}
    for name, part in zip("abc", prices, strict=True):
        costs[name] = {-1: part[0], 1: part[1]}
    return [
        naive.risk(s.tolist(), labels, {-1: down, 1: up}, costs, weights)
        for down, up in (bands, (0.0, 0.0), (np.inf, np.inf))
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("band", ["learned", "exact"])
def test_no_published_band_costs_more_than_none_or_than_rejecting_every_row(band):
    rng, n_fits, some = np.random.RandomState(25), cases(240, 5), 0
    for number in range(n_fits):
        X, y = noisy(rng)
        rule, symmetric = ("cplr1", "cplr2")[number % 2], number % 4 > 1
        model = ConservativePerceptron(
            rule=rule, symmetric=symmetric, band=band, costs=unequal(rng), n_restarts=1, max_epochs=10,
            random_state=number,
        )  # fmt: skip
        weights = rng.choice([0.5, 1.0, 3.0], len(y)) if number % 3 == 0 else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that all rows are rejected, or some wrong
            model.fit(X, y, weights)
        published, none, rejecting = risks(
            model.decision_function(X),
            y,
            model._prices,
            model.bands_,
            None if weights is None else [*weights],
        )
        assert published == pytest.approx(model.training_risk_)
        largest = max(map(np.max, model._prices))
        assert published <= min(none, rejecting) + ROUNDING * largest
        some += bool(np.isfinite(model.bands_).all() and model.bands_.any())
    assert some >= n_fits // 20  # that reject some rows, by finite bands


@pytest.mark.thorough
def test_bands_by_rows_left_out_cost_no_more_there_than_none_or_than_rejecting_every_row(monkeypatch):
    rng, n_fits, some, seen = np.random.RandomState(26), cases(240, 5), 0, []

    def noted(rows, *rest):
        found = judged_bands(rows, *rest)
        seen.append((*rows, found))
        return found

    monkeypatch.setattr(cross_validated, "judged_bands", noted)
    for number in range(n_fits):
        X, y = noisy(rng)
        model = ConservativePerceptron(
            rule=("cplr1", "cplr2")[number % 2], symmetric=number % 4 > 1, costs=unequal(rng),
            eta_weights=0.1, max_epochs=6, max_band=0.5 if number % 5 == 0 else "auto", random_state=number,
        )  # fmt: skip
        weights = rng.choice([0.5, 1.0, 3.0], len(y)) if number % 3 == 0 else None
        seen.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(X, y, weights)
        ((scores, signs, prices, (bands, cost)),) = seen
        heavy = [*signs.weights] if len(signs.weights) else None
        published, none, rejecting = risks(scores, (signs.y > 0).astype(int), prices, bands, heavy)
        assert published == pytest.approx(cost)
        assert published <= min(none, rejecting) + ROUNDING
        if not np.isinf(model.bands_).all():  # in the scale of the weights; or all rows are rejected
            finite = (bands > 0.0) & np.isfinite(bands)
            ratios = model.bands_[finite] / bands[finite]
            assert (model.bands_ > 0.0).tolist() == (bands > 0.0).tolist()
            assert not len(ratios) or ratios.min() == pytest.approx(ratios.max())
        some += bool(np.isfinite(bands).all() and bands.any())
    assert some >= n_fits // 20
