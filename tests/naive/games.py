"""Claim 4.3 of Moran et al. step by step, and the value of a matrix game by linear programming."""

from collections import Counter

import numpy as np
from scipy.optimize import linprog


def play(V, eps):
    """The β-perceptron with β = 1 on rows of norm ≤ 1, first row 0, then the worst: how often each was used.

    Ends when the loss ‖w‖/t is at most eps, or when no row has ⟨w,v⟩ ≤ 1.
    """
    V = [[float(a) for a in v] for v in V]
    used, worst = Counter(), 0
    while True:
        used[worst] += 1
        t = sum(used.values())
        w = [sum(used[i] * V[i][j] for i in used) for j in range(len(V[0]))]
        scores = [sum(a * b for a, b in zip(w, v, strict=True)) for v in V]
        worst = min(range(len(V)), key=scores.__getitem__)
        if sum(a * a for a in w) ** 0.5 / t <= eps or scores[worst] > 1:
            return used


def value(A):
    """max over x of min_j (xᵀA)_j: a linear program in (x, v), on A scaled to [0, 1]."""
    A = np.asarray(A, float)
    low, spread = A.min(), np.ptp(A) or 1.0
    U = (A - low) / spread
    m, n = U.shape
    done = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.hstack([-U.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[1.0] * m + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
    )
    assert done.success
    return low - spread * done.fun
