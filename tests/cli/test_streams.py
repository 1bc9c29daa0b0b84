"""Commands on tables that are read in batches: when they do, and that they say the same."""

import json

import numpy as np
import polars as pl
import pytest

from perceptrons import load
from perceptrons.cli import streams


@pytest.fixture
def run(command):
    """What a command prints; its complaint, if it is to fail."""

    def run(*arguments, code=0):
        left, out, err = command(*arguments)
        assert left == code, err
        return err if code else out

    return run


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    frame = pl.DataFrame(
        {
            **{f"x{j}": X[:, j] for j in range(3)},
            "color": rng.choice(["red", "=blue", "green"], 600),
            "row": np.arange(600),
            "kind": np.where(X.sum(axis=1) + rng.normal(size=600) > 0, "yes", "no"),
        }
    )
    frame.write_parquet(tmp_path / "table.parquet")
    frame.write_csv(tmp_path / "table.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("n_bytes", "told"),
    [
        (12, [(0, 1, "fitting, pass 1, kB"), (1, 1, "fitting, pass 1, kB"), (0, 1, "fitting, pass 2, kB")]),
        (114_000, [(57, 114, "fitting, pass 1, kB"), (114, 114, "fitting, pass 1, kB")]),
        (40_000_000, [(20, 40, "fitting, pass 1, MB"), (40, 40, "fitting, pass 1, MB")]),
    ],
)
def test_progress_by_bytes(n_bytes, told):
    heard = []
    tell = streams.by_bytes(lambda *what: heard.append(what), n_bytes, "fitting")
    for done, total, _ in told:
        tell(done / total)
    assert heard == told


def test_balanced_classes_in_batches(folder, run):
    table = str(folder / "table.csv")
    out = " ".join(run("fit", table, "--target", "kind", "--stream", "--class-weight", "balanced").split())
    assert "Balanced accuracy, the mean of the classes' shares of rows answered correctly: " in out
    assert "Classes are balanced in training alone." in out


def test_fit_evaluate_and_predict_in_batches(folder, run):
    for name in ("table.parquet", "table.csv"):
        model = str(folder / f"{name}.json")
        out = run(
            "fit", str(folder / name), "--target", "kind", "--stream", "--out", model, "--max-epochs", "9"
        )
        assert "is read in batches" in out
        assert "600 rows, 5 columns" in out
        left_out = "Left out: row (counter), since nothing can be learned from such columns; --keep row"
        assert left_out in " ".join(out.split())
        whole, parts = (
            json.loads(run("evaluate", model, str(folder / name), "--json", how))
            for how in ("--no-stream", "--stream")
        )
        assert parts["confusion"] == whole["confusion"]
        assert parts["auc"] == pytest.approx(whole["auc"], abs=1e-3)
        texts = []
        for how in ("--no-stream", "--stream"):
            out = str(folder / "out.csv")
            run("predict", model, str(folder / name), "--out", out, "--append", "--scores", how)
            texts.append((folder / "out.csv").read_text())
        assert texts[0] == texts[1]
        assert len(texts[0].splitlines()) == 601


def test_binary_in_batches_is_the_model_of_the_whole_table(folder, run):
    models = []
    for how in ("--stream", "--no-stream"):
        model, path = str(folder / "model.json"), str(folder / "table.csv")
        run("fit", path, "--target", "kind", "--learner", "binary", "--folds", "0", "--out", model, how)
        models.append(load(model)[-1])
    assert np.array_equal(models[0].coef_, models[1].coef_)
    assert models[0].threshold_ == models[1].threshold_


@pytest.mark.parametrize("learner", ["sparse", "scorecard"])
def test_rules_in_batches_are_those_of_the_whole_table(folder, run, learner):
    said = []
    for how in ("--stream", "--no-stream"):
        model, path = str(folder / "model.json"), str(folder / "table.csv")
        out = run("fit", path, "--target", "kind", "--learner", learner, "--folds", "0", "--out", model, how)
        said.append(load(model).to_text())
        assert said[0] in out
    assert said[0] == said[1]


def test_what_may_reject_says_so_in_batches_and_takes_a_checkpoint(folder, run):
    path, point, model = str(folder / "table.csv"), folder / "point", str(folder / "model.json")
    arguments = ["fit", path, "--target", "kind", "--learner", "conservative", "--reject-cost", "0.1"]
    told = json.loads(run(*arguments, "--stream", "--checkpoint", str(point), "--json", "--out", model))
    assert 0 < told["rejected"] < 1
    assert told["costs"]["reject"] == 0.1
    assert told["risk"] <= 0.1
    assert not point.exists()
    found = json.loads(run("evaluate", model, path, "--stream", "--json"))
    assert found["rejected"] == told["rejected"]
    assert "of the training rows answered" in run(*arguments, "--stream")
    assert "two classes" in run("fit", path, "--target", "color", *arguments[4:], "--stream", code=2)


def test_what_to_expect_on_new_rows_is_said_and_probabilities_calibrated(folder, run):
    path, model = str(folder / "table.csv"), str(folder / "model.json")
    out = run("fit", path, "--target", "kind", "--stream", "--out", model, "--max-epochs", "9")
    assert "a fifth of the rows held out; baseline, always" in " ".join(out.split())
    assert "calibration" in (folder / "model.json").read_text()
    assert "Not tested on new rows" in run("fit", path, "--target", "kind", "--stream", "--folds", "0")
    assert "--folds is 1" in run("fit", path, "--target", "kind", "--stream", "--folds", "1", code=2)


def test_large_tables_and_folders_stream_by_themselves(folder, run, monkeypatch):
    path = folder / "table.csv"
    assert not streams.streams(path, None)
    monkeypatch.setattr(streams, "memory", lambda: streams.SHARE * path.stat().st_size - 1)
    assert streams.streams(path, None)
    assert not streams.streams(path, False)
    assert streams.streams(folder, None)
    out = run("fit", str(path), "--target", "kind", "--max-epochs", "3")
    assert "is larger than one eighth of the memory" in " ".join(out.split())
    whole = run("fit", str(path), "--target", "kind", "--learner", "shallow tree", "--folds", "0")
    assert "in batches" not in whole
    assert "cannot learn in batches" in run(
        "fit", str(path), "--target", "kind", "--learner", "max margin", "--stream", code=2
    )


def test_memory_is_that_of_the_machine_or_less(tmp_path, monkeypatch):
    whole = streams.memory()
    limit = tmp_path / "max"
    monkeypatch.setattr(streams, "CGROUP", limit)
    for text, wanted in (("max\n", None), ("1000\n", 1000), ("", None)):
        limit.write_text(text)
        assert streams.memory() == (wanted or streams.memory())
    assert whole > 0
    assert [streams.size_in_words(n) for n in (5, 5_000, 12_400_000, 3 * 10**9)] == [
        "5 bytes",
        "5 kB",
        "12.4 MB",
        "3 GB",
    ]


def test_json_and_checkpoints(folder, run):
    path, point = str(folder / "table.parquet"), folder / "point"
    told = json.loads(
        run(
            "fit",
            path,
            "--target",
            "kind",
            "--checkpoint",
            str(point),
            "--certificate",
            "--json",
            "--max-epochs",
            "3",
        )
    )
    assert told["data"]["rows"] == 600
    assert told["data"]["left_out"] == [{"column": "row", "reason": "counter"}]
    assert told["certificates"]
    assert told["why_not_expected"] is None
    assert told["expected"]["folds"] == 1
    assert 100 < told["expected"]["n_rows"] < 140
    assert not [*folder.glob("point*")]
    for arguments, sentence in [
        (["--checkpoint", path], "--checkpoint names the table itself"),
        (["--checkpoint", str(point), "--no-stream"], "--checkpoint is for tables that are read in batches"),
        (["--checkpoint", str(point), "--learner", "binary"], "takes a few passes and no checkpoint"),
        (["--stream", "--target", "kinds"], "did you mean 'kind'"),
    ]:
        assert sentence in " ".join(run("fit", path, "--target", "kind", *arguments, code=2).split())
    model = str(folder / "model.json")
    run("fit", path, "--target", "kind", "--stream", "--out", model)
    assert "--json lists all predictions at once" in run("predict", model, path, "--stream", "--json", code=2)
