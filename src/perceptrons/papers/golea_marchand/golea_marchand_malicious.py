"""Golea and Marchand, end of Section 5.1: product distributions that fool the clipped Hebb rule.

The rule takes the sign of the correlation E[g x_i] for the weight, which is right where columns are +1 as
often as −1. The paper says that one can easily craft product distributions where the correlation is
negative although the weight is +1, and that the algorithm of Figure 1, which looks at the influence
(equation 2), is not fooled. It gives no example; ours has 11 columns with weight +1, of which three are +1
in 15 % of the rows and eight in 70 %.

Correlations, influences and errors are exact: sums over all 2^11 rows, each with its probability. How
easily such a distribution is met is counted over random ones, with the correlations themselves instead of a
sample's.
"""

from typing import Any, NamedTuple

import numpy as np

from ..._types import Array
from ...binary.binary_perceptron import BinaryPerceptron
from ...synthetic import product
from ..experiment import Claim, Each, ExperimentResult, Inputs, ResultTable, Values, judged, spread
from ..pictures import BLUE, GRAY, ORANGE
from .teachers import PAPER

__all__ = ["HEIGHT", "PAPER", "TITLE", "check", "data", "draw", "run"]

TITLE = "A product distribution that fools the clipped Hebb rule"
HEIGHT = 3.0
SHARES = (0.15,) * 3 + (0.7,) * 8  # probability of +1, by column
N, EPSILON = len(SHARES), 0.1
SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
METHODS = {"clipped Hebb": ("clipped-hebb", 0), "Figure 1": ("influence", "figure-1")}
RANDOM = (0.1, 0.9)  # of random distributions, the range of shares
HARM = 0.05  # an error that clipped Hebb would not have on balanced columns
ROWS = np.array(np.meshgrid(*[[-1, 1]] * N)).reshape(N, -1).T  # all there are
LABELS = np.where(ROWS.sum(axis=1) > 0, 1, -1)  # every weight is +1, the threshold 0


class CraftedTask(NamedTuple):
    shares: list[float]
    rows: int
    seeds: list[int]


def data(quick: bool) -> Inputs:
    seeds, n_random = list(range(10 if quick else 50)), 500 if quick else 5_000
    return Inputs({"shares": list(SHARES), "rows": list(SIZES), "seeds": seeds, "random": n_random})


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    settings = inputs.settings
    shares, sizes, seeds = settings["shares"], settings["rows"], settings["seeds"]
    tasks = [CraftedTask(shares, rows, seeds) for rows in sizes] + [CraftedTask([0.5] * N, sizes[-1], seeds)]
    *crafted, uniform = each(_learn, tasks)
    values: Values = {
        "shares": shares,
        "rows": sizes,
        "exact": {"crafted": _moments(np.array(shares)), "uniform": _moments(np.full(N, 0.5))},
        "errors": {name: [found["errors"][name] for found in crafted] for name in METHODS},
        "uniform_weights": uniform["weights"],
        "random": each(_random, [(start, 250) for start in range(0, settings["random"], 250)]),
    }
    return ExperimentResult([_columns(values), _errors(values), _chances(values)], values)


def _moments(shares: Array) -> dict[str, Any]:
    """Correlation and influence of every column, and the error that the signs of the correlations make."""
    chances = _chances_of_rows(shares)
    positive = chances * (LABELS > 0)
    given_plus = positive @ (ROWS > 0) / shares
    given_minus = positive @ (ROWS < 0) / (1 - shares)
    correlation = (chances * LABELS) @ ROWS
    fooled = np.where(correlation > 0, 1, -1)
    return {
        "correlation": _plain(correlation),
        "influence": _plain(2 * (given_plus - given_minus)),
        "error": _plain(_error(chances, fooled, 0)),
    }


def _chances_of_rows(shares: Array) -> Array:
    return np.asarray(np.where(ROWS > 0, shares, 1 - shares).prod(axis=1))


def _error(chances: Array, weights: Array, threshold: int) -> float:
    """The probability of a row that these weights label otherwise."""
    return float(chances @ ((ROWS @ weights > threshold) != (LABELS > 0)))


def _plain(numbers: Any) -> Any:
    """As JSON has them; the last digits of a sum over rows are noise."""
    return np.round(numbers, 12).tolist()


def _learn(task: CraftedTask) -> dict[str, Any]:
    """Exact errors and weights of both methods, for each seed."""
    chances = _chances_of_rows(np.array(task.shares))
    errors: dict[str, list[float]] = {name: [] for name in METHODS}
    weights: dict[str, list[list[int]]] = {name: [] for name in METHODS}
    for seed in task.seeds:
        key = np.random.SeedSequence([task.rows, round(1000 * task.shares[0]), seed])
        drawn = int(key.generate_state(1)[0])
        X, y, _ = product(task.rows, task.shares, weights=[1] * N, random_state=drawn)
        for name, (method, threshold) in METHODS.items():
            model = BinaryPerceptron(method=method, threshold=threshold, epsilon=EPSILON).fit(X, y)
            errors[name].append(_plain(_error(chances, model.coef_[0], model.threshold_)))
            weights[name].append(model.coef_[0].tolist())
    return {"errors": errors, "weights": weights}


def _random(task: tuple[int, int]) -> list[float]:
    """Errors that the signs of the exact correlations make, under random product distributions.

    Weights are +1: others are the same as columns that are turned round, and shares are as likely as their
    complements.
    """
    rng = np.random.default_rng(np.random.SeedSequence([N, *task]))
    found = [_moments(rng.uniform(*RANDOM, N)) for _ in range(task[1])]
    return [one["error"] for one in found]


def _columns(values: Values) -> ResultTable:
    exact = values["exact"]["crafted"]
    columns = zip(values["shares"], exact["correlation"], exact["influence"], strict=True)
    rows = [
        [str(i + 1), f"{p:g}", f"{c:+.3f}".replace("-", "−"), f"{influence:.3f}"]
        for i, (p, c, influence) in enumerate(columns)
    ]
    return ResultTable("Columns, all of weight +1", ["column", "P(x = +1)", "E[g x]", "influence"], rows)


def _errors(values: Values) -> ResultTable:
    rows = [
        [f"{m:,}", *(spread(values["errors"][name][i], 3) for name in METHODS)]
        for i, m in enumerate(values["rows"])
    ]
    return ResultTable("Exact error, mean ± deviation over samples", ["rows", *METHODS], rows)


def _chances(values: Values) -> ResultTable:
    errors = np.concatenate(values["random"])
    rows = [
        ["a correlation has the wrong sign", f"{100 * np.mean(errors > 0):.1f} %"],
        [f"the error is more than {HARM}", f"{100 * np.mean(errors > HARM):.1f} %"],
        ["largest error", f"{errors.max():.3f}"],
    ]
    title = (
        f"{len(errors):,} random product distributions, shares in {list(RANDOM)}, clipped Hebb on all rows"
    )
    return ResultTable(title, ["what", "found"], rows)


def check(values: Values) -> list[Claim]:
    return [_opposite(values), _fooled(values), _learned(values), _easily(values), _same(values)]


def _opposite(values: Values) -> Claim:
    exact = values["exact"]["crafted"]
    low, least = min(exact["correlation"]), min(exact["influence"])
    return judged(
        low < 0 < least,
        "a correlation is negative although the weight is +1; no influence is",
        "can be crafted",
        f"E[g x] {low:.3f}, influence ≥ {least:.2f}".replace("-", "−"),
        "signs of the exact numbers",
    )


def _fooled(values: Values) -> Claim:
    found, limit = values["errors"]["clipped Hebb"][-1], values["exact"]["crafted"]["error"]
    return judged(
        min(found) > HARM and abs(float(np.mean(found)) - limit) < 0.01,
        f"clipped Hebb is fooled: its error stays, {values['rows'][-1]:,} rows",
        "is fooled",
        f"{spread(found, 3)} (limit {limit:.3f})",
        f"more than {HARM} in every sample, mean within 0.01 of the limit",
        main=True,
    )


def _learned(values: Values) -> Claim:
    found = values["errors"]["Figure 1"][-1]
    return judged(
        max(found) <= EPSILON,
        f"the algorithm of Figure 1 is not fooled, {values['rows'][-1]:,} rows",
        f"error ≤ ε = {EPSILON}",
        f"at most {max(found):.3f}, none in {found.count(0.0)} of {len(found)}",
        "at most ε in every sample",
        main=True,
    )


def _easily(values: Values) -> Claim:
    share = float(np.mean(np.concatenate(values["random"]) > 0))
    return judged(
        share >= 0.1,
        "such product distributions are easily found",
        "easily",
        f"{100 * share:.1f} % of random ones",
        f"one in ten, if shares are drawn from {list(RANDOM)}",
    )


def _same(values: Values) -> Claim:
    exact, weights = values["exact"]["uniform"], values["uniform_weights"]
    gaps = np.array(exact["influence"]) / 2 - exact["correlation"]
    same = [one == other for one, other in zip(*(weights[name] for name in METHODS), strict=True)]
    return judged(
        bool(np.abs(gaps).max() < 1e-9 and all(same)),
        "on balanced columns Figure 1 reduces to clipped Hebb",
        "the same rule",
        f"the same weights in {sum(same)} of {len(same)}",
        f"exactly influence = 2 E[g x], and equal weights from {values['rows'][-1]:,} rows",
    )


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2)
    for name, color, aside in zip(METHODS, (ORANGE, BLUE), (0.96, 1.04), strict=True):
        found, rows = np.array(values["errors"][name]), aside * np.array(values["rows"])
        left.vlines(rows, found.min(axis=1), found.max(axis=1), color=color, lw=0.8)
        left.semilogx(rows, found.mean(axis=1), "o-", ms=4, color=color)
    limit = values["exact"]["crafted"]["error"]
    left.text(values["rows"][-1], limit + 0.015, "clipped Hebb", color=ORANGE, ha="right")
    left.text(values["rows"][-1], 0.015, "Figure 1", color=BLUE, ha="right")
    left.set(title="error: mean, least and most", xlabel="training rows", ylim=(-0.01, 0.42))
    _draw_columns(right, values)


def _draw_columns(axes: Any, values: Values) -> None:
    exact, columns = values["exact"]["crafted"], np.arange(1, N + 1)
    axes.axhline(0, color=GRAY, lw=0.8)
    axes.plot(columns, np.array(exact["influence"]) / 2, "o", color=BLUE)
    axes.plot(columns, exact["correlation"], "s", color=ORANGE)
    axes.text(N, exact["influence"][-1] / 2 - 0.03, "influence / 2", color=BLUE, ha="right", va="top")
    axes.text(N, exact["correlation"][-1] + 0.03, "correlation E[g x]", color=ORANGE, ha="right")
    axes.text(2, 0.02, "+1 in 15 %\nof the rows", ha="center")
    axes.text(7.5, 0.02, "+1 in 70 % of the rows", ha="center")
    axes.set(
        title="where the signs of weights come from", xlabel="column", xticks=columns, ylim=(-0.15, 0.45)
    )
