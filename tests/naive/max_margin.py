"""The maximum margin by independent roads: least squares, linear programs, Wolfe's pseudo-code."""

import numpy as np
from scipy.optimize import linprog, nnls


def shortest(Z):
    """The shortest v with ⟨v, z⟩ ≥ 1 on all rows of Z, or None (Lawson and Hanson, chapter 23)."""
    scale = np.abs(Z).max()
    E, f = np.vstack([Z.T / scale, np.ones(len(Z))]), np.append(np.zeros(Z.shape[1]), 1.0)
    u, distance = nnls(E, f, maxiter=100 * len(Z))
    if distance < 1e-9:
        return None
    residual = f - E @ u
    return -residual[:-1] / residual[-1] / scale


def hyperplane(X, y, intercept, C=np.inf, weights=1.0):
    """(w, b) that minimises ½‖w‖² + (C/2)·Σ weight·max(0, 1 − y(⟨w,x⟩ + b))², b free; None if C = inf and
    no hyperplane separates.

    Slack is a coordinate 1/√(C·weight) of its own per row. The intercept is one coordinate more, 10³
    times as long as a row; it costs next to nothing, and nothing once the rows are measured from a point of
    the hyperplane.
    """
    X, y = np.asarray(X, float), np.asarray(y, float)
    point = (X[y > 0].mean(axis=0) + X[y < 0].mean(axis=0)) / 2 if intercept else np.zeros(X.shape[1])
    costs = C * np.broadcast_to(weights, len(y))
    slack = np.diag(1.0 / np.sqrt(costs)) if np.isfinite(C) else np.empty((len(y), 0))
    for _ in range(4 if intercept else 1):
        far = 1e3 * np.linalg.norm(X - point, axis=1).max() if intercept else 0.0
        v = shortest(np.hstack([y[:, None] * (X - point), y[:, None] * far, slack]))
        if v is None:
            return None
        w, b = v[: X.shape[1]], v[X.shape[1]] * far
        point = point - b * w / (w @ w)
    return w, -point @ w


def best_margin(X, y, intercept):
    """The largest margin any hyperplane has, through the origin or not; 0 if none separates."""
    found = hyperplane(X, y, intercept)
    if found is None:
        return 0.0
    w = found[0]
    scores = y * (np.asarray(X, float) @ w)
    low = (scores[y > 0].min() + scores[y < 0].min()) / 2 if intercept else scores.min()
    return max(0.0, low / np.linalg.norm(w))


def objective(X, y, w, b, C, weights=1.0):
    """½‖w‖² + (C/2)·Σ weight·max(0, 1 − y(⟨w,x⟩ + b))²."""
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    return 0.5 * w @ w + 0.5 * C * (weights * slack) @ slack


def best_soft_margin(X, y, intercept, C, weights=1.0):
    """The largest margin of the rows with a coordinate 1/√(C·weight) each of their own: 1/√(2·objective)."""
    w, b = hyperplane(X, y, intercept, C, weights)
    return 1.0 / np.sqrt(2.0 * objective(X, y, w, b, C, weights))


def is_separable(X, y, intercept):
    """Is there a hyperplane with every row strictly on its side? By a linear program: the largest t with
    y(⟨w,x⟩ + b) ≥ t·‖x‖ and |w|, |b| ≤ 1 is more than rounding."""
    Z = y[:, None] * np.hstack(
        [X / (np.abs(X).max() or 1.0), np.full((len(X), 1), 1.0 if intercept else 0.0)]
    )
    lengths = np.linalg.norm(Z, axis=1, keepdims=True)
    if not lengths.all():
        return False
    rows, goal = np.hstack([-Z / lengths, np.ones((len(Z), 1))]), np.append(np.zeros(Z.shape[1]), -1.0)
    found = linprog(goal, rows, np.zeros(len(Z)), bounds=(-1, 1), method="highs")
    assert found.status == 0
    return bool(-found.fun > 1e-9)


def min_norm_point(P):
    """P. Wolfe, *Finding the nearest point in a polytope* (1976), as printed: (rows, weights) of the point of
    the convex hull of the rows of P nearest to the origin."""
    tiny, size = 1e-12, (P * P).sum(axis=1)
    rows, weights = [int(size.argmin())], np.ones(1)  # step 0
    while True:
        x = weights @ P[rows]  # step 1
        scores = P @ x
        j = int(scores.argmin())
        if scores[j] > x @ x - tiny * max(size[j], size[rows].max()) or j in rows:
            return np.array(rows), weights
        rows, weights = [*rows, j], np.append(weights, 0.0)
        while True:
            goal = affine_minimiser(P[rows])  # step 2
            if (goal > tiny).all():
                weights = goal
                break
            falling = (goal <= tiny) & (weights - goal > 0)  # step 3
            theta = min(1.0, (weights[falling] / (weights[falling] - goal[falling])).min())
            weights = theta * goal + (1.0 - theta) * weights
            kept = weights > tiny
            rows, weights = [row for row, keep in zip(rows, kept, strict=True) if keep], weights[kept]


def affine_minimiser(Q):
    """The weights, of sum 1, of the point nearest to the origin in the affine hull of the rows of Q."""
    k = len(Q)
    M = np.block([[np.zeros((1, 1)), np.ones((1, k))], [np.ones((k, 1)), Q @ Q.T]])
    return np.linalg.solve(M, np.append(1.0, np.zeros(k)))[1:]
