"""Metrics that know rejections, against loops, scikit-learn's own where nothing is rejected, and a search."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, confusion_matrix, make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate

from perceptrons import Costs, coverage_score, reject_confusion_matrix, risk_score, selective_accuracy

METRICS = [reject_confusion_matrix, selective_accuracy, coverage_score, risk_score]
SCORES = METRICS[1:]
KINDS = [([1, 2, 5], 0), (["a", "b", "c"], "reject"), ([0, 1], -1), ([0, 1], "no"), (["a", "b"], -3)]
NORMALIZE = [None, "true", "pred", "all"]

seen = {"rejected": 0, "none rejected": 0, "none answered": 0, "missing class": 0}


def draw(seed):
    rng = np.random.default_rng(seed)
    names, label = KINDS[seed % len(KINDS)]
    size, rejections = int(rng.integers(1, 15)), rng.choice([0.0, 0.3, 1.0], p=[0.3, 0.6, 0.1])
    y_true = [names[i] for i in rng.integers(len(names), size=size)]
    y_pred = [names[i] if rng.random() >= rejections else label for i in rng.integers(len(names), size=size)]
    return names, label, y_true, y_pred, rng.integers(1, 5, size=size).tolist()


def naive_matrix(y_true, y_pred, names, label, weights):
    columns = [*names, label]
    return [
        [
            sum(w for t, p, w in zip(y_true, y_pred, weights, strict=True) if (t, p) == (name, column))
            for column in columns
        ]
        for name in names
    ]


def naive_shares(y_true, y_pred, label, weights):
    rows = list(zip(y_true, y_pred, weights, strict=True))
    answered = sum(w for _, p, w in rows if p != label)
    right = sum(w for t, p, w in rows if p == t)
    return answered / sum(weights), right / answered if answered else 0.25


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, derandomize=True, max_examples=200)
def check_all(seed):
    names, label, y_true, y_pred, weights = draw(seed)
    for passed, ones in ((weights, weights), (None, [1] * len(y_true))):
        common = {"reject_label": label, "sample_weight": passed}
        matrix = reject_confusion_matrix(y_true, y_pred, labels=names, **common)
        assert matrix.tolist() == naive_matrix(y_true, y_pred, names, label, ones)
        assert matrix.dtype.kind == "i"
        coverage, accuracy = naive_shares(y_true, y_pred, label, ones)
        assert coverage_score(y_true, y_pred, **common) == pytest.approx(coverage)
        given_accuracy = selective_accuracy(y_true, y_pred, zero_division=0.25, **common)
        assert given_accuracy == pytest.approx(accuracy)
        wrong = coverage * (1.0 - accuracy)
        risk = risk_score(y_true, y_pred, reject_cost=0.4, **common)
        assert risk == pytest.approx(wrong + 0.4 * (1.0 - coverage))
    seen["rejected"] += label in y_pred
    seen["none rejected"] += label not in y_pred
    seen["none answered"] += set(y_pred) == {label}
    seen["missing class"] += len(set(y_true)) < len(names)


def test_all_equal_their_loops():
    seen.update(dict.fromkeys(seen, 0))
    check_all()
    assert min(seen.values()) > 10, seen


@pytest.mark.parametrize("normalize", NORMALIZE)
@pytest.mark.parametrize(("names", "label"), KINDS)
def test_without_rejections_the_matrix_is_scikit_learns(names, label, normalize):
    rng = np.random.default_rng(0)
    y_true, y_pred = (np.array(names)[rng.integers(len(names), size=40)] for _ in "tp")
    weights = rng.random(40)
    for labels in (None, names[::-1], names[:2]):
        for sample_weight in (None, weights):
            common = {"labels": labels, "sample_weight": sample_weight, "normalize": normalize}
            ours = reject_confusion_matrix(y_true, y_pred, reject_label=label, **common)
            theirs = confusion_matrix(y_true, y_pred, **common)
            assert ours[:, :-1].tolist() == theirs.tolist()
            assert ours.dtype == theirs.dtype
            assert not ours[:, -1].any()


def test_shares_in_the_matrix():
    y_true, y_pred = [1, 1, 1, 1, 2, 2], [1, 1, 2, 0, 0, 0]
    shares = {name: reject_confusion_matrix(y_true, y_pred, normalize=name) for name in NORMALIZE}
    assert shares[None].tolist() == [[2, 1, 1], [0, 0, 2]]
    assert shares["true"].tolist() == [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]
    assert shares["pred"] == pytest.approx(np.array([[1.0, 1.0, 1 / 3], [0.0, 0.0, 2 / 3]]))
    assert shares["all"] == pytest.approx(np.array([[2, 1, 1], [0, 0, 2]]) / 6)
    with pytest.raises(ValueError, match="normalize"):
        reject_confusion_matrix(y_true, y_pred, normalize="rows")


def test_labels_select_and_order_the_classes():
    y_true, y_pred = ["a", "b", "c", "a", "b"], ["a", "reject", "reject", "c", "b"]
    assert reject_confusion_matrix(y_true, y_pred, labels=["b", "a"]).tolist() == [[1, 0, 1], [0, 1, 0]]
    assert reject_confusion_matrix([1, 1], [1, 0], labels=[0, 1]).tolist() == [[0, 0, 0], [1, 1, 0]]
    with pytest.raises(ValueError, match="At least one label specified must be in y_true"):
        reject_confusion_matrix(y_true, y_pred, labels=["z"])
    with pytest.raises(ValueError, match="Mix of label input types"):
        reject_confusion_matrix(y_true, y_pred, labels=[1, 2])
    with pytest.raises(ValueError, match=r"reject_label='auto' is 'reject', but that is one of the classes"):
        reject_confusion_matrix(y_true, y_pred, labels=["a", "reject"])


@pytest.mark.parametrize(
    ("y_true", "y_pred", "label", "odd"),
    [
        (["a", "b"], ["a", "z"], "auto", "'z'"),
        ([1, 2], [1, 3], "auto", "3"),
        ([1, 2], [1, 0], None, "0"),
        ([1, 2], [1, 0], -1, "0"),
    ],
)
def test_answers_without_a_column_are_named(y_true, y_pred, label, odd):
    with pytest.raises(
        ValueError, match=rf"y_pred holds {odd}, which is neither one of the classes .* name it"
    ):
        reject_confusion_matrix(y_true, y_pred, reject_label=label)
    assert risk_score(y_true, y_pred, reject_label=label) == 0.5  # it may be a class that no row has: wrong


@pytest.mark.parametrize("metric", METRICS)
def test_bad_input_raises(metric):
    for y_true, y_pred, message in (
        ([], [], "0 sample"),
        ([0, 1], [0], "inconsistent numbers of samples"),
        ([0.0, np.nan], [0, 1], "y_true contains NaN"),
        (np.array(["a", np.nan], object), ["a", "a"], "NaN"),
        ([0.0, 1.0], [0.0, np.nan], "y_pred holds nan, which is neither"),
        ([0.3, 1.7], [0, 1], "y_true is continuous, but it must hold classes"),
        ([0, 1], [0.3, 0.7], "y_pred is continuous, but it must hold classes"),
        (["a", "b"], [0, 1], r"y_pred holds 0, which is neither one of the classes \['a', 'b'\]"),
        ([0, 1], ["0", "1"], r"y_pred holds '0', which is neither one of the classes \[0, 1\]"),
        ([0, 1], [0, "reject"], "y_pred holds 'reject', which is neither"),
        ([0, 1], np.array([0, None], object), "y_pred holds None, which is neither"),
        ([[0, 1], [1, 0]], [0, 1], "1d array|array of shape"),
        ([0, 1], [[0, 1], [1, 0]], "1d array|array of shape"),
    ):
        with pytest.raises(ValueError, match=message):
            metric(y_true, y_pred)
    for weights, message in (([1.0], "sample_weight"), ([-1.0, 2.0], "must be >= 0"), ([np.nan, 1.0], "NaN")):
        with pytest.raises(ValueError, match=message):
            metric([0, 1], [0, 1], sample_weight=weights)
    with pytest.raises(ValueError, match=r"reject_label=1, but that is one of the classes \[0, 1\]"):
        metric([0, 1], [0, 1], reject_label=1)


@pytest.mark.parametrize("metric", METRICS)
def test_inputs_of_many_kinds_give_the_same(metric):
    numbers, answers = [1, 2, 2, 1, 2], [1, 0, 2, 2, 2]
    texts = {0: "reject", 1: "one", 2: "two"}
    expected = np.asarray(metric(numbers, answers)).tolist()
    named, spoken = [texts[i] for i in numbers], [texts[i] for i in answers]
    column = np.array(numbers)[:, None]
    for y_true, y_pred in (
        (np.array(numbers), np.array(answers, np.int8)),
        (np.array(numbers, np.uint8), np.array(answers, float)),
        (column, np.array(answers)[:, None]),
        (pd.Series(numbers, index=list("vwxyz")), pd.Series(answers)),
        (pl.Series(numbers), pl.Series(answers)),
        (pd.Series(numbers, dtype="Int64"), answers),
        (named, spoken),
        (np.array(named), np.array(spoken, object)),
        (pd.Series(named), pd.Series(spoken)),
        (pd.Series(named, dtype="category"), pd.Series(spoken, dtype="category")),
        (pl.Series(named), pl.Series(spoken)),
    ):
        assert np.asarray(metric(y_true, y_pred)).tolist() == expected
    mixed = [texts[0] if i == 0 else i for i in answers]
    for y_pred in (mixed, tuple(mixed), np.array(mixed, object), pd.Series(mixed)):
        assert np.asarray(metric(numbers, y_pred, reject_label="reject")).tolist() == expected
    missing = [np.nan if i == 0 else i for i in answers]
    for y_pred in (missing, np.array(missing, np.float32), pd.Series(missing)):
        assert np.asarray(metric(numbers, y_pred, reject_label=np.nan)).tolist() == expected
    truths = [True, False, False, True, False]  # of these classes the automatic label is −1
    given = [True, -1, False, False, False]
    flipped = np.asarray(metric([1, 0, 0, 1, 0], [1, -1, 0, 0, 0])).tolist()
    assert np.asarray(metric(truths, given)).tolist() == flipped


@pytest.mark.parametrize("metric", METRICS)
def test_a_fold_without_one_of_the_classes(metric):
    """Where a class has no rows, another answer is a rejection only if all classes are named."""
    with pytest.raises(ValueError, match=r"1 is the only class known, and y_pred holds 0, .* as labels, or"):
        metric([1, 1, 1], [1, 0, 1])
    with pytest.raises(ValueError, match=r"y_pred holds 5, which is neither one of the classes \[0, 1\]"):
        metric([1, 1, 1], [1, 5, 1], labels=[0, 1])
    for y_pred in ([1, 0, 1], [1, -1, 1]):
        by_labels = metric([1, 1, 1], y_pred, labels=[0, 1])
        full = metric([1, 1, 1, 0], [*y_pred, 0], sample_weight=[1, 1, 1, 0])
        assert np.asarray(by_labels).tolist() == np.asarray(full).tolist()


def test_a_wrong_answer_is_no_rejections():
    rows = {"y_true": [1, 1, 1], "y_pred": [1, 0, 1], "labels": [0, 1]}
    assert risk_score(**rows) == pytest.approx(1 / 3)
    assert coverage_score(**rows) == 1.0
    assert selective_accuracy(**rows) == pytest.approx(2 / 3)


def test_no_label_no_rejections():
    assert coverage_score([0, 1], [0, -1], reject_label=None) == 1.0
    assert selective_accuracy([0, 1], [0, -1], reject_label=None) == 0.5


def test_accuracy_where_nothing_is_answered():
    nothing = [[1, 2, 2], [0, 0, 0]]
    with pytest.warns(
        UndefinedMetricWarning, match="No row was answered.* set to 0.0.* zero_division"
    ) as caught:
        assert selective_accuracy(*nothing) == 0.0
    assert caught[0].filename == __file__
    assert selective_accuracy(*nothing, zero_division=1) == 1.0
    assert np.isnan(selective_accuracy(*nothing, zero_division=np.nan))
    with pytest.warns(UndefinedMetricWarning):  # the one answer has no weight
        assert selective_accuracy([1, 2], [1, 0], sample_weight=[0, 1]) == 0.0
    assert coverage_score(*nothing) == 0.0
    for bad in ("nan", None, True):
        with pytest.raises(ValueError, match=rf"zero_division={bad!r}, but it must be 'warn' or a number"):
            selective_accuracy([1, 2], [1, 2], zero_division=bad)


def test_the_risk_reads_costs():
    y_true, y_pred = ["ill", "ill", "well", "well"], ["well", "reject", "well", "ill"]
    costs = Costs(gain=0.5, wrong={"ill": 5, "well": 1}, reject={"ill": 1, "well": 0.5})
    assert risk_score(y_true, y_pred, costs=costs) == pytest.approx((5 + 1 - 0.5 + 1) / 4)
    with pytest.raises(ValueError, match=r"y_pred holds 'reject', which is neither .* rejections, 'ill\?'"):
        risk_score(y_true, y_pred, costs=costs, reject_label="ill?")
    with pytest.raises(ValueError, match="costs='dear', but it must be a Costs object"):
        risk_score(y_true, y_pred, costs="dear")
    with pytest.raises(ValueError, match=r"reject_cost=1.5, but it must be a number >= 0 and below 1"):
        risk_score(y_true, y_pred, reject_cost=1.5)


class Hesitant(LogisticRegression):
    """Answers −1 where the score is below a threshold."""

    def __init__(self, threshold=0.0):
        super().__init__()
        self.threshold = threshold

    def predict(self, X):
        return np.where(np.abs(self.decision_function(X)) < self.threshold, -1, super().predict(X))


def test_a_search_by_risk_finds_another_threshold_than_one_by_accuracy():
    X, y = make_classification(300, 6, flip_y=0.2, class_sep=0.6, random_state=0)
    scoring = {
        "accuracy": make_scorer(accuracy_score),
        "risk": make_scorer(risk_score, greater_is_better=False, reject_cost=0.2, reject_label=-1),
        "coverage": make_scorer(coverage_score),
        "selective": make_scorer(selective_accuracy, zero_division=0.0),
    }
    grid = {"threshold": [0.0, 0.5, 1.0, 2.0, 50.0]}
    search = GridSearchCV(Hesitant(), grid, scoring=scoring, refit="risk", cv=4, error_score="raise").fit(
        X, y
    )
    found = {name: search.cv_results_[f"mean_test_{name}"] for name in scoring}
    assert search.cv_results_["rank_test_accuracy"][0] == 1  # a model that never rejects is right most often
    assert search.best_params_["threshold"] in (0.5, 1.0, 2.0)
    assert found["risk"].max() > found["risk"][0] + 0.01
    assert found["risk"][-1] == pytest.approx(-0.2)
    assert found["coverage"][[0, -1]].tolist() == [1.0, 0.0]
    assert found["selective"][2] > found["selective"][0] == pytest.approx(found["accuracy"][0])
    by_hand = cross_validate(search.best_estimator_, X, y, cv=4, scoring=scoring["risk"])["test_score"]
    assert by_hand.mean() == pytest.approx(found["risk"].max())
