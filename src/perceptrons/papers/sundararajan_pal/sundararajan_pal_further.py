"""Sundararajan and Pal, Section 5: what they leave to further work, on Pima.

Beside CPLR2 and the perceptron with Chow's rule stand a support vector machine with a band that is trained
for the costs (`double_hinge`), bands of least training risk around the plain perceptron, a threshold for each
class, and a vote of perceptrons that may reject. Then the width of the band and the number of rows: bands
that CPLR2 learned from ever more rows are multiplied by factors, of which half of the splits pick the best,
and the other half say what it is worth.

Splits, costs and what is measured are those of `pima_protocol`.
"""

import statistics
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..._types import Array
from ...conservative.bands import best_bands
from ...conservative.chow_classifier import ChowClassifier
from ...datasets import load
from ...rejection.costs import Prices
from ..experiment import Claim, Each, ExperimentResult, Inputs, ResultTable, Values, judged
from ..pictures import BLUE, GRAY, INK, ORANGE
from .double_hinge import DoubleHinge
from .pima_claims import LEVEL, count_signs, sign_test
from .pima_protocol import AsLearned, BestOfRuns, divided, posteriors_of, split

PAPER = "Sundararajan, Pal"
TITLE = "Bands trained for the costs, per class, and by vote; and from how many rows"
HEIGHT = 3.0
CHOW, CPLR2, HINGE, CLASSES, VOTE = (
    "PLR + Chow",
    "CPLR2",
    "SVM, double hinge",
    "PLR, a threshold per class",
    "vote of CPLR2",
)
METHODS = (CHOW, CPLR2, HINGE, CLASSES, VOTE)
GAMMAS = (0.1, 0.2, 0.3, 0.4, 0.5)
SIZES, SHOWN = (50, 100, 200, 400, 568), 0.2  # rows to learn from; the cost of a rejection
FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
RESTARTS, VOTERS = 8, 11


class FurtherTask(NamedTuple):
    X: Any
    y: Any
    seed: int
    gammas: list[float]
    sizes: list[int]


def data(quick: bool) -> Inputs:
    pima = load("pima")
    settings = {
        "seeds": list(range(4 if quick else 20)),
        "gammas": [0.1, 0.3] if quick else list(GAMMAS),
        "sizes": [50, 568] if quick else list(SIZES),
    }
    y = np.where(pima.y == np.unique(pima.y)[1], 1, -1)
    return Inputs(settings, {"pima": (pima.X.to_numpy().astype(float), y)}, {"pima": pima.digest})


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    X, y = inputs.sets["pima"]
    seeds, gammas, sizes = (inputs.settings[key] for key in ("seeds", "gammas", "sizes"))
    found = each(one_split, [FurtherTask(X, y, seed, gammas, sizes) for seed in seeds])
    values: Values = {"seeds": seeds, "gammas": gammas, "sizes": sizes}
    for what in ("risk", "rejected"):
        values[what] = {name: [one[what][name] for one in found] for name in METHODS}
    values["by size"] = [one["by size"] for one in found]  # a row per size, a column per factor
    return ExperimentResult([_risks(values), _widths(values)], values)


def one_split(task: FurtherTask) -> dict[str, Any]:
    rows = divided(task.X, task.y, *split(len(task.y), task.seed))
    answers: dict[str, Any] = {what: {name: [] for name in METHODS} for what in ("risk", "rejected")}
    plain = make_pipeline(StandardScaler(), BestOfRuns(task.seed)).fit(rows.X, rows.y)
    posteriors = posteriors_of(BestOfRuns(task.seed), rows)
    for gamma in task.gammas:
        chow = ChowClassifier(posteriors, calibration=None, reject_cost=gamma).fit(rows.X, rows.y)
        hinge = DoubleHinge((gamma, gamma), seed=task.seed).fit(rows.X, rows.y)
        told = {
            CHOW: np.where(chow.rejects(rows.others), 0, chow.predict_liberal(rows.others)),
            CPLR2: answers_of(conservative(gamma, RESTARTS, task.seed).fit(rows.X, rows.y), rows.others),
            HINGE: np.where(hinge.rejects(rows.others), 0, signs(hinge.decision_function(rows.others))),
            CLASSES: per_class(plain, rows.X, rows.y, rows.others, gamma),
            VOTE: vote(rows.X, rows.y, rows.others, gamma, task.seed),
        }
        for name, answer in told.items():
            answers["risk"][name].append(risk_of(answer, rows.hidden, gamma))
            answers["rejected"][name].append(round(float((answer == 0).mean()), 6))
    answers["by size"] = [by_factor(rows, m, task.seed) for m in task.sizes]
    return answers


def conservative(gamma: float, n_restarts: int, seed: int) -> AsLearned:
    return AsLearned(
        rule="cplr2",
        band="learned",
        n_restarts=n_restarts,
        random_state=seed,
        reject_cost=gamma,
        reject_label=0,
    )


def signs(scores: Array) -> Array:
    return np.where(scores >= 0, 1, -1)


def answers_of(model: Any, X: Array) -> Array:
    """−1, +1, or 0 for a rejection."""
    return np.where(model.rejects(X), 0, model.predict_liberal(X))


def per_class(plain: Any, X: Array, y: Array, others: Array, gamma: float) -> Array:
    """Bands of least training risk around the plain perceptron, one for each side."""
    prices = Prices(np.zeros(2), np.ones(2), np.full(2, gamma))
    bands = best_bands(plain.decision_function(X), y, prices, symmetric=False)
    scores = plain.decision_function(others)
    return np.where(np.abs(scores) < bands[(scores >= 0).astype(int)], 0, signs(scores))


def vote(X: Array, y: Array, others: Array, gamma: float, seed: int) -> Array:
    """What more than half of the voters say; else a rejection."""
    voters = [conservative(gamma, 1, VOTERS * seed + k).fit(X, y) for k in range(VOTERS)]
    ballots = np.array([answers_of(one, others) for one in voters])
    for_one, against = (ballots == 1).sum(axis=0), (ballots == -1).sum(axis=0)
    return np.where(for_one > VOTERS / 2, 1, np.where(against > VOTERS / 2, -1, 0))


def by_factor(rows: Any, m: int, seed: int) -> dict[str, Any]:
    """Risks with the bands that were learned from the first m rows, times each factor; and how wide they are,
    as a share of the mean size of scores."""
    model = conservative(SHOWN, RESTARTS, seed).fit(rows.X[:m], rows.y[:m])
    scores = model.decision_function(rows.others)
    bands = model.bands_[(scores >= 0).astype(int)]
    risks = []
    for factor in FACTORS:
        rejected = np.abs(scores) < factor * bands
        risks.append(risk_of(np.where(rejected, 0, signs(scores)), rows.hidden, SHOWN))
    return {"risk": risks, "width": round(float(bands.mean() / np.abs(scores).mean()), 6)}


def risk_of(answers: Array, y: Array, gamma: float) -> float:
    return round(float(np.where(answers == 0, gamma, answers != y).mean()), 9)


def _risks(values: Values) -> ResultTable:
    rows = []
    for name in METHODS:
        columns = zip(*values["risk"][name], strict=True), zip(*values["rejected"][name], strict=True)
        cells = [
            f"{statistics.median(risks):.3f} ({statistics.median(shares):.0%})"
            for risks, shares in zip(*columns, strict=True)
        ]
        rows.append([name, *cells])
    heads = ["method", *(f"γ = {gamma:g}" for gamma in values["gammas"])]
    return ResultTable("Median risk of test rows (share rejected)", heads, rows)


def _widths(values: Values) -> ResultTable:
    rows = []
    for place, m in enumerate(values["sizes"]):
        width = statistics.median(one[place]["width"] for one in values["by size"])
        means = mean_risks(values, place)
        best = FACTORS[int(np.argmin(means))]
        rows.append(
            [str(m), f"{width:.2f}", f"{means[FACTORS.index(1.0)]:.3f}", f"{best:g}", f"{min(means):.3f}"]
        )
    heads = ["rows", "band / mean size of scores", "mean risk", "best factor", "mean risk with it"]
    return ResultTable(f"CPLR2's bands by the number of rows, γ = {SHOWN:g}", heads, rows)


def mean_risks(values: Values, place: int, start: int = 0, step: int = 1) -> list[float]:
    """By factor, over some of the splits."""
    risks = [one[place]["risk"] for one in values["by size"][start::step]]
    return [float(mean) for mean in np.mean(risks, axis=0)]


def check(values: Values) -> list[Claim]:
    return [
        _beats(
            values,
            HINGE,
            CPLR2,
            "an SVM with a band trained for the costs beats CPLR2",
            "more accurate, slower",
        ),
        _beats(values, CPLR2, CLASSES, "CPLR2 beats a threshold per class around the plain perceptron", "–"),
        _beats(values, VOTE, CPLR2, "a vote of rejecting perceptrons beats the best of them", "–"),
        _narrower(values),
        _worth(values),
    ]


def _beats(values: Values, one: str, other: str, text: str, paper: str) -> Claim:
    gaps = [
        [a - b for a, b in zip(mine, theirs, strict=True)]
        for mine, theirs in zip(values["risk"][one], values["risk"][other], strict=True)
    ]
    signed = [count_signs(column) for column in zip(*gaps, strict=True)]
    held = [gamma for gamma, pair in zip(values["gammas"], signed, strict=True) if sign_test(*pair) <= LEVEL]
    listed = ", ".join(
        f"{lower} of {lower + higher} at {g:g}"
        for g, (lower, higher) in zip(values["gammas"], signed, strict=True)
    )
    return judged(
        len(held) == len(signed),
        text,
        paper,
        listed,
        f"lower risk split by split: one-sided sign test, p ≤ {LEVEL:g}, at every γ",
        main=one == HINGE,
        of_paper=one == HINGE,
    )


def _narrower(values: Values) -> Claim:
    few, many = (statistics.median(one[place]["width"] for one in values["by size"]) for place in (0, -1))
    return judged(
        few < many,
        "from few rows CPLR2 learns narrower bands than from many",
        "can be explored",
        f"{few:.2f} from {values['sizes'][0]} rows, {many:.2f} from {values['sizes'][-1]}",
        "median width, as a share of the mean size of scores",
        of_paper=False,
    )


def _worth(values: Values) -> Claim:
    """The factor is picked by every second split, and tried on the others."""
    factor = int(np.argmin(mean_risks(values, 0, 0, 2)))
    others = [one[0]["risk"] for one in values["by size"][1::2]]
    signed = count_signs([risks[factor] - risks[FACTORS.index(1.0)] for risks in others])
    return judged(
        sign_test(*signed) <= LEVEL,
        "a width that depends on the number of rows lowers the risk",
        "can be explored",
        f"factor {FACTORS[factor]:g} from {values['sizes'][0]} rows: lower in {signed[0]} of {sum(signed)}",
        f"picked by half of the splits, tried on the others: sign test, p ≤ {LEVEL:g}",
        of_paper=False,
    )


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2)
    for name, color in zip(METHODS, (BLUE, ORANGE, INK, GRAY, "#2a9d5c"), strict=True):
        left.plot(
            values["gammas"],
            np.median(values["risk"][name], axis=0),
            marker="o",
            ms=3,
            color=color,
            label=name,
        )
    left.set(xlabel="cost of a rejection, γ", title="risk of rows not learned from: medians", ylim=(0, None))
    left.legend(loc="lower right")
    for place, m in enumerate(values["sizes"]):
        shade = (0.8 - 0.8 * place / max(1, len(values["sizes"]) - 1),) * 3
        right.plot(FACTORS, mean_risks(values, place), marker="o", ms=3, color=shade, label=f"{m} rows")
    right.set(xlabel="learned bands times", title=f"mean risk, γ = {SHOWN:g}")
    right.legend(loc="upper right")
