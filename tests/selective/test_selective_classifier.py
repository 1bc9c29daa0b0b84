"""`SelectiveClassifier`: that it keeps its promise, with any classifier inside, and what it refuses."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.stats import binomtest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from perceptrons import ConservativePerceptron, Perceptron, SelectiveClassifier
from tests.sizes import cases

NAMES = np.array(["a", "b", "c"])
CENTERS = 3.0 * np.array([[0, 0], [1, 0], [0, 1]])


def draw(n, seed, n_classes=3, shares=None):
    rng = np.random.default_rng(seed)
    y = rng.choice(n_classes, n, p=shares)
    return rng.standard_normal((n, 2)) + CENTERS[y], NAMES[y]


class Nearest(LogisticRegression):
    """The nearest center, fitted at once; how sure it is, in tenths, so that there are many ties."""

    def fit(self, X, y):
        self.classes_, self.n_features_in_ = np.unique(y), 2
        return self

    def predict_proba(self, X):
        scores = np.exp(-((np.asarray(X)[:, None] - CENTERS[: len(self.classes_)]) ** 2).sum(axis=2) / 2)
        return np.round(scores / scores.sum(axis=1, keepdims=True), 1)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


X_NEW, Y_NEW = draw(40_000, 1)
RARE = (0.9, 0.08, 0.02)


def error_of(model, X, y, answer=None):
    """The share of wrong answers among those given; 0 if there are none."""
    chosen = ~model.rejects(X)
    if answer is not None:
        chosen &= model.predict_liberal(X) == answer
    return float((model.predict_liberal(X) != y)[chosen].mean()) if chosen.any() else 0.0


COVERAGE = [
    (Nearest(), {"max_error": 0.07}, None, 300),
    (Nearest(), {"max_error": 0.05}, None, 400),
    (Nearest(), {"max_error": 0.04, "cv": "prefit"}, None, 500),
    (Nearest(), {"max_error": 0.15, "per_class": True}, None, 400),
    (Nearest(), {"max_error": 0.06}, RARE, 400),
    (LogisticRegression(), {"max_error": 0.2}, None, 60),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("estimator", "settings", "shares", "n"), COVERAGE)
def test_the_promise_is_kept(estimator, settings, shares, n):
    """With few rows, rare classes and tied scores; new rows are many, so that their errors are known."""
    draws, delta, broken, given = cases(500), 0.1, 0, 0
    X_new, y_new = draw(10_000, 2, shares=shares)
    most = settings["max_error"] + 2 * (settings["max_error"] / 10_000) ** 0.5  # what is drawn may be off
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(draws):
            X, y = draw(n, 1000 + seed, shares=shares)
            fitted = estimator.fit(X, y) if "cv" in settings else estimator
            model = SelectiveClassifier(fitted, confidence=1 - delta, random_state=seed, **settings).fit(X, y)
            answers = model.classes_ if settings.get("per_class") else [None]
            broken += any(error_of(model, X_new, y_new, one) > most for one in answers)
            given += any(one.given for one in model.promises_)
    assert binomtest(broken, draws, delta, alternative="greater").pvalue > 0.001, f"{broken} of {draws}"
    assert given > draws / 10


def test_it_is_not_needlessly_timid():
    """The share answered, beside that of the best threshold in hindsight."""
    X, y = draw(6000, 3)
    model = SelectiveClassifier(LogisticRegression(), max_error=0.04, random_state=0).fit(X, y)
    curve = model.error_reject_curve(X_NEW, Y_NEW)
    best = (1 - curve.rejected)[1 - curve.selective_accuracy <= 0.04].max()
    answered = 1 - model.rejects(X_NEW).mean()
    assert error_of(model, X_NEW, Y_NEW) <= 0.04
    assert 0.85 * best < answered <= best + 0.01


ANY = [
    LogisticRegression(),
    SVC(),
    SVC(decision_function_shape="ovo"),
    LinearSVC(),
    KNeighborsClassifier(9),
    RandomForestClassifier(10, random_state=0),
    make_pipeline(StandardScaler(), Perceptron(random_state=0)),
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", ANY, ids=lambda one: repr(one)[:30])
def test_any_classifier(estimator, n_classes):
    X, y = draw(900, 4, n_classes)
    model = SelectiveClassifier(estimator, max_error=0.1, random_state=0).fit(X, y)
    assert model.promises_[0].given
    rejected, liberal = model.rejects(X), model.predict_liberal(X)
    assert rejected.mean() < 0.9
    assert np.array_equal(liberal, model.estimator_.predict(X))
    assert np.array_equal(model.predict(X), np.where(rejected, "reject", liberal))
    assert error_of(model, X, y) <= 0.1
    assert model.score(X, y) == pytest.approx((model.predict(X) == y).mean())
    paid = 0.2 * rejected.mean() + ((liberal != y) & ~rejected).mean()
    assert model.risk(X, y) == pytest.approx(paid)
    assert model.n_features_in_ == 2


def test_one_that_rejects_itself_is_asked_for_what_it_would_answer():
    X, y = draw(600, 5, 2)
    inner = ConservativePerceptron(max_epochs=20, n_restarts=2, random_state=0)
    for estimator in (inner, make_pipeline(StandardScaler(), inner)):
        model = SelectiveClassifier(estimator, max_error=0.2, random_state=0).fit(X, y)
        assert set(model.predict_liberal(X)) == {"a", "b"}
        assert (model.predict_liberal(X) == y).mean() > 0.8
        assert model.promises_[0].given


def test_given_rows_calibrate_one_that_is_fitted():
    fitted = LogisticRegression().fit(*draw(300, 6))
    X, y = draw(900, 7)
    models = [
        SelectiveClassifier(fitted, max_error=0.1, cv="prefit", random_state=0).fit(X, y),
        SelectiveClassifier(FrozenEstimator(fitted), max_error=0.1, random_state=0).fit(X, y),
    ]
    assert models[0].estimator_ is models[1].estimator_ is fitted
    assert models[0].promises_ == models[1].promises_
    assert models[0].promises_[0].n_rows == 720  # a fifth places thresholds
    few = SelectiveClassifier(fitted, max_error=0.3, cv="prefit", random_state=0).fit(X[:10], y[:10])
    assert few.promises_[0].n_rows == 10  # all or nothing needs no other threshold


def test_which_rows_calibrate():
    X, y = draw(900, 8)
    for cv, n in [(None, 300), (2, 450), (ShuffleSplit(1, test_size=200, random_state=0), 200)]:
        model = SelectiveClassifier(LogisticRegression(), max_error=0.12, cv=cv, random_state=0).fit(X, y)
        assert model.promises_[0].n_rows == n
    split = [(np.arange(500), np.arange(500, 900))]
    model = SelectiveClassifier(LogisticRegression(), max_error=0.12, cv=split, random_state=0).fit(X, y)
    assert np.array_equal(model.estimator_.coef_, LogisticRegression().fit(X[:500], y[:500]).coef_)
    again = SelectiveClassifier(LogisticRegression(), max_error=0.12, cv=split, random_state=0).fit(X, y)
    assert model.promises_ == again.promises_


def test_thresholds_per_class():
    X, y = draw(6000, 9, shares=(0.5, 0.45, 0.05))
    with pytest.warns(
        UserWarning, match=r"Nothing about the answer 'c' can be promised .* every row that would"
    ):
        model = SelectiveClassifier(LogisticRegression(), max_error=0.03, per_class=True, random_state=0).fit(
            X, y
        )
    assert [one.given for one in model.promises_] == [True, True, False]
    assert model.thresholds_.tolist() == [one.threshold for one in model.promises_]
    assert "c" not in model.predict(X)
    assert sum(one.n_rows for one in model.promises_) == 2000
    assert [one.delta for one in model.promises_] == pytest.approx([0.05 / 3] * 3)
    codes = np.searchsorted(model.classes_, model.predict_liberal(X))
    certainty = model.estimator_.predict_proba(X).max(axis=1)
    assert np.array_equal(model.rejects(X), certainty < model.thresholds_[codes])


def test_what_cannot_be_promised_is_rejected_and_said():
    X, y = draw(90, 10)
    with pytest.warns(
        UserWarning, match=r"from 30 calibration rows, so every row is rejected: about \d+ would"
    ):
        model = SelectiveClassifier(LogisticRegression(), random_state=0).fit(X, y)
    assert model.rejects(X).all()
    assert (model.predict(X) == "reject").all()
    assert not model.promises_[0].given
    noise = NAMES[np.random.default_rng(0).integers(0, 3, 3000)]
    with pytest.warns(UserWarning, match="more would not help, since wrong answers are more frequent"):
        SelectiveClassifier(LogisticRegression(), random_state=0).fit(draw(3000, 11)[0], noise)


def test_a_row_whose_certainty_is_no_number_is_rejected():
    class Broken(Nearest):
        def predict_proba(self, X):
            found = super().predict_proba(X)
            found[np.asarray(X)[:, 0] > 2] = np.nan
            return found

    X, y = draw(900, 12)
    model = SelectiveClassifier(Broken(), max_error=0.15, random_state=0).fit(X, y)
    assert model.promises_[0].given
    assert model.rejects(X)[X[:, 0] > 2].all()


def test_labels_and_layouts():
    X, y = draw(600, 13)
    numbers = np.searchsorted(NAMES, y)
    settings = {"max_error": 0.12, "random_state": 0}
    model = SelectiveClassifier(LogisticRegression(), **settings).fit(X, numbers)
    assert model.reject_label_ == -1
    always = SelectiveClassifier(LogisticRegression(), reject_label=None, **settings).fit(X, numbers)
    assert np.array_equal(always.predict(X), model.predict_liberal(X))
    assert np.array_equal(always.rejects(X), model.rejects(X))
    sparse = SelectiveClassifier(LogisticRegression(), **settings).fit(sp.csr_array(X), numbers)
    assert np.array_equal(sparse.predict(sp.csr_array(X)), model.predict(X))
    for frame in (pd.DataFrame(X, columns=["u", "v"]), pl.DataFrame(X, schema=["u", "v"])):
        named = SelectiveClassifier(Perceptron(random_state=0), **settings).fit(frame, y)
        assert named.feature_names_in_.tolist() == ["u", "v"]
        assert len(named.predict(frame)) == 600


def test_a_refused_fit_leaves_the_model_as_it_was():
    X, y = draw(600, 14)
    model = SelectiveClassifier(LogisticRegression(), max_error=0.12, random_state=0).fit(X, y)
    before = vars(model).copy()
    with pytest.raises(ValueError, match="reject_label"):
        model.set_params(reject_label="a").fit(X[:500], y[:500])
    assert vars(model) == before | {"reject_label": "a"}


X, Y = draw(200, 15)
FITTED = LogisticRegression().fit(X, Y)
BAD = [
    ({"confidence": 1.0}, r"confidence=1.0, but it must be a number in \(0, 1\); use 0.95"),
    ({"confidence": 0}, "confidence=0, but"),
    ({"confidence": "high"}, "confidence='high', but"),
    ({"max_error": 0.0}, "max_error=0.0, but"),
    ({"max_error": 1}, "max_error=1, but"),
    ({"per_class": 1}, "per_class=1, but"),
    ({"cv": 1}, "cv=1, but"),
    ({"cv": "loo"}, "cv='loo', but it must be None, an integer"),
    ({"cv": []}, r"cv=\[\], but"),
    ({"cv": [([0, 1, 150], [1, 2])]}, "share no row"),
    ({"cv": [(np.flatnonzero(Y == "a"), np.flatnonzero(Y == "b"))]}, "all of the class 'a'"),
    ({"estimator": LogisticRegression}, "is a class; pass an object"),
    ({"estimator": StandardScaler()}, "must be a scikit-learn classifier"),
    ({"reject_label": "b"}, "choose another label"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_parameters(settings, message):
    with pytest.raises(ValueError, match=message):
        SelectiveClassifier(**{"estimator": LogisticRegression(), **settings}).fit(X, Y)


def test_bad_rows():
    with pytest.raises(ValueError, match="got a scalar instead: None; pass a row per label"):
        SelectiveClassifier(Perceptron()).fit(None, [0, 1])
    with pytest.raises(ValueError, match=r"sample_weight is given, but .* each once"):
        SelectiveClassifier(LogisticRegression()).fit(X, Y, sample_weight=np.ones(200))
    with pytest.raises(ValueError, match=r"groups is given, but SelectiveClassifier.fit takes X and y alone"):
        SelectiveClassifier(LogisticRegression()).fit(X, Y, groups=np.ones(200))
    prefit = SelectiveClassifier(FITTED, cv="prefit")
    with pytest.raises(ValueError, match="y holds 'z', but the fitted estimator knows the classes"):
        prefit.fit(X, np.where(Y == "a", "z", Y))
    with pytest.raises(ValueError, match="one class only"):
        prefit.fit(X, np.full(200, "a"))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        prefit.fit(X[:0], Y[:0])
    with pytest.raises(ValueError, match=r"fitted"):
        SelectiveClassifier(LogisticRegression(), cv="prefit").fit(X, Y)
