"""AdaBoost as in Figure 1 of Jackson and Craven, around the `search`.

Deviations: a hypothesis without error is the whole model, with weight 1, since ln((1 − ε)/ε) is infinite; an
error within 1e-12 of one half counts as one half and ends the boosting.
"""

from collections.abc import Iterator
from math import log
from typing import NamedTuple, Protocol

import numpy as np

from .._types import Array
from .conjunctions import FoundConjunction, Reweighing
from .search import ConjunctionSearch

HALF = 1e-12
NOTHING = 1e-12  # rounding of weights that cancel


class Stage(NamedTuple):
    """A weak hypothesis: sign·h, h = +1 where all of its literals hold and −1 elsewhere."""

    literals: tuple[int, ...]  # () is the constant
    sign: int
    error: float  # ε, the weight of the rows it gets wrong
    weight: float  # ln((1 − ε)/ε)


def boost(search: ConjunctionSearch, weights: Array) -> Iterator[Stage]:
    """The stages, without end, unless one makes no error or none is better than chance.

    Rows of weight 0 are not learned from."""
    return boost_over(RowsInMemory(search, weights))


class BoostedRows(Protocol):
    """Rows and their weights, wherever they are."""

    def best(self) -> FoundConjunction:
        """The winner under the weights."""

    def error(self, literals: tuple[int, ...], sign: int) -> float:
        """The weight of the rows that sign·h gets wrong; exactly 0 if there are none."""

    def reweigh(self, beta: float) -> None:
        """Multiply the weights of the rows that the last hypothesis got right, and normalize."""


def boost_over(rows: BoostedRows) -> Iterator[Stage]:
    """The stages, one after the other."""
    while True:
        found = rows.best()
        sign = 1 if found.correlation > 0 else -1
        error = rows.error(found.literals, sign)
        if error == 0.0:
            yield Stage(found.literals, sign, 0.0, 1.0)
            return
        if error >= 0.5 - HALF:
            return
        beta = error / (1.0 - error)
        yield Stage(found.literals, sign, error, -log(beta))
        rows.reweigh(beta)


class RowsInMemory:
    """The rows of a search."""

    def __init__(self, search: ConjunctionSearch, weights: Array) -> None:
        self.search, self.D = search, weights / weights.sum()
        self.right, self.wrong = np.zeros(len(weights), np.bool_), np.zeros(0, np.intp)

    def best(self) -> FoundConjunction:
        return self.search.best(self.D)

    def error(self, literals: tuple[int, ...], sign: int) -> float:
        self.right = (self.search.signs == sign) == self.search.rows_of(literals)
        self.wrong = np.flatnonzero(~self.right)
        return float(self.D[self.wrong].sum())

    def reweigh(self, beta: float) -> None:
        after = beta * self.D
        after[self.wrong] = self.D[self.wrong]
        total = float(after.sum())
        self.search.follow(Reweighing(self.D, self.right, beta, total))
        self.D = after / total


def merged(runs: list[list[Stage]], votes: bool = False) -> tuple[list[tuple[int, ...]], Array, Array]:
    """The conjunctions, their weights (a row per vector), and the constant's weights; repeats add up.

    Scores of several vectors are compared, though one vector may have many stages and another a single one
    without error. So each vector is divided by the sum of its stages' weights. Votes are not divided: a stage
    without error gets as many votes as the longest run."""
    totals: dict[tuple[int, ...], Array] = {(): np.zeros(len(runs))}
    for vector, stages in enumerate(runs):
        used = stages[-1:] if is_alone(stages, votes) else stages
        factor = 1.0
        if len(runs) > 1 and not votes:
            factor = 1 / sum(stage.weight for stage in used) if used else 1.0
        elif len(runs) > 1 and is_alone(stages, votes):
            factor = float(max(map(len, runs)))
        for stage in used:
            weights = totals.setdefault(stage.literals, np.zeros(len(runs)))
            weights[vector] += stage.sign * stage.weight * factor
    intercept = totals.pop(())
    kept = {one: weights for one, weights in totals.items() if (abs(weights) > NOTHING).any()}
    return list(kept), np.array([*kept.values()]).reshape(len(kept), len(runs)).T.copy(), intercept


def is_alone(stages: list[Stage], votes: bool) -> bool:
    """Is the last stage the whole model, because it makes no error? A vote must also be the first: later ones
    see few rows."""
    return bool(stages) and stages[-1].error == 0.0 and (not votes or len(stages) == 1)
