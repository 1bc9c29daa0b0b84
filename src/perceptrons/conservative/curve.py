"""How errors fall as more rows are rejected: Chow's error–reject curve."""

from typing import Any, NamedTuple

import numpy as np

from ..data.rows import Array


class ErrorRejectCurve(NamedTuple):
    """One point per threshold, the share of rejected rows rising from 0 to 1.

    rejected : the share of rows less certain than the threshold.
    errors : the share of rows (of all, not of those answered) that are answered, and wrong.
    thresholds : the least certainty that is answered; infinite where nothing is.
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
        """For each cost of a refusal, where errors cost 1, the risk at the best threshold."""
        costs = np.atleast_1d(np.asarray(reject_cost, float))  # one by one: the curve may be long
        return np.array([(self.errors + cost * self.rejected).min() for cost in costs])


def error_reject_curve(wrong: Array, certainty: Array) -> ErrorRejectCurve:
    """The curve of answers of which some are wrong, the least certain rejected first."""
    order = np.argsort(certainty, kind="stable")
    certainty, left = certainty[order], np.append(np.cumsum(wrong[order][::-1])[::-1], 0)
    first = np.flatnonzero(np.concatenate([[True], certainty[1:] != certainty[:-1], [True]]))  # of each value
    thresholds = np.append(certainty, np.inf)[first]
    return ErrorRejectCurve(first / len(certainty), left[first] / len(certainty), thresholds)
