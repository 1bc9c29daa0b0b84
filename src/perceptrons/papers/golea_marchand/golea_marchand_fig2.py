"""Golea and Marchand, Figure 2: the clipped Hebb rule without noise, G and ρ over the load α = m/n.

Each point is the mean of 50 training samples, as in the paper, beside the limit of many columns (equations
28 and 29) and, which the paper does not have, the curves of finite n. G is computed from the weights (see
`teachers`). Loads go up to 16: the rule's error falls below Bayes' 0.44/α, the best that real weights
allow, at about 11 only.

That ρ is nearer to its limit than G, as the paper reads off its figure, is judged by the mean absolute
deviation over all α: of the points, and of the curves of finite n, where no chance is left. There the
paper's reason is seen: the mean of G(ρ) is more than G of the mean. At n = 500 this is less than the chance
in 50 samples, and ρ varies more than G does: the points cannot tell.
"""

from typing import Any

import numpy as np

from ..._types import Array
from ...theory import curves
from ..experiment import Claim, Each, ExperimentResult, Inputs, ResultTable, Values, judged
from ..pictures import BLUE, GRAY, INK, ORANGE
from .teachers import ERRORS, LOAD, PAPER, RULE, Cell, agrees, count_wrong, furthest, means, overlaps, rates

__all__ = ["HEIGHT", "PAPER", "TITLE", "check", "data", "draw", "run"]

TITLE = "Learning curves of the clipped Hebb rule"
HEIGHT = 3.2
SIZES = (50, 100, 500)
LOADS = (0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 12, 16)
FEW_LOADS = (0.5, 1, 2, 4, 6, 8, 12, 16)
STYLES = (("s", ORANGE), ("^", GRAY), ("o", BLUE))  # of the points, by size


def data(quick: bool) -> Inputs:
    loads, n_samples = (FEW_LOADS, 20) if quick else (LOADS, 50)
    return Inputs({"sizes": list(SIZES), "loads": list(loads), "seeds": list(range(n_samples))})


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    """Wrong weights by size, load and sample: all that G and ρ depend on."""
    sizes, loads, seeds = (inputs.settings[name] for name in ("sizes", "loads", "seeds"))
    cells = [Cell(n, load, 0.0, seeds) for n in sizes for load in loads]
    counts = iter(each(count_wrong, cells))
    wrong = {str(n): [next(counts) for _ in loads] for n in sizes}
    values: Values = {"loads": loads, "wrong": wrong}
    return ExperimentResult([_table(values, n) for n in sizes], values)


class Curves:
    """What was found for n columns, by load and sample, and the theory by load."""

    def __init__(self, values: Values, n: int) -> None:
        self.loads = np.array(values["loads"], float)
        self.G, self.rho = rates(n, values["wrong"][str(n)]), overlaps(n, values["wrong"][str(n)])
        rows = np.rint(n * self.loads)
        self.limit_G = np.asarray(curves.learning_curve(self.loads))
        self.limit_rho = np.asarray(curves.limit_overlap(self.loads))
        self.finite_G = np.asarray(curves.finite_learning_curve(n, rows))
        self.exact_rho = np.asarray(curves.exact_overlap(n, rows))


def _table(values: Values, n: int) -> ResultTable:
    one = Curves(values, n)
    (G, G_error), (rho, rho_error) = means(one.G), means(one.rho)
    columns = (G, G_error, one.limit_G, one.finite_G, rho, rho_error, one.limit_rho, one.exact_rho)
    rows = [_line(load, *numbers) for load, *numbers in zip(one.loads, *columns, strict=True)]
    heads = ["α", "G", "G, n → ∞", f"G, n = {n}, nearly", "ρ", "ρ, n → ∞", f"ρ, n = {n}, exact"]
    return ResultTable(
        f"n = {n}: means of {one.G.shape[1]} samples ± standard error, and theory", heads, rows
    )


def _line(load: float, *numbers: float) -> list[str]:
    G, G_error, G_limit, G_finite, rho, rho_error, *others = (f"{number:.3f}" for number in numbers)
    return [f"{load:g}", f"{G} ± {G_error}", G_limit, G_finite, f"{rho} ± {rho_error}", *others]


def check(values: Values) -> list[Claim]:
    found = {int(n): Curves(values, int(n)) for n in values["wrong"]}
    most = found[max(found)]
    near = f"at every α, {RULE}"
    return [
        judged(
            agrees(most.G, most.limit_G),
            f"G follows equation 29, n = {max(found)}",
            "excellent agreement",
            f"largest deviation {furthest(most.G, most.limit_G):.4f}",
            near,
            main=True,
        ),
        judged(
            agrees(most.rho, most.limit_rho),
            f"ρ follows equation 28, n = {max(found)}",
            "excellent agreement",
            f"largest deviation {furthest(most.rho, most.limit_rho):.4f}",
            near,
            main=True,
        ),
        _moderate(found),
        _better(f"n < {max(found)}", {n: _of_points(one) for n, one in found.items() if n < max(found)}),
        _better(f"n = {max(found)}", {max(found): _of_points(most)}),
        _better("curves of finite n", {n: _of_curves(one) for n, one in found.items()}, of_paper=False),
        _bounded(found),
        _below_bayes(most, max(found)),
        judged(
            all(_is_exact(n, one) for n, one in found.items()),
            "the exact ρ of finite n (ours) holds for every n",
            "–",
            _listed({n: furthest(one.rho, one.exact_rho) for n, one in found.items()}),
            f"at every α, within {ERRORS} standard errors of independent weights",
            of_paper=False,
        ),
    ]


def _is_exact(n: int, one: Curves) -> bool:
    """By the deviation of independent weights: samples without a wrong weight show none of their own."""
    error = np.sqrt((1 - one.exact_rho**2) / (n * one.rho.shape[1]))
    return bool((np.abs(means(one.rho)[0] - one.exact_rho) <= ERRORS * error).all())


def _moderate(found: dict[int, Curves]) -> Claim:
    few = {n: one for n, one in found.items() if n < max(found)}
    distances = {n: furthest(one.G, one.limit_G) for n, one in few.items()}
    return judged(
        max(distances.values()) < 0.03,
        "the agreement of G is excellent even for moderate n",
        "excellent",
        _listed(distances),
        "largest deviation less than 0.03",
    )


def _of_points(one: Curves) -> tuple[float, float]:
    """Mean absolute deviations from the limit, of ρ and of G: of the means over samples."""
    return _deviation(means(one.rho)[0], one.limit_rho), _deviation(means(one.G)[0], one.limit_G)


def _of_curves(one: Curves) -> tuple[float, float]:
    """The same of what is expected for n columns."""
    return _deviation(one.exact_rho, one.limit_rho), _deviation(one.finite_G, one.limit_G)


def _deviation(found: Array, limit: Array) -> float:
    return float(np.abs(found - limit).mean())


def _better(where: str, deviations: dict[int, tuple[float, float]], of_paper: bool = True) -> Claim:
    return judged(
        all(rho < G for rho, G in deviations.values()),
        f"the agreement is better for ρ than for G ({where})",
        "slightly better for ρ",
        ", ".join(f"{rho:.4f} vs {G:.4f}" for rho, G in deviations.values()),
        f"mean absolute deviation over α, n = {', '.join(map(str, deviations))}: of ρ less than of G",
        of_paper=of_paper,
    )


def _bounded(found: dict[int, Curves]) -> Claim:
    shares = [(1 - means(one.G)[0]) / curves.error_bound(one.loads) for one in found.values()]
    return judged(
        bool(np.max(shares) < 1),
        "the error is less than exp(−α/2π), equation 30",
        "less",
        f"at most {np.max(shares):.2f} of it",
        "mean error below the bound at every n and α",
        main=True,
    )


def _below_bayes(one: Curves, n: int) -> Claim:
    above = np.flatnonzero(1 - means(one.G)[0] >= curves.bayes_error(one.loads))
    later = one.loads[above[-1] + 1 if len(above) else 0 :]
    return judged(
        len(later) > 0,
        "the error falls below 0.44/α, the best for real weights",
        "for large α",
        f"from α = {later[0]:g} on" if len(later) else "never",
        f"mean error at n = {n} below 0.44/α from some α to the last; in the limit from 11.2 on",
    )


def _listed(distances: dict[int, float]) -> str:
    return ", ".join(f"{value:.3f} (n = {n})" for n, value in distances.items())


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2)
    alpha = np.linspace(0, 1, 81) ** 2 * (values["loads"][-1] + 0.5)  # denser where the curves are steep
    left.plot(alpha, curves.learning_curve(alpha), color=INK, zorder=1)
    right.plot(alpha, curves.limit_overlap(alpha), color=INK, zorder=1)
    for n, (mark, color) in zip(map(int, values["wrong"]), STYLES, strict=True):
        one = Curves(values, n)
        for axes, points in ((left, one.G), (right, one.rho)):
            mean, spread = points.mean(axis=1), points.std(axis=1, ddof=1)
            axes.errorbar(one.loads, mean, spread, fmt=mark, ms=3.4, color=color, label=f"n = {n}")
    left.set(title="(a) generalization rate G", ylim=(0.5, 1.06))
    right.set(title="(b) overlap with the target, ρ", ylim=(0, 1.12))
    for axes in (left, right):
        axes.set(xlabel=LOAD, xlim=(0, alpha[-1]), xticks=range(0, 17, 4))
    right.legend(loc="lower right", title="line: theory, n → ∞\nmean and deviation:", alignment="left")
