"""How well a fitted model does on rows with known classes: shares, costs, ranking, probabilities.

Accuracy and its interval are about the rows answered; a model may reject others. The interval is Wilson's, at
95 %; rows with weights count as Kish's effective number, (Σw)² / Σw². Measures of probabilities apply
where a model has `predict_proba`. The AUC of more than two classes is the mean over classes against the rest.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from .describe import answers_of, shares_of
from .rejection.costs import Costs

Z = 1.959963984540054  # of the normal distribution, two-sided 95 %
SMALLEST = 1e-15  # a probability in a logarithm


@dataclass(frozen=True)
class Evaluation:
    """A model on rows with classes. Shares and means are weighted where rows have weights.

    Attributes
    ----------
    n_rows : the number of rows.
    classes : the classes of the model, in the order of `confusion`.
    accuracy, accuracy_interval : the share of right answers among those given, and where it lies with
        probability 95 % for rows drawn like these; None if nothing is answered.
    balanced_accuracy : the mean over the classes of the share of their rows that are answered right.
    rejected : the share of rows rejected; 0 of a model that always answers.
    risk : the mean cost of a row.
    auc : the probability that of two rows of different classes the scores order the right one first.
    log_loss, brier : of the probabilities of the classes, lower is better; None without probabilities.
    confusion : a line per class, a column per answer and one for rejections: sums of weights.
    baseline : the accuracy of always answering the class that most rows have.
    """

    n_rows: int
    classes: tuple[Any, ...]
    accuracy: float | None
    accuracy_interval: tuple[float, float] | None
    balanced_accuracy: float
    rejected: float
    risk: float
    auc: float | None
    log_loss: float | None
    brier: float | None
    confusion: tuple[tuple[float, ...], ...]
    baseline: float


def evaluate(
    model: Any, X: Any, y: Any, weights: Any = None, costs: Costs | None = None, proba: Any = None
) -> Evaluation:
    """Evaluate a fitted model on rows as it takes them, and their classes, which it knows.

    `costs` are those of the risk; None: an error costs 1, a rejection 0.2. `proba` are probabilities, a
    column per class, where the model has none of its own.
    """
    proba = probabilities_of(model, X) if proba is None else proba
    answered = AnsweredRows(
        codes_among(model.classes_, y), *answers_and_rejections(model, X), scores_of(model, X), proba
    )
    return evaluate_answers(model.classes_, answered, weights, costs)


class AnsweredRows(NamedTuple):
    """Rows of known classes (`codes`), what a model answers (`given`, codes as well), which rows it rejects;
    scores and probabilities, if there are some."""

    codes: Any
    given: Any
    rejected: Any
    scores: Any = None
    proba: Any = None


def answers_and_rejections(model: Any, X: Any) -> tuple[Any, Any]:
    """Codes of the answers, and which rows are rejected."""
    answers, rejected = answers_of(model, X)
    return codes_among(model.classes_, answers), rejected


def codes_among(classes: Any, labels: Any) -> Any:
    """The places of labels among sorted classes, which are numbers even where the labels are objects."""
    return np.searchsorted(classes, np.asarray(labels).astype(classes.dtype))


def evaluate_answers(
    classes: Any, answered: AnsweredRows, weights: Any = None, costs: Costs | None = None
) -> Evaluation:
    """The same of answers that are given already."""
    codes, given, rejected, scores, proba = answered
    right = given == codes
    shares = shares_of(codes, right, rejected, weights)
    counts = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    paid = (costs or Costs()).of(classes).of_rows(codes, right, rejected)
    return Evaluation(
        n_rows=len(codes),
        classes=tuple(classes.tolist()),
        accuracy=shares.accuracy,
        accuracy_interval=interval_of(shares.accuracy, counts[~rejected]),
        balanced_accuracy=shares.balanced_accuracy,
        rejected=shares.rejected,
        risk=float(np.average(paid, weights=counts)),
        auc=auc_of(codes, scores, weights, len(classes)),
        log_loss=None if proba is None else log_loss_of(codes, proba, counts),
        brier=None if proba is None else brier_of(codes, proba, counts),
        confusion=_confusion(codes, np.where(rejected, len(classes), given), counts, len(classes)),
        baseline=float(np.bincount(codes, counts).max() / counts.sum()),
    )


def scores_of(model: Any, X: Any) -> Any:
    """What orders rows by class: one column for two classes, else one per class; None if there is nothing."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    proba = probabilities_of(model, X)
    return proba if proba is None or proba.shape[1] > 2 else proba[:, -1]


def probabilities_of(model: Any, X: Any) -> Any:
    """The probabilities of the classes, if the model has some."""
    return np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None


def interval_of(share: float | None, counts: Any) -> tuple[float, float] | None:
    """Wilson's interval of a share, at 95 %, of rows with these weights."""
    total = float(np.sum(counts))
    if share is None or not total:
        return None
    return interval_from(share, total**2 / float(np.sum(np.square(counts))))


def interval_from(share: float, n: float) -> tuple[float, float]:
    """The same of a number of rows."""
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(max(share * (1 - share), 0.0) / n + Z**2 / (4 * n**2))
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def auc_of(codes: Any, scores: Any, weights: Any, n_classes: int) -> float | None:
    """The area under the curve; None without scores, or where the rows are of one class."""
    if scores is None or not np.isfinite(scores).all():
        return None
    columns = [(scores, n_classes - 1)]
    if scores.ndim > 1:
        columns = list(zip(scores.T, range(n_classes), strict=True))
    areas = []
    for column, code in columns:
        truth = codes == code
        counted = truth if weights is None else truth[np.asarray(weights) > 0]
        if 0 < np.count_nonzero(counted) < len(counted):
            areas.append(roc_auc_score(truth, column, sample_weight=weights))
    return float(np.mean(areas)) if areas else None


def log_loss_of(codes: Any, proba: Any, counts: Any) -> float:
    own = np.clip(proba[np.arange(len(codes)), codes], SMALLEST, 1.0)
    return float(-np.average(np.log(own), weights=counts))


def brier_of(codes: Any, proba: Any, counts: Any) -> float:
    """The mean squared error of the probabilities; of two classes, of that of the second."""
    wanted = np.zeros_like(proba)
    wanted[np.arange(len(codes)), codes] = 1.0
    squares = np.square(proba - wanted).sum(axis=1)
    return float(np.average(squares / 2 if proba.shape[1] == 2 else squares, weights=counts))


def _confusion(codes: Any, given: Any, counts: Any, n: int) -> tuple[tuple[float, ...], ...]:
    table = np.zeros((n, n + 1))
    np.add.at(table, (codes, given), counts)
    return tuple(tuple(row) for row in table.tolist())
