"""Weights and threads, for every public classifier: a row of weight 0 is absent, threads change nothing."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from perceptrons import Cascade, SelectiveClassifier
from tests.contract.estimators import PUBLIC

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:Nothing can be promised:UserWarning"),
]
UNWEIGHTED = Cascade, SelectiveClassifier  # they refuse weights: promises are about draws
CLASSIFIERS = [
    one.estimator
    for one in PUBLIC
    if is_classifier(one.estimator) and not isinstance(one.estimator, UNWEIGHTED)
]
M = 90


def rows(pairwise):
    rng = np.random.default_rng(5)
    X = rng.integers(-4, 5, (M, 4)).astype(float)
    y = np.where(X @ [2, -1, 1, 0] + rng.integers(-3, 4, M) > 0, "yes", "no")
    weights = rng.integers(0, 4, M).astype(float)
    return X @ X.T if pairwise else X, y, weights


def seeded(estimator, **more):
    """A copy whose random numbers, and those of what it holds, are the same each time."""
    names = estimator.get_params()
    seeds = {name: 0 for name in names if name.split("__")[-1] == "random_state"}
    return clone(estimator).set_params(**seeds, **more)


def is_pairwise(estimator):
    return estimator.__sklearn_tags__().input_tags.pairwise


def answers(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [model.predict(X)] + (
            [model.decision_function(X)] if hasattr(model, "decision_function") else []
        )


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_every_classifier_takes_weights(estimator):
    assert has_fit_parameter(estimator, "sample_weight")
    assert "class_weight" in estimator.get_params()


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_a_row_of_weight_0_is_absent(estimator, class_weight):
    pairwise = is_pairwise(estimator)
    X, y, weights = rows(pairwise)
    there = np.flatnonzero(weights)
    other = X[np.ix_(there, there)] if pairwise else X[there]
    if not pairwise:
        X[np.argmin(weights), 0] = np.nan  # whatever it holds
    model = seeded(estimator, class_weight=class_weight).fit(X, y, sample_weight=weights)
    alone = seeded(estimator, class_weight=class_weight).fit(other, y[there], sample_weight=weights[there])
    pairs = zip(
        answers(model, X if pairwise else other),
        answers(alone, X[:, there] if pairwise else other),
        strict=True,
    )
    assert all(np.array_equal(one, two) for one, two in pairs)
    assert 0 < len(there) < M


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_weights_have_a_say(estimator):
    """A class that is a hundred times as heavy is not answered less often than one a hundredth as heavy."""
    X, y, _ = rows(is_pairwise(estimator))
    models = [seeded(estimator, class_weight={"yes": weight}).fit(X, y) for weight in (0.01, 100.0)]
    (light, *light_scores), (heavy, *heavy_scores) = (answers(model, X) for model in models)
    same = all(
        np.array_equal(*pair) for pair in zip([light, *light_scores], [heavy, *heavy_scores], strict=True)
    )
    assert same == (getattr(estimator, "C", 1.0) == np.inf)  # each row on its side, whatever its weight
    assert (light == "yes").mean() <= (heavy == "yes").mean()


THREADED = [one for one in CLASSIFIERS if "n_jobs" in one.get_params()]


def test_threads_are_offered():
    names = {type(one).__name__ for one in THREADED}
    assert names >= {"Perceptron", "MaxMarginPerceptron", "SparsePerceptron", "ConservativePerceptron"}


@pytest.mark.parametrize("estimator", THREADED, ids=repr)
def test_threads_give_the_same_model(estimator):
    X, y, weights = rows(is_pairwise(estimator))
    one, two = (seeded(estimator, n_jobs=n).fit(X, y, sample_weight=1.0 + weights) for n in (1, 2))
    assert all(np.array_equal(*pair) for pair in zip(answers(one, X), answers(two, X), strict=True))


@pytest.mark.parametrize("estimator", THREADED, ids=repr)
def test_no_threads_are_none(estimator):
    X, y, _ = rows(is_pairwise(estimator))
    with pytest.raises(ValueError, match=r"n_jobs=0, but it must be an integer other than 0"):
        clone(estimator).set_params(n_jobs=0).fit(X, y)


BAD = [
    (lambda w, y: -w, "must be >= 0|has -"),
    (lambda w, y: np.where(w > 0, np.nan, w), "NaN"),
    (lambda w, y: 0.0 * w, "non-zero|weight 0"),
    (lambda w, y: w[:-1], "entries for|inconsistent|length"),
    (lambda w, y: np.where(y == "no", 0.0, 1.0), "All rows of the class 'no' have weight 0"),
]


@pytest.mark.parametrize(("spoil", "message"), BAD, ids=["negative", "NaN", "zeros", "short", "class"])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_bad_weights(estimator, spoil, message):
    X, y, weights = rows(is_pairwise(estimator))
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(X, y, sample_weight=spoil(weights, y))


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_weights_of_unknown_classes(estimator):
    X, y, _ = rows(is_pairwise(estimator))
    with pytest.raises(ValueError, match="names the class 'maybe', but the classes are"):
        clone(estimator).set_params(class_weight={"maybe": 2.0}).fit(X, y)
