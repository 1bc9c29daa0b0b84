"""Sundararajan, Pal, *A Conservative Approach to Perceptron Learning*, Section 4: rejections on Pima.

The protocol is written in `pima_protocol`, how claims are judged in `pima_claims`.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...datasets import load
from ..experiment import Each, ExperimentResult, Inputs, ResultTable, Values
from ..pictures import BLUE, GRAY, INK, ORANGE, PALE
from .pima_claims import COMPARED, HALF, column_of, count_signs, gaps_of, reference_range
from .pima_claims import check as check
from .pima_protocol import (
    ALWAYS,
    CHOW,
    CPLR1,
    CPLR2,
    EXACT,
    FIRST_SEEDS,
    GAMMAS,
    LIBERAL1,
    LIBERAL2,
    NAMES,
    REFERENCE,
    RESTARTS,
    SPLITS,
    divided,
    measured,
    split,
)

PAPER = "Sundararajan, Pal"
TITLE = "Rejections on Pima: CPLR beside its liberal counterpart and Chow's rule"
HEIGHT = 3.0
LINES = {CHOW: (BLUE, "-"), CPLR1: (INK, "--"), CPLR2: (ORANGE, "-")}


class SplitTask(NamedTuple):
    X: Any
    y: Any
    seed: int
    gammas: Sequence[float]
    n_restarts: int


def data(quick: bool) -> Inputs:
    pima = load("pima")
    n_splits, gammas, n_restarts = (3, (0.1, 0.3, 0.5, 0.6), 4) if quick else (SPLITS, GAMMAS, RESTARTS)
    settings = {
        "seeds": [first + k for first in FIRST_SEEDS for k in range(n_splits)],
        "gammas": list(gammas),
        "n_restarts": n_restarts,
    }
    return Inputs(settings, {"pima": (pima.X.to_numpy(), pima.y)}, {"pima": pima.digest})


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    X, y = inputs.sets["pima"]
    seeds, gammas, n_restarts = (inputs.settings[key] for key in ("seeds", "gammas", "n_restarts"))
    found = each(_one_split, [SplitTask(X, y, seed, gammas, n_restarts) for seed in seeds])
    values: Values = {"seeds": seeds, "gammas": gammas}
    for what in ("risk", "rejected", "zero"):  # by method: a row per split, a column per cost
        values[what] = {method: [one[method][what] for one in found] for method in NAMES}
    return ExperimentResult([_risks(values), _wins(values), _bands(values)], values)


def _one_split(task: SplitTask) -> dict[str, dict[str, list[Any]]]:
    """By method risks, shares rejected, and whether the bands are 0, for each cost."""
    rows = divided(task.X, task.y, *split(len(task.y), task.seed))
    found = list(measured(rows, task.seed, task.gammas, task.n_restarts))
    by_method = {method: [judged for case, judged in found if case.method == method] for method in NAMES}
    return {
        method: {what: [getattr(one, what) for one in some] for what in ("risk", "rejected", "zero")}
        for method, some in by_method.items()
    }


def _heads(values: Values, *first: str) -> list[str]:
    return [*first, *(f"γ = {gamma:g}" for gamma in values["gammas"])]


def _risks(values: Values) -> ResultTable:
    rows = []
    for method, name in NAMES.items():
        for first, last in zip(FIRST_SEEDS, (*FIRST_SEEDS[1:], math.inf), strict=True):
            seeds = [seed for seed in values["seeds"] if first <= seed < last]
            risks = [row for seed, row in _by_seed(values, method) if seed in seeds]
            if risks:
                medians = [f"{statistics.median(some):.3f}" for some in zip(*risks, strict=True)]
                rows.append([name, f"{seeds[0]}–{seeds[-1]}", *medians])
        if method in REFERENCE:
            rows.append([name, "reference", *_reference(values, method)])
    return ResultTable("Median risk of test rows, by set of splits", _heads(values, "method", "splits"), rows)


def _by_seed(values: Values, method: str) -> Iterator[tuple[int, list[float]]]:
    return zip(values["seeds"], values["risk"][method], strict=True)


def _reference(values: Values, method: str) -> list[str]:
    return [
        "–".join(f"{end:.3f}" for end in sorted(set(reference_range(method, gamma))))
        if gamma <= HALF
        else "–"
        for gamma in values["gammas"]
    ]


def _wins(values: Values) -> ResultTable:
    rows = []
    for one, other in COMPARED:
        signs = [count_signs(gaps_of(values, one, other, gamma)) for gamma in values["gammas"]]
        cells = [f"{lower} / {higher}" for lower, higher in signs]
        rows.append([NAMES[one], NAMES[other], *cells])
    title = f"Of {len(values['seeds'])} splits: lower / higher risk than the other"
    return ResultTable(title, _heads(values, "method", "beside"), rows)


def _bands(values: Values) -> ResultTable:
    rows = []
    for method in (CHOW, CPLR1, CPLR2, EXACT):
        shares = [column_of(values, method, gamma, "rejected") for gamma in values["gammas"]]
        rows.append(
            [NAMES[method], "median share rejected", *(f"{statistics.median(s):.0%}" for s in shares)]
        )
        if method != CHOW:
            zeros = [column_of(values, method, gamma, "zero") for gamma in values["gammas"]]
            rows.append([NAMES[method], "both bands 0", *(f"{sum(z)} of {len(z)}" for z in zeros)])
    return ResultTable("How much is rejected", _heads(values, "method", "what"), rows)


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2)
    gammas = np.array(values["gammas"])
    risks = {method: np.array(found) for method, found in values["risk"].items()}
    _draw_medians(left, gammas, risks)
    _draw_gaps(right, gammas, risks)
    for axes in (left, right):
        axes.axvspan(HALF, gammas[-1] + 0.04, color=PALE, zorder=0, lw=0)
        axes.set(xlim=(gammas[0] - 0.04, gammas[-1] + 0.04), xticks=gammas, xlabel="cost of a rejection, γ")


def _draw_medians(axes: Any, gammas: Any, risks: dict[str, Any]) -> None:
    for liberal, method in ((ALWAYS, CHOW), (LIBERAL1, CPLR1), (LIBERAL2, CPLR2)):
        color, _ = LINES[method]
        axes.plot(gammas, np.median(risks[liberal], axis=0), color=color, lw=0.8, ls=":")
    for method, (color, line) in LINES.items():
        axes.plot(
            gammas,
            np.median(risks[method], axis=0),
            line,
            marker="o",
            ms=3,
            color=color,
            label=NAMES[method],
        )
    axes.text(gammas[0], 0.345, "dotted: the same, always answering", color=GRAY, fontsize=8, va="center")
    axes.legend(loc="lower right")
    axes.set(ylim=(0, 0.36), title="risk of rows not learned from: medians")


def _draw_gaps(axes: Any, gammas: Any, risks: dict[str, Any]) -> None:
    """What the conservative rules cost beyond PLR + Chow: medians, quartiles of the splits' differences."""
    for shift, method in ((-0.012, CPLR1), (0.012, CPLR2)):
        color, line = LINES[method]
        low, middle, high = np.quantile(risks[method] - risks[CHOW], (0.25, 0.5, 0.75), axis=0)
        axes.vlines(gammas + shift, low, high, color=color, lw=3, alpha=0.3)
        axes.plot(gammas + shift, middle, line, marker="o", ms=3, color=color)
    axes.axhline(0, color=BLUE)
    axes.set_title("minus that of PLR + Chow: medians, quartiles")
    axes.text(
        gammas[-1] + 0.03,
        axes.get_ylim()[0],
        "not in\nthe paper",
        color=GRAY,
        fontsize=8,
        ha="right",
        va="bottom",
    )
