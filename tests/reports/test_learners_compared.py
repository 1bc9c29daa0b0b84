"""The page of a comparison: learners, folds, verdicts, sizes."""

import json
from pathlib import Path

from perceptrons.comparison import LearnerResult
from perceptrons.describe import Size
from perceptrons.rejection.costs import Costs
from perceptrons.reports.facts.learners_compared import comparison_facts

DATA = {
    "title": "<t>.csv",
    "rows": 10,
    "columns": 2,
    "kinds": {},
    "missing": 0,
    "left_out": [],
    "classes": [{"class": "a", "rows": 6}, {"class": "b", "rows": 4}],
    "most_frequent": {"class": "a", "accuracy": 0.6},
    "notes": [],
    "hints": [],
}


def result(name, risks, verdict="", size=None, **more):
    mean = sum(risks) / len(risks)
    return LearnerResult(
        name,
        accuracy=1 - mean,
        risk=mean,
        fold_risks=tuple(risks),
        verdict=verdict,
        size=size,
        rejected=0.0,
        **more,
    )


def facts_of(*results):
    return comparison_facts(results, "risk", Costs(), DATA, {"Command": "x"})


def test_lines_are_the_results():
    found = facts_of(
        result("one", [0.1, 0.2], "best", Size(3, "weights")),
        result("two", [0.1, 0.3], "as good", Size(9, "weights"), may_reject=True),
        result("three", [0.4, 0.5], "", Size(5, "rows")),
        LearnerResult("four", notes=("failed: it supports two classes",)),
    )
    assert [line["verdict"] for line in found["lines"]] == ["best", "as good", "worse", "failed"]
    assert [line["folds"] for line in found["lines"]] == [[0.1, 0.2], [0.1, 0.3], [0.4, 0.5], []]
    assert (found["low"], found["high"]) == (0.1, 0.5)
    assert found["verdict"].startswith("Best by risk: one. Not distinguishable from it by a paired t-test")
    assert found["verdict"].endswith(": two.")
    assert [(mark["x"], mark["label"]) for mark in found["chart"]["marks"]] == [(3.0, "one"), (9.0, "two")]
    assert found["lines"][1]["rejected"] == "0.0 %"


def test_points_on_one_another_share_a_label():
    same = [result(name, [0.1, 0.1], size=Size(4, "weights")) for name in ("a", "b", "c")]
    (mark,) = facts_of(*same)["chart"]["marks"]
    assert mark["label"] == "a and 2 more"
    assert facts_of(same[0])["chart"] is None


def test_the_best_alone():
    found = facts_of(result("one", [0.1, 0.1], "best"), result("two", [0.2, 0.2]))
    assert "two" not in found["verdict"]
    assert "all others are distinguishable from it" in found["verdict"]


def test_the_command_writes_a_page(command, table):
    given = ("compare", table, "--target", "grade", "--drop", "lot", "--folds", 2, "--max-epochs", 20)
    learners = ("--learner", "perceptron", "--learner", "shallow tree", "--jobs", 1)
    code, out, err = command(*given, *learners, "--report", "page.html", "--json")
    assert (code, err) == (0, "")
    best = json.loads(out)["best"]
    html = Path("page.html").read_text(encoding="utf-8")
    assert f"Best by risk: {best}" in html
    assert "perceptrons compare table.csv --target grade" in html
    code, _, err = command(*given, *learners, "--report", table)
    assert (code, "names the table itself" in err) == (2, True)
