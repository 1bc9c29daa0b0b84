"""`trace`: a training run step by step, corrections or all rows presented, for teaching and plotting."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, overload

import numpy as np
from sklearn.base import clone

from .._types import Array
from ..rows.encode import Encoded, encode
from ..rows.layouts import add
from .perceptron import Perceptron
from .rules import SHRUNK
from .run import Entry, Log
from .sweep import scores_of_rows


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


@dataclass(frozen=True)
class Presentation:
    """A row was looked at; if that was not enough, it was corrected.

    Attributes
    ----------
    number : 1, 2, …
    row : the row presented.
    score : ⟨w, x⟩ + b, under the weights that it met.
    output, target : the class that the score says, and that of the row; −1 or +1 with more than two classes,
        of which each is learned against the rest.
    correction : the `Correction` that followed, or None. A row may be right and yet be corrected, where a
        margin is asked for or a score of 0 is wrong.
    vector : which weight vector, with more than two classes; else 0.
    """

    number: int
    row: int
    score: float
    output: Any
    target: Any
    correction: Correction | None
    vector: int = 0


@overload
def trace(
    model: Perceptron, X: Any, y: Any, sample_weight: Any = ..., *, presentations: Literal[True]
) -> Iterator[Presentation]: ...


@overload
def trace(
    model: Perceptron, X: Any, y: Any, sample_weight: Any = ..., *, presentations: Literal[False] = ...
) -> Iterator[Correction]: ...


def trace(
    model: Perceptron, X: Any, y: Any, sample_weight: Any = None, *, presentations: bool = False
) -> Iterator[Correction] | Iterator[Presentation]:
    """Train a perceptron of these settings on X, y and yield every correction, from zero weights on.

    The corrections lead exactly to the last weights of `model.fit(X, y)`, which are `coef_` and `intercept_`
    unless `result` asks for others. `order="active"` may take corrections back; those are left out. With
    more than two classes the weight vectors come one after the other. The run is made to its end, pausing at
    each correction, before the first is yielded; `max_updates` makes it shorter. `sample_weight` as in `fit`.

    With `presentations=True` every row that is looked at is yielded, whether it is corrected or not. Their
    number is `n_presentations_`, except for those that were taken back. `order="worst"` looks at all rows
    before it corrects one, which comes last.

    Parameters
    ----------
    model : Perceptron
        The perceptron whose parameters are used; it need not be fitted and is not changed.
    X, y : array of rows, and array of classes
        The training rows.
    sample_weight : array or None, default None
        The weights of rows, as in `fit`.
    presentations : bool, default False
        Whether to yield every row that is looked at, and not only those that are corrected.

    Examples
    --------
    >>> from perceptrons import Perceptron, trace
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]             # Honavar's example: OR
    >>> model = Perceptron(order="cyclic", ties="negative", intercept_scaling=1)
    >>> for c in trace(model, X, y):
    ...     print(c.row, c.sign, c.intercept_before, c.coef_before, "→", c.intercept_after, c.coef_after)
    1 1 0.0 [0. 0.] → 1.0 [0. 1.]
    0 -1 1.0 [0. 1.] → 0.0 [0. 1.]
    2 1 0.0 [0. 1.] → 1.0 [1. 1.]
    0 -1 1.0 [1. 1.] → 0.0 [1. 1.]
    >>> shown = list(trace(model, X, y, presentations=True))
    >>> len(shown), [p.number for p in shown if p.correction]
    (13, [2, 5, 7, 9])
    """
    if not isinstance(model, Perceptron):
        raise ValueError(f"trace follows a Perceptron, not a {type(model).__name__}.")
    if model.order == "shuffle" and not isinstance(model.random_state, Integral):
        raise ValueError(
            f"random_state={model.random_state!r}: these shuffles could not be drawn again, so the trace "
            "would not be that of the model; use an integer, or order='cyclic'."
        )
    logs: list[Log] = []
    again = clone(model)._fit(X, y, sample_weight=sample_weight, logs=logs, presentations=presentations)
    data = encode(again, X, y, False, again.classes_, sample_weight)
    return _every_presentation(again, data, logs) if presentations else _every_correction(again, data, logs)


def _every_correction(model: Perceptron, data: Encoded, logs: list[Log]) -> Iterator[Correction]:
    for vector, (signs, log) in enumerate(zip(data.signs(), logs, strict=True)):
        yield from _replay(model, data, vector, signs, log.entries)


def _replay(
    model: Perceptron, data: Encoded, vector: int, signs: Array, entries: list[Entry]
) -> Iterator[Correction]:
    """Make the logged corrections once more, with the arithmetic of the sweep."""
    rho_squared = model._terms.rho_squared
    w, b, ball = np.zeros_like(model.coef_[vector]), 0.0, 1.0
    for number, (row, step, beta, _, next_ball) in enumerate(entries, 1):
        sign, before, b_before, old = int(signs[row]), as_published(w, ball), b / ball, ball
        given = int(data.numbers(np.array([row]))[0])
        add(data.X, row, step * sign, w)
        b += step * sign * rho_squared
        if next_ball < ball and next_ball > 0.0:  # the sweep has made all numbers smaller
            w, b = (w * SHRUNK).astype(w.dtype), b * SHRUNK
        ball = next_ball or 1.0
        after, b_after = as_published(w, ball), b / ball
        yield Correction(
            number, given, sign, step / old, beta / old, before, b_before, after, b_after, vector
        )


def _every_presentation(model: Perceptron, data: Encoded, logs: list[Log]) -> Iterator[Presentation]:
    """The rows up to each correction, under the weights before it; in the end those after the last."""
    for vector, (signs, log) in enumerate(zip(data.signs(), logs, strict=True)):
        rows, names = np.concatenate([*log.shown, np.zeros(0, np.int64)]).astype(np.int64), _names(model)
        numbers, first = data.numbers(rows), 0
        w, b = np.zeros_like(model.coef_[vector]), 0.0
        corrections = _replay(model, data, vector, signs, log.entries)
        for end in [*(entry.presented for entry in log.entries), None]:
            scores = scores_of_rows(data.X, rows[first:end], w, b)
            correction = None if end is None else next(corrections)
            for k, score in enumerate(scores.tolist(), first):
                output, target = names[int(score > 0)], names[int(signs[rows[k]] > 0)]
                its_own = correction if k + 1 == end else None
                yield Presentation(k + 1, int(numbers[k]), score, output, target, its_own, vector)
            if correction is not None and end is not None:
                w, b, first = correction.coef_after, correction.intercept_after, end


def _names(model: Perceptron) -> list[Any]:
    """Of the negative class and of the positive one."""
    classes: list[Any] = model.classes_.tolist()
    return classes if len(classes) == 2 else [-1, 1]


def as_published(w: Array, ball: float) -> Array:
    """Weights as they are published: a copy, of ALMA's in the unit ball."""
    return w.copy() if ball == 1.0 else (w / ball).astype(w.dtype)
