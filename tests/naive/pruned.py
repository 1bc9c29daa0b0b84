"""A logistic unit over conjunctions, pruned by optimal brain damage one weight at a time; dense and slow.

A row is a list of 0 and 1, one per literal; attributes[i] is the attribute of literal i; labels are ±1.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

TIE = 1e-6  # of the roots of saliences
NOTHING = 1e-9


class Step(NamedTuple):
    """One training, and what was dropped after it."""

    weights: dict  # conjunction → weight of its feature of 0 and 1
    intercept: float
    saliences: dict
    accuracy: float
    dropped: tuple | None  # None: nothing was left
    tied: bool


def split(labels, fraction, seed):
    """Which rows are held out: of each class, the first few of a random order."""
    random, held_out = np.random.RandomState(seed), np.zeros(len(labels), bool)
    for label in sorted(set(labels)):
        members = random.permutation([r for r, one in enumerate(labels) if one == label])
        held_out[members[: min(max(round(fraction * len(members)), 1), len(members) - 1)]] = True
    return held_out


def conjunctions(attributes, k):
    literals = range(len(attributes))
    return [
        c
        for size in range(1, k + 1)
        for c in combinations(literals, size)
        if len({attributes[i] for i in c}) == size
    ]


def features(rows, chosen):
    """A column of ones first, for the intercept."""
    columns = [np.ones(len(rows)), *(np.prod(rows[:, list(c)], axis=1) for c in chosen)]
    return np.array(columns, dtype=float).T


def loss(F, labels, weights, alpha, theta):
    p = weights / weights.sum()
    return p @ np.log1p(np.exp(-labels * (F @ theta))) + alpha / 2 * theta[1:] @ theta[1:]


def hessian(F, weights, alpha, theta):
    sigma = 1 / (1 + np.exp(-F @ theta))
    penalty = np.diag([0.0] + [alpha] * (F.shape[1] - 1))
    return F.T @ np.diag(weights / weights.sum() * sigma * (1 - sigma)) @ F + penalty


def optimum(F, labels, weights, alpha):
    """Newton's method from nothing, halving steps that do not descend; the intercept comes first."""
    theta, p = np.zeros(F.shape[1]), weights / weights.sum()
    for _ in range(200):
        gradient = F.T @ (-labels * p / (1 + np.exp(labels * (F @ theta))))
        gradient[1:] += alpha * theta[1:]
        step = np.linalg.solve(hessian(F, weights, alpha, theta), gradient)
        if abs(step).max() < 1e-12:
            return theta
        t, now = 1.0, loss(F, labels, weights, alpha, theta)
        while loss(F, labels, weights, alpha, theta - t * step) > now + 1e-14:
            t /= 2
        theta = theta - t * step
    raise AssertionError("no optimum after 200 steps")


def prune(rows, labels, weights, attributes, k, alpha, held_out):
    """The steps, from all conjunctions that hold in some row to learn from, to none."""
    learn, steps = ~held_out, []
    left = [c for c in conjunctions(attributes, k) if features(rows[learn], [c])[:, 1].any()]
    while True:
        F = features(rows, left)
        theta = optimum(F[learn], labels[learn], weights[learn], alpha)
        values = np.diag(hessian(F[learn], weights[learn], alpha, theta)) * theta**2 / 2
        right = (F[held_out] @ theta > NOTHING) == (labels[held_out] > 0)
        accuracy = weights[held_out][right].sum() / weights[held_out].sum()
        roots = np.sqrt(values[1:])
        equal = [c for c, root in zip(left, roots, strict=True) if root <= min(roots) * (1 + TIE) + NOTHING]
        dropped = equal[-1] if left else None
        named = [dict(zip(left, some[1:].tolist(), strict=True)) for some in (theta, values)]
        steps.append(Step(named[0], theta[0], named[1], accuracy, dropped, len(equal) > 1))
        if not left:
            return steps
        left.remove(dropped)


def best(steps):
    """The fewest weights of the highest accuracy."""
    return max(steps, key=lambda step: (step.accuracy, -len(step.weights)))
