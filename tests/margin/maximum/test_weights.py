"""Weights of rows and classes in `MaxMarginPerceptron`: with slack a weight is a repetition, without slack a
positive weight changes nothing; a row of weight 0 is absent in both cases."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

from perceptrons import MaxMarginPerceptron, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.margin.maximum import descent, methods
from perceptrons.margin.maximum.descent import descend
from perceptrons.margin.maximum.methods import shrink_corral
from perceptrons.margin.maximum.newton import newton
from tests.naive.max_margin import best_soft_margin, hyperplane

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])


def noisy(seed=0, m=40, n=4):
    """Rows that no hyperplane separates, and weights of whole numbers, some of them 0."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) + 0.3
    y = np.where(X[:, 0] + rng.standard_normal(m) > 0.3, 1, -1)
    return X, y, rng.integers(0, 4, m).astype(float)


def fitted(X, y, weights=None, **parameters):
    return MaxMarginPerceptron(**parameters).fit(X, y, sample_weight=weights)


def same(one, other):
    """Are they the same model, bit for bit? Row numbers apart, which depend on the rows given."""
    names = ("coef_", "intercept_", "dual_coef_", "n_updates_")
    assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    assert repr(one.history_) == repr(other.history_)
    return True


def recertified(model, X, y, weights):
    """The certificates, from rows, weights and the model alone."""
    certificates = certify(model, X, y, sample_weight=weights)
    return certificates if isinstance(certificates, list) else [certificates]


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("method", [shrink_corral, descend, newton])
def test_each_method_against_the_naive_twin(monkeypatch, method, intercept, jit):
    monkeypatch.setattr(methods, "methods", lambda *_, **__: [method])
    monkeypatch.setattr(descent, "PATIENCE", 10**5)
    for seed in range(6 if jit else 1):
        X, y, weights = noisy(seed)
        weights *= 0.7
        there, C = weights > 0, [0.05, 0.5, 2.0][seed % 3]
        w, b = hyperplane(X[there], y[there], intercept, C, weights[there])
        best = best_soft_margin(X[there], y[there], intercept, C, weights[there])
        for rows in (X, sp.csr_array(X)):
            model = fitted(rows, y, weights, C=C, fit_intercept=intercept, tol=1e-7, max_iter=10**5)
            certificate = model.certificate_
            assert model.converged_
            assert certificate.soft_margin <= best * (1 + 1e-7)
            assert best <= certificate.soft_margin_bound * (1 + 1e-7)
            assert certificate.gap <= 1.01e-7
            assert model.coef_[0] == pytest.approx(w, abs=2e-3 * np.linalg.norm(w))
            assert model.intercept_[0] == pytest.approx(b, abs=2e-3 * np.linalg.norm(w))
            assert recertified(model, rows, y, weights) == [certificate]


@pytest.mark.parametrize("shape", [(60, 4), (12, 30)])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("C", [0.3, 20.0])
def test_with_slack_a_weight_is_a_repetition(shape, intercept, C):
    X, y, weights = noisy(1, *shape)
    often = np.repeat(np.arange(len(y)), weights.astype(int))
    model = fitted(X, y, weights, C=C, fit_intercept=intercept, tol=1e-8)
    other = fitted(X[often], y[often], C=C, fit_intercept=intercept, tol=1e-8)
    assert model.coef_ == pytest.approx(other.coef_, abs=1e-6)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-6)
    assert model.certificate_.soft_margin == pytest.approx(other.certificate_.soft_margin, rel=1e-6)
    plain = fitted(X, y, C=C, fit_intercept=intercept, tol=1e-8)
    assert np.abs(model.coef_ - plain.coef_).max() > 1e-2


def test_with_slack_as_linear_svc():
    X, y, weights = noisy(2, 200, 5)
    model = fitted(X, y, weights, C=0.6, fit_intercept=False, tol=1e-9)
    oracle = LinearSVC(C=0.3, fit_intercept=False, dual=False, tol=1e-12).fit(X, y, sample_weight=weights)
    assert model.coef_ == pytest.approx(oracle.coef_, abs=1e-5)


def test_twice_the_weights_are_twice_the_cost():
    X, y, _ = noisy(3)
    model, other = fitted(X, y, np.full(len(y), 2.0), C=0.5, tol=1e-9), fitted(X, y, C=1.0, tol=1e-9)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-9)
    assert same(fitted(X, y, np.ones(len(y)), C=1.0), fitted(X, y, C=1.0))


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
@pytest.mark.parametrize("y_from", ["separable", "noisy", "three"])
def test_without_slack_a_positive_weight_changes_nothing(make, y_from):
    X, y, _ = noisy(4, 60, 3)
    y = {"separable": X @ [1.0, 2.0, -1.0] > 0.1, "noisy": y, "three": np.arange(60) % 3}[y_from]
    weights = np.geomspace(1e-6, 1e6, len(y))
    model, plain = fitted(make(X), y, weights), fitted(make(X), y)
    assert same(model, plain)
    assert model.certificate_ == plain.certificate_
    assert np.array_equal(model.support_, plain.support_)
    assert same(fitted(make(X), y, class_weight="balanced"), plain)


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
@pytest.mark.parametrize("C", [np.inf, 2.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_row_of_weight_0_is_absent(make, C, classes):
    X, y, weights = noisy(5)
    y = y if classes == 2 else np.arange(len(y)) % 3
    present = np.flatnonzero(weights)
    assert 5 <= len(present) < len(y)
    model, other = (
        fitted(make(X), y, weights, C=C),
        fitted(make(X)[present], y[present], weights[present], C=C),
    )
    assert same(model, other)
    assert model.n_rows_ == other.n_rows_ == len(present)
    assert np.array_equal(model.support_, present[other.support_])
    ones, others = (each.certificate_ if classes == 3 else [each.certificate_] for each in (model, other))
    for one, two in zip(ones, others, strict=True):
        there = two.witness and tuple((present[row], weight) for row, weight in two.witness)
        assert one == replace(two, witness=there)
    assert any(one.witness for one in ones) is (C == np.inf)


def test_a_witness_is_found_again_among_the_rows_present():
    X, y = np.vstack([[[9.0, 9.0]], XOR[0]]), np.append(1, XOR[1])
    weights = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    model = fitted(X, y, weights)
    assert [row for row, _ in model.certificate_.witness] == [1, 2, 3, 4]
    assert certify(model, X, y, weights).witness == model.certificate_.witness
    assert certify(model, X, y, [0, 1, 1, 1, 0]).witness is None
    verify(model.certificate_, model, X, y, weights)


def test_weights_of_classes():
    X, y, weights = noisy(6)
    weights += 0.5
    factors = np.where(y > 0, 3.0, 1.0)
    assert same(fitted(X, y, weights, C=1.0, class_weight={1: 3}), fitted(X, y, weights * factors, C=1.0))
    total = {label: weights[y == label].sum() for label in (-1, 1)}
    factors = np.where(y > 0, 1 / total[1], 1 / total[-1]) * weights.sum() / 2
    one = fitted(X, y, weights, C=1.0, class_weight="balanced", tol=1e-8)
    assert one.coef_ == pytest.approx(fitted(X, y, weights * factors, C=1.0, tol=1e-8).coef_, abs=1e-9)
    # balanced weights are those of all rows, and others may be: the support rows alone do not give the model
    assert not one.certificate_.reproducible
    assert not fitted(X, y, weights, C=1.0, tol=1e-8).certificate_.reproducible
    assert fitted(X, y, C=1.0, tol=1e-8, class_weight={1: 3}).certificate_.reproducible
    heavy = fitted(X, y, C=1.0, class_weight={-1: 1e6})
    assert (heavy.predict(X[y < 0]) == -1).all()


def test_a_certificate_follows_from_rows_weights_and_model():
    """Whatever happens to the parameters after the fit."""
    X, y, weights = noisy(7)
    chosen = {-1: 2.0, 1: 0.5}
    for class_weight in ("balanced", chosen):
        model = fitted(X, y, weights, C=1.0, class_weight=class_weight)
        chosen[1] += 1.0
        model.set_params(class_weight=None)
        assert recertified(model, X, y, weights) == [model.certificate_]
        assert recertified(model, X, y, weights + 1.0) != [model.certificate_]


def test_weights_of_very_different_sizes_end_with_a_certificate_that_holds():
    X, y, _ = noisy(11, 100, 4)
    for ratio in (1e3, 1e9, 1e15):
        weights = ratio ** np.linspace(0.0, 1.0, 100)
        model = fitted(X, y, weights, C=1e-3)
        assert recertified(model, X, y, weights) == [model.certificate_]
        assert model.converged_ is (model.certificate_.gap <= 1e-3)
        assert model.converged_ or ratio > 1e9
