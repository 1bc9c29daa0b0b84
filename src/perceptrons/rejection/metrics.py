"""Metrics for predictions that include rejections, in the style of scikit-learn's.

To scikit-learn's own metrics a rejection is a class more, which no row has: it counts as an error in the
accuracy and makes rows of zeros in the confusion matrix. These tell rejections from errors; the risk is the
mean of equation 2 of Sundararajan and Pal, coverage and selective accuracy are the usual measures of
classifiers that may reject rows. All fit `sklearn.metrics.make_scorer`.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import confusion_matrix

from .._types import Array
from ..checks import is_number
from .costs import read_costs
from .labels import Answered, check_known, read_answers


def reject_confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    reject_label: Any = "auto",
    sample_weight: Any = None,
    normalize: Any = None,
) -> Array:
    """How many rows of each class got which answer, rejections in the last column.

    Parameters
    ----------
    y_true, y_pred : array
        The classes of rows, and the answers, some of which may be rejections.
    labels : array or None, default None
        The classes in the order of the rows and columns. Rows of other classes are left out, as in
        scikit-learn. None stands for those in `y_true`, sorted. A class without rows must be named here.
    reject_label : "auto", number, str or None, default "auto"
        What stands for a rejection in `y_pred`, see `risk_score`. "auto" takes `labels` into account.
    sample_weight : array or None, default None
        The weights of rows.
    normalize : {None, "true", "pred", "all"}, default None
        None gives counts; the others give shares of each row, of each column, or of all.

    Returns
    -------
    array
        One row per class, and one more column than classes: scikit-learn's `confusion_matrix`, and the
        rejections.

    Examples
    --------
    >>> from perceptrons import reject_confusion_matrix
    >>> y_true = ["healthy", "healthy", "healthy", "ill", "ill"]
    >>> y_pred = ["healthy", "ill", "reject", "ill", "reject"]
    >>> reject_confusion_matrix(y_true, y_pred)
    array([[1, 1, 1],
           [0, 1, 1]])
    """
    rows = read_answers(y_true, y_pred, reject_label, sample_weight, labels)
    names = (rows.classes if labels is None else np.asarray(labels)).tolist()
    truth, predicted = _matrix_indices(rows, names)
    columns = np.arange(len(names) + 1)
    counted = confusion_matrix(
        truth, predicted, labels=columns, sample_weight=sample_weight, normalize=normalize
    )
    return np.asarray(counted[:-1])  # a rejection is no row's class


def _matrix_indices(rows: Answered, names: list[Any]) -> tuple[Array, Array]:
    """The line of each row's class and the column of its answer in the confusion matrix."""
    places = dict.fromkeys(rows.classes.tolist(), len(names) + 1)  # beyond all: scikit-learn leaves them out
    places |= {name: place for place, name in enumerate(names)}
    answers = rows.predicted[~rows.rejected]
    check_known(answers, rows.classes, rows.label)
    predicted = np.full(len(rows.truth), len(names))
    predicted[~rows.rejected] = [places[name] for name in answers.tolist()]
    return np.array([places[name] for name in rows.truth.tolist()]), predicted


def selective_accuracy(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    reject_label: Any = "auto",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> float:
    """The share of right answers among the rows that were answered.

    Parameters
    ----------
    y_true, y_pred : array
        The classes of rows, and the answers, some of which may be rejections.
    labels : array or None, default None
        All classes, see `risk_score`.
    reject_label : "auto", number, str or None, default "auto"
        What stands for a rejection in `y_pred`, see `risk_score`.
    sample_weight : array or None, default None
        The weights of rows.
    zero_division : float or "warn", default "warn"
        The result if no row was answered. "warn" is 0.0, with an `UndefinedMetricWarning`.

    Examples
    --------
    >>> from perceptrons import selective_accuracy
    >>> round(selective_accuracy([1, 1, 2, 2], [1, 2, 2, 0]), 3)
    0.667
    """
    if not is_number(zero_division) and not (isinstance(zero_division, str) and zero_division == "warn"):
        raise ValueError(f"zero_division={zero_division!r}, but it must be 'warn' or a number.")
    rows = read_answers(y_true, y_pred, reject_label, sample_weight, labels)
    weights = np.where(rows.rejected, 0.0, rows.weights)
    if not weights.any():
        return _undefined(zero_division)
    return float(np.average(rows.predicted == rows.truth, weights=weights))


def _undefined(zero_division: Any) -> float:
    if isinstance(zero_division, str):
        warnings.warn(
            "No row was answered: the selective accuracy is undefined and set to 0.0. Set zero_division to "
            "choose another value, or to be silent.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
        return 0.0
    return float(zero_division)


def coverage_score(
    y_true: Any, y_pred: Any, *, labels: Any = None, reject_label: Any = "auto", sample_weight: Any = None
) -> float:
    """The share of rows that were answered.

    Parameters
    ----------
    y_true, y_pred : array
        The classes of rows, and the answers, some of which may be rejections.
    labels : array or None, default None
        All classes, see `risk_score`.
    reject_label : "auto", number, str or None, default "auto"
        What stands for a rejection in `y_pred`, see `risk_score`.
    sample_weight : array or None, default None
        The weights of rows.

    Examples
    --------
    >>> from perceptrons import coverage_score
    >>> coverage_score([1, 1, 2, 2], [1, 2, 2, 0])
    0.75
    """
    rows = read_answers(y_true, y_pred, reject_label, sample_weight, labels)
    return float(np.average(~rows.rejected, weights=rows.weights))


def risk_score(
    y_true: Any,
    y_pred: Any,
    *,
    costs: Any = None,
    reject_cost: Any = 0.2,
    labels: Any = None,
    reject_label: Any = "auto",
    sample_weight: Any = None,
) -> float:
    """The mean cost of answers and rejections; lower is better.

    Parameters
    ----------
    y_true, y_pred : array
        The classes of rows, and the answers, some of which may be rejections.
    costs : Costs or None, default None
        The costs. With None an error costs 1, a rejection `reject_cost`, and a right answer nothing.
    reject_cost : float, default 0.2
        The cost of a rejection where `costs` is None; at least 0 and below 1.
    labels : array or None, default None
        All classes, where `y_true` may lack some, as in a small fold. Classes that `costs` names need not be
        named again. If any are named, other answers raise; otherwise these count as errors.
    reject_label : "auto", number, str or None, default "auto"
        What stands for a rejection in `y_pred`. "auto" is what the estimators of this package use: "reject"
        if classes are texts, otherwise 0, −1 or the number below all classes, the first of these that is not
        a class. The classes are those in `y_true` and those named; if that is a single number, another in
        `y_pred` could be a class or a rejection, and raises. With None nothing is a rejection.
    sample_weight : array or None, default None
        The weights of rows.

    Examples
    --------
    One error and one rejection in four rows:

    >>> from perceptrons import risk_score
    >>> round(risk_score([1, 1, 2, 2], [1, 2, 2, 0], reject_cost=0.2), 3)
    0.3

    To choose parameters by it:

    >>> from sklearn.metrics import make_scorer
    >>> scorer = make_scorer(risk_score, greater_is_better=False, reject_cost=0.1)
    """
    return read_costs(costs, reject_cost).risk(
        y_true, y_pred, labels=labels, reject_label=reject_label, sample_weight=sample_weight
    )
