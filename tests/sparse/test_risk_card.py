"""Scorecards with risks: what is printed is what is computed, on one scale."""

import copy
import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from perceptrons import SparsePerceptron, load, save
from perceptrons.model_file.document import from_bytes, to_bytes
from perceptrons.sparse.risk_card import RiskCard
from tests.planted import planted_table
from tests.sparse.test_scorecard import points_of, totals_in


def table(seed):
    columns, y = planted_table(seed)
    return pd.DataFrame(columns), y


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_the_text_says_class_and_risk_of_every_row(seed):
    X, y = table(seed)
    model = SparsePerceptron(max_points=5, random_state=0).fit(X, y)
    text = model.to_text()
    positive, least, negative = re.match(r"(\S+) from (-?\d+) points? on, else (\S+)\.\n", text).groups()
    totals = np.array([points_of(text, row) for row in X.to_dict("records")])
    assert (model.predict(X) == np.where(totals >= int(least), positive, negative)).all()
    assert (model.decision_function(X) == totals - int(least) + 1).all()
    risks = model.predict_proba(X)[:, 1]
    for total, (n_rows, share, risk) in totals_in(text).items():
        there = totals == total
        assert int(n_rows) == there.sum()
        assert share == f"{(y[there] == positive).mean():.1%}"
        assert {f"{one:.1%}" for one in risks[there]} == {risk}
    assert len(totals_in(text)) == len(set(totals.tolist()))


@pytest.mark.parametrize(("points", "rules"), [(1, 3), (5, 8), (20, 5)])
def test_points_and_rules_are_limited(points, rules):
    X, y = table(3)
    model = SparsePerceptron(max_points=points, max_rules=rules, random_state=0).fit(X, y)
    assert model.weights_.dtype.kind == "i"
    assert 1 <= abs(model.weights_).max() <= points
    assert 1 <= model.n_weights_ <= rules
    assert ((model.predict_proba(X)[:, 1] > 0.5) == (model.decision_function(X) > 0)).all()


def test_eight_rules_unless_told_otherwise():
    X, y = table(5)
    assert SparsePerceptron(max_points=5, random_state=0).fit(X, y).cv_sizes_[-1] == 8


def test_an_explanation_speaks_the_same_points():
    X, y = table(3)
    model = SparsePerceptron(max_points=5, random_state=0).fit(X, y)
    for i in range(5):
        why = model.explain(X.iloc[i])
        assert why.points
        assert why.score == model.decision_function(X)[i] == sum(part.adds for part in why.parts)
        assert why.prediction == model.predict(X)[i]


def test_several_classes_have_a_card_each():
    X, y = table(3)
    classes = np.where(X["width"] > 15, "wide", y)
    model = SparsePerceptron(max_points=5, random_state=0).fit(X, classes)
    assert model.weights_.shape == (3, len(model.conjunctions_))
    scores = model.decision_function(X)
    risks = expit(scores)
    assert np.allclose(model.predict_proba(X), risks / risks.sum(axis=1, keepdims=True))
    assert (model.classes_[scores.argmax(axis=1)] == model.predict(X)).all()
    why = model.explain(X.iloc[0])
    assert why.score == pytest.approx(scores[0].max())
    assert all(f"{label}:" in model.to_text() for label in model.classes_)


def test_least_total():
    assert RiskCard([1], 0.5, -1.0).least == 3  # at 2 the risk is one half, which is not enough
    assert RiskCard([1], 0.5, -0.9).least == 2
    assert RiskCard([0], 0.0, -0.9).least == 1
    assert RiskCard([0], 0.0, 0.9).least == 0


def test_the_model_file_keeps_cards_and_believes_none(tmp_path):
    X, y = table(5)
    for classes in (y, np.where(X["width"] > 15, "wide", y)):
        model = SparsePerceptron(max_points=4, random_state=0).fit(X, classes)
        save(model, tmp_path / "card.json")
        again = load(tmp_path / "card.json")
        assert again.to_text() == model.to_text()
        assert (again.predict_proba(X) == model.predict_proba(X)).all()
        assert again.cards_ == model.cards_
    document = from_bytes((tmp_path / "card.json").read_bytes())
    for change in CHANGED:
        forged = copy.deepcopy({part: document[part] for part in ("library", "about", "model")})
        change(forged["model"]["fitted"])
        (tmp_path / "forged.json").write_bytes(to_bytes(forged))
        with pytest.raises(ValueError, match="cannot be loaded"):
            load(tmp_path / "forged.json")


CHANGED = [
    lambda fitted: fitted["vectors"].pop(),
    lambda fitted: fitted.update(totals=None),
    lambda fitted: fitted.update(gamma_=0.1),
    lambda fitted: fitted["vectors"][0].update(points=None),
    lambda fitted: fitted["vectors"][0]["points"]["values"].__setitem__(0, 0),
    lambda fitted: fitted["vectors"][0]["weights"]["values"].__setitem__(0, 77.0),
    lambda fitted: fitted["vectors"][0]["places"].__setitem__(0, [999]),
    lambda fitted: fitted["vectors"][0]["places"].__setitem__(0, []),
    lambda fitted: fitted["vectors"][0]["positive"]["values"].__setitem__(0, 1e9),
    lambda fitted: fitted["runs"][0].append({"literals": [0], "sign": 1, "error": 0.2, "weight": 1.0}),
]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_points": 0}, "max_points=0"),
        ({"max_points": 5, "refit": "stagewise"}, "max_points=5 is for weights learned together"),
        ({"max_points": 5, "booster": "majority"}, 'booster="majority" alone'),
    ],
)
def test_bad_parameters(parameters, message):
    X, y = table(3)
    with pytest.raises(ValueError, match=message):
        SparsePerceptron(**parameters).fit(X, y)
