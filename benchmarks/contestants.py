"""Who races: our Perceptron, scikit-learn's two, and our compiled sweep alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

from perceptrons import Perceptron
from perceptrons.margin.margin_parameters import read_lift, read_linear_rule
from perceptrons.margin.memory import blank, open_states, state_of
from perceptrons.margin.sweep import NEVER, sweep
from perceptrons.rows.encode import encode
from perceptrons.rows.order import given
from perceptrons.rows.weights import NO_WEIGHTS


def ours(shuffle: bool, epochs: int) -> Any:
    order = "shuffle" if shuffle else "cyclic"
    return Perceptron(order=order, result="last", min_margin=0.0, max_epochs=epochs, random_state=0)


def sklearn_perceptron(shuffle: bool, epochs: int) -> Any:
    return SklearnPerceptron(shuffle=shuffle, max_iter=epochs, tol=None)


def sklearn_sgd(shuffle: bool, epochs: int) -> Any:
    return SGDClassifier(
        loss="perceptron",
        learning_rate="constant",
        eta0=1,
        penalty=None,
        shuffle=shuffle,
        max_iter=epochs,
        tol=None,
    )


OURS, PEER, SGD = "perceptrons", "Perceptron", "SGDClassifier"
MODELS: dict[str, Callable[[bool, int], Any]] = {OURS: ours, PEER: sklearn_perceptron, SGD: sklearn_sgd}


class Kernel:
    """The compiled sweep alone, one epoch in order from zero weights: no validation, no certificate."""

    def __init__(self, X: Any, y: np.ndarray) -> None:
        model = ours(shuffle=False, epochs=1)
        data = encode(model, X, y)
        self.rows, self.signs, self.n_columns = data.X, next(data.signs()), data.matrix.shape[1]
        self.dtype, self.order = data.matrix.dtype, given(len(y))
        median = data.norms.median()
        self.rule = read_linear_rule(model, read_lift(model, data.largest, median), median)

    def prepare(self) -> None:
        """A fresh state; not timed."""
        zeros, rng = np.zeros(self.n_columns, self.dtype), np.random.RandomState(0)
        start = blank(zeros, 0.0, self.rule, "last", rng)
        self.state = state_of(open_states([start], len(self.signs), self.rule, self.dtype), 0)

    def __call__(self) -> None:
        sweep(self.rows, self.signs, NO_WEIGHTS, self.order, NEVER, NEVER, self.rule, self.state)
