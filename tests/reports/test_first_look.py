"""What is said first: how good on rows not learned from, whom it fails, what to know before signing."""

import numpy as np
import pytest

from perceptrons import Perceptron, report
from perceptrons.evaluation import evaluate
from perceptrons.reports.facts.fairness import grouped
from perceptrons.theory.held_out import binomial_lower, binomial_upper
from tests.reports.learned import FAMILIES, coffee, learned, reported


@pytest.mark.parametrize("name", FAMILIES)
def test_new_rows_are_answered_by_the_model(name):
    """The shares are those of `evaluate`, and classes and groups count all rows."""
    X, y = coffee()
    model, look = learned(name), reported(name).facts["look"]
    last = model[-1] if hasattr(model, "steps") else model
    rows = model[:-1].transform(X) if hasattr(model, "steps") else X
    found = evaluate(last, rows, y)
    tiles = {one["name"]: one["value"] for one in look["measures"]}
    if found.accuracy is None:
        assert tiles["Accuracy"] == "–"
    else:
        assert tiles["Accuracy"] == (f"{100 * found.accuracy:.1f} %")
    answered = round(len(y) * (1 - found.rejected))
    for lines in (look["classes"], look["groups"]["lines"]):
        assert sum(line["rows"] for line in lines) == len(y)
        assert sum(line["answered"] for line in lines) == answered
        wrong = sum(line["wrong"] for line in lines)
        assert wrong == round((1 - (found.accuracy or 1.0)) * answered)
    assert not any("those the model was fitted to" in line for line in look["cautions"])


def test_intervals_are_exact():
    for line in reported("scorecard").facts["look"]["groups"]["lines"]:
        k, n = line["wrong"], line["answered"]
        assert line["low"] == pytest.approx(binomial_lower(k, n, 0.025))
        assert line["high"] == pytest.approx(binomial_upper(k, n, 0.025))


def test_rows_that_were_fitted_prove_nothing_about_new_ones():
    """Copies answer for them; a perceptron that knows its rows by heart does not look perfect."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 80)), rng.integers(2, size=60)
    model = Perceptron(random_state=0, min_margin=0).fit(X, y)
    assert model.score(X, y) == 1.0
    facts = report(model, X, y).facts
    look = facts["look"]
    assert float(look["measures"][0]["value"].split()[0]) < 75.0
    assert "fitted to" in look["cautions"][-1]
    assert any("do not show that the model is better than" in line for line in look["cautions"])
    assert not any("Clopper" in line for line in look["statements"])
    assert "Certified: all 60 rows fitted are on the right side" in look["statements"][0]
    again = report(model, X, y, new_rows=True).facts["look"]
    assert again["measures"][0]["value"] == "100.0 %"
    assert any("0 of 60 rows answered are wrong" in line for line in again["statements"])


def test_without_folds_nothing_is_said_about_new_rows():
    look = report(learned("perceptron"), *coffee(), folds=0).facts["look"]
    assert (look["measures"], look["classes"], look["groups"]) == ([], [], None)
    assert look["cautions"] == ["Nothing on this page says how good the model is on new rows."]


def test_a_model_that_rejects_says_when():
    look = reported("selective").facts["look"]
    assert look["decision"][1].startswith(("Promises", "Rejects"))
    assert {"Rejected", "Risk"} <= {one["name"] for one in look["measures"]}


def test_weights_count_in_shares():
    X, y = coffee()
    weights = np.where(y == "specialty", 2.0, 1.0)
    weights[:10] = 0.0
    facts = report(learned("perceptron"), X, y, weights, new_rows=True, rows=[11]).facts
    assert facts["data"]["weighted"]
    assert sum(one["rows"] for one in facts["data"]["classes"]) == len(y) - 10
    assert facts["rows"]["groups"][0]["rows"][0]["row"] == 11
    with pytest.raises(ValueError, match="There is no row 3 among the 230"):
        report(learned("perceptron"), X, y, weights, new_rows=True, rows=[3])


def test_groups_of_numbers_are_quarters():
    names = grouped([*map(float, range(100)), None])
    assert names[0] == "1: up to 24.75"
    assert names[99] == "4: above 74.25"
    assert names[-1] == "no value"
    assert {names.count(name) for name in set(names) - {"no value"}} == {25}
    assert grouped([1, 2, 1, None]) == ["1", "2", "1", "no value"]
    assert grouped(["a", True, float("nan")]) == ["a", "True", "no value"]


def test_groups_that_are_not_there():
    with pytest.raises(ValueError, match="by='sex', but it must be a column of X"):
        report(learned("perceptron"), *coffee(), new_rows=True, by="sex")
    with pytest.raises(ValueError, match="by has 3 values for 240 rows"):
        report(learned("perceptron"), *coffee(), new_rows=True, by=[1, 2, 3])
