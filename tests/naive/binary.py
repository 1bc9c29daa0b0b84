"""Golea and Marchand's binary-weight perceptron, row by row in plain Python; nothing of the library.

g(x) = +1 if Σ w_i x_i > θ, else −1 (equation 1); x_i = ±1, y = ±1, w_i ∈ {−1, 0, +1}, θ an integer. A model
is a dict: cuts, w, threshold, influence, neglected. Deviations from the paper, which are ours: numbers become
±1 by a cut, rows have weights, a variable that never changes is neglected by every method, rows of one class
make a constant perceptron by every method. The last function, a pass of the perceptron with hidden states, is
beyond the paper; so are the votes of epsilon="auto" (`binary_votes`). Probabilities are quotients of floats
in the library's form, so that ties fall alike.
"""

import numpy as np

from tests.naive.binary_votes import votes


def fit(X, y, method="influence", epsilon="auto", threshold="auto", binarize="auto", weights=None):
    X, y, weights = present(X, y, weights)
    cuts = [cut_of([x[j] for x in X], weights, binarize) for j in range(len(X[0]))]
    bits = signs(X, cuts)
    by_noise, epsilon = epsilon == "auto" and method == "influence", 0.1 if epsilon == "auto" else epsilon
    model = {"cuts": cuts} | weigh(bits, y, weights, method, epsilon)
    if by_noise and "threshold" not in model:
        model["w"] = votes(bits, y, weights, model["influence"], model["neglected"])
    if "threshold" not in model:
        how = {"influence": "min-error", "clipped-hebb": 0}[method] if threshold == "auto" else threshold
        model["threshold"] = threshold_of(scores(bits, model["w"]), y, weights, len(cuts), how, epsilon)
    return model


def predict(X, model):
    bits = signs(np.asarray(X).tolist(), model["cuts"])
    return [1 if s > model["threshold"] else -1 for s in scores(bits, model["w"])]


def present(X, y, weights=None):
    """Lists of the rows whose weight is not 0."""
    X, y = np.asarray(X).tolist(), np.asarray(y).tolist()
    weights = [1] * len(y) if weights is None else np.asarray(weights).tolist()
    kept = [i for i, weight in enumerate(weights) if weight > 0]
    return [X[i] for i in kept], [y[i] for i in kept], [weights[i] for i in kept]


def cut_of(column, weights, binarize="auto"):
    """Values above the cut are +1. The library's own may lie anywhere before the next value."""
    values = sorted(set(column))
    if binarize not in ("auto", None):
        return binarize
    if len(values) == 1:
        return values[0] / 2
    if binarize is None and len(values) > 2:
        raise ValueError(f"{len(values)} values")
    return min(lower_median(column, weights), values[-2])


def lower_median(column, weights):
    """The least value such that values up to it have half of the weight."""
    so_far = 0
    for value, weight in sorted(zip(column, weights, strict=True)):
        so_far += weight
        if 2 * so_far >= sum(weights):
            return value
    raise AssertionError("all rows together have half of the weight")


def signs(X, cuts):
    return [[1 if v > cut else -1 for v, cut in zip(x, cuts, strict=True)] for x in X]


def scores(bits, w):
    return [sum(wj * xj for wj, xj in zip(w, x, strict=True)) for x in bits]


def weigh(bits, y, weights, method, epsilon):
    """Steps 1 to 6 of Figure 1, or equation 11; has a threshold already if the perceptron is constant."""
    n, total = len(bits[0]), sum(weights)
    positive = sum(a for a, label in zip(weights, y, strict=True) if label > 0)
    model = {"w": [], "influence": [], "neglected": []}
    for j in range(n):
        column = [x[j] for x in bits]
        influence = influence_of(column, y, weights)
        neglected = is_neglected(column, weights, method, epsilon, n)
        sign = (
            influence_sign(influence, epsilon, n) if method == "influence" else hebb_sign(column, y, weights)
        )
        model["w"].append(0 if neglected else sign)
        model["influence"].append(influence)
        model["neglected"].append(neglected)
    few = epsilon / 4 if method == "influence" else 0.0
    if positive / total >= 1 - few:
        return model | {"w": [0] * n, "threshold": -1}
    if positive / total <= few:
        return model | {"w": [0] * n, "threshold": 0}
    return model


def influence_of(column, y, weights):
    """Equation 2: P(+|+) − P(+|−) − P(−|+) + P(−|−) is twice the first difference."""
    rows = list(zip(column, y, weights, strict=True))
    ones, total = sum(a for x, _, a in rows if x > 0), sum(weights)
    if ones in (0, total):
        return 0.0
    positive = sum(a for _, label, a in rows if label > 0)
    positive_ones = sum(a for x, label, a in rows if x > 0 and label > 0)
    return 2.0 * (positive_ones / ones - (positive - positive_ones) / (total - ones))


def is_neglected(column, weights, method, epsilon, n):
    """Step 5; the other method neglects only what never changes."""
    often = sum(a for x, a in zip(column, weights, strict=True) if x > 0) / sum(weights)
    rare = epsilon / (4 * n) if method == "influence" else 0.0
    return often <= rare or 1 - often <= rare


def influence_sign(influence, epsilon, n):
    """Step 6, with ρ = ε/2."""
    gap = 0.5 * (epsilon / 2) / (n + 1)
    return 1 if influence > gap else -1 if influence < -gap else 0


def hebb_sign(column, y, weights):
    """Equation 11; sgn(0) = −1."""
    return 1 if sum(a * label * x for x, label, a in zip(column, y, weights, strict=True)) > 0 else -1


def threshold_of(row_scores, y, weights, n, how, epsilon):
    if how == "figure-1":
        return figure_1_threshold(row_scores, y, weights, n, epsilon)
    if how == "min-error":
        errors = [(training_error(row_scores, y, weights, r), r) for r in range(-n - 1, n + 1)]
        return min(errors)[1]
    return how


def training_error(row_scores, y, weights, r):
    """The weight of the rows that the threshold r gets wrong."""
    return sum(a for s, label, a in zip(row_scores, y, weights, strict=True) if (s > r) != (label > 0))


def figure_1_threshold(row_scores, y, weights, n, epsilon):
    """Step 7; where nothing is predicted positive any more the search ends."""
    for r in range(-n - 1, n + 1):
        above = sum(a for s, a in zip(row_scores, weights, strict=True) if s > r)
        right = sum(a for s, label, a in zip(row_scores, y, weights, strict=True) if s > r and label > 0)
        if above == 0 or right / above > 1 - epsilon / 4:
            return r
    raise AssertionError("no score is above n")


def sbpi_epoch(h, X, y, order, coins, theta, means=None, unit=1, neglected=()):
    """One pass over the hidden odd integers h, changed in place; returns how many rows were wrong.

    θ has the parity that makes every u odd; given as a list of one number, it moves with the weights. A row
    that is wrong corrects all variables. One that is only just right (u = 1), if its coin says so, corrects
    those which agree with it: they become more certain. h, and the means that are taken off x, are counted in
    `unit`ths.
    """
    level = theta if isinstance(theta, list) else [theta]
    means = means or [0] * len(h)
    taking_part = [j for j in range(len(h)) if j not in neglected]
    n_wrong = 0
    for i, coin in zip(order, coins, strict=True):
        u = y[i] * (sum((1 if h[j] > 0 else -1) * X[i][j] for j in taking_part) - level[0])
        assert u % 2 == 1
        n_wrong += u < 0
        if u < 0 and level is theta:
            level[0] -= 2 * y[i]
        for j in taking_part:
            step = 2 * y[i] * (unit * X[i][j] - means[j])
            if u < 0 or (u == 1 and coin and step * h[j] > 0):
                h[j] += step
    return n_wrong
