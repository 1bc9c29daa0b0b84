"""What a newcomer meets first: help, completion, progress, a column that is not there, tables from pipes."""

import io
import json
import time
from pathlib import Path

import numba
import pytest

from perceptrons.cli import progress
from perceptrons.learner_names import ON_REQUEST, WHAT, names_beginning_with
from perceptrons.learners import LEARNERS, complete_name
from tests.commands import FIT, coffee, shell
from tests.jit import JIT

COMMANDS = ("compare", "fit", "evaluate", "predict", "explain", "certify", "reproduce")
HEAVY = {"numba", "sklearn", "polars", "pandas", "scipy"}


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_80_columns(command, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = command(*name.split(), "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80


def test_help_names_the_learners(command):
    for name in ("compare", "fit"):
        text = " ".join(command(name, "--help")[1].split())
        assert ", ".join(WHAT) in text
    code, out, err = command("compare", "--list")
    assert (code, err) == (0, "")
    assert all(f"\n{name} " in out for name in LEARNERS)
    assert WHAT.keys() == LEARNERS.keys()
    assert {*ON_REQUEST} < {*WHAT}


def test_alone_it_says_what_to_do_next(command):
    out = command()[1]
    assert out.startswith(command("--help")[1])
    assert "Next: `perceptrons compare` runs on a built-in table" in out


def test_a_shell_completes_names_of_learners():
    assert names_beginning_with("so") == ["soft margin"]
    asked = {"COMP_WORDS": "perceptrons fit --learner sp", "COMP_CWORD": "3"}
    done = shell(_PERCEPTRONS_COMPLETE="complete_bash", **asked)
    assert done.stdout.split() == ["sparse"]


def test_a_word_of_a_name_will_do():
    known = {"perc": "perceptron", "tree": "shallow tree", "Soft": "soft margin", "sbpi": "binary sbpi"}
    assert {begun: complete_name(begun) for begun in known} == known
    for unclear in ("margin", "s", "", "pma"):
        assert complete_name(unclear) == unclear
    assert complete_name("binary") == "binary"


@pytest.mark.parametrize("name", ["compare", "fit"])
def test_a_wrong_column_waits_for_nothing(tmp_path, name):
    file = tmp_path / "t.csv"
    file.write_bytes("größe;grade\n1,5;a\n2,5;b\n".encode("utf-16"))
    code = f"""
import sys
from perceptrons.cli import main
try:
    main([{name!r}, {str(file)!r}, "--target", "gradd"])
finally:
    print(sorted({HEAVY} & set(sys.modules)), file=sys.stderr)
"""
    done = shell(code=code)
    assert done.returncode == 2
    assert done.stderr == "perceptrons: There is no column 'gradd'; did you mean 'grade'?\n[]\n"


@pytest.mark.parametrize("name", ["compare", "fit"])
def test_a_file_that_is_not_there_waits_for_nothing(tmp_path, name):
    code = f"""
import sys
from perceptrons.cli import main
try:
    main([{name!r}, "abesnt.csv", "--target", "grade"])
finally:
    print(sorted({HEAVY} & set(sys.modules)), file=sys.stderr)
"""
    done = shell(code=code)
    assert done.returncode == 2
    assert done.stderr == "perceptrons: There is no file abesnt.csv.\n[]\n"


def test_errors_name_standard_input(command, table, monkeypatch):
    assert command("fit", table, *FIT, "--folds", 0, "--out", "m.json")[0] == 0
    for text, error in (("", "is empty; a table has"), ("a,b\n1,2,3\n", ", line 2 has 3 cells, but")):
        for arguments in (("fit", "-", "--target", "a"), ("predict", "m.json", "-")):
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
            assert command(*arguments)[2].startswith(
                f"perceptrons: standard input {error}".replace(" ,", ",")
            )


def test_lines_where_there_is_no_terminal(monkeypatch, capsys):
    monkeypatch.delenv(progress.SWITCH)
    with progress.progress_bar("nothing") as move:
        move(1, 2, "half")
    assert capsys.readouterr() == ("", "")  # it is over too soon
    monkeypatch.setattr(progress, "EVERY", 0.05)
    with progress.progress_bar("comparing") as move:
        move(3, 20, "fold 1 of 10, sparse")
        time.sleep(0.3)
    out, err = capsys.readouterr()
    assert out == ""
    assert "0 s: fold 1 of 10, sparse (3 of 20 done)\n" in err
    monkeypatch.setenv(progress.SWITCH, "0")
    with progress.progress_bar("comparing") as move:
        move(3, 20, "fold 1 of 10, sparse")
        time.sleep(0.2)
    assert capsys.readouterr() == ("", "")


def test_compiling_is_said_once(monkeypatch, capsys):
    monkeypatch.delenv(progress.SWITCH)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    with progress.progress_bar("fitting"):
        for number in (1, 2.0, True):
            numba.njit(lambda one: one)(number)
    assert capsys.readouterr().err.count(progress.COMPILING) == (1 if JIT else 0)


def test_tables_from_a_pipe(command, table, monkeypatch):
    def pipe(text):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))

    pipe(coffee())
    code, out, _ = command("fit", "-", *FIT, "--folds", 0, "--out", "m.json")
    assert code == 0
    assert out.startswith("standard input: 60 rows")
    for name in ("evaluate", "certify", "explain"):
        pipe(coffee())
        code, out, err = command(name, "m.json", "-")
        assert (code, err) == (0, "")
        assert "standard input" in out.splitlines()[0]
    pipe(coffee())
    code, out, _ = command("compare", "-", *FIT, "--folds", 2, "--learner", "averaged", "--jobs", 1)
    assert code == 0
    assert out.startswith("standard input: 60 rows")


def test_explained_in_the_words_of_the_table(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{20_000 + 700 * i},{1990 + 7 * i % 23},2024-01-{i % 28 + 1:02},{'ab'[i % 2]},{i > 14}"
        for i in range(30)
    ]
    Path("t.csv").write_text("\n".join(["income,built,day,kind,good", *lines]))
    command("fit", "t.csv", "--target", "good", "--learner", "logistic", "--out", "m.json", "--folds", 2)
    code, out, _ = command("explain", "m.json", "t.csv", "--row", 29)
    assert code == 0
    cells = {line.split("  ")[0]: line.split()[-2] for line in out.splitlines() if line.count("  ") > 1}
    assert cells["income"] == "39,600"
    assert cells["built"] == "2002"
    assert cells["day"] == "2024-01-01"
    assert cells["kind = a"] == "yes"
    assert "Probability of True: " in out
    report = json.loads(command("explain", "m.json", "t.csv", "--rows", "29, 1", "--json")[1])
    assert [one["row"] for one in report["rows"]] == [29, 1]
    assert report["rows"][0]["probability"] > 0.5 > report["rows"][1]["probability"] > 0.0
    assert sum(part["adds"] for part in report["rows"][0]["parts"]) == pytest.approx(
        report["rows"][0]["score"]
    )
    hard = json.loads(command("explain", "m.json", "t.csv", "--hardest", 3, "--json")[1])["rows"]
    everything = ",".join(map(str, range(1, 31)))
    scores = json.loads(command("explain", "m.json", "t.csv", "--rows", everything, "--json")[1])["rows"]
    nearest = sorted(scores, key=lambda one: abs(one["score"]))[:3]
    assert [one["row"] for one in hard] == [one["row"] for one in nearest]
    for options, message in (
        (("--rows", "1,x"), "must be numbers of rows between commas"),
        (("--rows", "1,31"), "There is no row 31"),
        (("--row", 1, "--hardest", 2), "--row and --hardest both say which rows"),
    ):
        code, _, err = command("explain", "m.json", "t.csv", *options)
        assert (code, message in err) == (2, True)


@pytest.mark.parametrize("name", ["logistic regression", "shallow tree"])
def test_learners_of_scikit_learn_are_kept_like_ours(command, table, name):
    saved = ("--learner", name, "--out", "m.json", "--folds", 2)
    report = json.loads(command("fit", table, *FIT[:-2], *saved, "--json")[1])
    found = json.loads(command("evaluate", "m.json", table, "--json")[1])
    assert found["accuracy"] == report["training_accuracy"]
    out = command("predict", "m.json", table, "--proba")[1]
    assert out.splitlines()[0] == "prediction,probability fine,probability poor"
    code, out, _ = command("certify", "m.json", table)
    assert (code, "of its 60 training rows" in out) == (0, True)
    code, _, err = command("explain", "m.json", table)
    assert code == (0 if name == "logistic regression" else 2)
    assert ("answers without a score" in err) == (name == "shallow tree")
