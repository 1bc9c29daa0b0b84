"""Sparse models on the command line, and `explain`, for them and for linear ones."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import perceptrons
from perceptrons.cli.explain import MOST_PARTS
from perceptrons.reasons import linear_parts
from perceptrons.tables.read import read_table
from tests.commands import FIT, coffee

SPARSE = (*FIT, "--learner", "sparse", "--out", "model.json")
LINEAR = (*FIT, "--out", "model.json")


@pytest.fixture
def three(table):
    """Three classes, told apart by a word and a number."""
    rows = [("uvw"[i % 3], ["red", "blue", "blue"][i % 3], i % 3 + i / 100) for i in range(45)]
    Path("three.csv").write_text("y,hue,size\n" + "".join(f"{y},{hue},{size}\n" for y, hue, size in rows))
    return "three.csv"


def scores_of(command, file):
    """What `predict --scores` says of each row: the class, and the scores."""
    code, out, err = command("predict", "model.json", file, "--scores")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(out.splitlines()))
    return [(row.pop("prediction"), {name: float(score) for name, score in row.items()}) for row in rows]


def explained(command, file, row):
    code, out, err = command("explain", "model.json", file, "--row", row, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_from_a_table_to_rules_and_reasons(command, table):
    code, out, err = command("fit", table, *SPARSE)
    assert (code, err) == (0, "")
    model = perceptrons.load("model.json")
    assert isinstance(model, perceptrons.SparsePerceptron)
    words = " ".join(out.split())
    assert f"sparse, {model.n_weights_} weight" in words
    assert "correct (5 folds; baseline, always poor: 50.0 %). poor if the sum is > 0, else fine" in words
    *_, rules = model.to_text().split("\n\n")
    assert f"\n\n{rules}\nsparse, {model.n_weights_} weight" in out
    assert out.endswith(" of the training rows correct.\nWritten to model.json.\n")
    assert re.search(r"^ +[-+]\d+\.\d\d  washed (= true|= false|is not false) +\d+  ", rules, re.MULTILINE)
    frame = read_table(table, text=["grade", "zip"])
    X, y = frame.select(model.feature_names_in_), frame["grade"].to_numpy()
    found = scores_of(command, table)
    assert [prediction for prediction, _ in found] == model.predict(X).tolist()
    assert model.score(X, y) > 0.9

    code, out, err = command("explain", "model.json", table, "--row", 2)
    assert (code, err) == (0, "")
    assert out.startswith("table.csv, row 2: fine.\n\nrule ")
    assert re.search(r"^(washed|always)( = true)? +yes  +-\d+\.\d\d$", out, re.MULTILINE)
    assert not re.search(r" no +[-+]", out)
    assert re.search(r"\nSum -\d+\.\d\d, which is not > 0: fine\. Probability of fine: \d\d\.\d %\.\n$", out)
    assert command("explain", "model.json", table)[1].startswith("table.csv, row 1: poor.\n")


def test_the_rules_as_json(command, table, three):
    report = json.loads(command("fit", table, *SPARSE, "--json")[1])
    model = perceptrons.load("model.json")
    weights = {str(rule): weight for rule, weight in zip(model.conjunctions_, model.weights_, strict=True)}
    weights |= {"always": model.intercept_[0]}
    assert report["size"] == {"count": model.n_weights_, "unit": "weights"}
    assert (report["margin"], report["certificates"]) == (None, [])
    assert {one["rule"]: one["weight"] for one in report["rules"]} == {k: v for k, v in weights.items() if v}
    assert {one["class"] for one in report["rules"]} == {"poor"}  # that which the weights speak for
    sizes = [abs(one["weight"]) for one in report["rules"]]
    assert sizes == sorted(sizes, reverse=True)

    report = json.loads(command("fit", three, "--target", "y", *SPARSE[-4:], "--json")[1])
    model = perceptrons.load("model.json")
    assert report["size"]["count"] == model.n_weights_.sum()
    for label, row, constant in zip("uvw", model.weights_, model.intercept_, strict=True):
        own = {one["rule"]: one["weight"] for one in report["rules"] if one["class"] == label}
        assert own.pop("always", 0.0) == constant
        assert own == {str(rule): w for rule, w in zip(model.conjunctions_, row, strict=True) if w}

    assert json.loads(command("fit", table, *FIT, "--json")[1])["rules"] == []


@pytest.mark.parametrize("how", [SPARSE, LINEAR, (*LINEAR, "--learner", "soft margin")])
def test_the_parts_add_up(command, table, how):
    assert command("fit", table, *how)[0] == 0
    found = scores_of(command, table)
    for row in range(1, 13):  # with cells missing among them
        told = explained(command, table, row)
        prediction, scores = found[row - 1]
        assert (told["row"], told["prediction"], told["label"]) == (row, prediction, "poor")
        assert told["score"] == pytest.approx(scores["score"])
        assert sum(part["adds"] for part in told["parts"]) == pytest.approx(scores["score"])
        sizes = [abs(part["adds"]) for part in told["parts"]]
        assert sizes == sorted(sizes, reverse=True)
        assert all(part["adds"] or part.get("holds") is False for part in told["parts"])
        assert told["unseen"] == []


@pytest.mark.parametrize("learner", ["sparse", "perceptron"])
def test_several_classes(command, three, learner):
    code, out, _ = command("fit", three, "--target", "y", "--learner", learner, "--out", "model.json")
    assert code == 0
    assert learner != "sparse" or all(re.search(f"^{name}:\n +weight ", out, re.MULTILINE) for name in "uvw")
    for row, (prediction, scores) in enumerate(scores_of(command, three)[:6], 1):
        told = explained(command, three, row)
        best = max(scores, key=scores.get)
        assert told["prediction"] == told["label"] == prediction == best.removeprefix("score ")
        assert told["score"] == pytest.approx(scores[best])
        assert sum(part["adds"] for part in told["parts"]) == pytest.approx(scores[best])
    out = command("explain", "model.json", three, "--row", 2)[1]
    assert re.search(r"\nSum [-+]\d+\.\d+ for v, the highest of 3 classes\. Probability of v: ", out)


def test_a_linear_model_in_parts(command, table):
    command("fit", table, *LINEAR)
    told = explained(command, table, 2)
    acid, *_ = [part for part in told["parts"] if part["rule"] == "acid"]
    model = perceptrons.load("model.json")
    value = (float(Path(table).read_text().splitlines()[2].split(",")[1]) - model[0].means_[0]) / model[
        0
    ].scales_[0]
    assert acid["value"] == pytest.approx(value)
    assert acid["adds"] == pytest.approx(value * model[-1].coef_[0, 0])
    assert {part["rule"] for part in told["parts"]} >= {"acid", "washed"}
    out = command("explain", "model.json", table, "--row", 2)[1]
    assert re.search(r"^column +value +adds$", out, re.MULTILINE)
    assert re.search(r"^washed +yes +-\d+\.\d+$", out, re.MULTILINE)
    assert re.search(r"which is not > 0: fine\. Probability of fine: [\d.]+ %\.\nA number adds the more", out)
    assert "…" not in out


def test_linear_parts():
    names, coef, row = ["a", "b", "c", "d"], np.array([2.0, -3.0, 0.0, 5.0]), np.array([[1.0, 4.0, 9.0, 0.0]])
    cells = ["yes", "1,400", "17", "2024-01-31"]
    for rows in (row, sp.csr_array(row)):
        parts = linear_parts(names, rows, coef, 0.5, cells)
        assert [(one.rule, one.value, one.adds, one.original) for one in parts] == [
            ("b", 4.0, -12.0, "1,400"),
            ("a", 1.0, 2.0, "yes"),
            ("intercept", 1.0, 0.5, None),
        ]
        assert [one.rule for one in linear_parts(names, rows, coef, 0.0, cells)] == ["b", "a"]


def test_many_parts(command, table):
    names, rng = [f"c{j}" for j in range(30)], np.random.default_rng(0)
    cells = rng.normal(size=(40, 30)).round(2)
    lines = [",".join([*map(str, row), "yn"[int(row[0] > 0)]]) for row in cells]
    Path("wide.csv").write_text("\n".join([",".join([*names, "y"]), *lines]) + "\n")
    command("fit", "wide.csv", "--target", "y", "--max-epochs", 20, "--out", "model.json")
    told = explained(command, "wide.csv", 7)["parts"]
    out = command("explain", "model.json", "wide.csv", "--row", 7)[1]
    rest = told[MOST_PARTS:]
    assert len(rest) > 5
    assert [line.split()[0] for line in out.splitlines()[4 : 4 + MOST_PARTS]] == [
        part["rule"] for part in told[:MOST_PARTS]
    ]
    said = re.search(rf"^… and {len(rest)} more +([-+]\S+)$", out, re.MULTILINE)
    assert float(said[1]) == pytest.approx(sum(part["adds"] for part in rest), abs=0.01)


def test_rows_that_are_not_there(command, table):
    command("fit", table, *SPARSE)
    for row in (0, -1, 61):
        code, out, err = command("explain", "model.json", table, "--row", row)
        assert (code, out) == (2, "")
        assert err == f"perceptrons: There is no row {row}: the table has 60 rows, from 1 on.\n"
    assert command("explain", "model.json", table, "--row", 60)[0] == 0
    assert command("explain", "model.json", table, "--row", "two")[0] == 2


@pytest.mark.parametrize("how", [SPARSE, LINEAR])
def test_names_never_seen_in_training(command, table, how):
    command("fit", table, *how)
    lines = coffee().splitlines()
    lines[2] = lines[2].replace(",0", ",9")
    Path("new.csv").write_text("\n".join(lines))
    assert command("predict", "model.json", "new.csv")[2] == "zip: 1 of 60 values are unknown to the model\n"
    code, out, err = command("explain", "model.json", "new.csv", "--row", 2)
    assert (code, err) == (0, "zip: 1 of 1 values are unknown to the model\n")
    assert out.startswith("new.csv, row 2: fine.")
    assert explained(command, "new.csv", 2)["unseen"] == [{"column": "zip", "unseen": 1, "filled": 1}]
    assert explained(command, "new.csv", 3)["unseen"] == []


def test_a_kernel_model_has_no_parts(command, table):
    command("fit", table, *LINEAR, "--learner", "kernel")
    code, out, err = command("explain", "model.json", table)
    assert (code, out) == (2, "")
    assert err.startswith(
        "perceptrons: A KernelPerceptron compares a row with rows it has kept and has no weights"
    )
    assert err.count("\n") == 1


def test_a_sparse_model_has_no_certificate_of_margins(command, table):
    command("fit", table, *SPARSE)
    code, out, err = command("certify", "model.json", table)
    assert (code, err) == (0, "")
    said = " ".join(out.split())
    assert "SparsePerceptron is wrong on 0 of its 60 training rows." in said
    assert "promise nothing about new ones: no bound applies to this model." in said
    assert "margin" not in said
    told = json.loads(command("certify", "model.json", table, "--json")[1])
    assert (told["holds"], told["reason"], told["certificates"]) == (None, None, [])
    assert told["promise"]["says_nothing"]
    assert [one["value"] for one in told["promise"]["statements"]] == [None] * 5


def test_tables_that_do_not_fit(command, table):
    command("fit", table, *SPARSE)
    Path("short.csv").write_text("origin,grade\nPeru,fine\n")
    Path("strange.csv").write_text("acid,washed,origin,zip\nmuch,7,Peru,01\n")
    for file, message in (
        ("short.csv", "The model needs 'acid', 'washed', 'zip', but the table has 'origin'"),
        ("strange.csv", "when the encoder was fitted"),
        ("nothing.csv", "There is no file nothing.csv."),
    ):
        for job in ("predict", "explain"):
            code, out, err = command(job, "model.json", file)
            assert (code, out) == (2, "")
            assert message in err
            assert err.count("\n") == 1


def test_models_from_python(command, table):
    """One that was fitted to a frame knows its columns, one that was fitted to an array does not."""
    frame = read_table(table, text=["grade"]).drop("lot", "zip")
    X, y = frame.drop("grade"), frame["grade"].to_numpy()
    perceptrons.save(perceptrons.SparsePerceptron(stages=3).fit(X, y), "model.json")
    told = explained(command, table, 2)
    assert told["score"] == pytest.approx(scores_of(command, table)[1][1]["score"])
    behind = make_pipeline(perceptrons.TableEncoder(), perceptrons.SparsePerceptron(stages=3)).fit(X, y)
    perceptrons.save(behind, "model.json")
    told = explained(command, table, 2)
    assert told["score"] == pytest.approx(sum(part["adds"] for part in told["parts"]))
    perceptrons.save(perceptrons.SparsePerceptron(stages=3).fit(X.to_numpy(), y), "model.json")
    for job in ("predict", "explain", "certify"):
        code, _, err = command(job, "model.json", table)
        assert code == 2
        assert "does not know the columns of a table" in err


def test_long_rules_are_not_broken(command, table, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    name = "a name that is longer than the terminal is wide"
    Path("t.csv").write_text(f"{name},y\n" + "1,u\n2,v\n" * 9)
    out = command("fit", "t.csv", "--target", "y", "--learner", "sparse", "--out", "model.json")[1]
    assert re.search(rf"^ +[-+]\d+\.\d+  {name} > 1\S* +\d+ +[\d.]+%$", out, re.MULTILINE)
    assert all(len(line) <= 40 for line in out.splitlines() if not line.startswith("  "))
    out = command("explain", "model.json", "t.csv")[1]
    assert all(len(line) <= 40 for line in out.splitlines())


def test_a_model_that_has_learned_nothing(command, table):
    Path("t.csv").write_text("a,y\n" + "x,u\nx,v\n" * 9)
    code, out, err = command("fit", "t.csv", "--target", "y", "--learner", "sparse", "--out", "model.json")
    assert (code, err) == (0, "")
    assert "Warning: No conjunction" in out
    code, out, err = command("explain", "model.json", "t.csv")
    assert (code, err) == (0, "")
    assert out == "t.csv, row 1: u.\nSum +0, which is not > 0: u. Probability of u: 50.0 %.\n"
