"""`evaluate`, what `fit` says of new rows, parameters, appended predictions, and files as they come."""

import csv
import gzip
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, roc_auc_score

import perceptrons
from perceptrons.cli.show import span
from perceptrons.comparison import like
from perceptrons.evaluation import interval_of
from perceptrons.tables.read import read, read_table
from tests.commands import FIT, coffee


def report_of(command, *job):
    code, out, err = command(*job, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize("learner", ["perceptron", "sparse", "conservative", "kernel", "binary"])
def test_what_evaluate_says(command, table, learner):
    command("fit", table, *FIT, "--learner", learner, "--out", "m.json")
    Path("other.csv").write_text(coffee(40, seed=1) + "lot99,1,yes,Peru,01,\n")
    found = report_of(command, "evaluate", "m.json", "other.csv")
    frame = read_table("other.csv", text=["grade", "zip"]).filter(pl.col("grade").is_not_null())
    model, y = perceptrons.load("m.json"), frame["grade"].to_numpy()
    first = model[0] if hasattr(model, "steps") else model
    X = frame.select([*first.feature_names_in_])
    last, rows = (model[-1], model[:-1].transform(X)) if hasattr(model, "steps") else (model, X)
    scores = last.decision_function(rows)
    assert found["auc"] == pytest.approx(roc_auc_score(y == "poor", scores))
    assert (found["n_rows"], found["rows_without_class"]) == (40, 1)
    assert np.sum(found["confusion"]) == 40
    low, high = found["accuracy_interval"]
    assert 0 <= low <= found["accuracy"] <= high <= 1
    if learner != "conservative":
        assert found["accuracy"] == pytest.approx(np.mean(model.predict(X) == y))
        matrix = confusion_matrix(y, model.predict(X))
        assert np.array_equal(np.array(found["confusion"])[:, :2], matrix)
    predicted = report_of(command, "predict", "m.json", "other.csv", "--proba")
    shares = np.column_stack([predicted[f"probability {name}"] for name in ("fine", "poor")])[:40]
    assert np.allclose(shares.sum(axis=1), 1)
    assert found["log_loss"] == pytest.approx(log_loss(y, shares, labels=["fine", "poor"]))
    assert found["brier"] == pytest.approx(brier_score_loss(y == "poor", shares[:, 1]))
    out = command("evaluate", "m.json", "other.csv")[1]
    assert "40 rows (1 without a class left out)" in out
    assert "AUC" in out


@pytest.mark.parametrize("learner", ["perceptron", "sparse", "logistic regression"])
def test_rows_that_the_model_was_trained_on(command, table, learner):
    command("fit", table, *FIT, "--learner", learner, "--out", "m.json")
    lines = Path(table).read_text().splitlines(keepends=True)
    Path("part.csv").write_text("".join([*lines[:30], *coffee(40, seed=1).splitlines(keepends=True)[1:]]))
    Path("other.csv").write_text(coffee(40, seed=1))
    for name, share, said in (
        (table, "all", "on these very rows"),
        ("part.csv", "some", "on some of"),
        ("other.csv", "none", ""),
    ):
        assert report_of(command, "evaluate", "m.json", name)["training_rows"] == share
        assert report_of(command, "evaluate", "m.json", name, "--stream")["training_rows"] == share
        out = " ".join(command("evaluate", "m.json", name)[1].split())
        assert ("The model was trained" in out) == bool(said)
        assert said in out


def test_three_classes_and_weights(command, table):
    rng = np.random.default_rng(0)
    x = rng.normal(size=90)
    y = np.array(["u", "v", "w"])[np.digitize(x + 0.3 * rng.normal(size=90), [-0.5, 0.5])]
    copies = rng.integers(0, 3, 90)
    pl.DataFrame({"x": x, "copies": copies, "y": y}).write_csv("three.csv")
    command("fit", "three.csv", "--target", "y", "--weight", "copies", "--out", "m.json")
    found = report_of(command, "evaluate", "m.json", "three.csv")
    assert np.sum(found["confusion"]) == copies.sum()
    assert np.array(found["confusion"]).shape == (3, 4)
    assert found["n_rows"] == np.count_nonzero(copies)
    assert 0.5 < found["auc"] <= 1
    assert found["log_loss"] > 0


def test_the_interval_is_that_of_wilson():
    assert interval_of(0.9, np.ones(100)) == pytest.approx((0.8256, 0.9448), abs=1e-4)
    assert interval_of(1.0, np.ones(10))[1] == 1.0
    assert interval_of(0.5, np.array([1.0, 0, 0])) == interval_of(0.5, np.ones(1))
    assert interval_of(None, np.ones(3)) is None


def test_what_fit_expects(command, table):
    """Out of the folds: rows of noise are right half of the time, whatever is right of those fitted."""
    rng = np.random.default_rng(0)
    rows = [f"{','.join(f'{v:.3f}' for v in rng.normal(size=30))},{i % 2}\n" for i in range(60)]
    Path("noise.csv").write_text(",".join([*(f"c{j}" for j in range(30)), "y"]) + "\n" + "".join(rows))
    report = report_of(command, "fit", "noise.csv", "--target", "y", "--learner", "soft margin")
    assert report["training_accuracy"] > 0.85
    assert report["expected"]["accuracy"] < 0.7
    assert report["expected"]["folds"] == 5
    without = report_of(command, "fit", "noise.csv", "--target", "y", "--folds", 0)
    assert without["expected"] is None
    Path("one.csv").write_text("x,y\n1,a\n2,a\n3,b\n")
    out = " ".join(command("fit", "one.csv", "--target", "y")[1].split())
    assert "Note: class b has one row, which is learned from but never tested." in out
    assert "Nothing can be said about new rows: The class 'b' has one row" in out


def test_parameters(command, table):
    model = ("fit", table, *FIT, "--learner", "sparse", "--out", "m.json")
    assert command(*model, "--set", "stages=3", "--set", "booster=majority", "--set", "target_size=5")[0] == 0
    assert perceptrons.load("m.json").get_params()["booster"] == "majority"
    for text, message in (
        ("stagez=3", "sparse has no parameter 'stagez'; did you mean stages?"),
        ("k=0", "k=0, but conjunctions have 1 to 10 literals"),
    ):
        code, _, err = command(*model, "--set", text)
        assert (code, message in err) == (2, True)
    code, _, err = command(*model, "--set", "k=2", "--set", "k=3")
    assert (code, "--set names k twice" in err) == (2, True)
    code, _, err = command("compare", table, *FIT, "--learner", "sparse", "--set", "sages=3")
    assert (code, "sparse has no parameter 'sages'; did you mean stages?" in err) == (2, True)
    job = ("compare", table, *FIT, "--folds", 2, "--learner", "spa", "--learner", "perc")
    results = report_of(command, *job, "--set", "stages=1")["results"]
    assert [one["size"]["count"] <= 2 for one in results if one["learner"] == "sparse"] == [True]


def test_appended_predictions(command, table):
    command("fit", table, *FIT, "--out", "m.json")
    out = command("predict", "m.json", table, "--append", "--id", "zip")[1]
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["zip", "lot", "acid", "washed", "origin", "grade", "prediction"]
    given = list(csv.reader(io.StringIO(coffee())))
    assert [row[1] for row in rows] == [row[0] for row in given]
    assert [row[2] for row in rows] == [row[1] for row in given]  # as written, "?" and all
    out = command("predict", "m.json", table, "--id", "lot")[1]
    assert out.startswith("lot,prediction\nlot0,poor\n")
    code, _, err = command("predict", "m.json", table, "--id", "lott")
    assert (code, "did you mean 'lot'?" in err) == (2, True)
    command("fit", table, *FIT, "--out", "m.json", "--folds", 0)
    code, _, err = command("predict", "m.json", table, "--proba")
    assert (code, "fit it again with --folds 5" in err) == (2, True)


def workbook(rows):
    """An .xlsx of one sheet, as small as possible; a float in a date column is Excel's date."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    link = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    cells = [
        "".join(
            f'<c r="{"ABC"[j]}{i + 1}" t="inlineStr"><is><t>{value}</t></is></c>'
            if isinstance(value, str)
            else f'<c r="{"ABC"[j]}{i + 1}" s="{int(isinstance(value, float))}"><v>{value}</v></c>'
            for j, value in enumerate(row)
            if value is not None
        )
        for i, row in enumerate(rows)
    ]
    sheet = "".join(f'<row r="{i + 1}">{row}</row>' for i, row in enumerate(cells))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook {main} {link}><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/styles.xml",
            f'<styleSheet {main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {main}><sheetData>{sheet}</sheetData></worksheet>"
        )
    return file.getvalue()


PAIR = ("--learner", "perceptron", "--learner", "logistic regression")
LINES = "a;größe;a\n1,5;x;2024-01-31\n2,5;y;2024-02-01\n"
FILES = {
    "latin.csv": (LINES.encode("latin-1"), ["the text is in Latin-1 (Windows-1252)"]),
    "utf16.csv": (LINES.encode("utf-16"), ["the text is in UTF-16"]),
    "bare.csv": (LINES.encode("utf-16-le"), ["the text is in UTF-16"]),
    "zipped.csv.gz": (gzip.compress(LINES.encode()), []),
}


@pytest.mark.parametrize("name", FILES)
def test_files_as_they_come(table, name):
    data, notes = FILES[name]
    Path(name).write_bytes(data)
    found = read(name)
    assert found.frame.columns == ["a", "größe", "a_2"]
    assert found.frame["a_2"].to_list() == ["2024-01-31", "2024-02-01"]
    renamed = "two columns have the same name: the second 'a' is called 'a_2'"
    assert found.notes == [*notes, "cells are separated by ';'", renamed]


def test_workbooks_and_json_lines(table):
    Path("t.xlsx").write_bytes(workbook([["n", "when", "hue"], [1, 45322.0, "red"], [2, 45323.0, None]]))
    found = read("t.xlsx")
    expected = {"n": [1, 2], "when": ["2024-01-31", "2024-02-01"], "hue": ["red", None]}
    assert found.frame.to_dict(as_series=False) == expected
    Path("t.jsonl").write_text('{"n": 1, "hue": "red"}\n{"n": 2.5, "hue": null}\n')
    assert read("t.jsonl").frame.to_dict(as_series=False) == {"n": [1, 2.5], "hue": ["red", None]}


def test_an_encoding_can_be_named(command, table):
    Path("t.csv").write_bytes("a,y\nž,u\nx,v\n".encode("iso-8859-2") * 1)
    assert read("t.csv", encoding="iso-8859-2").frame["a"].to_list() == ["ž", "x"]
    code, _, err = command("fit", "t.csv", "--target", "y", "--encoding", "latin-11")
    assert (code, "no encoding 'latin-11'; use for example --encoding latin-1." in err) == (2, True)


def test_who_is_like_the_best():
    rng = np.random.default_rng(0)
    best = rng.normal(size=10)
    assert like(best, best)
    assert like(best, best + rng.normal(size=10))
    assert not like(best, best + 1)
    assert not like(best, best + 1 + 0.1 * rng.normal(size=10))
    assert like([None, 1.0], [1.0, 1.0])


def test_compare_over_processes_to_a_file(command, table):
    job = ("compare", table, *FIT, "--folds", 2, *PAIR)
    one, two = report_of(command, *job), report_of(command, *job, "--jobs", 2)
    for result in (*one["results"], *two["results"]):
        del result["fit_seconds"]
    assert one == two
    assert command(*job, "--csv", "out.csv", "--metric", "auc", "--sort", "accuracy")[0] == 0
    rows = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    assert [row["verdict"] for row in rows].count("best") == 1
    accuracies = [float(row["accuracy"]) for row in rows]
    assert accuracies == sorted(accuracies, reverse=True)
    code, _, err = command(*job, "--metric", "auroc")
    said = "--metric is 'auroc', but it must be one of risk, accuracy, balanced, auc."
    assert (code, said in err) == (2, True)
    assert "sparse" in command("compare", "--list")[1]


def test_a_rare_class(command, table):
    rng = np.random.default_rng(0)
    y = np.arange(300) < 4
    pl.DataFrame({"x": rng.normal(size=300) + 2 * y, "y": np.where(y, "ill", "well")}).write_csv("rare.csv")
    job = ("compare", "rare.csv", "--target", "y", *PAIR)
    out = " ".join(command(*job, "--max-epochs", 5)[1].split())
    assert "learner balanced AUC accuracy" in out
    assert "Class ill has 4 of 300 rows: look at balanced accuracy and AUC, not at accuracy; use" in out
    out = " ".join(command("fit", "rare.csv", "--target", "y", "--folds", 4)[1].split())
    found = report_of(command, "fit", "rare.csv", "--target", "y", "--folds", 4)["expected"]
    said = (
        f"balanced accuracy ({100 * found['balanced_accuracy']:.1f} %) and AUC ({100 * found['auc']:.1f} %)"
    )
    assert f"Class ill has 4 of 300 rows: look at {said}, not at accuracy; use --class-weight" in out
    only = pl.read_csv("rare.csv").with_row_index().filter((pl.col("y") == "well") | (pl.col("index") == 0))
    only.drop("index").write_csv("one.csv")
    out = " ".join(command("fit", "one.csv", "--target", "y", "--folds", 4)[1].split())
    assert "Class ill" not in out  # it is never tested, which is said


def test_intervals_are_told_apart_from_all_and_nothing():
    assert [span(*ends) for ends in ((0.968, 0.981), (0.9, 1.0), (0.9979, 0.99966), (0.0, 0.00004))] == [
        "96.8–98.1",
        "90.0–100.0",
        "99.79–99.97",
        "0.000–0.004",
    ]
