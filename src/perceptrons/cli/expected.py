"""What `fit` says about new rows, and the calibration it stores with a model."""

import json
from dataclasses import asdict
from typing import Any


def expected_of(model: Any, data: Any, folds: int, seed: int, progress: Any) -> tuple[Any, str | None]:
    """Cross-validate; if that is not possible, why not."""
    from ..cross_validation import expected_on_new_rows, read_rows
    from ..learners import takes_costs
    from ..rejection.costs import read_costs

    if folds == 0:
        return None, None
    check_folds(folds)
    last = model[-1] if hasattr(model, "steps") else model
    costs = read_costs(last.costs, last.reject_cost) if takes_costs(last) else None
    try:
        rows = read_rows(data.X, data.y, data.weights)
        return expected_on_new_rows(model, rows, folds, seed, costs, progress), None
    except ValueError as error:  # too few rows of a class; fitting to all rows may work, or says the same
        return None, str(error)


def check_folds(folds: int) -> None:
    if folds < 2:
        raise ValueError(f"--folds is {folds}, but it must be at least 2, or 0 for none.")


def outcome_as_dict(expected: Any) -> dict[str, Any] | None:
    if expected is None:
        return None
    return {"folds": expected.folds, **asdict(expected.evaluation)}


def expected_in_words(report: dict[str, Any], baseline: str) -> list[str]:
    """The first thing to know of a model; of one that may reject, two lines."""
    from .show import percent, span

    found = report["expected"]
    if found is None:
        why = report["why_not_expected"]
        if why:
            return [f"Nothing can be said about new rows: {why}"]
        return [f"Not tested on new rows ({baseline})."]
    how = f"{found['folds']} folds" if found["folds"] > 1 else "a fifth of the rows held out"
    if found["accuracy"] is None:
        return [f"Expected on new rows: all are rejected ({how}; {baseline})."]
    share = f"{percent(found['accuracy'])} ({span(*found['accuracy_interval'])})"
    if report["rejected"] is None:
        said = f"Expected on new rows: {share} correct ({how}; {baseline})."
        return [said, *_no_better(found, report)]
    return [
        f"Expected on new rows: {percent(1 - found['rejected'])} answered, {share} of these correct, risk "
        f"{found['risk']:.3f} ({how}; {baseline})."
    ]


def _no_better(found: dict[str, Any], report: dict[str, Any]) -> list[str]:
    """Of a model that has not been shown to be better than one answer for all; where classes are balanced,
    that is not what it was trained for."""
    low, _ = found["accuracy_interval"]
    if report.get("class_weight") is not None or low > found["baseline"]:
        return []
    return ["That is not shown to be better than the baseline; perceptrons compare tries other learners."]


def left_out_in_words(data: Any) -> list[str]:
    """The columns from which nothing can be learned, and classes of one row."""
    lines = [f"Note: {note}" for note in data.notes]
    lines += columns_left_out_in_words([(one.name, one.treatment) for one in data.columns_left_out()])
    single = [str(name) for name, rows in data.classes() if rows == 1]
    if single:
        from .words import listing

        classes = f"class {single[0]} has" if len(single) == 1 else f"classes {listing(single)} have"
        lines.append(f"Note: {classes} one row, which is learned from but never tested.")
    return lines


def columns_left_out_in_words(out: list[tuple[str, str]]) -> list[str]:
    """A line about columns and why each is left out, if there are any."""
    import shlex

    if not out:
        return []
    named = [f"{name} ({why})" for name, why in out[:6]]
    more = f" and {len(out) - 6} more" if len(out) > 6 else ""
    return [
        f"Left out: {', '.join(named)}{more}, since nothing can be learned from such columns; --keep "
        f"{shlex.quote(out[0][0])} keeps one."
    ]


def about_calibration(learner: Any, expected: Any) -> dict[str, str]:
    """For a model file: sigmoids that make probabilities of scores, where the learner has none of its own."""
    if expected is None or expected.scores is None:
        return {}
    if hasattr(learner, "predict_proba") or not hasattr(learner, "decision_function"):
        return {}
    import numpy as np

    scores = expected.scores if expected.scores.ndim > 1 else expected.scores[:, None]
    if not np.isfinite(scores).all():
        return {}
    codes = [1] if scores.shape[1] == 1 else range(scores.shape[1])
    pairs = zip(scores.T, codes, strict=True)
    sigmoids = [_sigmoid(column, expected.codes == code, expected.weights) for column, code in pairs]
    return {"calibration": json.dumps(sigmoids)}


def _sigmoid(scores: Any, truth: Any, weights: Any) -> list[float]:
    """Platt's: p = 1 / (1 + exp(-(a s + b))), its targets drawn in from 0 and 1: nothing is certain."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    counts = np.ones(len(scores)) if weights is None else np.asarray(weights, float)
    positive, negative = float(counts[truth].sum()), float(counts[~truth].sum())
    scale = float(np.abs(scores).max()) or 1.0
    target = np.where(truth, (positive + 1) / (positive + 2), 1 / (negative + 2))
    rows = np.concatenate([scores, scores])[:, None] / scale
    labels = np.repeat([True, False], len(scores))
    fit = LogisticRegression(C=1e6, max_iter=1000)
    fit.fit(rows, labels, np.concatenate([counts * target, counts * (1 - target)]))
    return [max(float(fit.coef_[0, 0]), 0.0) / scale, float(fit.intercept_[0])]


def calibrated(scores: Any, about: dict[str, Any]) -> Any:
    """Probabilities of the classes by the sigmoids in a model file; None if there are none."""
    import numpy as np

    if "calibration" not in about:
        return None
    sigmoids = np.array(json.loads(str(about["calibration"])), float)
    columns = scores if scores.ndim > 1 else scores[:, None]
    exponents = np.clip(columns * sigmoids[:, 0] + sigmoids[:, 1], -700, 700)
    proba = 1 / (1 + np.exp(-exponents))
    if proba.shape[1] == 1:
        return np.column_stack([1 - proba[:, 0], proba[:, 0]])
    return proba / proba.sum(axis=1, keepdims=True)
