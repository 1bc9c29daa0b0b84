"""Influences of the inputs of a binary-weight perceptron under a product distribution, exactly.

M. Golea and M. Marchand, *On Learning Perceptrons with Binary Weights*, Section 3: with y_j = w_j x_j the
influence of a variable (eq. 2) is w_i (2 P(S_i = θ) + 2 P(S_i = θ + 1)), S_i the sum of the other y_j (eq.
6). S_i has one parity, so one of the two is 0. Its distribution is built up variable by variable, O(n²) for
each i.
"""

import math
from typing import Any

import numpy as np

from .._types import Array
from .inputs import real, vector

__all__ = ["agreement_chances", "influences"]


def influences(weights: Any, threshold: float, shares: Any) -> Array:
    """The influence of each variable: P(+ given x_i = +1) − P(+ given x_i = −1), twice (eq. 2).

    Parameters
    ----------
    weights : array-like of −1 and +1
        The weight of each variable.
    threshold : float
        The threshold θ: the answer is + if and only if Σ w x > θ.
    shares : array-like
        The probability of x_i = +1 for each variable; all of them are independent.

    Examples
    --------
    >>> influences([1, 1, -1], 0, [0.5, 0.5, 0.5]).tolist()
    [1.0, 1.0, -1.0]
    """
    w, p = _target(weights, shares)
    theta = math.floor(real(threshold, "threshold", "of the sum", "use 0"))
    chances = np.where(w > 0, p, 1.0 - p)  # of y_j = +1
    found = [_at(np.delete(chances, i), theta) + _at(np.delete(chances, i), theta + 1) for i in range(len(w))]
    return np.asarray(2.0 * w * np.array(found))


def agreement_chances(weights: Any, threshold: float, shares: Any) -> tuple[float, float]:
    """P(g = +1) and P(g = −1): that the perceptron says + and −.

    >>> agreement_chances([1, 1, 1], 0, [0.5, 0.5, 0.5])
    (0.5, 0.5)
    """
    w, p = _target(weights, shares)
    theta = math.floor(real(threshold, "threshold", "of the sum", "use 0"))
    counts = counts_of(np.where(w > 0, p, 1.0 - p))
    above = 2 * np.arange(len(counts)) - len(w) > theta
    return float(counts[above].sum()), float(counts[~above].sum())


def counts_of(chances: Array) -> Array:
    """The chances that 0, 1, … of independent events happen.

    >>> counts_of(np.array([0.5, 0.5])).tolist()
    [0.25, 0.5, 0.25]
    """
    counts = np.ones(1)
    for chance in chances:
        counts = np.append(counts * (1.0 - chance), 0.0) + np.append(0.0, counts * chance)
    return counts


def _at(chances: Array, total: int) -> float:
    """The probability that variables of ±1, + with these chances, sum to `total`."""
    n_positive, odd = divmod(total + len(chances), 2)
    return float(counts_of(chances)[n_positive]) if not odd and 0 <= n_positive <= len(chances) else 0.0


def _target(weights: Any, shares: Any) -> tuple[Array, Array]:
    w, p = vector(weights, "weights"), vector(shares, "shares", least=0.0)
    if not (np.abs(w) == 1.0).all():
        raise ValueError(
            f"weights holds {w[np.abs(w) != 1.0][0]:g}, but all must be -1 or 1; drop the others"
        )
    if p.shape != w.shape or not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError(f"shares must be {len(w)} probabilities of x_i = +1, in [0, 1], not {p.tolist()}")
    return w, p
