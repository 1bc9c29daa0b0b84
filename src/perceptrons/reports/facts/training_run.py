"""Figures of the fit itself: margins of its rows, sizes tried, errors per epoch, the rows it is made of."""

from typing import Any

import numpy as np

from ...describe import known_margin
from ...texts import percent
from ...theory.certificate import lifted_norm
from ..judged_rows import Material
from ..spelling import count, shown
from .axes_and_series import Facts, axis, rounded_up, series, share_axis

BINS = 28
MOST_SUPPORT = 12  # rows of a compression set, listed
LARGEST = 4.0  # errors of an epoch beyond this multiple of the median are cut off


def margins(material: Material) -> Facts | None:
    """How far rows are from the boundary, by class; a certified interval where there is one."""
    subject = material.subject
    if len(subject.classes) != 2 or not hasattr(subject.learner, "decision_function"):
        return None
    scores = np.asarray(subject.learner.decision_function(subject.encode(material.rows.X)), float)
    if not np.isfinite(scores).all():
        return None
    certificate = None if material.new_rows else getattr(subject.learner, "certificate_", None)
    norm = _norm(subject.learner) if certificate is not None else 1.0
    values, codes = scores / norm, material.rows.codes
    edges = _edges(values)
    counts = [
        np.histogram(np.clip(values[codes == k], edges[0], edges[-1]), edges)[0].tolist() for k in (0, 1)
    ]
    wrong = float(((values > 0) != (codes == 1)).mean())
    whose = "rows" if material.new_rows else "rows fitted"
    return {
        "kind": "histogram",
        "id": "margins",
        "title": "Margins of the rows",
        "says": f"How far the {whose} are from the boundary, 0, where the answer changes; "
        f"{_wrong_in_words(wrong)} on the wrong side.{_interval_in_words(certificate)}",
        "x": axis("distance from the boundary" if certificate is not None else "score", edges[0], edges[-1]),
        "y": axis("rows", 0, 1.12 * max(map(sum, zip(*counts, strict=True)))),
        "edges": edges.tolist(),
        "counts": [
            {"name": shown(name, 24), "n": n} for name, n in zip(subject.classes, counts, strict=True)
        ],
        "marks": [{"x": 0.0, "label": "boundary"}, *_certified(certificate), *_bands(subject.learner)],
    }


def _wrong_in_words(share: float) -> str:
    return f"{percent(share)} are" if share else "none is"


def _norm(learner: Any) -> float:
    if not hasattr(learner, "coef_"):
        return 1.0
    lift = float(getattr(learner, "lift_", 0.0))
    return lifted_norm(learner.coef_[0], float(learner.intercept_[0]), lift) or 1.0


def _edges(values: Any) -> Any:
    """Bins around 0 that hold all but the farthest hundredth on each side, which count in the last ones."""
    low, high = np.quantile(values, [0.01, 0.99])
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    if low == high:
        low, high = -1.0, 1.0
    return np.linspace(low, high, BINS + 1)


def _certified(certificate: Any) -> list[Facts]:
    if certificate is None or isinstance(certificate, list):
        return []
    achieved, limit = known_margin(certificate)
    ends = [one for one in (achieved, limit) if one]
    return [{"x": sign * end, "label": "", "certified": True} for end in ends for sign in (-1.0, 1.0)]


def _interval_in_words(certificate: Any) -> str:
    if certificate is None or isinstance(certificate, list):
        return ""
    achieved, limit = known_margin(certificate)
    if achieved is not None and limit is not None:
        return f" Certified (dotted): the best margin lies between {achieved:.3g} and {limit:.3g}."
    if achieved is not None:
        return f" Certified (dotted): no row is nearer than {achieved:.3g}."
    return (
        ""
        if not limit
        else f" Certified (dotted): no hyperplane keeps all rows farther away than {limit:.3g}."
    )


def _bands(learner: Any) -> list[Facts]:
    bands = getattr(learner, "bands_", None)
    if bands is None or learner.reject_label_ is None:
        return []
    ends = [(-1.0, float(bands[0])), (1.0, float(bands[1]))]
    return [
        {"x": sign * end, "label": "reject" if sign > 0 else "", "certified": False}
        for sign, end in ends
        if 0 < end < np.inf
    ]


def size_path(material: Material) -> Facts | None:
    """What each number of rules, or of stages, was worth in cross-validation."""
    learner = material.subject.learner
    sizes, losses = getattr(learner, "cv_sizes_", None), getattr(learner, "cv_loss_", None)
    if sizes is not None and losses is not None and len(sizes) > 1:
        loss = np.atleast_2d(losses).mean(axis=0)
        n_rules = int(np.max(learner.n_weights_))
        return {
            "kind": "lines",
            "id": "size-path",
            "title": "Size and accuracy",
            "says": "Log-loss in the cross-validation of the fit over the number of rules tried; lower is "
            f"better. The smallest is {loss.min():.3f}, with "
            f"{count(int(sizes[int(loss.argmin())]), 'rule')}; the model has {count(n_rules, 'rule')}.",
            "x": axis("rules", min(sizes), max(sizes)),
            "y": axis("log-loss", 0, float(loss.max()) * 1.05),
            "series": [series("log-loss", sizes, loss)],
            "marks": _taken(sizes, loss, n_rules),
        }
    accuracies = getattr(learner, "cv_accuracy_", None)
    if accuracies is None or getattr(learner, "cv_trials_", None) or len(accuracies) < 2:
        return None
    errors = 1.0 - np.asarray(accuracies)
    return {
        "kind": "lines",
        "id": "size-path",
        "title": "Size and accuracy",
        "says": f"Errors in the cross-validation of the fit after each stage of boosting; {learner.stages_} "
        "stages were taken.",
        "x": axis("stages", 1, len(errors)),
        "y": share_axis("errors", rounded_up(float(errors.max()))),
        "series": [series("errors", np.arange(1, len(errors) + 1), errors)],
        "marks": [],
    }


def _taken(sizes: Any, loss: Any, n_rules: int) -> list[Facts]:
    """The size of the model on the path, or the next one that was tried."""
    place = min(int(np.searchsorted(sizes, n_rules)), len(sizes) - 1)
    return [{"x": float(sizes[place]), "y": float(loss[place]), "label": "the model"}]


def training_errors(material: Material) -> Facts | None:
    """Errors per epoch of the training run, where the model keeps them."""
    learner = material.subject.scorer
    history = getattr(learner, "history_", None)
    if not isinstance(history, dict) or len(history.get("errors", ())) < 2:
        return None
    errors = np.asarray(history["errors"], float) / max(int(learner.n_rows_), 1)
    high = min(float(errors.max()), LARGEST * float(np.median(errors)) + 0.02)
    epochs = np.arange(1, len(errors) + 1)
    return {
        "kind": "lines",
        "id": "training",
        "title": "Learning curve of the training run",
        "says": "Share of the training rows that were wrong when it was their turn, per epoch: "
        f"{percent(errors[0])} in the first of {len(errors):,} epochs, {percent(errors[-1])} in the last.",
        "x": axis("epoch", 1, len(errors)),
        "y": share_axis("wrong rows", rounded_up(high)),
        "series": [series("wrong rows", epochs, np.minimum(errors, rounded_up(high)))],
        "marks": [],
    }


def compression(material: Material) -> Facts | None:
    """The rows that the weights are a sum of, those of the largest part first."""
    learner = material.subject.scorer
    support, duals = getattr(learner, "support_", None), getattr(learner, "dual_coef_", None)
    if support is None or duals is None or not len(support):
        return None
    parts = np.abs(duals).sum(axis=0)
    order = np.argsort(-parts, kind="stable")[:MOST_SUPPORT]
    total = float(parts.sum()) or 1.0
    half = int(np.searchsorted(np.cumsum(np.sort(parts)[::-1]), total / 2)) + 1
    return {
        "n": len(support),
        "n_rows": int(getattr(learner, "n_rows_", 0)) or None,
        "half": half,
        "rows": [{"row": int(support[k]) + 1, "share": float(parts[k]) / total} for k in order.tolist()],
    }
