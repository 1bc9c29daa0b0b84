"""What classifiers that may refuse share: answers, refusals, and what both cost."""

from math import exp
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ..data.encode import encode_labels
from ..data.rows import Array
from .costs import Prices
from .curve import ErrorRejectCurve, error_reject_curve
from .labels import answers


class Rejecting(ClassifierMixin):
    """A fitted one has `classes_`, `reject_label_`, `_prices` and a way to judge rows, `_judge`."""

    classes_: Array
    reject_label_: Any
    _prices: Prices

    def _judge(self, X: Any) -> tuple[Array, Array, Array]:
        """Of each row: the place of the class it would get, whether it is rejected, how certain it is."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The class of each row, or `reject_label_` where it is rejected."""
        codes, rejected, _ = self._judge(X)
        return answers(self.classes_, codes, rejected, self.reject_label_)

    def predict_liberal(self, X: Any) -> Array:
        """The class of each row, be it rejected or not."""
        codes, _, _ = self._judge(X)
        return np.asarray(self.classes_[codes])

    def rejects(self, X: Any) -> Array:
        """Which rows are rejected."""
        return self._judge(X)[1]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of right answers; rejected rows have none. See `risk` for their cost."""
        codes, rejected, _ = self._judge(X)
        labels = self._labels(X, y)
        unique_labels(self.classes_, labels)  # texts and numbers are never equal, which would be no score
        right = (self.classes_[codes] == labels) & ~rejected
        return float(accuracy_score(np.ones(len(right), bool), right, sample_weight=sample_weight))

    def risk(self, X: Any, y: Any) -> float:
        """The mean cost of what is answered and rejected; smaller is better."""
        codes, rejected, _ = self._judge(X)
        truth = self._codes(X, y)
        return float(self._prices.of_rows(truth, codes == truth, rejected).mean())

    def error_reject_curve(self, X: Any, y: Any) -> ErrorRejectCurve:
        """How errors fall as more rows are rejected, the least certain first."""
        codes, _, certainty = self._judge(X)
        return error_reject_curve(codes != self._codes(X, y), certainty)

    def confidence(self, X: Any, y: Any) -> float:
        """With what confidence refusals pay, judged by rows that were not trained on (equation 18).

        It bounds the probability that answering the rejected rows would cost more than to reject them:
        1 − exp(−2n(ℓ/n − γ)²) where ℓ of n rejected rows would be answered wrongly and γ = (a+c)/(a+b) is the
        share of errors from which on refusals pay; 0 if ℓ/n ≤ γ.
        """
        codes, rejected, _ = self._judge(X)
        if not self._prices.uniform:
            raise ValueError(
                "The bound is for costs that are the same for all classes; these differ. Compare risks."
            )
        wrong = (codes != self._codes(X, y))[rejected]
        a, b, c = (float(part[0]) for part in self._prices)
        excess = float(wrong.mean()) - (a + c) / (a + b) if len(wrong) else 0.0
        return 1.0 - exp(-2.0 * len(wrong) * excess**2) if excess > 0.0 else 0.0

    def _labels(self, X: Any, y: Any) -> Array:
        check_consistent_length(X, y)
        return np.asarray(column_or_1d(y))

    def _codes(self, X: Any, y: Any) -> Array:
        """The places of the classes of these rows, none of which may be new."""
        return encode_labels(self._labels(X, y), self.classes_)[1]
