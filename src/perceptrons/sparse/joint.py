"""Rules and weights learned together, their number chosen by cross-validation.

In every fold the pool, the path and the weights are learned anew; only thresholds and categories, for which
classes are not looked at, come from all rows. The loss of the rows left out chooses strength and size: of the
sizes whose loss is not higher than the best by more than one standard error of the difference, the smallest;
if the user has said how many rules there may be, the best of these sizes.
The scores of these rows also calibrate: weights that were fitted after a selection are too sure of
themselves, and are multiplied by the slope of a logistic unit over the scores (Platt, "Probabilistic Outputs
for Support Vector Machines", 1999), kept near 1 where rows are few.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import Threads
from .calibration import Calibration, calibrate
from .coded_columns import CodedColumns, column_gains
from .coded_training import DENSE, CodedTraining
from .n_stages import Splits
from .rule_path import MANY, PathScope, RuleSequence, find_sequence, polished

COLUMNS = DENSE  # that a fold looks at: those of the largest single gains
TIE = 1e-12


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


class SizeChoice(NamedTuple):
    """What cross-validation says."""

    strength: int  # its position
    size: int
    calibration: Calibration
    sizes: list[int]
    losses: Array


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
    if rows is None:
        return find_sequence(columns, signs, training.weights, scope)
    columns = columns.in_rows(rows)  # those of all rows are let go
    return find_sequence(columns, signs[rows], training.weights[rows], scope)


def columns_in(training: CodedTraining, sequence: RuleSequence) -> CodedColumns:
    """The columns that its rules speak of, in all rows."""
    places = [place for rule in sequence.places for place in rule]
    return training.coded(np.unique(training.attributes[np.array(places, np.int64)]))


def fold_columns(training: CodedTraining, rows: Array | None, signs: Array) -> CodedColumns:
    """All columns that have literals; of very many, those with the largest single gains in these rows."""
    attributes = training.chosen
    if len(attributes) > COLUMNS:
        r = np.zeros(training.n_rows)
        some = slice(None) if rows is None else rows
        p, y = training.weights[some], signs[some]
        r[some] = p * (y - float(p @ y) / float(p.sum()))
        widths = np.bincount(training.attributes)
        single = [column_gains(training.columns[j], r, int(widths[j])) for j in attributes.tolist()]
        gains = np.where(training.limits.required[attributes], np.inf, single)
        attributes = np.sort(attributes[np.argsort(-gains, kind="stable")[:COLUMNS]])
    elif training.dense is not None:
        return training.dense
    return training.coded(attributes)


def _chosen(
    training: CodedTraining,
    signs: Array,
    folds: list[RuleSequence],
    tests: list[Array],
    sequence: RuleSequence,
    scope: PathScope,
) -> JointVector:
    columns = columns_in(training, sequence)
    choice = choose(training, signs, folds, tests, scope)
    slope, shift = choice.calibration
    weights = sequence.weights[choice.strength, sequence.at(choice.size)]
    kept = np.flatnonzero(weights[:-1])
    places = [sequence.places[j] for j in kept]
    held = [columns.column(one) for one in places]
    strength = scope.strengths[choice.strength]
    points = None
    if sequence.points is not None:
        points = sequence.points[choice.strength, sequence.at(choice.size)][kept]
        *own, bias = slope * weights[[*kept, -1]]
    else:
        start, own_signs = weights[[*kept, -1]], sequence.signs[kept]
        *own, bias = slope * polished(held, signs, training.weights, strength, start, own_signs)
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


def choose(
    training: CodedTraining,
    signs: Array,
    folds: list[RuleSequence],
    tests: list[Array],
    scope: PathScope,
) -> SizeChoice:
    """Strength and size by the losses of rows left out, and how to calibrate the scores of that choice."""
    sizes = scope.sizes
    pairs = zip(folds, tests, strict=True)
    scores = np.concatenate([_scores(training, fold, test, sizes) for fold, test in pairs], 2)
    rows = np.concatenate(tests)
    y, p = signs[rows], training.weights[rows]
    losses = np.logaddexp(0.0, -y * scores)
    means = losses @ p / p.sum()
    strength, size = simplest(losses, means, p, scope.errors)
    calibration = calibrate(scores[strength, size], y, p) if sizes[size] else Calibration()
    return SizeChoice(strength, sizes[size], calibration, sizes, means.min(axis=0))


def simplest(losses: Array, means: Array, p: Array, errors: float = 1.0) -> tuple[int, int]:
    """The smallest size whose loss is within so many standard errors of the lowest, and the strength of the
    lowest loss there. The error is that of the mean difference, row by row."""
    best = np.unravel_index(int(means.argmin()), means.shape)
    for size in range(means.shape[1]):
        strength = int(means[:, size].argmin())
        difference = losses[strength, size] - losses[best]
        mean = float(difference @ p / p.sum())
        error = float(np.sqrt(p @ (difference - mean) ** 2)) / float(p.sum())
        if mean <= errors * error + TIE:
            return strength, size
    raise AssertionError("the best is within its own error")


def _scores(training: CodedTraining, sequence: RuleSequence, rows: Array, sizes: list[int]) -> Array:
    """Strengths × sizes × rows."""
    some = columns_in(training, sequence).in_rows(rows)
    held = np.array([some.column(places) for places in sequence.places], np.float64)
    held = np.vstack([held.reshape(len(sequence.places), len(rows)), np.ones((1, len(rows)))])
    return np.asarray(sequence.weights[:, [sequence.at(size) for size in sizes]] @ held)


def joined(vectors: list[JointVector]) -> tuple[list[tuple[int, ...]], Array, Array]:
    """The conjunctions of all vectors, their weights (a row per vector), and the constants."""
    places = list(dict.fromkeys(one for vector in vectors for one in vector.places))
    weights = np.zeros((len(vectors), len(places)))
    for row, vector in zip(weights, vectors, strict=True):
        row[[places.index(one) for one in vector.places]] = vector.weights
    return places, weights, np.array([vector.bias for vector in vectors])
