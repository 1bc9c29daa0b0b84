"""The rows of a certificate as the last step of a pipeline meets them, and how the model answers them."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._types import Array
from ..input_kinds import check_input
from ..rows.encode import encode_labels
from ..structure import check_structure
from ..theory.held_out import hoeffding_bentkus
from ..theory.statements import count_answers


class RowsAndAnswers(NamedTuple):
    """learner : the last step. X : the rows as they reach it. scaled : whether a step before it was fitted to
    rows. codes, answers : places of the labels and of the answers among `names`. rejected : rows without an
    answer; `answers` has what it would have been."""

    learner: Any
    X: Any
    scaled: bool
    codes: Array
    answers: Array
    rejected: Array
    names: list[str]

    @property
    def wrong(self) -> Array:
        return np.asarray(self.codes != self.answers)

    @property
    def counted(self) -> "CountedAnswers":
        """What is said of new rows needs no more than counts."""
        table = count_answers(self.codes, self.answers, self.rejected, len(self.names))
        return CountedAnswers(self.learner, table, self.names)


class CountedAnswers(NamedTuple):
    """How many rows of each class have which answer, the last column counting those without."""

    learner: Any
    table: Array
    names: list[str]

    @property
    def n_rows(self) -> int:
        return int(self.table.sum())

    @property
    def n_rejected(self) -> int:
        return int(self.table[:, -1].sum())

    @property
    def n_wrong(self) -> int:
        """Of the rows answered."""
        return self.n_rows - self.n_rejected - int(np.trace(self.table[:, :-1]))

    @property
    def larger_class(self) -> tuple[str, float]:
        """The commonest class of these rows, and the share of all others."""
        counts = self.table.sum(axis=1)
        largest = int(counts.argmax())
        return self.names[largest], 1.0 - float(counts[largest]) / self.n_rows

    def risk(self, delta: float) -> tuple[float, float] | tuple[None, None]:
        """The mean cost of a row, and what it is at most on new rows, if the model rejects by costs."""
        if not (hasattr(self.learner, "costs") and hasattr(self.learner, "rejects")):
            return None, None
        prices, (codes, answers) = self.learner._prices, np.indices(self.table.shape)
        paid = prices.of_rows(codes, codes == answers, answers == len(self.names))
        low, high = -float(prices.gain.max()), float(max(prices.wrong.max(), prices.reject.max()))
        mean, width = float((self.table * paid).sum() / self.n_rows), high - low
        share = min(max((mean - low) / width, 0.0), 1.0)
        return mean, low + width * float(hoeffding_bentkus(share, self.n_rows, delta))


def check_classifier_fitted(model: Any) -> None:
    if not hasattr(model, "predict") and not isinstance(model, Pipeline):
        raise ValueError(
            f"certify takes a fitted classifier or a pipeline that ends with one, not {model!r}."
        )
    check_is_fitted(model)


def walk_steps(model: Any, X: Any) -> tuple[Any, Any, bool]:
    """The last step of a pipeline, the rows as they reach it, and whether a step before it was fitted: one
    that needs no fit, or is frozen and so was fitted elsewhere, does not count."""
    check_structure(X)  # the steps may be scikit-learn's, which would read it as it is
    check_classifier_fitted(model)
    scaled = False
    while isinstance(model, Pipeline):
        for name, step in model.steps[:-1]:
            if step in (None, "passthrough"):
                continue
            if not hasattr(step, "transform"):
                raise ValueError(
                    f"The step {name!r}, {type(step).__name__}, has no transform, so that the rows do not "
                    "reach the learner; certify the last step on the rows it was fitted on."
                )
            X, scaled = step.transform(X), scaled or _was_fitted(step)
        model = model.steps[-1][1]
        check_classifier_fitted(model)
    return model, X, scaled


def _was_fitted(step: Any) -> bool:
    return not isinstance(step, FrozenEstimator) and bool(get_tags(step).requires_fit)


def answer_rows(model: Any, X: Any, y: Any) -> RowsAndAnswers:
    """Let a fitted model answer rows whose labels are known."""
    check_input(X, y)
    learner, rows, scaled = walk_steps(model, X)
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    if not len(labels):
        raise ValueError("There are no rows to certify with; pass at least one.")
    classes = np.asarray(learner.classes_)
    codes = encode_labels(labels, classes)[1]
    found, rejected = _answers(learner, rows)
    answers = encode_labels(np.asarray(found), classes)[1]
    return RowsAndAnswers(
        learner, rows, scaled, np.asarray(codes, int), answers, rejected, [*map(str, classes.tolist())]
    )


def _answers(learner: Any, rows: Any) -> tuple[Array, Array]:
    if hasattr(learner, "predict_liberal") and hasattr(learner, "rejects"):
        return learner.predict_liberal(rows), np.asarray(learner.rejects(rows), bool)
    found = learner.predict(rows)
    return found, np.zeros(len(found), bool)
