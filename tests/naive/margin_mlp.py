"""One hidden layer of ReLUs trained by the margin loss, row by row in NumPy; nothing of the library.

`net` is [V, a, W, b]: weights and biases of the hidden and of the output neurons, changed in place.
"""

import numpy as np


def scores_of(x, net):
    """Of one row, with the hidden activations."""
    V, a, W, b = net
    hidden = np.maximum(V @ x + a, 0.0)
    return W @ hidden + b, hidden


def step(batch, net, beta, eta):
    """Correct by the mean loss of these (row, ±1 per neuron, weight), where a weight multiplies the loss of
    its row; how many were in violation, each counted as one, and the sum of their losses."""
    slopes, n_violated, loss = [np.zeros_like(part) for part in net], 0, 0.0
    for x, y, weight in batch:
        scores, hidden = scores_of(x, net)
        short = y * scores <= beta
        n_violated, loss = n_violated + short.any(), loss + weight * (beta - y * scores)[short].sum()
        at_scores = -weight * y * short / len(batch)
        at_hidden = (net[2].T @ at_scores) * (hidden > 0)
        more = np.outer(at_hidden, x), at_hidden, np.outer(at_scores, hidden), at_scores
        for k in range(4):
            slopes[k] += more[k]
    for part, slope in zip(net, slopes, strict=True):
        part -= eta * slope
    return n_violated, loss


def shares(weights):
    """The weights divided by their mean."""
    return [weight * len(weights) / sum(weights) for weight in weights]


def standardized(X, weights):
    """Columns of mean 0 and deviation 1, where a row counts as much as it weighs."""
    total = sum(weights)
    mean = sum(weight * x for weight, x in zip(weights, X, strict=True)) / total
    variance = sum(weight * (x - mean) ** 2 for weight, x in zip(weights, X, strict=True)) / total
    return (X - mean) / variance**0.5


def train(X, signs, net, orders, beta_of, eta, size, n_errors=None, weights=None):
    """Epochs over rows in these orders, until one has no violation: updates, and the mean loss of each epoch.

    A batch is `size` rows, or, with n_errors, so many rows in violation; the last of an epoch may be smaller.
    """
    t, curve = 0, []
    share = [1.0] * len(X) if weights is None else shares(weights)
    for order in orders:
        total, before, waiting = 0.0, t, []
        for place, i in enumerate(order):
            scores, _ = scores_of(X[i], net)
            if n_errors is None or (signs[i] * scores <= beta_of(t)).any():
                waiting.append((X[i], signs[i], share[i]))
            full = len(waiting) == (size if n_errors is None else n_errors)
            if waiting and (full or place + 1 == len(order)):
                n_violated, loss = step(waiting, net, beta_of(t), eta)
                t, total, waiting = t + n_violated, total + loss, []
        curve.append(total / len(order))
        if t == before:
            break
    return t, curve
