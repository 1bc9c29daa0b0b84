# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part of the maximum margin: Wolfe's method for the nearest points of convex hulls.

P. Wolfe, *Finding the nearest point in a polytope* (1976). Among convex combinations w = Σ a_i z_i of the
rows z_i = y_i x_i one is shortest, and it is the normal of the hyperplane with the largest margin. Without
intercept the a_i add up to 1; with one they add up to 1 on each side, and w joins the nearest points of the
two hulls. A *corral* is a set of rows whose affine hull is nearest at a point inside their convex hull: rows
that w scores too low join it, rows whose a_i would become negative leave, and w is never longer than before.

The corral keeps a triangular factor L of its Gram matrix, lifted and without unit: M_ij = (⟨z_i, z_j⟩ +
[i = j]·r_i)/ρ² + [same side]. The lift changes no minimiser, as sums per side are fixed, and makes M regular
for affinely independent rows. r_i is the slack of a finite C, see `slack`. A row that joins adds a line to L,
one that leaves is rotated out; both take the square of the corral.

Beyond Wolfe: several low rows join at once, and an inaccurate solution is refined, before it is trusted, by
solving for what it missed.
"""

from typing import NamedTuple

import numpy as np

from ..._types import Array
from ...compiled import compiled, inlined
from ...rows.layouts import Rows, add, add_centered, dot
from .slack import ridge_of, squared_slack
from .vectors import inner, rotate, shift

SOLVED, FULL, ZERO, STALLED = range(4)  # why a climb ended

NEAR, DEPENDENT = 1e-6, 1e-20  # of a row's squared norm: what is left of it beyond the span of the corral is
# computed once more, directly; is rounding
AT_ONCE = 16  # one row joins per so many in the corral …
NEARLY = 0.5  # … if it is at least so far below as the worst
ACCURATE = 1e-2  # scores in the corral may differ from one another by this share of the gap asked for


class HullTask(NamedTuple):
    """The rows, and which combinations of them are allowed."""

    X: Rows
    y: Array  # ±1
    side: Array  # per row the sum it counts in: 0 for all, or 0 and 1 with an intercept
    sides: int
    centre: Array  # subtracted from dense rows in thought, where that changes nothing: with an intercept
    lift: float  # ρ², about the size of a squared row
    ridge: float  # 1/C
    weights: Array  # of the rows, what their slack costs; empty: each 1


class Corral(NamedTuple):
    """Arrays with room for as many rows as may join; `counts` says how many have."""

    factor: Array  # Lᵀ: its line s is the column s of L, contiguous
    ones: Array  # L⁻¹ of the indicator of each side
    rows: Array
    spots: Array  # where in the pool they are
    weights: Array  # a
    counts: Array  # rows in the corral; rows that ever joined; that ever left


def empty_corral(room: int) -> Corral:
    ints = [np.zeros(size, np.int64) for size in (room, room, 3)]
    return Corral(np.zeros((room, room)), np.zeros((2, room)), ints[0], ints[1], np.zeros(room), ints[2])


@compiled
def join(task, corral, r, line, row):
    """Add row r with weight 0, unless it depends on the corral; returns whether it joined.

    `line`, `row` : room for a line of the factor and for a row.
    """
    k, factor = corral.counts[0], corral.factor
    for j in range(row.size):
        row[j] = -task.centre[j]
    add(task.X, r, 1.0, row)
    offset = inner(task.centre, row, 0, row.size)
    for s in range(k):
        i = corral.rows[s]
        line[s] = task.y[r] * task.y[i] * (dot(task.X, i, row) - offset) / task.lift
        if task.side[i] == task.side[r]:
            line[s] += 1.0
    norm = (inner(row, row, 0, row.size) + ridge_of(task.ridge, task.weights, r)) / task.lift + 1.0
    rest = norm
    for s in range(k):
        line[s] /= factor[s, s]
        shift(line, -line[s], factor[s], s + 1, k)
        rest -= line[s] * line[s]
    if rest <= NEAR * norm:
        rest = sharpen(task, corral, r, line, row)
    if not rest > DEPENDENT * norm:
        return False
    for s in range(k):
        factor[s, k] = line[s]
    factor[k, k] = np.sqrt(rest)
    for h in range(task.sides):
        one = 1.0 if task.side[r] == h else 0.0
        corral.ones[h, k] = (one - inner(line, corral.ones[h], 0, k)) / factor[k, k]
    corral.rows[k], corral.weights[k] = r, 0.0
    corral.counts[0] += 1
    corral.counts[1] += 1
    return True


@inlined
def sharpen(task, corral, r, line, row):
    """What is left of row r beyond the span of the corral, when it is little: the difference of two squares
    would be rounding, so the vector itself is formed, and what it still has of the span is taken off again.

    Corrects `line`, returns the squared length; `row` holds x_r − centre and is overwritten.
    """
    k, factor, slack, weights = corral.counts[0], corral.factor, task.ridge / task.lift, task.weights
    share, beside = np.empty(k), np.zeros(2)  # r ≈ Σ share_s z_s; what is left in the lifted coordinates
    for s in range(k - 1, -1, -1):
        share[s] = (line[s] - inner(factor[s], share, s + 1, k)) / factor[s, s]
    for j in range(row.size):
        row[j] *= task.y[r]
    beside[task.side[r]] = 1.0
    for s in range(k):
        i = corral.rows[s]
        add_centered(task.X, i, -share[s] * task.y[i], task.centre, row)
        beside[task.side[i]] -= share[s]
    rest = inner(row, row, 0, row.size) / task.lift + inner(beside, beside, 0, 2)
    rest += slack * (ridge_of(1.0, weights, r) + squared_slack(1.0, weights, corral.rows, share, k))
    offset = inner(task.centre, row, 0, row.size)
    for s in range(k):
        i = corral.rows[s]
        score = task.y[i] * (dot(task.X, i, row) - offset) / task.lift
        share[s] = score + beside[task.side[i]] - ridge_of(slack, weights, i) * share[s]
    for s in range(k):
        share[s] /= factor[s, s]
        shift(share, -share[s], factor[s], s + 1, k)
        line[s] += share[s]
        rest -= share[s] * share[s]
    return rest


@inlined
def leave(corral, j):
    """Take the row in place j out: its column of Lᵀ goes, and rotations make the rest triangular again."""
    k, factor, ones = corral.counts[0], corral.factor, corral.ones
    for s in range(j, k - 1):
        corral.rows[s], corral.spots[s] = corral.rows[s + 1], corral.spots[s + 1]
        corral.weights[s] = corral.weights[s + 1]
    for s in range(k):
        for t in range(max(s, j + 1), k):
            factor[s, t - 1] = factor[s, t]
    for s in range(j, k - 1):
        length = np.hypot(factor[s, s], factor[s + 1, s])
        c, v = factor[s, s] / length, factor[s + 1, s] / length
        rotate(factor[s], factor[s + 1], c, v, s, k - 1)
        for h in range(2):
            one, other = ones[h, s], ones[h, s + 1]
            ones[h, s], ones[h, s + 1] = c * one + v * other, c * other - v * one
    corral.counts[0] -= 1
    corral.counts[2] += 1


@compiled
def minimise(corral, sides, total, out):
    """Solve M a = r + (a level per side) for the a that adds up to `total` on each side; `out` holds L⁻¹r
    and then a. With r = 0 and total 1 that is the shortest affine combination of the corral."""
    k, ones = corral.counts[0], corral.ones
    p = total - inner(ones[0], out, 0, k)
    first, both = inner(ones[0], ones[0], 0, k), inner(ones[0], ones[1], 0, k)
    if sides == 1:
        shift(out, p / first, ones[0], 0, k)
    else:
        q, second = total - inner(ones[1], out, 0, k), inner(ones[1], ones[1], 0, k)
        scale = first * second - both * both
        shift(out, (second * p - both * q) / scale, ones[0], 0, k)
        shift(out, (first * q - both * p) / scale, ones[1], 0, k)
    for s in range(k - 1, -1, -1):
        out[s] = (out[s] - inner(corral.factor[s], out, s + 1, k)) / corral.factor[s, s]


@compiled
def walk_to(task, corral, used, goal):
    """Walk towards the weights `goal`; whenever one would become negative its row leaves and the goal is
    the shortest combination of those that are left."""
    while True:
        k, weights, theta, out = corral.counts[0], corral.weights, 1.0, -1
        for s in range(k):
            if goal[s] <= 0.0:
                reach = weights[s] / (weights[s] - goal[s]) if weights[s] > 0.0 else 0.0
                if out < 0 or reach < theta or (reach == theta and goal[s] < goal[out]):
                    theta, out = reach, s
        if out < 0:
            for s in range(k):
                weights[s] = goal[s]
            return
        for s in range(k):
            weights[s] += theta * (goal[s] - weights[s])
        used[corral.spots[out]] = False
        leave(corral, out)
        for s in range(k - 1):
            goal[s] = 0.0
        minimise(corral, task.sides, 1.0, goal)


@compiled
def combine(task, corral, w):
    """w = Σ a_i y_i x_i; returns its squared norm, slack included."""
    for j in range(w.size):
        w[j] = 0.0
    for s in range(corral.counts[0]):
        i = corral.rows[s]
        add_centered(task.X, i, corral.weights[s] * task.y[i], task.centre, w)
    slack = squared_slack(task.ridge, task.weights, corral.rows, corral.weights, corral.counts[0])
    return inner(w, w, 0, w.size) + slack


@inlined
def measure(task, corral, pool, w, depth, levels):
    """How far each row of the pool is below the level of its side; returns the sum of the lowest scores.

    The level of a side is what its rows in the corral score, on average.
    """
    lowest = np.empty(2)
    for h in range(2):
        lowest[h], levels[h] = np.inf, 0.0
    for p in range(pool.size):
        depth[p] = task.y[pool[p]] * dot(task.X, pool[p], w)
    for s in range(corral.counts[0]):
        p, a = corral.spots[s], corral.weights[s]
        depth[p] += ridge_of(task.ridge, task.weights, pool[p]) * a
        levels[task.side[pool[p]]] += a * depth[p]
    for p in range(pool.size):
        h = task.side[pool[p]]
        lowest[h] = min(lowest[h], depth[p])
        depth[p] = levels[h] - depth[p]
    return lowest[0] + lowest[1] if task.sides == 2 else lowest[0]


@inlined
def refine(task, corral, goal):
    """The goal that makes up for what the scores of the corral, `goal` as given, are below their levels."""
    k = corral.counts[0]
    for s in range(k):
        goal[s] /= task.lift
    for s in range(k):
        goal[s] /= corral.factor[s, s]
        shift(goal, -goal[s], corral.factor[s], s + 1, k)
    minimise(corral, task.sides, 0.0, goal)
    shift(goal, 1.0, corral.weights, 0, k)


@compiled
def highest(depth):
    """The place of the largest, the first of equals; of the first NaN, if there is one."""
    place = 0
    for p in range(depth.size):
        if depth[p] > depth[place] or depth[p] != depth[p]:
            place = p
            if depth[p] != depth[p]:
                break
    return place


@inlined
def join_lowest(task, corral, pool, depth, used, refused, line, row):
    """The row furthest below its level joins, and others that are nearly as far; returns how many did."""
    before = corral.counts[0]
    most = corral.weights.size if task.ridge > 0.0 else row.size + task.sides  # more would be dependent
    for p in range(pool.size):
        depth[p] = -np.inf if used[p] or refused[p] else depth[p]
    least = max(NEARLY * depth[highest(depth)], 0.0)
    for _ in range(max(1, before // AT_ONCE)):
        p = highest(depth)
        full = corral.counts[0] == corral.weights.size or before < corral.counts[0] == most
        if full or depth[p] <= least:
            break
        depth[p] = -np.inf
        if join(task, corral, pool[p], line, row):
            corral.spots[corral.counts[0] - 1] = p
            used[p] = True
        else:
            refused[p] = True
    return corral.counts[0] - before


@inlined
def count(marked):
    """How many are."""
    total = 0
    for p in range(marked.size):
        total += marked[p]
    return total


@compiled
def climb(task, corral, pool, w, tol, zero):
    """Rows of the pool join and leave until the lowest score among them is within `tol` of the best that
    any hyperplane gives them, or ‖w‖ ≤ `zero`. The corral must be part of the pool."""
    room = corral.weights.size
    line, goal, row, levels = np.empty(room), np.empty(room), np.empty(w.size), np.empty(2)
    depth, used, refused = np.empty(pool.size), np.zeros(pool.size, np.bool_), np.zeros(pool.size, np.bool_)
    for s in range(corral.counts[0]):
        used[corral.spots[s]] = True
    length, shortest, patience, refined = combine(task, corral, w), np.inf, 20, 0
    for _ in range(1000 + 100 * room):
        if length <= zero * zero:
            return ZERO
        if not length < np.inf:
            return STALLED
        low = measure(task, corral, pool, w, depth, levels)
        k, uneven = corral.counts[0], 0.0
        for s in range(k):
            goal[s] = depth[corral.spots[s]]
            uneven = max(uneven, abs(goal[s]))
        if refined < 3 and uneven > ACCURATE * tol * length:
            refined += 1
            refine(task, corral, goal)
        else:
            if low >= (1.0 - tol) * length:
                return SOLVED
            if k == room:
                return FULL
            patience -= length >= (1.0 - 1e-12) * shortest
            if patience == 0:
                return STALLED
            shortest, refined = min(length, shortest), 0
            known = count(refused)
            if join_lowest(task, corral, pool, depth, used, refused, line, row) == 0:
                if count(refused) > known:
                    continue  # others may do
                return STALLED if known else SOLVED  # if none is below, what is missing is rounding
            for p in range(refused.size):
                refused[p] = False  # once others leave, they may be independent again
            for s in range(corral.counts[0]):
                goal[s] = 0.0
            minimise(corral, task.sides, 1.0, goal)
        walk_to(task, corral, used, goal)
        length = combine(task, corral, w)
    return STALLED
