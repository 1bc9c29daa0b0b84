"""`Cascade`: prices against all thresholds, routes against plain Python, risks beside single stages."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from perceptrons import Cascade, ChowClassifier, Costs
from perceptrons.selective.cascade_prices import best_price
from tests.naive import cascade as naive

COSTS = st.lists(st.tuples(*[st.integers(-3, 6)] * 3), min_size=1, max_size=12)


@given(COSTS)
def test_the_price_is_the_best_of_all_thresholds(rows):
    expected, answered, further = (np.array(part, float) for part in zip(*rows, strict=True))
    price = best_price(expected, answered, further)
    total = np.where(expected > price, further, answered).sum()
    assert total == naive.least_total(expected.tolist(), answered.tolist(), further.tolist())
    assert price not in expected or not np.isfinite(price)


def draw(n, seed, n_classes=2):
    """Most rows are told apart by a line, some only by curves, and a few by nothing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    score = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=n)
    return X, np.array(["a", "b", "c"])[np.digitize(score, [0.0] if n_classes == 2 else [-0.7, 0.7])]


STAGES = [LogisticRegression(), KNeighborsClassifier(15)]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_routes_are_the_slow_ones(n_classes):
    X, y = draw(400, 0, n_classes)
    costs = Costs(gain=0.1, wrong={name: 1.0 + i for i, name in enumerate("abc"[:n_classes])}, reject=0.3)
    model = Cascade(STAGES, costs, stage_costs=[0.0, 0.05], random_state=0).fit(X, y)
    a, b, c = costs.of(model.classes_)
    by_stage = [stage.predict_proba(X).tolist() for stage in model.stages_]
    ways = [naive.route(row, model.prices_, a, b, c) for row in zip(*by_stage, strict=True)]
    answers = np.array([model.classes_[code] for code, _ in ways])
    by = np.array([2 if stage is None else stage for _, stage in ways])
    assert np.array_equal(model.answered_by(X), by)
    assert np.array_equal(model.rejects(X), by == 2)
    assert np.array_equal(model.predict_liberal(X), answers)
    assert np.array_equal(model.predict(X), np.where(by == 2, "reject", answers))
    assert len(np.unique(by)) == 3
    codes = np.searchsorted(model.classes_, y)
    paid = np.where(by == 2, c[codes], np.where(answers == y, -a[codes], b[codes])) + 0.05 * (by > 0)
    assert model.risk(X, y) == pytest.approx(paid.mean())


def test_it_costs_less_than_each_stage_alone():
    """On new rows, means over draws; asking the second costs something."""
    X_new, y_new = draw(20_000, 99)
    found = {"cascade": [], "cheap": [], "rich": []}
    for seed in range(3):
        X, y = draw(800, seed)
        model = Cascade(STAGES, stage_costs=[0.0, 0.03], random_state=0).fit(X, y)
        found["cascade"].append(model.risk(X_new, y_new))
        assert model.risk_ == pytest.approx(model.risk(X_new, y_new), abs=0.03)
        shares = np.bincount(model.answered_by(X_new), minlength=3) / len(X_new)
        assert model.answered_by_ == pytest.approx(shares, abs=0.1)
        assert model.answered_by_.sum() == pytest.approx(1.0)
        assert model.n_rows_[0] == 800 > model.n_rows_[1] >= 20
        for name, stage, cost in [("cheap", STAGES[0], 0.0), ("rich", STAGES[1], 0.03)]:
            found[name].append(ChowClassifier(stage).fit(X, y).risk(X_new, y_new) + cost)
    means = {name: np.mean(risks) for name, risks in found.items()}
    assert means["cascade"] < min(means["cheap"], means["rich"])


def test_a_stage_that_is_too_dear_is_never_asked():
    X, y = draw(400, 3)
    model = Cascade(STAGES, stage_costs=[0.0, 5.0], random_state=0).fit(X, y)
    assert model.prices_ == [np.inf, None]
    assert model.answered_by_.tolist() == [1.0, 0.0, 0.0]
    assert (model.answered_by(X) == 0).all()
    free = Cascade(STAGES, reject_cost=0.0, random_state=0)
    assert free.fit(X, y).risk(X, y) == 0.0


def test_one_stage_is_chows_rule():
    X, y = draw(400, 4)
    model = Cascade([LogisticRegression()]).fit(X, y)
    chow = ChowClassifier(LogisticRegression(), reject_label=None).fit(X, y)
    assert np.array_equal(model.predict(X), ChowClassifier(LogisticRegression()).fit(X, y).predict(X))
    assert model.risk(X, y) == pytest.approx(chow.risk(X, y))


def test_few_rows_passed_on_and_classes_that_a_stage_never_meets():
    X, y = draw(300, 5, 3)
    easy = np.column_stack([10.0 * np.searchsorted(["a", "b", "c"], y), X[:, 1]])
    model = Cascade(STAGES, random_state=0).fit(easy, y)
    assert model.n_rows_.tolist() == [300, 300]  # nothing is passed on
    far = np.vstack([X, X + np.array([100.0, 0.0])])
    labels = np.append(y, np.full(300, "d"))  # a class that is never in doubt
    model = Cascade(STAGES, random_state=0).fit(far, labels)
    assert "d" not in model.stages_[1].classes_
    assert (model.predict(far[300:]) == "d").all()


def test_frames_and_labels():
    X, y = draw(300, 6)
    frame = pd.DataFrame(X, columns=["u", "v"])
    model = Cascade(STAGES, random_state=0).fit(frame, y == "a")
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert model.reject_label_ == -1
    assert model.predict(frame).shape == (300,)
    assert 0.0 <= model.confidence(frame, y == "a") <= 1.0


BAD = [
    ({"stages": []}, r"stages=\[\], but it must be a list of classifiers"),
    ({"stages": LogisticRegression()}, "but it must be a list of classifiers"),
    ({"stages": [LogisticRegression]}, "is a class; pass an object"),
    ({"stage_costs": [0.0]}, "must hold a number >= 0 for each of the 2 stages"),
    ({"stage_costs": [0.0, -1.0]}, "must hold a number >= 0"),
    ({"stage_costs": 3}, "must hold a number >= 0"),
    ({"costs": 3}, "must be a Costs object"),
    ({"cv": 1}, "cv=1, but"),
    ({"calibration": "best"}, "calibration='best'"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_bad_parameters(settings, message):
    with pytest.raises(ValueError, match=message):
        Cascade(**{"stages": STAGES, **settings}).fit(*draw(60, 0))


def test_too_few_rows_of_a_class():
    X, y = draw(60, 0)
    y[:] = "a"
    y[:2] = "b"
    with pytest.raises(ValueError, match="The class 'b' has 2 rows, but a cascade needs 3 of each"):
        Cascade(STAGES).fit(X, y)
    y[2] = "b"
    model = Cascade([LogisticRegression()], cv=2, random_state=0).fit(X, y)
    assert model.n_rows_.tolist() == [60]


def test_weights_are_refused():
    X, y = draw(60, 0)
    with pytest.raises(ValueError, match=r"sample_weight is given, but Cascade\.fit .* by costs"):
        Cascade(STAGES).fit(X, y, sample_weight=np.ones(60))
