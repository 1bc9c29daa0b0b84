"""`perceptrons report`: which rows are new, what is recorded, and bad input."""

import hashlib
import json
from pathlib import Path

import pytest

from perceptrons.model_file.save_load import read
from tests.commands import FIT

CARD = (*FIT, "--learner", "scorecard", "--out", "model.json")


@pytest.fixture
def model(command, table):
    assert command("fit", table, *CARD)[0] == 0
    return "model.json"


def test_a_model_file_knows_how_it_came_to_be(model, table):
    about = read(model)[1]
    assert about["digest"] == hashlib.sha256(Path(table).read_bytes()).hexdigest()
    assert about["seed"] == 0
    assert about["command"].startswith("perceptrons fit table.csv --target grade --learner scorecard --out")
    assert about["command"].endswith("--drop lot --nominal zip")


def test_the_table_fitted_is_known_by_its_digest(command, model, table):
    code, out, err = command("report", model, table, "--by", "zip", "--rows", "7,1", "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert (facts["new_rows"], facts["look"]["groups"]["column"]) == (False, "zip")
    assert [card["row"] for card in facts["rows"]["groups"][0]["rows"]] == [7, 1]
    record = {one["name"]: one["value"] for one in facts["data"]["record"]}
    assert record["Fitted by"].startswith("perceptrons fit table.csv")
    assert record["Reported by"] == "perceptrons report model.json table.csv --by zip --rows 7,1 --json"
    assert Path("report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_of_another_table_its_owner_says_whether_it_is_new(command, model, table):
    lines = Path(table).read_text().splitlines()
    Path("half.csv").write_text("\n".join([lines[0], *lines[20:], "lot99,?,yes,Peru,01,"]) + "\n")
    code, _, err = command("report", model, "half.csv")
    assert code == 2
    assert (
        "half.csv is not the file that the model was fitted to; use --new if the model has seen none" in err
    )
    assert not Path("report.html").exists()
    code, out, _ = command("report", model, "half.csv", "--new", "--out", "page.html")
    assert (code, "41 rows, taken as new to the model." in out) == (0, True)
    code, out, _ = command("report", model, "half.csv", "--fitted", "--folds", 2)
    assert (code, "taken as those the model was fitted to." in out) == (0, True)


def test_rows_without_a_class_are_counted_in_the_numbers(command, model, table):
    lines = Path(table).read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0] + ","
    Path("holes.csv").write_text("\n".join(lines) + "\n")
    code, out, _ = command("report", model, "holes.csv", "--new", "--rows", "4", "--json")
    assert code == 0
    assert json.loads(out)["rows"]["groups"][0]["rows"][0]["row"] == 4
    code, _, err = command("report", model, "holes.csv", "--new", "--rows", "3")
    assert (code, "There is no row 3 among the 59 that were looked at" in err) == (2, True)


def test_weights_of_rows(command, table):
    lines = Path(table).read_text().splitlines()
    weighted = [f"{lines[0]},w", *(f"{line},{k % 3}" for k, line in enumerate(lines[1:]))]
    Path("weighted.csv").write_text("\n".join(weighted) + "\n")
    assert command("fit", "weighted.csv", *FIT, "--weight", "w", "--out", "model.json")[0] == 0
    code, out, _ = command("report", "model.json", "weighted.csv", "--json")
    assert (code, json.loads(out)["data"]["weighted"]) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rows", "1,x"), "--rows is '1,x', but it must be numbers of rows between commas"),
        (("--rows", "0"), "There is no row 0 among"),
        (("--by", "sex"), "There is no column 'sex'"),
        (("--out", "model.json"), "--out names the model itself"),
        (("--out", "table.csv"), "--out names the table itself"),
        (("--target", "origins"), "There is no column 'origins'"),
    ],
)
def test_bad_input(command, model, table, arguments, message):
    code, _, err = command("report", model, table, *arguments)
    assert (code, message in err) == (2, True)
