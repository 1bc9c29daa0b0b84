"""Smoothed costs of answers and rejections, row by row in plain Python; nothing of the library.

Scores and bands are lists, a number per class; costs are lists a (gain), b (wrong), c (reject) per class, in
any unit; those of a row are for its class y. Action k < K answers class k, action K rejects.
"""

from math import exp, log1p


def softplus(raw):
    return max(raw, 0) + log1p(exp(-abs(raw)))


def of_one_neuron(s):
    return [-s, s]


def cost(action, y, a, b, c):
    """Equation 2."""
    if action == len(a):
        return c[y]
    return -a[y] if action == y else b[y]


def chances(scores, bands, T):
    """A softmax over (s_k − λ_k)/T and 0, the rejection's."""
    heights = [(s - band) / T for s, band in zip(scores, bands, strict=True)] + [0.0]
    powers = [exp(height - max(heights)) for height in heights]
    return [power / sum(powers) for power in powers]


def loss(scores, y, bands, T, a, b, c):
    unit = max(gain + wrong for gain, wrong in zip(a, b, strict=True))
    p = chances(scores, bands, T)
    return sum(p[action] * cost(action, y, a, b, c) for action in range(len(p))) / unit


def gradient(scores, y, bands, T, a, b, c):
    """By the scores: p_k (cost_k − mean cost) / T; by the bands it is the negative of it."""
    unit = max(gain + wrong for gain, wrong in zip(a, b, strict=True))
    p, mean = chances(scores, bands, T), loss(scores, y, bands, T, a, b, c)
    return [p[k] * (cost(k, y, a, b, c) / unit - mean) / T for k in range(len(scores))]


def differences(scores, y, bands, T, a, b, c, step=1e-6):
    """The same gradient by central differences."""

    def at(k, move):
        moved = [s + move * (i == k) for i, s in enumerate(scores)]
        return loss(moved, y, bands, T, a, b, c)

    return [(at(k, step) - at(k, -step)) / (2 * step) for k in range(len(scores))]


def decide(scores, bands):
    """The class of largest s_k − λ_k, and whether it is rejected for being negative; of equals the first."""
    worth = [s - band for s, band in zip(scores, bands, strict=True)]
    return worth.index(max(worth)), max(worth) < 0


def decide_by_equation_6(s, bands):
    """Of one neuron: 1, 0, or None for a rejection; bands are those of the classes 0 and 1."""
    if s >= bands[1]:
        return 1
    return 0 if s <= -bands[0] else None


def risk(rows, target, bands, a, b, c):
    total = 0
    for scores, y in zip(rows, target, strict=True):
        k, rejected = decide(scores, bands)
        total += cost(len(scores) if rejected else k, y, a, b, c)
    return total / len(rows)
