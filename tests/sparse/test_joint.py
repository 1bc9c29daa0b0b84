"""Rules learned together: how their number is chosen, what becomes of scores, and what users get."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from perceptrons import SparsePerceptron
from perceptrons.sparse.calibration import SLOPES, calibrate
from perceptrons.sparse.size_choice import simplest
from tests.naive import joint as naive
from tests.planted import planted_table


def interactions(n_rows=400, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-5, 6, (n_rows, 6)).astype(float)
    y = ((X[:, 0] > 0) & (X[:, 1] > 1)) | (X[:, 2] < -3)
    return X, np.where(y ^ (rng.random(n_rows) < noise), "yes", "no")


def test_the_size_is_the_twins():
    rng, sizes = np.random.default_rng(2), set()
    for _ in range(40):
        shape = (2, 5, 30)
        losses = rng.gamma(2.0, 0.2, shape) - 0.05 * np.arange(5)[:, None] * rng.random()
        weights = rng.integers(1, 4, 30).astype(float)
        found = simplest(losses, losses @ weights / weights.sum(), weights)
        assert found == naive.simplest(losses.tolist(), weights.tolist())
        sizes.add(found[1])
    assert len(sizes) > 2


def test_calibration_is_a_logistic_unit_over_the_scores():
    rng = np.random.default_rng(3)
    scores = rng.normal(0, 3, 4000)
    signs = np.where(rng.random(4000) < expit(0.5 * scores - 0.7), 1.0, -1.0)
    slope, shift = calibrate(scores, signs, np.ones(4000))
    outside = LogisticRegression(C=np.inf).fit(scores[:, None], signs)
    assert slope == pytest.approx(outside.coef_[0, 0], rel=5e-3)
    assert shift == pytest.approx(outside.intercept_[0], rel=2e-2)
    few = calibrate(scores[:3], np.sign(scores[:3]), np.ones(3))
    assert SLOPES[0] <= few.slope <= SLOPES[1]
    assert np.isfinite(few.shift)


def test_what_is_printed_is_found():
    X, y = interactions()
    model = SparsePerceptron(random_state=0).fit(X, y)
    assert cross_val_score(model, X, y).mean() > 0.91  # at best 0.95
    assert 2 <= model.n_weights_ <= 12
    assert {"x0", "x1", "x2"} >= {
        literal.column for one in model.conjunctions_[:2] for literal in one.literals
    }
    assert any(len(one.literals) == 2 for one in model.conjunctions_)


def test_noise_has_no_rules():
    rng = np.random.default_rng(5)
    with pytest.warns(ConvergenceWarning, match="nothing is learned about it"):
        model = SparsePerceptron(random_state=0).fit(rng.normal(size=(200, 5)), rng.integers(0, 2, 200))
    assert model.n_weights_ == 0
    assert np.ptp(model.predict_proba(rng.normal(size=(9, 5)))[:, 1]) == 0.0


@pytest.mark.parametrize("most", [1, 3, 9])
def test_there_are_no_more_rules_than_allowed(most):
    X, y = interactions()
    model = SparsePerceptron(max_rules=most, random_state=0).fit(X, y)
    assert 1 <= model.n_weights_ <= most
    assert model.cv_sizes_[-1] == most
    assert len(model.cv_loss_) == len(model.cv_sizes_)


def test_more_rules_lose_less_in_cross_validation():
    X, y = interactions()
    model = SparsePerceptron(random_state=0).fit(X, y)
    assert model.cv_loss_[0] > 1.3 * model.cv_loss_[model.cv_sizes_.index(model.n_weights_)]


def test_weights_of_separable_rows_are_finite():
    X = np.arange(60.0)[:, None]
    model = SparsePerceptron(random_state=0).fit(X, X[:, 0] > 29)
    assert model.score(X, X[:, 0] > 29) == 1.0
    assert 0.0 < abs(model.weights_).max() < 10.0


def test_probabilities_are_those_of_the_scores():
    X, y = interactions()
    model = SparsePerceptron(random_state=0).fit(X, y)
    assert np.allclose(model.predict_proba(X)[:, 1], expit(model.decision_function(X)), rtol=1e-12)
    columns, kinds = planted_table(1)
    frame = pd.DataFrame(columns)
    classes = np.where(frame["width"] > 15, "wide", kinds)
    many = SparsePerceptron(random_state=0).fit(frame, classes)
    shares = many.predict_proba(frame)
    assert shares.shape == (len(frame), 3)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert (many.classes_[shares.argmax(axis=1)] == many.predict(frame)).all()


def test_probabilities_of_new_rows_are_calibrated():
    X, y = interactions(3000, noise=0.2)
    model = SparsePerceptron(random_state=0).fit(X[:1000], y[:1000])
    p = model.predict_proba(X[1000:])[:, 1]
    for low, high in ((0.0, 0.5), (0.5, 1.0)):
        inside = (p >= low) & (p <= high)
        assert inside.sum() > 300
        assert p[inside].mean() == pytest.approx((y[1000:][inside] == "yes").mean(), abs=0.05)


def test_a_weight_is_so_many_rows():
    X, y = interactions(120)
    weights = np.random.default_rng(1).integers(0, 4, 120)
    repeated = np.repeat(np.arange(120), weights)
    halves = np.arange(120) % 2
    splits = [(np.flatnonzero(halves == part), np.flatnonzero(halves != part)) for part in (0, 1)]
    again = [tuple(np.flatnonzero(np.isin(repeated, rows)) for rows in split) for split in splits]
    one = SparsePerceptron(cv=splits).fit(X, y, sample_weight=weights)
    other = SparsePerceptron(cv=again).fit(X[repeated], y[repeated])
    assert one.n_weights_ > 0
    assert np.allclose(one.decision_function(X), other.decision_function(X), rtol=1e-7)


def test_the_order_of_rows_does_not_matter():
    X, y = interactions(150)
    order = np.argsort(y, kind="stable")
    folds = [*StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)]
    place = np.argsort(order)
    moved = [tuple(np.sort(place[rows]) for rows in fold) for fold in folds]
    models = [
        SparsePerceptron(cv=folds).fit(X, y),
        SparsePerceptron(cv=moved).fit(X[order], y[order]),
    ]
    assert np.allclose(models[0].decision_function(X), models[1].decision_function(X), rtol=1e-7)


def test_three_literals():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 8)).astype(bool)
    y = X[:, 1] & X[:, 4] & X[:, 6]
    model = SparsePerceptron(k=3, random_state=0).fit(X, y)
    assert (model.predict(X) == y).all()
    assert any(len(one.literals) == 3 for one in model.conjunctions_)


def test_classes_of_three_rows_and_one_literal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(63, 3))
    y = np.repeat(["a", "b", "c"], [30, 30, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert SparsePerceptron(random_state=0).fit(X, y).predict_proba(X).shape == (63, 3)
        single = SparsePerceptron(random_state=0).fit((X[:, :1] > 0).astype(float), y == "a")
    assert len(single.encoder_.literals_) == 1


def test_many_columns_are_screened_in_every_fold():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 700))
    y = X[:, 650] > 0.1
    model = SparsePerceptron(random_state=0).fit(X, y)
    assert model.conjunctions_[0].literals[0].column == "x650"
    assert len(model.encoder_.literals_) == 8 * 700
    assert len(SparsePerceptron(random_state=0).fit(X[:, 600:], y).encoder_.literals_) == 32 * 100
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_rules": 0}, "max_rules=0"),
        ({"max_rules": 2.5}, "max_rules=2.5"),
        ({"refit": "jointly"}, "refit='jointly'"),
        ({"stages": "theory", "target_size": 3}, 'use refit="stagewise"'),
        ({"n_thresholds": "many"}, "n_thresholds='many'"),
    ],
)
def test_bad_parameters(parameters, message):
    X, y = interactions(50)
    with pytest.raises(ValueError, match=message):
        SparsePerceptron(**parameters).fit(X, y)


def test_stages_belong_to_boosting_stage_by_stage():
    X, y = interactions(100)
    together = SparsePerceptron(random_state=0).fit(X, y)
    assert not hasattr(together, "staged_predict")
    stagewise = SparsePerceptron(refit="stagewise", stages=3).fit(X, y)
    assert len([*stagewise.staged_predict(X)]) == 3


@pytest.mark.parametrize("booster", [{"refit": "stagewise"}, {"booster": "majority", "target_size": 4}])
def test_votes_have_probabilities_too(booster):
    X, y = interactions(2000, noise=0.2)
    for classes in (y, np.where(X[:, 3] > 3, "high", y)):
        model = SparsePerceptron(stages=15, **booster).fit(X[:1000], classes[:1000])
        shares = model.predict_proba(X[1000:])
        assert np.allclose(shares.sum(axis=1), 1.0)
        assert (model.classes_[shares.argmax(axis=1)] == model.predict(X[1000:])).all()
        sure = shares.max(axis=1)
        right = model.predict(X[1000:]) == classes[1000:]
        assert sure.mean() == pytest.approx(right.mean(), abs=0.08)


def test_importances_are_shares_of_columns():
    X, y = interactions()
    model = SparsePerceptron(random_state=0).fit(X, y)
    shares = model.feature_importances_
    assert shares.sum() == pytest.approx(1.0)
    assert shares[:3].sum() > 0.9
    weights = {str(one): abs(weight) for one, weight in zip(model.conjunctions_, model.weights_, strict=True)}
    pairs = sum(w / 2 for rule, w in weights.items() if "x2" in rule and " and " in rule)
    alone = sum(w for rule, w in weights.items() if "x2" in rule and " and " not in rule)
    assert shares[2] == pytest.approx((alone + pairs) / sum(weights.values()))
