"""The experiment of Sundararajan and Pal: ten random splits 568/200 of Pima, medians of the test risk.

The protocol is that of the experiment (`pima_protocol`); here Chow's rule has two more classifiers.
"""

import os
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from perceptrons import Perceptron
from perceptrons.papers.sundararajan_pal import pima_protocol as protocol
from perceptrons.papers.sundararajan_pal.pima_protocol import (
    CHOW,
    CPLR1,
    CPLR2,
    EXACT,
    FEW_EPOCHS,
    FIRST_SEEDS,
    GAMMAS,
    LIBERAL1,
    LIBERAL2,
    RESTARTS,
    RUNS,
    SPLITS,
    TEST_ROWS,
    Case,
    ModelRisk,
    divided,
    measured,
    split,
)

from .layout import Column, Section

PIMA = "Pima"
AVERAGE, LOGISTIC = "average", "logistic"
NAMES = {
    CHOW: protocol.NAMES[CHOW],
    AVERAGE: "averaged perceptron + Chow",
    LOGISTIC: "logistic regression + Chow",
    **protocol.NAMES,
}
COMPARED = [
    (CPLR1, LIBERAL1),
    (CPLR2, LIBERAL2),
    (CPLR1, CHOW),
    (CPLR2, CHOW),
    (EXACT, CHOW),
    (EXACT, CPLR2),
    (LOGISTIC, CHOW),
]


Found = dict[Case, ModelRisk]


def sections(quick: bool) -> list[Section]:
    name, X, y = _data(quick)
    found = dict(_measured(name, X, y, quick))
    return [_risks(found, _reference() if name == PIMA else {}), _rejections(found), _wins(found)]


def notes(quick: bool) -> list[str]:
    return [
        f"{_data(quick)[0]}: medians over splits of the risk of {TEST_ROWS} test rows. Reference: ranges "
        "over two other sets of ten splits, by an independent implementation. PLR is the best of "
        f"{RUNS} runs of `Perceptron`, {FEW_EPOCHS} epochs each, by training errors; CPLR1 and CPLR2 have "
        f"{RESTARTS} starts and six pairs of step sizes. A liberal counterpart is the same model with bands "
        "of zero.",
    ]


def _data(quick: bool) -> tuple[str, Any, np.ndarray]:
    """What it is called, rows and classes."""
    if quick or not os.environ.get("PERCEPTRONS_DATA"):
        return ("Breast cancer, in place of Pima", *load_breast_cancer(return_X_y=True))
    from perceptrons.datasets import load

    data = load("pima")
    return PIMA, data.X.to_numpy(), data.y


def _measured(name: str, X: Any, y: np.ndarray, quick: bool) -> Iterator[tuple[Case, ModelRisk]]:
    for first in FIRST_SEEDS:
        for seed in range(first, first + (1 if quick else SPLITS)):
            print(f"{name}, split {seed} ...", flush=True)
            rows, gammas = divided(X, y, *split(len(y), seed)), GAMMAS[1::3] if quick else GAMMAS
            yield from measured(rows, seed, gammas, 1 if quick else RESTARTS, _others(seed))


def _others(seed: int) -> dict[str, Any]:
    """What else Chow's rule may take its posteriors from."""
    average = Perceptron(result="average", max_epochs=100, random_state=seed)
    return {AVERAGE: average, LOGISTIC: LogisticRegression()}


def _reference() -> dict[str, list[str]]:
    """The ranges as texts, one number where both ends are the same."""
    return {
        method: ["–".join(f"{end:.3f}" for end in sorted(set(ends))) for ends in ranges]
        for method, ranges in protocol.REFERENCE.items()
    }


def _columns(*before: Column) -> list[Column]:
    return [*before, *(Column(_key(gamma), f"γ = {gamma:g}", "text") for gamma in GAMMAS)]


def _key(gamma: float) -> str:
    return f"{gamma:g}"


def _over_splits(found: Found, method: str, first: int | None, what: str) -> dict[str, list[Any]]:
    """By γ, one value per split; of one set of splits or of all."""
    values = defaultdict(list)
    for case, judged in found.items():
        if case.method == method and first in (None, _first(case.seed)):
            values[_key(case.gamma)].append(getattr(judged, what))
    return dict(values)


def _first(seed: int) -> int:
    """The set of splits a seed belongs to."""
    return max(first for first in FIRST_SEEDS if first <= seed)


def _risks(found: Found, reference: Mapping[str, Sequence[str]]) -> Section:
    columns = _columns(Column("name", "method", "text"), Column("splits", "splits", "text"))
    table = Section("The paper's protocol: median risk of test rows", columns, [])
    for method, name in NAMES.items():
        for first in FIRST_SEEDS:
            values = _over_splits(found, method, first, "risk")
            seeds = sorted({case.seed for case in found if _first(case.seed) == first})
            row = {"id": f"risk {method} {first}", "name": name, "splits": f"{seeds[0]}–{seeds[-1]}"}
            table.rows.append(row | {key: f"{statistics.median(some):.3f}" for key, some in values.items()})
            table.raw[f"{method} {first}"] = values
        if method in reference:
            row = {"id": f"risk {method} reference", "name": name, "splits": "reference"}
            table.rows.append(row | dict(zip(map(_key, GAMMAS), reference[method], strict=False)))
    return table


def _rejections(found: Found) -> Section:
    columns = _columns(Column("name", "method", "text"), Column("what", "of all splits", "text"))
    table = Section("How much is rejected", columns, [])
    for method in (CHOW, AVERAGE, LOGISTIC, CPLR1, CPLR2, EXACT):
        shares = _over_splits(found, method, None, "rejected")
        row = {"id": f"rejected {method}", "name": NAMES[method], "what": "median share rejected"}
        table.rows.append(
            row | {key: f"{100 * statistics.median(some):.3g} %" for key, some in shares.items()}
        )
        table.raw[f"rejected {method}"] = shares
    for method in (CPLR1, CPLR2, EXACT):
        zeros = _over_splits(found, method, None, "zero")
        silent = {
            key: [share == 0 for share in some] for key, some in table.raw[f"rejected {method}"].items()
        }
        for what, text, cases in (("zero", "both bands 0", zeros), ("none", "no row rejected", silent)):
            row = {"id": f"{what} {method}", "name": NAMES[method], "what": text}
            table.rows.append(row | {key: f"{sum(some)} of {len(some)}" for key, some in cases.items()})
        table.raw[f"zero {method}"] = zeros
    return table


def _wins(found: Found) -> Section:
    columns = _columns(Column("name", "method", "text"), Column("other", "beside", "text"))
    table = Section("Split by split: lower risk than the other / the same / higher", columns, [])
    for one, other in COMPARED:
        mine, theirs = (_over_splits(found, method, None, "risk") for method in (one, other))
        gaps = {key: [round(a - b, 9) for a, b in zip(mine[key], theirs[key], strict=True)] for key in mine}
        row = {"id": f"wins {one} {other}", "name": NAMES[one], "other": NAMES[other]}
        table.rows.append(row | {key: _counted(some) for key, some in gaps.items()})
        table.raw[f"{one} − {other}"] = gaps
    return table


def _counted(gaps: list[float]) -> str:
    return " / ".join(
        str(sum(sign * gap < 0 for gap in gaps)) if sign else str(gaps.count(0)) for sign in (1, 0, -1)
    )
