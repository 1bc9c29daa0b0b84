"""Conservative perceptrons: the compiled rules against the slow twin, and what the paper proves or claims."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import ConservativePerceptron, Costs
from perceptrons.conservative.bands import best_bands
from perceptrons.conservative.conservative_parameters import steps_of
from perceptrons.conservative.conservative_sweep import (
    EACH_ONE,
    Assessment,
    CplrRuns,
    WeightedSigns,
    assess,
    risk,
    sweep,
)
from perceptrons.rejection.costs import Prices
from perceptrons.rows.encode import as_rows
from perceptrons.rows.order import in_order
from perceptrons.synthetic import separable
from tests.naive import conservative as naive

pytestmark = pytest.mark.kernels

RULES = {"cplr1": naive.cplr1, "cplr2": naive.cplr2}


def random_prices(rng, uniform=False):
    """Small integers, so that sums are exact."""
    a, c = rng.randint(0, 3, 2), rng.randint(0, 3, 2)
    a, c = (np.full(2, a[0]), np.full(2, c[0])) if uniform else (a, c)
    b = c + (rng.randint(1, 4) if uniform else rng.randint(1, 4, 2))
    return Prices(*(part.astype(float) for part in (a, b, c)))


def by_class(prices):
    return {part: {-1: int(values[0]), 1: int(values[1])} for part, values in zip("abc", prices, strict=True)}


def start(rng, n_runs, n_columns):
    """Runs whose numbers are small multiples of 1/8."""
    return CplrRuns(
        rng.randint(-4, 5, (n_runs, n_columns)).astype(float),
        rng.randint(-4, 5, n_runs).astype(float),
        rng.randint(0, 33, (n_runs, 2)) / 8.0,
        np.full(n_runs, 16.0),
        rng.choice([0.25, 0.5, 1.0], n_runs),
        rng.choice([0.125, 0.5, 1.0], n_runs),
        np.zeros(n_runs, np.int64),
    )


def twin_of(runs, r):
    bands = {-1: float(runs.bands[r, 0]), 1: float(runs.bands[r, 1])}
    return {"w": runs.weights[r].tolist(), "b": float(runs.intercepts[r]), "bands": bands}


def draw_weights(rng, n_rows, weighted):
    """From 1 to 3, as floats, as a fit has them, and as integers for the twin, who does without if none."""
    weights = rng.randint(1, 4, n_rows) if weighted else EACH_ONE
    return (weights.astype(float), weights.tolist()) if weighted else (EACH_ONE, None)


def compare_epochs(seed, rule, symmetric, layout, n_epochs=4, y=None, X=None, prices=None, weighted=False):
    """Several runs at once against the twin, one run at a time; returns what happened."""
    rng = np.random.RandomState(seed)
    n_rows, n_columns, n_runs = rng.randint(3, 20), rng.randint(1, 5), rng.randint(1, 4)
    X = rng.randint(-3, 4, (n_rows, n_columns)) if X is None else X
    y = rng.choice([-1, 1], n_rows) if y is None else y
    prices = random_prices(rng, uniform=symmetric) if prices is None else prices
    runs = start(rng, n_runs, X.shape[1])
    if symmetric:
        runs.bands[:] = runs.bands[:, :1]
    twins = [twin_of(runs, r) for r in range(n_runs)]
    rows = as_rows(layout(X.astype(float)))
    found, scores = Assessment(np.empty(n_runs), np.zeros(n_runs, bool)), np.empty(len(y))
    weights, its_weights = draw_weights(rng, len(y), weighted)
    signs, costs = WeightedSigns(y.astype(np.int8), weights), by_class(prices)
    for _ in range(n_epochs):
        order = rng.permutation(len(y)).astype(np.uint32)
        sweep(rows, rows, signs, in_order(order), steps_of(rule, prices), symmetric, runs)
        assess(rows, signs, prices, rule == "cplr2", symmetric, runs, scores, found)
        for r, twin in enumerate(twins):
            sizes = float(runs.eta_weights[r]), float(runs.eta_bands[r]), 16.0
            its_risk = naive.epoch(
                X.tolist(), y.tolist(), order, twin, costs, RULES[rule], *sizes, symmetric, its_weights
            )
            assert runs.weights[r].tolist() == twin["w"]
            assert runs.intercepts[r] == twin["b"]
            assert runs.bands[r].tolist() == [twin["bands"][-1], twin["bands"][1]]
            assert runs.n_updates[r] == twin["updates"]
            assert found.separated[r] == twin["separates"]
            assert found.risks[r] == pytest.approx(its_risk, abs=1e-12)
        if found.separated.any():
            break
    return int(runs.n_updates.sum()), bool(found.separated.any())


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
@pytest.mark.parametrize("symmetric", [False, True], ids=["two bands", "one band"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("rule", RULES)
def test_every_epoch_equals_the_twin(rule, weighted, symmetric, layout):
    happened = [compare_epochs(seed, rule, symmetric, layout, weighted=weighted) for seed in range(60)]
    assert sum(updates > 10 for updates, _ in happened) >= 45


@pytest.mark.parametrize("symmetric", [False, True], ids=["two bands", "one band"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("rule", RULES)
def test_bands_shrink_to_where_single_steps_lead(rule, weighted, symmetric):
    """Section 3.3: where a hyperplane separates the rows, it makes no difference that we take all at once."""
    shrunk = 0
    for seed in range(60):
        rng = np.random.RandomState(seed)
        X = rng.randint(-6, 7, (12, 2))
        X = X[X.sum(axis=1) != 0]
        prices = Prices(np.full(2, rng.randint(0, 2)), np.full(2, 3), np.ones(2))
        prices = Prices(*(part.astype(float) for part in prices))
        y = np.where(X.sum(axis=1) > 0, 1, -1)
        shrunk += compare_epochs(
            seed, rule, symmetric, np.asarray, n_epochs=20, X=X, y=y, prices=prices, weighted=weighted
        )[1]
    assert shrunk >= 50


def test_cplr1_goes_down_the_gradient():
    """Of equation 8, away from its kinks."""
    checked = {True: 0, False: 0}
    for seed in range(200):
        rng = np.random.RandomState(seed)
        n, y = rng.randint(1, 5), int(rng.choice([-1, 1]))
        x, w, b = rng.standard_normal(n), rng.standard_normal(n), float(rng.standard_normal())
        bands, prices = rng.uniform(0.1, 2.0, 2), random_prices(rng)
        s = float(x @ w) + b
        if min(abs(s), *np.abs(abs(s) - bands)) < 1e-3:
            continue
        runs = CplrRuns(
            w[None].copy(),
            np.array([b]),
            bands[None].copy(),
            np.full(1, 1e9),
            *np.ones((2, 1)),
            np.zeros(1, int),
        )
        row = x[None].copy()
        sweep(
            row,
            row,
            WeightedSigns(np.array([y], np.int8), EACH_ONE),
            in_order(np.zeros(1, np.uint32)),
            steps_of("cplr1", prices),
            False,
            runs,
        )
        if not runs.n_updates[0]:
            continue
        point = np.array([*w, b, *bands])
        gradient = [numerical(point, k, x.tolist(), y, prices) for k in range(len(point))]
        after = np.array([*runs.weights[0], *runs.intercepts, *runs.bands[0]])
        held = (point - np.array(gradient))[-2:].clip(0.0)  # bands do not become negative
        assert after[:-2] == pytest.approx((point - np.array(gradient))[:-2], abs=1e-6)
        assert after[-2:] == pytest.approx(held, abs=1e-6)
        checked[bool(abs(s) < bands[1 if s >= 0 else 0])] += 1
    assert min(checked.values()) >= 30


def numerical(point, k, x, y, prices, h=1e-5):
    def at(values):
        *w, b, negative, positive = values.tolist()
        return naive.criterion(x, y, {"w": w, "b": b, "bands": {-1: negative, 1: positive}}, by_class(prices))

    step = h * np.eye(len(point))[k]
    return (at(point + step) - at(point - step)) / (2 * h)


@pytest.mark.parametrize("symmetric", [False, True], ids=["two bands", "one band"])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_exact_bands_are_the_best_of_all_pairs(weighted, symmetric):
    better = 0
    for seed in range(250):
        rng = np.random.RandomState(seed)
        scores = rng.randint(-8, 9, rng.randint(1, 13)) / 2.0  # many equal ones, and zeros
        y, prices = rng.choice([-1, 1], len(scores)), random_prices(rng)
        weights, its_weights = draw_weights(rng, len(y), weighted)
        least, up, down = naive.best_bands(
            scores.tolist(), y.tolist(), by_class(prices), symmetric, its_weights
        )
        bands = best_bands(scores, y, prices, symmetric, weights)
        signs = WeightedSigns(y.astype(np.int8), weights)
        assert risk(scores, signs, prices, bands) == pytest.approx(least, abs=1e-12)
        if not symmetric:
            assert bands.tolist() == [down, up]
        better += risk(scores, signs, prices, bands) < risk(scores, signs, prices, np.zeros(2))
    assert better >= 100


def test_exact_bands_of_equal_rows_do_not_part_them():
    """Scores of equal rows may differ by rounding; a band between them would mean nothing."""
    score = 0.3
    scores = np.array([score, np.nextafter(score, 1.0), 1.0])
    prices = Costs(reject=0.4).of([0, 1])
    assert best_bands(scores, np.array([-1, 1, 1]), prices, False).tolist() == [0.0, 0.65]


@pytest.mark.parametrize("rule", RULES)
def test_exact_bands_are_never_worse(rule, jit):
    sizes = {} if jit else {"n_restarts": 1, "max_epochs": 5}
    gains = []
    for seed in range(20):
        X, y, _ = separable(80, 4, margin=0.05, noise=0.2, random_state=seed)
        learned, exact = (
            fitted(X, y, rule=rule, band=band, random_state=seed, **sizes) for band in ("learned", "exact")
        )
        np.testing.assert_array_equal(learned.coef_, exact.coef_)
        assert exact.training_risk_ <= learned.training_risk_ + 1e-12
        gains.append(learned.training_risk_ - exact.training_risk_)
    assert max(gains) > 1e-3


def fitted(X, y, **parameters):
    """Whether it has converged or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ConservativePerceptron(**parameters).fit(X, y)


@pytest.mark.parametrize("rule", RULES)
def test_separable_rows_end_without_errors_and_rejections(rule, jit):
    n_sets = 60 if jit else 6
    for seed in range(n_sets):
        n, margin = 2 + seed % 12, 0.03 + 0.002 * seed
        X, y, _ = separable(60 + 4 * seed, n, margin=margin, random_state=seed)
        cost = (0.05, 0.2, 0.45)[seed % 3]
        model = ConservativePerceptron(rule=rule, band="learned", reject_cost=cost, random_state=seed).fit(
            X, y
        )
        assert model.converged_
        assert model.n_iter_ < model.max_epochs  # nothing is better, so training ends
        assert model.training_risk_ == 0.0
        assert (model.predict(X) == y).all()
        assert not model.rejects(X).any()


@pytest.mark.parametrize("rule", RULES)
def test_inseparable_rows_end_at_the_cap_with_a_warning(rule):
    X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]] * 5), np.array([0, 0, 1, 1] * 5)
    with pytest.warns(ConvergenceWarning, match=r"None of 12 runs .* max_epochs=30.* raise max_epochs"):
        model = ConservativePerceptron(
            rule=rule, band="learned", reject_cost=0.4, n_restarts=2, max_epochs=30, random_state=0
        ).fit(X, y)
    assert model.n_iter_ == 30
    assert not model.converged_
    assert 0.25 - 1e-12 <= model.training_risk_ < 0.4  # one corner wrong; all of them rejected


@settings(deadline=None, derandomize=True, max_examples=25)
@given(
    st.integers(0, 10**6), st.lists(st.integers(-30, 30), min_size=3, max_size=3), st.sampled_from([*RULES])
)
def test_the_scale_of_columns_makes_no_difference(seed, powers, rule):
    X, y, _ = separable(40, 3, margin=0.05, noise=0.1, random_state=seed)
    parameters = {"rule": rule, "n_restarts": 1, "max_epochs": 5, "random_state": seed}
    one, other = (fitted(rows, y, **parameters) for rows in (X, X * np.exp2(powers)))
    np.testing.assert_array_equal(one.bands_, other.bands_)
    np.testing.assert_array_equal(one.coef_, other.coef_ * np.exp2(powers))
    assert one.n_updates_ == other.n_updates_


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([*RULES]), st.booleans())
def test_array_and_csr_give_the_same_model(seed, rule, standardize):
    rng = np.random.RandomState(seed)
    X = rng.standard_normal((50, 6)) * (rng.uniform(size=(50, 6)) < 0.4) + (rng.uniform(size=6) < 0.3)
    y = np.where(X.sum(axis=1) + rng.standard_normal(50) > 0.5, "high", "low")
    parameters = {
        "rule": rule,
        "standardize": standardize,
        "n_restarts": 2,
        "max_epochs": 5,
        "random_state": seed,
    }
    one, other = (fitted(rows, y, **parameters) for rows in (X, sp.csr_array(X)))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.bands_, other.bands_, rtol=1e-9, atol=1e-9)
    assert one.n_updates_ == other.n_updates_
