"""One hidden layer of ReLUs by Adam on squared shortfalls, row by row in NumPy; nothing of the library.

`net` is [V, a, W, b]: weights and biases of the hidden and of the output neurons, changed in place.
"""

import numpy as np


def slopes_of(batch, net, beta, penalty):
    """By the mean over (row, ±1 per neuron, weight) of weight · Σ max(β − y·score, 0)² / (2β), and by
    penalty / 2 times the squared weights; the sum of the losses, and how many rows were in violation."""
    V, a, W, b = net
    slopes = [penalty * V, np.zeros_like(a), penalty * W, np.zeros_like(b)]
    total, n_violated = 0.0, 0
    for x, y, weight in batch:
        hidden = np.maximum(V @ x + a, 0.0)
        short = beta - y * (W @ hidden + b)
        n_violated += (short >= 0.0).any()
        short = np.maximum(short, 0.0)
        total += weight * (short**2).sum() / (2 * beta)
        at_scores = -weight * y * short / beta / len(batch)
        at_hidden = (W.T @ at_scores) * (hidden > 0)
        for slope, more in zip(
            slopes, (np.outer(at_hidden, x), at_hidden, np.outer(at_scores, hidden), at_scores), strict=True
        ):
            slope += more
    return slopes, total, n_violated


def train(X, signs, net, orders, beta, eta, alpha, size, weights=None):
    """Epochs over rows in these orders, until one has no violation, or ten have not lowered the least mean
    loss by beta / 10,000: rows in violation, and the mean loss of each epoch."""
    share = np.ones(len(X)) if weights is None else np.asarray(weights) * len(X) / np.sum(weights)
    penalty = alpha * min(1.0, 1000 / len(X))
    first, second = ([np.zeros_like(part) for part in net] for _ in range(2))
    t, n_updates, idle, curve = 0, 0, 0, []
    for order in orders:
        loss, before = 0.0, n_updates
        for start in range(0, len(order), size):
            batch = [(X[i], signs[i], share[i]) for i in order[start : start + size]]
            slopes, more, n_violated = slopes_of(batch, net, beta, penalty)
            t, loss, n_updates = t + 1, loss + more, n_updates + n_violated
            for k, slope in enumerate(slopes):
                first[k] = 0.9 * first[k] + 0.1 * slope
                second[k] = 0.999 * second[k] + 0.001 * slope**2
                rate = eta * (1 - 0.999**t) ** 0.5 / (1 - 0.9**t)
                net[k] -= rate * first[k] / (second[k] ** 0.5 + 1e-8)
        mean = loss / len(order)
        idle = 0 if mean < min(curve, default=np.inf) - 1e-4 * beta else idle + 1
        curve.append(mean)
        if n_updates == before or idle == 10:
            break
    return n_updates, curve
