"""The door of the room: a table and its classes become rows of literals, class codes and weights."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._types import Array
from ..checks import count_rows, row_weights
from ..rows.encode import as_rows, encode_labels, signs_of
from ..rows.weights import class_factors
from ..tables.literal_encoder import LiteralEncoder
from .conjunctions import Literals, arrange


class EncodedLiterals(NamedTuple):
    """A training set, validated."""

    data: Literals
    classes: Array
    codes: Array  # classes[codes] = y
    weights: Array  # of the rows; one of weight 0 is not learned from
    counts: Array  # the weights of the rows without those of their classes

    def signs(self) -> Iterator[Array]:
        """The classes as ±1, for each weight vector."""
        return signs_of(self.codes, len(self.classes))


def encode_literals(
    encoder: LiteralEncoder, X: Any, y: Any, sample_weight: Any, class_weight: Any
) -> EncodedLiterals:
    """Validate the rows, and fit the encoder to them."""
    classes, codes, weights, counts = _encode_classes(X, y, sample_weight, class_weight)
    if np.count_nonzero(np.bincount(codes, weights)) < 2:
        raise ValueError(
            "The rows whose weight is > 0 are of one class only; a classifier needs at least two classes."
        )
    literals = _arranged(encoder.fit_rows(X, small(counts)), encoder)
    return EncodedLiterals(literals, classes, codes, weights, counts)


def encode_for(model: Any, X: Any, y: Any, sample_weight: Any) -> EncodedLiterals:
    """Validate rows for a fitted model, and encode them by its literals and classes."""
    classes, codes, weights, counts = _encode_classes(X, y, sample_weight, model.class_weight, model.classes_)
    if not weights.any():
        raise ValueError("All rows have weight 0, by sample_weight or class_weight; some must have more.")
    literals = _arranged(model.encoder_.transform(X), model.encoder_)
    return EncodedLiterals(literals, classes, codes, weights, counts)


def _arranged(literals: Any, encoder: LiteralEncoder) -> Literals:
    rows: Any = as_rows(literals)
    return arrange(rows, literals.shape[0], encoder.attributes_)


def _encode_classes(
    X: Any, y: Any, sample_weight: Any, class_weight: Any, known: Array | None = None
) -> tuple[Array, Array, Array, Array]:
    """The classes, the code of each row, its weight, and its weight without that of its class."""
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
    return classes, codes, small(counts) * small(factors)[codes], counts


def small(weights: Array) -> Array:
    """The weights divided by a power of two, so that no sum overflows and no ratio is rounded."""
    return np.asarray(np.ldexp(weights, -np.frexp(weights.max(initial=0.0))[1]))
