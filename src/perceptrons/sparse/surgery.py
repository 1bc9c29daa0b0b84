# mypy: allow-untyped-defs, allow-untyped-calls
"""Weights fitted together, and dropped one after another where they matter least.

    minimize  Σ p_r ln(1 + exp(−y_r f_r)) + α/2 ‖w‖²,   f = Xᵀw + b,   α > 0,   s_j w_j ≥ 0.

At the optimum of some weights, dropping weight j and moving the others to their new optimum raises the loss
by about w_j²/(2 [H⁻¹]_jj): the optimal brain surgeon (Hassibi, Stork, 1992); optimal brain damage neglects
that the others move. A weight whose sign is wrong at the optimum is dropped, too, and the others are fitted
again (where s_j is 0, either is right). H is computed at the sizes asked for; in between, H⁻¹ loses a row and
a column.
"""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dgesv, dgetrf, dgetri, dgetri_lwork

from .._types import Array
from ..compiled import compiled, inlined

STEPS = 25  # of Newton's method
LEAST = 1e-9  # the penalty of the constant, without which H may be singular


class RuleRows:
    """What weights are fitted to: the columns of rules (a row each, a last one of ones), with the signs and
    weights of the rows. `DeviceRuleRows` has them on a GPU."""

    def __init__(self, X: Array, signs: Array, p: Array) -> None:
        self.X, self.signs, self.p = X.astype(np.float64, copy=False), signs, p

    def __len__(self) -> int:
        return len(self.X)

    def newton(self, places: Array, alpha: float, v: Array, steps: int, close: float) -> tuple[Array, bool]:
        """`newton` of some of the columns."""
        H, is_close = newton(self.X[places], self.signs, self.p, alpha, v, steps, close)
        return H, is_close


def eliminate(rows: Any, alpha: float, sizes: Array, close: float, own: Array, kept: Array) -> Array:
    """Fitted weights at each size, from the largest down, none larger than the columns are: which columns,
    weights of all, 0 where dropped, the constant last. `own` are the signs s, and columns that are `kept` are
    dropped only if their sign is wrong."""
    n_all = len(rows) - 1
    weights = np.zeros((sizes.size, n_all + 1))
    places, v = np.arange(n_all + 1), np.zeros(n_all + 1)
    H, is_close = np.zeros((0, 0)), False  # of the optimum that was reached last
    for s in range(sizes.size):
        if places.size - 1 > sizes[s]:
            if not is_close:
                H, _ = rows.newton(places, alpha, v, 1, close)
            places, v = drop(H, v, places, sizes[s], kept)
        H, is_close = rows.newton(places, alpha, v, STEPS, close)
        while not (right := np.append(own[places[:-1]] * v[:-1] >= 0.0, True)).all():
            places, v = places[right], v[right]
            H, is_close = rows.newton(places, alpha, v, STEPS, close)
        weights[s, places] = v
    return weights


def newton(
    X: Array, signs: Array, p: Array, alpha: float, v: Array, steps: int, close: float
) -> tuple[Array, bool]:
    """Newton's method with halved steps, from v, in place; return H there, and whether it is the optimum.

    LAPACK is called from here: it would take longer to compile a call of it than all the rest.
    """
    f, loss = start(X, signs, p, alpha, v)
    for k in range(steps + 1):
        H, slope, steepest = parabola(X, signs, p, alpha, v, f)
        if k == steps or steepest <= close:
            break
        _, _, step, singular = dgesv(H, slope)
        if singular:
            break
        lower, taken = take(X, signs, p, alpha, v, f, step, loss)
        if not taken:
            break
        loss = lower
    return H, bool(steepest <= close)


@compiled
def start(X, signs, p, alpha, v):
    """The scores of v, and the loss."""
    f = np.dot(v, X)
    return f, penalized_loss(f, signs, p, alpha, v)


@compiled
def parabola(X, signs, p, alpha, v, f):
    """H at v, with the scores f; how the loss falls along each weight, and along the steepest."""
    q, g = curvatures(f, signs, p)
    H, slope, pull = hessian(X, q, alpha), np.dot(X, g), ridge(v, alpha)
    for j in range(v.size):
        slope[j] -= pull[j]
    return H, slope, largest(slope)


@compiled
def take(X, signs, p, alpha, v, f, step, loss):
    """Take a step, halved until the loss does not rise, from v, whose scores are f, in place; return the loss
    there, and whether there is such a step."""
    there, t = np.empty(v.size), 1.0
    while t > 1e-6:
        for j in range(v.size):
            there[j] = v[j] + t * step[j]
        moved = np.dot(there, X)
        lower = penalized_loss(moved, signs, p, alpha, there)
        if lower <= loss:
            for j in range(v.size):
                v[j] = there[j]
            for r in range(f.size):
                f[r] = moved[r]
            return lower, True
        t *= 0.5
    return loss, False


@inlined
def largest(slope):
    """The largest size; NaN is none."""
    size = 0.0
    for j in range(slope.size):
        size = max(size, abs(slope[j]))
    return size


@compiled
def ridge(v, alpha):
    """The slope of the penalty."""
    pull, last = np.empty(v.size), v.size - 1
    for j in range(last):
        pull[j] = alpha * v[j]
    pull[last] = LEAST * v[last]
    return pull


@compiled
def penalized_loss(f, signs, p, alpha, v):
    return logistic_loss(f, signs, p) + 0.5 * np.dot(v, ridge(v, alpha))


@inlined
def logistic_loss(f, signs, p):
    total = 0.0
    for r in range(f.size):
        m = -signs[r] * f[r]
        total += p[r] * (max(m, 0.0) + np.log1p(np.exp(-abs(m))))
    return total


@compiled
def loss_sums(X, signs, p, v):
    """Sums over some of the rows: the loss at v, how it falls along each weight, and its curvature; without
    the penalty."""
    f = np.dot(v, X)
    q, g = curvatures(f, signs, p)
    return logistic_loss(f, signs, p), np.dot(X, g), products(X, q)


@compiled
def curvatures(f, signs, p):
    """The second derivatives of the loss by each score, and the first, with their sign changed."""
    q, g = np.empty(f.size), np.empty(f.size)
    for r in range(f.size):
        s = 1.0 / (1.0 + np.exp(min(signs[r] * f[r], 700.0)))
        q[r] = p[r] * s * (1.0 - s)
        g[r] = signs[r] * p[r] * s
    return q, g


@inlined
def products(X, q):
    weighted = np.empty(X.shape)
    for k in range(X.shape[0]):
        for r in range(X.shape[1]):
            weighted[k, r] = X[k, r] * q[r]
    return np.dot(weighted, X.T)


@inlined
def hessian(X, q, alpha):
    H, last = products(X, q), X.shape[0] - 1
    for k in range(last):
        H[k, k] += alpha
    H[last, last] += LEAST
    return H


def drop(H: Array, v: Array, places: Array, size: int, kept: Array) -> tuple[Array, Array]:
    """Drop weights one by one until this number is left, besides the constant and those to be kept; the
    others move as the parabola tells. Returns the places and the weights of those that are left."""
    left: tuple[Array, Array] = drop_least(inverse(H), v, places, size, kept)
    return left


def inverse(H: Array) -> Array:
    """H⁻¹, which exists: the penalty is above 0."""
    factors, pivots, singular = dgetrf(H)
    if singular:
        raise np.linalg.LinAlgError("H is singular to machine precision.")
    room = int(dgetri_lwork(len(H))[0])
    return np.ascontiguousarray(dgetri(factors, pivots, lwork=room)[0])


@compiled
def drop_least(C, v, places, size, kept):
    """The same, given C = H⁻¹, which loses rows and columns."""
    v, column, alive, n_left = v.copy(), np.empty(v.size), np.empty(v.size, np.bool_), v.size
    for j in range(v.size):
        alive[j] = True
    for _ in range(v.size - 1 - size):
        worst, least = -1, np.inf
        for j in range(v.size - 1):
            if alive[j] and not kept[places[j]] and v[j] * v[j] / C[j, j] < least:
                worst, least = j, v[j] * v[j] / C[j, j]
        if worst < 0:
            break
        corner = C[worst, worst]
        step = v[worst] / corner
        for i in range(v.size):
            column[i] = C[i, worst]
            v[i] -= step * column[i]
        for i in range(v.size):
            if alive[i] and i != worst:
                factor = column[i] / corner
                for j in range(v.size):
                    C[i, j] -= factor * column[j]
        alive[worst] = False
        n_left -= 1
    left, weights, k = np.empty(n_left, places.dtype), np.empty(n_left), 0
    for j in range(v.size):
        if alive[j]:
            left[k], weights[k] = places[j], v[j]
            k += 1
    return left, weights
