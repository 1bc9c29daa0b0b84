"""The door of weights learned together: a table becomes coded columns, class codes and weights."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..rows.encode import signs_of
from ..rows.weights import check_every_class
from ..tables.literal_cells import LiteralCodes
from ..tables.literal_encoder import LiteralEncoder
from .coded_columns import CodedColumns, coded_columns
from .encoded_literals import WeighedClasses, small, weigh_classes
from .limits import Limits, read_limits
from .rule_path import PathScope, steady


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
    limits: Limits

    def holding(self, places: Sequence[int]) -> Array:
        """The rows in which a conjunction holds."""
        chosen = self.attributes[list(places)]
        return coded_columns(self.columns, self.attributes, self.n_rows, np.unique(chosen)).column(places)

    @property
    def chosen(self) -> Array:
        """The columns that have literals and that rules may speak of."""
        used = np.unique(self.attributes)
        return np.asarray(used[self.limits.allowed[used]])

    def coded(self, chosen: Array, rows: Array) -> CodedColumns:
        limits = self.limits
        return coded_columns(
            self.columns, self.attributes, self.n_rows, chosen, limits.signs, limits.required, rows
        )

    def signs(self) -> Iterator[Array]:
        """The classes as ±1, for each weight vector."""
        return signs_of(self.codes, len(self.classes))


class TrainingColumns(NamedTuple):
    """Some columns of a training set in some of its rows."""

    training: CodedTraining
    chosen: Array
    rows: Array

    def in_rows(self, rows: Array) -> CodedColumns:
        return self.training.coded(self.chosen, self.rows[rows])

    def column(self, places: Sequence[int]) -> Array:
        return self.training.holding(places)[self.rows]


def code_training(
    encoder: LiteralEncoder,
    X: Any,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    read_limits: Callable[[LiteralEncoder], Limits] = read_limits,
) -> CodedTraining:
    """Validate the rows, and fit the encoder to them; then what is said of columns can be read."""
    given = weigh_classes(X, y, sample_weight, class_weight)
    there = given.weights > 0.0
    check_every_class(given.classes, given.codes, given.weights)
    columns, _ = encoder.fit_codes(X, small(np.where(there, given.counts, 0.0)))
    return training_of(columns, encoder.attributes_, given, read_limits(encoder))


def training_of(
    columns: list[LiteralCodes], attributes: Array, given: WeighedClasses, limits: Limits
) -> CodedTraining:
    """The rows that count, their columns in codes."""
    there, (codes, weights, counts), present = given.weights > 0.0, given[1:], None
    if not there.all():
        codes, weights, counts = (part[there] for part in given[1:])
        present = np.flatnonzero(there)
    weights = rescaled(weights, counts)
    return CodedTraining(
        columns, attributes, len(codes), given.classes, codes, weights, counts, present, limits
    )


def scope_for(limits: Limits, n_classes: int, scope: PathScope) -> PathScope:
    """The scope of a path over rows of this number of classes, if there is one."""
    least = int(limits.required.sum())
    if least > scope.most:
        raise ValueError(
            f"required has {least} columns, each of which has a rule of its own, but there are at most "
            f"{scope.most} rules; raise max_rules, or require fewer."
        )
    if limits.signs.any() and n_classes > 2:
        raise ValueError(
            "monotone is about the risk of the second of two classes, but there are "
            f"{n_classes}; leave it out, or fit a model for each class."
        )
    return scope._replace(least=least)


def rescaled(weights: Array, counts: Array) -> Array:
    """Weights of which 2 is two rows; those that add up to less than the rows are taken to be shares."""
    shares = weights / weights.max()  # whose sum does not overflow
    with np.errstate(over="ignore"):
        total = float(counts.sum())
    return np.asarray(shares * share_factor(total, len(counts), float(shares.sum())))


def share_factor(counts: float, n_rows: int, shares: float) -> float:
    """By which shares of the heaviest row are multiplied, given the sums over all rows."""
    total = max(counts, float(n_rows)) if np.isfinite(counts) else float(n_rows)
    return steady(total / shares)
