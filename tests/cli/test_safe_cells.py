"""What `predict` writes: nothing that a spreadsheet computes or a terminal obeys, nothing into the void."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from perceptrons import SparsePerceptron, load
from perceptrons.cli.safe_cells import safe_text
from tests.commands import FIT, SOURCES

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "=", "\t=1", "\r=1", "--1", "-a"]
PLAIN = [
    "+",
    "-",
    "@",
    "yes",
    "",
    "-1",
    "+3.5",
    "-1e-3",
    "-1,5",
    "+1.000,5",
    "-5%",
    "-inf",
    "a=b",
    "−1",
    "a-b",
    "1+1",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_would_be_computed(text):
    safe = safe_text(text)
    assert safe.startswith("'") or text == "="
    assert "\t" not in safe
    assert "\r" not in safe


@pytest.mark.parametrize("text", PLAIN)
def test_what_computes_nothing_stays(text):
    assert safe_text(text) is text or safe_text(text) == text


def written(names, command, *options):
    """The predictions in a file, for a table with these two classes."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["a", "y"])
    rows.writerows([i % 2, names[i % 2]] for i in range(20))
    Path("t.csv").write_text(text.getvalue(), newline="")
    assert command("fit", "t.csv", "--target", "y", "--out", "m.json")[0] == 0
    code, _, err = command("predict", "m.json", "t.csv", "--out", "p.csv", *options)
    assert code == 0
    with open("p.csv", newline="", encoding="utf-8") as file:
        return [row[0] for row in csv.reader(file)][1:3], err


@pytest.mark.parametrize(
    ("names", "safe"),
    [
        (["=1+1", "no"], ["'=1+1", "no"]),
        (["+", "-"], ["+", "-"]),
        (["-1", "+1"], ["-1", "1"]),
        (["a\u202eb", "ا\u200cب"], [r"a\u202eb", "ا\u200cب"]),
    ],
)
def test_predictions(command, table, names, safe):
    if names == ["-1", "+1"]:
        names, safe = ["-1", "1"], ["-1", "1"]  # numbers are read as numbers
    found, err = written(names, command)
    assert found == safe
    assert ("--raw writes them as they are" in err) == (safe != names)
    assert written(names, command, "--raw") == (names, "")


def test_names_on_screen(command, table):
    """Columns, classes and files that would turn or erase what stands beside them."""
    bad, good = "\u202ex\x1b[2J", "fine"
    Path("t.csv").write_text(f"{bad}col,y\n" + f"1,{bad}\n0,{good}\n" * 20, encoding="utf-8")
    Path(f"m{bad}.json").write_text("{}")
    assert command("fit", "t.csv", "--target", "y", "--learner", "sparse", "--out", "m.json")[0] == 0
    outputs = [
        command("fit", "t.csv", "--target", "y", "--learner", "sparse"),
        command("explain", "m.json", "t.csv"),
        command("predict", f"m{bad}.json", "t.csv"),
        command("predict", "m.json", "t.csv"),
        command("fit", "t.csv", "--target", bad),
    ]
    assert [code for code, _, _ in outputs] == [0, 0, 2, 0, 2]
    for _, out, err in outputs:
        assert "\u202e" not in out + err
        assert "\x1b" not in out + err
        assert r"\u202e" in out + err
    data = Path("m.json").read_bytes()
    assert "\u202e".encode() not in data
    model = load("m.json")
    assert isinstance(model, SparsePerceptron)
    assert bad in model.classes_.tolist()  # as it was: JSON spells it otherwise
    assert json.loads(data)["model"]["fitted"]["feature_names_in_"] == [f"{bad}col"]
    texts = [model.to_text(), str(model.explain({f"{bad}col": 1}))]
    for text in texts:
        assert "\u202e" not in text
        assert r"\u202ex\x1b[2J" in text


@pytest.mark.parametrize("where", ["| head -0", ">&-"])
def test_a_closed_output_is_no_success(command, table, where):
    command("fit", table, *FIT, "--out", "model.json")
    env = {**os.environ, "PYTHONPATH": str(SOURCES)}
    line = f'set -o pipefail; "{sys.executable}" -m perceptrons predict model.json {table} {where}'
    done = subprocess.run(["bash", "-c", line], env=env, capture_output=True, text=True)
    if where == ">&-":
        message = "perceptrons: Standard output is closed, so the result went nowhere.\n"
        assert (done.returncode, done.stderr) == (2, message)
    else:
        assert done.returncode == 141
        assert done.stderr == ""


def test_a_model_without_its_certificate(command, table):
    assert command("fit", table, *FIT, "--out", "whole.json")[0] == 0
    assert command("fit", table, *FIT, "--out", "model.json", "--no-certificate")[0] == 0
    assert Path("model.json").stat().st_size < Path("whole.json").stat().st_size / 2
    assert command("predict", "model.json", table) == command("predict", "whole.json", table)
    code, _, err = command("certify", "model.json", table)
    assert code == 2
    assert "was saved without its certificate; fit it again, without --no-certificate." in err
