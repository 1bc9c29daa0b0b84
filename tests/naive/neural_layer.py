"""Output neurons in plain Python and fractions: what each achieves, and what no hyperplane can."""

from fractions import Fraction
from math import sqrt


def label(target, neuron, n_neurons):
    """One neuron tells the classes 0 and 1 apart, more are one against the rest each."""
    return 1 if target == (1 if n_neurons == 1 else neuron) else -1


def score(x, w, b):
    return sum(Fraction(u) * Fraction(v) for u, v in zip(x, w, strict=True)) + Fraction(b)


def margin(X, y, w, b):
    """The smallest y·score, divided by ‖w‖; 0 if that is 0."""
    length = sqrt(score(w, w, 0))
    return float(min(sign * score(x, w, b) for x, sign in zip(X, y, strict=True))) / length if length else 0.0


def errors(X, y, w, b):
    """A score of 0 predicts the rest."""
    return sum((1 if score(x, w, b) > 0 else -1) != sign for x, sign in zip(X, y, strict=True))


def radius(X):
    return sqrt(max(score(x, x, 0) for x in X))


def perceptron(X, y, beta, epochs):
    """w ← w + y·x wherever y·⟨w,x⟩ ≤ β, row by row."""
    w, updates = [0] * len(X[0]), 0
    for _ in range(epochs):
        for x, sign in zip(X, y, strict=True):
            if sign * score(x, w, 0) <= beta:
                w, updates = [u + sign * v for u, v in zip(w, x, strict=True)], updates + 1
    return w, updates
