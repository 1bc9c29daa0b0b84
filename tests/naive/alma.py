"""The slow twins of ALMA (Gentile 2001, p = 2) and of the perceptron that knows a margin that can be had.

Letters: rows x of norm 1 after division by their norm, w in the unit ball, k = 1, 2, ... the corrections,
B = 1/alpha, C = eta. The intercept is the weight of a constant coordinate rho.
"""

import math


def alma(X, y, alpha, C, orders, rho=0.0, weights=None, start=None):
    """Every weight vector that ALMA has, lifted; the rows corrected; whether the last order needed none."""
    rows = [[*x, rho] if rho else list(x) for x in X]
    w = list(start) if start else [0.0] * len(rows[0])
    k, B, path, used = 1, 1 / alpha, [], []
    length = norm(w)
    if length > 1:
        w = [w_j / length for w_j in w]
    for order in orders:
        before = k
        for i in order:
            size = norm(rows[i])
            x = [x_j / size for x_j in rows[i]]
            if y[i] * dot(w, x) <= (1 - alpha) * B / math.sqrt(k):
                eta = C / math.sqrt(k) * (weights[i] if weights else 1)
                w = [w_j + eta * y[i] * x_j for w_j, x_j in zip(w, x, strict=True)]
                length = norm(w)
                w = [w_j / max(1.0, length) for w_j in w]
                k += 1
                path.append(w)
                used.append(i)
        if k == before:
            return path, used, True
    return path, used, False


def known_margin(X, y, gamma, orders):
    """Rows are corrected while y<w, x> <= gamma ||w||."""
    w, used = [0.0] * len(X[0]), []
    for order in orders:
        before = len(used)
        for i in order:
            if y[i] * dot(w, X[i]) <= gamma * norm(w):
                w = [w_j + y[i] * x_j for w_j, x_j in zip(w, X[i], strict=True)]
                used.append(i)
        if len(used) == before:
            return w, used, True
    return w, used, False


def dot(u, v):
    return sum(u_j * v_j for u_j, v_j in zip(u, v, strict=True))


def norm(v):
    return math.sqrt(dot(v, v))
