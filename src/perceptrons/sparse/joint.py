"""Rules and weights learned together, their number chosen by cross-validation.

In every fold the pool, the path and the weights are learned again; only thresholds and categories, for which
classes are not looked at, come from all rows. The rows left out choose strength and size, and calibrate
(`size_choice`).
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import Threads
from ..rows.order import given
from .coded_columns import column_gains
from .coded_training import CodedTraining, TrainingColumns
from .n_stages import Splits
from .rows_alike import rows_alike
from .rule_path import MANY, PathScope, RuleSequence, find_sequence, polished
from .size_choice import choose_size

COLUMNS = 512  # that a fold looks at: those of the largest single gains


class JointVector(NamedTuple):
    """One weight vector: log odds = Σ weights of the rules that hold + bias."""

    places: list[tuple[int, ...]]
    weights: Array
    bias: float
    rows: Array  # the training rows in which each rule holds, by their weight
    positive: Array  # those of the class that the vector is for
    strength: float  # α of the ridge
    slope: float  # of the calibration; weights and bias have it
    sizes: list[int]  # the numbers of rules tried in cross-validation, and the mean log-loss of each
    losses: Array
    points: Array | None = None  # of a card: weights are these times a unit
    n_rows: float = 0.0  # of all rows learned from, by their weight; 0 in files that did not keep it
    n_positive: float = 0.0


def learn_together(
    training: CodedTraining, scope: PathScope, splits: Splits, threads: Threads
) -> list[JointVector]:
    """A weight vector per class against the rest, or one for two classes."""
    vectors = [signs.astype(np.float64) for signs in training.signs()]
    parts: list[Any] = [*(train for train, _ in splits), None]
    if training.weights.sum() >= MANY and len(scope.strengths) > 1:
        scope = scope._replace(strengths=scope.strengths[1:2])
    learn = partial(_sequence, training, scope)
    tasks = [(part, signs) for signs in vectors for part in parts]
    done = threads.map(learn, tasks)
    found = []
    for v, signs in enumerate(vectors):
        *folds, whole = done[v * len(parts) : (v + 1) * len(parts)]
        tests = [test for _, test in splits]
        found.append(_chosen(training, signs, folds, tests, whole, scope))
    return found


def _sequence(training: CodedTraining, scope: PathScope, task: tuple[Array | None, Array]) -> RuleSequence:
    """The models of some rows."""
    rows, signs = task
    columns = fold_columns(training, rows, signs)
    if rows is None:  # all of them: no copies
        return find_sequence(columns, signs, training.weights, scope)
    return find_sequence(columns, signs[rows], training.weights[rows], scope)


def fold_columns(training: CodedTraining, rows: Array | None, signs: Array) -> TrainingColumns:
    """All columns that have literals; of very many, those with the largest single gains in these rows."""
    attributes = training.chosen
    rows = given(training.n_rows) if rows is None else rows
    if len(attributes) > COLUMNS:
        r = np.zeros(training.n_rows)
        p, y = training.weights[rows], signs[rows]
        r[rows] = p * (y - float(p @ y) / float(p.sum()))
        widths = np.bincount(training.attributes)
        single = [column_gains(training.columns[j], r, int(widths[j])) for j in attributes.tolist()]
        gains = np.where(training.limits.required[attributes], np.inf, single)
        attributes = np.sort(attributes[np.argsort(-gains, kind="stable")[:COLUMNS]])
    return TrainingColumns(training, attributes, rows)


def _chosen(
    training: CodedTraining,
    signs: Array,
    folds: list[RuleSequence],
    tests: list[Array],
    sequence: RuleSequence,
    scope: PathScope,
) -> JointVector:
    choice = choose_size(training, signs, folds, tests, scope)
    slope, shift = choice.calibration
    weights = sequence.weights[choice.strength, sequence.at(choice.size)]
    kept = np.flatnonzero(weights[:-1])
    places = [sequence.places[j] for j in kept]
    held = [training.holding(one) for one in places]
    strength = scope.strengths[choice.strength]
    points = None
    if sequence.points is not None:
        points = sequence.points[choice.strength, sequence.at(choice.size)][kept]
        *own, bias = slope * weights[[*kept, -1]]
    else:
        start, own_signs = weights[[*kept, -1]], sequence.signs[kept]
        alike = rows_alike(held, signs, training.weights)
        *own, bias = slope * polished(alike, strength, start, own_signs, scope.device)
        there = np.flatnonzero(own)
        places, held, own = [places[k] for k in there], [held[k] for k in there], [own[k] for k in there]
    return JointVector(
        places,
        np.array(own),
        float(bias + shift),
        np.array([float(training.counts @ one) for one in held]),
        np.array([float(training.counts @ (one * (signs > 0))) for one in held]),
        strength,
        slope,
        choice.sizes,
        choice.losses,
        points,
        float(training.counts.sum()),
        float(training.counts @ (signs > 0)),
    )


def joined(vectors: list[JointVector]) -> tuple[list[tuple[int, ...]], Array, Array]:
    """The conjunctions of all vectors, their weights (a row per vector), and the constants."""
    places = list(dict.fromkeys(one for vector in vectors for one in vector.places))
    weights = np.zeros((len(vectors), len(places)))
    for row, vector in zip(weights, vectors, strict=True):
        row[[places.index(one) for one in vector.places]] = vector.weights
    return places, weights, np.array([vector.bias for vector in vectors])
