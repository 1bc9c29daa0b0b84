"""The maximum margin against independent roads: margins, slack, separability, invariances."""

import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from perceptrons import MaxMarginPerceptron, verify
from perceptrons.synthetic import separable
from tests.naive import exact
from tests.naive.max_margin import (
    best_margin,
    best_soft_margin,
    hyperplane,
    is_separable,
    min_norm_point,
    objective,
)

pytestmark = pytest.mark.kernels


def labelled(rng, X, noise=0.0):
    """Labels of a random hyperplane, of both classes; with noise, of a blurred one."""
    scores = X @ rng.standard_normal(X.shape[1])
    scores += noise * scores.std() * rng.standard_normal(len(X))
    y = np.where(scores > np.sort(scores)[rng.integers(len(X) - 1)], 1, -1)
    y[0] *= -1 if len(set(y)) == 1 else 1
    return y


def random_rows(rng, most_rows):
    """From 2 rows up, in few or many columns, at the origin or far from it, small or large, some sparse."""
    m, n = int(np.exp(rng.uniform(np.log(2), np.log(most_rows)))), int(rng.integers(1, 40))
    X = rng.standard_normal((m, n)) * (rng.random((m, n)) < rng.choice([0.3, 1.0]))
    X += rng.choice([0.0, 2.0])
    X[0, 0] += X.max() == X.min()
    return X * rng.choice([0.01, 1.0, 100.0])


def fitted(X, y, **parameters):
    """A model, whose certificate has been verified; warnings about inseparable rows are expected here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MaxMarginPerceptron(**parameters).fit(X, y)
    verify(model.certificate_, model, X, y)
    return model


def check_duals(model, X, y):
    """w = Σ a_i y_i x_i, a ≥ 0, and Σ a_i y_i = 0 with an intercept."""
    duals = model.dual_coef_[0]
    scale = np.abs(duals) @ np.abs(X[model.support_])
    assert np.allclose(duals @ X[model.support_], model.coef_[0], rtol=0, atol=1e-12 * scale.max())
    assert (duals * y[model.support_] > 0).all()
    if model.fit_intercept:
        assert abs(duals.sum()) <= 1e-12 * np.abs(duals).sum()
    else:
        assert model.intercept_[0] == 0.0


@pytest.mark.parametrize("intercept", [False, True])
def test_the_margin_is_the_best(intercept, jit):
    rng, cases, ran, met = np.random.default_rng(intercept), 260 if jit else 30, 0, 0
    for case in range(cases):
        X = random_rows(rng, 300 if jit else 40)
        y = labelled(rng, X)
        if not intercept and case % 8 > 0:  # separable through the origin, too
            X = X - X.mean(axis=0)
            y = np.where(X @ rng.standard_normal(X.shape[1]) > 0, 1, -1)
        best = best_margin(X, y, intercept)
        tol = float(rng.choice([1e-1, 1e-3, 1e-6]))
        rows = [X, sp.csr_array(X)][case % 2]
        model = fitted(rows, y, fit_intercept=intercept, tol=tol)
        certificate, rounding = model.certificate_, 1e-9 * np.abs(X).max()
        ran += 1
        assert certificate.separable is is_separable(X, y, intercept)
        if best <= 1e-6 * certificate.radius:
            continue
        met += 1
        assert model.converged_
        assert certificate.margin >= (1 - tol) * best - rounding
        assert certificate.margin <= best + rounding
        assert best <= certificate.margin_bound + rounding
        assert certificate.gap <= tol
        assert certificate.n_errors == 0
        assert (y * model.decision_function(rows)).min() >= 1 - 2 * tol  # support rows score ±1
        check_duals(model, X, y)
    assert ran == cases
    assert 0.75 * cases <= met  # 200 and more, compiled


@pytest.mark.parametrize("margin", [0.3, 1e-3, 1e-6])
def test_known_margins(margin, jit):
    for case in range(30 if jit else 5):
        X, y, teacher = separable(60, 5, margin=margin, radius=2.0, random_state=case)
        model = fitted(X, y, fit_intercept=False, tol=1e-9 if margin == 0.3 else 1e-3)
        assert model.converged_
        assert model.certificate_.separable
        assert model._witnesses == [None]
        assert model.certificate_.margin == pytest.approx(margin, rel=model.tol)
        if margin == 0.3:
            assert model.coef_[0] / np.linalg.norm(model.coef_) == pytest.approx(teacher, abs=1e-7)


def test_wolfes_pseudo_code_finds_the_same_point(jit):
    rng, longest = np.random.default_rng(3), 0
    for _ in range(60 if jit else 10):
        X = rng.standard_normal((int(rng.integers(10, 80)), 6))
        y = np.where(X @ rng.standard_normal(6) > 0, 1, -1)
        if len(set(y)) == 1:
            continue
        model = fitted(X, y, fit_intercept=False, tol=1e-9)
        rows, weights = min_norm_point(y[:, None] * X)
        nearest = weights @ (y[:, None] * X)[rows]
        assert nearest == pytest.approx(model.coef_[0] / (model.coef_[0] @ model.coef_[0]), abs=1e-8)
        assert set(rows) == set(model.support_)
        longest = max(longest, len(rows))
    assert longest >= 4


@pytest.mark.parametrize("intercept", [False, True])
def test_slack_is_that_of_the_naive_reference(intercept, jit):
    rng, cases, mistaken = np.random.default_rng(5 + intercept), 120 if jit else 15, 0
    for case in range(cases):
        X = random_rows(rng, 80 if jit else 25)
        X /= np.abs(X).max()
        y, C = labelled(rng, X, noise=float(rng.choice([0.0, 0.5, 2.0]))), 10.0 ** rng.uniform(-3, 4)
        rows = [X, sp.csr_array(X)][case % 2]
        w, b = hyperplane(X, y, intercept, C)
        soft = best_soft_margin(X, y, intercept, C)
        model = fitted(rows, y, C=C, fit_intercept=intercept, tol=1e-9)
        certificate = model.certificate_
        assert model.converged_
        assert model.coef_[0] == pytest.approx(w, abs=1e-4 * np.linalg.norm(w))
        assert model.intercept_[0] == pytest.approx(b, abs=1e-4 * (1 + abs(b)))
        reached = objective(X, y, model.coef_[0], model.intercept_[0], C)
        assert reached == pytest.approx(objective(X, y, w, b, C), rel=1e-6)
        assert certificate.soft_margin == pytest.approx(soft, rel=1e-6)
        assert certificate.soft_margin * (1 - 1e-7) <= soft <= certificate.soft_margin_bound * (1 + 1e-7)
        assert certificate.gap <= 1e-9
        check_duals(model, X, y)
        rough = fitted(rows, y, C=C, fit_intercept=intercept, tol=0.05).certificate_
        assert rough.soft_margin * (1 - 1e-7) <= soft <= rough.soft_margin_bound * (1 + 1e-7)
        assert rough.soft_margin >= 0.95 * soft * (1 - 1e-7)
        mistaken += certificate.n_errors > 0
    assert mistaken >= (0.3 if jit else 0.1) * cases


@pytest.mark.parametrize("intercept", [False, True])
def test_slack_is_that_of_linear_svc_with_half_the_cost(intercept):
    rng = np.random.default_rng(6)
    for C in (0.02, 1.0, 50.0):
        X = rng.standard_normal((60, 5)) + 1.0
        y = labelled(rng, X, noise=0.5)
        model = fitted(X, y, C=C, fit_intercept=intercept, tol=1e-9)
        other = LinearSVC(C=C / 2, fit_intercept=intercept, intercept_scaling=100, tol=1e-12, max_iter=10**7)
        other.fit(X, y)
        assert model.coef_ == pytest.approx(other.coef_, rel=1e-3, abs=1e-4)
        assert model.intercept_ == pytest.approx(other.intercept_, rel=1e-3, abs=1e-4)
        reached = objective(X, y, model.coef_[0], model.intercept_[0], C)
        assert reached <= objective(X, y, other.coef_[0], np.ravel(other.intercept_)[0], C) * (1 + 1e-9)


def border(rng, kind):
    """Few rows on or near the border of separability, with integer values or fractions of them."""
    m, n = int(rng.integers(2, 14)), int(rng.integers(1, 5))
    X = rng.integers(-2, 3, (m, n)).astype(float)
    if kind == "duplicates":
        X = X[rng.integers(0, (m + 1) // 2, m)]
    elif kind == "collinear":
        X = np.outer(rng.integers(-5, 6, m), rng.integers(-2, 3, n)) + rng.integers(-1, 2, n).astype(float)
    elif kind == "zeros":
        X[rng.random(m) < 0.3] = 0.0
    elif kind == "tenths":
        X *= 0.1
    elif kind == "thirds":
        X /= 3.0
    scores = X @ rng.integers(-2, 3, n)
    y = np.where(scores > rng.choice([0.0, np.median(scores)]), 1, -1)
    if kind == "xor":
        X = rng.choice([-1.0, 1.0], (m, n))
        y = np.where(X.prod(axis=1) > 0, 1, -1)
    if rng.random() < 0.3:
        y[rng.integers(m)] *= -1
    if kind == "touching":
        X[0], y[0], y[-2:] = (X[-1] + X[-2]) / 2, 1, -1
    if len(set(y)) == 1:
        y[0] *= -1
    return X, y


KINDS = ["grid", "xor", "duplicates", "collinear", "zeros", "touching", "tenths", "thirds"]


def check_witness(certificate, X, y, intercept):
    """The certificate's witness: convex weights, in each class if there is an intercept, of a sum of 0."""
    assert exact.is_witness(X.tolist(), y.tolist(), certificate.witness, intercept)
    assert certificate.margin_bound == 0.0
    assert certificate.margin <= 0.0
    assert certificate.undecided is None


@pytest.mark.parametrize("intercept", [False, True])
def test_separable_or_not_as_the_exact_linear_program_says(intercept, jit):
    rng, cases, counts = np.random.default_rng(8 + intercept), 400 if jit else 80, Counter()
    for case in range(cases):
        X, y = border(rng, KINDS[case % len(KINDS)])
        model, expected = fitted(X, y, fit_intercept=intercept), exact.is_separable(X, y, intercept)
        certificate = model.certificate_
        counts[certificate.separable] += 1
        assert certificate.separable in (expected, None)
        if certificate.separable:
            assert model.converged_
            assert certificate.witness is None
            assert certificate.margin == pytest.approx(best_margin(X, y, intercept), rel=1e-3)
        elif certificate.separable is False:
            assert not model.converged_
            check_witness(certificate, X, y, intercept)
            sparse = fitted(sp.csr_array(X), y, fit_intercept=intercept).certificate_
            assert sparse.separable is False
    assert min(counts[True], counts[False]) >= cases // 4
    assert counts[None] == 0


def test_larger_sets_that_are_not_separable(jit):
    rng, ran = np.random.default_rng(10), 0
    for case in range(120 if jit else 12):
        m, n = int(rng.integers(30, 200 if jit else 50)), int(rng.integers(1, 8))
        X = rng.standard_normal((m, n)) + rng.choice([0.0, 1.0])
        y = labelled(rng, X, noise=2.0)
        y[[X[:, 0].argmin(), X[:, 0].argmax()]] = [1, -1]
        intercept = bool(case % 2)
        if is_separable(X, y, intercept):
            continue
        ran += 1
        model = fitted([X, sp.csr_array(X)][case % 2], y, fit_intercept=intercept)
        assert model.certificate_.separable is False
        check_witness(model.certificate_, X, y, intercept)
        assert model.certificate_.n_errors == (model.predict(X) != y).sum()
        assert model.certificate_.n_errors <= model.history_["errors"].min()
        if intercept:  # all rows on one side of the hyperplane would be better than more
            assert model.certificate_.n_errors <= min((y > 0).sum(), (y < 0).sum())
    assert ran >= (100 if jit else 10)


# What must not matter, for a random set with or without intercept.
SETS = st.tuples(st.integers(0, 10**6), st.booleans(), st.sampled_from([np.inf, 2.0]))


def drawn(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((int(rng.integers(4, 25)), int(rng.integers(2, 6))))
    return X, labelled(rng, X), rng


def same(model, other, factor=1.0, C=np.inf):
    """The same separability and margin, and with it the weights, up to the tolerance of 1e-7."""
    assert model.certificate_.separable is other.certificate_.separable
    if other.certificate_.separable or C < np.inf:
        norm = np.linalg.norm(other.coef_)
        assert np.linalg.norm(model.coef_) == pytest.approx(norm / factor, rel=1e-5)
        if C == np.inf:
            assert model.certificate_.margin == pytest.approx(factor * other.certificate_.margin, rel=1e-5)


@settings(max_examples=25, deadline=None)
@given(SETS)
def test_what_must_not_matter(case):
    seed, intercept, C = case
    X, y, rng = drawn(seed)
    parameters = {"fit_intercept": intercept, "C": C, "tol": 1e-7}
    model = fitted(X, y, **parameters)
    swapped = fitted(X, -y, **parameters)
    same(swapped, model, C=C)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    same(fitted(X[rows], y[rows], **parameters), model, C=C)
    permuted = fitted(X[:, columns], y, **parameters)
    same(permuted, model, C=C)
    same(fitted(sp.csr_array(X), y, **parameters), model, C=C)
    same(
        fitted(X.astype(np.float32), y, **parameters),
        fitted(X.astype(np.float32).astype(float), y, **parameters),
        C=C,
    )
    if C == np.inf:
        same(fitted(np.repeat(X, 2, axis=0), np.repeat(y, 2), **parameters), model)
        scale = 10.0 ** rng.uniform(-100, 100)
        same(fitted(scale * X, y, **parameters), model, factor=scale)
    if intercept:
        offset = 10.0 ** rng.uniform(-1, 6) * rng.standard_normal(X.shape[1])
        moved = (X + offset) - offset  # what is left of the rows after rounding
        same(fitted(moved + offset, y, **parameters), fitted(moved, y, **parameters), C=C)
    if model.certificate_.separable or C < np.inf:
        assert swapped.coef_ == pytest.approx(-model.coef_, rel=1e-3, abs=1e-3 * np.abs(model.coef_).max())
        assert permuted.coef_ == pytest.approx(
            model.coef_[:, columns], rel=1e-3, abs=1e-3 * np.abs(model.coef_).max()
        )
        few = model.support_
        if len(set(y[few])) == 2:
            same(fitted(X[few], y[few], **parameters), model, C=C)


def test_what_must_not_matter_was_seen_on_both_sides():
    """Of the sets of the test above, some are separable, some are not."""
    counts = Counter(
        fitted(*drawn(seed)[:2], fit_intercept=bool(seed % 2)).certificate_.separable for seed in range(60)
    )
    assert counts[None] == 0
    assert min(counts[True], counts[False]) >= 10
