"""`ChowClassifier` given what is odd or wrong: parameters, rows, classes, folds."""

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from perceptrons import ChowClassifier, Costs, Perceptron


class Counting(GaussianNB):
    """How often was it fitted?"""

    n_fits = 0

    def fit(self, X, y):
        Counting.n_fits += 1
        return super().fit(X, y)


X_SMALL, Y_SMALL = np.arange(12.0)[:, None], np.array(["a", "b"] * 6)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"calibration": "platt"}, "calibration='platt', but it must be one of 'sigmoid', 'isotonic'"),
        ({"calibration": True}, "calibration=True, but it must be one of"),
        (
            {"estimator": LogisticRegression},
            r"estimator=LogisticRegression is a class; pass an object: Log.*\(\)",
        ),
        (
            {"estimator": LinearRegression()},
            r"estimator=LinearRegression\(\), but it must be a scikit-learn class",
        ),
        ({"estimator": StandardScaler()}, r"estimator=StandardScaler\(\), but it must be"),
        ({"estimator": None}, "estimator=None, but it must be"),
        ({"estimator": Perceptron(), "calibration": None}, 'no predict_proba, .* use calibration="sigmoid"'),
        ({"estimator": SVC(), "calibration": None}, 'no predict_proba, .* use calibration="sigmoid"'),
        (
            {"estimator": VotingClassifier([("a", Perceptron())])},
            "neither decision_function nor predict_proba",
        ),
        ({"reject_cost": 1.0}, "reject_cost=1.0, but it must be"),
        ({"reject_cost": -0.1}, "reject_cost=-0.1"),
        ({"costs": 0.3}, "costs=0.3, but it must be a Costs object"),
        ({"costs": Costs(wrong={"a": 1, "z": 1})}, "costs name the class 'z', but the classes are"),
        ({"costs": Costs(wrong={"a": 1})}, "wrong prices .* not the class 'b'; add it"),
        ({"cv": 1}, "cv=1, but it must be an integer >= 2; use 5"),
        ({"cv": []}, "cv has no splits"),
        ({"cv": "five"}, "'cv' parameter"),
        ({"cv": StratifiedKFold(7)}, "7-fold"),
        ({"cv": ShuffleSplit(3)}, "partitions"),
        ({"reject_label": "a"}, "reject_label='a', but that is one of the classes"),
        ({"reject_label": []}, "reject_label="),
    ],
)
def test_wrong_parameters(parameters, words):
    model = ChowClassifier(**{"estimator": LogisticRegression(), **parameters})
    with pytest.raises(ValueError, match=words):
        model.fit(X_SMALL, Y_SMALL)
    with pytest.raises(NotFittedError):
        model.predict(X_SMALL)


def test_wrong_rows():
    model = ChowClassifier(LogisticRegression())
    holed = np.where(X_SMALL == 3, np.nan, X_SMALL)
    for X, y, words in [
        (holed, Y_SMALL, "NaN"),
        (X_SMALL, ["a"] * 12, "one class only: 'a'"),
        (X_SMALL, ["reject", "b"] * 6, "'auto' is 'reject', but that is one of the classes"),
        (X_SMALL, Y_SMALL[:9], "inconsistent numbers of samples"),
        (np.empty((0, 1)), [], r"0 sample\(s\)"),
        (X_SMALL, np.linspace(0, 1, 12), "continuous"),
        (X_SMALL, [0.0, 1.0, np.nan] * 4, "NaN"),
        (
            X_SMALL,
            ["b"] * 11 + ["a"],
            "A class has 1 row, but calibration needs at least 2 .* calibration=None",
        ),
    ]:
        with pytest.raises(ValueError, match=words):
            model.fit(X, y)
    model.fit(X_SMALL, Y_SMALL)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(holed)
    with pytest.raises(ValueError, match="2 features"):
        model.predict(np.ones((3, 2)))
    with pytest.raises(ValueError, match="'z', which is not one of the classes"):
        model.risk(X_SMALL[:2], ["a", "z"])
    with pytest.raises(ValueError, match="'z', which is not one of the classes"):
        model.error_reject_curve(X_SMALL[:2], ["a", "z"])


def test_classes_of_few_rows_have_fewer_folds():
    for y, cv, n_folds in [
        (["a"] * 9 + ["b"] * 3, 5, 3),
        (["a"] * 2 + ["b"] * 10, 5, 2),
        (Y_SMALL, None, 5),
        (Y_SMALL, np.int64(2), 2),
        (Y_SMALL, 100, 6),
        (Y_SMALL, StratifiedKFold(4), 4),
        (Y_SMALL, [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))], 2),
    ]:
        model = ChowClassifier(Counting(), cv=cv)
        Counting.n_fits = 0
        model.fit(X_SMALL, y)
        assert Counting.n_fits == n_folds + 1
    ChowClassifier(LogisticRegression(), None, None).fit(X_SMALL, ["b"] * 11 + ["a"])


def test_a_frozen_estimator_of_other_classes():
    frozen = FrozenEstimator(LogisticRegression().fit(X_SMALL, ["a", "b", "c"] * 4))
    assert ChowClassifier(frozen).fit(X_SMALL, ["a", "b", "c"] * 4).estimator_ is frozen
    for calibration in ("sigmoid", None):
        with pytest.raises(
            ValueError, match=r"knows the classes \['a', 'b', 'c'\], but y holds \['a', 'b'\]"
        ):
            ChowClassifier(frozen, None, calibration).fit(X_SMALL, Y_SMALL)
    with pytest.raises(NotFittedError):
        ChowClassifier(FrozenEstimator(LogisticRegression())).fit(X_SMALL, Y_SMALL)


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    model = ChowClassifier(LogisticRegression(), reject_cost=0.4).fit(X_SMALL, Y_SMALL)
    before = model.predict(X_SMALL).tolist(), model.threshold_
    with pytest.raises(ValueError, match="NaN"):
        model.set_params(reject_cost=0.1).fit(np.full((12, 1), np.nan), ["x", "y"] * 6)
    assert (model.predict(X_SMALL).tolist(), model.threshold_) == before
