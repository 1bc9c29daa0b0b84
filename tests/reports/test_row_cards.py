"""Single rows: which, what was added, and in values as the table has them."""

import numpy as np
import polars as pl
import pytest

from perceptrons import report
from perceptrons.learners import build_learner, for_tables
from tests.reports.learned import FAMILIES, coffee, learned, reported, three_classes


def cards(facts, begins):
    return next(one["rows"] for one in facts["rows"]["groups"] if one["title"].startswith(begins))


@pytest.mark.parametrize("name", FAMILIES)
def test_answers_and_classes_are_those_of_the_row(name):
    X, y = coffee()
    facts = reported(name).facts
    answers = learned(name).predict(X)
    shown = [card for group in facts["rows"]["groups"] for card in group["rows"]]
    assert len(shown) >= 20
    for card in shown:
        k = card["row"] - 1
        expected = answers[k] if answers[k] in y else "rejected"
        assert (card["answer"], card["class"], card["right"]) == (expected, y[k], answers[k] == y[k])


def test_the_hardest_are_least_on_their_own_side():
    X, y = coffee()
    model = learned("perceptron")
    scores = np.where(y == model.classes_[1], 1, -1) * model.decision_function(X)
    rows = [card["row"] - 1 for card in cards(reported("perceptron").facts, "The hardest")]
    assert sorted(scores[rows]) == pytest.approx(sorted(scores)[:10])
    typical = [
        card["row"] - 1 for card in cards(reported("perceptron").facts, "The most typical of specialty")
    ]
    assert scores[typical].min() >= np.sort(scores[y == "specialty"])[-10]
    assert (y[typical] == "specialty").all()


def test_parts_add_up_and_show_the_cells_of_the_table():
    X, y = coffee()
    for name in ("perceptron", "scorecard", "sparse", "chow"):
        facts = report(learned(name), X, y, new_rows=True, rows=[1, 5]).facts
        for card, row in zip(cards(facts, "Asked for"), (0, 4), strict=True):
            assert card["others"] == 0
            total = sum(part["number"] for part in card["parts"])
            assert total == pytest.approx(float(card["sum"]), rel=0.02, abs=0.02)
            cell = next(part["cell"] for part in card["parts"] if part["name"].startswith("altitude"))
            assert cell == f"{X['altitude'][row]}"
    score = learned("perceptron").decision_function(X)[4]
    (_, card) = cards(report(learned("perceptron"), X, y, new_rows=True, rows=[1, 5]).facts, "Asked for")
    assert sum(part["number"] for part in card["parts"]) == pytest.approx(score)


def test_probabilities_are_those_of_the_answer():
    X, y = coffee()
    facts = report(learned("scorecard"), X, y, new_rows=True, rows=[1]).facts
    expected = learned("scorecard").predict_proba(X[[0]])[0].max()
    assert cards(facts, "Asked for")[0]["probability"] == f"{100 * expected:.1f} %"


def test_three_classes_show_the_parts_of_the_answer():
    X, y = three_classes()
    model = for_tables(build_learner("perceptron")).fit(X, y)
    facts = report(model, X, y, new_rows=True, rows=[2]).facts
    card = cards(facts, "Asked for")[0]
    best = model.decision_function(X[[1]])[0].max()
    assert sum(part["number"] for part in card["parts"]) == pytest.approx(best)
    assert facts["rows"]["speaks_for"] == ""


def test_rows_that_are_not_there():
    with pytest.raises(ValueError, match="There is no row 241 among the 240 that were looked at"):
        report(learned("perceptron"), *coffee(), new_rows=True, rows=[241])


def test_rows_may_have_numbers_of_their_own():
    X, y = coffee()
    facts = report(
        learned("scorecard"), X, y, new_rows=True, rows=[1000], numbers=np.arange(1000, 1240)
    ).facts
    assert cards(facts, "Asked for")[0]["row"] == 1000


def test_a_wide_table_has_no_changes_of_cells():
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.normal(size=(60, 501)), schema=[f"c{k}" for k in range(501)])
    y = np.where(X["c0"].to_numpy() > 0, 1, 0)
    facts = report(for_tables(build_learner("perceptron")).fit(X, y), X, y, new_rows=True).facts
    assert facts["rows"]["searched"] == "Above 500 columns no change of cells is looked for."
    assert all(card["flip"] is None for group in facts["rows"]["groups"] for card in group["rows"])
