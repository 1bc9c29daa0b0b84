"""Other scorecards of nearly the same loss: each rule of the best card is taken away in turn, and the best of
what the path picked besides takes its place (after FasterRisk's pool of sparse diverse solutions: Liu, Zhong,
Li, Seltzer, Rudin, 2022)."""

import numpy as np

from .._types import Array
from .coded_columns import ColumnSource
from .coded_training import CodedTraining
from .joint import JointVector, fold_columns
from .rounding import line_of
from .rows_alike import RowsAlike, rows_alike
from .rule_path import CLOSE, PathScope, Picked, RuleSequence, in_points, some_rows, walk
from .surgery import RuleRows, eliminate

GAP = 0.05  # of the loss of the best card, by which that of another may exceed it
MOST = 50  # rules that may take the place of another


def find_other_cards(
    training: CodedTraining, vector: JointVector, scope: PathScope, n_cards: int
) -> list[JointVector]:
    """A limited number of cards for the second of two classes, the best first, none like the one given."""
    if n_cards < 1 or vector.points is None or not vector.places:
        return []
    y, p = next(training.signs()).astype(np.float64), training.weights
    columns = fold_columns(training, None, y)
    picked = walk(*some_rows(columns, y, p), scope, MOST)
    own = _with(picked, vector, training)
    alike = rows_alike((columns.column(one) for one in own.places), y, p)
    given = np.zeros(len(own.places), np.int64)
    given[[own.places.index(one) for one in vector.places]] = vector.points
    least, _, first = _judged(given, alike, scope)
    found = {tuple(given.tolist()): least}
    for gone in np.flatnonzero(given * ~own.kept):
        left = np.delete(np.arange(len(own.places)), gone)
        points = np.zeros(len(own.places), np.int64)
        points[left] = _replaced(own, left, alike, columns, y, p, scope, len(vector.places))
        found[tuple(points.tolist())] = _judged(points, alike, scope)[0]
    shift = vector.bias - vector.slope * first
    others = sorted((loss, points) for points, loss in found.items() if loss <= (1.0 + GAP) * least)
    others = [one for one in others if one[1] != tuple(given.tolist())][:n_cards]
    return [_vector(np.array(points), own, alike, training, vector, scope, shift) for _, points in others]


def _with(picked: Picked, vector: JointVector, training: CodedTraining) -> Picked:
    """What was picked, and the rules of the card."""
    more = [one for one in vector.places if one not in picked.places]
    places = [*picked.places, *more]
    kept = np.append(picked.kept, np.zeros(len(more), np.bool_))
    return Picked(places, training.limits.signs_of(places, training.attributes), kept)


def _replaced(
    own: Picked,
    left: Array,
    alike: RowsAlike,
    columns: ColumnSource,
    y: Array,
    p: Array,
    scope: PathScope,
    size: int,
) -> Array:
    """The points of the best card of this size without one rule."""
    rest = Picked([own.places[k] for k in left], own.signs[left], own.kept[left])
    sizes = np.array([min(size, len(left))])
    close = CLOSE * float(p.sum())
    fitted = RuleRows(alike.X[[*left, -1]], alike.signs, alike.weights)
    weights = [eliminate(fitted, alpha, sizes, close, rest.signs, rest.kept) for alpha in scope.strengths]
    sequence = RuleSequence(rest.places, rest.signs, sizes, np.array(weights))
    rounded = in_points(sequence, rest, columns, y, p, scope)
    assert rounded.points is not None
    return np.asarray(rounded.points[0, 0, :-1])


def _judged(points: Array, alike: RowsAlike, scope: PathScope) -> tuple[float, float, float]:
    """The loss of a card at its best unit and bias, and these."""
    X, y, p = alike
    totals = (points @ X[:-1]).astype(np.int64)
    up, down = np.where(y > 0, p, 0.0), np.where(y > 0, 0.0, p)
    line, norm = np.zeros(3), scope.strengths[0] * float(points @ points)
    nothing = np.zeros((0, len(y)), np.uint8)
    loss = float(line_of(totals, nothing, -1, 0, -1, 0, up, down, norm, line))
    return loss, float(line[0]), float(line[1])


def _vector(
    points: Array,
    own: Picked,
    alike: RowsAlike,
    training: CodedTraining,
    best: JointVector,
    scope: PathScope,
    shift: float,
) -> JointVector:
    """A card as a weight vector, calibrated like the best one."""
    y, chosen = next(training.signs()).astype(np.float64), np.flatnonzero(points)
    _, unit, bias = _judged(points, alike, scope)
    held = [training.holding(own.places[k]) for k in chosen]
    return best._replace(
        places=[own.places[k] for k in chosen],
        weights=best.slope * unit * points[chosen],
        bias=best.slope * bias + shift,
        rows=np.array([float(training.counts @ one) for one in held]),
        positive=np.array([float(training.counts @ (one * (y > 0))) for one in held]),
        points=points[chosen],
    )
