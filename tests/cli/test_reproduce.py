"""`perceptrons reproduce`: lists, runs, writes, and says what is wrong before it works."""

import json
import os
import re

import pytest

from perceptrons.papers import pictures, runner
from perceptrons.papers.experiment import Inputs, NotHere, in_turn, judged
from perceptrons.papers.honavar import honavar_or
from perceptrons.papers.runner import EXPERIMENTS

FILES = {f"honavar-or-quick.{suffix}" for suffix in ("json", "md", "svg", "png")}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def test_without_a_name_all_are_listed(command, tmp_path):
    code, out, err = command("reproduce")
    assert (code, err) == (0, "")
    assert all(name in out for name in EXPERIMENTS)
    assert not list(tmp_path.iterdir())
    code, out, _ = command("reproduce", "--json")
    assert list(json.loads(out)["experiments"]) == list(EXPERIMENTS)


def test_tables_and_verdicts_are_printed_and_kept(command, tmp_path):
    code, out, err = command("reproduce", "honavar-or", "--quick", "--jobs", 1)
    assert (code, err) == (0, "")
    assert "4                X1  [0 1 1]   [0 1 1]" in out
    assert out.count("not reproduced") == 2
    assert "(quick: small sizes, a first look)" in out
    assert "In reproduced: honavar-or-quick.json, .svg, .png, and .md" in out
    assert {path.name for path in (tmp_path / "reproduced").iterdir()} == FILES


def test_one_json_object_for_machines(command, tmp_path):
    code, out, err = command("reproduce", "honavar-or", "--quick", "--json", "--out", "a/b")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["verdicts"] == {"reproduced": 9, "not reproduced": 2}
    assert told["results"] == [json.loads((tmp_path / "a" / "b" / "honavar-or-quick.json").read_text())]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["honavar"], "There is no experiment 'honavar'; choose all, or of honavar-or, moran-margins"),
        (["honavar-or", "moran-cifar"], "There is no experiment 'moran-cifar'"),
        (["all", "honavar"], "There is no experiment 'honavar'"),
        (
            ["honavar-or", "--out", "file"],
            "--out is file, but nothing can be written to file; name another folder.",
        ),
        (["honavar-or", "--out", "file/a"], "--out is file/a, but nothing can be written to "),
        (["honavar-or", "--jobs", "0"], "Invalid value for '--jobs'"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_run(command, tmp_path, arguments, complaint):
    (tmp_path / "file").write_text("kept")
    code, out, err = command("reproduce", *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_may_not_be_written_to_is_refused_before_the_work(command, tmp_path, monkeypatch):
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: access(path, mode) and (mode != os.W_OK or path.name != "closed")
    )
    (tmp_path / "closed").mkdir()
    for folder in ("closed", "closed/a"):
        code, out, err = command("reproduce", "honavar-or", "--quick", "--out", folder)
        assert (code, out) == (2, "")
        assert f"--out is {folder}, but nothing can be written to" in err
    assert not list((tmp_path / "closed").iterdir())


def test_a_name_given_twice_is_run_once(command):
    code, out, _ = command("reproduce", "honavar-or", "honavar-or", "--quick", "--json")
    assert code == 0
    assert len(json.loads(out)["results"]) == 1


@pytest.mark.parametrize(("arguments", "n_jobs"), [(["--jobs", 3], 3), ([], -1)])
def test_as_many_processes_as_asked_for(command, monkeypatch, arguments, n_jobs):
    asked = []
    monkeypatch.setattr(runner, "in_parallel", lambda jobs, tell: asked.append(jobs) or in_turn)
    assert command("reproduce", "honavar-or", "--quick", *arguments)[0] == 0
    assert asked == [n_jobs]


def test_checks_of_our_own_are_shown_but_not_counted(command, monkeypatch):
    claims = [judged(True, "theirs", "1", "1", "equal"), judged(True, "ours", "1", "1", "=", of_paper=False)]
    monkeypatch.setattr(honavar_or, "check", lambda values: claims)
    told = json.loads(command("reproduce", "honavar-or", "--quick", "--json")[1])
    assert told["verdicts"] == {"reproduced": 1}
    assert [claim["text"] for claim in told["results"][0]["claims"]] == ["theirs", "ours"]


def test_what_this_machine_cannot_do_is_left_out_of_all_but_refused_by_name(command, monkeypatch):
    class Elsewhere:
        @staticmethod
        def data(quick):
            raise NotHere("elsewhere needs a GPU.")

    load = runner.experiment
    monkeypatch.setattr(runner, "EXPERIMENTS", {"elsewhere": "an experiment", "honavar-or": "another"})
    monkeypatch.setattr(runner, "experiment", lambda name: Elsewhere if name == "elsewhere" else load(name))
    code, out, err = command("reproduce", "all", "--quick")
    assert (code, err) == (0, "")
    assert out.rstrip().endswith("Left out: elsewhere needs a GPU.")
    told = json.loads(command("reproduce", "all", "--quick", "--json")[1])
    assert (told["left out"], told["failed"]) == ({"elsewhere": "elsewhere needs a GPU."}, {})
    for names in (["elsewhere"], ["elsewhere", "honavar-or"]):
        code, _, err = command("reproduce", *names, "--quick")
        assert code == 2
        assert "elsewhere needs a GPU." in err


def test_data_that_cannot_be_loaded_stop_one_experiment_but_not_the_others(command, tmp_path, monkeypatch):
    monkeypatch.setitem(runner.EXPERIMENTS, "no-data", "an experiment")
    load = runner.experiment

    class NoData:
        @staticmethod
        def data(quick):
            raise OSError("The data set 'x' cannot be loaded: go online.")

    monkeypatch.setattr(runner, "experiment", lambda name: NoData if name == "no-data" else load(name))
    code, out, err = command("reproduce", "no-data", "honavar-or", "--quick")
    assert code == 2
    assert "OR, learned correction by correction" in out
    assert "no-data could not be run: The data set 'x' cannot be loaded: go online." in err
    assert {path.name for path in (tmp_path / "reproduced").iterdir()} == FILES
    code, out, err = command("reproduce", "no-data", "--out", "none")
    assert (code, out) == (2, "")
    assert err == "perceptrons: The data set 'x' cannot be loaded: go online.\n"
    assert not (tmp_path / "none").exists()


def test_all_runs_all(command, monkeypatch):
    monkeypatch.setattr(runner, "EXPERIMENTS", {name: name for name in ("honavar-or", "again-or")})
    monkeypatch.setattr(runner, "experiment", lambda name: honavar_or)
    monkeypatch.setattr(honavar_or, "data", lambda quick: Inputs({"seeds": [0]}))
    code, out, _ = command("reproduce", "all")
    assert code == 0
    assert "22 claims of the papers: 18 reproduced, 4 not reproduced." in out


def test_without_matplotlib_nothing_begins(command, tmp_path, monkeypatch):
    def missing():
        raise ImportError('Figures need matplotlib: pip install "perceptrons[app]".')

    monkeypatch.setattr(pictures, "styled", missing)
    code, out, err = command("reproduce", "honavar-or")
    assert (code, out) == (2, "")
    assert "pip install" in err
    assert not list(tmp_path.iterdir())


def test_columns_that_do_not_fit_a_narrow_terminal_go_to_a_second_table(command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    code, out, _ = command("reproduce", "honavar-or", "--quick")
    assert code == 0
    heads = [re.split(r" {2,}", line) for line in out.splitlines() if line.startswith("step ")]
    assert heads[:2] == [["step 1", "pattern", "W", "W·X"], ["step 1", "output, target", "W after"]]
    assert heads[2:] == [["step", "sets separated"], ["step", "corrections, median"]]
    assert max(map(len, out.splitlines())) <= 40


def test_two_columns_of_one_name_are_refused():
    from perceptrons.cli.show import table

    with pytest.raises(AssertionError, match="the same head"):
        table(["a", "b", "a"], [["1", "2", "3"]])
