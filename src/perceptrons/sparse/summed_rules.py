"""Newton's method of `surgery` by sums over rows that are in several places.

Each place adds up the loss, its slopes and its curvature over its own rows (`sums_at`); the penalty, the step
and how far to take it are found from these sums, which are as large as the square of the number of rules.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgesv

from .._types import Array
from .rows_alike import RowPatterns
from .surgery import LEAST, largest, loss_sums, ridge

BLOCK = 16_384  # patterns at a time, lest their columns take more room than their bits

LossSums = tuple[float, Array, Array]


class FittedPoint(NamedTuple):
    """What is known at some weights."""

    loss: float
    slope: Array
    H: Array


class SummedRuleRows:
    """As `RuleRows`, of columns whose rows are elsewhere; `sums` asks for those at some weights."""

    def __init__(self, n_columns: int, sums: Callable[[Array, Array], LossSums]) -> None:
        self.n_columns, self.sums = n_columns, sums

    def __len__(self) -> int:
        return self.n_columns

    def newton(self, places: Array, alpha: float, v: Array, steps: int, close: float) -> tuple[Array, bool]:
        """As `newton` of some of the columns."""
        here = self._at(places, alpha, v)
        for _ in range(steps):
            if largest(here.slope) <= close:
                break
            _, _, step, singular = dgesv(here.H, here.slope)
            if singular:
                break
            t, there = 1.0, self._at(places, alpha, v + step)
            while not there.loss <= here.loss and t > 1e-6:
                t *= 0.5
                there = self._at(places, alpha, v + t * step)
            if not there.loss <= here.loss:
                break
            v += t * step
            here = there
        return here.H, bool(largest(here.slope) <= close)

    def _at(self, places: Array, alpha: float, v: Array) -> FittedPoint:
        loss, slope, H = self.sums(places, v)
        pull = ridge(v, alpha)
        H = H + np.diag([alpha] * (len(v) - 1) + [LEAST])
        return FittedPoint(loss + 0.5 * float(v @ pull), slope - pull, H)


def sums_at(patterns: RowPatterns, places: Array, v: Array) -> LossSums:
    """Of the rows of one place; there may be none."""
    loss, slope, H = 0.0, np.zeros(len(v)), np.zeros((len(v), len(v)))
    for X, signs, p in patterns.blocks(BLOCK):
        some = loss_sums(X[places], signs, p, v)
        loss, slope, H = loss + some[0], slope + some[1], H + some[2]
    return loss, slope, H
