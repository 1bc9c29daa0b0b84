"""Lemma 4.2 of Moran et al. as printed, its perceptron step by step, and the true distance of two hulls."""

from collections import Counter
from math import hypot

import numpy as np
from scipy.optimize import nnls


def lemma(K, L, eps):
    """As printed, in whatever coordinates: ("near" or "separated", w, b, steps).

    Algorithm 2 with β = 1 on (x, 1); when it has not ended after T steps, √(6/T) < eps/4, "near".
    """
    rows = [(*map(float, x), 1.0) for x in K] + [tuple(-v for v in (*map(float, x), 1.0)) for x in L]
    w, t = [0.0] * len(rows[0]), 0
    while True:
        scores = [sum(a * b for a, b in zip(w, row, strict=True)) for row in rows]
        worst = min(range(len(rows)), key=scores.__getitem__)
        if scores[worst] > 1:
            return "separated", np.array(w[:-1]), -w[-1], t
        if (6 / max(t, 1)) ** 0.5 < eps / 4:
            return "near", None, None, t
        w = [a + b for a, b in zip(w, rows[worst], strict=True)]
        t += 1


def perceptron(K, L, eps, toward):
    """In the unit ball, stopping early: whether near, and how often each row of K and of L was used.

    `toward` chooses the first two points; then the worst violator is corrected, until the means of the points
    used are nearer than eps (all but a ten-thousandth), or w has margin eps/12 and a ten-thousandth more.
    """
    K, L = [tuple(map(float, x)) for x in K], [tuple(map(float, x)) for x in L]

    def dot(u, v):
        return sum(a * b for a, b in zip(u, v, strict=True))

    def total(points, used):
        return [sum(used[i] * points[i][j] for i in used) for j in range(len(toward))]

    used_K = Counter([min(range(len(K)), key=lambda i: dot(toward, K[i]))])
    used_L = Counter([max(range(len(L)), key=lambda i: dot(toward, L[i]))])
    while True:
        t_K, t_L = sum(used_K.values()), sum(used_L.values())
        k, q = total(K, used_K), total(L, used_L)
        if hypot(*(a / t_K - b / t_L for a, b in zip(k, q, strict=True))) < eps * (1 - 1e-4):
            return True, used_K, used_L
        w = [a - b for a, b in zip(k, q, strict=True)]
        low = min(range(len(K)), key=lambda i: dot(w, K[i]))
        high = max(range(len(L)), key=lambda i: dot(w, L[i]))
        above, below = dot(w, K[low]), dot(w, L[high])
        if hypot(*w) > 0 and (above - below) / 2 / hypot(*w) >= eps / 12 * (1 + 1e-4):
            return False, used_K, used_L
        if above + t_K - t_L <= -(below + t_K - t_L):
            used_K[low] += 1
        else:
            used_L[high] += 1


def shortest(V):
    """The point of the hull of the rows nearest to 0 (Lawson and Hanson): min ‖Vᵀy‖² + (Σy − 1)², y ≥ 0."""
    V = np.asarray(V, float)
    scale = np.abs(V).max() or 1.0
    E = np.vstack([V.T / scale, np.ones(len(V))])
    y, _ = nnls(E, np.append(np.zeros(V.shape[1]), 1.0), maxiter=50 * len(V))
    return y / y.sum() @ V


def distance(K, L):
    """Between the hulls: the shortest of all differences."""
    K, L = np.asarray(K, float), np.asarray(L, float)
    return float(np.linalg.norm(shortest((K[:, None] - L[None]).reshape(-1, K.shape[1]))))


def widest(K, L):
    """sup ‖p − q‖, which two vertices attain."""
    return float(np.linalg.norm(np.asarray(K, float)[:, None] - np.asarray(L, float)[None], axis=2).max())
