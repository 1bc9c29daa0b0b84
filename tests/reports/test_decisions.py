"""The data of figures about answers."""

import numpy as np
import pytest

from perceptrons import report
from perceptrons.learners import build_learner, for_tables
from tests.naive.reports import area
from tests.reports.learned import FAMILIES, coffee, learned, reported, three_classes


def figures(facts):
    return {one["id"]: one for one in facts["evidence"]["figures"]}


@pytest.mark.parametrize("name", FAMILIES)
def test_figures_that_there_must_be(name):
    ids = {
        "perceptron": {"roc", "precision-recall", "error-reject", "margins"},
        "sparse": {"roc", "precision-recall", "calibration", "error-reject", "margins", "size-path"},
        "chow": {"calibration", "error-reject"},
        "kernel": {"roc", "margins", "training"},
        "binary": {"roc", "margins"},
    }
    assert ids.get(name, set()) <= set(figures(reported(name).facts))


def test_roc_has_the_area_of_the_scores():
    facts = reported("scorecard").facts
    curve = figures(facts)["roc"]["series"][0]
    auc = next(one["value"] for one in facts["look"]["measures"] if one["name"] == "AUC")
    assert f"{100 * area(curve):.1f} %" == auc
    assert (curve["x"][0], curve["y"][0], curve["x"][-1], curve["y"][-1]) == (0, 0, 1, 1)
    assert len(curve["x"]) <= 160


def test_calibration_counts_what_came_true():
    X, y = coffee()
    points = figures(reported("scorecard").facts)["calibration"]["points"]
    said = learned("scorecard").predict_proba(X)[:, 1]
    truth = y == learned("scorecard").classes_[1]
    for one in points:
        assert one["low"] <= one["y"] <= one["high"]
    assert points[0]["x"] >= said.min() - 1e-12
    assert points[-1]["x"] <= said.max() + 1e-12
    assert np.mean([one["y"] for one in points]) == pytest.approx(truth.mean(), abs=0.1)


def test_the_confusion_matrix_has_the_rows_that_are_rejected():
    X, y = coffee()
    matrix = reported("chow").facts["evidence"]["confusion"]
    model = learned("chow")
    rejected = model[-1].rejects(model[:-1].transform(X))
    counts = [[cell["n"] for cell in row] for row in matrix["cells"]]
    assert sum(map(sum, counts)) == len(y)
    assert matrix["totals"] == [int((y == name).sum()) for name in model.classes_]
    if rejected.any():
        assert matrix["answers"][-1] == "rejected"
        assert sum(row[-1] for row in counts) == rejected.sum()
    for k, row in enumerate(matrix["cells"]):
        assert [cell["right"] for cell in row].index(True) == k
        assert sum(cell["share"] for cell in row) == pytest.approx(1.0)


def test_errors_and_rejections_mark_where_the_model_stands():
    X, y = coffee()
    model, figure = learned("chow"), figures(reported("chow").facts)["error-reject"]
    last, rows = model[-1], model[:-1].transform(X)
    (mark,) = figure["marks"]
    assert mark["x"] == pytest.approx(last.rejects(rows).mean())
    assert mark["y"] == pytest.approx(((last.predict_liberal(rows) != y) & ~last.rejects(rows)).mean())
    assert figures(reported("perceptron").facts)["error-reject"]["marks"] == []


def test_three_classes_have_a_curve_each():
    X, y = three_classes()
    model = for_tables(build_learner("sparse")).fit(X, y)
    facts = report(model, X, y, new_rows=True).facts
    assert [one["name"] for one in figures(facts)["roc"]["series"]] == ["u", "v", "w", "guessing"]
    assert len(facts["evidence"]["confusion"]["cells"]) == 3
    assert "margins" not in figures(facts)


def test_many_classes_are_put_together():
    rng = np.random.default_rng(0)
    y = np.repeat([f"class {k:02}" for k in range(40)], 5)
    X = np.column_stack([np.repeat(np.arange(40.0), 5), rng.normal(size=200)])
    model = for_tables(build_learner("logistic regression")).fit(X, y)
    matrix = report(model, X, y, new_rows=True).facts["evidence"]["confusion"]
    assert matrix["classes"][-1] == "29 other classes"
    assert sum(cell["n"] for row in matrix["cells"] for cell in row) == 200
