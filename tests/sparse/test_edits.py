"""What a person strikes out or changes, and what is fitted again."""

import numpy as np
import pandas as pd
import pytest

from perceptrons import SparsePerceptron, load, save
from tests.planted import planted_table
from tests.sparse.test_joint import interactions


@pytest.fixture(scope="module")
def table():
    columns, y = planted_table(3)
    return pd.DataFrame(columns), y


def loss(model, X, y):
    p = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return -np.log(p).mean()


@pytest.mark.parametrize("parameters", [{}, {"max_points": 5}])
def test_a_rule_is_struck_out(table, parameters, tmp_path):
    X, y = table
    for classes in (y, np.where(X["width"] > 15, "wide", y)):
        model = SparsePerceptron(random_state=0, **parameters).fit(X, classes)
        before = model.to_text()
        rule = model.conjunctions_[0]
        edited = model.without(str(rule), X, classes)
        assert rule not in edited.conjunctions_
        assert len(edited.conjunctions_) == len(model.conjunctions_) - 1
        assert model.to_text() == before
        save(edited, tmp_path / "edited.json")
        assert load(tmp_path / "edited.json").to_text() == edited.to_text() != before


def test_the_others_are_fitted_again():
    X, _ = interactions()
    y = X[:, 0] + X[:, 1] + X[:, 2] > X[:, 3]
    model = SparsePerceptron(max_rules=6, random_state=0).fit(X, y)
    one, other = (str(rule) for rule in model.conjunctions_[:2])
    again = model.without(one, X, y).without(other, X, y)
    same = model.without(other, X, y).without(one, X, y)
    assert np.allclose(again.decision_function(X), same.decision_function(X), atol=1e-6)
    frozen = model.weights_[2:]
    assert len(again.weights_) == len(frozen) >= 1
    assert not np.allclose(again.weights_, frozen, rtol=1e-3)


def test_points_are_a_persons(table):
    X, y = table
    model = SparsePerceptron(max_points=5, random_state=0).fit(X, y)
    rules = [str(rule) for rule in model.conjunctions_]
    new = {rules[0]: int(model.weights_[0]) + 1, rules[1]: 0}
    edited = model.with_points(new, X, y)
    told = dict(zip(map(str, edited.conjunctions_), edited.weights_.tolist(), strict=True))
    assert told[rules[0]] == new[rules[0]]
    assert rules[1] not in told
    assert sum(total.rows for total in edited._totals[0]) == len(y)
    assert loss(edited, X, y) < np.log(2)
    assert ((edited.predict_proba(X)[:, 1] > 0.5) == (edited.decision_function(X) > 0)).all()


def test_bad_edits(table):
    X, y = table
    model = SparsePerceptron(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="There is no rule 'cap = plaid'; the rules are "):
        model.without("cap = plaid", X, y)
    with pytest.raises(ValueError, match="with_points is for a scorecard of two classes"):
        model.with_points({str(model.conjunctions_[0]): 3}, X, y)
    stagewise = SparsePerceptron(refit="stagewise", stages=3).fit(X, y)
    with pytest.raises(ValueError, match="without is for weights learned together"):
        stagewise.without(stagewise.conjunctions_[0], X, y)
    card = SparsePerceptron(max_points=5, random_state=0).fit(X, y)
    turned = {str(r): -int(p) for r, p in zip(card.conjunctions_, card.weights_, strict=True)}
    with pytest.raises(ValueError, match="a higher total is no higher risk"):
        card.with_points(turned, X, y)
