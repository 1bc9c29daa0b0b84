"""Any classifier with scores, inside another: its answers, how sure it is, copies of it fold by fold."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .._types import Array
from ..conservative.chow_input import is_estimator, rows_at


def answers_and_certainty(model: Any, X: Any, classes: Array) -> tuple[Array, Array]:
    """For each row the place of its answer among the classes, and how sure the model is of that answer.

    Certainty is the probability of the answer, or how far its score is above the others. One that may reject
    rows is asked for the answer it would give. A row whose certainty is not a number is never answered.
    """
    while isinstance(model, Pipeline | FrozenEstimator):
        if isinstance(model, FrozenEstimator):
            model = model.estimator
        else:
            X, model = (model[:-1].transform(X) if len(model.steps) > 1 else X), model[-1]
    known = model.classes_
    answers = np.asarray((model.predict_liberal if hasattr(model, "predict_liberal") else model.predict)(X))
    if hasattr(model, "predict_proba"):
        certainty = _of_answer(np.asarray(model.predict_proba(X)), np.searchsorted(known, answers))
    else:
        scores, places = np.asarray(model.decision_function(X)), np.searchsorted(known, answers)
        certainty = _lead_of(model, scores, places)
    return np.searchsorted(classes, answers), np.where(np.isnan(certainty), -np.inf, certainty)


def _of_answer(values: Array, places: Array) -> Array:
    return np.asarray(values[np.arange(len(places)), places], float)


def _lead_of(model: Any, scores: Array, places: Array) -> Array:
    """How far an answer is ahead, by scores of which positive ones speak for a class."""
    if scores.ndim == 1:
        return np.where(places == 1, scores, -scores)
    if getattr(model, "decision_function_shape", None) == "ovo":  # a score per pair of classes
        return _least_of_pairs(scores, places, len(model.classes_))
    return _lead(scores, places)


def _least_of_pairs(scores: Array, places: Array, n_classes: int) -> Array:
    """The least score by which the answer beats another class; the first class of a pair is the positive."""
    least = np.full(len(places), np.inf)
    for score, (one, other) in zip(scores.T, combinations(range(n_classes), 2), strict=True):
        signed = np.where(places == one, score, np.where(places == other, -score, np.inf))
        least = np.minimum(least, signed)
    return least


def _lead(scores: Array, places: Array) -> Array:
    """How far the score of the answer is above the highest of the others."""
    others = scores.astype(float)
    others[np.arange(len(places)), places] = -np.inf
    return np.asarray(_of_answer(scores, places) - others.max(axis=1))


def folds(codes: Array, n_folds: int, random_state: Any) -> list[tuple[Array, Array]]:
    """Folds with rows of every class in each, or, where a class has one row, without regard to classes."""
    least = int(np.bincount(codes).min())
    make = StratifiedKFold if least > 1 else KFold
    n = min(n_folds, least) if least > 1 else min(n_folds, len(codes))
    splitter = make(n, shuffle=True, random_state=random_state)
    return [*splitter.split(np.zeros(len(codes)), codes)]


def fitted_copies(
    estimator: Any, X: Any, y: Array, splits: list[tuple[Array, Array]]
) -> Iterator[tuple[Any, Array]]:
    """Copies of the estimator, and the rows each was not trained on; a split of one class is left out."""
    for train, test in splits:
        if len(np.unique(y[train])) > 1:
            yield clone(estimator).fit(rows_at(X, train), y[train]), test


def tags_of(estimator: Any, tags: Any) -> Any:
    """The tags of a classifier around this one, which takes the rows that the inner one takes."""
    if not is_estimator(estimator):
        return tags  # `fit` will say so
    inner = get_tags(estimator)
    tags.input_tags, tags.non_deterministic = inner.input_tags, inner.non_deterministic
    if inner.classifier_tags is not None:
        tags.classifier_tags = inner.classifier_tags
        tags.classifier_tags.multi_label = False  # y is a column, whatever the estimator can do
    return tags


PROMISES = (
    "what it promises is counted on rows that are drawn as new rows will be, each once. Weigh classes "
    "inside, with class_weight of the estimator, or fit the estimator with weights first and use cv='prefit'."
)
PRICES = "its prices are means over rows, each once. Weigh classes by costs."


def refuse_weights(name: str, fit_params: dict[str, Any], reason: str) -> None:
    """Rows that count more than others are not drawn as new rows will be."""
    for given in [key for key, value in fit_params.items() if value is not None]:
        raise ValueError(
            f"{given} is given, but {name}.fit takes X and y alone: {reason}"
            if given == "sample_weight"
            else f"{given} is given, but {name}.fit takes X and y alone; set it on the estimator."
        )
