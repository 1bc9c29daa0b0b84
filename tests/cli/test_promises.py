"""`certify` on new tables and on those fitted to, and `fit --holdback`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from perceptrons import load, load_certificate, save
from perceptrons.model_file.save_load import read
from tests.commands import FIT, coffee

LEARNERS = (
    "perceptron",
    "sparse",
    "scorecard",
    "kernel",
    "binary",
    "chow",
    "selective",
    "logistic regression",
    "shallow tree",
)


@pytest.fixture
def tables(table):
    """The table fitted to, and another of the same columns."""
    Path("new.csv").write_text(coffee(80, seed=5))
    return table, "new.csv"


@pytest.mark.parametrize("learner", LEARNERS)
def test_each_learner_knows_its_rows_again(command, tables, learner):
    """Through CSV files, encoders and model files; columns that were left out may be absent."""
    table, new = tables
    fit = ["fit", table, *FIT, "--folds", "0", "--learner", learner, "--out", "model.json"]
    assert command(*fit)[0] == 0
    assert command("certify", "model.json", table)[0] == 0
    trained = json.loads(command("certify", "model.json", table, "--json")[1])["promise"]
    assert trained["n_rows"] == 60
    assert "training rows" in trained["sentences"][0]
    code, out, err = command("certify", "model.json", new)
    assert (code, err) == (0, "")
    assert "of 80 rows it was not trained on" in " ".join(out.split())
    assert "With a confidence of 95 %, at most" in out or "It has answered none" in out
    found = json.loads(command("certify", "model.json", new, "--json")[1])
    assert (found["holds"], found["certificates"]) == (None, [])
    assert found["promise"]["shares"][0]["n_rows"] <= 80


def test_part_of_the_rows_is_said(command, tables):
    table, _ = tables
    command("fit", table, *FIT, "--folds", "0", "--learner", "sparse", "--out", "model.json")
    lines = Path(table).read_text().splitlines()
    Path("part.csv").write_text("\n".join(lines[:30]) + "\n")
    code, _, err = command("certify", "model.json", "part.csv")
    assert code == 2
    assert "Some of the rows that the model was trained on are among these" in " ".join(err.split())
    assert "--new-rows" in err
    assert command("certify", "model.json", "part.csv", "--new-rows")[0] == 0
    code, _, err = command("certify", "model.json", table, "--new-rows")
    assert (code, "trained on these very rows" in " ".join(err.split())) == (2, True)


def test_rows_held_back(command, tables):
    table, new = tables
    fit = ("fit", table, *FIT, "--folds", "0", "--out", "model.json")
    code, out, err = command(*fit, "--holdback", "0.4")
    assert (code, err) == (0, "")
    assert "of 24 rows that were held back" in out
    kept = load_certificate("model.json")
    assert (kept.n_rows, kept.holdback) == (24, 0.4)
    assert load("model.json")[-1].n_rows_ == 36
    code, out, _ = command("certify", "model.json", table)
    assert (code, "of 24 rows that were held back" in out) == (0, True)
    assert "of 80 rows it was not trained on" in command("certify", "model.json", new)[1]
    assert json.loads(command(*fit, "--holdback", "0.4", "--json")[1])["promise"]["n_rows"] == 24
    for wrong in ("0", "1", "-3", "much"):
        code, _, err = command(*fit, "--holdback", wrong)
        assert code == 2
        assert "holdback" in err


def test_a_file_without_certificate_promises_about_new_rows(command, tables):
    table, new = tables
    command("fit", table, *FIT, "--folds", "0", "--out", "model.json", "--no-certificate")
    assert "of 80 rows it was not trained on" in command("certify", "model.json", new)[1]
    code, _, err = command("certify", "model.json", table)
    assert (code, "was saved without its certificate" in " ".join(err.split())) == (2, True)


def test_a_forged_certificate_is_told(command, tables):
    table, _ = tables
    fit = ("fit", table, *FIT, "--folds", "0", "--learner", "sparse", "--out", "model.json")
    command(*fit, "--holdback", "0.4")
    save(
        load("model.json"),
        "forged.json",
        about=read("model.json")[1],
        certificate=replace(load_certificate("model.json"), n_rows=25),
    )
    code, out, _ = command("certify", "forged.json", table)
    assert (code, "n_rows is given as 25, but these rows give 24" in " ".join(out.split())) == (1, True)


def test_weights_and_holdback(command, tables):
    table, _ = tables
    lines = Path(table).read_text().splitlines()
    weighted = [lines[0] + ",w", *(f"{line},{1 + k % 2}" for k, line in enumerate(lines[1:]))]
    Path("w.csv").write_text("\n".join(weighted) + "\n")
    code, _, err = command("fit", "w.csv", *FIT, "--weight", "w", "--holdback", "0.4")
    assert (code, "--holdback counts rows" in err) == (2, True)
    command("fit", "w.csv", *FIT, "--weight", "w", "--folds", "0", "--out", "model.json")
    code, out, _ = command("certify", "model.json", "w.csv")
    assert code == 0
    assert "the rows have weights" in " ".join(out.split())
