"""Claim 4.3 of Moran et al. step by step, and the value of a matrix game by linear programming."""

from collections import Counter
from fractions import Fraction

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


def exact_value(A):
    """The value in fractions: max Σu with (A + shift)·u ≤ 1, u ≥ 0, by the simplex method (Bland's rule)."""
    A = [[Fraction(float(a)) for a in row] for row in A]
    shift = 1 - min(map(min, A))
    m, n = len(A), len(A[0])
    table = [[a + shift for a in row] + [Fraction(int(i == k)) for k in range(m)] for i, row in enumerate(A)]
    right, costs = [Fraction(1)] * m, [Fraction(1)] * n + [Fraction(0)] * m
    basis, total = list(range(n, n + m)), Fraction(0)
    while True:
        enters = next((j for j in range(n + m) if costs[j] > 0), None)
        if enters is None:
            return 1 / total - shift
        ratios = [(right[i] / table[i][enters], basis[i], i) for i in range(m) if table[i][enters] > 0]
        leaves = min(ratios)[2]
        pivot = table[leaves][enters]
        table[leaves], right[leaves] = [a / pivot for a in table[leaves]], right[leaves] / pivot
        for i in range(m):
            factor = table[i][enters]
            if i != leaves and factor:
                table[i] = [a - factor * b for a, b in zip(table[i], table[leaves], strict=True)]
                right[i] -= factor * right[leaves]
        total += costs[enters] * right[leaves]
        costs = [a - costs[enters] * b for a, b in zip(costs, table[leaves], strict=True)]
        basis[leaves] = enters
