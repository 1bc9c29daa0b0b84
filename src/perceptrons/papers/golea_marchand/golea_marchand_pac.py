"""Golea and Marchand, Section 3: Theorem 1 and its lemmas, on random targets and random product
distributions.

Signs, thresholds and shares of +1 are random; errors are exact: sums over all 2^n rows. The sample that
Theorem 1 asks for, 10¹³ rows, nobody has: from how few does the algorithm of Figure 1 keep its promise, an
error of at most ε with probability 1 − δ, and does the clipped Hebb rule? What else the paper says of it: it
does not try to be right about its examples, and its time grows linearly with them.

Influences are exact, too, and beside them the gaps of Lemma 2: the paper's, and ours, which is proved on the
paper's page.
"""

import math
import warnings
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._types import Array
from ...binary.binary_perceptron import BinaryPerceptron
from ...synthetic import product
from ...theory import bounds
from ...theory.influences import agreement_chances, influences
from ..experiment import Claim, Each, ExperimentResult, Inputs, ResultTable, Values, judged
from ..pictures import BLUE, GRAY, INK, ORANGE
from .teachers import PAPER

__all__ = ["HEIGHT", "PAPER", "TITLE", "check", "data", "draw", "run"]

TITLE = "Theorem 1 on random product distributions"
HEIGHT = 2.8
N, EPSILON, DELTA = 9, 0.1, 0.05
SIZES = [50, 100, 200, 500, 1_000, 5_000, 20_000]
SHARES = (0.1, 0.9)  # of random distributions, the range
ROWS = np.array(np.meshgrid(*[[-1, 1]] * N)).reshape(N, -1).T  # all there are
FIGURE_1, MIN_ERROR, HEBB = "Figure 1", "Figure 1, threshold of fewest errors", "clipped Hebb"
METHODS: dict[str, dict[str, Any]] = {
    FIGURE_1: {"method": "influence", "threshold": "figure-1"},
    MIN_ERROR: {"method": "influence", "threshold": "min-error"},
    HEBB: {"method": "clipped-hebb", "threshold": "min-error"},
}
FEW = 200  # rows, of a small sample
TIMED, TIMES, SLACK = 50_000, 8, 1.5  # rows, and so many times as many; how far from linear their time may be


class Target(NamedTuple):
    weights: Array
    threshold: int
    shares: Array


class PacTask(NamedTuple):
    seed: int
    sizes: list[int]


def data(quick: bool) -> Inputs:
    n_targets, sizes = (20, [50, 200, 5_000]) if quick else (120, SIZES)
    n_gaps = 200 if quick else 2_000
    return Inputs({"seeds": list(range(n_targets)), "sizes": sizes, "gaps": n_gaps, "epsilon": EPSILON})


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    settings = inputs.settings
    found = each(learned, [PacTask(seed, settings["sizes"]) for seed in settings["seeds"]])
    starts = range(0, settings["gaps"], 100)
    gaps = [one for some in each(gaps_of, list(starts)) for one in some]
    found_gaps = {key: [one[key] for one in gaps] for key in ("paper", "ours", "neglect")}
    values: Values = {
        "sizes": settings["sizes"],
        "results": {
            name: {key: [one[name][key] for one in found] for key in ("error", "training")}
            for name in METHODS
        },
        "gaps": found_gaps,
        "seconds": each(timed, [TIMED, TIMES * TIMED]),
    }
    return ExperimentResult([_table(values), _gap_table(values)], values)


def target(rng: np.random.Generator, n: int = N) -> Target:
    """Random signs, shares and threshold, such that neither answer is as rare as ε: else a constant will
    do."""
    while True:
        weights, shares = rng.choice([-1, 1], n), rng.uniform(*SHARES, n)
        mean = float(weights @ (2 * shares - 1))
        threshold = int(np.clip(round(mean + rng.normal(0, 2)), -n - 1, n))
        if min(agreement_chances(weights, threshold, shares)) > EPSILON:
            return Target(weights, threshold, shares)


def learned(task: PacTask) -> dict[str, dict[str, list[float]]]:
    """Exact errors and shares of training rows that are wrong, of each method from ever more rows."""
    key = np.random.SeedSequence([1, task.seed]).generate_state(2).tolist()
    one = target(np.random.default_rng(key[0]))
    chances = np.where(ROWS > 0, one.shares, 1 - one.shares).prod(axis=1)
    truth = ROWS @ one.weights > one.threshold
    X, y, _ = product(
        max(task.sizes), one.shares, weights=one.weights, threshold=one.threshold, random_state=key[1]
    )
    found: dict[str, dict[str, list[float]]] = {name: {"error": [], "training": []} for name in METHODS}
    for m in task.sizes:
        for name, how in METHODS.items():
            model = fitted(how, X[:m], y[:m])
            wrong = (ROWS @ model.coef_[0] > model.threshold_) != truth
            found[name]["error"].append(round(float(chances @ wrong), 12))
            found[name]["training"].append(round(1 - float(model.score(X[:m], y[:m])), 12))
    return found


def fitted(how: dict[str, Any], X: Array, y: Array) -> BinaryPerceptron:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BinaryPerceptron(epsilon=EPSILON, binarize=None, **how).fit(X, y)


def gaps_of(start: int) -> list[dict[str, float]]:
    """Of random targets of up to 12 inputs: the least influence beside the gaps of Lemma 2, as multiples; and
    the most that Lemma 1's neglect of an input costs, as a multiple of its bound."""
    rng, found = np.random.default_rng([2, start]), []
    for _ in range(100):
        n = int(rng.integers(1, 13))
        one = target(rng, n)
        rho = min(agreement_chances(one.weights, one.threshold, one.shares))
        least = float((one.weights * influences(one.weights, one.threshold, one.shares)).min())
        found.append(
            {
                "paper": down(least * (n + 1) / rho),
                "ours": down(least / float(bounds.influence_gap(rho, n))),
                "neglect": round(neglected(one, rng), 6),
            }
        )
    return found


def down(number: float) -> float:
    """To four digits, never up."""
    return math.floor(1e4 * number) / 1e4


def neglected(one: Target, rng: np.random.Generator) -> float:
    """P(g ≠ g′) by P(x_i = −a), where x_i is set to a, its usual value (Lemma 1)."""
    i = int(rng.integers(len(one.weights)))
    a = 1 if one.shares[i] >= 0.5 else -1
    rows = np.array(np.meshgrid(*[[-1, 1]] * len(one.weights))).reshape(len(one.weights), -1).T
    chances = np.where(rows > 0, one.shares, 1 - one.shares).prod(axis=1)
    before = rows @ one.weights > one.threshold
    rows[:, i] = a
    rare = 1 - one.shares[i] if a > 0 else one.shares[i]
    return float(chances @ (before != (rows @ one.weights > one.threshold))) / float(rare)


def timed(n_rows: int) -> float:
    """Processor time that the algorithm takes, the shortest of five."""
    rng = np.random.default_rng(3)
    one = target(rng)
    X, y, _ = product(n_rows, one.shares, weights=one.weights, threshold=one.threshold, random_state=4)
    spent = []
    for _ in range(5):
        start = process_time()
        fitted(METHODS[FIGURE_1], X, y)
        spent.append(process_time() - start)
    return min(spent)


def kept(values: Values, name: str) -> list[float]:
    """The share of targets of which the error is at most ε, for each number of rows."""
    held = np.array(values["results"][name]["error"]) <= EPSILON
    return [float(share) for share in held.mean(axis=0)]


def _table(values: Values) -> ResultTable:
    rows = []
    for place, m in enumerate(values["sizes"]):
        cells = [f"{kept(values, name)[place]:.1%}" for name in METHODS]
        inconsistent = np.array(values["results"][MIN_ERROR]["training"])[:, place] > 0
        rows.append([f"{m:,}", *cells, f"{inconsistent.mean():.0%}"])
    heads = ["rows", *METHODS, "of the second, some training rows wrong"]
    count = len(values["results"][HEBB]["error"])
    return ResultTable(
        f"Share of {count} targets, n = {N}, of which the error is at most {EPSILON:g}", heads, rows
    )


def _gap_table(values: Values) -> ResultTable:
    gaps = values["gaps"]
    rows = [
        ["least influence / (ρ/(n+1)), the paper's gap", f"{min(gaps['paper']):.2f}"],
        ["least influence / (2ρ/√(3n−2)), ours", f"{min(gaps['ours']):.2f}"],
        ["most that neglect costs / P(x = −a), Lemma 1", f"{max(gaps['neglect']):.2f}"],
    ]
    return ResultTable(
        f"Exactly, of {len(gaps['ours']):,} random targets of 1 to 12 inputs", ["what", "found"], rows
    )


def check(values: Values) -> list[Claim]:
    largest, gaps = values["sizes"][-1], values["gaps"]
    needed, shares = float(bounds.influence_sample_size(N, EPSILON, DELTA)), kept(values, FIGURE_1)
    enough = enough_rows(values, MIN_ERROR)
    hebb = kept(values, HEBB)[-1]
    training, error = (np.array(values["results"][MIN_ERROR][key]) for key in ("training", "error"))
    place = values["sizes"].index(FEW)
    good = (training[:, place] > 0) & (error[:, place] <= EPSILON)
    ratio = values["seconds"][1] / values["seconds"][0]
    least, ours = (min(gaps[key]) for key in ("paper", "ours"))
    cost = max(gaps["neglect"])
    return [
        judged(
            shares[-1] >= 1 - DELTA,
            "Theorem 1: the error of Figure 1 is at most ε with probability 1 − δ",
            f"from {needed:.1e} rows",
            f"{shares[-1]:.1%} of targets from {largest:,} rows",
            f"n = {N}, ε = {EPSILON:g}: at least {1 - DELTA:.0%}, from far fewer rows than it asks for",
            main=True,
        ),
        judged(
            enough is not None and enough < needed / 1e6,
            "the sample size of Theorem 1 is far more than is needed",
            "a large improvement on average",
            "never" if enough is None else f"{enough:,} rows are enough, of {needed:.1e}",
            f"with the threshold of fewest errors, at least {1 - DELTA:.0%} of targets: a millionth, or less",
        ),
        judged(
            hebb < 1 - DELTA <= shares[-1],
            "under product distributions the clipped Hebb rule does not learn, Figure 1 does",
            "is fooled by some",
            f"{hebb:.1%} of targets, beside {shares[-1]:.1%}, from {largest:,} rows",
            f"error at most ε: fewer than {1 - DELTA:.0%} of targets, and at least as many",
            main=True,
        ),
        judged(
            bool(good.any()),
            "inconsistent: training rows stay wrong, and yet the error is at most ε",
            "not necessarily consistent, very good generalization",
            f"{good.mean():.0%} of targets from {FEW} rows",
            "some targets",
        ),
        judged(
            TIMES / SLACK <= ratio <= TIMES * SLACK,
            "running time grows linearly with the number of examples",
            "linear",
            f"{ratio:.1f} times as long for {TIMES} times as many",
            f"processor time of {TIMED:,} and {TIMES * TIMED:,} rows, within a factor of {SLACK:g}",
        ),
        judged(
            least > 1,
            "Lemma 2: the influence is more than ρ/(n + 1)",
            "> 1",
            f"at least {least:.2f} times as much",
            "every weight of every target, exactly",
        ),
        judged(
            ours > 1 - 1e-9,
            "a sharper Lemma 2: the influence is more than 2ρ/√(3n − 2)",
            "–",
            f"at least {ours:.2f} times as much",
            "the same; proved on this page",
            of_paper=False,
        ),
        judged(
            cost <= 1 + 1e-5,
            "Lemma 1: an input set to its usual value a changes no more than P(x = −a) of the answers",
            "≤ 1",
            f"at most {cost:.2f} of it",
            "one input of every target, exactly",
        ),
    ]


def enough_rows(values: Values, name: str) -> int | None:
    """The least number of rows from which on the promise is kept."""
    held = [share >= 1 - DELTA for share in kept(values, name)]
    if not held[-1]:
        return None
    return int(
        values["sizes"][len(held) - next((i for i, one in enumerate(held[::-1]) if not one), len(held))]
    )


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
    for name, color, line in ((FIGURE_1, BLUE, "-"), (MIN_ERROR, ORANGE, "-"), (HEBB, INK, "--")):
        left.plot(values["sizes"], kept(values, name), line, marker="o", ms=3, color=color, label=name)
    left.axhline(1 - DELTA, color=GRAY, lw=0.8, ls=":")
    left.set(
        xscale="log", xlabel="rows", title="share of targets with an error of at most 0.1", ylim=(0, 1.05)
    )
    left.legend(loc="lower right")
    for key, color, label in (("paper", GRAY, "the paper's"), ("ours", BLUE, "ours")):
        found = np.sort([math.log10(max(one, 1e-9)) for one in values["gaps"][key]])
        right.plot(10**found, np.linspace(0, 1, len(found)), color=color, label=label)
    right.set(xscale="log", xlabel="influence / gap of Lemma 2", title="share of targets below")
    right.set(xticks=[2, 5, 10, 20, 50], xticklabels=["2", "5", "10", "20", "50"])
    right.minorticks_off()
    right.legend(loc="lower right")
