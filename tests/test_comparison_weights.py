"""Weights of rows and classes, and threads, in `compare` and for the learners that it knows by name."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import has_fit_parameter

import perceptrons
from perceptrons import NAMED, BinaryPerceptron, Costs, SparsePerceptron, TableEncoder
from perceptrons.comparison import compare
from perceptrons.describe import shares_of
from perceptrons.learners import LEARNERS, build_learner, for_tables, weights_for
from tests.test_comparison import by_name
from tests.weighted import UNWEIGHTED, WEIGHTED, clinic, repeated

PEERS = ["logistic regression", "shallow tree"]


@pytest.fixture(scope="module")
def rows():
    """A table, its classes, the weights of its rows."""
    frame = clinic()
    return frame.drop("copies", "outcome"), frame["outcome"].to_numpy(), frame["copies"].to_numpy()


def takes_weights(learner):
    return "class_weight" in learner.get_params() and has_fit_parameter(learner, "sample_weight")


def test_who_takes_weights():
    assert {name for name in LEARNERS if not takes_weights(build_learner(name))} == UNWEIGHTED


@pytest.mark.parametrize("name", [*WEIGHTED, *NAMED])
def test_class_weights_of_learners(name):
    assert build_learner(name).class_weight is None
    assert build_learner(name, seed=3, class_weight="balanced").class_weight == "balanced"
    assert build_learner(name, class_weight={"ill": 2}).class_weight == {"ill": 2}


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_row_of_weight_0_is_absent(rows, name):
    """From training, testing and the folds, be it of a class of its own, or a number like no other."""
    X, y, copies = rows
    there = copies > 0
    settings = {"folds": 2, "max_epochs": 10, "learners": [name]}
    (found,) = compare(X, y, there, **settings)
    (expected,) = compare(X.filter(there), y[there], **settings)
    (other,) = compare(X, y, **settings)
    assert found.fold_risks == pytest.approx(expected.fold_risks)
    assert found.balanced_accuracy == pytest.approx(expected.balanced_accuracy)
    assert (found.rejected, found.size) == (pytest.approx(expected.rejected), expected.size)
    assert (other.fold_risks, other.size) != (found.fold_risks, found.size)


@pytest.mark.parametrize("class_weight", [None, "balanced", {"ill": 3}])
def test_weighted_means_over_the_rows_left_out(rows, class_weight):
    """As scikit-learn's metrics find them, of pipelines fitted fold by fold."""
    X, y, copies = rows
    X, y, w = X.filter(copies > 0), y[copies > 0], copies[copies > 0] / 3
    costs = Costs(wrong={"healthy": 1, "ill": 4})
    (found,) = compare(X, y, w, class_weight=class_weight, folds=3, seed=2, learners=PEERS[:1], costs=costs)
    accuracies, balanced, risks = [], [], []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=2).split(X, y):
        learner = LogisticRegression(max_iter=10_000, class_weight=class_weight)
        model = make_pipeline(TableEncoder(), learner)
        model.fit(X[train], y[train], **weights_for(model, w[train]))
        answers = model.predict(X[test])
        accuracies.append(accuracy_score(y[test], answers, sample_weight=w[test]))
        balanced.append(balanced_accuracy_score(y[test], answers, sample_weight=w[test]))
        risks.append(costs.risk(y[test], answers, labels=["healthy", "ill"], sample_weight=w[test]))
    assert found.fold_accuracies == pytest.approx(accuracies)
    assert found.accuracy == pytest.approx(np.mean(accuracies))
    assert found.balanced_accuracy == pytest.approx(np.mean(balanced))
    assert found.fold_risks == pytest.approx(risks)


def test_equal_weights_change_nothing(rows):
    X, y, _ = rows
    for name in WEIGHTED:
        settings = {"folds": 2, "max_epochs": 10, "learners": [name]}
        (one,), (other,) = compare(X, y, **settings), compare(X, y, np.ones(len(y)), **settings)
        assert (one.fold_risks, one.size) == (other.fold_risks, other.size)


def test_a_balanced_learner_finds_the_rare_class(rows):
    X, y, copies = rows
    plain, fair = (
        by_name(compare(X, y, copies, class_weight=one, folds=3, learners=["sparse", *PEERS]))
        for one in (None, "balanced")
    )
    for name in plain:
        assert fair[name].balanced_accuracy > plain[name].balanced_accuracy


@pytest.mark.parametrize(
    "learner", [SparsePerceptron(refit="stagewise", stages=4), LogisticRegression(tol=1e-10)]
)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights_reach_encoder_and_learner_as_repeated_rows_would(rows, learner, class_weight):
    X, y, copies = rows
    model = for_tables(clone(learner).set_params(class_weight=class_weight))
    found = model.fit(X, y, **weights_for(model, copies)).decision_function(X)
    frame = repeated(clinic())
    model.fit(frame.drop("outcome"), frame["outcome"].to_numpy())
    np.testing.assert_allclose(found, model.decision_function(X), rtol=1e-6)
    assert not np.allclose(found, model.fit(X, y).decision_function(X), rtol=1e-3)


def test_weights_for_all_steps_of_a_pipeline():
    model = for_tables(BinaryPerceptron())
    assert weights_for(model, [1]) == {
        "literalencoder__sample_weight": [1],
        "binaryperceptron__sample_weight": [1],
    }
    assert weights_for(model, None) == {}


def test_the_encoder_of_a_fold_knows_the_weights(rows, monkeypatch):
    seen = []

    class Spy(TableEncoder):
        def fit(self, X, y=None, sample_weight=None):
            seen.append(sample_weight)
            return super().fit(X, y, sample_weight)

    monkeypatch.setattr("perceptrons.learners.TableEncoder", Spy)
    X, y, copies = rows
    w = copies[copies > 0]
    compare(X, y, copies, folds=2, learners=PEERS)
    folds = StratifiedKFold(2, shuffle=True, random_state=0).split(w, y[copies > 0])
    expected = [w[train].tolist() for train, _ in folds] + [w.tolist()]
    assert [one.tolist() for one in seen] == expected


def test_shares_by_hand():
    codes, weights = np.array([0, 0, 0, 1, 1]), np.array([1.0, 2.0, 3.0, 1.0, 1.0])
    right, rejected = np.array([1, 1, 0, 1, 1], bool), np.array([0, 1, 0, 0, 1], bool)
    assert shares_of(codes, right, rejected) == pytest.approx((2 / 3, (1 / 3 + 1 / 2) / 2, 2 / 5))
    assert shares_of(codes, right, rejected, weights) == pytest.approx((2 / 5, (1 / 6 + 1 / 2) / 2, 3 / 8))
    assert shares_of(codes, right, rejected | True) == (None, 0.0, 1.0)
    assert shares_of(codes + 5, right, rejected & False).balanced_accuracy == pytest.approx((2 / 3 + 1) / 2)


def test_the_same_from_every_frame(rows):
    X, y, copies = rows
    expected = compare(X, y, copies, folds=2, learners=PEERS)
    for frame, weights in (
        (pd.DataFrame(X.to_dict(as_series=False)), pd.Series(copies)),
        ([list(row) for row in X.rows()], copies.tolist()),
    ):
        found = compare(frame, y, sample_weight=weights, folds=2, learners=PEERS)
        assert [one.fold_risks for one in found] == [one.fold_risks for one in expected]


class Threaded(ClassifierMixin, BaseEstimator):
    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs

    def fit(self, X, y):
        THREADS.append(self.n_jobs)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


THREADS = []


def test_threads(rows, monkeypatch):
    monkeypatch.setitem(LEARNERS, "threaded", lambda seed, max_epochs: Threaded())
    X, y, _ = rows
    for n_jobs in (None, 3):
        compare(X, y, n_jobs=n_jobs, folds=2, learners=["threaded", *PEERS])
    assert THREADS == [None] * 3 + [3] * 3
    assert build_learner("logistic regression", n_jobs=2).n_jobs is None  # it would warn
    assert not by_name(compare(X, y, n_jobs=2, folds=2, learners=PEERS))["logistic regression"].notes


BAD = {
    "class_weight names the class 'unknown', but the classes are": {"class_weight": {"unknown": 1}},
    "class_weight='foo', but it must be 'balanced', a dict or None": {"class_weight": "foo"},
    "All rows of the class 'ill' have weight 0, so it cannot be": {"class_weight": {"ill": 0}},
    "sample_weight has 3 entries for 60 rows": {"sample_weight": [1, 2, 3]},
    r"sample_weight has -1\.0, but a weight must be >= 0": {"sample_weight": np.arange(60.0) - 1},
    "at least one non-zero number": {"sample_weight": np.zeros(60)},
    "All rows of the class 'healthy' have weight 0": {"sample_weight": np.arange(60) % 5 == 0},
    "The class 'ill' has one row": {"sample_weight": np.arange(60) % 5 + (np.arange(60) == 0)},
    r"A row has the weight 1e\+308, .* must be 0 or lie between 1e-30 and": {
        "sample_weight": np.full(60, 1e308)
    },
    "n_jobs=0, but it must be an integer other than 0": {"n_jobs": 0},
}


@pytest.mark.parametrize("message", BAD)
def test_what_cannot_be_is_refused_before_anything_is_fitted(rows, message):
    X, y, _ = rows
    with pytest.raises(ValueError, match=message):
        perceptrons.compare(X, y, **BAD[message], learners=PEERS, progress=pytest.fail)
