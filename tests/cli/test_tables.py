"""The commands on tables that are not as one might wish, and on outputs that are not."""

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from perceptrons.cli import main
from perceptrons.cli.compare import _accuracy, _risks
from perceptrons.cli.show import bullets, emit, percent, say
from perceptrons.comparison import LearnerResult
from perceptrons.tables.delimited import SUFFIXES
from perceptrons.tables.read import read_table
from tests.commands import FIT, SOURCES, coffee

HELD = {
    "Boolean": [True, False],
    "Float": [94110.0, 2.5],
    "Float with NaN": [1.0, 2.0, float("nan")],
    "Decimal": [Decimal("1.00"), Decimal("2.50"), None],
    "Duration": [timedelta(1), timedelta(2), timedelta(3, 5)],
}


@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("nominal", [True, False])
def test_a_model_knows_its_own_typed_table(command, table, kind, nominal):
    """`code` alone tells the classes apart, if its names are those that were fitted."""
    values = HELD[kind]
    rows = {"code": values * 20, "y": ["u", "v", "v"][: len(values)] * 20}
    pl.DataFrame(rows, strict=False).write_parquet("t.parquet")
    as_names = ("--nominal", "code") if nominal else ()
    assert command("fit", "t.parquet", "--target", "y", *as_names, "--out", "model.json")[0] == 0
    code, out, err = command("predict", "model.json", "t.parquet", "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["unseen"] == []
    assert report["prediction"] == rows["y"]
    assert command("certify", "model.json", "t.parquet")[::2] == (0, "")


def test_csv_and_parquet_spell_alike(command, table):
    """A number with gaps is a float to pandas, and truth values have many spellings."""
    rows = [(94110, True), (7, False)] * 10
    Path("t.csv").write_text("zip,y\n" + "".join(f"{zip_}.0,{y}\n" for zip_, y in rows))
    pl.DataFrame(rows, schema=["zip", "y"], orient="row").write_parquet("t.parquet")
    for fitted, other in (("t.csv", "t.parquet"), ("t.parquet", "t.csv")):
        assert command("fit", fitted, "--target", "y", "--nominal", "zip", "--out", "model.json")[0] == 0
        for file in (fitted, other):
            assert command("certify", "model.json", file)[::2] == (0, "")


def test_missing_cells_are_remembered(command, table):
    Path("t.csv").write_text("a,b,y\n" + "1,x,u\n-9,none,v\n2,-,v\n0,x,u\n" * 10)
    read = ("--missing", "none", "--missing", "-9", "--missing", "-")
    facts = json.loads(command("fit", "t.csv", "--target", "y", *read, "--out", "m.json", "--json")[1])
    assert [column["missing"] for column in facts["columns"]] == [10, 20]
    assert command("certify", "m.json", "t.csv")[::2] == (0, "")
    Path("new.csv").write_text("a,b\n1,unknown\n-,None\n")
    assert (
        json.loads(command("predict", "m.json", "new.csv", "--missing", "unknown", "--json")[1])["unseen"]
        == []
    )


def test_values_never_seen_in_training(command, table):
    command("fit", table, *FIT, "--out", "model.json")
    Path("new.csv").write_text(coffee().replace(",0", ",9"))
    for job in (["predict"], ["certify"]):
        err = command(*job, "model.json", "new.csv")[2]
        assert err == "zip: 60 of 60 values are unknown to the model\n"
        out, err = command(*job, "model.json", "new.csv", "--json")[1:]
        assert json.loads(out)["unseen"] == [{"column": "zip", "unseen": 60, "filled": 60}]
        assert err == ""
    names = [f"c{j}" for j in range(8)]
    header = ",".join([*names, "y"]) + "\n"
    Path("many.csv").write_text(header + "".join("ab"[i % 2] + ",a" * 7 + f",{i % 2}\n" for i in range(8)))
    Path("new.csv").write_text(header + "z," * 8 + "0\n")
    command("fit", "many.csv", "--target", "y", "--out", "model.json")
    err = command("predict", "model.json", "new.csv")[2]
    assert err.count("\n") == 6
    assert err.endswith("… and 3 more.\n")


NUMBERS = {  # what most cells hold, what one holds, and what is said
    "stray": (
        "1.5 2 -1e3 .5",
        "n.a.",
        "'stray': 40 of 41 cells are numbers, the others like 'n.a.'; read as names. --missing n.a. marks",
    ),
    "commas": (
        "1,5 2,25 1.234,5 7",
        "about 0,5",
        "have decimal commas, so it is read as names; write 1.5, not 1,5.",
    ),
    "thousands": (
        "1,234 12,345,678.5 7 2,000",
        "1.000.000",
        "have thousands separators, so it is read as names; ",
    ),
    "percent": ("12% 0.5% 3,5% 99%", "1 %", "have percent signs, so it is read as names; write 12, not 12%."),
    "read commas": ("1,5 2,25 1.234,5 7", "0,5", ""),
    "read thousands": ("1,234 12,345,678.5 7 2,000", "1'000", ""),
    "read percent": ("12% 0.5% 3.5% 99%", "1 %", ""),
    "read money": ("$12 $1,234.50 ($3) -$0.5", "$ 9", ""),
    "read dates": ("2024-01-31 2024-02-01 1999-12-31 2024-1-3", "2020-02-29 12:30", ""),
    "dates": ("2024-01-31 2024-02-01 31.12.2024 1/31/24", "12:30", "'dates' holds dates or times"),
    "codes": (
        "94110 10001 02139 7030",
        "60614",
        "holds codes, which have zeros in front, so it is read as names; write 2139, not 02139",
    ),
    "units": (
        " ".join(f"{number}.5k" for number in range(25)),
        "7,25k",
        "column 'units': all cells end in 'k', so it is read as names; write 0.5, not 0.5k.",
    ),
    "few units": ("1k 2k 3k", "4k", ""),  # which may be sizes of clothes
    "words": ("u v w 1", "x", ""),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_read_as_names(command, table, name):
    usual, other, hint = NUMBERS[name]
    cells = [*(usual.split() * 10), other]
    lines = [f'"{cell}",{i}{"uvwx"[i % 4]},{i % 2}\n' for i, cell in enumerate(cells)]
    Path("t.csv").write_text(f"{name},id,y\n" + "".join(lines))
    for job in (["fit"], ["compare", "--folds", "2"]):
        out = " ".join(command(*job, "t.csv", "--target", "y", "--max-epochs", "5")[1].split())
        assert hint in out
        assert "Left out: id (names of rows), since" in out
        assert out.count("Hint: ") == bool(hint)
    again = ("fit", "t.csv", "--target", "y", "--max-epochs", "5")
    assert "Hint: " not in command(*again, "--nominal", name)[1]
    kinds = {column["name"]: column for column in json.loads(command(*again, "--json")[1])["columns"]}
    read = kinds[name]["treatment"] != "as it is"
    assert read == name.startswith("read")
    assert (kinds[name]["kind"] == "nominal") != read


def test_numbers_that_differ_are_not_called_names_of_rows(command, table):
    Path("t.csv").write_text("z,y\n" + "".join(f'"{i},5",{i % 2}\n' for i in range(40)))
    data = json.loads(command("fit", "t.csv", "--target", "y", "--max-epochs", "5", "--json")[1])["data"]
    assert (data["hints"], data["left_out"], data["kinds"]) == ([], [], {"numeric": 1})
    frame = pl.DataFrame({"z": [f"{i % 30}" for i in range(40)], "few": ["1", "2"] * 20, "y": [0, 1] * 20})
    frame.write_parquet("t.parquet")
    report = json.loads(command("fit", "t.parquet", "--target", "y", "--json")[1])
    assert report["data"]["hints"] == ["column 'z' holds numbers as texts, so it is read as names."]


def test_there_are_five_hints_at_most(command, table):
    names = ",".join(f"id {j}" for j in range(8))
    cells = [[i % 20, "n.a."][i % 9 == 8] for i in range(30)]
    Path("t.csv").write_text(
        f"{names},y\n" + "".join(f"{c}," * 8 + f"{i % 2}\n" for i, c in enumerate(cells))
    )
    out = command("fit", "t.csv", "--target", "y", "--max-epochs", "5")[1]
    assert out.count("Hint: ") == 5
    assert "… and 3 more." in out
    rows = "".join(f"{i}x," * 8 + f"{i % 3},{i % 2}\n" for i in range(30))
    Path("t.csv").write_text(f"{names},a,y\n{rows}")
    out = " ".join(command("fit", "t.csv", "--target", "y", "--max-epochs", "5")[1].split())
    assert "id 5 (names of rows) and 2 more, since nothing" in out
    assert "--keep 'id 0' keeps one" in out


def test_columns_without_a_name(command, table):
    Path("t.csv").write_text(",x,y,\n" + "".join(f"{i},{i % 2},{i % 2},\n" for i in range(8)))
    for job in (["fit"], ["compare", "--folds", "2"]):
        out = " ".join(command(*job, "t.csv", "--target", "y")[1].split())
        assert "t.csv: 8 rows, 2 columns" in out
        assert "column 1 has no name; it is called column_1, --drop column_1 leaves it out." in out
        assert "has no name" not in command(*job, "t.csv", "--target", "y", "--drop", "column_1")[1]


def test_what_compare_says_about_the_table(command, table):
    out = command("compare", table, "--target", "grade", "--folds", 3, "--max-epochs", 5)[1]
    assert "Columns: 2 nominal, 1 numeric, 1 boolean; 15 cells missing." in out  # 0123 is a code
    assert "Left out: lot (names of rows)" in out
    rare = Path(table).read_text().replace("fine", "rare", 3)
    Path("rare.csv").write_text(rare)
    chosen = ("--learner", "averaged", "--learner", "pam")
    out = command("compare", "rare.csv", "--target", "grade", "--max-epochs", 5, *chosen)[1]
    assert "3 folds, not 10: class 'rare' has 3 rows." in out
    assert "  averaged " in out
    assert "  pam " in out
    assert "  kernel " not in out


def test_many_rows(command, table, monkeypatch):
    for module in ("learners", "comparison"):
        monkeypatch.setattr(f"perceptrons.{module}.MANY_ROWS", 59)
    short = (*FIT[:-1], "3", "--folds", "2")
    out = command("compare", table, *short)[1]
    said = "Above 59 rows kernel is slow and left out; use --learner kernel"
    assert f"{said} to include one." in " ".join(out.split())
    assert "  kernel " not in out
    out = command("compare", table, *short, "--learner", "kernel")[1]
    assert "Above 59 rows the kernel makes 100 epochs at most." in out
    assert "  kernel " in out


def test_a_learner_that_fails(command, table):
    """Rows of norm 1 are what `infinity` needs."""
    short = (*FIT, "--folds", "2", "--learner", "infinity")
    code, out, err = command("compare", table, *short, "--learner", "averaged")
    assert (code, err) == (0, "")
    assert re.search(r"^   infinity +failed$", out, re.MULTILINE)
    assert "\ninfinity failed: margin='infinity' needs" in out  # below the table, where there is room
    assert command("compare", table, *short)[0] == 2
    results = json.loads(command("compare", table, *short, "--learner", "averaged", "--json")[1])["results"]
    assert [result["accuracy"] is None for result in results] == [False, True]
    assert results[0]["size"]["unit"] == "weights"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "100.0 %"),
        (0.9996, "> 99.9 %"),
        (0.9994, "99.9 %"),
        (0, "0.0 %"),
        (1e-9, "< 0.1 %"),
        (0.0006, "0.1 %"),
    ],
)
def test_all_and_nothing_are_not_rounded_to(value, text):
    assert percent(value) == text


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_narrow_terminals(command, table, width, monkeypatch):
    """Columns make room; names and numbers are whole."""
    monkeypatch.setenv("COLUMNS", str(width))
    _, out, _ = command("compare", table, *FIT, "--folds", 2)
    report = json.loads(command("compare", table, *FIT, "--folds", 2, "--json")[1])
    assert max(map(len, out.splitlines())) <= width
    for result in report["results"]:
        accuracy = rf"{100 * result['accuracy']:.1f} ± \d+\.\d %"
        assert re.search(rf"^[*= ]  {result['learner']} +{accuracy}", out, re.MULTILINE)
        assert f"{result['size']['count']} {result['size']['unit'][:-1]}" in out
    for head in ("rejected", "risk", "size", "fit", "training", "margin", "updates"):  # somewhere
        assert re.search(rf"^   learner.* {head}( |$)", out, re.MULTILINE)
    assert out.count("   learner ") == {40: 9, 60: 4, 80: 2, 100: 2, 140: 1}[width]
    assert "…" not in out
    out = command("fit", table, *FIT)[1]
    assert max(map(len, out.splitlines())) <= width
    assert re.search(r"^acid +numeric", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("deviation", "text"),
    [(None, "66.7 %"), (1.2e-16, "66.7 ± 0.0 %"), (3e-4, "66.7 ± 0.03 %"), (0.021, "66.7 ± 2.1 %")],
)
def test_folds_that_are_equal_but_for_rounding_do_not_deviate(deviation, text):
    assert _accuracy(LearnerResult("perceptron", risk=0.1, accuracy=2 / 3, accuracy_sd=deviation)) == text


def test_risks_of_a_rare_class_are_told_apart():
    assert _risks([0.2, 0.13333, None, 0.0]) == ["0.200", "0.133", "", "0.000"]
    assert _risks([0.054, 0.0016]) == ["0.054", "0.002"]
    assert _risks([0.0016, 0.00035]) == ["0.00160", "0.00035"]
    assert _risks([1e-9, 0.0]) == ["0.000000", "0.000000"]
    assert _risks([0.0, None]) == ["0.000", ""]


def test_a_number_and_its_percent_sign_stay_together(capsys, monkeypatch):
    for width in range(40, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        say("At 5 % of the rows, or 10.5 % of the others, and at most 100.0 % of all, nothing is broken.")
        bullets(
            ["At 5 % of the rows, or 10.5 % of the others, and at most 100.0 % of all, nothing is broken."]
        )
        out = capsys.readouterr().out
        assert not [line for line in out.splitlines() if line.lstrip().startswith("%")]
        assert out.count(" %") == 6
        assert max(map(len, out.splitlines())) <= width


def test_a_model_that_is_no_better_than_the_baseline_says_so(command, table):
    rng = np.random.default_rng(0)
    rows = "".join(
        f"{x:.3f},{'uv'[label]}\n"
        for x, label in zip(rng.normal(size=60), rng.integers(0, 2, 60), strict=True)
    )
    Path("t.csv").write_text(f"x,y\n{rows}")
    sentence = "That is not shown to be better than the baseline; perceptrons compare tries other learners."
    out = " ".join(command("fit", "t.csv", "--target", "y")[1].split())
    assert sentence in out
    assert sentence not in " ".join(
        command("fit", "t.csv", "--target", "y", "--class-weight", "balanced")[1].split()
    )
    assert sentence not in " ".join(command("fit", table, *FIT)[1].split())


def test_a_learner_that_learns_nothing_says_so_in_two_words(command, table):
    rows = "".join(f"{i % 7},{'uv'[i // 7 % 2]}\n" for i in range(56))
    Path("t.csv").write_text(f"x,y\n{rows}")
    out = command("compare", "t.csv", "--target", "y", "--learner", "sparse", "--folds", 2)[1]
    assert re.search(r"^. +sparse .* learns nothing", out, re.MULTILINE)


def test_long_names_are_broken_not_cut(command, table, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    Path("t.csv").write_text("x" * 90 + ",y\n" + "1,u\n2,v\n" * 9)
    out = command("fit", "t.csv", "--target", "y")[1]
    assert sum(line.count("x" * 5) * 5 for line in out.splitlines()) >= 80
    assert "numeric" in out


@pytest.mark.slow
@pytest.mark.parametrize("width", ["0", None])
def test_without_a_terminal(table, width):
    environment = {} if width is None else {"COLUMNS": width}
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    env |= {"PYTHONPATH": str(SOURCES), **environment}
    job = [sys.executable, "-m", "perceptrons", "fit", table, *FIT]
    out = subprocess.run(job, env=env, capture_output=True, text=True).stdout
    assert 80 < max(map(len, out.splitlines())) <= 100


def test_out_is_none_of_the_inputs(command, table):
    os.symlink("table.csv", "link.csv")
    itself = "perceptrons: --out names the {} itself; choose another file.\n"
    for out in (table, "link.csv", "./table.csv"):
        assert command("fit", table, *FIT, "--out", out)[::2] == (2, itself.format("table"))
    command("fit", table, *FIT, "--out", "model.json")
    assert command("predict", "model.json", "link.csv", "--out", table)[2] == itself.format("table")
    assert command("predict", "model.json", table, "--out", "model.json")[2] == itself.format("model")
    assert Path(table).read_text() == coffee()


def test_out_is_looked_at_before_the_work(command, table, monkeypatch):
    def work(*_, **__):
        raise AssertionError("the table is read")

    monkeypatch.setattr("perceptrons.tables.read.read", work)
    monkeypatch.setattr(
        "perceptrons.cli.destinations.os.access", lambda folder, mode: "closed" not in str(folder)
    )
    Path("closed").mkdir()
    os.mkfifo("pipe")
    for arguments, message in (
        (["closed/m.json"], "Nothing may be written to the folder"),
        (["pipe"], "pipe is a device or pipe"),
    ):
        code, _, err = command("fit", table, *FIT, "--out", *arguments)
        assert code == 2
        assert message in err


def test_predictions_are_text(command, table):
    command("fit", table, *FIT, "--out", "model.json")
    code, _, err = command("predict", "model.json", table, "--out", "p.parquet")
    assert code == 2
    assert "but p.parquet is not a text file; use a name that ends in .csv, .data" in err
    command("predict", "model.json", table, "--scores", "--out", "p.tsv")
    assert read_table("p.tsv").columns == ["prediction", "score"]


@pytest.mark.slow
def test_predictions_are_utf_8_in_every_locale(command, table):
    Path("t.csv").write_text("a,y\n" + "1,größer\n0,小\n" * 9, encoding="utf-8")
    command("fit", "t.csv", "--target", "y", "--out", "model.json")
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONIOENCODING": "latin-1"}
    job = [sys.executable, "-m", "perceptrons", "predict", "model.json", "t.csv"]
    assert subprocess.run(job, env=env, capture_output=True).stdout.decode().split()[1:3] == ["größer", "小"]


@pytest.mark.slow
@pytest.mark.parametrize("where", [">&-", "2>&-", ">&- 2>&-", "> /dev/full"])
def test_an_output_that_takes_nothing(command, table, where):
    command("fit", table, *FIT, "--out", "model.json")
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": ""}
    line = f'"{sys.executable}" -m perceptrons predict model.json {table} {where}'
    done = subprocess.run(line, shell=True, env=env, capture_output=True, text=True)
    said = {
        "> /dev/full": "perceptrons: No space left on device.\n",
        ">&-": "perceptrons: Standard output is closed, so the result went nowhere.\n",
    }
    assert (done.returncode, done.stderr) == (0 if where == "2>&-" else 2, said.get(where, ""))


def test_exits_that_are_not_ours_are_not_hidden(monkeypatch):
    def leave(*_, **__):
        sys.exit(77)

    monkeypatch.setattr("perceptrons.cli.app.app", leave)
    with pytest.raises(SystemExit, match="77"):
        main([])


def test_certificates_as_json(command, table):
    """Fit and certify tell the same; of several, each says which class it is about."""
    Path("three.csv").write_text(
        "a,b,y\n" + "".join(f"{i % 3},{(i % 3) ** 2},{'uvw'[i % 3]}\n" for i in range(30))
    )
    for file, target, classes in ((table, "grade", [None]), ("three.csv", "y", ["u", "v", "w"])):
        fitted = json.loads(command("fit", file, "--target", target, "--out", "model.json", "--json")[1])
        assert fitted["size"]["unit"] == "weights"
        held = json.loads(command("certify", "model.json", file, "--json")[1])
        assert [one.get("class") for one in held["certificates"]] == classes
        for one, other in zip(held["certificates"], fitted["certificates"], strict=True):
            assert one.keys() == other.keys()
            assert one["n_updates"] == other["n_updates"]
    tree = json.loads(command("fit", table, *FIT, "--learner", "shallow tree", "--json")[1])
    assert tree["certificates"] == []


def test_json_is_whole_or_not_there(capsys):
    with pytest.raises(ValueError, match="JSON"):
        emit({"a": [1, 2], "b": float("nan")})
    assert capsys.readouterr().out == ""


def test_help_names_every_kind_of_file(command):
    text = " ".join(command("fit", "--help")[1].split())
    assert all(suffix in text for suffix in SUFFIXES)
    assert "?, NA, N/A, #N/A, <NA>, NaN and null" in text


def test_the_table_is_read_while_the_bar_waits(command, table, monkeypatch):
    seen = []

    @contextmanager
    def progress_bar(what):
        seen.append(what)
        yield lambda *_: None
        seen.append("done")

    monkeypatch.setattr("perceptrons.cli.progress.progress_bar", progress_bar)
    monkeypatch.setattr("perceptrons.tables.read.read", lambda *_, **__: seen.append("read"))
    assert command("fit", table, *FIT)[0] == 1
    assert command("compare", table, *FIT)[0] == 1
    assert seen == ["fitting perceptron", "read", "comparing", "read"]


def test_voting(command, jit, data):
    file = data / "voting" / "house-votes-84.data"
    epochs = 100 if jit else 3
    code, out, _ = command(
        "compare", file, "--no-header", "--target", "column_1", "--folds", 3, "--max-epochs", epochs
    )
    assert code == 0
    assert "435 rows, 16 columns; classes democrat (267), republican" in out
    code, _, err = command("compare", file, "--target", "column_1")
    assert code == 2
    assert "names 9 columns 'y'; if it is data, use --no-header" in err
