"""The model in full, and the numbers of its calculator."""

import numpy as np
import pytest

from perceptrons import SparsePerceptron, report
from perceptrons.learners import build_learner, for_tables
from tests.reports.learned import coffee, learned, reported, three_classes


def test_a_card_in_full():
    model, form = learned("scorecard"), reported("scorecard").facts["model"]
    points = dict(zip(map(str, model.conjunctions_), model.weights_.tolist(), strict=True))
    assert {line["rule"]: int(line["adds"][0]) for line in form["lines"]} == points
    sizes = [abs(int(line["adds"][0])) for line in form["lines"]]
    assert sizes == sorted(sizes, reverse=True)
    assert form["head"][0] == model.to_text().splitlines()[0]
    assert form["totals"]["header"] == ["total", "rows", "specialty", "risk"]
    assert sum(int(row[1]) for row in form["totals"]["rows"]) == 240
    assert all(line["covers"] for line in form["lines"])


def sums(calculator, held):
    """What the script of the page adds up, in Python."""
    return [
        base + sum(np.where(held, ones, others))
        for base, ones, others in zip(
            calculator["base"], calculator["held"], calculator["not_held"], strict=True
        )
    ]


@pytest.mark.parametrize(
    "model",
    [
        SparsePerceptron(random_state=0),
        SparsePerceptron(random_state=0, max_points=3),
        SparsePerceptron(random_state=0, refit="stagewise", max_stages=9, cv=2),
        SparsePerceptron(random_state=0, booster="majority", stages=5),
    ],
    ids=["together", "card", "stagewise", "votes"],
)
def test_the_calculator_of_rules_has_the_scores(model):
    X, y = coffee()
    model.fit(X, y)
    calculator = report(model, X, y, new_rows=True).facts["model"]["calculator"]
    held, scores = model._holding(X), model.decision_function(X)
    for row in range(0, 240, 10):
        (total,) = sums(calculator, held[row])
        assert total == pytest.approx(scores[row])
        if calculator["slope"] is not None:
            share = 1 / (1 + np.exp(-(calculator["slope"] * total + calculator["shift"])))
            assert share == pytest.approx(model.predict_proba(X[[row]])[0, 1])


@pytest.mark.parametrize("points", [None, 3])
def test_several_classes_have_a_sum_each(points):
    X, y = three_classes()
    model = SparsePerceptron(random_state=0, max_points=points, cv=2).fit(X, y)
    form = report(model, X, y, new_rows=True).facts["model"]
    assert [len(line["adds"]) for line in form["lines"]] == [3] * len(model.conjunctions_)
    held, scores = model._holding(X), model.decision_function(X)
    assert sums(form["calculator"], held[7]) == pytest.approx(scores[7].tolist())


def test_a_linear_model_by_its_largest_columns():
    model, form = learned("perceptron"), reported("perceptron").facts["model"]
    coef = np.abs(model[-1].coef_[0])
    assert form["lines"][0]["weights"] == pytest.approx([model[-1].coef_[0][coef.argmax()]], rel=1e-3)
    assert (form["n_weights"], form["left"]) == (np.count_nonzero(coef), 0)
    altitude = next(line for line in form["lines"] if line["name"] == "altitude")
    assert altitude["scale"].startswith("1321 ± ")


def test_binary_weights_are_votes():
    form = reported("binary").facts["model"]
    model = learned("binary")[-1]
    assert form["n_votes"] == np.count_nonzero(model.coef_)
    assert {one["weight"] for one in form["votes"]} <= {"+1", "-1"}
    assert form["bytes"] == model.packed_.n_bytes


def test_what_cannot_be_read_is_said():
    assert "no weights of columns to read" in reported("kernel").facts["model"]["words"]
    assert reported("shallow tree").facts["model"]["kind"] == "other"


def test_no_calculator_where_a_form_cannot_repeat_what_is_read():
    """Dates are read as several numbers; a hundred columns are no form; another step decides of chow."""
    assert reported("chow").facts["model"]["calculator"] is None
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 41)), np.arange(40) % 2
    model = for_tables(build_learner("perceptron")).fit(X, y)
    assert report(model, X, y, new_rows=True).facts["model"]["calculator"] is None
