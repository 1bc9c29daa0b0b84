"""Weights of rows and classes on the command line: what they change, what is said of them, and errors."""

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import perceptrons
from perceptrons import SparsePerceptron
from perceptrons.comparison import quietly
from perceptrons.learners import LEARNERS, build_learner, for_tables, may_reject
from perceptrons.model_file.estimators import HOMES
from perceptrons.model_file.save_load import read
from tests.weighted import WEIGHTED, clinic, repeated

TARGET = ("--target", "outcome")
FIT = ("fit", "clinic.csv", *TARGET, "--max-epochs", "10")
COMPARE = ("compare", "clinic.csv", *TARGET, "--folds", "3", "--learner", "logistic regression")


@pytest.fixture
def clinic_file(table):
    """A table in an empty folder, 60 rows of which some have weight 0."""
    clinic().write_csv("clinic.csv")
    return "clinic.csv"


def as_json(command, *arguments):
    code, out, err = command(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def in_one_line(command, *arguments):
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    return " ".join(out.split())


@pytest.mark.parametrize("balanced", [(), ("--class-weight", "balanced")])
def test_a_weight_is_a_number_of_copies(command, clinic_file, monkeypatch, balanced):
    """Of the learner, and of the column that counts them nothing is learned."""
    monkeypatch.setitem(
        LEARNERS, "sparse", lambda seed, max_epochs: SparsePerceptron(refit="stagewise", stages=4)
    )
    repeated(clinic()).write_csv("repeated.csv")
    settings = (*TARGET, "--learner", "sparse", *balanced)
    weighted = as_json(command, "fit", "clinic.csv", *settings, "--weight", "copies")
    copied = as_json(command, "fit", "repeated.csv", *settings)
    plain = as_json(command, "fit", "clinic.csv", *settings, "--drop", "copies")
    assert [rule["rule"] for rule in weighted["rules"]] == [rule["rule"] for rule in copied["rules"]]
    for one, other in zip(weighted["rules"], copied["rules"], strict=True):
        assert one["weight"] == pytest.approx(other["weight"])
    assert weighted["rules"] != plain["rules"]
    for name in ("training_accuracy", "training_balanced_accuracy"):
        assert weighted[name] == pytest.approx(copied[name])
    assert weighted["data"]["most_frequent"] == copied["data"]["most_frequent"]
    assert [column["name"] for column in weighted["columns"]] == ["age", "lab", "hue"]


def test_a_promise_takes_no_weights(command, clinic_file):
    """What it promises is about draws, of which a weight makes none."""
    code, _, told = command(*FIT, "--learner", "selective", "--weight", "copies")
    assert code == 2
    assert "sample_weight is given, but" in told


@pytest.mark.parametrize("name", WEIGHTED)
def test_every_learner_takes_weights(command, clinic_file, name):
    weights = ("--weight", "copies", "--class-weight", "balanced")
    savable = type(build_learner(name)).__name__ in HOMES
    saved = ("--out", "model.json") if savable else ()
    report = as_json(command, *FIT, "--learner", name, *weights, *saved)
    assert report["class_weight"] == "balanced"
    least = 0.0 if may_reject(build_learner(name)) else 0.5  # a rejected row is not recalled
    assert least <= report["training_balanced_accuracy"] <= 1
    if savable:
        model, about = read("model.json")
        assert getattr(model, "steps", [("", model)])[-1][1].class_weight == "balanced"
        assert about["weight"] == "copies"
        code, _, told = command("predict", "model.json", "clinic.csv")
        assert code == 0
        assert not told or "rows are rejected" in told
    if savable and report["certificates"]:
        assert command("certify", "model.json", "clinic.csv")[::2] == (0, "")


def test_what_the_report_says(command, clinic_file):
    data = clinic()
    kept = data.filter(data["copies"] > 0)
    n, ill = kept.height, kept.filter(kept["outcome"] == "ill")
    headline = (
        f"clinic.csv: {n} rows ({60 - n} of weight 0 left out), 3 columns; classes healthy "
        f"({n - ill.height}), ill ({ill.height}); weights from copies."
    )
    baseline = 1 - ill["copies"].sum() / kept["copies"].sum()
    for job in ((*FIT, "--learner", "sparse"), COMPARE):
        out = in_one_line(command, *job, "--weight", "copies")
        assert out.startswith(headline)
        assert f"healthy: {100 * baseline:.1f} %)" in out or f"healthy): {100 * baseline:.1f} %." in out
        assert "Rows count by their weight (copies), in training and in all shares and means." in out
        assert ("balanced" in out.lower()) == (job is COMPARE)
        report = as_json(command, *job, "--weight", "copies")
        assert report["class_weight"] is None
        assert report["data"]["rows"] == n
        assert report["data"]["most_frequent"]["accuracy"] == pytest.approx(baseline)
        assert report["data"]["weights"]["column"] == "copies"
        assert report["data"]["weights"]["rows_left_out"] == 60 - n
        assert report["data"]["weights"]["classes"][1] == {"class": "ill", "weight": ill["copies"].sum()}
        assert as_json(command, *job)["data"]["weights"] is None
        plain = in_one_line(command, *job)
        assert "weight (" not in plain
        assert "of weight 0" not in plain


def test_balanced_accuracy_is_shown_where_it_matters(command, clinic_file):
    out = in_one_line(command, *COMPARE, "--class-weight", "balanced")
    assert "learner accuracy balanced AUC risk" in out
    assert "Balanced: the mean of the classes' shares of rows answered correctly (baseline: 50.0 %)." in out
    report = as_json(command, *COMPARE, "--class-weight", "balanced", "--jobs", "2")
    assert report["class_weight"] == "balanced"
    share = report["results"][0]["balanced_accuracy"]
    assert f"± {100 * report['results'][0]['accuracy_sd']:.1f} % {100 * share:.1f} %" in out
    assert share > as_json(command, *COMPARE)["results"][0]["balanced_accuracy"] > 0
    fitted = (*FIT, "--learner", "sparse", "--class-weight", "balanced")
    share = as_json(command, *fitted)["expected"]["balanced_accuracy"]
    assert f"answered correctly: {100 * share:.1f} % (baseline: 50.0 %)." in in_one_line(command, *fitted)


def test_results_of_weighted_rows(command, clinic_file):
    frame = clinic()
    (found,) = as_json(command, *COMPARE, "--weight", "copies")["results"]
    (expected,) = perceptrons.compare(
        frame.drop("copies", "outcome"),
        frame["outcome"].to_numpy(),
        frame["copies"].to_numpy(),
        folds=3,
        learners=["logistic regression"],
    )
    for name in ("accuracy", "balanced_accuracy", "risk", "rejected"):
        assert found[name] == pytest.approx(getattr(expected, name))


def test_a_model_ignores_the_weights_of_other_tables(command, clinic_file):
    """Be they there or not, numbers or not."""
    fitted = command(*FIT, "--learner", "sparse", "--weight", "copies", "--out", "model.json")
    assert fitted[::2] == (0, "")
    frame = clinic()
    frame.drop("copies").write_csv("without.csv")
    frame.with_columns(copies=pl.lit("many")).write_csv("words.csv")
    expected = command("predict", "model.json", "clinic.csv", "--scores")
    assert expected[::2] == (0, "")
    assert len(list(csv.DictReader(expected[1].splitlines()))) == 60
    for file in ("without.csv", "words.csv"):
        assert command("predict", "model.json", file, "--scores") == expected
        one, other = (as_json(command, "explain", "model.json", name) for name in ("clinic.csv", file))
        assert one == other


def test_a_certificate_is_about_the_rows_that_count(command, clinic_file):
    frame = clinic()
    kept = frame.filter(frame["copies"] > 0)
    model = for_tables(build_learner("rosenblatt", max_epochs=5))
    quietly(model.fit, kept.drop("copies", "outcome"), kept["outcome"].to_numpy())
    perceptrons.save(model, "model.json", about={"target": "outcome", "weight": "copies"})
    assert as_json(command, "certify", "model.json", "clinic.csv")["holds"]
    kept.drop("copies").write_csv("kept.csv")
    assert as_json(command, "certify", "model.json", "kept.csv")["holds"]
    frame.drop("copies").write_csv("all.csv")
    code, out, _ = command("certify", "model.json", "all.csv")
    assert (code, f"is about the {kept.height} rows fitted, and this table has 60." in out) == (1, True)


def test_the_file_of_a_model_without_weights_says_nothing_of_them(command, clinic_file):
    command(*FIT, "--learner", "sparse", "--out", "model.json")
    assert "weight" not in read("model.json")[1]


def test_rows_of_weight_0_need_no_class(command, clinic_file):
    frame = clinic()
    unknown = pl.when(frame["copies"] > 0).then(frame["outcome"])
    frame.with_columns(outcome=unknown).write_csv("unknown.csv")
    names = ("--learner", "sparse", "--weight", "copies")
    one, other = (as_json(command, "fit", file, *TARGET, *names) for file in ("clinic.csv", "unknown.csv"))
    assert one["rules"] == other["rules"]


def test_weights_of_typed_files(command, clinic_file):
    frame = clinic()
    found = []
    for kind in (pl.Int8, pl.Float32, pl.Decimal(10, 2), pl.String):
        frame.with_columns(frame["copies"].cast(kind)).write_parquet("clinic.parquet")
        found.append(
            as_json(
                command, "fit", "clinic.parquet", *TARGET, "--learner", "scorecard", "--weight", "copies"
            )["rules"]
        )
    assert found[0]
    assert found == [found[0]] * 4


CELLS = {
    "many": "The weight column 'copies' holds 'many' in row 4, but a weight must be a number from 0",
    "yes": "holds 'yes' in row 4",
    "-2": "The weight column 'copies' holds -2 in row 4, but a weight must be a number from 0",
    "inf": "holds inf in row 4",
    "1e300": "holds 1e+300 in row 4",
    "": "1 of 60 rows have no value in the weight column 'copies', the first of them row 4; fill them in",
    "?": "1 of 60 rows have no value in the weight column 'copies', the first of them row 4; fill them in",
}
OPTIONS = {
    ("--weight", "copys"): "There is no column 'copys'; did you mean 'copies'?",
    ("--weight", "outcome"): "--weight names the target 'outcome'; name another column, or omit it.",
    ("--weight", "copies", "--drop", "copies"): "The weight column 'copies' cannot be dropped",
    ("--weight", "copies", "--nominal", "copies"): "holds numbers, not names; omit --nominal",
    ("--weight", "hue"): "The weight column 'hue' holds 'blue' in row 1, but a weight must be a number",
    ("--class-weight", "foo"): "--class-weight is 'foo', but it must be balanced; for other weights, put",
}


def complaint(command, job, *options):
    code, out, err = command(job, "clinic.csv", *TARGET, "--learner", "sparse", *options)
    assert (code, out) == (2, "")
    assert err.startswith("perceptrons: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("job", ["fit", "compare"])
@pytest.mark.parametrize("cell", CELLS)
def test_bad_weights_get_one_sentence(command, clinic_file, job, cell):
    copies = clinic()["copies"].cast(pl.String).to_list()
    copies[3] = cell
    clinic().with_columns(copies=pl.Series(copies)).write_csv("clinic.csv")
    assert CELLS[cell] in complaint(command, job, "--weight", "copies")


@pytest.mark.parametrize("job", ["fit", "compare"])
@pytest.mark.parametrize("given", OPTIONS, ids=" ".join)
def test_bad_options_get_one_sentence(command, clinic_file, job, given):
    assert OPTIONS[given] in complaint(command, job, *given)


@pytest.mark.parametrize("job", ["fit", "compare"])
def test_weights_that_leave_nothing(command, clinic_file, job):
    frame = clinic()
    frame.with_columns(copies=np.zeros(60)).write_csv("clinic.csv")
    assert "All weights in the column 'copies' are 0; some" in complaint(command, job, "--weight", "copies")
    frame.with_columns(copies=pl.Series(np.arange(60) % 5)).write_csv("clinic.csv")
    message = "All rows of the class 'ill' have weight 0 in the column 'copies', so it cannot be learned;"
    assert message in complaint(command, job, "--weight", "copies")
    frame.select("copies", "outcome").write_csv("clinic.csv")
    assert "no column besides the target" in complaint(command, job, "--weight", "copies")
    frame.with_columns(copies=frame["copies"] > 0).write_parquet("truths.parquet")
    code, _, err = command(job, "truths.parquet", *TARGET, "--weight", "copies")
    assert (code, "holds False in row" in err or "holds True in row" in err) == (2, True)


def test_options_that_need_a_table_or_a_thread(command, clinic_file):
    message = "perceptrons: --weight is about a table in a file; name the file, too.\n"
    assert command("compare", "--weight", "w")[::2] == (2, message)
    code, _, err = command(*COMPARE, "--jobs", "0")
    assert (code, err) == (
        2,
        "perceptrons: --jobs is 0, but it must be a number of processes; use -1 for one per core.\n",
    )


def test_names_are_printed_not_obeyed(command, clinic_file):
    odd = "[red]w\x1b[31m"
    clinic().rename({"copies": odd}).write_csv("clinic.csv")
    out = command(*FIT, "--learner", "sparse", "--weight", odd)[1]
    assert r"[red]w\x1b[31m" in out
    assert "\x1b" not in out
    assert Path("clinic.csv").exists()
