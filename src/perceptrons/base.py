"""What every linear threshold classifier shares: scores, predictions, tags."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from .data.rows import Array


class LinearThreshold(ClassifierMixin, BaseEstimator):
    """A fitted model is `classes_`, `coef_` (one row per weight vector) and `intercept_`."""

    def decision_function(self, X: Any) -> Array:
        """⟨w, x⟩ + b: one score per row for two classes, one per class for more."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=(np.float64, np.float32))
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores  # type: ignore[no-any-return]

    def predict(self, X: Any) -> Array:
        """The class: `classes_[1]` where the score is > 0; of more than two, the one of the highest score."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
