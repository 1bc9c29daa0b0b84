"""Which rows a run leaves out, to be judged by them."""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rows.order import permuted, unsigned
from .averaged_sweep import NO_FOLD, AveragedRuns
from .conservative_sweep import WeightedSigns

FOLDS, REPEATS = 5, 2


class FoldPlan(NamedTuple):
    """How often folds are drawn, and how many there are; a single one is never left out."""

    n_repeats: int
    n_folds: int

    @staticmethod
    def of(fewest: int) -> "FoldPlan":
        """For classes of this number of rows or more. A single row cannot be left out and learned at once."""
        return FoldPlan(REPEATS, min(FOLDS, fewest)) if fewest > 1 else FoldPlan(1, 1)

    def draw(self, y: Array, rng: np.random.RandomState, before: tuple[int, int] = (0, 0)) -> Array:
        """The fold of each row, classes spread evenly, a line for each time; `before` are the numbers of rows
        of both classes that were given their folds before."""
        places = [np.flatnonzero(y < 0), np.flatnonzero(y > 0)]
        folds = np.zeros((self.n_repeats, len(y)), np.int8)
        if self.n_folds == 1:
            return folds
        for line in folds:
            for rows, first in zip(places, before, strict=True):
                line[permuted(rows, rng)] = (first + np.arange(len(rows))) % self.n_folds
        return folds


def draw_folds(y: Array, rng: np.random.RandomState) -> tuple[FoldPlan, Array]:
    """Those of all rows."""
    plan = FoldPlan.of(int(min(np.count_nonzero(y < 0), np.count_nonzero(y > 0))))
    return plan, plan.draw(y, rng)


def rows_left_out(runs: AveragedRuns, r: int, folds: Array) -> Array:
    """By run r; all rows, if it left out none."""
    return np.flatnonzero(left_out(runs, r, folds)).astype(unsigned(folds.shape[1]))


def count_left_out(runs: AveragedRuns, r: int, folds: Array) -> int:
    return int(np.count_nonzero(left_out(runs, r, folds)))


def left_out(runs: AveragedRuns, r: int, folds: Array) -> Array:
    held_out = runs.held_out[r]
    return np.asarray(folds[runs.repeats[r]] == held_out if held_out != NO_FOLD else folds[0] >= 0)


def signs_at(signs: WeightedSigns, places: Array) -> WeightedSigns:
    return WeightedSigns(signs.y[places], signs.weights[places] if len(signs.weights) else signs.weights)
