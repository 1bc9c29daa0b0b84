"""The folds of a collection, and the runs that learn from all of them but one."""

from copy import deepcopy
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from sklearn.utils import check_random_state

from .._types import Array
from ..sparse.n_stages import possible_folds
from .dealt_folds import DealingPlan
from .joint_parts import CodeSettings, FoldedCodes, FoldSums, after_drawing, class_rows, fold_sums
from .rounds import Rounds


class FoldsOnCluster(NamedTuple):
    """What each part must know of its rows, and what is known of the folds."""

    told: list[FoldedCodes]
    sums: FoldSums  # of all parts
    n_rows: list[Array]  # of each part: those of each fold

    @property
    def n_folds(self) -> int:
        return len(self.sums.n_rows)

    def total(self, fold: int) -> float:
        """What the rows of all other folds weigh."""
        settings, there = self.told[0].settings, np.arange(self.n_folds) != fold
        return float(self.sums.weights[there].sum()) / settings.factor * settings.heaviest


def deal_folds(rounds: Rounds, settings: CodeSettings, cv: int, random_state: Any) -> FoldsOnCluster:
    """As `n_stages.splits_of` of a number of folds, and with the same draws."""
    found = rounds.ask("folds", class_rows, settings)
    counts = np.array([n_rows for n_rows, _ in found])
    order = sorted(range(counts.shape[1]), key=lambda c: first_of(c, found))
    rng, n_folds = check_random_state(random_state), possible_folds(int(cv), counts.sum(axis=0))
    sizes = tuple(counts.sum(axis=0).tolist())
    plan = DealingPlan(uuid4().hex, n_folds, sizes, tuple(order), deepcopy(rng))
    before = np.cumsum(counts, axis=0) - counts
    told = [FoldedCodes(settings, plan, tuple(own)) for own in before.tolist()]
    sums: list[FoldSums] = rounds.ask_each("folds", fold_sums, [(one,) for one in told])
    if plan.is_drawn:
        rng.set_state(rounds.ask("folds", after_drawing, plan, only=[0])[0].get_state())
    else:
        rng.randint(2**31)
    whole = FoldSums(*(np.sum([one[k] for one in sums], axis=0) for k in (0, 1)))
    return FoldsOnCluster(told, whole, [one.n_rows.sum(axis=1) for one in sums])


def first_of(c: int, found: list[tuple[Array, Array]]) -> tuple[int, int]:
    """The part, and the place there, where a class first appears."""
    return next((k, int(first[c])) for k, (_, first) in enumerate(found) if first[c] >= 0)


class JointRun(NamedTuple):
    """What is learned from the rows of all folds but one, or of all, by one weight vector."""

    number: int  # of the fold left out; the last run learns from all rows
    vector: int
    n_rows: int
    total: float  # of the weights
    positive: float  # those of the class of the vector
    is_of_one_class: bool

    @property
    def mean(self) -> float:
        """Of the classes as ±1."""
        return (self.positive - (self.total - self.positive)) / self.total


def runs_over(folds: FoldsOnCluster) -> list[list[JointRun]]:
    """For each weight vector its runs."""
    n_rows, weights = folds.sums
    n_classes = n_rows.shape[1]
    found = []
    for vector in range(1 if n_classes == 2 else n_classes):
        c, own = 1 if n_classes == 2 else vector, []
        for number in range(len(n_rows) + 1):
            there = np.arange(len(n_rows)) != number
            n_each, p = n_rows[there].sum(axis=0), weights[there].sum(axis=0)
            of_one = int(n_each[c]) in (0, int(n_each.sum()))
            own.append(JointRun(number, vector, int(n_each.sum()), float(p.sum()), float(p[c]), of_one))
        found.append(own)
    return found
