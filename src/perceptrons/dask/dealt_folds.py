"""The folds of all rows, as `StratifiedKFold` draws them in memory: each part finds those of its own rows.

It deals out the folds to the rows of each class in the order in which they come, class after class as these
first appear. So a part needs how many rows of each class come before it, and the generator, from which it
draws again what all rows were dealt: a byte for each row of the collection, for a moment. Of very many rows
(more than `MOST_DRAWN`) each has a fold of its own, drawn by its number, and classes are divided about as
evenly.
"""

from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np

from .._types import Array

MOST_DRAWN = 2**27
BLOCK = 65_536  # rows whose folds are drawn at a time, if there are very many


class DealingPlan(NamedTuple):
    """What must be known to draw the folds."""

    key: str
    n_folds: int
    n_rows: tuple[int, ...]  # of each class
    order: tuple[int, ...]  # the classes, as they first appear
    rng: Any  # as it is before it draws

    @property
    def is_drawn(self) -> bool:
        return sum(self.n_rows) <= MOST_DRAWN


class DealtFolds(NamedTuple):
    """The folds of the rows of each class, and the generator after they were drawn."""

    folds: dict[int, Array]
    rng: Any


_DEALT: dict[str, DealtFolds] = {}  # of the last plan: parts of one worker draw once


def dealt(plan: DealingPlan) -> DealtFolds:
    """Drawn once; another thread may forget it meanwhile."""
    found = _DEALT.get(plan.key)
    if found is None:
        found = deal(plan)
        _DEALT.clear()
        _DEALT[plan.key] = found
    return found


def forget_dealt() -> None:
    """Parts have what they need."""
    _DEALT.clear()


def deal(plan: DealingPlan) -> DealtFolds:
    """As `StratifiedKFold(n_folds, shuffle=True)`, which deals out folds to all rows sorted by class, one
    after the other, and shuffles those of each class."""
    rng, folds, start = deepcopy(plan.rng), {}, 0
    for c in plan.order:
        whole, rest = divmod(plan.n_rows[c], plan.n_folds)
        turns = np.arange(start, start + rest) % plan.n_folds
        each = np.full(plan.n_folds, whole) + np.bincount(turns, minlength=plan.n_folds)
        folds[c] = np.arange(plan.n_folds, dtype=np.uint8 if plan.n_folds < 256 else np.int64).repeat(each)
        rng.shuffle(folds[c])
        start += plan.n_rows[c]
    return DealtFolds(folds, rng)


def folds_of_rows(plan: DealingPlan, codes: Array, before: tuple[int, ...]) -> Array:
    """The fold of each row of a part; `before` are the rows of each class that come before it."""
    if not plan.is_drawn:
        return folds_by_number(plan, sum(before), len(codes))
    found = np.empty(len(codes), np.int64)
    for c, folds in dealt(plan).folds.items():
        own = codes == c
        found[own] = folds[before[c] : before[c] + np.count_nonzero(own)]
    return found


def folds_by_number(plan: DealingPlan, first: int, n_rows: int) -> Array:
    """The folds of rows by their numbers, the first of which is given."""
    seed, start = int(deepcopy(plan.rng).randint(2**31)), first // BLOCK * BLOCK
    blocks = range(start // BLOCK, -(-(first + n_rows) // BLOCK))
    drawn = [np.random.default_rng([seed, k]).integers(plan.n_folds, size=BLOCK) for k in blocks]
    return np.concatenate([*drawn, np.zeros(0, np.int64)])[first - start : first - start + n_rows]
