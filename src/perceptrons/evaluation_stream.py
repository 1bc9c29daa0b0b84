"""`evaluate`, batch by batch: counts and costs add up, so that all measures are those of the whole.

All but one: the AUC is that of scores rounded to 11 bits, of more than two classes to 8, and equal ones are
counted half; of more than 64 classes it is not computed.
"""

from copy import copy
from typing import Any

import numpy as np

from ._types import Array
from .evaluation import (
    SMALLEST,
    Evaluation,
    answers_and_rejections,
    codes_among,
    interval_from,
    probabilities_of,
    scores_of,
)
from .rejection.costs import Costs

BITS, FEWER_BITS = 20, 17  # of a score in single precision: sign, exponent and 11 bits; or 8
MOST_CLASSES = 64


class EvaluationOfBatches:
    """Add batches, then ask for what they show together."""

    def __init__(self, model: Any, costs: Costs | None = None) -> None:
        self.model, self.n = model, len(model.classes_)
        self.costs = (costs or Costs()).of(model.classes_)
        self.n_rows, self.paid, self.squares = 0, 0.0, 0.0
        self.confusion = np.zeros((self.n, self.n + 1))
        self.log_loss: float | None = 0.0
        self.brier: float | None = 0.0
        self.bits = BITS if self.n == 2 else FEWER_BITS
        lines = 1 if self.n == 2 else self.n  # the others and the class, in each
        self.buckets: Array | None = None
        if self.n <= MOST_CLASSES:
            self.buckets = np.zeros((lines, 2, 1 << self.bits))

    def add(self, X: Any, y: Any, weights: Any = None) -> None:
        """Rows as the model takes them, and their classes, which it knows."""
        model, codes = self.model, codes_among(self.model.classes_, y)
        given, rejected = answers_and_rejections(model, X)
        counts = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
        self.n_rows += len(codes)
        np.add.at(self.confusion, (codes, np.where(rejected, self.n, given)), counts)
        self.paid += float(self.costs.of_rows(codes, given == codes, rejected) @ counts)
        self.squares += float(np.square(counts[~rejected]).sum())
        self._add_scores(scores_of(model, X) if self.buckets is not None else None, codes, counts)
        self._add_probabilities(probabilities_of(model, X), codes, counts)

    def __add__(self, other: "EvaluationOfBatches") -> "EvaluationOfBatches":
        """Of the batches of both, by the same model."""
        both = copy(self)
        both.n_rows, both.paid = self.n_rows + other.n_rows, self.paid + other.paid
        both.squares, both.confusion = self.squares + other.squares, self.confusion + other.confusion
        for name in ("log_loss", "brier", "buckets"):
            mine, its = getattr(self, name), getattr(other, name)
            setattr(both, name, None if mine is None or its is None else mine + its)
        return both

    def _add_scores(self, scores: Any, codes: Array, counts: Array) -> None:
        if scores is None or self.buckets is None or not np.isfinite(scores).all():
            self.buckets = None
            return
        columns = scores[:, None] if scores.ndim == 1 else scores
        first = self.n - columns.shape[1]  # the class of the first column
        for line, column in enumerate(columns.T):
            truth = (codes == line + first).astype(np.intp)
            np.add.at(self.buckets[line], (truth, bucket_of(column, self.bits)), counts)

    def _add_probabilities(self, proba: Any, codes: Array, counts: Array) -> None:
        if proba is None or self.log_loss is None or self.brier is None:
            self.log_loss = self.brier = None
            return
        own = np.clip(proba[np.arange(len(codes)), codes], SMALLEST, 1.0)
        self.log_loss -= float(np.log(own) @ counts)
        wanted = np.zeros_like(proba)
        wanted[np.arange(len(codes)), codes] = 1.0
        squares = np.square(proba - wanted).sum(axis=1) @ counts
        self.brier += float(squares / 2 if self.n == 2 else squares)

    def result(self) -> Evaluation:
        """Of all batches together."""
        total, by_class = float(self.confusion.sum()), self.confusion.sum(axis=1)
        answered, right = float(self.confusion[:, :-1].sum()), np.diagonal(self.confusion)
        accuracy = float(right.sum() / answered) if answered else None
        effective = answered**2 / self.squares if self.squares else 0.0
        there = by_class > 0.0
        return Evaluation(
            n_rows=self.n_rows,
            classes=tuple(self.model.classes_.tolist()),
            accuracy=accuracy,
            accuracy_interval=None if accuracy is None else interval_from(accuracy, effective),
            balanced_accuracy=float((right[there] / by_class[there]).mean()),
            rejected=float(self.confusion[:, -1].sum() / total),
            risk=self.paid / total,
            auc=None if self.buckets is None else mean_area(self.buckets),
            log_loss=None if self.log_loss is None else self.log_loss / total,
            brier=None if self.brier is None else self.brier / total,
            confusion=tuple(tuple(line) for line in self.confusion.tolist()),
            baseline=float(by_class.max() / total),
        )


def bucket_of(scores: Array, n_bits: int = BITS) -> Array:
    """A number with this number of bits, which grows with the score."""
    with np.errstate(over="ignore"):
        bits = (np.asarray(scores, np.float32) + np.float32(0.0)).view(np.uint32)  # no -0.0
    ordered = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return np.asarray(ordered >> np.uint32(32 - n_bits), np.int64)


def mean_area(buckets: Array) -> float | None:
    """Of the classes that have rows, and are not alone."""
    areas = [area for area in (area_of(*line) for line in buckets) if area is not None]
    return float(np.mean(areas)) if areas else None


def area_of(negative: Array, positive: Array) -> float | None:
    """The area under the curve, from the weights of both classes in each bucket."""
    pairs = float(negative.sum() * positive.sum())
    if not pairs:
        return None
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below) / pairs
