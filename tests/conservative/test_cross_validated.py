"""`band="cv"`: averaged weights and bands from rows left out, against the slow twin; what it promises."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import ConservativePerceptron, Costs
from perceptrons.conservative.conservative_sweep import EACH_ONE, WeightedSigns
from perceptrons.conservative.cross_validated import EPOCHS, clear_bands
from perceptrons.conservative.folds import FOLDS, REPEATS, draw_folds
from perceptrons.conservative.scored_rows import ScoredRows
from perceptrons.rejection.costs import Prices
from perceptrons.rows.order import generators, shuffled
from tests.naive import conservative, conservative_cv

pytestmark = pytest.mark.kernels
RULES = {"cplr1": conservative.cplr1, "cplr2": conservative.cplr2}
COSTS = {"a": {-1: 0, 1: 0}, "b": {-1: 1, 1: 0.5}, "c": {-1: 0.25, 1: 0.125}}


def whole_numbers(m, n, seed, noise):
    rng = np.random.RandomState(seed)
    X = rng.randint(-4, 5, (m, n))
    y = np.where(X @ rng.randint(-2, 3, n) + noise * rng.standard_normal(m) > 0, 1, -1)
    return X, y


def as_fitted(X, y, seed, n_epochs):
    """The folds and orders that a fit with this seed draws."""
    (rng,) = generators(seed, 1)
    _, folds = draw_folds(y, rng)
    return folds, [shuffled(len(y), rng).rows for _ in range(n_epochs)]


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
@pytest.mark.parametrize("symmetric", [False, True], ids=["two bands", "one band"])
@pytest.mark.parametrize("rule", RULES)
def test_learns_what_the_slow_twin_learns(rule, symmetric, weighted, layout):
    for seed in range(2):
        X, y = whole_numbers(26, 3, seed, noise=4.0)
        weights = np.random.RandomState(seed).permutation([0.5, 1.5] * 13) if weighted else None
        model = ConservativePerceptron(
            rule=rule, costs=Costs(wrong={-1: 1, 1: 0.5}, reject={-1: 0.25, 1: 0.125}), symmetric=symmetric,
            standardize=False, eta_weights=(0.125, 0.5), max_epochs=8, random_state=seed,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that all rows are rejected
            model.fit(layout(X.astype(float)), y, weights)
        folds, orders = as_fitted(X, y, seed, model.n_iter_)
        w, b, bands, eta, n_updates = conservative_cv.fit(
            X.tolist(), y.tolist(), orders, 8, folds.tolist(), COSTS,
            lambda right, label: RULES[rule](right, *(COSTS[part][label] for part in "abc"))[0],
            (0.125, 0.5), symmetric, None if weights is None else weights.tolist(),
        )  # fmt: skip
        assert (model.step_sizes_[0], model.n_updates_) == (eta, n_updates)
        np.testing.assert_allclose([*model.coef_[0], *model.intercept_], [*w, b], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(model.bands_, [bands[-1], bands[1]], rtol=1e-9)


def cleared(rows, symmetric):
    return clear_bands(rows, symmetric, rows.least_bands(symmetric))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-6, 6), st.sampled_from([-1, 1]), st.sampled_from([1, 2])), min_size=1),
    st.booleans(),
)
def test_bands_are_clear_of_chance(rows, symmetric):
    s, y, weights = (np.array(part, float) for part in zip(*rows, strict=True))
    prices = Prices(*(np.array([COSTS[part][-1], COSTS[part][1]], float) for part in "abc"))
    expected = conservative_cv.clear_bands(s.tolist(), y.tolist(), COSTS, symmetric, weights.tolist())
    found = cleared(ScoredRows(s, WeightedSigns(y, weights), prices), symmetric)
    assert found.tolist() == [expected[-1], expected[1]]


def test_a_few_rows_by_chance_are_no_reason_to_reject():
    s, prices = np.arange(1.0, 41.0), Prices(np.zeros(2), np.ones(2), np.full(2, 0.2))
    for wrong, band in [((0, 1), 2.5), ((2,), 0.0)]:  # which save 1.6 and 0.4, with errors of 1.6 and 1.2
        y = np.ones(40)
        y[list(wrong)] = -1.0
        assert cleared(ScoredRows(s, WeightedSigns(y, EACH_ONE), prices), False).tolist() == [0.0, band]


@pytest.mark.parametrize("counts", [(2, 9), (5, 5), (30, 7)])
def test_folds_have_their_share_of_both_classes(counts):
    y = np.repeat([-1.0, 1.0], counts)
    _, folds = draw_folds(y, np.random.RandomState(0))
    n_folds = min(FOLDS, *counts)
    assert folds.shape == (REPEATS, len(y))
    for line in folds:
        for label, count in zip((-1, 1), counts, strict=True):
            shares = np.bincount(line[y == label], minlength=n_folds)
            assert len(shares) == n_folds
            assert count // n_folds <= shares.min() <= shares.max() <= -(-count // n_folds)


def test_separable_rows_leave_room_for_new_ones():
    """The paper's bands reject none of the rows, once they are separated, and too few of the new ones."""
    rng = np.random.RandomState(1)
    X = rng.standard_normal((60, 40))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(60) > 0, 1, -1)
    default = ConservativePerceptron(random_state=0).fit(X, y)
    paper = ConservativePerceptron(band="learned", random_state=0).fit(X, y)
    assert paper.training_risk_ == 0.0
    new = rng.standard_normal((2000, 40))
    truth = np.where(new[:, 0] + 0.5 * rng.standard_normal(2000) > 0, 1, -1)
    assert paper.rejects(new).mean() < 0.15 < 0.3 < default.rejects(new).mean()
    assert default.risk(new, truth) < paper.risk(new, truth) - 0.02


def test_a_class_of_one_row_is_learned_without_folds():
    X, y = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 0, 0, 1])
    model = ConservativePerceptron(random_state=0).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert model.n_iter_ <= EPOCHS


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
@pytest.mark.parametrize("standardize", [True, False])
def test_steps_are_shares_of_what_takes_a_usual_row_to_the_band(standardize, layout):
    """Rows of norm 2; when standardized, their mean squared norm is the number of columns that vary."""
    X = np.random.default_rng(0).choice([-1.0, 1.0], (60, 4))
    y = X @ [1, 1, -1, 2] + np.random.default_rng(1).normal(0, 1, 60) > 0
    X = np.column_stack([X, np.zeros(60)])
    auto, same = (
        ConservativePerceptron(standardize=standardize, eta_weights=eta, random_state=0).fit(layout(X), y)
        for eta in ("auto", (0.5 / 5, 0.1 / 5))
    )
    np.testing.assert_allclose(auto.coef_, same.coef_, rtol=1e-9)
    assert min(abs(auto.step_sizes_[0] - share / 5) for share in (0.5, 0.1)) < 1e-12
