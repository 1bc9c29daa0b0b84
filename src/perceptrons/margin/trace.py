"""`trace`: every correction of a training run, one by one, for teaching and plotting."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from .._types import Array
from ..rows.encode import Encoded, encode
from ..rows.layouts import add
from .perceptron import Perceptron
from .rules import SHRUNK
from .run import Entry


@dataclass(frozen=True)
class Correction:
    """w ← w + step·sign·x, because sign·score did not exceed beta. With `step="alma"`, w is then divided by
    its norm, the intercept's coordinate included, if that is more than 1.

    Attributes
    ----------
    number : 1, 2, …
    row, sign : the row corrected, and its class as −1 or +1.
    step, beta : τ, and the target β that the row missed.
    coef_before, intercept_before, coef_after, intercept_after : the weights.
    vector : which weight vector, with more than two classes; else 0.
    """

    number: int
    row: int
    sign: int
    step: float
    beta: float
    coef_before: Array
    intercept_before: float
    coef_after: Array
    intercept_after: float
    vector: int = 0


def trace(model: Perceptron, X: Any, y: Any, sample_weight: Any = None) -> Iterator[Correction]:
    """Train a perceptron of these settings on X, y and yield every correction, from zero weights on.

    The corrections lead exactly to the last weights of `model.fit(X, y)`, which are `coef_` and `intercept_`
    unless `result` asks for others. `order="active"` may take corrections back; those are left out. With
    more than two classes the weight vectors come one after the other. The run is made to its end, pausing at
    each correction, before the first is yielded; `max_updates` makes it shorter. `sample_weight` as in `fit`.

    >>> from perceptrons import Perceptron, trace
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]             # Honavar's example: OR
    >>> model = Perceptron(order="cyclic", ties="negative", intercept_scaling=1)
    >>> for c in trace(model, X, y):
    ...     print(c.row, c.sign, c.intercept_before, c.coef_before, "→", c.intercept_after, c.coef_after)
    1 1 0.0 [0. 0.] → 1.0 [0. 1.]
    0 -1 1.0 [0. 1.] → 0.0 [0. 1.]
    2 1 0.0 [0. 1.] → 1.0 [1. 1.]
    0 -1 1.0 [1. 1.] → 0.0 [1. 1.]
    """
    if not isinstance(model, Perceptron):
        raise ValueError(f"trace follows a Perceptron, not a {type(model).__name__}.")
    if model.order == "shuffle" and not isinstance(model.random_state, Integral):
        raise ValueError(
            f"random_state={model.random_state!r}: these shuffles could not be drawn again, so the trace "
            "would not be that of the model; use an integer, or order='cyclic'."
        )
    logs: list[list[Entry]] = []
    again = clone(model)._fit(X, y, sample_weight=sample_weight, logs=logs)
    return _replay(again, encode(again, X, y, False, again.classes_, sample_weight), logs)


def _replay(model: Perceptron, data: Encoded, logs: list[list[Entry]]) -> Iterator[Correction]:
    """Make the logged corrections once more, with the arithmetic of the sweep."""
    rho_squared = model._terms.rho_squared
    for vector, (signs, log) in enumerate(zip(data.signs(), logs, strict=True)):
        w, b, ball = np.zeros_like(model.coef_[vector]), 0.0, 1.0
        for number, (row, step, beta, next_ball) in enumerate(log, 1):
            sign, before, b_before, old = int(signs[row]), shown(w, ball), b / ball, ball
            given = int(data.numbers(np.array([row]))[0])
            add(data.X, row, step * sign, w)
            b += step * sign * rho_squared
            if next_ball < ball and next_ball > 0.0:  # the sweep has made all numbers smaller
                w, b = (w * SHRUNK).astype(w.dtype), b * SHRUNK
            ball = next_ball or 1.0
            after, b_after = shown(w, ball), b / ball
            yield Correction(
                number, given, sign, step / old, beta / old, before, b_before, after, b_after, vector
            )


def shown(w: Array, ball: float) -> Array:
    """Weights as they are published: a copy, of ALMA's in the unit ball."""
    return w.copy() if ball == 1.0 else (w / ball).astype(w.dtype)
