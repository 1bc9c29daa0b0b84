"""The door of weights learned together: a table becomes coded columns, class codes and weights."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..rows.encode import signs_of
from ..rows.weights import check_every_class
from ..tables.literal_cells import LiteralCodes
from ..tables.literal_encoder import LiteralEncoder
from .coded_columns import CodedColumns, coded_columns
from .encoded_literals import small, weigh_classes

DENSE = 512  # columns that are coded once, for all folds


class CodedTraining(NamedTuple):
    """A training set, validated. Rows of weight 0 are absent."""

    columns: list[LiteralCodes]
    attributes: Array  # the column of each literal
    n_rows: int
    classes: Array
    codes: Array  # classes[codes] = y
    weights: Array  # of the rows, > 0: a weight of 2 is two rows
    counts: Array  # the weights of the rows without those of their classes
    present: Array | None  # where these rows stand among those given; None: they are all there
    dense: CodedColumns | None = None

    def holding(self, places: tuple[int, ...]) -> Array:
        """The rows in which a conjunction holds."""
        chosen = self.attributes[list(places)]
        return coded_columns(self.columns, self.attributes, self.n_rows, np.unique(chosen)).column(places)

    def signs(self) -> Iterator[Array]:
        """The classes as ±1, for each weight vector."""
        return signs_of(self.codes, len(self.classes))


def code_training(
    encoder: LiteralEncoder, X: Any, y: Any, sample_weight: Any, class_weight: Any
) -> CodedTraining:
    """Validate the rows, and fit the encoder to them."""
    given = weigh_classes(X, y, sample_weight, class_weight)
    there = given.weights > 0.0
    check_every_class(given.classes, given.codes, given.weights)
    columns, n_rows = encoder.fit_codes(X, small(np.where(there, given.counts, 0.0)))
    codes, weights, counts = (part[there] for part in given[1:])
    weights = rescaled(weights, counts)
    present = None if there.all() else np.flatnonzero(there)
    training = CodedTraining(
        columns, encoder.attributes_, n_rows, given.classes, codes, weights, counts, present
    )
    chosen = np.unique(encoder.attributes_)
    if len(chosen) > DENSE:
        return training
    return training._replace(dense=coded_columns(columns, encoder.attributes_, n_rows, chosen))


def rescaled(weights: Array, counts: Array) -> Array:
    """Weights of which 2 is two rows; those that add up to less than the rows are taken to be shares."""
    shares = weights / weights.max()  # whose sum does not overflow
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    total = max(total, float(len(counts))) if np.isfinite(total) else float(len(counts))
    return np.asarray(shares * (total / float(shares.sum())))
