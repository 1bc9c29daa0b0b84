# mypy: allow-untyped-defs, allow-untyped-calls
"""Weights fitted together, and dropped one after another where they matter least.

    minimize  Σ p_r ln(1 + exp(−y_r f_r)) + α/2 ‖w‖²,   f = Xᵀw + b,   α > 0,   s_j w_j ≥ 0.

At the optimum of some weights, dropping weight j and moving the others to their new optimum raises the loss
by about w_j²/(2 [H⁻¹]_jj): the optimal brain surgeon (Hassibi, Stork, 1992); optimal brain damage neglects
that the others move. A weight whose sign is wrong at the optimum is dropped, too, and the others are fitted
again (where s_j is 0, either is right). H is computed at the sizes asked for; in between, H⁻¹ loses a row and
a column.
"""

import numpy as np

from .._types import Array
from ..compiled import compiled

STEPS = 25  # of Newton's method
LEAST = 1e-9  # the penalty of the constant, without which H may be singular


def eliminate(
    X: Array, signs: Array, p: Array, alpha: float, sizes: Array, close: float, own: Array, kept: Array
) -> Array:
    """Fitted weights at each size, from the largest down, none larger than the columns are: which columns,
    weights of all, 0 where dropped, the constant last. X has a row per column, and a last one of ones; `own`
    are the signs s, and columns that are `kept` are dropped only if their sign is wrong."""
    n_all = len(X) - 1
    weights = np.zeros((sizes.size, n_all + 1))
    places, v = np.arange(n_all + 1), np.zeros(n_all + 1)
    H, is_close = np.zeros((0, 0)), False  # of the optimum that was reached last
    for s in range(sizes.size):
        if places.size - 1 > sizes[s]:
            if not is_close:
                H, _ = newton(X[places], signs, p, alpha, v, 1, close)
            places, v = drop(H, v, places, sizes[s], kept)
        H, is_close = newton(X[places], signs, p, alpha, v, STEPS, close)
        while not (right := np.append(own[places[:-1]] * v[:-1] >= 0.0, True)).all():
            places, v = places[right], v[right]
            H, is_close = newton(X[places], signs, p, alpha, v, STEPS, close)
        weights[s, places] = v
    return weights


@compiled
def newton(X, signs, p, alpha, v, steps, close):
    """Newton's method with halved steps, from v, in place; return H there, and whether it is the optimum."""
    f = np.dot(v, X)
    loss = penalized_loss(f, signs, p, alpha, v)
    q, g = curvatures(f, signs, p)
    H, slope = hessian(X, q, alpha), np.dot(X, g) - ridge(v, alpha)
    for _ in range(steps):
        if largest(slope) <= close:
            break
        step, t = np.linalg.solve(H, slope), 1.0
        while t > 1e-6:
            there = v + t * step
            f = np.dot(there, X)
            lower = penalized_loss(f, signs, p, alpha, there)
            if lower <= loss:
                break
            t *= 0.5
        if t <= 1e-6:
            break
        for j in range(v.size):
            v[j] = there[j]
        loss = lower
        q, g = curvatures(f, signs, p)
        H, slope = hessian(X, q, alpha), np.dot(X, g) - ridge(v, alpha)
    return H, largest(slope) <= close


@compiled
def largest(slope):
    """The largest size; NaN is none."""
    size = 0.0
    for value in slope:
        size = max(size, abs(value))
    return size


@compiled
def ridge(v, alpha):
    pull = alpha * v
    pull[-1] = LEAST * v[-1]
    return pull


@compiled
def penalized_loss(f, signs, p, alpha, v):
    total = 0.0
    for r in range(f.size):
        m = -signs[r] * f[r]
        total += p[r] * (max(m, 0.0) + np.log1p(np.exp(-abs(m))))
    return total + 0.5 * np.dot(v, ridge(v, alpha))


@compiled
def curvatures(f, signs, p):
    """The second derivatives of the loss by each score, and the first, with their sign changed."""
    q, g = np.empty(f.size), np.empty(f.size)
    for r in range(f.size):
        s = 1.0 / (1.0 + np.exp(min(signs[r] * f[r], 700.0)))
        q[r] = p[r] * s * (1.0 - s)
        g[r] = signs[r] * p[r] * s
    return q, g


@compiled
def hessian(X, q, alpha):
    weighted = np.empty_like(X)
    for k in range(X.shape[0]):
        for r in range(X.shape[1]):
            weighted[k, r] = X[k, r] * q[r]
    H = np.dot(weighted, X.T)
    for k in range(len(H) - 1):
        H[k, k] += alpha
    H[-1, -1] += LEAST
    return H


@compiled
def drop(H, v, places, size, kept):
    """Drop weights one by one until there are so many, besides the constant and those to be kept; the others
    move as the parabola tells."""
    C = np.linalg.inv(H)
    v, alive = v.copy(), np.ones(v.size, np.bool_)
    for _ in range(v.size - 1 - size):
        worst, least = -1, np.inf
        for j in range(v.size - 1):
            if alive[j] and not kept[places[j]] and v[j] * v[j] / C[j, j] < least:
                worst, least = j, v[j] * v[j] / C[j, j]
        if worst < 0:
            break
        column, corner = C[:, worst].copy(), C[worst, worst]
        v -= v[worst] / corner * column
        for i in range(v.size):
            if alive[i] and i != worst:
                factor = column[i] / corner
                for j in range(v.size):
                    C[i, j] -= factor * column[j]
        alive[worst] = False
    left = np.flatnonzero(alive)
    return places[left], v[left]
