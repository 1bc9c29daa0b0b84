# mypy: allow-untyped-defs, allow-untyped-calls
"""The search for the maximum margin: what is asked, what has been found, how far it is from the best.

Three methods look for the same point, a convex combination of the rows (`corral`, `descent`, `newton`);
each hands what it found to `MarginSearch.assess`, which scores all rows and so certifies it: no margin is
larger than half the distance of two points of the two hulls (without intercept: the norm of a point).
"""

from collections.abc import Sequence
from copy import copy
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..._types import Array
from ...compiled import compiled
from ...rows.encode import Encoded, is_sparse, read_only, vanishing
from ...rows.layouts import add_centered, dot, sqnorm
from ...rows.weights import NO_WEIGHTS
from .corral import HullTask
from .maximum_parameters import MaximumParameters
from .slack import blocks, per_weight, sum_per_weight

EPSILON = float(np.finfo(np.float64).eps)
EXACT = 1e-9  # a gap that is rounding
NO_SCORES = np.zeros(0)
SMALL = 1e-12  # of a squared row: below, ‖w‖² may be rounding


def rounding(n_columns: int, n_rows: int) -> float:
    """What may be left of a sum of this number of rows that should vanish, relative to its terms."""
    return 4 * (n_columns + n_rows + 4) * EPSILON


class HullPoint(NamedTuple):
    """A convex combination of rows, on each side if there are two."""

    rows: Array
    weights: Array


class Witness(NamedTuple):
    """Rows and the weights with which they cancel, exactly."""

    rows: Array
    weights: Sequence[Fraction]


class FoundPoint(NamedTuple):
    """A point that has been looked at from all rows; slack included, if there is any."""

    point: HullPoint
    w: Array  # Σ a_i y_i x_i
    length: float  # its squared norm
    lowest: Array  # per side, the lowest y·⟨w, x⟩
    levels: Array  # per side, that of the point itself
    errors: int
    unit: (
        float  # what the scores are divided by: the squared norm, with the slack that the point was made for
    )

    @property
    def gap(self) -> float:
        """1 − (margin achieved)/(bound on all margins)."""
        return 1.0 - sum(self.lowest.tolist()) / self.length if self.length > 0.0 else np.inf


class MarginSearch:
    """One weight vector to be found. `found` is the last look, `best` the one to be returned."""

    def __init__(self, data: Encoded, signs: Array, given: MaximumParameters) -> None:
        intercept, C = given.fit_intercept, given.C
        n_rows, n = data.matrix.shape
        side = (signs > 0).view(np.int8) if intercept else np.zeros(n_rows, np.int8)
        centre = np.zeros(n)
        if intercept:
            self.first_rows = np.array([np.argmax(signs < 0), np.argmax(signs > 0)])
            if not is_sparse(data.matrix):
                centre = data.matrix[self.first_rows].astype(np.float64).mean(axis=0)
        else:  # a row of zeros is all the witness it takes
            zeros = data.smallest == 0.0
            self.first_rows = np.array([np.argmax(vanishing(data.X, n_rows)) if zeros else 0])
        self.matrix, self.tol, self.max_iter = data.matrix, given.tol, given.max_iter
        lift = spread(data.X, n_rows, centre) or 1.0  # 0 if all rows are the same
        # without slack a positive weight changes nothing
        ridge, weights = (0.0, NO_WEIGHTS) if np.isinf(C) else (1.0 / C, data.weights)
        weights = read_only(np.ascontiguousarray(weights))  # one layout, compiled once
        self.task = HullTask(data.X, signs, side, 1 + intercept, centre, lift, ridge, weights)
        self.zero = rounding(n, 2) * float(np.sqrt(lift))  # of ‖w‖, no more than rounding
        self.scores = np.empty(n_rows)
        self.found: FoundPoint | None = None
        self.best: FoundPoint | None = None
        self.candidate: HullPoint | None = None  # a combination that vanishes, except for rounding
        self.witness: Witness | None = None  # one that vanishes
        self.undecided = ""  # why there is none
        self.n_updates = 0
        self.n_passes = 0.0  # of a method over all rows, what `max_iter` limits
        self.exact = False  # is the best the shortest combination of its own rows?
        self.history: dict[str, list[float]] = {"updates": [], "errors": [], "margin": [], "margin_bound": []}

    @property
    def solved(self) -> bool:
        return self.best is not None and self.best.gap <= self.tol and self.candidate is None

    @property
    def ended(self) -> bool:
        return self.solved or self.candidate is not None or self.capped

    @property
    def capped(self) -> bool:
        return self.n_passes >= self.max_iter

    def with_slack(self, ridge: float) -> "MarginSearch":
        """Another search on the same rows, not for long and not for the last digits."""
        other = copy(self)
        other.task = self.task._replace(ridge=ridge)
        other.found = other.best = other.candidate = None
        other.tol, other.max_iter, other.n_passes = 1e-2, 50, 0.0
        other.history = {name: [] for name in self.history}
        return other

    def rescored(self, found: FoundPoint) -> Array:
        """⟨w, x⟩ of all rows, without sign or slack."""
        scan(self.task.X, self.task.y, self.task.side, found.w, self.scores)
        return np.asarray(self.scores * self.task.y)

    def assess(self, point: HullPoint, w: Array, *, exact: bool = False, rounded: bool = True) -> FoundPoint:
        """Score all rows by w = Σ a_i y_i x_i. `exact`: no combination of these rows alone is shorter;
        `rounded`: w was added up in floating point, so what is left may be nothing but rounding."""
        task, (rows, weights) = self.task, point
        lowest = scan(task.X, task.y, task.side, w, self.scores)
        if task.ridge > 0.0:
            for some in blocks(len(rows)):
                own = per_weight(weights[some], task.weights, rows[some])
                self.scores[rows[some]] += task.ridge * own
            lowest = least(self.scores, task.side)
        levels = sums_of_sides(task.side, rows, weights, self.scores)
        slack = task.ridge * sum_per_weight(weights, task.weights, rows)
        length = float((w * w).sum() + slack)
        shift = (levels[0] - levels[1]) / 2 if task.sides == 2 else 0.0
        errors = count_errors(self.scores, task.y, shift)
        self.found = found = FoundPoint(
            point, w.copy(), length, lowest[: task.sides], levels[: task.sides], int(errors), length
        )
        self._note(found)
        if self.best is None or self._rank(found) < self._rank(self.best):
            self.best, self.exact = found, exact or found.gap <= EXACT
        if rounded and task.ridge == 0.0 and length <= SMALL * task.lift and self._vanishes(found):
            self.candidate = point
        return found

    def release(self) -> None:
        """Let go of arrays as long as the rows, once the best point is published."""
        self.scores, self.found = np.empty(0), None
        if self.best:
            self.best = self.best._replace(point=HullPoint(np.empty(0, np.intp), np.empty(0)))

    def _vanishes(self, found: FoundPoint) -> bool:
        """Is w no more than the rounding of its own terms, a_i·(x_i − centre)?"""
        rows, task = found.point.rows, self.task
        largest = max(squared_distance(task.X, row, task.centre) for row in rows)
        return bool(found.length <= rounding(len(found.w), len(rows)) ** 2 * largest)

    def _rank(self, found: FoundPoint) -> tuple[float, float]:
        return (found.errors if self.task.ridge == 0.0 else 0, found.gap)

    def _note(self, found: FoundPoint) -> None:
        norm, sides = np.sqrt(found.length), self.task.sides
        margin = found.lowest.sum() / norm / sides if norm > 0.0 else 0.0
        updates = self.n_updates - sum(self.history["updates"])
        values = (updates, found.errors, float(margin), float(norm / sides))
        for name, value in zip(self.history, values, strict=True):
            self.history[name].append(value)

    def record(self) -> dict[str, Array]:
        """The history as arrays."""
        return {name: np.array(values) for name, values in self.history.items()}

    def witness_pairs(self, data: Encoded) -> tuple[tuple[int, Fraction], ...] | None:
        """The witness for a certificate: (row, weight), in the order of the rows, numbered as given."""
        if self.witness is None:
            return None
        rows, weights = self.witness
        order = [s for s in np.argsort(rows) if weights[s] > 0]
        return tuple(
            (int(number), weights[s]) for number, s in zip(data.numbers(rows[order]), order, strict=True)
        )

    def lowest_rows(self, how_many: int, members: Array) -> Array:
        """The rows furthest below the level of their side, those of the point itself, and `members`."""
        assert self.found is not None
        depth = self.scores - self.found.levels[self.task.side] if self.task.sides == 2 else self.scores
        last = min(how_many, len(depth)) - 1
        chosen = np.zeros(len(depth), np.bool_)
        for rows in (np.argpartition(depth, last)[: last + 1], self.found.point.rows, members):
            chosen[rows] = True
        return np.flatnonzero(chosen)


def balanced(task: HullTask, rows: Array, weights: Array) -> HullPoint | None:
    """The weights, made to add up to 1 on each side; None if that cannot be."""
    sums = sums_of_sides(task.side, rows, weights, NO_SCORES)[: task.sides]
    if not (np.isfinite(sums) & (sums > 0.0)).all():
        return None
    shares = sums[task.side[rows]]
    return HullPoint(rows, np.divide(weights, shares, out=shares))


@compiled
def scan(X, y, side, w, scores):
    """Score all rows, y·⟨w, x⟩; returns the lowest score of each side."""
    lowest = np.full(2, np.inf)
    for i in range(y.size):
        scores[i] = y[i] * dot(X, i, w)
        lowest[side[i]] = min(lowest[side[i]], scores[i])
    return lowest


@compiled
def sums_of_sides(side, rows, weights, scores):
    """Of each side, the sum of the weights, or of weights times scores of their rows if there are scores."""
    sums = np.zeros(2)
    for s in range(rows.size):
        sums[side[rows[s]]] += weights[s] * scores[rows[s]] if scores.size else weights[s]
    return sums


@compiled
def add_offset(scores, y, b):
    """score ← score + y·b."""
    for i in range(y.size):
        scores[i] += b * y[i]


@compiled
def least(scores, side):
    """The lowest score of each side."""
    lowest = np.full(2, np.inf)
    for i in range(scores.size):
        lowest[side[i]] = min(lowest[side[i]], scores[i])
    return lowest


@compiled
def count_errors(scores, y, shift):
    """Rows on the wrong side of the hyperplane half way between the points of the two hulls."""
    errors = 0
    for i in range(y.size):
        reach = scores[i] + y[i] * shift
        errors += reach < 0.0 or (reach == 0.0 and y[i] > 0)
    return errors


@compiled
def spread(X, n_rows, centre):
    """The mean squared distance of some 200 rows from the centre."""
    total, step, n, centred = 0.0, n_rows // 200 + 1, 0, centre.any()
    for i in range(0, n_rows, step):
        total += squared_distance(X, i, centre) if centred else sqnorm(X, i)
        n += 1
    return total / n


@compiled
def squared_distance(X, i, centre):
    """‖x_i − centre‖²."""
    row = np.zeros(centre.size)
    add_centered(X, i, 1.0, centre, row)
    total = 0.0
    for j in range(row.size):
        total += row[j] * row[j]
    return total


def combination(search: MarginSearch, point: HullPoint) -> Array:
    """Σ a_i y_i x_i."""
    task, w = search.task, np.zeros(len(search.task.centre))
    for some in blocks(len(point.rows)):
        rows = point.rows[some]
        gather(task.X, rows, point.weights[some] * task.y[rows], task.centre, w)
    return w


@compiled
def gather(X, rows, factors, centre, w):
    """w ← w + Σ factors_s (x_(rows_s) − centre)."""
    for s in range(rows.size):
        add_centered(X, rows[s], factors[s], centre, w)


def read_start(model: Any, data: Encoded) -> Array:
    """For a warm start: the duals of the last fit, one line per weight vector; none if they cannot belong to
    these rows."""
    if not model.warm_start or not hasattr(model, "dual_coef_") or model._terms.n_given != data.n_given:
        return np.zeros((0, 0))
    duals = np.zeros((len(model.dual_coef_), data.n_given))
    duals[:, model.support_] = model.dual_coef_
    return duals if data.present is None else duals[:, data.present]
