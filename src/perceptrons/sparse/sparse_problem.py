"""The door of the room: a table and its classes become rows of literals, class codes and weights."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import (
    check_consistent_length,
    column_or_1d,
)

from .._types import Array
from ..checks import count_rows, row_weights
from ..rows.encode import as_rows, encode_labels, signs_of
from ..tables.literal_encoder import LiteralEncoder
from .conjunctions import Literals, arrange


class Problem(NamedTuple):
    """A training set behind the door."""

    data: Literals
    classes: Array
    codes: Array  # classes[codes] = y
    weights: Array  # of the rows; one of weight 0 is not learned from
    counts: Array  # what they count as: the weights of rows without those of classes

    def signs(self) -> Iterator[Array]:
        return signs_of(self.codes, len(self.classes))


def read_problem(encoder: LiteralEncoder, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> Problem:
    """Checked; the encoder is fitted."""
    read = _read_rows(X, y, sample_weight, class_weight)
    if np.count_nonzero(np.bincount(read.codes, read.weights)) < 2:
        raise ValueError(
            "The rows whose weight is > 0 are of one class only; a classifier needs at least two classes."
        )
    return read.problem(encoder.fit_rows(X, small(read.counts)), encoder)


def read_again(model: Any, X: Any, y: Any, sample_weight: Any) -> Problem:
    """Rows for a model that is fitted: its literals, its classes."""
    read = _read_rows(X, y, sample_weight, model.class_weight, model.classes_)
    if not read.weights.any():
        raise ValueError("All rows have weight 0, by sample_weight or class_weight; some must have more.")
    return read.problem(model.encoder_.transform(X), model.encoder_)


class _Rows(NamedTuple):
    classes: Array
    codes: Array
    weights: Array
    counts: Array

    def problem(self, literals: Any, encoder: LiteralEncoder) -> Problem:
        rows: Any = as_rows(literals)
        return Problem(arrange(rows, literals.shape[0], encoder.attributes_), *self)


def _read_rows(X: Any, y: Any, sample_weight: Any, class_weight: Any, known: Array | None = None) -> _Rows:
    """The classes, and what the rows weigh."""
    if y is None:
        raise ValueError("A classifier requires y to be passed, but the target y is None.")
    check_consistent_length(X, y)
    if not count_rows(X):
        raise ValueError("0 sample(s) while a minimum of 1 is required.")
    labels = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    classes, places = encode_labels(labels, known)
    codes = places.astype(np.intp)
    counts = row_weights(sample_weight, X, np.float64)
    factors = class_factors(class_weight, classes, codes, small(counts))
    return _Rows(classes, codes, small(counts) * factors[codes], counts)


def small(weights: Array) -> Array:
    """The same up to a power of two, so that no sum overflows, and no ratio is rounded."""
    return np.asarray(np.ldexp(weights, -np.frexp(weights.max(initial=0.0))[1]))


def class_factors(class_weight: Any, classes: Array, codes: Array, weights: Array) -> Array:
    """What rows of each class count; classes are balanced by the weights of their rows."""
    if not isinstance(class_weight, str) or class_weight != "balanced":
        factors = np.asarray(compute_class_weight(class_weight, classes=classes, y=classes[codes]))
        if not (np.isfinite(factors) & (factors >= 0.0)).all():
            raise ValueError(f"class_weight={class_weight!r}, but weights must be finite and >= 0; use 1.")
        return small(factors)
    sums = np.bincount(codes, weights, len(classes))
    there = sums > 0.0
    return np.asarray(sums.sum() / (np.count_nonzero(there) * np.where(there, sums, 1.0)))
