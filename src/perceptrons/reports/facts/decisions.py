"""Figures of answers to rows that were not learned from."""

from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from ...evaluation import interval_of
from ...rejection.rejecting import error_reject_curve
from ...texts import percent
from ..judged_rows import JudgedRows, Material
from ..spelling import count, shown
from .axes_and_series import Facts, rounded_up, series, share_axis

MOST_CURVES = 4  # classes in one figure
MOST_CLASSES = 12  # in a confusion matrix
BINS = 10


def roc(judged: JudgedRows, material: Material) -> Facts | None:
    """True positives over false positives, as the threshold falls."""
    curves = []
    for name, truth, scores, weights in _one_against_rest(judged, material):
        false, true, _ = roc_curve(truth, scores, sample_weight=weights)
        curves.append(series(name, false, true))
    if not curves:
        return None
    auc = judged.evaluation.auc
    area = (
        "" if auc is None else f" The area under the curve is {percent(auc)}{_mean_over(judged, material)}."
    )
    return {
        "kind": "lines",
        "id": "roc",
        "title": "ROC curve",
        "says": "Share of the rows of a class that are found, over the share of other rows taken for "
        f"it.{area}",
        "x": share_axis("other rows taken for it"),
        "y": share_axis("rows of the class found"),
        "series": [*curves, series("guessing", [0, 1], [0, 1], "thin")],
    }


def _mean_over(judged: JudgedRows, material: Material) -> str:
    means = ["classes"] * (len(material.subject.classes) > 2) + ["folds"] * (judged.folds > 1)
    return f" (mean over {' and '.join(means)})" if means else ""


def pr_curve(judged: JudgedRows, material: Material) -> Facts | None:
    """Precision over recall."""
    curves, shares = [], []
    for name, truth, scores, weights in _one_against_rest(judged, material):
        precision, recall, _ = precision_recall_curve(truth, scores, sample_weight=weights)
        curves.append(series(name, recall[::-1], precision[::-1]))
        shares.append((name, float(np.average(truth, weights=weights))))
    if not curves:
        return None
    base = "; ".join(f"{name} {percent(share)}" for name, share in shares)
    return {
        "kind": "lines",
        "id": "precision-recall",
        "title": "Precision and recall",
        "says": "Share of right answers among those that name the class, over the share of its rows found. "
        f"By guessing the precision would be the share of the class: {base}.",
        "x": share_axis("recall: rows of the class found"),
        "y": share_axis("precision: answers that are right"),
        "series": curves,
    }


def _one_against_rest(judged: JudgedRows, material: Material) -> list[tuple[str, Any, Any, Any]]:
    """The classes that curves are drawn for: of two the second, else the most frequent ones."""
    scores, codes = judged.answers.scores, judged.answers.codes
    if scores is None or not np.isfinite(scores).all():
        return []
    columns = (
        [(1, scores)] if scores.ndim == 1 else [(k, scores[:, k]) for k in _frequent(codes, MOST_CURVES)]
    )
    names = material.subject.classes
    return [
        (shown(names[k], 24), codes == k, column, judged.weights)
        for k, column in columns
        if 0 < np.count_nonzero(codes == k) < len(codes)
    ]


def _frequent(codes: Any, most: int) -> list[int]:
    return np.argsort(-np.bincount(codes), kind="stable")[:most].tolist()  # type: ignore[no-any-return]


def reliability(judged: JudgedRows, material: Material) -> Facts | None:
    """How often what is said with a probability comes true."""
    proba, codes = judged.answers.proba, judged.answers.codes
    if proba is None:
        return None
    two = proba.shape[1] == 2
    said, true = (proba[:, 1], codes == 1) if two else (proba.max(axis=1), proba.argmax(axis=1) == codes)
    weights = np.ones(len(codes)) if judged.weights is None else judged.weights
    cuts = np.unique(np.quantile(said, np.linspace(0, 1, BINS + 1))[1:-1])
    bins = np.searchsorted(cuts, said, side="right")
    points = [_point(said[bins == k], true[bins == k], weights[bins == k]) for k in np.unique(bins).tolist()]
    what = f"the class is {shown(material.subject.classes[1], 24)}" if two else "the answer is right"
    far = max(abs(one["x"] - one["y"]) for one in points)
    return {
        "kind": "lines",
        "id": "calibration",
        "title": "Calibration",
        "says": f"How often {what}, over the probability that the model gives it: tenths of the rows, with "
        "95 % intervals. On the diagonal a probability means what it says; the farthest point is "
        f"{percent(far)} off.",
        "x": share_axis("probability given"),
        "y": share_axis("how often it is so"),
        "series": [series("perfect", [0, 1], [0, 1], "thin")],
        "points": points,
    }


def _point(said: Any, true: Any, weights: Any) -> dict[str, float]:
    share = float(np.average(true, weights=weights))
    low, high = interval_of(share, weights) or (0.0, 1.0)
    return {"x": float(np.average(said, weights=weights)), "y": share, "low": low, "high": high}


def confusion(judged: JudgedRows, classes: list[Any]) -> Facts:
    """Classes by answers, rejections in the last column; of many classes the most frequent, the others
    together."""
    matrix = np.array(judged.evaluation.confusion)
    names = [*map(shown, classes)]
    if len(names) > MOST_CLASSES:
        matrix, names = _merged(matrix, names)
    rejected = bool(matrix[:, -1].any())
    cells = matrix if rejected else matrix[:, :-1]
    totals = matrix.sum(axis=1)
    return {
        "classes": names,
        "answers": [*names, *["rejected"] * rejected],
        "cells": [
            [
                {"n": _whole(n), "share": n / total if total else 0.0, "right": j == k}
                for j, n in enumerate(row)
            ]
            for k, (row, total) in enumerate(zip(cells.tolist(), totals.tolist(), strict=True))
        ],
        "totals": [_whole(total) for total in totals.tolist()],
    }


def _merged(matrix: Any, names: list[str]) -> tuple[Any, list[str]]:
    order = np.argsort(-matrix.sum(axis=1), kind="stable")
    kept, rest = order[: MOST_CLASSES - 1], order[MOST_CLASSES - 1 :]
    groups = [*([k] for k in kept.tolist()), rest.tolist()]
    columns = [*groups, [len(names)]]
    merged = np.array([[matrix[np.ix_(one, other)].sum() for other in columns] for one in groups])
    return merged, [*(names[k] for k in kept.tolist()), f"{len(rest)} other classes"]


def _whole(number: float) -> float | int:
    return int(number) if float(number).is_integer() else round(number, 2)


def error_reject(judged: JudgedRows, material: Material) -> Facts | None:
    """How errors fall as the least certain rows are rejected, and where the model stands."""
    answers = judged.answers
    certainty = _certainty(answers)
    if certainty is None:
        return None
    curve = error_reject_curve(answers.given != answers.codes, certainty)
    rejected, wrong = (
        float(answers.rejected.mean()),
        float(((answers.given != answers.codes) & ~answers.rejected).mean()),
    )
    chosen = [{"x": rejected, "y": wrong, "label": "as it is"}] if material.subject.rejects else []
    stands = (
        f" As it is, the model rejects {percent(rejected)} and answers {percent(wrong)} of all rows wrongly."
        if chosen
        else f" The model itself never rejects: {percent(wrong)} of its answers are wrong."
    )
    return {
        "kind": "lines",
        "id": "error-reject",
        "title": "Errors and rejections",
        "says": f"Wrong answers, as a share of all rows, if the least certain rows were rejected.{stands}"
        f"{_promised(material)}",
        "x": share_axis("rows rejected"),
        "y": share_axis("wrong answers, of all rows", rounded_up(max(float(curve.errors.max()), wrong))),
        "series": [series("errors", curve.rejected, curve.errors)],
        "marks": chosen,
    }


def _promised(material: Material) -> str:
    promises = getattr(material.subject.learner, "promises_", None)
    if not promises or not any(one.given for one in promises):
        return ""
    one = next(one for one in promises if one.given)
    return (
        f" Promised with a confidence of {percent(1 - one.delta)}: at most {percent(one.max_error)} of the "
        f"answers are wrong ({one.n_errors} of {count(one.n_answered, 'calibration row')} were)."
    )


def _certainty(answers: Any) -> Any:
    """Distance from the boundary, the lead of the highest score, or the largest probability."""
    scores = answers.scores
    if scores is None or not np.isfinite(scores).all():
        return None if answers.proba is None else answers.proba.max(axis=1)
    if scores.ndim == 1 and answers.proba is not None:
        return answers.proba.max(axis=1)
    if scores.ndim == 1:
        return np.abs(scores)
    return np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0]
