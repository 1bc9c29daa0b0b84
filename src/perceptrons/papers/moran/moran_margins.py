"""Moran, Nachum, Panasoff, Yehudayoff, *On the Perceptron's Compression*, Section 2: updates and margins.

Algorithms 1 to 4, 3 and 4 combined, and two rules that the paper names, on rows whose best margin ε is known
(`margin_runs`): is each theorem's number of updates kept, is its margin reached (`margin_claims`)?
"""

from typing import Any

from ..experiment import Each, ExperimentResult, Inputs, ResultTable, Values
from ..pictures import BLUE, GRAY, INK, ORANGE, PALE
from .margin_claims import check as check
from .margin_runs import (
    EIGHT,
    MIXED,
    ONE,
    RULES,
    KnownMarginTask,
    Points,
    all_rules,
    cases_of,
    cases_on,
    least_margin,
    two_points,
)

PAPER = "Moran et al."
TITLE = "Updates and margins of Algorithms 1 to 4, beside their bounds"
HEIGHT = 3.4
SHOWN = {"1": GRAY, "2, β = 1": INK, "3": BLUE, "4, α = 1.5": ORANGE}


def data(quick: bool) -> Inputs:
    points = {
        "1.2": [0.1, 0.03, 0.01] if quick else [0.1, 0.03, 0.01, 0.003],
        "1.5": [0.2, 0.1, 0.05] if quick else [0.2, 0.1, 0.05, 0.03],
        "1.8": [0.5, 0.4, 0.35] if quick else [0.5, 0.4, 0.3, 0.25],
    }
    return Inputs(
        {
            "margins": [0.5, 0.3, 0.1, 0.03] if quick else [0.5, 0.3, 0.1, 0.03, 0.01, 0.003],
            "seeds": list(range(3 if quick else 6)),
            "limit": 2e5 if quick else 4e5,
            "points": points,
        }
    )


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    given = inputs.settings
    tasks = [
        KnownMarginTask(rows, eps, seed, given["limit"])
        for rows in (ONE, EIGHT, MIXED)
        for eps in given["margins"]
        for seed in given["seeds"]
    ]
    pairs = [Points(float(alpha), eps) for alpha, some in given["points"].items() for eps in some]
    cases = [case for some in each(all_rules, tasks) for case in some]
    values: Values = {"cases": cases, "points": each(two_points, pairs)}
    return ExperimentResult([_table(values), _points_table(values)], values)


def _table(values: Values) -> ResultTable:
    rows = []
    for name in RULES:
        for kind in (ONE, EIGHT, MIXED):
            if cases := cases_on(cases_of(values, name), kind):
                shares = [case["updates"] / case["most"] for case in cases]
                gaps = [case["margin"] - case["least"] for case in cases]
                shares_of_R = sorted({case["share"] for case in cases})
                span = f"{shares_of_R[-1]:.2g}–{shares_of_R[0]:.2g}"
                numbers = [f"{max(shares):.3f}", f"{least_margin(cases):.3f} ε", f"{min(gaps):+.3f} ε"]
                rows.append([name, kind, span, str(len(cases)), *numbers])
    heads = [
        "algorithm",
        "rows",
        "ε/R",
        "sets",
        "updates / bound",
        "least margin",
        "above guarantee",
    ]
    return ResultTable("Updates and margins beside their bounds", heads, rows)


def _points_table(values: Values) -> ResultTable:
    rows = [
        [
            f"{p['alpha']:g}",
            f"{p['eps']:g}",
            f"{p['updates']:,}",
            f"{p['most']:,.0f}",
            f"{p['updates'] / p['most']:.3f}",
        ]
        for p in values["points"]
    ]
    return ResultTable("Algorithm 4 on two points", ["α", "ε", "updates", "bound", "updates / bound"], rows)


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1.1, 1))
    _draw_updates(left, values)
    names = [name for name in RULES if RULES[name].algorithm != "3+4"]
    for place, name in enumerate(names):
        _draw_margins(right, place, cases_on(cases_of(values, name), ONE), SHOWN.get(name, GRAY))
    right.set(yticks=range(len(names)), yticklabels=names, ylabel="algorithm", xlabel="margin / ε")
    right.set(xlim=(-0.02, 1.02), title="margins (dots), guarantees (ticks)")
    right.invert_yaxis()
    right.tick_params(axis="y", length=0)


def _draw_updates(axes: Any, values: Values) -> None:
    """Rows of norm 1, and the two points."""
    points = [point for point in values["points"] if f"4, α = {point['alpha']:g}" in SHOWN]
    for name, color in SHOWN.items():
        cases = cases_on(cases_of(values, name), ONE)
        axes.plot(*_places(cases, "updates"), "o", ms=3, color=color)
        x, y = _places([*cases, *points] if name.startswith("4") else cases, "most")
        axes.plot(x, y, color=color, lw=0.8)
        axes.annotate(name, (x[-1], y[-1]), (4, 0), textcoords="offset points", color=color, va="center")
    x, y = _places(points, "updates")
    axes.plot(x, y, "x", color=ORANGE, ms=5)
    axes.annotate("two\npoints", (x[-1], y[-1]), (6, -2), textcoords="offset points", color=ORANGE, va="top")
    margins = sorted({case["eps"] for case in cases_on(values["cases"], ONE)}, reverse=True)
    axes.set(xscale="log", yscale="log", xlabel="best margin ε of rows of norm 1")
    axes.set(xticks=[1 / eps for eps in margins[1:]], xticklabels=[f"{eps:g}" for eps in margins[1:]])
    axes.set(xlim=(0.8 / margins[0], 5 / margins[-1]), title="updates (dots), bounds (lines)")
    axes.minorticks_off()


def _places(cases: list[dict[str, Any]], what: str) -> tuple[list[float], list[float]]:
    """Over 1/ε, in this order."""
    places = sorted((1 / case["eps"], case[what]) for case in cases)
    return [x for x, _ in places], [y for _, y in places]


def _draw_margins(axes: Any, place: int, cases: list[dict[str, Any]], color: str) -> None:
    axes.axhline(place, color=PALE, lw=0.8, zorder=0)
    axes.plot(
        [case["margin"] for case in cases], [place] * len(cases), "o", ms=4, alpha=0.5, mew=0, color=color
    )
    guarantees = sorted({case["least"] for case in cases} - {0.0})
    axes.plot(guarantees, [place] * len(guarantees), "|", ms=11, color=color)
