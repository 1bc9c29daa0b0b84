"""Columns, holes, what was left out, digests, versions."""

import numpy as np
import pandas as pd
import polars as pl

import perceptrons
from perceptrons import report
from perceptrons.learners import build_learner, for_tables
from perceptrons.reports.facts.data_sheet import digest_of
from tests.reports.learned import coffee, learned, reported


def sheet(frame, y, **more):
    model = for_tables(build_learner("perceptron")).fit(frame, y)
    return report(model, frame, y, new_rows=True, **more).facts["data"]


def table(rows=40):
    return pl.DataFrame(
        {
            "id": [f"row {k}" for k in range(rows)],
            "same": ["x"] * rows,
            "size": [None if k % 8 == 0 else k / 2 for k in range(rows)],
            "opened": [f"2024-03-{k % 28 + 1:02}" for k in range(rows)],
            "hue": ["red" if k % 3 else None for k in range(rows)],
            "old": [bool(k % 2) for k in range(rows)],
        }
    )


def test_columns_holes_and_what_was_left_out():
    facts = sheet(table(), np.arange(40) % 2)
    found = {one["name"]: (one["kind"], one["missing"], one["range"]) for one in facts["columns"]}
    assert found["size"] == ("numeric", 5, "0.5 to 19.5")
    assert found["hue"] == ("nominal", 14, "red (26)")
    assert found["old"][0] == "boolean"
    assert "year-month-day" in found["opened"][0]
    assert facts["left_out"] == [
        {"name": "id", "why": "names of rows"},
        {"name": "same", "why": "constant"},
    ]
    assert facts["n_columns"] == 4


def test_the_digest_is_that_of_the_cells():
    frame, y = table(), np.arange(40) % 2
    assert digest_of(frame, y) == digest_of(pd.DataFrame(frame.to_dict(as_series=False)), y)
    other = frame.with_columns(pl.Series("same", ["y", *["x"] * 39]))
    assert digest_of(other, y) != digest_of(frame, y)
    assert digest_of(frame.rename({"same": "Same"}), y) != digest_of(frame, y)
    assert digest_of(frame, y[::-1]) != digest_of(frame, y)
    apart = [pd.DataFrame({"a": ["x", "yz"]}), pd.DataFrame({"a": ["xy", "z"]})]
    assert digest_of(apart[0], [0, 1]) != digest_of(apart[1], [0, 1])


def test_versions_and_parameters():
    record = {one["name"]: one["value"] for one in reported("scorecard").facts["data"]["record"]}
    assert record["perceptrons"] == perceptrons.__version__
    assert {"Python", "NumPy", "SciPy", "scikit-learn", "Machine", "Digest of the cells"} <= record.keys()
    parameters = {one["name"]: one["value"] for one in reported("scorecard").facts["data"]["parameters"]}
    assert parameters == {"max_points": "5", "random_state": "0"}


def test_groups_follow_their_rows():
    """Also where rows of weight 0 are left out."""
    X, y = coffee()
    weights = np.ones(len(y))
    weights[:100] = 0.0
    groups = np.array(["first"] * 100 + ["rest"] * 140)
    look = report(learned("perceptron"), X, y, weights, new_rows=True, by=groups).facts["look"]
    assert [(line["name"], line["rows"]) for line in look["groups"]["lines"]] == [("rest", 140)]
