"""Rules and weights learned together, their number chosen by cross-validation.

In every fold the pool, the path and the weights are learned again; only thresholds and categories, for which
classes are not looked at, come from all rows. The rows left out choose strength and size, and calibrate
(`size_choice`).
"""

from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._types import Array
from ..compiled import Threads
from ..rows.order import given
from .coded_columns import column_gains
from .coded_training import CodedTraining, TrainingColumns
from .n_stages import Splits
from .rows_alike import rows_alike
from .rule_path import MANY, PathScope, RuleSequence, find_sequence, polished_rows, rule_rows
from .size_choice import SizeChoice, choose_size

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
    scope = enough_strengths(scope, float(training.weights.sum()))
    learn = partial(_sequence, training, scope)
    tasks = [(part, signs) for signs in vectors for part in parts]
    done = threads.map(learn, tasks)
    found = []
    for v, signs in enumerate(vectors):
        *folds, whole = done[v * len(parts) : (v + 1) * len(parts)]
        choice = choose_size(training, signs, folds, [test for _, test in splits], scope)
        found.append(vector_of(whole, choice, scope, JointRowsInMemory(training, signs, scope.device)))
    return found


def enough_strengths(scope: PathScope, total: float) -> PathScope:
    """The strengths of the ridge to try in rows of this weight."""
    many = total >= MANY and len(scope.strengths) > 1
    return scope._replace(strengths=scope.strengths[1:2]) if many else scope


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
        p, y = training.weights[rows], signs[rows]
        r = np.zeros(training.n_rows)
        r[rows] = p * (y - float(p @ y) / float(p.sum()))
        widths = np.bincount(training.attributes)
        single = [column_gains(training.columns[j], r, int(widths[j])) for j in attributes.tolist()]
        attributes = strongest(attributes, single, training.limits.required)
    return TrainingColumns(training, attributes, rows)


def strongest(attributes: Array, single: Any, required: Array) -> Array:
    """The columns that a fold looks at, by the largest single gain of each; those required are among them. Of
    equal gains, except for rounding, the first."""
    shares = np.round(np.asarray(single) / max(np.max(single), 1e-300), 9)
    gains = np.where(required[attributes], np.inf, shares)
    return np.sort(attributes[np.argsort(-gains, kind="stable")[:COLUMNS]])


class CoveredRows(NamedTuple):
    """Sums over all rows, by their weight without those of classes."""

    rows: Array  # in which each rule holds
    positive: Array  # those of the class of the vector
    n_rows: float  # of all
    n_positive: float

    def __add__(self, other: Any) -> "CoveredRows":
        return CoveredRows(*(mine + its for mine, its in zip(self, other, strict=True)))


class JointRows(Protocol):
    """All rows, wherever they are, as one weight vector sees them."""

    def fitted_to(self, places: list[tuple[int, ...]]) -> tuple[Any, float]:
        """Where weights of these rules are fitted, as `RuleRows`, and the weight of the rows."""

    def covered(self, places: list[tuple[int, ...]]) -> CoveredRows:
        """How often these rules hold."""


class JointRowsInMemory:
    """Those of a training set."""

    def __init__(self, training: CodedTraining, signs: Array, device: Any = None) -> None:
        self.training, self.signs, self.device = training, signs, device
        self._held: dict[tuple[int, ...], Array] = {}

    def fitted_to(self, places: list[tuple[int, ...]]) -> tuple[Any, float]:
        self._held = {one: self.training.holding(one) for one in places}
        alike = rows_alike([*self._held.values()], self.signs, self.training.weights)
        return rule_rows(alike, self.device), float(alike.weights.sum())

    def covered(self, places: list[tuple[int, ...]]) -> CoveredRows:
        counts, own = self.training.counts, self.signs > 0
        held = [self._held[one] if one in self._held else self.training.holding(one) for one in places]
        rows, positive = (np.array([float(counts @ (one * of)) for one in held]) for of in (1, own))
        return CoveredRows(rows, positive, float(counts.sum()), float(counts @ own))


def vector_of(sequence: RuleSequence, choice: SizeChoice, scope: PathScope, rows: JointRows) -> JointVector:
    """The model of the size and the strength chosen, its weights at their optimum."""
    slope, shift = choice.calibration
    weights = sequence.weights[choice.strength, sequence.at(choice.size)]
    kept = np.flatnonzero(weights[:-1])
    places = [sequence.places[j] for j in kept]
    strength = scope.strengths[choice.strength]
    points = None
    if sequence.points is not None:
        points = sequence.points[choice.strength, sequence.at(choice.size)][kept]
        *own, bias = slope * weights[[*kept, -1]]
    else:
        start, own_signs = weights[[*kept, -1]], sequence.signs[kept]
        *own, bias = slope * polished_rows(*rows.fitted_to(places), strength, start, own_signs)
        there = np.flatnonzero(own)
        places, own = [places[k] for k in there], [own[k] for k in there]
    covered = rows.covered(places)
    return JointVector(
        places,
        np.array(own),
        float(bias + shift),
        covered.rows,
        covered.positive,
        strength,
        slope,
        choice.sizes,
        choice.losses,
        points,
        covered.n_rows,
        covered.n_positive,
    )


def joined(vectors: list[JointVector]) -> tuple[list[tuple[int, ...]], Array, Array]:
    """The conjunctions of all vectors, their weights (a row per vector), and the constants."""
    places = list(dict.fromkeys(one for vector in vectors for one in vector.places))
    weights = np.zeros((len(vectors), len(places)))
    for row, vector in zip(weights, vectors, strict=True):
        row[[places.index(one) for one in vector.places]] = vector.weights
    return places, weights, np.array([vector.bias for vector in vectors])
