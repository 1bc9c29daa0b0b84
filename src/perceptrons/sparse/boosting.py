"""AdaBoost as in Figure 1 of Jackson and Craven, around the search of `conjunctions`.

Deviations: a hypothesis without error is the model, alone, with weight 1, since ln((1 − ε)/ε) is infinite; an
error within 1e-12 of one half is one half, and ends the boosting.
"""

from collections.abc import Iterator
from math import log
from typing import NamedTuple

import numpy as np

from ..data.rows import Array
from .conjunctions import Literals, PairSearch, Reweighing, SingleSearch, cover

HALF = 1e-12
NOTHING = 1e-12  # what is left of weights that cancel


class Stage(NamedTuple):
    """A weak hypothesis: sign·h, h = +1 where all of its literals hold and −1 elsewhere."""

    literals: tuple[int, ...]  # none is the constant
    sign: int
    error: float  # ε, the weight of the rows it gets wrong
    weight: float  # ln((1 − ε)/ε)


def boost(data: Literals, signs: Array, weights: Array, k: int, penalty: bool) -> Iterator[Stage]:
    """Stages without end, unless one makes no error, or none is better than chance.

    Rows of weight 0 are not learned from."""
    D = weights / weights.sum()
    search = SingleSearch(data, signs) if k == 1 else PairSearch(data, signs, D, 1 / k if penalty else 1.0)
    while True:
        found = search.best(D)
        sign = 1 if found.correlation > 0 else -1
        right = (signs == sign) == rows_of(data, found.literals)
        error = float(D[~right].sum())
        if error == 0.0:
            yield Stage(found.literals, sign, 0.0, 1.0)
            return
        if error >= 0.5 - HALF:
            return
        beta = error / (1.0 - error)
        yield Stage(found.literals, sign, error, -log(beta))
        after = np.where(right, beta * D, D)
        total = float(after.sum())
        search.follow(Reweighing(D, right, beta, total))
        D = after / total


def rows_of(data: Literals, literals: tuple[int, ...]) -> Array:
    """Where a conjunction holds."""
    covered = np.ones(data.n_rows, np.bool_)
    if literals:
        cover(data.rows, literals[0], literals[-1], covered)
    return covered


def merged(runs: list[list[Stage]]) -> tuple[list[tuple[int, ...]], Array, Array]:
    """The conjunctions, their weights (a row per vector), and those of the constant; repeats add up.

    Several vectors are compared, though one may have many stages and another a single one without error: each
    is divided by the sum of its stages' weights."""
    totals: dict[tuple[int, ...], Array] = {(): np.zeros(len(runs))}
    for vector, stages in enumerate(runs):
        alone = bool(stages) and stages[-1].error == 0.0  # without error: it is the model
        used = stages[-1:] if alone else stages
        scale = 1.0 if len(runs) == 1 else sum(stage.weight for stage in used)
        for stage in used:
            weights = totals.setdefault(stage.literals, np.zeros(len(runs)))
            weights[vector] += stage.sign * stage.weight / scale
    intercept = totals.pop(())
    kept = {one: weights for one, weights in totals.items() if (abs(weights) > NOTHING).any()}
    return list(kept), np.array([*kept.values()]).reshape(len(kept), len(runs)).T.copy(), intercept
