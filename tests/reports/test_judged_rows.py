"""Which rows judge a model: copies answer for rows fitted, many rows are sampled."""

import numpy as np
import pytest

from perceptrons import Perceptron, report
from perceptrons.reports import judged_rows
from perceptrons.reports.judged_rows import material_of
from perceptrons.reports.subject import subject_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=400) > 0, "up", "down")
MODEL = Perceptron(random_state=0).fit(X, Y)


def material(X, y, new_rows=False, folds=5, weights=None):
    return material_of(subject_of(MODEL), X, y, weights, None, new_rows, folds, 0, lambda *told: None)


def test_each_row_is_answered_once_by_a_copy_without_it():
    found = material(X, Y)
    assert sorted(found.judged.places.tolist()) == [*range(400)]
    assert found.judged.folds == 5
    truth = found.rows.codes[found.judged.places]
    assert found.judged.answers.codes.tolist() == truth.tolist()


def test_many_rows_hold_out_a_fifth(monkeypatch):
    monkeypatch.setattr(judged_rows, "FOLDED", 300)
    found = material(X, Y)
    assert (found.judged.folds, len(found.judged.places)) == (1, 80)
    assert "a fifth of the rows" in found.judged.how


def test_very_many_rows_are_sampled_and_it_is_said(monkeypatch):
    monkeypatch.setattr(judged_rows, "MOST_ROWS", 100)
    weights = np.ones(400)
    weights[:50] = 0.0
    found = material(X, Y, weights=weights)
    assert (len(found.rows.y), found.n_counted, found.n_given) == (100, 350, 400)
    assert found.places.min() >= 50
    assert found.numbers.tolist() == (found.places + 1).tolist()
    assert Y[found.places].tolist() == found.rows.y.tolist()
    facts = report(MODEL, X, Y, new_rows=True).facts
    assert facts["look"]["cautions"][0].startswith("Of 400 rows a random sample of 100 was looked at")
    assert (facts["data"]["n_rows"], facts["data"]["n_looked_at"]) == (400, 100)


def test_a_class_of_one_row_survives_sampling(monkeypatch):
    monkeypatch.setattr(judged_rows, "MOST_ROWS", 100)
    y = np.array(["up", *np.where(Y[1:] == "up", "down", "down")])
    assert len(material(X, y, new_rows=True).rows.y) == 100


def test_rows_of_one_class_can_be_new():
    """They judge what they can; codes are those of the model's classes."""
    up = Y == "up"
    found = material(X[up], Y[up], new_rows=True)
    assert set(found.rows.codes.tolist()) == {1}
    assert found.judged.evaluation.accuracy > 0.8


def test_why_nothing_can_be_said():
    found = material(X[:3], ["up", "down", "up"])
    assert found.judged is None
    assert "one row" in found.why_not
    assert material(X, Y, folds=0).why_not == ""


def test_folds_that_are_none():
    with pytest.raises(ValueError, match="folds=1"):
        raise ValueError(material(X, Y, folds=1).why_not)
