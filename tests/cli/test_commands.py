"""The command line: what it prints, what it writes, how it leaves."""

import csv
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline

import perceptrons
from perceptrons.cli import main, printable
from perceptrons.learners import LEARNERS
from perceptrons.tables.read import read_table
from tests.bad_tables import BAD_FILES, BAD_TARGETS
from tests.commands import FIT, SOURCES, coffee, shell


def test_compare(command, table):
    code, out, err = command("compare", table, *FIT, "--folds", 3)
    assert (code, err) == (0, "")
    assert out.startswith(
        "table.csv: 60 rows, 4 columns; classes poor (30), fine (30).\n"
        "Columns: 2 nominal, 1 numeric, 1 boolean; 15 cells missing.\nBaseline (always poor): 50.0 %.\n"
    )
    assert "learner" in out
    for name in (
        "perceptron",
        "soft margin",
        "sparse",
        "logistic regression",
    ):
        assert re.search(rf"^[*= ]  {name}  ", out, re.MULTILINE)
    assert "  averaged  " not in out
    assert "Best by risk: * " in out
    more = 'More learners, with --learner "growing margin" and so on: growing margin, averaged, max margin,'
    assert f"{more} selective and binary sbpi." in " ".join(out.split())
    assert "over 3 folds" in out
    assert "numbers standardized, names one-hot" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 100


def test_compare_the_built_in_table(command, jit):
    quick = [] if jit else [f"--learner={name}" for name in LEARNERS if name != "sparse"]
    code, out, err = command("compare", "--json", "--folds", 2, "--max-epochs", 50 if jit else 2, *quick)
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["data"]["rows"] == 569
    assert report["data"]["classes"] == [
        {"class": "benign", "rows": 357},
        {"class": "malignant", "rows": 212},
    ]
    assert report["data"]["most_frequent"]["accuracy"] == pytest.approx(357 / 569)
    assert min(result["accuracy"] for result in report["results"]) > 0.8
    for option, value in (("target", "y"), ("separator", ";"), ("missing", "x"), ("header", None)):
        given = [f"--{option}", *([value] if value else [])]
        message = f"perceptrons: --{option} is about a table in a file; name the file, too.\n"
        assert command("compare", *given)[::2] == (2, message)


def test_margins_with_and_without_slack(command, table):
    code, out, _ = command("fit", table, *FIT, "--learner", "max margin", "--out", "hard.json")
    assert code == 0
    assert "names one-hot.\n" in out  # no coordinate for the intercept
    certificates = json.loads(command("certify", "hard.json", table, "--json")[1])["certificates"]
    assert certificates[0]["separable"] is True
    assert certificates[0]["margin"] >= 0.999 * certificates[0]["margin_bound"]
    code, out, _ = command("fit", table, *FIT, "--learner", "soft margin", "--out", "soft.json")
    assert code == 0
    assert "With slack, its margin is within a share of" in " ".join(out.split())
    assert command("certify", "soft.json", table)[0] == 0


def test_from_a_table_to_a_certificate(command, table):
    code, out, err = command("fit", table, *FIT, "--out", "model.json")
    assert (code, err) == (0, "")
    for words in (
        "acid    numeric        9",
        "washed  boolean        6         2",
        "origin  nominal",
        "zip     nominal",
    ):
        assert words in out
    assert re.search(
        r"^Expected on new rows: \S+ % \(\S+–\S+\) correct \(5 folds; baseline, always", out, re.M
    )
    assert "100.0 % of the training rows correct.\nWritten to" in out
    assert out.index("Expected on new rows") < out.index("training rows")
    assert "All 60 rows are classified correctly, with margin" in out
    assert "Written to model.json." in out

    code, out, err = command("predict", "model.json", table, "--scores")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(out.splitlines()))
    grades = [row["grade"] for row in csv.DictReader(Path(table).read_text().splitlines())]
    assert [row["prediction"] for row in rows] == grades
    assert all((float(row["score"]) > 0) == (row["prediction"] == "poor") for row in rows)

    code, out, err = command("certify", "model.json", table)
    assert (code, err) == (0, "")
    assert "The certificate in the model file holds for these rows." in out
    assert "The weights are a combination of" in out

    Path("other.csv").write_text(coffee(40, seed=1))
    code, out, err = command("certify", "model.json", "other.csv")
    assert (code, err) == (0, "")
    assert "of 40 rows it was not trained on" in out
    part = Path(table).read_text().splitlines()[:41]
    Path("other.csv").write_text("\n".join(part) + "\n")
    code, out, err = command("certify", "model.json", "other.csv")
    assert (code, err) == (1, "")
    assert "The certificate is about the 60 rows fitted, and this table has 40." in out
    assert "What holds for the rows of this table" in out

    same_size = Path(table).read_text().replace("poor", "fine", 1)
    Path("other.csv").write_text(same_size)
    code, out, err = command("certify", "model.json", "other.csv")
    assert (code, err) == (1, "")
    assert "The certificate does not hold: separable is given as True" in out


def test_as_json(command, table):
    _, out, err = command("fit", table, *FIT, "--learner", "rosenblatt", "--out", "model.json", "--json")
    report = json.loads(out)
    assert err == ""
    assert report["training_accuracy"] == 1.0
    assert report["converged"] is True
    assert report["columns"][0] == {
        "name": "acid",
        "kind": "numeric",
        "missing": 9,
        "distinct": report["columns"][0]["distinct"],
        "treatment": "as it is",
    }
    code, out, _ = command("certify", "model.json", table, "--json")
    held = json.loads(out)
    assert (code, held["holds"], held["reason"]) == (0, True, None)
    assert held["certificates"][0]["n_errors"] == 0
    assert 0 < held["certificates"][0]["generalization_bound"] < 1
    assert held["certificates"][0]["n_updates"] <= held["certificates"][0]["update_bound"]
    _, out, _ = command("predict", "model.json", table, "--json", "--scores")
    predicted = json.loads(out)
    assert predicted["rows"] == len(predicted["prediction"]) == len(predicted["score"]) == 60
    Path("other.csv").write_text(coffee(40, seed=1))
    code, out, _ = command("certify", "model.json", "other.csv", "--json")
    new = json.loads(out)
    assert (code, new["holds"], new["certificates"]) == (0, None, [])  # not the rows that it is about
    assert (new["promise"]["n_rows"], new["promise"]["says_nothing"]) == (40, False)
    assert new["promise"]["shares"][0]["high"] < new["promise"]["majority_error"] == 0.5
    code, out, _ = command("certify", "model.json", "other.csv", "--training-rows", "--json")
    claimed = json.loads(out)
    assert (code, claimed["holds"]) == (1, False)
    assert claimed["reason"] == "The certificate is about the 60 rows fitted, and this table has 40."


def test_a_proof_in_words(command, table):
    out = command("fit", table, *FIT, "--learner", "rosenblatt")[1]
    assert "With probability" not in out  # an encoder was fitted to the same rows
    assert "the theorem allows" in out
    assert "Nothing is written; use --out FILE to keep the model." in out
    growing = command("fit", table, *FIT, "--learner", "growing margin")[1]
    assert "proved" not in growing  # what says nothing is not printed
    assert "With probability" not in growing
    unsure = command(
        "fit", table, *FIT[:-1], "1", "--learner", "rosenblatt", "--drop", "acid", "--drop", "washed"
    )[1]
    assert "Warning: Stopped by max_epochs=1" in unsure
    assert "are misclassified" in unsure


def test_predictions_to_a_file(command, table):
    command("fit", table, *FIT, "--out", "model.json")
    code, out, _ = command("predict", "model.json", table, "--out", "predictions.csv")
    assert (code, out) == (0, "60 predictions written to predictions.csv.\n")
    assert Path("predictions.csv").read_text().splitlines()[:2] == ["prediction", "poor"]
    assert not [path for path in Path().iterdir() if "tmp" in path.name]
    assert command("predict", "model.json", table, "--out", "no/such.csv")[0] == 2


def test_several_classes(command, table):
    Path("three.csv").write_text(
        "a,b,y\n" + "".join(f"{i % 3},{(i % 3) ** 2},{'uvw'[i % 3]}\n" for i in range(30))
    )
    out = command("fit", "three.csv", "--target", "y", "--out", "model.json")[1]
    assert "class against the rest" in out
    out = command("predict", "model.json", "three.csv", "--scores")[1]
    assert out.splitlines()[0] == "prediction,score u,score v,score w"
    assert command("certify", "model.json", "three.csv")[0] == 0


def test_the_model_remembers_how_the_table_was_read(command, table):
    lines = [line.replace(",", ";") for line in coffee().splitlines()[1:]]
    Path("bare.data").write_text("\n".join(lines))
    read = ("--no-header", "--separator", ";", "--target", "column_6", "--drop", "column_1")
    assert command("fit", "bare.data", *read, "--out", "model.json")[0] == 0
    assert command("predict", "model.json", "bare.data")[1].count("\n") == 61
    assert command("certify", "model.json", "bare.data")[0] == 0


def test_a_model_from_python(command, table):
    """Nothing is known about its target but what the command says."""
    frame = read_table(table, text=["grade"])
    frame = frame.with_columns(good=(frame["grade"] == "fine").replace_strict({True: "y", False: "n"}))
    X, y = frame.select("acid", "washed"), frame["good"].to_numpy()
    model = make_pipeline(perceptrons.TableEncoder(), perceptrons.Perceptron()).fit(X, y)
    perceptrons.save(model, "python.json")
    frame.write_csv("good.csv")
    code, _, err = command("certify", "python.json", "good.csv")
    assert code == 2
    assert err == "perceptrons: python.json does not name the column of the classes; name it with --target.\n"
    assert command("certify", "python.json", "good.csv", "--target", "good")[0] == 0


def test_hints_and_long_tables(command, table):
    out = command("fit", table, "--target", "grade")[1]
    assert "Left out: lot (names of rows), since nothing can be learned from such columns; --keep lot" in out
    assert re.search(r"^lot +left out: names of rows +60$", out, re.M)
    names = [f"c{j}" for j in range(50)]
    Path("wide.csv").write_text(
        ",".join([*names, "y"]) + "\n" + "".join("1," * 50 + f"{i % 2}\n" for i in range(6))
    )
    out = command("fit", "wide.csv", "--target", "y", "--max-epochs", 5)[1]
    assert "… and 31 more" in out
    assert "c18 " in out
    assert "c19 " not in out


def _in_options(message):
    """What `perceptrons.tables` says of its arguments, as a command says it."""
    message = message.replace("header=False", "--no-header").replace("separator=';'", "--separator ';'")
    return re.sub(r"separator='(\w+)'", r"--separator \1", message)


@pytest.mark.parametrize("name", [*BAD_FILES, *BAD_TARGETS])
def test_bad_tables_get_one_sentence(command, tmp_path, name):
    content, message = {**BAD_FILES, **BAD_TARGETS}[name]
    (tmp_path / name).write_bytes(content)
    for job in ("compare", "fit"):
        code, out, err = command(job, tmp_path / name, "--target", "y")
        assert (code, out) == (2, "")
        assert err.startswith("perceptrons: ")
        assert _in_options(message) in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "nothing.csv", "--target", "y"], "There is no file nothing.csv."),
        (["compare", ".", "--target", "y"], "is a folder"),
        (["compare", "table.csv"], "Name the column to predict with --target, one of 'lot', 'acid'"),
        (["compare", "table.csv", "--target", "grade", "--drop", "grade"], "cannot be dropped"),
        (["compare", "table.csv", "--target", "grade", "--drop", "orign"], "did you mean 'origin'?"),
        (["compare", "table.csv", "--target", "grade", "--folds", "1"], "'--folds'"),
        (["compare", "table.csv", "--target", "grade", "--folds", "ten"], "'--folds'"),
        (["compare", "table.csv", "--target", "grade", "--seed", "99999999999"], "'--seed'"),
        (["compare", "table.csv", "--target", "grade", "--max-epochs", "0"], "'--max-epochs'"),
        (["fit", "table.csv"], "Missing option '--target'"),
        (["fit"], "Missing argument 'TABLE'"),
        (["fit", "table.csv", "--target", "grade", "--learner", "pma"], "did you mean 'pam'?"),
        (
            ["fit", "table.csv", "--target", "grade", "--out", "no/m.json"],
            "There is no folder no to write to",
        ),
        (["fit", "table.csv", "--target", "grade", "--out", "."], ". is a folder; --out names a file"),
        (["fit", "table.csv", "--target", "grade", "--learner", "infinity"], "rows of norm <= 1"),
        (["predict", "nothing.json", "table.csv"], "nothing.json: No such file"),
        (["predict", "table.csv", "table.csv"], "cannot be loaded: it is not JSON"),
        (["predict", "alone.json", "table.csv"], "does not know the columns of a table"),
        (
            ["certify", "model.json", "short.csv"],
            "The model needs 'acid', 'washed', 'zip', but the table has",
        ),
        (
            ["certify", "model.json", "table.csv", "--target", "origin"],
            "but the model knows the classes 'fine', 'poor'",
        ),
        (
            ["predict", "model.json", "strange.csv"],
            "Column 'acid' held numbers when the encoder was fitted, but now",
        ),
        (["fit", "table.csv", "--target", "column_6"], "If the first line is data, use --no-header."),
        (["compare", "table.csv", "--target", "grade", "--learner", "pma"], "did you mean 'pam'?"),
        (["nonsense"], "No such command 'nonsense'"),
        (["compare", "--nonsense"], "No such option: --nonsense"),
    ],
)
def test_bad_input_gets_one_sentence(command, table, arguments, message):
    command("fit", table, *FIT, "--out", "model.json")
    perceptrons.save(perceptrons.Perceptron().fit([[0.0], [1.0]], [0, 1]), "alone.json")
    Path("short.csv").write_text("origin,grade\nPeru,fine\n")
    Path("strange.csv").write_text("acid,washed,origin,zip\nmuch,yes,Peru,01\n")
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("perceptrons: ")
    assert err.count("\n") == 1


def test_nothing_in_a_table_is_obeyed(command, table):
    """Neither Rich's markup nor a terminal's control sequences."""
    labels = ["no\x1b[31m", "[red]yes"]
    rows = "".join(f"{i},[bold]{i % 3},{labels[i % 2]}\n" for i in range(12))
    Path("odd.csv").write_text(f"[red]a[/red],b\x1b]0;title\x07,y\u202e\n{rows}")
    target = ("--target", "y\u202e")
    for arguments in (
        ["fit", "odd.csv", *target, "--out", "model.json"],
        ["compare", "odd.csv", *target, "--folds", "2"],
        ["fit", "odd.csv", "--target", "nix"],
        ["certify", "model.json", "odd.csv"],
        ["explain", "model.json", "odd.csv"],
        ["predict", "model.json", "odd.csv", "--json"],
        ["fit", "odd.csv", *target, "--learner", "sparse", "--out", "sparse.json"],
        ["explain", "sparse.json", "odd.csv"],
    ):
        _, out, err = command(*arguments)
        assert not {"\x1b", "\x07", "\u202e"} & set(out + err)
    assert "[red]a[/red]" in command("fit", "odd.csv", *target)[1]
    assert "no\\x1b[31m" in command("fit", "odd.csv", *target)[1]
    assert "\x1b" in command("predict", "model.json", "odd.csv", "--raw")[1]  # what is in the table
    assert "\x1b" not in command("predict", "model.json", "odd.csv")[1]


def test_printable():
    assert printable("a\x1bb\x9bc\u2028d é → 名") == r"a\x1bb\x9bc\u2028d é → 名"


def test_unexpected_errors(command, table, monkeypatch):
    def fail(*_, **__):
        raise KeyError("bug")

    monkeypatch.setattr("perceptrons.tables.read.read", fail)
    code, out, err = command("compare", table, "--target", "grade")
    assert (code, out) == (1, "")
    assert (
        err == "perceptrons: unexpected error (KeyError: 'bug'); PERCEPTRONS_DEBUG=1 shows the traceback.\n"
    )
    monkeypatch.setenv("PERCEPTRONS_DEBUG", "1")
    with pytest.raises(KeyError):
        main(["compare", table, "--target", "grade"])


def test_interrupted(command, table, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("perceptrons.tables.read.read", interrupt)
    assert command("compare", table, "--target", "grade") == (130, "", "Stopped.\n")


def test_version_and_help(command):
    assert command("--version") == (0, f"perceptrons {perceptrons.__version__}\n", "")
    code, out, _ = command()
    assert code == 0
    assert out.startswith(command("--help")[1])
    for name in ("compare", "fit", "predict", "explain", "certify"):
        assert name in out
        code, text, err = command(name, "--help")
        assert (code, err) == (0, "")
        assert f"Example: perceptrons {name}" in text


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["--version"]])
def test_help_waits_for_nothing(arguments):
    code = f"""
import sys
from perceptrons.cli import main
try:
    main({arguments})
finally:
    print(sorted({{"numba", "sklearn", "polars", "pandas", "scipy"}} & set(sys.modules)), file=sys.stderr)
"""
    shell(code=code)
    start = time.perf_counter()
    done = shell(code=code)
    assert time.perf_counter() - start < 1.5  # it takes 0.1 s; this machine may be busy
    assert (done.returncode, done.stderr) == (0, "[]\n")


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra(missing, table):
    done = shell(
        code=f"import sys; sys.modules[{missing!r}] = None; import perceptrons.cli as c; c.main(['compare'])"
    )
    assert done.returncode == 2
    assert done.stderr == f'perceptrons: the command line needs {missing}: pip install "perceptrons[app]"\n'


def test_without_polars(table):
    without = "import sys; sys.modules['polars'] = None; from perceptrons.cli import main"
    code = f"{without}; main(['compare', {str(table)!r}])"
    done = shell(code=code)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'perceptrons: Tables from files need polars: pip install "perceptrons[app]"\n'


@pytest.mark.slow
def test_a_reader_that_stops_reading(command, table):
    command("fit", table, *FIT, "--out", "model.json")
    Path("long.csv").write_text(coffee(20_000))
    env = {**os.environ, "PYTHONPATH": str(SOURCES)}
    job = subprocess.Popen(
        [sys.executable, "-m", "perceptrons", "predict", "model.json", "long.csv"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert job.stdout.readline() == b"prediction\n"
    job.stdout.close()
    assert job.stderr.read() == b""
    job.stderr.close()
    assert job.wait() == 141


def test_a_reader_that_never_reads():
    read, write = os.pipe()
    os.close(read)
    env = {**os.environ, "PYTHONPATH": str(SOURCES)}
    version = [sys.executable, "-m", "perceptrons", "--version"]
    done = subprocess.run(version, env=env, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.slow
def test_a_terminal_that_knows_no_unicode(table):
    done = shell("compare", table, *FIT, "--folds", "2", PYTHONIOENCODING="ascii", COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, "")
    assert "perceptron" in done.stdout


def test_the_bar_is_for_terminals_and_for_those_who_wait(monkeypatch, capsys):
    from perceptrons.cli import progress

    monkeypatch.delenv(progress.SWITCH)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress_bar("comparing") as move:
        move(0, 2, "fold 1")
        time.sleep(0.5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "fold 1" in err
