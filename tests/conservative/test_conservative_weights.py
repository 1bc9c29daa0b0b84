"""Weights of rows and classes, and threads, in `ConservativePerceptron`."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import recall_score

from perceptrons import ConservativePerceptron, Costs
from perceptrons.conservative.conservative_sweep import EACH_ONE, WeightedSigns
from perceptrons.rows.encode import as_rows
from perceptrons.rows.standardized import standardized

pytestmark = pytest.mark.kernels

LAYOUTS = pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
WAYS = pytest.mark.parametrize(
    "way",
    [
        {"rule": "cplr1", "band": "learned"},
        {"rule": "cplr2", "band": "exact"},
        {"symmetric": True, "standardize": False, "band": "learned"},
        {"band": "cv"},
        {"rule": "cplr1", "symmetric": True, "standardize": False},
    ],
    ids=["cplr1", "cplr2 exact", "symmetric", "cv", "cplr1 symmetric cv"],
)


@pytest.fixture(scope="module")
def noisy():
    """Rows, classes and weights, a quarter of them 0."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((90, 3)) * (rng.uniform(size=(90, 3)) < 0.7) + [0.0, 0.0, 3.0]
    y = np.where(X[:, 0] + 0.8 * rng.standard_normal(90) > 0, "yes", "no")
    return X, y, rng.randint(0, 4, 90)


def fitted(X, y, sample_weight=None, **parameters):
    model = ConservativePerceptron(**{"n_restarts": 2, "max_epochs": 5, "random_state": 0, **parameters})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, sample_weight)


def state(model):
    """All that a fit found out."""
    return {name: np.asarray(value).tolist() for name, value in vars(model).items() if name.endswith("_")}


@LAYOUTS
@WAYS
def test_a_row_of_weight_zero_is_absent(noisy, layout, way):
    X, y, weights = noisy
    there = weights > 0
    X = np.where(there[:, None], X, 1e6)  # whatever they are
    for class_weight in (None, "balanced", {"yes": 2.5}):
        how = {**way, "class_weight": class_weight}
        one = fitted(layout(X), y, weights, **how)
        assert state(one) == state(fitted(layout(X[there]), y[there], weights[there], **how))
    assert state(one) != state(fitted(layout(X[there]), y[there], **way))


@LAYOUTS
@WAYS
def test_only_ratios_of_weights_matter(noisy, layout, way):
    X, y, weights = noisy
    weights = weights + 1.0
    expected = state(fitted(layout(X), y, weights, **way))
    for factor in (3.0, 2.0**-80, 2.0**80):  # all of them exact
        assert state(fitted(layout(X), y, factor * weights, **way)) == expected
    plain = state(fitted(layout(X), y, **way))
    assert plain != expected
    for equal in (0.3, np.full(len(y), 7.0), np.ones(len(y))):
        assert state(fitted(layout(X), y, equal, **way)) == plain
    assert state(fitted(layout(X), y, class_weight={"yes": 2, "no": 2}, **way)) == plain


def test_weights_have_mean_one():
    y = np.array([-1, 1, 1, -1], np.int8)
    assert WeightedSigns.of(y, np.array([1.0, 2.0, 3.0, 2.0])).weights.tolist() == [0.5, 1.0, 1.5, 1.0]
    assert WeightedSigns.of(y, np.full(4, 0.1)).weights is EACH_ONE
    assert WeightedSigns.of(y, np.zeros(0)).weights is EACH_ONE


def test_weights_of_classes_are_weights_of_rows(noisy):
    X, y, weights = noisy
    weights = weights + 0.5
    by_class = fitted(X, y, weights, class_weight={"yes": 4, "no": 0.5})
    assert state(by_class) == state(fitted(X, y, weights * np.where(y == "yes", 4, 0.5)))
    sums = {name: weights[y == name].sum() for name in ("yes", "no")}
    balanced = {name: weights.sum() / (2 * one) for name, one in sums.items()}
    assert state(fitted(X, y, weights, class_weight="balanced")) == state(
        fitted(X, y, weights, class_weight=balanced)
    )


def test_the_training_risk_is_a_weighted_mean(noisy):
    X, y, weights = noisy
    costs = Costs(gain=0.25, wrong={"yes": 3, "no": 1}, reject=0.5)
    for band in ("learned", "exact"):
        model = fitted(X, y, weights, costs=costs, band=band)
        expected = costs.risk(y, model.predict(X), sample_weight=weights)
        assert model.training_risk_ == pytest.approx(expected)
        assert model.training_risk_ != pytest.approx(costs.risk(y, model.predict(X)), abs=1e-4)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@LAYOUTS
def test_columns_are_standardized_by_weighted_moments(layout, kind):
    rng = np.random.RandomState(1)
    X = (rng.standard_normal((5000, 3)) * (rng.uniform(size=(5000, 3)) < 0.5) + [0, 9, 0]).astype(kind)
    X[:, 2] = 0.1  # constant
    weights = rng.randint(1, 4, 5000)
    matrix = layout(X)
    found = standardized(matrix, as_rows(matrix), weights / 3.7)  # sums of them are rounded
    repeated = np.repeat(X, weights, axis=0).astype(float)
    np.testing.assert_allclose(found.mean, repeated.mean(axis=0), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.gains[:2], 1.0 / repeated.var(axis=0)[:2], rtol=1e-6)
    assert found.gains[2] == 0.0


@LAYOUTS
def test_constant_columns_stay_out_whatever_the_weights(layout):
    matrix = layout(np.full((3000, 1), 0.1))
    for seed in range(20):
        weights = np.random.RandomState(seed).uniform(size=3000)
        assert standardized(matrix, as_rows(matrix), weights).gains == [0.0]


@LAYOUTS
@WAYS
@pytest.mark.parametrize("n_jobs", [2, 100])
def test_threads_give_the_same_model(noisy, layout, way, n_jobs):
    X, y, weights = noisy
    for given in (None, weights):
        assert state(fitted(layout(X), y, given, n_jobs=n_jobs, **way)) == state(
            fitted(layout(X), y, given, **way)
        )


def test_threads_end_where_one_thread_does():
    """When a run separates the rows; which of them is kept is seen by n_updates_ and step_sizes_."""
    n_iter = []
    for seed in range(5):
        X = np.random.RandomState(seed).standard_normal((80, 3))
        X += 0.3 * np.sign(X[:, :1])
        one, several = (
            fitted(X, X[:, 0] > 0, n_jobs=n_jobs, random_state=seed, max_epochs=50) for n_jobs in (None, 3)
        )
        assert state(one) == state(several)
        assert one.converged_
        n_iter.append(one.n_iter_)
    assert max(n_iter) < 50


def test_balanced_classes_find_the_rare_one():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:, :5], 1 - y  # 1: malignant
    rare = np.flatnonzero(y == 1)[::12]
    rows = np.sort(np.append(np.flatnonzero(y == 0), rare))
    recalls = []
    for class_weight in (None, "balanced"):
        model = fitted(X[rows], y[rows], class_weight=class_weight, reject_label=None, n_restarts=1)
        recalls.append(recall_score(y, model.predict(X)))
    assert recalls[1] > recalls[0] + 0.1


def test_heavier_rows_are_answered_as_they_want():
    """Of two equal rows of different classes, the heavier one is right."""
    X = np.array([[-1.0], [1.0]] * 2)
    y = np.array([0, 1, 1, 0])
    for weights, answers in [([3, 3, 1, 1], [0, 1]), ([1, 1, 3, 3], [1, 0])]:
        model = fitted(X, y, weights, reject_cost=0.45, max_epochs=20, band="learned")
        assert model.predict_liberal([[-1.0], [1.0]]).tolist() == answers
        assert model.training_risk_ == pytest.approx(0.25)


def test_weights_as_series_and_lists(noisy):
    X, y, weights = noisy
    for given in (weights.tolist(), pd.Series(weights), weights.astype(np.float32)):
        assert state(fitted(X, y, given)) == state(fitted(X, y, weights))


SMALL = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["a", "b", "a", "b"])


@pytest.mark.parametrize(
    ("parameters", "weights", "message"),
    [
        ({}, [1, 1, -2, 1], r"sample_weight has -2.0, but a weight must be >= 0; use 0 to leave a row out"),
        ({}, [1, np.nan, 1, 1], "sample_weight contains NaN"),
        ({}, [0, 0, 0, 0], "at least one non-zero number; all of them are 0"),
        ({}, [1, 1, 1], "sample_weight has 3 entries for 4 rows; give one for each"),
        ({}, [[1, 1, 1, 1]], r"sample_weight has the shape \(1, 4\), but it must be 1D"),
        ({}, [1, 0, 1, 0], "All rows of the class 'b' have weight 0, .*; leave its rows out"),
        ({"class_weight": {"a": 0}}, None, "All rows of the class 'a' have weight 0"),
        (
            {"class_weight": {"c": 2}},
            None,
            r"names the class 'c', but the classes are \['a', 'b'\]; leave it",
        ),
        ({"class_weight": {"a": -1}}, None, "class_weight of the class 'a' is -1, but it must be"),
        ({"class_weight": "equal"}, None, "class_weight='equal', but it must be 'balanced', a dict or None"),
        ({"n_jobs": 0}, None, "n_jobs=0, but it must be an integer other than 0; use None"),
        ({"n_jobs": 1.5}, None, "n_jobs=1.5"),
        ({"n_jobs": "all"}, None, "n_jobs='all'"),
    ],
)
def test_bad_weights_leave_a_model_as_it_was(parameters, weights, message):
    model = fitted(*SMALL)
    before = state(model)
    with pytest.raises(ValueError, match=message):
        model.set_params(**parameters).fit(*SMALL, weights)
    assert state(model) == before
