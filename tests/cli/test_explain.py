"""`explain`: learners that reject by probabilities, and cards, in the numbers that the model decides by."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import perceptrons
from tests.commands import FIT


@pytest.fixture
def overlapping(tmp_path, monkeypatch):
    """Two classes that overlap, so that rows are rejected and both answers occur."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    good = x + rng.normal(size=80) > 0
    cells = zip(x, rng.choice(["a", "b"], size=80), good, strict=True)
    lines = [f"{a:.3f},{kind},{'yes' if one else 'no'}" for a, kind, one in cells]
    Path("t.csv").write_text("\n".join(["x,kind,y", *lines]))
    return "t.csv"


def explained(command, table, n_rows):
    rows = ",".join(map(str, range(1, n_rows + 1)))
    code, out, err = command("explain", "m.json", table, "--rows", rows)
    assert (code, err) == (0, "")
    told = json.loads(command("explain", "m.json", table, "--rows", rows, "--json")[1])["rows"]
    return re.split(r"\n(?=t\.csv, row|table\.csv, row)", out), told


@pytest.mark.parametrize("learner", ["chow", "selective"])
def test_learners_that_reject_show_the_score_inside(command, overlapping, learner):
    command("fit", overlapping, "--target", "y", "--learner", learner, "--folds", 0, "--out", "m.json")
    texts, told = explained(command, overlapping, 40)
    model = perceptrons.load("m.json")
    assert {one["rejected"] for one in told} == ({True} if learner == "selective" else {True, False})
    for text, one in zip(texts, told, strict=True):
        assert sum(part["adds"] for part in one["parts"]) == pytest.approx(one["score"])
        assert one["answer"] in ("no", "yes")
        likely = "" if one["probability"] is None else f" Probability of {one['answer']}: "
        said = f"(else {one['answer']}). {'Answers where' if learner == 'chow' else 'Rejects every row'}"
        words = " ".join(text.split())
        assert (said in words) == one["rejected"]
        assert likely in words
        assert "> 0" not in words  # which is not what decides
    assert model[-1].estimator_.decision_function is not None


@pytest.mark.parametrize("booster", [(), ("--set", "booster=majority", "--set", "max_points=null")])
def test_points_are_those_of_the_card(command, overlapping, booster):
    job = ("fit", overlapping, "--target", "y", "--learner", "scorecard", "--folds", 0, "--out", "m.json")
    sheet = command(*job, *booster)[1]
    least = re.search(r"^yes from (-?\d+) points? on, else no\.$", sheet, re.MULTILINE)[1]
    texts, told = explained(command, overlapping, 20)
    for text, one in zip(texts, told, strict=True):
        total = sum(part["adds"] for part in one["parts"] if part["rule"] != "base points")
        assert f"Sum {total:+.0f}, yes from {least} point" in text
        assert (total >= int(least)) == (one["prediction"] == "yes")
        assert "base points" not in text
        assert f"Probability of {one['prediction']}: " in " ".join(text.split())


def test_the_probability_is_that_of_the_answer(command, table):
    command("fit", table, *FIT, "--folds", 2, "--out", "m.json")
    texts, told = explained(command, table, 12)
    assert {one["prediction"] for one in told} == {"fine", "poor"}
    for text, one in zip(texts, told, strict=True):
        share = one["probability"] if one["prediction"] == one["label"] else 1 - one["probability"]
        said = re.search(rf"Probability of {one['prediction']}: \D*([\d.]+) %", " ".join(text.split()))
        assert float(said[1]) == pytest.approx(100 * share, abs=0.11)


@pytest.mark.parametrize("learner", ["perceptron", "sparse"])
def test_cells_that_are_missing(command, overlapping, learner):
    """Also a date, which is no number then."""
    days = [f"{day:02}.01.2024" for day in range(1, 21)]
    lines = [f"{k},{days[k % 20]},{'yes' if k % 20 > 9 else 'no'}" for k in range(60)]
    Path("d.csv").write_text("\n".join(["n,day,y", *lines]))
    command(
        "fit", "d.csv", "--target", "y", "--learner", learner, "--keep", "n", "--folds", 0, "--out", "m.json"
    )
    Path("new.csv").write_text("n,day\n,\n7,02.01.2024\n")
    code, out, err = command("explain", "m.json", "new.csv", "--rows", "1,2")
    assert (code, err) == (0, "")
    assert "nan" not in out
    assert learner == "sparse" or "2024-01-02" in out
