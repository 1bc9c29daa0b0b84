"""The door of the room: a table and its classes become rows of literals, class codes and weights."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .._types import Array
from ..checks import count_rows, row_weights
from ..input_kinds import check_input
from ..rows.encode import as_rows, encode_labels, signs_of
from ..rows.weights import check_every_class, class_factors
from ..tables.literal_encoder import LiteralEncoder
from .conjunctions import Literals, arrange


class EncodedLiterals(NamedTuple):
    """A training set, validated. Rows of weight 0 are absent."""

    data: Literals
    classes: Array
    codes: Array  # classes[codes] = y
    weights: Array  # of the rows, > 0
    counts: Array  # the weights of the rows without those of their classes
    present: Array | None  # where these rows stand among those given; None: they are all there

    def signs(self) -> Iterator[Array]:
        """The classes as ±1, for each weight vector."""
        return signs_of(self.codes, len(self.classes))


class WeighedClasses(NamedTuple):
    """The classes of all rows given, and what each row counts."""

    classes: Array
    codes: Array
    weights: Array
    counts: Array  # without the weights of classes


def encode_literals(
    encoder: LiteralEncoder, X: Any, y: Any, sample_weight: Any, class_weight: Any
) -> EncodedLiterals:
    """Validate the rows, and fit the encoder to them."""
    given = weigh_classes(X, y, sample_weight, class_weight)
    there = given.weights > 0.0
    check_every_class(given.classes, given.codes, given.weights)
    literals = encoder.fit_present(X, small(np.where(there, given.counts, 0.0)))
    return literals_of(literals, encoder, given)


def encode_for(model: Any, X: Any, y: Any, sample_weight: Any) -> EncodedLiterals:
    """Validate rows for a fitted model, and encode them by its literals and classes."""
    given = weigh_classes(X, y, sample_weight, model.class_weight, model.classes_)
    there = given.weights > 0.0
    if not there.any():
        raise ValueError("All rows have weight 0, by sample_weight or class_weight; some must have more.")
    literals = model.encoder_.transform(X)
    literals = literals if there.all() else literals[there]
    return literals_of(literals, model.encoder_, given)


def literals_of(literals: Any, encoder: LiteralEncoder, given: WeighedClasses) -> EncodedLiterals:
    """The training set of these literals, those of the rows that count."""
    rows: Any = as_rows(literals)
    there = given.weights > 0.0
    data = arrange(rows, literals.shape[0], encoder.attributes_)
    present = None if there.all() else np.flatnonzero(there)
    codes, weights, counts = (part[there] for part in given[1:])
    return EncodedLiterals(data, given.classes, codes, weights, counts, present)


def weigh_classes(
    X: Any, y: Any, sample_weight: Any, class_weight: Any, known: Array | None = None
) -> WeighedClasses:
    classes, places = encode_labels(read_labels(X, y), known)
    return weighed(classes, places.astype(np.intp), row_weights(sample_weight, X, np.float64), class_weight)


def read_labels(X: Any, y: Any) -> Array:
    """The labels of these rows, as they are."""
    if y is None:
        raise ValueError("A classifier requires y to be passed, but the target y is None.")
    check_input(X, y)
    n_rows = count_rows(X)  # says in a sentence what is no table
    check_consistent_length(X, y)
    if not n_rows:
        raise ValueError("0 sample(s) while a minimum of 1 is required.")
    labels = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    return np.asarray(labels)


def weighed(classes: Array, codes: Array, counts: Array, class_weight: Any) -> WeighedClasses:
    """Rows of these classes and weights, the latter times those of the classes."""
    factors = class_factors(class_weight, classes, codes, small(counts))
    return WeighedClasses(classes, codes, small(counts) * small(factors)[codes], counts)


def small(weights: Array) -> Array:
    """The weights divided by a power of two, so that no sum overflows and no ratio is rounded."""
    return np.asarray(np.ldexp(weights, -np.frexp(weights.max(initial=0.0))[1]))
