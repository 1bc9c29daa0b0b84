"""Experiments: what a document holds, how claims are judged, how work is spread, and OR itself."""

import copy
import json
import re
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from perceptrons import Perceptron
from perceptrons.papers import result_files as document
from perceptrons.papers import runner
from perceptrons.papers.experiment import (
    ExperimentResult,
    Inputs,
    in_turn,
    incomparable,
    judged,
    near,
    spread,
)
from perceptrons.papers.honavar import honavar_or
from perceptrons.papers.honavar.or_pictures import are_right
from perceptrons.papers.pictures import files, renamed
from perceptrons.papers.runner import EXPERIMENTS, experiment, in_parallel, reproduce
from tests import experiments

NAMES = ("data", "run", "check", "draw", "PAPER", "TITLE", "HEIGHT")


@pytest.fixture(scope="module")
def result():
    return reproduce("honavar-or", quick=True)


@pytest.mark.parametrize("name", experiments.NAMES)
def test_every_experiment_has_the_same_form(name):
    module = experiment(name)
    assert all(hasattr(module, part) for part in NAMES)
    assert module.__doc__
    assert EXPERIMENTS[name].startswith(module.PAPER.split(",")[0].split(" et al")[0])


def test_unknown_names_are_refused_in_words():
    with pytest.raises(ValueError, match="no experiment 'golea'; choose all, or of honavar-or, moran"):
        experiment("golea")


def test_a_number_is_near_by_its_tolerance_or_two_standard_errors():
    rough, exact = [90.0, 92.0, 91.0, 93.0], [93.1, 93.1, 93.1]
    assert near("x", 92.4, rough, 1.0).verdict == "reproduced"  # 0.9 off
    assert near("x", 92.7, rough, 1.0).verdict == "reproduced"  # 1.2 off, standard error 0.645
    assert near("x", 92.8, rough, 1.0).verdict == "not reproduced"
    assert near("x", 92.0, exact, 1.0).verdict == "not reproduced"
    assert near("x", 92.0, [93.1], 1.0).verdict == "not reproduced"  # one number has no error to hide behind
    claim = near("x", 92.0, rough, 0.5, unit=" %", main=True)
    assert (claim.paper, claim.ours, claim.main) == ("92.0 %", "91.5 ± 1.3 %", True)
    assert claim.rule == "within 0.5 % or two standard errors (1.29 %)"


def test_other_verdicts():
    assert judged(False, "x", "1", "2", "equal").verdict == "not reproduced"
    assert incomparable("x", "1", "2", "other data").verdict == "not comparable"
    assert spread([2.0]) == "2.0"


def test_the_document_says_what_it_hangs_on(result):
    assert result["command"] == "perceptrons reproduce honavar-or --quick"
    assert result["settings"]["seeds"] == list(range(5))
    assert document.stem(result) == "honavar-or-quick"
    assert {"python", "perceptrons", "numpy", "scikit-learn", "numba"} <= set(result["versions"])
    assert set(result["measured"]) == {"date", "seconds", "machine"}
    assert json.loads(document.as_text(result)) == result
    assert all(len({*table["heads"]}) == len(table["heads"]) for table in result["tables"])


def test_two_runs_give_the_same_document(result):
    again = reproduce("honavar-or", quick=True)
    one, other = (
        {key: value for key, value in each.items() if key != "measured"} for each in (result, again)
    )
    assert one == other


def test_files_are_written_and_drawn_alike(result, tmp_path):
    first = {path.suffix: path.read_bytes() for path in runner.write(result, tmp_path)}
    second = {path.suffix: path.read_bytes() for path in runner.write(result, tmp_path)}
    assert first == second
    assert set(first) == {".json", ".md", ".svg", ".png"}
    assert json.loads(first[".json"]) == result
    assert first[".svg"].startswith(b"<?xml")
    assert first[".png"].startswith(b"\x89PNG")
    page = first[".md"].decode()
    assert "![OR, learned correction by correction](honavar-or-quick.svg)" in page
    assert "| 4, 13 | 4, 13 | reproduced | equal, and so are W·X" in page


def _documented(values):
    """The document of an experiment with these values, and what its claims were judged by."""
    seen = []
    module = SimpleNamespace(PAPER="x", TITLE="y", check=lambda values: seen.append(values) or [])
    return document.document("x", module, Inputs({}), ExperimentResult([], values), True, 0.0), *seen


def test_claims_are_judged_by_what_a_file_can_hold():
    made, seen = _documented({"pair": (1, 2), "of": {3: 4.0}})
    assert seen == made["values"] == {"pair": [1, 2], "of": {"3": 4.0}}
    with pytest.raises(ValueError, match="not JSON compliant"):
        _documented({"share": float("nan")})


def test_pictures_do_not_hang_on_the_users_settings(result):
    def drawn():
        def paint(figure):
            honavar_or.draw(figure, result["values"])

        return dict(files(paint, honavar_or.HEIGHT, ("svg", "png")))

    plain = drawn()
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "xtick.labelsize": 30}):
        assert drawn() == plain
        assert matplotlib.rcParams["font.size"] == 30


def clipped(name, width):
    """An SVG that names a thing and refers to it."""
    rows = f'<path clip-path="url(#{name})"/>', f'<clipPath id="{name}"><rect width="{width}"/></clipPath>'
    return "\n".join(rows).encode()


def test_names_in_a_picture_come_from_what_it_shows():
    first, other = renamed(clipped("p0123456789", 7)), renamed(clipped("p0123456789", 8))
    assert first == renamed(clipped("pabcdef0123", 7)) == renamed(first)  # whatever the names were
    names = [re.findall(rb"p[0-9a-f]{10}", svg) for svg in (first, other)]
    assert [len(found) for found in names] == [2, 2]
    assert len({*names[0], *names[1]}) == 2  # so that both may stand on one page
    assert renamed(b"<svg/>") == b"<svg/>"


def test_pages_escape_what_would_end_a_cell():
    assert document.markdown(["a"], [["|w|"]]) == "| a |\n| --- |\n| \\|w\\| |"


def test_checked_data_are_named(result):
    with_data = {**copy.deepcopy(result), "data": {"voting": "0123456789abcdef" * 4}}
    assert document.source(with_data).endswith("Data (SHA-256): voting 0123456789ab….")


def _threads(_):
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_a_task_has_one_thread_and_leaves_the_others_to_the_rest():
    with threadpool_limits(2):
        assert _threads(None) == {2}
        assert in_turn(_threads, [None]) == [{1}]
        assert _threads(None) == {2}


def _square(number):
    return number**2


@pytest.mark.slow
def test_work_in_other_processes_gives_the_same_answers_in_order():
    told = []
    each = in_parallel(2, lambda *counts: told.append(counts))
    assert each(_square, list(range(7))) == in_turn(_square, list(range(7))) == [n**2 for n in range(7)]
    assert told == [(done, 7) for done in range(8)]


def test_or_comes_out_as_printed(result):
    verdicts = [claim["verdict"] for claim in result["claims"]]
    assert verdicts == [
        *["reproduced"] * 5,
        "not reproduced",
        *["reproduced"] * 3,
        "not reproduced",
        "reproduced",
    ]
    W, path = np.zeros(3), [[0, 0, 0]]
    for turn in range(13):  # the chapter's loop
        X, c = np.array([1, *honavar_or.PATTERNS[turn % 4]]), honavar_or.TARGETS[turn % 4]
        change = c - int(W @ X > 0)
        line = {"pattern": turn % 4 + 1, "score": W @ X, "output": c - change, "target": c}
        assert result["values"]["lines"][turn] == {**line, "corrected": bool(change)}
        W = W + change * X
        path += [W.tolist()] * bool(change)
    assert path == honavar_or.PATH == result["values"]["path"]
    assert len(result["values"]["lines"]) == 13


class _Reversed(Perceptron):
    """Visits the patterns from the last to the first."""

    def fit(self, X, y, **start):
        return super().fit(X[::-1], y[::-1], **start)


class _Lazy(Perceptron):
    """Stops after one pass."""

    def fit(self, X, y, **start):
        self.max_epochs = 1
        return super().fit(X, y, **start)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("broken", "claim"), [(_Reversed, 1), (_Lazy, 4), (_Lazy, 10), (_Lazy, 8)])
def test_broken_perceptrons_are_noticed(monkeypatch, broken, claim):
    monkeypatch.setattr(honavar_or, "Perceptron", broken)
    found = honavar_or.run(Inputs({"seeds": [0, 1]}), in_turn)
    assert honavar_or.check(found.values)[claim].verdict == "not reproduced"


def test_a_broken_path_is_noticed(result):
    values = copy.deepcopy(result["values"])
    values["path"][2] = [0.0, 1.0, 1.0]
    assert honavar_or.check(values)[0].verdict == "not reproduced"


BOUND, RATES, PRINTED = 2, 3, 9  # claims, by their places


@pytest.mark.parametrize(
    ("claim", "key", "found", "verdict"),
    [
        (BOUND, "updates", {"1": 27}, "reproduced"),
        (BOUND, "updates", {"1": 28}, "not reproduced"),
        (RATES, "updates", {"0.125": 5, "1": 5, "8": 5}, "reproduced"),
        (RATES, "updates", {"8": 5}, "not reproduced"),
        (PRINTED, "first step as printed", {"absolute": 1.0}, "not reproduced"),
        (PRINTED, "first step as printed", {"absolute": 1.0, "fractional": 0.5}, "reproduced"),
    ],
)
def test_other_numbers_of_or_change_the_verdict(result, claim, key, found, verdict):
    values = {**result["values"], key: result["values"][key] | found}
    assert values[key].keys() == result["values"][key].keys()
    assert honavar_or.check(values)[claim].verdict == verdict


def test_one_panel_for_each_correction(result):
    seen = []

    def paint(figure):
        honavar_or.draw(figure, result["values"])
        seen.extend(axes.get_title(loc="left") for axes in figure.axes)

    assert [suffix for suffix, _ in files(paint, honavar_or.HEIGHT, ("svg",))] == ["svg"]
    titles = ["1.  W = [1 0 1]", "2.  W = [0 0 1]", "3.  W = [1 1 1]", "4.  W = [0 1 1]"]
    assert [title for title in seen if title.startswith(("1", "2", "3", "4"))] == titles
    assert [title for title in seen if title.startswith("cut")] == ["cut at w₀ = 1", "cut at w₀ = 0"] * 2
    assert sum(title.startswith("A run of ") for title in seen) == 1


def test_the_shaded_weights_are_right_about_all_patterns():
    """The lines are those of the patterns, so the border of what is shaded need not be tested."""
    first, second = np.meshgrid(np.arange(-1.75, 2, 0.5), np.arange(-1.75, 2, 0.5))
    for bias in (0.0, 1.0, -0.25):
        right = are_right(bias, first, second, honavar_or.PATTERNS, honavar_or.TARGETS)
        for place in np.ndindex(first.shape):
            W = np.array([bias, first[place], second[place]])
            outputs = [int(W @ [1, *pattern] > 0) for pattern in honavar_or.PATTERNS]
            assert right[place] == (outputs == honavar_or.TARGETS)
        assert right.any() == (bias <= 0)
