# mypy: allow-untyped-defs, allow-untyped-calls
"""Dual coordinate descent: for maximum margins with too many support rows for a factor to pay.

C.-J. Hsieh et al., *A dual coordinate descent method for large-scale linear SVM* (2008). One row's multiplier
at a time is set to its best value, α_i ← max(0, α_i + (1 − y_i(⟨w,x_i⟩ + b) − r_i α_i)/(‖x_i‖² + ρ² + r_i)).

Beyond the paper: a free intercept. Its condition Σ α_i y_i = 0 is met in the limit by the method of
multipliers: b carries ρ² Σ α_i y_i within a sweep, as in a lifted perceptron, and again that much between
sweeps. Rows that score well above their target are left out of most sweeps. Near copies of one another take
each other's share back and forth, and are at their targets long after all other rows: a few rows that are
much further from theirs than the mean are visited several times more after each sweep.
"""

from collections.abc import Sequence

import numpy as np

from ..._types import Array
from ...compiled import compiled
from ...rows.encode import is_sparse
from ...rows.layouts import add, dot, sqnorm
from ...rows.order import given, permuted
from .pool import MarginSearch, balanced, combination
from .slack import ridge_of

PATIENCE = 60  # sweeps; then Wolfe's method may try, if the rows are still not separated, or …
WORTH = 0.1  # … after as many operations as this share of those that it needs
WHOLE = 5  # one sweep in so many visits all rows
ABOVE = 1.2  # times the level: a row that scores more and has no multiplier is left out for a while
BEHIND = 6  # times the mean distance from the target: a straggler
TIMES = 16  # visits of a straggler after each sweep, together at most half a sweep


@compiled
def sweep(task, order, squares, alpha, w, b, lift, far):
    """Visit the rows in this order; returns the new intercept and how many multipliers changed.

    `far` : on the last visit of each row, how far its score was from its target."""
    changed = 0
    for t in range(order.size):
        i = order[t]
        ridge = ridge_of(task.ridge, task.weights, i)
        slope = task.y[i] * (dot(task.X, i, w) + b) - 1.0 + ridge * alpha[i]
        new = max(0.0, alpha[i] - slope / (squares[i] + lift + ridge))
        far[i] = abs(slope) if alpha[i] > 0.0 or new > 0.0 else 0.0
        if new != alpha[i]:
            step = (new - alpha[i]) * task.y[i]
            alpha[i] = new
            add(task.X, i, step, w)
            b += lift * step
            changed += 1
    return b, changed


@compiled
def squared_norms(X, n_rows):
    """‖x‖² of each row, 1 for a row of zeros, which nothing is divided by then."""
    squares = np.empty(n_rows)
    for i in range(n_rows):
        squares[i] = sqnorm(X, i)
        if squares[i] == 0.0:
            squares[i] = 1.0
    return squares


def descend(search: MarginSearch, at_most: float = np.inf) -> None:
    """Sweep until the gap closes or another method should try; what it found is the start of what follows. A
    few sweeps that only start another method visit no straggler again."""
    task, n_rows = search.task, len(search.scores)
    squares, far = squared_norms(task.X, n_rows), np.zeros(n_rows)
    alpha, w, b, rng = np.zeros(n_rows), np.zeros(len(task.centre)), 0.0, np.random.RandomState(0)
    lift = task.lift / np.sqrt(len(w)) if task.sides == 2 else 0.0
    everyone = active = given(n_rows)
    sweeps, check, past = 0, min(4, at_most), [(0, 1.0)]
    cells = search.matrix.nnz if is_sparse(search.matrix) else search.matrix.size
    while True:
        order = permuted(everyone if sweeps % WHOLE == 0 else active, rng)
        b, changed = sweep(task, order, squares, alpha, w, b, lift, far)
        left = int((search.max_iter - search.n_passes) * n_rows) - len(order)  # visits
        again = stragglers(order, far)[: max(left, 0)] if np.isinf(at_most) else order[:0]
        b, more = sweep(task, again, squares, alpha, w, b, lift, far)
        b += lift * float(alpha @ task.y)
        sweeps += 1
        search.n_updates += int(changed + more)
        search.n_passes += (len(order) + len(again)) / n_rows
        last = sweeps >= at_most or search.n_passes + 1 > search.max_iter
        if sweeps < check and not last:
            continue
        rows = np.flatnonzero(alpha)
        point = balanced(task, rows, alpha[rows])
        if point is None:
            return  # a side without rows, or multipliers that overflow: another method must do
        found = search.assess(point, combination(search, point))
        if search.ended or last:
            return
        past.append((sweeps, found.gap))
        worth = WORTH * len(rows) ** 2 * (len(rows) / cells + 1 / n_rows)
        if sweeps >= PATIENCE and (found.gap >= 1.0 or sweeps > worth):
            return
        check = sweeps + int(np.clip(sweeps_needed(past, search.tol), 1, 1 + sweeps // 3))
        level = found.length / task.sides
        active = everyone[(alpha > 0.0) | (search.scores <= ABOVE * level)]


def stragglers(order: Array, far: Array) -> Array:
    """The rows of a sweep that are much further from their targets than the mean, each several times."""
    own = far[order]
    rows = order[own > BEHIND * own.mean()]
    return np.tile(rows, min(TIMES, len(order) // (2 * len(rows)))) if len(rows) else rows


def sweeps_needed(past: Sequence[tuple[int, float]], tol: float) -> float:
    """How many more until the gap is closed, if it goes on to shrink as between the last two looks."""
    (before, wide), (sweeps, narrow) = past[-2:]
    if not 0.0 < narrow < wide:
        return np.inf
    return float(np.ceil(np.log(narrow / tol) * (sweeps - before) / np.log(wide / narrow)))


def warm_point(search: MarginSearch, duals: Array) -> None:
    """Look at the duals of an earlier fit, so that the search starts from there."""
    rows = np.flatnonzero(duals * search.task.y > 0.0)
    point = balanced(search.task, rows, np.abs(duals[rows]))
    if point is not None:
        search.assess(point, combination(search, point))
