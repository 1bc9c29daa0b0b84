"""Weights of rows and classes, and threads, in `ChowClassifier`."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import recall_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from perceptrons import ChowClassifier, ConservativePerceptron
from perceptrons.conservative.chow_input import rows_at


@pytest.fixture(scope="module")
def noisy():
    """Rows, classes of which one is rare, and weights, a quarter of them 0."""
    rng = np.random.RandomState(0)
    X = rng.standard_normal((240, 3)) * (rng.uniform(size=(240, 3)) < 0.7)
    y = np.where(X[:, 0] + 0.8 * rng.standard_normal(240) > 1.2, "yes", "no")
    return X, y, rng.randint(0, 4, 240).astype(float)


class Recorded(ClassifierMixin, BaseEstimator):
    """What did it learn from?"""

    def fit(self, X, y, sample_weight=None, mood=None, notes=None):
        self.classes_, self.X_, self.y_, self.weights_ = np.unique(y), X, y, sample_weight
        self.mood_, self.notes_ = mood, notes
        return self

    def predict_proba(self, X):
        return np.full((X.shape[0] if hasattr(X, "shape") else len(X), len(self.classes_)), 0.5)


WRAPS = {
    "array": np.asarray,
    "CSR": sp.csr_array,
    "COO": sp.coo_matrix,
    "list": np.ndarray.tolist,
    "pandas": lambda X: pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(X))[::-1]),
    "polars": lambda X: pl.DataFrame(X, schema=["a", "b", "c"]),
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic", None])
def test_a_row_of_weight_zero_is_absent(noisy, wrap, calibration):
    X, y, weights = noisy
    there = weights > 0
    X_given = np.where(there[:, None], X, 1e6)  # whatever they are
    for class_weight in (None, "balanced", {"yes": 3}):
        model = ChowClassifier(LogisticRegression(), None, calibration, class_weight=class_weight)
        one = clone(model).fit(wrap(X_given), y, weights)
        other = clone(model).fit(wrap(X[there]), y[there], sample_weight=weights[there])
        assert (one.estimator_.coef_ == other.estimator_.coef_).all()
        assert (one.predict_proba(wrap(X)) == other.predict_proba(wrap(X))).all()


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_rows_at_places(wrap):
    X = np.arange(12.0).reshape(4, 3)
    found = rows_at(wrap(X), np.array([1, 3]))
    assert type(found) is type(wrap(X)) or sp.issparse(found)
    expected = found.toarray() if sp.issparse(found) else np.asarray(found)
    assert expected.tolist() == X[[1, 3]].tolist()


def test_the_estimator_gets_the_weights_and_the_rest_of_what_was_given(noisy):
    X, y, weights = noisy
    there = weights > 0
    model = ChowClassifier(Recorded(), None, None, class_weight={"yes": 3})
    notes = [str(i) for i in range(len(y))]
    inner = model.fit(X, y, weights, mood="n" * len(y), notes=notes).estimator_
    assert inner.weights_.tolist() == (weights * np.where(y == "yes", 3, 1))[there].tolist()
    assert (inner.y_ == y[there]).all()
    assert inner.notes_ == [notes[i] for i in np.flatnonzero(there)]
    assert inner.mood_ == "n" * len(y)  # not one for each row
    inner = model.set_params(class_weight=None).fit(X, y, sample_weight=None).estimator_
    assert inner.weights_ is None
    assert inner.X_ is X


def test_folds_of_rows_as_they_were_given(noisy):
    """A list of splits names all rows; splitters see those that are left."""
    X, y, weights = noisy
    there = np.flatnonzero(weights)
    left = [*KFold(4).split(there)]
    given = [(there[train], there[test]) for train, test in left]
    absent = np.flatnonzero(weights == 0)
    given[0] = np.append(given[0][0], absent), np.append(absent, given[0][1])
    given.append((there, absent[:3]))  # nothing that is left is tested by it
    one = ChowClassifier(GaussianNB(), cv=given).fit(X, y, weights)
    other = ChowClassifier(GaussianNB(), cv=left).fit(X[there], y[there], weights[there])
    splitter = ChowClassifier(GaussianNB(), cv=KFold(4)).fit(X, y, weights)
    for model in (one, splitter, ChowClassifier(GaussianNB(), cv=iter(given)).fit(X, y, weights)):
        assert (model.predict_proba(X) == other.predict_proba(X)).all()
    threefold = ChowClassifier(GaussianNB(), cv=3).fit(X, y, weights)
    assert (threefold.predict_proba(X) != one.predict_proba(X)).any()
    with pytest.raises(ValueError, match="'cv' parameter"):
        ChowClassifier(GaussianNB(), cv="five").fit(X, y, weights)


def test_a_class_of_one_row_that_counts(noisy):
    X, y, weights = noisy
    weights = np.where(y == "yes", np.arange(len(y)) == np.argmax(y == "yes"), 1.0)
    with pytest.raises(ValueError, match="A class has 1 row, but calibration needs at least 2"):
        ChowClassifier(GaussianNB()).fit(X, y, weights)


@pytest.mark.parametrize("base", [LogisticRegression(), RidgeClassifier(), GaussianNB()])
def test_a_weight_counts_as_rows_do(noisy, base):
    """With folds that keep repeated rows together."""
    X, y, weights = noisy
    n, times = len(y), weights.astype(int)
    places = np.repeat(np.arange(n), times)
    folds = [*StratifiedKFold(3).split(X, y)]
    repeated = [tuple(np.flatnonzero(np.isin(places, part)) for part in fold) for fold in folds]
    one = ChowClassifier(base, cv=folds).fit(X, y, weights)
    other = ChowClassifier(base, cv=repeated).fit(X[places], y[places])
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-4)
    plain = ChowClassifier(base, cv=folds).fit(X, y)
    assert abs(one.predict_proba(X) - plain.predict_proba(X)).max() > 1e-2


def test_weights_of_classes_are_weights_of_rows(noisy):
    X, y, weights = noisy
    weights = weights + 0.5
    by_class = ChowClassifier(LogisticRegression(), class_weight={"yes": 4}).fit(X, y, weights)
    by_row = ChowClassifier(LogisticRegression()).fit(X, y, weights * np.where(y == "yes", 4, 1))
    assert (by_class.predict_proba(X) == by_row.predict_proba(X)).all()


@pytest.mark.parametrize("base", [LogisticRegression(), RidgeClassifier()])
def test_balanced_classes_find_the_rare_one(noisy, base):
    X, y, _ = noisy
    assert 0.05 < (y == "yes").mean() < 0.25
    plain, balanced = (
        ChowClassifier(base, class_weight=one).fit(X, y).predict_liberal(X) for one in (None, "balanced")
    )
    recalls = [recall_score(y, answers, pos_label="yes") for answers in (plain, balanced)]
    assert recalls[1] > recalls[0] + 0.2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic", None])
def test_threads_give_the_same_model(noisy, calibration):
    X, y, weights = noisy
    own = ConservativePerceptron(n_restarts=1, max_epochs=3, random_state=0, n_jobs=2)
    for base in [LogisticRegression()] if calibration is None else [LogisticRegression(), own]:
        for given in (None, weights):
            one, *several = (
                ChowClassifier(base, None, calibration, n_jobs=n).fit(X, y, given) for n in (None, 2, -1)
            )
            assert all((one.predict_proba(X) == other.predict_proba(X)).all() for other in several)


def test_a_frozen_estimator_calibrated_by_weighted_rows(noisy, recwarn):
    X, y, weights = noisy
    frozen = FrozenEstimator(LogisticRegression().fit(X[:100], y[:100]))
    before, there = frozen.coef_.copy(), weights > 0
    weighted = ChowClassifier(frozen, class_weight="balanced", n_jobs=2).fit(X, y, weights)
    absent = ChowClassifier(frozen, class_weight="balanced").fit(X[there], y[there], weights[there])
    plain = ChowClassifier(frozen).fit(X, y)
    assert (frozen.coef_ == before).all()
    assert weighted.estimator_ is frozen
    assert (weighted.predict_proba(X) == absent.predict_proba(X)).all()
    assert (weighted.predict_proba(X)[:, 1] > plain.predict_proba(X)[:, 1]).mean() > 0.9
    believed = ChowClassifier(frozen, None, None).fit(X, y, weights)
    assert (believed.predict_proba(X) == frozen.predict_proba(X)).all()
    assert not recwarn.list


@pytest.mark.parametrize("calibration", ["sigmoid", None])
def test_weights_are_routed_on_request(noisy, calibration):
    X, y, weights = noisy
    for base in (LogisticRegression(), FrozenEstimator(LogisticRegression().fit(X, y))):
        model = ChowClassifier(base, None, calibration)
        expected = clone(model).fit(X, y, weights).predict_proba(X)
        with sklearn.config_context(enable_metadata_routing=True):
            asked = Pipeline([("only", clone(model).set_fit_request(sample_weight=True))])
            assert (asked.fit(X, y, sample_weight=weights).predict_proba(X) == expected).all()
            assert (clone(model).fit(X, y, weights).predict_proba(X) == expected).all()
            silent = Pipeline([("only", clone(model))])
            with pytest.raises(ValueError, match="not explicitly set as requested"):
                silent.fit(X, y, sample_weight=weights)
        assert "_metadata_request" not in vars(base)  # what the user gave is as it was


SMALL = np.arange(12.0)[:, None], np.array(["a", "b"] * 6)
ONES = np.ones(12)


@pytest.mark.parametrize(
    ("parameters", "weights", "message"),
    [
        ({}, ONES - 2, r"sample_weight has -1.0, but a weight must be >= 0; use 0 to leave a row out"),
        ({}, ONES * np.nan, "sample_weight contains NaN"),
        ({}, ONES * 0, "at least one non-zero number; all of them are 0"),
        ({}, ONES[:5], "sample_weight has 5 entries for 12 rows; give one for each"),
        ({}, [1, 0] * 6, "All rows of the class 'b' have weight 0, .*; leave its rows out"),
        ({"class_weight": {"a": 0}}, None, "All rows of the class 'a' have weight 0"),
        ({"class_weight": {"c": 2}}, None, r"the class 'c', but the classes are \['a', 'b'\]; leave it out"),
        ({"class_weight": "equal"}, None, "class_weight='equal', but it must be 'balanced', a dict or None"),
        ({"n_jobs": 0}, None, "n_jobs=0, but it must be an integer other than 0; use None"),
        (
            {"estimator": KNeighborsClassifier(), "class_weight": "balanced"},
            None,
            "class_weight='balanced', but KNeighborsClassifier.fit takes no sample_weight",
        ),
        (
            {"estimator": KNeighborsClassifier()},
            ONES,
            "sample_weight is given, but KNeighborsClassifier.fit takes none; leave it out",
        ),
        (
            {"estimator": Pipeline([("only", LogisticRegression())])},
            ONES,
            "sample_weight is given, but Pipeline.fit takes none; leave it out",
        ),
    ],
)
def test_bad_weights(parameters, weights, message):
    model = ChowClassifier(**{"estimator": LogisticRegression(), **parameters})
    with pytest.raises(ValueError, match=message):
        model.fit(*SMALL, weights)
    with pytest.raises(NotFittedError):
        model.predict(SMALL[0])
