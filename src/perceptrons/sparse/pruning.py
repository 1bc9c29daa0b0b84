"""Optimal brain damage as Jackson and Craven use it (section 4): train, drop the weight of the smallest
salience, and repeat; rows held out decide which size was best.

The salience of a weight (Le Cun, Denker and Solla) is ½ h_jj w_j², the rise of the loss if the weight became
0 and the loss were a quadratic with these second derivatives alone. Of weights whose saliences tie, the last
is dropped first: pairs of literals before literals, the later before the earlier.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from .logistic_unit import LogisticSample, LogisticUnit, log_odds, train

TIE = 1e-6  # a share of the root of a salience
NOTHING = 1e-9  # roots of saliences so small count as 0, and so do scores
EQUAL = 1e-12  # accuracies so close are equal


class Pruning(NamedTuple):
    """One training: the number of weights, and the accuracy on the rows held out."""

    n_weights: int
    accuracy: float


class Pruned(NamedTuple):
    """The best perceptron of a run, and the path of the run."""

    columns: Array
    unit: LogisticUnit
    path: list[Pruning]
    n_iter: int  # the most of any training
    converged: bool  # all trainings

    def followed_by(self, last: LogisticUnit) -> "Pruned":
        n_iter, converged = max(self.n_iter, last.n_iter), self.converged and last.converged
        return self._replace(unit=last, n_iter=n_iter, converged=converged)


def prune(
    learn: LogisticSample, test: LogisticSample, alpha: float, max_iter: int, to_drop: Callable[[int], int]
) -> Pruned:
    """The perceptron of the highest accuracy on the test rows; of several, the one of fewest weights.

    to_drop : returns, for a number of weights, how many of them are dropped at a time."""
    path: list[Pruning] = []
    best: tuple[Array, LogisticUnit] | None = None
    top, n_iter, converged = 0.0, 0, True
    for columns, X, unit in descend(learn, test.X, alpha, max_iter, to_drop):
        accuracy = accuracy_of(unit, test._replace(X=X))
        path.append(Pruning(len(columns), accuracy))
        n_iter, converged = max(n_iter, unit.n_iter), converged and unit.converged
        if best is None or accuracy >= top - EQUAL:
            best, top = (columns, unit), max(top, accuracy)
    assert best is not None
    return Pruned(*best, path, n_iter, converged)


def descend(
    learn: LogisticSample, beside: Any, alpha: float, max_iter: int, to_drop: Callable[[int], int]
) -> Iterator[tuple[Array, Any, LogisticUnit]]:
    """Train with fewer and fewer weights; yield their columns, these columns of the rows `beside`, the unit.

    Columns that are 0 throughout would have weight 0, and are left out. If there is only one class, all
    columns are: the intercept suffices."""
    columns = np.flatnonzero(learn.X.sum(axis=0) * (len(set(learn.signs.tolist())) > 1))
    learn, other = learn.select(columns), LogisticSample(beside, learn.signs, learn.weights).select(columns)
    w, b = np.zeros(len(columns)), log_odds(learn)
    while True:
        unit = train(learn, alpha, max_iter, w, b)
        yield columns, other.X, unit
        if not len(columns):
            return
        left = survivors(saliences(unit), to_drop(len(columns)))
        columns, learn, other = columns[left], learn.select(left), other.select(left)
        w, b = unit.weights[left], unit.intercept


def saliences(unit: LogisticUnit) -> Array:
    return np.asarray(unit.curvatures * unit.weights**2 / 2)


def survivors(values: Array, n_dropped: int) -> Array:
    """The positions left, in order, after the smallest values are dropped; of equal ones, the last."""
    roots = np.sqrt(values)
    order = np.argsort(roots, kind="stable")
    steps = np.diff(roots[order]) > NOTHING + TIE * roots[order][:-1]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.concatenate([[0], np.cumsum(steps)])
    dropped = np.lexsort([-np.arange(len(rank)), rank])[:n_dropped]
    return np.delete(np.arange(len(rank)), dropped)


def accuracy_of(unit: LogisticUnit, test: LogisticSample) -> float:
    """The share of the rows that are right, by weight; a score that is 0 up to rounding is not > 0."""
    right = (unit.scores(test.X) > NOTHING) == (test.signs > 0)
    return float(test.weights[right].sum() / test.weights.sum())
