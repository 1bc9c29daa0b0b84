"""Pictures of rejections, tested as the data they show."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import perceptrons
from perceptrons import ErrorRejectDisplay
from perceptrons.rejection.rejecting import Rejecting, error_reject_curve

KINDS = ["error", "coverage", "risk"]


@pytest.fixture(autouse=True)
def plt():
    """Pictures in memory, closed after each test."""
    mpl.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.fixture(scope="module")
def rows():
    return make_classification(200, 5, flip_y=0.2, class_sep=0.6, random_state=3)


class Hesitant(Rejecting, LogisticRegression):
    """Rejects scores between two thresholds, one per side."""

    def __init__(self, low=0.9, high=0.2, reject_label_=-1):
        super().__init__()
        self.low, self.high, self.reject_label_ = low, high, reject_label_

    def _decisions(self, X):
        scores = self.decision_function(X)
        return (scores > 0).astype(int), (-self.low < scores) & (scores < self.high), np.abs(scores)


def data(line):
    return np.array(line.get_xdata()), np.array(line.get_ydata())


def by_hand(wrong, certainty):
    """Share rejected and share of errors, a pair per threshold."""
    thresholds = [*np.unique(certainty), np.inf]
    return np.array([[np.mean(certainty < at), np.mean(wrong & (certainty >= at))] for at in thresholds]).T


def some_predictions():
    rng = np.random.default_rng(5)
    y_true, y_pred = rng.integers(0, 2, size=(2, 60))
    return y_true, y_pred, rng.random(60).round(1)


def test_errors_over_rejected_rows():
    y_true, y_pred, certainty = some_predictions()
    display = ErrorRejectDisplay.from_predictions(y_true, y_pred, certainty)
    x, y = data(display.line_)
    rejected, errors = by_hand(y_true != y_pred, certainty)
    assert len(rejected) == 12  # eleven values, and nothing answered
    assert x == pytest.approx(rejected)
    assert y == pytest.approx(errors)
    assert display.point_ is display.always_ is display.ax_.get_legend() is None
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("rejected rows", "errors among all rows")
    assert display.ax_.get_xlim() == (0.0, 1.0)
    assert display.ax_.get_ylim()[0] == 0.0 < errors[0] < display.ax_.get_ylim()[1]
    assert display.ax_.xaxis.get_major_formatter()(0.145, 0) == "14.5%"


def test_accuracy_over_answered_rows():
    y_true, y_pred, certainty = some_predictions()
    display = ErrorRejectDisplay.from_predictions(y_true, y_pred, certainty, kind="coverage")
    x, y = data(display.line_)
    kept = [certainty >= at for at in np.unique(certainty)]
    assert x == pytest.approx([rows.mean() for rows in kept])
    assert y == pytest.approx([np.mean(y_true[rows] == y_pred[rows]) for rows in kept])
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == (
        "answered rows",
        "right answers among these",
    )
    assert display.ax_.get_xlim() == (0.0, 1.0)


def test_least_risk_over_costs():
    y_true, y_pred, certainty = some_predictions()
    display = ErrorRejectDisplay.from_predictions(y_true, y_pred, certainty, kind="risk")
    rejected, errors = by_hand(y_true != y_pred, certainty)
    x, y = data(display.line_)
    assert x == pytest.approx(np.linspace(0.0, 0.5, 101))
    assert y == pytest.approx([min(errors + cost * rejected) for cost in x])
    always = data(display.always_)
    assert always[0] == pytest.approx(x)
    assert always[1] == pytest.approx(np.full(101, np.mean(y_true != y_pred)))
    assert display.always_.get_linewidth() < display.line_.get_linewidth()
    assert [text.get_text() for text in display.ax_.texts] == ["always answering"]
    assert display.ax_.get_xlim() == (0.0, 0.5)
    assert display.point_ is None


@pytest.mark.parametrize("label", [-1, None])
def test_a_classifier_that_rejects_shows_where_it_stands(rows, label):
    X, y = rows
    model = Hesitant(reject_label_=label).fit(X, y)
    scores = model.decision_function(X)
    within = (-0.9 < scores) & (scores < 0.2)
    wrong = (scores > 0) != y
    rejected, errors = within.mean(), np.mean(wrong & ~within)
    assert 0.1 < rejected < 0.9
    assert errors > 0.02
    shown = {kind: ErrorRejectDisplay.from_estimator(model, X, y, kind=kind) for kind in KINDS}
    assert np.array(data(shown["error"].line_)) == pytest.approx(by_hand(wrong, np.abs(scores)))
    assert np.ravel(data(shown["error"].point_)) == pytest.approx([rejected, errors])
    accuracy = np.mean(~wrong[~within])
    assert np.ravel(data(shown["coverage"].point_)) == pytest.approx([1 - rejected, accuracy])
    for kind in ("error", "coverage"):
        assert shown[kind].point_.get_marker() == "o"
        assert shown[kind].point_.get_color() == shown[kind].line_.get_color()
    costs, risks = data(shown["risk"].point_)
    assert risks == pytest.approx(errors + costs * rejected)
    assert shown["risk"].point_.get_linestyle() == "--"
    assert [text.get_text() for text in shown["risk"].ax_.texts] == ["always answering", "as fitted"]


def test_who_rejects_everything_has_no_accuracy_to_show(rows):
    model = Hesitant(low=99, high=99).fit(*rows)
    assert len(data(ErrorRejectDisplay.from_estimator(model, *rows, kind="coverage").point_)[0]) == 0
    point = ErrorRejectDisplay.from_estimator(model, *rows).point_
    assert np.ravel(data(point)).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("kind", KINDS)
def test_pipelines_and_searches_are_looked_into(rows, kind):
    X, y = rows
    scaled = StandardScaler().fit_transform(X)
    alone = ErrorRejectDisplay.from_estimator(Hesitant().fit(scaled, y), scaled, y, kind=kind)
    piped = make_pipeline(StandardScaler(), Hesitant())
    searched = GridSearchCV(piped, {"hesitant__high": [0.2]}, cv=2, scoring="accuracy")
    for model in (piped, searched, make_pipeline(searched)):
        display = ErrorRejectDisplay.from_estimator(model.fit(X, y), X, y, kind=kind)
        assert np.array(data(display.line_)) == pytest.approx(np.array(data(alone.line_)))
        assert np.array(data(display.point_)) == pytest.approx(np.array(data(alone.point_)))


@pytest.mark.parametrize(
    ("model", "certainty"),
    [
        (LogisticRegression(), lambda model, X: np.abs(model.decision_function(X))),
        (GaussianNB(), lambda model, X: np.array([max(row) for row in model.predict_proba(X)])),
    ],
)
def test_two_classes(rows, model, certainty):
    X, y = rows
    model.fit(X, y)
    display = ErrorRejectDisplay.from_estimator(model, X, y)
    expected = by_hand(model.predict(X) != y, certainty(model, X))
    assert np.array(data(display.line_)) == pytest.approx(expected)
    assert display.point_ is None
    assert expected[1][0] > 0.1


@pytest.mark.parametrize("model", [LinearSVC(random_state=0), SVC(), GaussianNB()])
def test_three_classes_with_names(model):
    X, y = load_iris(return_X_y=True)
    X, y = X[:, :2], np.array(["setosa", "versicolor", "virginica"])[y]
    model.fit(X, y)
    if hasattr(model, "decision_function"):
        sure = np.array([a - b for a, b, _ in (sorted(row)[::-1] for row in model.decision_function(X))])
    else:
        sure = np.array([max(row) for row in model.predict_proba(X)])
    wrong = model.predict(X) != y
    display = ErrorRejectDisplay.from_estimator(model, X, y)
    assert np.array(data(display.line_)) == pytest.approx(by_hand(wrong, sure))
    assert wrong.mean() > 0.1


def test_names_axes_and_styles(plt):
    y_true, y_pred, certainty = some_predictions()
    _, ax = plt.subplots()
    display = ErrorRejectDisplay.from_predictions(
        y_true, y_pred, certainty, kind="risk", name="one", ax=ax, color="red", linewidth=3
    )
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 3)
    assert display.always_.get_color() == "red"
    again = display.plot(ax, name="two")
    assert again is display
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    assert [text.get_text() for text in ax.texts] == ["always answering"]  # once is enough
    other = display.plot()
    assert other.ax_ is not ax
    assert [text.get_text() for text in other.ax_.get_legend().get_texts()] == ["one"]
    nameless = ErrorRejectDisplay(display.curve).plot(label="by label")
    assert [text.get_text() for text in nameless.ax_.get_legend().get_texts()] == ["by label"]


def test_all_curves_on_one_axes_are_seen():
    worse = ErrorRejectDisplay.from_predictions([0, 1, 0, 1], [0, 1, 0, 0], [1, 2, 3, 4])
    ErrorRejectDisplay.from_predictions([0, 1, 0, 1], [1, 0, 1, 0], [1, 2, 3, 4], ax=worse.ax_)
    assert worse.ax_.get_ylim()[1] > 1.0
    assert worse.ax_.get_ylim()[0] == 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_drawn(kind, rows, tmp_path):
    display = ErrorRejectDisplay.from_estimator(Hesitant().fit(*rows), *rows, kind=kind, name="hesitant")
    display.figure_.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000
    assert len(pickle.loads(pickle.dumps(display.figure_)).axes) == 1


def legend(display):
    box = display.ax_.get_legend()
    return None if box is None else [text.get_text() for text in box.get_texts()]


def test_estimators_are_called_by_their_class(rows):
    draw, model = ErrorRejectDisplay.from_estimator, Hesitant().fit(*rows)
    shown = draw(model, *rows)
    assert legend(shown) == ["Hesitant"]
    assert shown.name == "Hesitant"
    assert legend(draw(make_pipeline(model), *rows)) == ["Pipeline"]
    assert legend(draw(model, *rows, name="mine")) == ["mine"]
    assert legend(draw(model, *rows, name="")) is None
    assert legend(shown.plot(name="")) is None
    assert legend(shown.plot()) == ["Hesitant"]


class Mute(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Unlabelled(LogisticRegression):
    def predict(self, X):
        return np.full(len(X), -1)


def test_what_cannot_be_drawn_raises(rows):
    X, y = rows
    draw = ErrorRejectDisplay.from_estimator
    with pytest.raises(ValueError, match="kind='roc', but it must be one of 'error', 'coverage', 'risk'"):
        draw(Mute().fit(X, y), X, y, kind="roc")
    with pytest.raises(ValueError, match="kind='roc', but"):
        ErrorRejectDisplay(error_reject_curve(np.ones(1), np.ones(1)), kind="roc")
    with pytest.raises(
        ValueError, match=r"Mute has neither decision_function nor predict_proba.* from_predict"
    ):
        draw(Mute().fit(X, y), X, y)
    with pytest.raises(ValueError, match=r"predict gives -1, which is not one of the classes \[0, 1\]; pass"):
        draw(Unlabelled().fit(X, y), X, y)
    for unfitted in (LogisticRegression(), Mute()):
        with pytest.raises(NotFittedError):
            draw(unfitted, X, y)
    for other in (LinearRegression(), KMeans(2, n_init=1)):
        with pytest.raises(ValueError, match="is no classifier"):
            draw(other.fit(X, y), X, y)
    four = np.arange(len(X)) % 4
    with pytest.raises(ValueError, match="gives 6 scores per row for 4 classes, but one per class is needed"):
        draw(SVC(decision_function_shape="ovo").fit(X, four), X, four)
    odd = y.astype(object)
    odd[3] = 7
    for model in (LogisticRegression(), Hesitant()):
        for given, name in ((odd.astype(int), "7"), (np.where(y == 1, "yes", "no"), "'(yes|no)'")):
            with pytest.raises(
                ValueError, match=rf"y holds {name}, which is not one of the classes \[0, 1\]"
            ):
                draw(model.fit(X, y), X, given)


def test_scores_of_pairs_are_not_those_of_classes():
    X, y = load_iris(return_X_y=True)
    model = SVC(decision_function_shape="ovo").fit(X, y)
    alike = model.decision_function(X).argmax(axis=1) == model.predict(X)  # they may seem to be, by chance
    assert 10 < alike.sum() < 140
    for some in (np.full(150, True), alike):
        with pytest.raises(
            ValueError, match="gives 3 scores per row for 3 classes, but one per class is nee"
        ):
            ErrorRejectDisplay.from_estimator(model, X[some], y[some])


class Paired(LogisticRegression):
    """Its scores are as many as the classes, but those of pairs."""

    def decision_function(self, X):
        scores = super().decision_function(X)
        return np.stack([scores[:, i] - scores[:, j] for i, j in ((0, 1), (0, 2), (1, 2))], axis=1)

    def predict(self, X):
        return self.classes_[super().decision_function(X).argmax(axis=1)]


def test_scores_that_disagree_with_the_answers_raise():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    with pytest.raises(ValueError, match=r"the highest for that which predict gives; .* to from_predictions"):
        ErrorRejectDisplay.from_estimator(Paired().fit(X, y), X, y)


def test_bad_predictions_raise():
    draw = ErrorRejectDisplay.from_predictions
    for given, message in (
        (([0, 1], [0], [1, 2]), "inconsistent numbers of samples"),
        (([0, 1], [0, 1], [1]), "inconsistent numbers of samples"),
        (([], [], []), "0 sample"),
        (([0, 1], [0, 1], [1, np.nan]), "certainty contains NaN"),
        (([0, 1], [0, "reject"], [1, 2]), "y_pred holds 'reject'"),
        (
            ([0, 1], [0, -1], [1, 2]),
            r"y_pred holds -1, which stands for a rejection beside .* \[0, 1\], .* labels",
        ),
        ((["a", "b"], ["a", "reject"], [1, 2]), "y_pred holds 'reject', which stands for a rejection"),
        (([1, 1], [1, 0], [1, 2]), "1 is the only class known, and y_pred holds 0"),
        (([0, 1], [0, 1], [[1, 2], [3, 4]]), "1d array|array of shape"),
    ):
        with pytest.raises(ValueError, match=message):
            draw(*given)
    assert draw([1, 1], [1, 0], [1, 2], labels=[0, 1]).curve.errors.tolist() == [0.5, 0.5, 0.0]


def test_without_matplotlib(monkeypatch):
    code = "import sys, perceptrons.rejection.display as d; print('matplotlib' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(Path(perceptrons.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r'need matplotlib: pip install "perceptrons\[app\]"'):
        ErrorRejectDisplay.from_predictions([0, 1], [0, 1], [1, 2])
