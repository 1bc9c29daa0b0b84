"""What classifiers that may reject rows share: predictions, their cost, and Chow's error–reject curve.

The curve shows how the errors fall as more rows are rejected, the least certain first.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._types import Array
from ..checks import number
from ..input_kinds import check_input
from ..rows.encode import encode_labels
from ..theory.held_out import saving_confidence, saving_interval
from .costs import Prices
from .labels import answers


class ErrorRejectCurve(NamedTuple):
    """One point per threshold, the share of rejected rows rising from 0 to 1.

    rejected : the share of rows less certain than the threshold.
    errors : the share of rows (of all, not of those answered) that are answered, and wrong.
    thresholds : the lowest certainty that is answered; infinite where nothing is.
    """

    rejected: Array
    errors: Array
    thresholds: Array

    @property
    def selective_accuracy(self) -> Array:
        """The share of right answers among those given; 1 where none is."""
        answered = 1.0 - self.rejected
        share = np.divide(self.errors, answered, np.zeros_like(answered), where=answered > 0.0)
        return np.asarray(1.0 - np.minimum(share, 1.0))  # rounding must not make it negative

    def least_risk(self, reject_cost: Any) -> Array:
        """For each cost of a rejection, where errors cost 1, the risk at the best threshold."""
        costs = np.atleast_1d(np.asarray(reject_cost, float))  # one by one: the curve may be long
        return np.array([(self.errors + cost * self.rejected).min() for cost in costs])


def error_reject_curve(wrong: Array, certainty: Array) -> ErrorRejectCurve:
    """The curve of answers of which some are wrong, the least certain rejected first."""
    order = np.argsort(certainty, kind="stable")
    certainty, left = certainty[order], np.append(np.cumsum(wrong[order][::-1])[::-1], 0)
    first = np.flatnonzero(np.concatenate([[True], certainty[1:] != certainty[:-1], [True]]))  # of each value
    thresholds = np.append(certainty, np.inf)[first]
    return ErrorRejectCurve(first / len(certainty), left[first] / len(certainty), thresholds)


class Rejecting(ClassifierMixin):
    """A fitted model has `classes_`, `reject_label_`, `_prices` and decides about rows by `_decisions`."""

    classes_: Array
    reject_label_: Any
    _prices: Prices

    def _decisions(self, X: Any) -> tuple[Array, Array, Array]:
        """For each row: the code of the class it would get, whether it is rejected, how certain it is."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The class of each row, or `reject_label_` where it is rejected."""
        codes, rejected, _ = self._decisions(X)
        return answers(self.classes_, codes, rejected, self.reject_label_)

    def predict_liberal(self, X: Any) -> Array:
        """The class of each row, whether it is rejected or not."""
        codes, _, _ = self._decisions(X)
        return np.asarray(self.classes_[codes])

    def rejects(self, X: Any) -> Array:
        """Which rows are rejected."""
        return self._decisions(X)[1]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy: the share of right answers; rejected rows have none. See `risk` for their cost."""
        codes, rejected, _ = self._decisions(X)
        labels = self._labels(X, y)
        unique_labels(self.classes_, labels)  # texts and numbers are never equal, which would be no score
        right = (self.classes_[codes] == labels) & ~rejected
        return float(accuracy_score(np.ones(len(right), bool), right, sample_weight=sample_weight))

    def risk(self, X: Any, y: Any) -> float:
        """The mean cost of what is answered and rejected; lower is better."""
        codes, rejected, _ = self._decisions(X)
        truth = self._codes(X, y)
        return float(self._prices.of_rows(truth, codes == truth, rejected).mean())

    def error_reject_curve(self, X: Any, y: Any) -> ErrorRejectCurve:
        """How errors fall as more rows are rejected, the least certain first."""
        codes, _, certainty = self._decisions(X)
        return error_reject_curve(codes != self._codes(X, y), certainty)

    def confidence(self, X: Any, y: Any) -> float:
        """The confidence that rejections pay, from rows that were not used for training (equation 18).

        It bounds the probability that answering the rejected rows would cost more than to reject them. Where
        costs are the same for all classes it is 1 − exp(−2n(ℓ/n − γ)²), ℓ of n rejected rows being those that
        would be answered wrongly, and γ = (a+c)/(a+b) the share of errors from which on rejections pay; 0 if
        ℓ/n ≤ γ. For other costs see `theory.held_out.saving_confidence`; `saving_interval` says how much.
        """
        saved, width = self._savings(X, y)
        return float(saving_confidence(saved.mean() if len(saved) else 0.0, width, len(saved)))

    def saving_interval(self, X: Any, y: Any, confidence: float = 0.95) -> tuple[float, float]:
        """What rejecting a row saves on average, compared to answering it: between which limits it lies.

        From rejected rows that were not used for training, for any costs, by Hoeffding's inequality; limits
        that no costs can exceed where there are none, or few.
        """
        share = number("confidence", confidence, "(0, 1)", "use 0.95")
        saved, width = self._savings(X, y)
        least = -float((self._prices.gain + self._prices.reject).max())
        mean = float(saved.mean()) if len(saved) else 0.0
        low, high = saving_interval(mean, width, len(saved), 1.0 - share)
        return max(low, least), min(high, least + width)

    def _savings(self, X: Any, y: Any) -> tuple[Array, float]:
        """What each rejected row has saved, and how far apart savings can be."""
        codes, rejected, _ = self._decisions(X)
        truth = self._codes(X, y)
        a, b, c = self._prices
        saved = np.where(codes != truth, (b - c)[truth], -(a + c)[truth])[rejected]
        return saved, float((b - c).max() + (a + c).max())

    def _labels(self, X: Any, y: Any) -> Array:
        check_input(X, y)
        check_consistent_length(X, y)
        return np.asarray(column_or_1d(y))

    def _codes(self, X: Any, y: Any) -> Array:
        """The places of the classes of these rows, none of which may be new."""
        return encode_labels(self._labels(X, y), self.classes_)[1]
