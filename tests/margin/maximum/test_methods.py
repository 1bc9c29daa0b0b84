"""The methods behind the maximum margin: against one another and independent roads, also on real data."""

import gzip
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from perceptrons import MaxMarginPerceptron, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.margin.maximum import descent, exactly, methods
from perceptrons.margin.maximum.descent import descend
from perceptrons.margin.maximum.methods import rebuilt, room_for, shrink_corral
from perceptrons.margin.maximum.newton import newton
from perceptrons.margin.maximum.pool import HullPoint, combination
from perceptrons.synthetic import separable
from tests.margin.maximum.test_corral import indicators, random_set, searched
from tests.margin.maximum.test_max_margin_perceptron import fitted
from tests.naive.max_margin import best_margin, best_soft_margin, hyperplane

pytestmark = pytest.mark.kernels


def forced(monkeypatch, method, X, y, **parameters):
    monkeypatch.setattr(methods, "methods", lambda *_, **__: [method])
    monkeypatch.setattr(descent, "PATIENCE", 10**5)
    model = MaxMarginPerceptron(max_iter=10**5, **parameters).fit(X, y)
    verify(model.certificate_, model, X, y)
    assert model.converged_
    return model


@pytest.mark.parametrize("intercept", [False, True])
def test_corral_and_descent_agree(monkeypatch, intercept, jit):
    rng, ran = np.random.default_rng(4), 0
    for case in range(25 if jit else 3):
        X, y, _ = separable(int(rng.integers(20, 60)), 4, margin=0.2, random_state=case)
        if len(set(y)) == 1:
            continue
        ran += 1
        for rows in (X, sp.csr_array(X)):
            best = best_margin(X, y, intercept)
            for method in (shrink_corral, descend):
                model = forced(monkeypatch, method, rows, y, fit_intercept=intercept, tol=1e-2)
                assert 0.99 * best * (1 - 1e-9) <= model.certificate_.margin <= best * (1 + 1e-9)
    assert ran >= (20 if jit else 3)


@pytest.mark.parametrize("intercept", [False, True])
def test_all_three_agree_with_slack(monkeypatch, intercept, jit):
    rng = np.random.default_rng(5)
    for case in range(12 if jit else 2):
        X, y = random_set(rng, 40, 4)
        C = [0.01, 0.3, 3.0][case % 3]
        soft = best_soft_margin(X, y, intercept, C)
        w = hyperplane(X, y, intercept, C)[0]
        for rows in (X, sp.csr_array(X)):
            for method in (shrink_corral, descend, newton):
                model = forced(monkeypatch, method, rows, y, C=C, fit_intercept=intercept, tol=1e-5)
                certificate = model.certificate_
                assert (1 - 1e-5) * soft * (1 - 1e-7) <= certificate.soft_margin <= soft * (1 + 1e-7)
                assert soft <= certificate.soft_margin_bound * (1 + 1e-7)
                assert model.coef_[0] == pytest.approx(w, abs=1e-2 * np.linalg.norm(w))


def near_copies(copies, jit):
    """Random rows, and near copies of some of them, of the same class."""
    rng, n = np.random.default_rng(7), 300 if jit else 60
    X, y = rng.standard_normal((n // 3, n)), rng.choice([-1, 1], n // 3)
    X = np.vstack([X, X[:copies] + 0.01 * rng.standard_normal((copies, n))])
    return X, np.append(y, y[:copies])


@pytest.mark.parametrize("intercept", [False, True])
def test_near_copies_cost_few_passes(monkeypatch, intercept, jit):
    X, y = near_copies(4, jit)
    model = forced(monkeypatch, descend, X, y, fit_intercept=intercept, tol=1e-4)
    monkeypatch.setattr(descent, "TIMES", 0)
    other = forced(monkeypatch, descend, X, y, fit_intercept=intercept, tol=1e-4)
    assert model.certificate_.margin == pytest.approx(other.certificate_.margin, rel=1e-4)
    assert not jit or model.n_iter_ <= 0.6 * other.n_iter_  # so few rows as without compiling may be lucky


@pytest.mark.parametrize("max_iter", [1, 2, 5, 9])
def test_stragglers_are_passes_too(monkeypatch, max_iter):
    """`max_iter` limits all visits."""
    monkeypatch.setattr(methods, "methods", lambda *_, **__: [descend])
    monkeypatch.setattr(descent, "BEHIND", 0.5)
    X, y = near_copies(4, jit=False)
    with pytest.warns(ConvergenceWarning):
        assert MaxMarginPerceptron(tol=1e-9, max_iter=max_iter).fit(X, y).n_iter_ == max_iter


def test_stragglers_are_few_rows_far_from_their_targets():
    order, far = np.array([4, 2, 0, 1, 3, 5], np.uint32), np.zeros(8)
    assert not len(descent.stragglers(order, far))
    far[:6] = 1.0
    assert not len(descent.stragglers(order, far))
    far[:6] = [0, 1, 0, 0, 0, 0]
    assert not len(descent.stragglers(order, far))  # 6 times the mean, not more
    order = np.arange(100, dtype=np.uint32)[::-1]
    far = np.where(np.arange(100) % 50 == 3, 1.0, 0.01)
    assert descent.stragglers(order, far).tolist() == 16 * [53, 3]
    far = np.where(np.arange(100) % 12 == 3, 1.0, 0.01)  # 9 rows: half a sweep at most
    assert descent.stragglers(order, far).tolist() == 5 * [99, 87, 75, 63, 51, 39, 27, 15, 3]


def test_which_method_when():
    assert methods.methods((10**6, 100), slack=False) == [shrink_corral]
    assert methods.methods((100, 10**6), slack=False) == [shrink_corral]
    assert methods.methods((5000, 5000), slack=False) == [descend, shrink_corral]
    assert methods.methods((5000, 100), slack=True)[0] is newton
    assert methods.methods((100, 10**6), slack=True)[-1] is shrink_corral


@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_corral_goes_on_where_descent_stops(monkeypatch, intercept, C, jit):
    """Where rows and columns are many; here more than ten."""
    monkeypatch.setattr(methods, "FEW", 10)
    rng = np.random.default_rng(6)
    for _ in range(10 if jit else 2):
        X = rng.standard_normal((40, 60))
        y = rng.choice([-1, 1], 40)
        y[:2] = [-1, 1]
        for patience in (2, 10**4):
            monkeypatch.setattr(descent, "PATIENCE", patience)
            model = MaxMarginPerceptron(C=C, fit_intercept=intercept, tol=1e-6, max_iter=10**5).fit(X, y)
            verify(model.certificate_, model, X, y)
            assert model.converged_
            best = best_margin(X, y, intercept) if C == np.inf else best_soft_margin(X, y, intercept, C)
            certificate = model.certificate_
            reached = certificate.margin if C == np.inf else certificate.soft_margin
            assert reached == pytest.approx(best, rel=2e-6)


def test_a_full_corral_ends_with_what_there_is(monkeypatch):
    X, y, _ = separable(60, 8, margin=0.05, random_state=0)
    monkeypatch.setattr(methods, "methods", lambda *_, **__: [partial(shrink_corral, most=3)])
    monkeypatch.setattr(exactly, "MOST_CELLS", 0)
    with pytest.warns(ConvergenceWarning, match="ended with a gap"):
        model = MaxMarginPerceptron(tol=1e-6).fit(X, y)
    verify(model.certificate_, model, X, y)
    assert model.certificate_.margin < model.certificate_.margin_bound


def test_a_corral_of_many_rows_drops_those_that_depend():
    rng = np.random.default_rng(7)
    X, y, _ = separable(40, 3, margin=0.1, random_state=7)
    search, weights = searched(X, y, True), rng.random(40)
    corral = rebuilt(search, HullPoint(np.arange(40), weights), room_for(search))
    k = corral.counts[0]
    assert 2 <= k <= 5
    assert (corral.weights[:k] > 0).all()
    assert indicators(search, corral.rows[:k]) @ corral.weights[:k] == pytest.approx(np.ones(2))


def test_a_look_scores_all_rows():
    rng = np.random.default_rng(8)
    X, y = random_set(rng, 30, 4)
    for intercept, C in ((False, np.inf), (True, np.inf), (True, 2.0)):
        search = searched(X, y, intercept, C)
        rows = np.array([0, 1, 5, 7])
        weights = np.array([0.5, 0.25, 0.125, 0.125])
        side = search.task.side[rows]
        weights = weights / np.bincount(side, weights, minlength=2)[side]
        point = HullPoint(rows, weights)
        found = search.assess(point, combination(search, point))
        squares = ((X - search.task.centre) ** 2).sum(axis=1)
        assert search.task.lift == pytest.approx(squares.mean())
        w = (weights * y[rows]) @ X[rows]
        scores = y * (X @ w)
        scores[rows] += weights / C
        assert found.w == pytest.approx(w)
        assert search.scores == pytest.approx(scores)
        assert found.length == pytest.approx(w @ w + weights @ weights / C)
        lowest = [scores[y < 0].min(), scores[y > 0].min()] if intercept else [scores.min()]
        assert found.lowest == pytest.approx(lowest)
        assert found.gap == pytest.approx(1 - sum(lowest) / found.length)
        depth = scores - (found.levels[search.task.side] if intercept else 0.0)
        assert list(search.lowest_rows(6, np.array([1, 7]))) == sorted({*np.argsort(depth)[:6], *rows, 1, 7})
        assert search.history["margin_bound"][-1] == pytest.approx(np.sqrt(found.length) / (1 + intercept))


def test_the_intercept_after_a_warning_leaves_the_fewest_errors(jit):
    rng, ran = np.random.default_rng(9), 0
    for _ in range(40 if jit else 5):
        X, y = random_set(rng, 30, 2)
        X = np.rint(X)  # with ties
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = MaxMarginPerceptron().fit(X, y)
        if model.certificate_.separable is not False:
            continue
        ran += 1
        scores = X @ model.coef_[0]
        values = np.unique(scores)
        cuts = [values[0] - 1, *(values[1:] + values[:-1]) / 2, values[-1] + 1]
        fewest = min((np.where(scores > cut, 1, -1) != y).sum() for cut in cuts)
        assert (model.predict(X) != y).sum() <= fewest + (np.diff(values) < 1e-9).sum()
    assert ran >= (30 if jit else 4)


@pytest.mark.parametrize("intercept", [False, True])
def test_after_a_warning_the_model_is_still_of_use(intercept):
    for case in range(5):
        X, y, _ = separable(200, 5, margin=0.1, noise=0.1, random_state=case)
        model = fitted(X, y, fit_intercept=intercept)
        assert model.certificate_.separable is False
        assert 0.05 <= model.certificate_.n_errors / 200 <= 0.15  # the noise is 0.1


def test_there_is_no_bound_without_equal_sums_of_both_classes():
    """Else the weights are a difference of no two points of the hulls, and may be short for no reason."""
    X, y, _ = separable(40, 3, margin=0.1, random_state=0)
    X += 5.0
    for C in (np.inf, 1.0):
        model = fitted(X, y, C=C)
        model.dual_coef_[0, model.dual_coef_[0] > 0] *= 1.01
        model.coef_ = model.dual_coef_ @ X[model.support_]
        certificate = certify(model, X, y)
        assert certificate.margin_bound is certificate.soft_margin_bound is certificate.gap is None
        with pytest.raises(ValueError, match="does not hold"):
            verify(model.certificate_, model, X, y)


@pytest.mark.parametrize(
    "pairs",
    [
        ((0, -1.5), (1, 2.5), (2, 0.5), (3, 0.5)),  # it vanishes, but is no convex combination
        ((0, 1.0), (2, 1.0)),  # convex, but does not vanish
        ((1, 1.0), (2, 0.5)),  # vanishes, except for other sums
        ((0, -1.5), (0, 1.0), (1, 1.5), (2, 0.5), (2, 0.5), (3, 0.0)),
        ((-4, 1.0), (2, 1.0)),
        ((1, 1.0), (7, 1.0)),
        (),
    ],
)
def test_a_false_witness_proves_nothing(pairs):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    model = fitted(X, y)
    expected = model.certificate_
    model._witnesses = [pairs]
    assert certify(model, X, y) == expected
    forged = replace(expected, separable=False, margin_bound=0.0, witness=pairs)
    with pytest.raises(ValueError, match="does not hold"):
        verify(forged, model, X, y)


def test_breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = fitted(X, y)
    assert model.certificate_.separable
    assert model.certificate_.margin == pytest.approx(best_margin(X, 2 * y - 1, True), rel=1e-3)
    assert model.score(X, y) == 1.0
    w, b = hyperplane(X, 2 * y - 1, True, C=1.0)
    slack = fitted(X, y, C=1.0, tol=1e-8)
    assert slack.coef_[0] == pytest.approx(w, abs=1e-5)
    assert slack.intercept_[0] == pytest.approx(b, abs=1e-5)


def test_digits():
    X, y = load_digits(return_X_y=True)
    X, y = X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]
    for intercept in (True, False):
        model = fitted(X, y, fit_intercept=intercept, tol=1e-6)
        assert model.certificate_.separable
        best = best_margin(X, np.where(y == 8, 1, -1), intercept)
        assert model.certificate_.margin == pytest.approx(best, rel=2e-6)
        assert len(model.support_) <= 66


def test_mnist(data):
    images, labels = (
        np.frombuffer(gzip.decompress((data / "mnist" / f"t10k-{file}-ubyte.gz").read_bytes()), np.uint8)
        for file in ("images-idx3", "labels-idx1")
    )
    chosen = np.isin(labels[8:], [3, 8])
    X, y = images[16:].reshape(-1, 784)[chosen] / 255.0, labels[8:][chosen]
    assert X.shape == (1984, 784)
    model = fitted(X, y)
    sparse = fitted(sp.csr_array(X), y)
    assert model.certificate_.separable
    assert model.certificate_.gap <= 1e-3
    assert model.certificate_.margin == pytest.approx(sparse.certificate_.margin, rel=1e-3)
    assert model.score(X, y) == 1.0
