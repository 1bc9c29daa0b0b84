"""What any fitted model is like: how large it is, what margin it certifies, what it answers."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .conservative.chow_classifier import ChowClassifier
from .learners import may_reject
from .selective.selective_classifier import SelectiveClassifier


@dataclass(frozen=True)
class Size:
    """How much of a model there is to read: "30 weights", "7 splits" or "120 rows"."""

    count: int
    unit: str

    def __str__(self) -> str:
        return f"{self.count} {self.unit.removesuffix('s') if self.count == 1 else self.unit}"


def answers_of(model: Any, X: Any) -> tuple[Any, Any]:
    """The class of each row, be it rejected or not, and which rows are."""
    if may_reject(model):
        return model.predict_liberal(X), model.rejects(X)
    answers = model.predict(X)
    return answers, np.zeros(len(answers), bool)


class Shares(NamedTuple):
    """How answers fare, in shares of the rows' weights; without weights each row counts 1."""

    accuracy: float | None  # of the rows answered; None if there are none
    balanced_accuracy: float  # the mean of the classes' recalls; a rejected row is not recalled
    rejected: float


def shares_of(codes: Any, right: Any, rejected: Any, weights: Any = None) -> Shares:
    """`codes` number the classes of the rows; `right` and `rejected` are truth values, one per row."""
    counts = np.ones(len(codes)) if weights is None else weights
    answered = ~rejected
    accuracy = float(np.average(right[answered], weights=counts[answered])) if answered.any() else None
    sums, recalled = np.bincount(codes, counts), np.bincount(codes, counts * (right & answered))
    recalls = recalled[sums > 0.0] / sums[sums > 0.0]
    return Shares(accuracy, float(recalls.mean()), float(np.average(rejected, weights=counts)))


def size_of(model: Any) -> Size | None:
    """Weights that are not 0, splits of a tree, or rows of a kernel model; of what is calibrated, if so."""
    if isinstance(model, ChowClassifier | SelectiveClassifier):
        return size_of(model.estimator_)
    if hasattr(model, "n_weights_"):
        return Size(int(np.sum(model.n_weights_)), "weights")
    if hasattr(model, "tree_"):
        return Size(int(model.tree_.node_count - model.tree_.n_leaves), "splits")
    if hasattr(model, "coef_"):
        return Size(int(np.count_nonzero(model.coef_)), "weights")
    return Size(len(model.support_), "rows") if hasattr(model, "support_") else None


def margin_of(model: Any) -> tuple[float | None, float | None] | None:
    """The certified interval of a fitted model, of several weight vectors that with the smallest margin."""
    found = getattr(model, "certificate_", None)
    if found is None:
        return None
    worst = min(found, key=lambda one: one.margin) if isinstance(found, list) else found
    return known_margin(worst)


def stopped_of(model: Any) -> str | None:
    """By what training ended; of several weight vectors, how the first that did not converge ended."""
    if not hasattr(model, "stopped_"):
        return None
    ends = np.atleast_1d(model.stopped_).tolist()
    return next((end for end in ends if end != "converged"), "converged")


def known_margin(certificate: Any) -> tuple[float | None, float | None]:
    """What is achieved, if the rows are separated, and what cannot be exceeded."""
    bound = 0.0 if certificate.separable is False else certificate.margin_bound
    return certificate.margin if certificate.separable else None, bound
