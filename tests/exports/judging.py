"""Are the answers of an engine those of `predict`? All, but those of rows whose score is at a threshold."""

from typing import Any

import numpy as np

from perceptrons import Cascade, ChowClassifier, ConservativePerceptron, SelectiveClassifier
from tests.exports.engines import Answers, Shipped

NEAR = 1e-9  # of the size of scores
CLOSE = {"rtol": 1e-6, "atol": 1e-9}


def lead(scores: np.ndarray) -> np.ndarray:
    """How far the highest score is above the next."""
    ranked = np.sort(scores, axis=1)
    return ranked[:, -1] - ranked[:, -2]


def distance(model: Any, X: Any) -> np.ndarray:
    """Of each row, how far what decides is from a threshold, in the size of scores."""
    learner, rows = (model[-1], model[:-1].transform(X)) if hasattr(model, "steps") else (model, X)
    if isinstance(learner, Cascade):
        return np.full(len(learner.rejects(rows)), np.inf)
    if isinstance(learner, ChowClassifier | SelectiveClassifier):
        codes, _, certainty = learner._decisions(rows)
        limit = learner.thresholds_[codes] if isinstance(learner, SelectiveClassifier) else 0.0
        own = abs(certainty - limit)
        inner = learner.estimator_ if isinstance(learner, SelectiveClassifier) else learner
        return np.minimum(own, distance(inner, rows) if inner is not learner else own)
    scores = learner.decision_function(rows)
    size = max(1.0, float(np.abs(scores).max()))
    away = abs(scores) if scores.ndim == 1 else lead(scores)
    if isinstance(learner, ConservativePerceptron):
        away = np.minimum(away, abs(abs(scores)[:, None] - learner.bands_).min(axis=1))
    return away / size


def same_label(one: Any, other: Any) -> bool:
    """Engines may write 1 as "1" and true as "t"."""
    if one is None or other is None:
        return one is other
    if not isinstance(other, str) and isinstance(one, str):
        one = {"t": 1.0, "f": 0.0}.get(one) if one in ("t", "f") else float(one)
    return bool(one == other)


def judge(one: Shipped, X: Any, answers: Answers, exact: bool = False) -> int:
    """Assert that they are; returns how many rows are at a threshold. `exact`: none may differ."""
    predicted = one.model.predict(X).tolist()
    pairs = zip(answers.labels, predicted, strict=True)
    differ = np.array([not same_label(*pair) for pair in pairs])
    near = distance(one.model, X) < NEAR
    wrong = np.flatnonzero(differ if exact else differ & ~near)
    assert not len(wrong), (
        one.name,
        len(wrong),
        answers.labels[wrong[0]],
        predicted[wrong[0]],
        one.rows[wrong[0]],
    )
    if hasattr(one.model, "decision_function") and answers.scores.size:
        scores = one.model.decision_function(X)
        size = max(1.0, float(np.abs(scores).max()))
        np.testing.assert_allclose(
            answers.scores, scores.reshape(len(predicted), -1), rtol=1e-6, atol=1e-9 * size, err_msg=one.name
        )
    if hasattr(one.model, "predict_proba") and answers.probabilities.size:
        np.testing.assert_allclose(
            answers.probabilities, one.model.predict_proba(X), **CLOSE, err_msg=one.name
        )
    if answers.rejected is not None and hasattr(one.model, "rejects"):
        rejected = one.model.rejects(X)
        assert (answers.rejected == rejected)[~near].all(), one.name
    return int(near.sum())
