# mypy: allow-untyped-defs, allow-untyped-calls
"""The path of an L1-penalized logistic unit over columns of 0 and 1, by coordinate descent.

    minimize  Σ p_r ln(1 + exp(−y_r f_r)) + λ Σ c_j |w_j|,   f = Xᵀw + b,   s_j w_j ≥ 0,

for falling λ, each from where the last ended (Friedman, Hastie, Tibshirani, "Regularization Paths for
Generalized Linear Models via Coordinate Descent", 2010). Newton's method replaces the loss by a parabola
in each row; coordinate descent minimizes it over the weights at work. A weight of 0 joins them when its slope
exceeds λ c_j. A sign s_j of 0 leaves a weight free. `X` has a row per column of the table of rules: what a
sweep reads lies side by side.

Deviations: a weight is at most `MOST`, since on separable rows there is no optimum without a penalty; the
accuracy of a solution is what selecting columns needs, not that of final weights.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled, inlined
from ..rows.layouts import dot

NEWTON = 8  # parabolas for one λ
SWEEPS = 20  # of the weights at work, for one parabola
CLOSE = 1e-3  # of the root of the curvature times the change of a weight
FLAT = 1e-5  # curvature of a row, at least
MOST = 30.0


class PathState(NamedTuple):
    """Where a path has come to; compiled code changes the arrays in place."""

    signs: Array  # ±1
    weights: Array  # p, of the rows
    scores: Array  # f
    bias: Array  # b, one number
    slopes: Array  # Σ over rows of p_r y_r σ(−y_r f_r): minus the derivative by each score


def start_path(signs: Array, weights: Array) -> PathState:
    """The best unit without weights."""
    total, positive = weights.sum(), weights[signs > 0].sum()
    share = float(np.clip(positive / total, 1e-9, 1.0 - 1e-9))
    bias = float(np.log(share) - np.log1p(-share))
    state = PathState(signs, weights, np.full(len(signs), bias), np.array([bias]), np.empty(len(signs)))
    set_slopes(state)
    return state


@compiled
def set_slopes(state):
    """Fill in the slopes at the scores."""
    for r in range(state.scores.size):
        y = state.signs[r]
        state.slopes[r] = y * state.weights[r] / (1.0 + np.exp(min(y * state.scores[r], 700.0)))


@compiled
def total_of(values):
    """Their sum, one after the other."""
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total


@inlined
def gains_of(X, r, count):
    """Σ r over the rows of each of the first columns."""
    gains = np.empty(count)
    for j in range(count):
        gains[j] = dot(X, j, r)
    return gains


@compiled
def solve_step(X, count, lams, own, state, w, at_work):
    """Bring the weights to the optimum for these penalties and signs; `at_work` marks those that may differ
    from 0."""
    close = CLOSE * np.sqrt(total_of(state.weights))
    for _ in range(NEWTON):
        moved = newton_step(X, count, lams, own, state, w, at_work, close)
        gains = gains_of(X, state.slopes, count)
        joined = 0
        for j in range(count):
            if own[j] * gains[j] >= 0.0 and not at_work[j] and abs(gains[j]) > lams[j] * (1.0 + 1e-6):
                at_work[j] = True
                joined += 1
        if joined == 0 and moved <= close:
            return


@inlined
def newton_step(X, count, lams, own, state, w, at_work, close):
    """Minimize the parabola of the present scores over the weights at work and the constant; return how far
    the farthest has moved."""
    n = state.scores.size
    q, r = np.empty(n), state.slopes.copy()  # curvatures, and slopes of the parabola
    total = 0.0
    for i in range(n):
        s = abs(r[i])
        p = state.weights[i]
        q[i] = max(s * (1.0 - s / p), FLAT * p)
        total += q[i]
    places, curvatures, old = np.empty(count, np.int64), np.empty(count), np.empty(count)
    size = 0
    for j in range(count):
        if at_work[j]:
            places[size], curvatures[size], old[size] = j, dot(X, j, q) + 1e-12, w[j]
            size += 1
    before = state.bias[0]
    for _ in range(SWEEPS):
        change = shift(q, r, state, total)
        for k in range(size):
            j = places[k]
            change = max(change, move(X, q, r, w, j, curvatures[k], lams[j], own[j]))
        if change <= close:
            break
    for k in range(size):
        add_to(state.scores, X, places[k], w[places[k]] - old[k])
    set_slopes(state)
    moved = abs(state.bias[0] - before) * np.sqrt(total)
    for k in range(size):
        moved = max(moved, abs(w[places[k]] - old[k]) * np.sqrt(curvatures[k]))
    return moved


@inlined
def add_to(scores, X, j, step):
    """f ← f + step·x_j."""
    if step != 0.0:
        x = X[j]
        for i in range(scores.size):
            scores[i] += step * x[i]


@inlined
def shift(q, r, state, total):
    """Move the constant to the bottom of the parabola; return how far, by its curvature."""
    step = total_of(r) / total
    state.bias[0] += step
    for i in range(r.size):
        r[i] -= step * q[i]
        state.scores[i] += step
    return abs(step) * np.sqrt(total)


@inlined
def move(X, q, r, w, j, curvature, lam, sign):
    """Move one weight to the bottom of the parabola; return how far, by its curvature."""
    pull = curvature * w[j] + dot(X, j, r)
    there = max(abs(pull) - lam, 0.0) / curvature
    there = min(max(there if pull > 0.0 else -there, -MOST), MOST)
    if sign * there < 0.0:
        there = 0.0
    step = there - w[j]
    if step == 0.0:
        return 0.0
    w[j] = there
    x = X[j]
    for i in range(r.size):
        r[i] -= step * x[i] * q[i]
    return abs(step) * np.sqrt(curvature)
