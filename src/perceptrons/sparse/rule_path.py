"""From rows to a sequence of models of fewer and fewer rules, each with weights fitted together.

A path of an L1 penalty, over a pool that grows with it, picks conjunctions; from the last that are not too
many, the weakest are dropped one after another, and at some sizes weights are fitted with a ridge.
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from .coded_columns import CodedColumns, ColumnSource
from .device_weights import DeviceRuleRows
from .l1_path import PathState, solve_step, start_path
from .rounding import rounded
from .rows_alike import RowsAlike, rows_alike
from .rule_pool import RulePool
from .surgery import STEPS, RuleRows, eliminate

SIZES = (50, 40, 32, 26, 21, 17, 14, 12, 10, 8, 7, 6, 5, 4, 3, 2, 1, 0)  # at which weights are fitted
RATIO = 0.85  # of a penalty to the last
LEAST = 0.003  # of the first penalty, the last
WIDER = (1.0, 0.3, 0.1)  # of the first penalty, when pairs are proposed
ROOM = 0.16  # of the pool, for pairs each time
ROUNDS = 3  # of literals that join, for one penalty
SHARE = 3  # rows per rule, at least
CLOSE = 1e-4  # of the rows: a slope so small counts as 0 until the last model is brought to its optimum
ROWS = 16_384  # that a path looks at; weights are fitted to all
EXACT = 1e-10  # of the rows: the same for the last model
CARD_ROWS = 8_192  # that points are chosen by
PERMUTED = 2**27  # rows up to which the rows that a path looks at come from a permutation of all
MANY = 4_000  # rows, from which on the strength of the ridge makes no difference

BITS = 40


class PathScope(NamedTuple):
    """What the path may choose from."""

    k: int
    penalty: bool
    beam: int | None
    pool: int  # conjunctions
    most: int  # rules of the model; the path goes on to more, from which these are left
    strengths: tuple[float, ...]  # of the ridge
    errors: float = 1.0  # standard errors by which the loss may exceed the lowest, for fewer rules
    points: int | None = None  # the most that a rule may have; None: weights are not rounded
    least: int = 0  # rules, as so many columns must have one
    device: Any = None  # on which weights are fitted; None is the processor

    @property
    def sizes(self) -> list[int]:
        """The numbers of rules that are tried, from few to many."""
        return sorted({size for size in SIZES if self.least <= size < self.most} | {self.most})


class Picked(NamedTuple):
    """The rules at the end of a path."""

    places: list[tuple[int, ...]]
    signs: Array  # that their weights must have, 0 for either
    kept: Array  # whether they must not be dropped


class RuleSequence(NamedTuple):
    """The models of one run: for each strength and size, the weights of all rules picked, and the constant's
    in the end. Sizes fall."""

    places: list[tuple[int, ...]]
    signs: Array
    sizes: Array
    weights: Array  # strengths × sizes × (rules + 1)
    points: Array | None = None  # in the same places, if they are rounded

    def at(self, size: int) -> int:
        """The position of the largest size that is not above."""
        return int(np.argmax(self.sizes <= size))


def find_sequence(columns: ColumnSource, signs: Array, weights: Array, scope: PathScope) -> RuleSequence:
    """Pick rules, and fit their weights."""
    total = float(weights.sum())
    if abs(signs.sum()) == len(signs):  # of one class
        return constant_sequence(float(weights[signs > 0].sum()), total, scope)
    picked = walk(*some_rows(columns, signs, weights), scope, most_rules(total))
    alike = rows_alike((columns.column(one) for one in picked.places), signs, weights)
    sequence = fitted_sequence(picked, rule_rows(alike, scope.device), total, scope)
    return sequence if scope.points is None else in_points(sequence, picked, columns, signs, weights, scope)


def most_rules(total: float) -> int:
    """For how many a path looks in rows of this weight; a weight of 2 is two rows."""
    return max(1, min(SIZES[0], round(total) // SHARE))


def constant_sequence(positive: float, total: float, scope: PathScope) -> RuleSequence:
    """The models of rows of one class."""
    constant = np.full((len(scope.strengths), 1, 1), prior(positive, total))
    nothing = None if scope.points is None else np.zeros(constant.shape, np.int64)
    return RuleSequence([], np.zeros(0, np.int64), np.zeros(1, np.int64), constant, nothing)


def fitted_sequence(picked: Picked, rows: Any, total: float, scope: PathScope) -> RuleSequence:
    """The weights of what was picked, at all sizes, in rows of this weight."""
    places, own, kept = picked
    sizes = np.unique([min(size, len(places)) for size in (*SIZES, scope.most)])[::-1]
    close = CLOSE * total
    found = [eliminate(rows, alpha, sizes, close, own, kept) for alpha in scope.strengths]
    return RuleSequence(places, own, sizes, np.array(found))


def rule_rows(alike: RowsAlike, device: Any) -> RuleRows | DeviceRuleRows:
    """Where weights are fitted."""
    return RuleRows(*alike) if device is None else DeviceRuleRows(*alike, device)


def in_points(
    sequence: RuleSequence,
    picked: Picked,
    columns: ColumnSource,
    signs: Array,
    weights: Array,
    scope: PathScope,
) -> RuleSequence:
    """The sequence with whole points; those of sizes that are too large are 0."""
    rows = drawn_rows(len(signs), CARD_ROWS)
    y, p = signs[rows], as_all(weights[rows], float(weights.sum()))
    rules = np.array([columns.column(one)[rows] for one in picked.places]).reshape(-1, len(rows))
    return rounded_sequence(sequence, picked, rules, y, p, scope)


def rounded_sequence(
    sequence: RuleSequence, picked: Picked, rules: Array, y: Array, p: Array, scope: PathScope
) -> RuleSequence:
    """The same from some rows, whose weights are those of all; `rules` has a row of 0 and 1 for each rule."""
    up, down = np.where(y > 0, p, 0.0), np.where(y > 0, 0.0, p)
    most = scope.points or 0
    points, fitted = np.zeros(sequence.weights.shape, np.int64), np.zeros(sequence.weights.shape)
    for s, alpha in enumerate(scope.strengths):
        for at in np.flatnonzero(sequence.sizes <= scope.most).tolist():
            *own, bias = sequence.weights[s, at]
            points[s, at, :-1], line = rounded(
                rules, up, down, np.array(own), bias, most, alpha, picked.signs, picked.kept
            )
            fitted[s, at] = line[0] * points[s, at]
            fitted[s, at, -1] = line[1]
    return sequence._replace(weights=fitted, points=points)


def polished(alike: RowsAlike, alpha: float, v: Array, own: Array | None = None, device: Any = None) -> Array:
    """Weights of rules that hold in these rows, and the constant, at their optimum up to rounding; 0 where
    their sign, if it matters, would be wrong."""
    _, signs, weights = alike
    if abs(signs.sum()) == len(signs):
        return v
    return polished_rows(rule_rows(alike, device), float(weights.sum()), alpha, v, own)


def polished_rows(rows: Any, total: float, alpha: float, v: Array, own: Array | None = None) -> Array:
    """The same in rows of two classes, of this weight."""
    free = np.ones(len(v), np.bool_)
    own = np.zeros(len(v)) if own is None else np.append(own, 0)
    while True:
        some = v[free]
        rows.newton(np.flatnonzero(free), alpha, some, STEPS, EXACT * total)
        v = np.where(free, 0.0, v)
        v[free] = some
        if (own * v >= 0.0).all():
            return np.asarray(v)
        free &= own * v >= 0.0
        v = np.where(free, v, 0.0)


def prior(positive: float, total: float) -> float:
    """The log odds of one class, as if half a row of each class had been seen besides."""
    return float(np.log((positive + 0.5) / (total - positive + 0.5)))


def walk(columns: CodedColumns, signs: Array, weights: Array, scope: PathScope, most: int) -> Picked:
    """Follow the path until it has more rules than `most`."""
    pool, state = RulePool(columns, scope.pool, scope.k, scope.penalty), start_path(signs, weights)
    w, at_work = np.zeros(scope.pool), np.zeros(scope.pool, np.bool_)
    pool.require(state.slopes)
    room, first = max(1, int(ROOM * scope.pool)), propose_first(pool, state, scope)
    penalty, chosen = first, np.flatnonzero(w)
    due = [share * first for share in WIDER[1:]]
    while first > 0.0 and penalty >= LEAST * first:
        if due and penalty <= due[0]:
            due.pop(0)
            for one in pool.wider(state.slopes, room, scope.beam):
                pool.add(one.places)
        follow(pool, penalty, state, w, at_work)
        now = np.flatnonzero(w)
        if len(now) > most:
            if not len(chosen):
                chosen = np.sort(now[np.argsort(-abs(w[now]), kind="stable")[:most]])
            break
        chosen, penalty = now, RATIO * penalty
    chosen = np.union1d(chosen, np.flatnonzero(pool.kept))
    return Picked([pool.places[j] for j in chosen], pool.signs[chosen], pool.kept[chosen])


def some_rows(columns: ColumnSource, signs: Array, weights: Array) -> tuple[CodedColumns, Array, Array]:
    """At most `ROWS` of the rows."""
    rows = drawn_rows(len(signs), ROWS)
    if len(rows) == len(signs):
        return columns.in_rows(rows), signs, weights
    return columns.in_rows(rows), signs[rows], as_all(weights[rows], float(weights.sum()))


def as_all(weights: Array, total: float) -> Array:
    """The weights of some rows, which add up to those of all."""
    return np.asarray(weights * steady(total / float(weights.sum())))


def steady(number: float) -> float:
    """Rounded to 40 bits, lest the order in which rows were added up make a difference."""
    mantissa, exponent = np.frexp(number)
    return float(np.ldexp(np.round(np.ldexp(mantissa, BITS)), exponent - BITS))


def drawn_rows(n_rows: int, most: int) -> Array:
    """The numbers of at most `most` rows, in ascending order, drawn at random, the same each time; those of a
    smaller number are among them."""
    if n_rows <= most:
        return np.arange(n_rows)
    rng = np.random.default_rng(0)
    if n_rows > PERMUTED:
        return np.sort(rng.choice(n_rows, max(most, ROWS), replace=False)[:most])
    return np.sort(rng.permutation(n_rows)[:most])


def propose_first(pool: RulePool, state: PathState, scope: PathScope) -> float:
    """The best pairs join the pool; return the penalty from which on all weights are 0."""
    wider = pool.wider(state.slopes, max(1, int(ROOM * scope.pool)), scope.beam)
    gains = [
        abs(one.gain) / pool.cost(len(one.places)) for one in [*pool.singles(state.slopes, 0.0)[:1], *wider]
    ]
    for one in wider:
        pool.add(one.places)
    return max(gains, default=0.0)


def follow(pool: RulePool, penalty: float, state: PathState, w: Array, at_work: Array) -> None:
    """The optimum for one penalty; literals whose gain exceeds it join."""
    for _ in range(ROUNDS):
        solve_step(pool.X, pool.count, penalty * pool.costs, pool.signs, state, w, at_work)
        joined = [pool.add(one.places) for one in pool.singles(state.slopes, penalty)]
        if not any(joined):
            return
