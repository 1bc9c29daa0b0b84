"""Other scorecards of nearly the same loss: each rule of the best card is taken away in turn, and the best of
what the path picked besides takes its place (after FasterRisk's pool of sparse diverse solutions: Liu, Zhong,
Li, Seltzer, Rudin, 2022)."""

import numpy as np

from .._types import Array
from .coded_training import CodedTraining
from .joint import JointVector, fold_columns
from .rounding import line_of
from .rule_path import CLOSE, PathScope, Picked, RuleSequence, in_points, some_rows, walk
from .surgery import eliminate

GAP = 0.05  # of the loss of the best card, by which that of another may exceed it
MOST = 50  # rules that may take the place of another


def find_other_cards(
    training: CodedTraining, vector: JointVector, scope: PathScope, n_cards: int
) -> list[JointVector]:
    """At most so many cards for the second of two classes, the best first, none like the card given."""
    if n_cards < 1 or vector.points is None or not vector.places:
        return []
    y, p = next(training.signs()).astype(np.float64), training.weights
    columns = fold_columns(training, None, y)
    picked = walk(*some_rows(columns, y, p), scope, MOST)
    own = _with(picked, vector, training)
    X = np.vstack([*(columns.column(one) for one in own.places), np.ones(len(y))]).astype(np.float64)
    given = np.zeros(len(own.places), np.int64)
    given[[own.places.index(one) for one in vector.places]] = vector.points
    least, _, first = _judged(given, X, y, p, scope)
    found = {tuple(given.tolist()): least}
    for gone in np.flatnonzero(given * ~own.kept):
        left = np.delete(np.arange(len(own.places)), gone)
        points = np.zeros(len(own.places), np.int64)
        points[left] = _replaced(own, left, X, y, p, scope, len(vector.places))
        found[tuple(points.tolist())] = _judged(points, X, y, p, scope)[0]
    shift = vector.bias - vector.slope * first
    others = sorted((loss, points) for points, loss in found.items() if loss <= (1.0 + GAP) * least)
    others = [one for one in others if one[1] != tuple(given.tolist())][:n_cards]
    return [_vector(np.array(points), own, X, training, vector, scope, shift) for _, points in others]


def _with(picked: Picked, vector: JointVector, training: CodedTraining) -> Picked:
    """What was picked, and the rules of the card."""
    more = [one for one in vector.places if one not in picked.places]
    places = [*picked.places, *more]
    kept = np.append(picked.kept, np.zeros(len(more), np.bool_))
    return Picked(places, training.limits.signs_of(places, training.attributes), kept)


def _replaced(own: Picked, left: Array, X: Array, y: Array, p: Array, scope: PathScope, size: int) -> Array:
    """The points of the best card of this size without one rule."""
    rest = Picked([own.places[k] for k in left], own.signs[left], own.kept[left])
    rows, sizes = X[[*left, -1]], np.array([min(size, len(left))])
    close = CLOSE * float(p.sum())
    weights = [eliminate(rows, y, p, alpha, sizes, close, rest.signs, rest.kept) for alpha in scope.strengths]
    sequence = RuleSequence(rest.places, rest.signs, sizes, np.array(weights))
    rounded = in_points(sequence, rest, rows, y, p, scope)
    assert rounded.points is not None
    return np.asarray(rounded.points[0, 0, :-1])


def _judged(points: Array, X: Array, y: Array, p: Array, scope: PathScope) -> tuple[float, float, float]:
    """The loss of a card at its best unit and bias, and these."""
    totals = (points @ X[:-1]).astype(np.int64)
    up, down = np.where(y > 0, p, 0.0), np.where(y > 0, 0.0, p)
    line, norm = np.zeros(3), scope.strengths[0] * float(points @ points)
    nothing = np.zeros((0, len(y)), np.uint8)
    loss = float(line_of(totals, nothing, -1, 0, -1, 0, up, down, norm, line))
    return loss, float(line[0]), float(line[1])


def _vector(
    points: Array,
    own: Picked,
    X: Array,
    training: CodedTraining,
    best: JointVector,
    scope: PathScope,
    shift: float,
) -> JointVector:
    """A card as a weight vector, calibrated like the best one."""
    y, chosen = next(training.signs()).astype(np.float64), np.flatnonzero(points)
    _, unit, bias = _judged(points, X, y, training.weights, scope)
    held = X[chosen] * training.counts
    return best._replace(
        places=[own.places[k] for k in chosen],
        weights=best.slope * unit * points[chosen],
        bias=best.slope * bias + shift,
        rows=held.sum(axis=1),
        positive=held @ (y > 0),
        points=points[chosen],
    )
