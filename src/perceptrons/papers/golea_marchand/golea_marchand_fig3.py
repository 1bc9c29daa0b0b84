"""Golea and Marchand, Figure 3: the clipped Hebb rule where labels are flipped with probability σ.

G over the load α = m/n, means of 50 noisy samples, for n = 100, the paper's size, and for n = 500 to be
nearer to the limit of equation 34. Samples without noise are those of Figure 2. Noise, says the paper, does
no more than put 1 − 2σ before the root: so errors of all σ are the same at the same (1 − 2σ)²α. This is
tried, too, on larger samples than the paper's (up to 300 rows per column for σ = 0.4), which also shows the
exponential convergence: the error falls by a factor exp(−1/2π) or less with each unit of (1 − 2σ)²α,
equation 30 in its noisy form.
"""

from typing import Any

import numpy as np

from ..._types import Array
from ...theory import curves
from ..experiment import Claim, Each, ExperimentResult, Inputs, ResultTable, Values, judged
from ..pictures import BLUE, GRAY, INK, ORANGE
from .teachers import AGREEMENT, LOAD, PAPER, RULE, Cell, agrees, count_wrong, furthest, means, rates

__all__ = ["HEIGHT", "PAPER", "TITLE", "check", "data", "draw", "run"]

TITLE = "Learning from noisy labels"
HEIGHT = 3.4
SIZES = (100, 500)  # the paper's columns, and more
NOISES = (0.0, 0.1, 0.2, 0.3, 0.4)
LOADS = tuple(range(1, 11))
DOUBLED = (1, 2, 4, 8)  # loads from which to which G must have risen
STRETCHED = (1, 2, 4, 8, 12)  # (1 − 2σ)²α
MARKS = ("o", "s", "^", "D", "v")


def data(quick: bool) -> Inputs:
    loads, stretched, n_samples = (DOUBLED, (2, 12), 20) if quick else (LOADS, STRETCHED, 50)
    sizes = {"sizes": list(SIZES), "stretched_size": SIZES[0]}
    return Inputs(
        {
            **sizes,
            "noises": list(NOISES),
            "loads": list(loads),
            "stretched": list(stretched),
            "seeds": list(range(n_samples)),
        }
    )


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    """Wrong weights by size, noise, load and sample: all that G depends on."""
    settings = inputs.settings
    noises, loads, seeds = settings["noises"], settings["loads"], settings["seeds"]
    cells = [Cell(n, load, noise, seeds) for n in settings["sizes"] for noise in noises for load in loads]
    far = [
        Cell(settings["stretched_size"], load / (1 - 2 * noise) ** 2, noise, seeds)
        for noise in noises
        for load in settings["stretched"]
    ]
    counts = iter(each(count_wrong, cells + far))
    wrong = {str(n): [[next(counts) for _ in loads] for _ in noises] for n in settings["sizes"]}
    values: Values = {"noises": noises, "loads": loads, "wrong": wrong, "stretched": settings["stretched"]}
    values["stretched_size"] = settings["stretched_size"]
    values["stretched_wrong"] = [[next(counts) for _ in settings["stretched"]] for _ in noises]
    return ExperimentResult([*(_table(values, n) for n in settings["sizes"]), _errors(values)], values)


def _found(values: Values, n: int) -> Array:
    """G by noise, load and sample."""
    return rates(n, values["wrong"][str(n)])


def _limit(values: Values) -> Array:
    """Equation 34, by noise and load."""
    return np.asarray(curves.learning_curve(values["loads"], np.array(values["noises"])[:, None]))


def _finite(values: Values, n: int) -> Array:
    rows = n * np.array(values["loads"])
    return np.asarray(curves.finite_learning_curve(n, rows, np.array(values["noises"])[:, None]))


def _table(values: Values, n: int) -> ResultTable:
    found, limit = means(_found(values, n))[0], _limit(values)
    rows = [
        [f"{load:g}", *(f"{G:.3f} ({theory:.3f})" for G, theory in zip(*pair, strict=True))]
        for load, *pair in zip(values["loads"], found.T, limit.T, strict=True)
    ]
    heads = ["α", *(f"σ = {noise:g}" for noise in values["noises"])]
    return ResultTable(f"n = {n}: mean G (equation 34)", heads, rows)


def _errors(values: Values) -> ResultTable:
    errors = 1 - means(_stretched(values))[0]
    limit = np.asarray(curves.learning_error(values["stretched"]))
    heads = ["(1 − 2σ)²α", *(f"σ = {noise:g}" for noise in values["noises"]), "n → ∞"]
    rows = [
        [f"{load:g}", *(f"{error:.3f}" for error in (*of_load, theory))]
        for load, of_load, theory in zip(values["stretched"], errors.T, limit, strict=True)
    ]
    return ResultTable(
        f"n = {values['stretched_size']}: mean error at loads stretched by the noise", heads, rows
    )


def _stretched(values: Values) -> Array:
    """G by noise, stretched load and sample."""
    return rates(values["stretched_size"], values["stretched_wrong"])


def check(values: Values) -> list[Claim]:
    n, large = map(int, values["wrong"])
    few, many = _found(values, n), _found(values, large)
    limit, finite = _limit(values), _finite(values, n)
    everywhere = f"at every σ and α, {RULE}"
    return [
        judged(
            agrees(many, limit),
            f"G follows equation 34 for every σ, n = {large}",
            "excellent agreement",
            f"largest deviation {furthest(many, limit):.4f}",
            everywhere,
            main=True,
        ),
        judged(
            agrees(few, limit),
            f"G follows equation 34 for every σ, n = {n} as in the figure",
            "excellent agreement",
            f"largest deviation {furthest(few, limit):.4f}",
            everywhere,
        ),
        judged(
            agrees(few, finite),
            f"G follows the curve for n = {n} (ours)",
            "–",
            f"largest deviation {furthest(few, finite):.4f}",
            everywhere,
            of_paper=False,
        ),
        _rises(values, many, large),
        _one_curve(values),
        _exponential(values),
    ]


def _rises(values: Values, found: Array, n: int) -> Claim:
    at = [values["loads"].index(load) for load in DOUBLED]
    gains = np.diff(means(found)[0][:, at], axis=1)
    return judged(
        bool((gains > 0).all()),
        "G rises with α for every σ < ½",
        "converges to 1",
        f"by {gains.min():.3f} or more",
        f"mean G at n = {n}, each time α doubles",
    )


def _one_curve(values: Values) -> Claim:
    found, n = _stretched(values), values["stretched_size"]
    theory = curves.finite_learning_curve(n, n * np.array(values["stretched"]))
    return judged(
        agrees(found, theory),
        "noise only stretches α, by 1/(1 − 2σ)²",
        "the only difference",
        f"largest deviation {furthest(found, theory):.4f}",
        f"G of every σ that of σ = 0 (n = {n}), {RULE}",
    )


def _exponential(values: Values) -> Claim:
    load = np.array(values["stretched"])
    late = load >= 2  # the first rows teach faster
    errors = np.maximum(1 - means(_stretched(values))[0][:, late], 1e-6)  # there may be none at all
    slopes = np.polyfit(load[late], np.log(errors).T, 1)[0]
    return judged(
        bool(slopes.max() <= -1 / (2 * np.pi)),
        "the error falls exponentially for every σ < ½",
        "exp(−(1 − 2σ)²α/2π) or faster",
        f"slopes {slopes.min():.2f} to {slopes.max():.2f}".replace("-", "−"),
        "slope of ln(1 − G) over (1 − 2σ)²α from 2 to 12, at most −1/2π = −0.16",
        main=True,
    )


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    _draw_rates(left, values)
    _draw_errors(right, values)


def _draw_rates(axes: Any, values: Values) -> None:
    """The paper's figure; its error bars, too, are those of the last noise alone."""
    loads, n = values["loads"], int(next(iter(values["wrong"])))
    found, n_rows = _found(values, n), 2 * np.rint(np.linspace(0, 1, 41) ** 2 * n * loads[-1] / 2)
    for noise, mean in zip(values["noises"], found.mean(axis=2), strict=True):
        (limit,) = axes.plot(n_rows / n, curves.learning_curve(n_rows / n, noise), "--", color=GRAY, lw=1)
        finite = np.asarray(curves.finite_learning_curve(n, n_rows, noise))
        (near,) = axes.plot(n_rows / n, finite, color=BLUE)
        (points,) = axes.plot(loads, mean, "o", ms=4, color=ORANGE)
        axes.text(loads[-1] + 0.3, finite[-1], f"σ = {noise:g}", va="center")
    axes.errorbar(loads, mean, found[-1].std(axis=1, ddof=1), fmt="none", lw=1, color=ORANGE)
    told = ("theory, n → ∞", f"the same for n = {n}, nearly", f"mean of {found.shape[2]} samples")
    axes.legend((limit, near, points), told, loc="upper left", borderaxespad=0)
    axes.set(xlim=(0, loads[-1] + 2), ylim=(0.5, 1.08), xlabel=LOAD, ylabel=AGREEMENT)
    axes.set(title=f"n = {n}", yticks=np.arange(0.5, 1.01, 0.1))


def _draw_errors(axes: Any, values: Values) -> None:
    """All σ over the stretched load: one curve."""
    stretched, n = values["stretched"], values["stretched_size"]
    load = np.linspace(stretched[0] / 2, stretched[-1], 41)
    axes.semilogy(load, curves.error_bound(load), ":", color=INK, lw=1)
    axes.semilogy(load, curves.learning_error(load), "--", color=GRAY, lw=1)
    axes.semilogy(load, 1 - curves.finite_learning_curve(n, np.rint(n * load)), color=BLUE)
    found = means(_stretched(values))[0]
    for noise, mark, mean in zip(values["noises"], MARKS, found, strict=False):
        axes.semilogy(stretched, 1 - mean, mark, ms=4, mfc="none", color=ORANGE, label=f"σ = {noise:g}")
    axes.text(6.5, curves.error_bound(6), "the bound, eq. 30")
    axes.legend(loc="lower left", borderaxespad=0)
    axes.set(title="every σ: one curve", xlabel="rows per column × (1 − 2σ)²", ylabel="error, 1 − G")
    axes.set(xticks=range(0, stretched[-1] + 1, 4))
