"""A comparison as plain data: a line per learner, its folds, and its size against its accuracy."""

from collections.abc import Sequence
from typing import Any

from ...comparison import AS_GOOD, BEST, METRICS, LearnerResult
from ...rejection.costs import Costs
from ...rejection.rejection_words import costs_in_words, listing
from ...texts import percent
from ..spelling import decimals, shown, some
from .axes_and_series import axis, rounded_up, share_axis

WORDS = {"risk": "risk", "accuracy": "accuracy", "balanced": "balanced accuracy", "auc": "AUC"}
VERDICTS = {BEST: "best", AS_GOOD: "as good", "": "worse"}
NEAR = 0.04  # of an axis: points so near share a label
Facts = dict[str, Any]


def comparison_facts(
    results: Sequence[LearnerResult], metric: str, costs: Costs, data: Facts, record: Facts
) -> Facts:
    """`results` in the order in which they are shown; `data` is the summary of the table."""
    done = [one for one in results if one.risk is not None]
    low, high = _ends([value for one in done for value in _folds(one, metric)])
    return {
        "title": "Comparing learners",
        "table": shown(data["title"]),
        "n_rows": data["rows"],
        "n_columns": data["columns"],
        "n_folds": len(_folds(done[0], metric)) if done else 0,
        "metric": WORDS[metric],
        "lower": METRICS[metric][1],
        "verdict": _verdict(results, metric),
        "costs": costs_in_words(costs),
        "may_reject": any(one.may_reject for one in results),
        "baseline": {
            "class": shown(data["most_frequent"]["class"]),
            "accuracy": percent(data["most_frequent"]["accuracy"]),
        },
        "low": low,
        "high": high,
        "lines": [_line(one, metric) for one in results],
        "chart": _size_against_accuracy(done),
        "data": _about(data),
        "record": [{"name": name, "value": shown(value, 500)} for name, value in record.items()],
    }


def _folds(one: LearnerResult, metric: str) -> list[float]:
    return [value for value in getattr(one, METRICS[metric][0]) if value is not None]


def _ends(values: list[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (0.0, 1.0)


def _verdict(results: Sequence[LearnerResult], metric: str) -> str:
    best = [one.learner for one in results if one.verdict == BEST]
    others = [one.learner for one in results if one.verdict == AS_GOOD]
    if not best:
        return "No learner could be judged."
    test = "by a paired t-test on the same folds, at 5 %, corrected for the rows that folds share"
    if not others:
        return f"Best by {WORDS[metric]}: {best[0]}; all others are distinguishable from it {test}."
    return f"Best by {WORDS[metric]}: {best[0]}. Not distinguishable from it {test}: {listing(others)}."


def _line(one: LearnerResult, metric: str) -> Facts:
    failed = one.risk is None
    return {
        "learner": one.learner,
        "verdict": "failed" if failed else VERDICTS[one.verdict],
        "best": one.verdict == BEST,
        "accuracy": "" if one.accuracy is None else percent(one.accuracy),
        "balanced": "" if one.balanced_accuracy is None else percent(one.balanced_accuracy),
        "auc": "" if one.auc is None else percent(one.auc),
        "rejected": percent(one.rejected) if one.may_reject and one.rejected is not None else "",
        "risk": decimals(one.risk),
        "size": str(one.size or ""),
        "seconds": "" if one.fit_seconds is None else _time(one.fit_seconds),
        "folds": [] if failed else _folds(one, metric),
        "mean": one.value(metric),
        "notes": [shown(note, 200) for note in one.notes],
    }


def _size_against_accuracy(done: Sequence[LearnerResult]) -> Facts | None:
    """Learners whose size is counted in weights; others count other things."""
    points: list[Facts] = [
        {"x": float(one.size.count), "y": 1.0 - one.accuracy, "label": one.learner}
        for one in done
        if one.size is not None and one.size.unit == "weights" and one.accuracy is not None
    ]
    if len(points) < 2:
        return None
    return {
        "kind": "lines",
        "id": "size-accuracy",
        "title": "Size and accuracy",
        "says": "Wrong answers in cross-validation over the number of weights, of learners that have "
        "weights: the lower and the farther to the left, the better.",
        "x": axis("weights", 0, 1.05 * max(one["x"] for one in points)),
        "y": share_axis("wrong, of the rows answered", rounded_up(max(one["y"] for one in points))),
        "series": [],
        "marks": _labeled(points),
    }


def _labeled(points: list[Facts]) -> list[Facts]:
    """Points that lie on one another have one label."""
    high = {name: max(one[name] for one in points) or 1.0 for name in "xy"}
    found: list[Facts] = []
    for one in points:
        same = [other for other in found if all(abs(one[k] - other[k]) < NEAR * high[k] for k in "xy")]
        if same:
            same[0]["names"].append(one["label"])
        else:
            found.append({**one, "names": [one["label"]]})
    return [{"x": one["x"], "y": one["y"], "label": some(one["names"], 2)} for one in found]


def _time(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.0005 else "< 1 ms"


def _about(data: Facts) -> Facts:
    return {
        "classes": [{"name": shown(one["class"]), "rows": one["rows"]} for one in data["classes"][:12]],
        "n_classes": len(data["classes"]),
        "kinds": [f"{number:,} {kind}" for kind, number in data["kinds"].items()],
        "missing": data["missing"],
        "left_out": [{"name": shown(one["column"]), "why": one["reason"]} for one in data["left_out"][:60]],
        "notes": [shown(note, 300) for note in [*data["notes"], *data["hints"]][:12]],
    }
