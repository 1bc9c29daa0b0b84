"""Maximum margins where something used to go wrong: one-sided points, stalls, scales, many classes."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from perceptrons import MaxMarginPerceptron, verify
from perceptrons.margin.maximum import methods as wolfe
from perceptrons.margin.maximum.descent import descend, warm_point
from perceptrons.margin.maximum.maximum_parameters import read_parameters
from perceptrons.margin.maximum.methods import fewest_errors, methods, run
from perceptrons.margin.maximum.pool import MarginSearch, balanced
from perceptrons.rows.encode import encode
from perceptrons.synthetic import separable
from tests.naive.max_margin import best_margin

pytestmark = pytest.mark.kernels


def fitted(X, y, **settings):
    """Converged means certified, and a model that is not says so; both verified."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = MaxMarginPerceptron(**settings).fit(X, y)
    assert model.converged_ == (not [one for one in seen if one.category is ConvergenceWarning])
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    if model.converged_:
        assert all(one.gap is not None and one.gap <= 1.000001 * model.tol for one in certificates)
    verify(model.certificate_, model, X, y)
    return model


def searched(X, y, **settings):
    data = encode(MaxMarginPerceptron(), X, y)
    given = read_parameters(MaxMarginPerceptron(**settings))
    return MarginSearch(data, next(data.signs()), given)


def clusters(seed, m, n):
    """Two clusters, one much nearer to the origin than the other: descent may forget it."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], m)
    X = 0.01 * rng.standard_normal((m, n))
    X[:, 0] += np.where(y > 0, 1.0, -10.0)
    return X, y


def test_a_point_needs_rows_on_both_sides():
    X, y = clusters(0, 30, 5)
    search = searched(X, y)
    ones = np.ones(30)
    assert balanced(search.task, np.flatnonzero(y > 0), ones[y > 0]) is None
    assert balanced(search.task, np.arange(30), ones * np.inf) is None
    assert balanced(search.task, np.arange(30), ones).weights[y > 0].sum() == pytest.approx(1.0)
    warm_point(search, np.where(y > 0, 1.0, 0.0))
    assert search.best is None


@pytest.mark.parametrize("seed", range(5))
def test_descent_on_clusters_at_different_distances(seed):
    X, y = clusters(seed, 60, 80)
    search = searched(X, y)
    descend(search)
    run(search)
    best = best_margin(X, y, True)
    assert search.solved
    assert np.sqrt(search.best.length) / 2 == pytest.approx(best, rel=2e-3)
    assert fitted(X, y).certificate_.margin == pytest.approx(best, rel=2e-3)


def test_few_sweeps_visit_no_straggler_again():
    """They only start another method, which wants the rows and not their multipliers."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(600) > 0.0, 1, -1)
    X[:20] *= 30.0  # far from their targets
    search = searched(X, y, C=1.0)
    descend(search, at_most=4)
    assert search.n_passes <= 4


def test_a_warm_start_with_duals_of_one_class():
    model = MaxMarginPerceptron(warm_start=True)
    model.fit([[-1, 0], [1, 0], [-5, 0.3], [-6, 2]], [0, 1, 0, 0])
    X, y = np.array([[-1, 0], [0.2, 0.2], [-5, 0.3], [-6, 2]]), np.array([1, 1, 0, 0])
    model.fit(X, y)
    assert model.converged_
    assert model.certificate_.margin == pytest.approx(best_margin(X, np.where(y, 1, -1), True), rel=1e-3)


def test_far_from_the_origin_nothing_is_called_inseparable():
    """Integer rows moved by a power of 2: not a digit is lost, and no wrong word said."""
    informative = 0
    for seed in range(40):
        X = np.random.default_rng(seed).integers(-3, 4, (12, 2)).astype(float)
        y = (X @ [1, 2] > 0).astype(int)
        if len(set(y)) < 2:
            continue
        near = fitted(X, y).certificate_
        for shift in (2.0**20, 2.0**33, 2.0**47):
            far = fitted(X + shift, y).certificate_
            assert far.separable in (near.separable, None)
            informative += far.separable is not None
    assert informative >= 70


def test_rows_that_nearly_repeat_a_column_still_give_a_useful_model():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5))
    y = X @ [1, 2, 0, 0, 0] + rng.standard_normal(300) > 0
    model = fitted(np.c_[X, X + 1e-10 * rng.standard_normal((300, 5))], y)
    assert model.score(np.c_[X, X], y) > 0.85


def test_scores_of_three_classes_can_be_compared():
    X, y = load_iris(return_X_y=True)
    model = fitted(StandardScaler().fit_transform(X), y)
    assert not model.converged_
    assert [one.separable for one in model.certificate_] == [True, False, False]
    assert model.score(StandardScaler().fit_transform(X), y) > 0.93


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_slack_with_more_columns_than_a_corral_has_rows(C, jit):
    rng = np.random.default_rng(0)
    m, n = (1500, 1100) if jit else (60, 40)
    X, y = rng.standard_normal((m, n)), rng.integers(0, 2, m)
    model = fitted(X, y, C=C)
    assert model.converged_
    assert model.certificate_.gap <= 1e-3


def test_little_slack_on_separable_rows_is_a_matter_of_the_corral():
    X, y, _ = separable(400, 10, margin=0.05, random_state=0)
    hard = fitted(X, y)
    for C in (1e5, 1e9):
        model = fitted(X, y, C=C)
        assert model.converged_
        assert model.certificate_.margin == pytest.approx(hard.certificate_.margin, rel=2e-2)
    assert len(methods((400, 10), slack=True, little=True)) == len(methods((400, 10), slack=True)) + 1


def test_few_passes_and_extreme_settings_end_with_a_model():
    rng = np.random.default_rng(0)
    model = fitted([[-4e9], [-1.5e9]], [0, 1], C=1, max_iter=1)
    assert model.score([[-4e9], [-1.5e9]], [0, 1]) == 1.0
    for C in (1e-140, 1e-100):
        for shape in ((10, 30), (30, 10)):
            assert fitted(rng.standard_normal(shape), np.arange(shape[0]) % 2, C=C).converged_
    with pytest.raises(ValueError, match=r"C=1e-170 times the largest squared norm .* use 1, or inf"):
        MaxMarginPerceptron(C=1e-170).fit(rng.standard_normal((10, 30)), np.arange(10) % 2)


def test_columns_of_very_different_scales():
    """Newton's normal equations are scaled; what rounding hides is not claimed."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((500, 8))
    y = X[:, 0] + rng.standard_normal(500) > 0
    scaled = X * 10.0 ** np.array([2, -5, 5, 0, 3, -2, 4, 1])
    assert fitted(scaled, y, C=1).score(scaled, y) == pytest.approx(fitted(X, y, C=1).score(X, y), abs=0.03)


def test_the_intercept_with_the_fewest_errors():
    scores, y = np.array([-2.0, -1.0, 0.0, 3.0, 4.0, 4.0]), np.array([-1, -1, 1, -1, 1, 1])
    b = fewest_errors(scores, y)
    assert ((scores + b > 0) != (y > 0)).sum() == 1
    assert b == -3.5 or -0.0 < b < 1.0
    assert (np.array([1.0, 1.0]) + fewest_errors(np.array([1.0, 1.0]), np.array([1, 1])) > 0).all()
    assert (np.array([1.0, 1.0]) + fewest_errors(np.array([1.0, 1.0]), np.array([-1, -1])) <= 0).all()
    for seed in range(50):
        rng = np.random.default_rng(seed)
        scores, y = rng.integers(-3, 4, 9).astype(float), rng.choice([-1, 1], 9)
        least = min(((scores > cut) != (y > 0)).sum() for cut in np.arange(-3.5, 4.0, 0.5))
        assert ((scores + fewest_errors(scores, y) > 0) != (y > 0)).sum() == least


def test_after_a_rebuild_the_corral_is_in_its_pool(monkeypatch):
    """Compiled code looks rows up by their place in the pool, and does not check it."""
    climb, rebuilds = wolfe.climb, 0
    rebuilt = wolfe.rebuilt

    def checked(task, corral, pool, *rest):
        k = corral.counts[0]
        assert (pool[corral.spots[:k]] == corral.rows[:k]).all()
        return climb(task, corral, pool, *rest)

    def counted(*arguments):
        nonlocal rebuilds
        rebuilds += 1
        return rebuilt(*arguments)

    monkeypatch.setattr(wolfe, "climb", checked)
    monkeypatch.setattr(wolfe, "rebuilt", counted)
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((80, 6)) * 10.0 ** rng.uniform(-7, 3, 6)
        fitted(X, X[:, 0] > 0)
    assert rebuilds > 12  # one to begin with, each


def test_a_newton_step_that_no_row_calls_for():
    """Rounding lets all rows reach 1, so that the equations say nothing of the intercept: it was 0/0. What
    the next method finds is within tol as the certificate has it, and so it has converged."""
    X = np.array([[-(2.0**52), 0.0], [-(2.0**52), 512.0], [-(2.0**52) - 256.0, -128.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        assert fitted(X, [1, -1, -1], C=1e6).converged_
