"""The benchmarks: the clockwork, and that each of them runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import RESULTS, ROOT, conservative_pima
from benchmarks.conservative_pima import Case, ModelRisk
from benchmarks.layout import Column, Section, markdown, plain, show
from benchmarks.timing import Times, interleave
from tests.jit import JIT
from tools.benchmark_tables import SHORT, render

NAMES = (
    "binary",
    "boosting",
    "certificates",
    "classes",
    "conservative",
    "dask",
    "defaults",
    "deployed",
    "everyday",
    "families",
    "first_call",
    "gpu",
    "growth",
    "memory",
    "neural",
    "orders",
    "promises",
    "rare_class",
    "rules",
    "scorecards",
    "streams",
    "sweeps",
)


class FakeClock:
    """Time passes only where somebody says so."""

    def __init__(self) -> None:
        self.now, self.calls = 0.0, []

    def spend(self, name: str, seconds: list[float]):
        """A competitor that takes these seconds, one after the other, whenever it is called."""
        left = iter(seconds)

        def competitor() -> None:
            self.calls.append(name)
            self.now += next(left)

        return competitor

    def __call__(self) -> float:
        return self.now


def test_competitors_take_turns_and_the_first_round_does_not_count():
    clock = FakeClock()
    competitors = {
        "a": clock.spend("a", [100.0, 1.0, 2.0, 4.0]),
        "b": clock.spend("b", [100.0, 3.0, 2.0, 20.0]),
    }
    times = interleave(competitors, rounds=3, clock=clock)
    assert times.seconds == {"a": [1.0, 2.0, 4.0], "b": [3.0, 2.0, 20.0]}
    rounds = ["".join(clock.calls[k : k + 2]) for k in range(0, 8, 2)]
    assert set(rounds) == {"ab", "ba"}  # everybody once per round, not always in the same order
    assert times.median("b") == 3.0
    assert times.ratio("b", "a") == 3.0  # of 3, 1 and 5; the ratio of the medians would be 1.5


def test_preparation_is_not_timed():
    clock = FakeClock()
    prepare = {"a": clock.spend("prepare", [7.0] * 3)}
    times = interleave({"a": clock.spend("a", [1.0] * 3)}, rounds=2, prepare=prepare, clock=clock)
    assert times.seconds == {"a": [1.0, 1.0]}
    assert clock.calls == ["prepare", "a"] * 3


def test_short_runs_are_repeated_and_their_mean_counts():
    clock = FakeClock()
    competitors = {
        "a": clock.spend("a", [9.0, 1.0, *[1.0, 2.0, 3.0], *[4.0, 5.0, 6.0]]),  # cold, warm, and both rounds
        "b": clock.spend("b", [9.0, 4.0, 8.0, 5.0]),
    }
    times = interleave(competitors, rounds=2, clock=clock, least=3.5)
    assert times.seconds == {"a": [2.0, 5.0], "b": [8.0, 5.0]}


def test_an_epoch_is_a_difference_of_fits_and_noise_gives_no_ratio():
    times = Times({"3": [7.0, 9.0], "1": [3.0, 1.0], "peer": [4.0, 4.0]})
    times.add_difference("epoch", "3", "1", parts=2)
    assert times.seconds["epoch"] == [2.0, 4.0]
    assert times.ratio("peer", "epoch") == 1.5
    assert Times({"peer": [1.0, 1.0], "epoch": [-0.1, 0.5]}).ratio("peer", "epoch") is None


def test_values_as_a_reader_wants_them():
    shown = [
        show(0.0123, "time"),
        show(0.5, "percent"),
        show(1e-7, "percent"),
        show(None, "ratio"),
        show(True, "text"),
        show(1e6, "count"),
    ]
    assert shown == ["12.3 ms", "50 %", "< 0.001 %", "–", "yes", "1,000,000"]
    table = Section(
        "Title", [Column("name", "rows", "text"), Column("s", "fit", "time")], [{"name": "a", "s": 2.0}]
    )
    assert markdown(table) == "| rows | fit |\n| --- | ---: |\n| a | 2 s |"
    assert plain(table).splitlines() == ["Title", "-----", "rows  fit", "a     2 s"]


def test_risks_rejections_and_wins_are_counted_split_by_split():
    """Three splits in the first set, one in the second; all methods fare alike but one."""
    found = {
        Case(method, seed, 0.2): ModelRisk(0.5, 0.25, False)
        for method in conservative_pima.NAMES
        for seed in (0, 1, 2, 100)
    }
    for seed, risk in ((0, 0.1), (1, 0.5), (2, 0.3), (100, 0.6)):
        found[Case("cplr2", seed, 0.2)] = ModelRisk(risk, 0.0, seed > 0)
    reference = {"cplr2": ("one", "two")}
    risks, rejections, wins = (
        {row["id"]: row for row in section.rows}
        for section in (
            conservative_pima._risks(found, reference),
            conservative_pima._rejections(found),
            conservative_pima._wins(found),
        )
    )
    assert [risks[f"risk cplr2 {first}"]["0.2"] for first in (0, 100)] == ["0.300", "0.600"]
    assert [risks[f"risk cplr2 {first}"]["splits"] for first in (0, 100)] == ["0–2", "100–100"]
    assert risks["risk cplr2 reference"]["0.2"] == "two"
    assert [rejections[f"rejected {method}"]["0.2"] for method in ("chow", "cplr2")] == ["25 %", "0 %"]
    assert [rejections[f"{what} cplr2"]["0.2"] for what in ("zero", "none")] == ["3 of 4", "4 of 4"]
    assert wins["wins cplr2 chow"]["0.2"] == "2 / 1 / 1"
    assert wins["wins exact cplr2"]["0.2"] == "1 / 1 / 2"


def test_splits_are_random_and_share_no_row():
    splits = [conservative_pima.split(768, seed) for seed in (0, 1)]
    for train, test in splits:
        assert (len(train), len(test)) == (568, 200)
        assert sorted([*train, *test]) == list(range(768))
    assert set(splits[0][1]) != set(splits[1][1])


def test_fits_grow_with_the_rows_as_the_page_says():
    """From 10⁵ to 10⁶ rows 8 to 12 times the time, in the result on the page."""
    (section,) = json.loads((RESULTS / "growth.json").read_text(encoding="utf-8"))["sections"]
    growths = {row["id"]: 10 * row["r2"] / row["r1"] for row in section["rows"]}
    assert len(growths) >= 9
    assert all(7.5 < growth < 12.5 for growth in growths.values()), growths


# Each command with the result it must write; without the JIT there is nothing to time.
COMMANDS = [((), None)]
for name in NAMES if JIT else ():
    needs = {"neural": [pytest.mark.torch], "deployed": [pytest.mark.export], "dask": [pytest.mark.dask]}
    marks = [pytest.mark.slow, *needs.get(name, [])]
    COMMANDS.append(pytest.param((name, "--quick"), name, marks=marks))


@pytest.mark.parametrize(("arguments", "name"), COMMANDS, ids=lambda value: str(value))
def test_the_command_runs(arguments: tuple[str, ...], name: str | None, tmp_path: Path):
    path = tmp_path / "result.json"
    extra = ("--json", str(path)) if name else ()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments, *extra],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if name is None:
        assert [line.split()[0] for line in done.stdout.splitlines()] == [
            "sweeps",
            "memory",
            "classes",
            "first_call",
            "max_margin",
            "boosting",
            "rules",
            "frontier",
            "orders",
            "scorecards",
            "conservative",
            "binary",
            "neural",
            "everyday",
            "families",
            "rare_class",
            "growth",
            "gpu",
            "certificates",
            "streams",
            "dask",
            "promises",
            "deployed",
            "defaults",
        ]
        return
    result = json.loads(path.read_text(encoding="utf-8"))
    assert result["quick"]
    assert result["machine"]["cpu"]
    assert {"python", "numpy", "scipy", "scikit-learn", "numba", "perceptrons"} <= set(result["versions"])
    ids = [row["id"] for section in result["sections"] for row in section["rows"]]
    assert len(ids) == len(set(ids)) > 0
    assert {one for one in SHORT[name].rows or () if "cuda" not in one} <= set(ids)  # no GPU in quick runs
    assert all(section["raw"] for section in result["sections"])
    assert render(result, "short").count("\n|") <= render(result).count("\n|")
