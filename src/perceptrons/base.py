"""What every threshold classifier shares: scores, predictions, tags."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._types import Array
from .checks import validated
from .input_kinds import check_labels
from .rows.products import row_products
from .rows.scores import scores_with_true_signs
from .seen_rows import remember


@contextmanager
def all_or_nothing(model: Any, X: Any = None, weights: Any = None, more: bool = False) -> Iterator[None]:
    """A fit that raises leaves the model as it was: fitted before, still fitted, and to the same rows.

    One that does not remembers its rows X, if given: `more`, if the model goes on from earlier ones.
    """
    before = vars(model).copy()
    try:
        yield
        if X is not None:
            model._seen_rows = remember(model, X, weights is not None, more)
    except BaseException:
        model.__dict__ = before
        raise


class Threshold(ClassifierMixin, BaseEstimator):
    """A fitted model is `classes_` and a way to score rows, `_scores`."""

    def decision_function(self, X: Any) -> Array:
        """⟨w, x⟩ + b: one score per row for two classes, one per class for more."""
        check_is_fitted(self)
        X = validated(self, X, reset=False, accept_sparse="csr", dtype=(np.float64, np.float32))
        scores = self._scores(X)
        return np.asarray(scores.ravel() if scores.shape[1] == 1 else scores)

    def predict(self, X: Any) -> Array:
        """The class: `classes_[1]` where the score is > 0; of more than two, the one of the highest score."""
        codes = codes_of(self.decision_function(X))
        return np.asarray(self.classes_[codes])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of right answers, by weight."""
        check_labels(y)
        return float(super().score(X, y, sample_weight))

    def _scores(self, X: Any) -> Array:
        """⟨w, x⟩ + b, one column per weight vector."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearThreshold(Threshold):
    """The weights are at hand: `coef_`, one row per weight vector."""

    def _scores(self, X: Any) -> Array:
        if len(self.coef_) == 1:  # a sign is the answer: it is that of the real number
            return scores_with_true_signs(X, self.coef_[0], self.intercept_[0])[:, None]
        return np.asarray(row_products(X, self.coef_) + self.intercept_)


def codes_of(scores: Array) -> Array:
    """The place of the class that scores choose, among the classes; a row of scores per row, or one score."""
    one = scores.ndim == 1 or scores.shape[1] == 1
    return np.asarray((scores.ravel() > 0).astype(int) if one else scores.argmax(axis=1))
