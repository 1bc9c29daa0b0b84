"""Learners that may reject beside those that always answer: what `compare` reports of both."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from perceptrons import (
    ChowClassifier,
    ConservativePerceptron,
    Costs,
    Perceptron,
    TableEncoder,
    coverage_score,
    risk_score,
    selective_accuracy,
)
from perceptrons.comparison import compare, quietly
from perceptrons.describe import Size, answers_of, size_of
from perceptrons.learners import (
    LEARNERS,
    MANY_ROWS,
    ON_REQUEST,
    SLOW,
    build_learner,
    default_learners,
    may_reject,
    supports_classes,
)
from perceptrons.rejection.rejecting import Rejecting
from tests.test_comparison import by_name

REJECTING = ["conservative", "chow"]


@pytest.fixture(scope="module")
def noisy():
    """Rows that no hyperplane separates."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    return X, np.where(X[:, 0] + rng.normal(size=90) > 0, "up", "down")


TWO = ["conservative", "binary", "binary sbpi"]  # tell two classes apart, no more


def test_who_may_reject():
    assert [name for name in LEARNERS if may_reject(build_learner(name))] == [*REJECTING, "selective"]


def test_who_always_answers_pays_for_errors(noisy):
    for result in compare(*noisy, folds=3, max_epochs=5, learners=["averaged", "shallow tree"]):
        assert (result.rejected, result.may_reject) == (0.0, False)
        assert result.risk == pytest.approx(1 - result.accuracy)
        assert result.fold_risks == pytest.approx([1 - share for share in result.fold_accuracies])
        assert result.risk_sd == pytest.approx(result.accuracy_sd)
        assert result.risk > 0


@pytest.mark.parametrize("costs", [None, Costs(gain=0.1, wrong={"up": 1, "down": 4}, reject=0.3)])
def test_what_is_reported_of_refusals(noisy, costs):
    """As the metrics find it, of models fitted fold by fold."""
    X, y = noisy
    found = by_name(compare(X, y, folds=3, seed=4, max_epochs=20, learners=REJECTING, costs=costs))
    learners = {
        "conservative": ConservativePerceptron(costs=costs, max_epochs=20, random_state=4),
        "chow": ChowClassifier(Perceptron(result="average", max_epochs=20, random_state=4), costs),
    }
    for name, learner in learners.items():
        accuracies, risks, rejected = [], [], []
        for train, test in StratifiedKFold(3, shuffle=True, random_state=4).split(X, y):
            encoder = TableEncoder().fit(X[train])
            quietly(learner.fit, encoder.transform(X[train]), y[train])
            answers = learner.predict(encoder.transform(X[test]))
            accuracies.append(selective_accuracy(y[test], answers))
            risks.append(risk_score(y[test], answers, costs=costs))
            rejected.append(1 - coverage_score(y[test], answers))
        result = found[name]
        assert result.may_reject
        assert 0 < result.rejected < 1
        assert result.rejected == pytest.approx(np.mean(rejected))
        assert result.fold_accuracies == pytest.approx(accuracies)
        assert result.fold_risks == pytest.approx(risks)
        assert (result.risk, result.risk_sd) == pytest.approx((np.mean(risks), np.std(risks, ddof=1)))
        assert result.size == Size(3, "weights")


def test_costs_differ_by_class(noisy):
    X, y = noisy
    costs = Costs(wrong={"up": 1, "down": 9}, reject=0.5)
    plain, dear = (compare(X, y, folds=2, learners=["shallow tree"], costs=one)[0] for one in (None, costs))
    assert plain.fold_accuracies == dear.fold_accuracies
    assert plain.risk < dear.risk < 9 * plain.risk  # errors about both classes are made


def test_costs_that_do_not_fit(noisy):
    with pytest.raises(
        ValueError, match=r"costs name the class 'left', but the classes are \['down', 'up'\]"
    ):
        compare(*noisy, costs=Costs(wrong={"left": 2, "up": 1}))
    with pytest.raises(ValueError, match="but not the class 'down'; add it"):
        compare(*noisy, costs=Costs(wrong={"up": 2}))
    with pytest.raises(ValueError, match=r"costs=0\.3, but it must be a Costs object"):
        compare(*noisy, costs=0.3)


@pytest.mark.parametrize("names", [("reject", "up"), (0, -1), (0, 1), (True, False)])
def test_no_class_is_taken_for_a_refusal(noisy, names):
    """Whatever classes are called: "reject", 0 and -1 are labels of refusals elsewhere."""
    X, y = noisy
    settings = {"folds": 2, "max_epochs": 5, "learners": [*REJECTING, "averaged"]}
    expected = compare(X, np.where(y == "up", "b", "a"), **settings)
    found = compare(X, np.where(y == "up", max(names), min(names)), **settings)
    for one, other in zip(found, expected, strict=True):
        assert (one.fold_risks, one.rejected) == (other.fold_risks, other.rejected)


def test_nothing_is_answered(noisy):
    """Where a refusal costs nothing."""
    results = compare(*noisy, folds=2, max_epochs=3, learners=REJECTING, costs=Costs(reject=0))
    for result in results:
        assert (result.accuracy, result.accuracy_sd) == (None, None)
        assert result.fold_accuracies == (None, None)
        assert (result.risk, result.rejected) == (0.0, 1.0)
        assert "rejects every row" in result.notes
        json.dumps(asdict(result), allow_nan=False)


class Moody(Rejecting, BaseEstimator):
    """Answers rows in one fold, and that right."""

    def __init__(self, costs=None, reject_label="auto"):
        self.costs, self.reject_label = costs, reject_label

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def _decisions(self, X):
        up = (X[:, 0] > 0).astype(int)
        return up, np.full(len(X), 4.5 not in np.abs(X[:, 0]).round(2)), up


def test_a_fold_without_answers_does_not_count(monkeypatch):
    monkeypatch.setitem(LEARNERS, "moody", lambda seed, max_epochs: Moody())
    monkeypatch.setattr("perceptrons.fold_fits.reads_tables", lambda learner: True)
    X = np.array([[x] for x in range(-6, 7) if x] + [[4.5]])
    (result,) = compare(X, X[:, 0] > 0, folds=3, learners=["moody"])
    assert sorted(result.fold_accuracies, key=str) == [1.0, None, None]
    assert (result.accuracy, result.accuracy_sd) == (1.0, None)
    assert sorted(result.fold_risks) == pytest.approx([0, 0.2, 0.2])
    assert (result.rejected, result.risk) == pytest.approx((2 / 3, 0.4 / 3))


def test_several_classes_are_not_for_all():
    X, y = load_iris(return_X_y=True)
    assert [name for name in LEARNERS if not supports_classes(name, 3)] == TWO
    assert all(supports_classes(name, 2) for name in LEARNERS)
    assert set(LEARNERS) - set(default_learners(150, 3)) == {*ON_REQUEST, *TWO}
    assert set(LEARNERS) - set(default_learners(MANY_ROWS + 1, 3)) == {*SLOW, *ON_REQUEST, *TWO}
    found = by_name(compare(X, y, folds=2, max_epochs=3))
    assert set(found) == set(LEARNERS) - {*ON_REQUEST, *TWO}
    assert found["chow"].rejected > 0
    conservative, chow = compare(X, y, folds=2, max_epochs=3, learners=REJECTING)
    assert conservative.risk is conservative.accuracy is conservative.rejected is None
    assert conservative.notes[0].startswith("failed: Only binary classification is supported.")
    assert chow.risk == found["chow"].risk


def test_epochs_and_costs_of_learners(monkeypatch, noisy):
    costs = Costs(wrong=3)
    for name in REJECTING:
        learner = build_learner(name, seed=5, costs=costs)
        inner = getattr(learner, "estimator", learner)
        assert (learner.costs, inner.random_state, inner.max_epochs) == (costs, 5, 100)
        asked = build_learner(name, max_epochs=500)
        assert getattr(asked, "estimator", asked).max_epochs == 500
        assert asked.costs is None
    assert build_learner("averaged", costs=costs).max_epochs == 1000

    given = []

    class Spy(ConservativePerceptron):
        def fit(self, X, y):
            given.append((self.max_epochs, self.costs, self.reject_label))
            return super().fit(X, y)

    monkeypatch.setitem(LEARNERS, "conservative", lambda seed, max_epochs: Spy(max_epochs=max_epochs))
    for asked, made in ((7, 7), (1000, 100)):
        X, y = noisy[0], np.sign(noisy[0][:, 0])
        compare(X, y, folds=2, max_epochs=asked, learners=["conservative"], costs=costs)
        assert given == [(made, costs, None)] * 3
        given.clear()


def test_answers_of_both_kinds(noisy):
    X, y = noisy
    always = LogisticRegression().fit(X, y)
    answers, rejected = answers_of(always, X)
    assert np.array_equal(answers, always.predict(X))
    assert not rejected.any()
    chow = ChowClassifier(always, reject_cost=0.05).fit(X, y)
    answers, rejected = answers_of(chow, X)
    assert np.array_equal(answers, chow.predict_liberal(X))
    assert np.array_equal(rejected, chow.predict(X) == "reject")
    assert 0 < rejected.sum() < len(y)
    assert size_of(chow) == Size(3, "weights")
