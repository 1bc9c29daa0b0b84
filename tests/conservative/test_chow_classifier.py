"""`ChowClassifier`: the rule against its slow twin, its theorem, calibration, tables, and odd input."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import ChowClassifier, Costs, MaxMarginPerceptron, Perceptron, SparsePerceptron, TableEncoder
from perceptrons.conservative.chow_classifier import threshold
from tests.jit import JIT
from tests.naive import chow as naive
from tests.planted import planted_table

EPOCHS = 100 if JIT else 5
unconverged = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class Known(ClassifierMixin, BaseEstimator):
    """Rows are their own posteriors."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X, float)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def known(n_classes, costs, **how):
    """Chow's rule for these costs, of classes "a", "b", …, on rows that are posteriors."""
    names = list("abcd"[:n_classes])
    parts = {
        part: dict(zip(names, values, strict=True))
        for part, values in zip(("gain", "wrong", "reject"), costs, strict=True)
    }
    return ChowClassifier(Known(), Costs(**parts), None, **how).fit(np.eye(n_classes), names)


def draw_costs(rng, n_classes, uniform=False):
    """Hundredths, rejections cheaper than errors: gains, and costs of errors and rejections, per class."""
    size = 1 if uniform else n_classes
    wrong = rng.integers(1, 500, size)
    parts = rng.integers(0, 200, size) * rng.integers(0, 2, size), wrong, rng.integers(0, wrong)
    return [[Fraction(int(one), 100) for one in np.broadcast_to(part, n_classes)] for part in parts]


def draw_posteriors(rng, n_rows, n_classes):
    weights = rng.integers(0, 50, (n_rows, n_classes)) + np.eye(n_classes, dtype=int)[0]
    return [[Fraction(int(one), int(row.sum())) for one in row] for row in weights]


def floats(values):
    return np.array(values, dtype=object).astype(float)


def test_the_rule_is_that_of_the_slow_twin():
    """In exact arithmetic, where no answer is as cheap as another, or as the rejection, but for rounding."""
    rng, n_rejected, n_rows, n_unlikely = np.random.default_rng(0), 0, 0, 0
    for case in range(150):
        n_classes = 2 + case % 3
        costs = draw_costs(rng, n_classes, uniform=case % 5 == 0)
        posteriors = draw_posteriors(rng, 20, n_classes)
        model = known(n_classes, floats(costs)) if any(costs[0]) or any(costs[2]) else None
        if model is None:
            continue
        P = floats(posteriors)
        codes, rejected, saved = model._decisions(P)
        for i, p in enumerate(posteriors):
            best, cheaper, difference = naive.decide(p, *costs)
            prices = sorted(naive.cost_of_answer(p, k, *costs[:2]) for k in range(n_classes))
            assert saved[i] == pytest.approx(float(difference), abs=1e-12)
            if abs(difference) < 1e-12 or prices[1] - prices[0] < 1e-12:
                continue
            assert (codes[i], rejected[i]) == (best, cheaper)
            n_rows, n_rejected, n_unlikely = (
                n_rows + 1,
                n_rejected + cheaper,
                n_unlikely + (max(p) != p[best]),
            )
    assert n_rows > 2500
    assert n_rows * 0.2 < n_rejected < n_rows * 0.8
    assert n_unlikely > 400


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, 100), min_size=2, max_size=4).filter(any),
    st.integers(0, 20),
    st.integers(1, 30),
    st.integers(0, 30),
)
def test_costs_that_are_the_same_for_all_give_the_threshold_of_equation_7(weights, a, b, c):
    """Ties, which these numbers have often, are answered; the cheapest action is found by pricing all."""
    c = min(c, b - 1)
    a = max(a, c == 0)
    p, k = [Fraction(one, sum(weights)) for one in weights], len(weights)
    model = ChowClassifier(Known(), Costs(a / 4, b / 4, c / 4), None).fit(np.eye(k), np.arange(k))
    T = Fraction(b - c, a + b)
    _, cheaper, saved = naive.decide(p, [Fraction(a, 4)] * k, [Fraction(b, 4)] * k, [Fraction(c, 4)] * k)
    assert cheaper == (max(p) < T)
    assert model.threshold_ == float(T)
    assert model.rejects([p])[0] == cheaper or abs(max(p) - T) < 1e-15
    assert model.rejects([p])[0] == (model.predict_proba([p]).max() < model.threshold_)
    assert model._decisions([p])[2] == pytest.approx(float(saved))


@pytest.mark.parametrize("reject_cost", [0.1, 0.2, 0.3, 0.35, 0.45])
def test_a_tie_is_answered(reject_cost):
    model = ChowClassifier(Known(), None, None, reject_cost=reject_cost).fit(np.eye(2), [0, 1])
    T = 1.0 - reject_cost
    below = np.nextafter(T, 0)
    assert model.rejects([[1 - T, T], [T, 1 - T], [1 - below, below]]).tolist() == [False, False, True]


def test_ties_that_rounding_would_reject():
    """The largest posterior is T, but Σ p·(b − c), which is T as well, may come out larger."""
    n_larger = 0
    for reject_cost in np.arange(1, 50) / 100:
        T = 1.0 - reject_cost
        P = np.array([[T, (1.0 - T) * share, (1.0 - T) * (1.0 - share)] for share in np.linspace(0, 1, 21)])
        model = ChowClassifier(Known(), None, None, reject_cost=reject_cost).fit(np.eye(3), [0, 1, 2])
        assert not model.rejects(P).any()
        n_larger += sum(sum(one * T for one in p) > T for p in P.tolist())
    assert n_larger > 50


def test_no_rule_has_a_lower_risk():
    """All that can be done with five points of known posteriors, and all thresholds on a grid."""
    rng, n_better, n_mixed = np.random.default_rng(1), 0, 0
    for case in range(30):
        n_classes, uniform = 2 + case % 2, case % 3 == 0
        costs = draw_costs(rng, n_classes, uniform)
        costs[2] = [cost + Fraction(1, 200) for cost in costs[2]]  # rejections are not free
        P, masses = draw_posteriors(rng, 5, n_classes), rng.dirichlet(np.ones(5))
        codes, rejected, _ = known(n_classes, floats(costs))._decisions(floats(P))
        ours = naive.risk(masses, P, np.where(rejected, -1, codes), *costs)
        every = [naive.risk(masses, P, rule, *costs) for rule in product(range(-1, n_classes), repeat=5)]
        assert ours == pytest.approx(min(every), abs=1e-12)
        most = [p.index(max(p)) for p in P]
        simple = [
            naive.risk(masses, P, [k if max(p) >= t else -1 for k, p in zip(most, P, strict=True)], *costs)
            for t in np.linspace(0, 1.01, 102)
        ]
        assert ours <= min(simple) + 1e-12
        n_better += ours < min(simple) - 1e-3
        n_mixed += 0 < rejected.sum() < 5
    assert n_better > 8
    assert n_mixed > 6


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_units_and_names_do_not_matter(seed, n_classes):
    """Costs in other units, and classes in another order, give the same answers."""
    rng = np.random.default_rng(seed)
    costs, P = floats(draw_costs(rng, n_classes)), floats(draw_posteriors(rng, 30, n_classes))
    costs[2] += 0.005
    model, order = known(n_classes, costs), rng.permutation(n_classes)
    sure = abs(model._decisions(P)[2]) > 1e-9
    assert (model.predict(P) == known(n_classes, 8 * costs).predict(P)).all()
    turned = known(n_classes, costs[:, order])._decisions(P[:, order])
    assert (turned[1] == model.rejects(P))[sure].all()
    worth = np.sort(P * (costs[0] + costs[1]), axis=1)
    clear = worth[:, -1] > worth[:, -2] + 1e-9
    assert (order[turned[0]] == model._decisions(P)[0])[clear].all()
    assert (sure & clear).sum() > 15


def breast_cancer(seed=0):
    X, y = load_breast_cancer(return_X_y=True)
    return train_test_split(X, np.where(y, "benign", "malignant"), test_size=0.4, random_state=seed)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
def test_rejections_pay_on_real_data(calibration):
    """On average over eight splits; on one of them alone they may not."""
    linear = make_pipeline(StandardScaler(), MaxMarginPerceptron(C=1.0))
    risks, errors, errors_left, errors_rejected = np.zeros((4, 8))
    for seed in range(8):
        X, X_test, y, y_test = breast_cancer(seed)
        model = ChowClassifier(linear, None, calibration, reject_cost=0.1).fit(X, y)
        wrong = model.predict_liberal(X_test) != y_test
        rejected = model.rejects(X_test)
        risks[seed], errors[seed] = model.risk(X_test, y_test), wrong.mean()
        errors_left[seed], errors_rejected[seed] = wrong[~rejected].mean(), wrong[rejected].mean()
        assert risks[seed] == pytest.approx((wrong & ~rejected).mean() + 0.1 * rejected.mean())
        assert model.score(X_test, y_test) == pytest.approx((~wrong & ~rejected).mean())
        assert ((model.predict(X_test) == "reject") == rejected).all()
        curve = model.error_reject_curve(X_test, y_test)
        own = np.flatnonzero(curve.thresholds >= 0.0)[0]  # where the rule itself stands
        assert curve.rejected[own] == pytest.approx(rejected.mean())
        assert curve.errors[own] == pytest.approx((wrong & ~rejected).mean())
        assert (model.confidence(X_test, y_test) > 0.0) == (errors_rejected[seed] > 0.1)
    assert risks.mean() < 0.85 * errors.mean()
    assert errors_left.mean() < 0.02 < 0.1 < errors_rejected.mean()


def test_errors_that_cost_more_are_made_less():
    X, X_test, y, y_test = breast_cancer()
    costs = Costs(wrong={"benign": 1, "malignant": 50}, reject={"benign": 0.4, "malignant": 0.4})
    same, dear = (ChowClassifier(GaussianNB(), one, reject_cost=0.4).fit(X, y) for one in (None, costs))
    ill = y_test == "malignant"
    overlooked = [(model.predict_liberal(X_test)[ill] == "benign").sum() for model in (same, dear)]
    assert overlooked[1] < overlooked[0]
    assert dear.risk(X_test, y_test) < costs.risk(y_test, same.predict(X_test))
    assert dear.threshold_ is None
    assert same.threshold_ == 0.6


def test_posteriors_are_those_of_scikit_learn():
    X, X_test, y, _ = breast_cancer()
    for method in ("sigmoid", "isotonic"):
        model = ChowClassifier(GaussianNB(), None, method, cv=3).fit(X, y)
        other = CalibratedClassifierCV(GaussianNB(), method=method, cv=3, ensemble=False).fit(X, y)
        assert (model.predict_proba(X_test) == other.predict_proba(X_test)).all()
        assert (model.estimator_.theta_ == GaussianNB().fit(X, y).theta_).all()  # trained on all rows
    plain = ChowClassifier(GaussianNB(), None, None).fit(X, y)
    assert (plain.predict_proba(X_test) == GaussianNB().fit(X, y).predict_proba(X_test)).all()
    assert plain.estimator_ is plain.calibrated_


def test_a_fitted_estimator_stays_as_it_is():
    X, X_test, y, y_test = breast_cancer()
    fitted = make_pipeline(StandardScaler(), MaxMarginPerceptron(C=1.0)).fit(X[:200], y[:200])
    before, scores = fitted[-1].coef_.copy(), fitted.decision_function(X_test)
    model = ChowClassifier(FrozenEstimator(fitted), reject_cost=0.1, cv=StratifiedKFold(40)).fit(
        X[200:], y[200:]
    )
    assert (fitted[-1].coef_ == before).all()
    assert model.estimator_.estimator is fitted
    order = np.argsort(scores)
    assert (np.diff(model.predict_proba(X_test)[order, 1]) >= 0.0).all()  # one sigmoid of its scores
    rejected = scores[model.rejects(X_test)]
    assert (
        model.rejects(X_test).tolist() == ((rejected.min() <= scores) & (scores <= rejected.max())).tolist()
    )  # which is a band around a hyperplane, equation 6
    assert 0 < len(rejected) < len(X_test) / 4
    assert model.risk(X_test, y_test) < 0.05
    one_each = [np.flatnonzero(y == name)[-1] for name in fitted.classes_]  # no folds: one row will do
    ChowClassifier(FrozenEstimator(fitted)).fit(X[one_each], y[one_each])
    own = ChowClassifier(FrozenEstimator(LogisticRegression().fit(X[:, :2], y)), None, None)
    assert 0.0 < own.fit(X[:, :2], y).rejects(X[:, :2]).mean() < 1.0


@unconverged
@pytest.mark.parametrize("result", ["average", "pocket"])
def test_a_perceptron_that_does_not_converge_pays_less_than_rejecting_all(result):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(900, 4))
    y = X @ [2, 1, 0, 0] + rng.normal(size=900) > 0
    base = Perceptron(result=result, max_epochs=EPOCHS, random_state=0)
    for gamma in (0.1, 0.2, 0.3):
        model = ChowClassifier(base, reject_cost=gamma).fit(X[:600], y[:600])
        assert model.risk(X[600:], y[600:]) < gamma * 0.95
        assert 0.0 < model.rejects(X[600:]).mean() < 0.9


def test_more_than_two_classes():
    X, y = load_iris(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X[:, :2], y, test_size=0.5, random_state=0)
    model = ChowClassifier(LogisticRegression(), reject_cost=0.3).fit(X, y)
    predicted = model.predict(X_test)
    assert set(predicted) == {-1, 0, 1, 2}
    answered = predicted != -1
    assert (predicted == y_test)[answered].mean() > model.set_params(reject_label=None).fit(X, y).score(
        X_test, y_test
    )
    assert 0.3 < answered.mean() < 0.9
    assert (model.predict(X_test) == model.predict_liberal(X_test)).all()


def test_tables_reach_the_estimator_as_they_are():
    columns, y = planted_table(3, 200)
    sparse = SparsePerceptron(refit="stagewise", k=1, stages=5)
    with_encoder = make_pipeline(TableEncoder(), LogisticRegression())
    answers = []
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns, strict=False)):
        for base in (sparse, with_encoder):
            model = ChowClassifier(base, cv=3).fit(frame, y)
            assert model.feature_names_in_.tolist() == ["colour", "width", "ring"]
            assert model.n_features_in_ == 3
            answers.append(model.predict(frame))
            assert 0.0 < (answers[-1] == "reject").mean() < 0.6
    assert (answers[0] == answers[2]).all()
    assert (answers[1] == answers[3]).all()
    refitted = ChowClassifier(with_encoder).fit(frame, y).fit(np.arange(200.0)[:, None], y)
    assert not hasattr(refitted, "feature_names_in_")


def test_rows_of_every_layout_and_labels_of_every_kind():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(120, 3)) * (rng.random((120, 3)) < 0.8)
    y = X[:, 0] + rng.normal(size=120) > 0
    model = ChowClassifier(LogisticRegression()).fit(X, y)
    rejected = model.rejects(X)
    assert 0.1 < rejected.mean() < 0.9
    assert (ChowClassifier(LogisticRegression()).fit(sp.csr_array(X), y).rejects(X) == rejected).mean() > 0.97
    assert (ChowClassifier(LogisticRegression()).fit(X.tolist(), y.tolist()).rejects(X) == rejected).all()
    for low, high, label in [(0, 1, -1), (1, 2, 0), (-1.0, 0.0, -2), ("n", "y", "reject"), (-1, 1, 0)]:
        for wrap in (np.array, list, pd.Series, pl.Series):
            named = ChowClassifier(LogisticRegression()).fit(X, wrap([high if one else low for one in y]))
            assert named.reject_label_ == label
            expected = [
                label if no else high if one else low
                for no, one in zip(rejected, model.predict_liberal(X), strict=True)
            ]
            assert named.predict(X).tolist() == expected
    mixed = ChowClassifier(LogisticRegression(), reject_label="who knows").fit(X, y.astype(int))
    assert set(mixed.predict(X).tolist()) == {0, 1, "who knows"}


def test_inside_scikit_learn():
    X, _, y, _ = breast_cancer()
    model = ChowClassifier(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    assert (cross_val_score(model, X, y, cv=3, scoring="roc_auc") > 0.95).all()
    search = GridSearchCV(
        model, {"reject_cost": [0.05, 0.2], "estimator__logisticregression__C": [0.1, 1]}, cv=3
    )
    assert search.fit(X, y).best_params_["reject_cost"] == 0.2  # it scores by accuracy
    weighted = ChowClassifier(LogisticRegression(max_iter=10000)).fit(
        X[:, :3], y, sample_weight=1 + (y == "benign")
    )
    plain = clone(weighted).fit(X[:, :3], y)
    assert (weighted.predict_proba(X[:, :3])[:, 0] > plain.predict_proba(X[:, :3])[:, 0]).mean() > 0.9


def test_free_rejections_are_said_and_all_rows_rejected():
    P = [[0.5, 0.5], [0.0, 1.0]]
    for costs in (None, Costs(wrong={0: 1, 1: 3}, reject=0)):
        with pytest.warns(
            UserWarning, match="A rejection costs nothing .* every row is rejected; set reject_cost"
        ):
            model = ChowClassifier(Known(), costs, None, reject_cost=0.0).fit(np.eye(2), [0, 1])
        assert model.rejects(P).all()
        assert model.predict(P).tolist() == [-1, -1]
        assert model.risk(P, [0, 1]) == 0.0
    gained = ChowClassifier(Known(), Costs(gain=1, reject=0), None).fit(np.eye(2), [0, 1])
    assert gained.threshold_ == 0.5
    assert not gained.rejects(P).any()


@pytest.mark.parametrize("rows", [[[0.5, 0.6]], [[-0.5, 1.5]], [[np.nan, 1.0]]])
def test_values_that_are_no_posteriors(rows):
    model = ChowClassifier(Known(), None, None).fit(np.eye(2), [0, 1])
    with pytest.raises(
        ValueError, match=r'predict_proba of Known gives values .* with calibration="sigmoid"'
    ):
        model.predict(rows)


def test_equation_7():
    prices = Costs(gain=1, wrong=3, reject=1).of([0, 1])
    assert threshold(prices) == 0.5


@pytest.mark.parametrize("m", [60, 300, 2000])
def test_posteriors_are_what_happens(m):
    """By the Brier score, beside a model that has the true form; and of new rows that are promised a
    probability, as many are of the class, but for what few training rows leave open."""
    rng = np.random.default_rng(m)
    scores, far = [], []
    for seed in range(8):
        X = rng.standard_normal((m + 4000, 5))
        y = rng.random(len(X)) < 1 / (1 + np.exp(-1.5 * (X @ [1, -1, 0.5, 0, 0] + 0.3)))
        chow = ChowClassifier(Perceptron(result="average", random_state=seed)).fit(X[:m], y[:m])
        found = chow.predict_proba(X[m:])[:, 1]
        best = LogisticRegression().fit(X[:m], y[:m]).predict_proba(X[m:])[:, 1]
        scores.append([brier_score_loss(y[m:], one) for one in (found, best)])
        bins = np.digitize(found, [0.2, 0.4, 0.6, 0.8])
        far += [
            abs(found[bins == k].mean() - y[m:][bins == k].mean())
            for k in range(5)
            if (bins == k).sum() > 100
        ]
    ours, theirs = np.mean(scores, axis=0)
    assert ours <= theirs + 0.01
    assert len(far) >= 20
    assert np.mean(far) < (0.12 if m < 100 else 0.05)
