# mypy: allow-untyped-defs, allow-untyped-calls
"""`conservative_sweep.assess`, of rows that come in parts: three passes add up what one pass over all scores
finds.

The first finds the ends: how far out the last wrong row of a side is (ξ), and the least |score|. The second
counts, for the bands' step, the rows within the band or up to ξ. The third counts what the new bands cost. In
memory the scores of all rows are kept between these; sums are made in the same order, and so are the same.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import Threads, compiled
from ..rejection.costs import Prices
from ..rows.standardized import score
from .conservative_sweep import (
    NEGATIVE,
    POSITIVE,
    REJECTED,
    RIGHT,
    WRONG,
    Assessment,
    CplrRuns,
    clipped,
    direction,
    mean_cost,
    shrink_below,
    weight_of,
)


class RunSums(NamedTuple):
    """What is added up for each run."""

    wrong: Array  # rows on the wrong side
    farthest: Array  # ξ of each side; if bands are symmetric, of both in each
    least: Array  # |score| of each side
    counts: Array  # by side, answered or rejected, wrong or right, class
    costs: Array  # rejected, wrong or right, by class

    @staticmethod
    def of(n_runs: int, kind: Any) -> "RunSums":
        return RunSums(
            np.zeros(n_runs, np.int64),
            np.zeros((n_runs, 2)),
            np.full((n_runs, 2), np.inf),
            np.zeros((n_runs, 2, 2, 2, 2), kind),
            np.zeros((n_runs, 3, 2), kind),
        )

    def with_others(self, other: "RunSums") -> "RunSums":
        """Of the rows of both."""
        return RunSums(
            self.wrong + other.wrong,
            np.maximum(self.farthest, other.farthest),
            np.minimum(self.least, other.least),
            self.counts + other.counts,
            self.costs + other.costs,
        )


Share = tuple[CplrRuns, Assessment]  # some of the runs, for one thread


def assess_parts(
    parts: Callable[[], Iterator[Any]],
    kind: Any,
    prices: Prices,
    batch: bool,
    symmetric: bool,
    shares: Sequence[Share],
    workers: Threads,
) -> None:
    """Correct the bands of all runs, and find their risks; `kind` is that of the weights of rows."""
    tasks = [(*share, RunSums.of(len(share[0].intercepts), kind)) for share in shares]
    for part in parts():
        workers.map(partial(_find_ends, part, symmetric), tasks)
    if batch and any(sums.wrong.any() for _, _, sums in tasks):
        for part in parts():
            workers.map(partial(_count, part, symmetric), tasks)
    for runs, found, sums in tasks:
        found.separated[:] = sums.wrong == 0
        move_bands(runs, prices, batch, symmetric, sums)
    for part in parts():
        workers.map(partial(_add_costs, part), tasks)
    for _, found, sums in tasks:
        found.risks[:] = [mean_cost(costs, prices) for costs in sums.costs]


def _find_ends(part: Any, symmetric: bool, task: tuple[CplrRuns, Assessment, RunSums]) -> None:
    find_ends(part.X, part.signs, symmetric, task[0], task[2])


def _count(part: Any, symmetric: bool, task: tuple[CplrRuns, Assessment, RunSums]) -> None:
    count_rows_near(part.X, part.signs, symmetric, task[0], task[2])


def _add_costs(part: Any, task: tuple[CplrRuns, Assessment, RunSums]) -> None:
    add_costs(part.X, part.signs, task[0], task[2])


def move_bands(runs: CplrRuns, prices: Prices, batch: bool, symmetric: bool, sums: RunSums) -> None:
    """Those of runs that separate the rows shrink; the others take their step, if it is made once a pass."""
    for r in range(len(runs.intercepts)):
        eta, cap, bands = runs.eta_bands[r], runs.caps[r], runs.bands[r]
        if not sums.wrong[r]:
            shrink_below(sums.least[r].copy(), prices, symmetric, eta, bands)
        elif batch:
            sides = [POSITIVE, POSITIVE] if symmetric else [NEGATIVE, POSITIVE]
            bands[:] = [
                clipped(bands[side] + eta * direction(sums.counts[r, side], prices), cap) for side in sides
            ]


@compiled
def find_ends(X, signs, symmetric, runs, sums):
    """Of some of the rows."""
    y = signs.y
    for i in range(y.size):
        for r in range(len(runs.intercepts)):
            s = score(X, i, runs.weights[r]) + runs.intercepts[r]
            side, size = POSITIVE if s >= 0.0 else NEGATIVE, abs(s)
            sums.least[r, side] = min(sums.least[r, side], size)
            if (side == POSITIVE) != (y[i] > 0):
                sums.wrong[r] += 1
                for one in range(2):
                    if symmetric or one == side:
                        sums.farthest[r, one] = max(sums.farthest[r, one], size)


@compiled
def count_rows_near(X, signs, symmetric, runs, sums):
    """The rows within the band, or up to ξ; if bands are symmetric those of both sides as POSITIVE."""
    y = signs.y
    for i in range(y.size):
        label = POSITIVE if y[i] > 0 else NEGATIVE
        for r in range(len(runs.intercepts)):
            s = score(X, i, runs.weights[r]) + runs.intercepts[r]
            on, size = POSITIVE if s >= 0.0 else NEGATIVE, abs(s)
            side = POSITIVE if symmetric else on
            band = runs.bands[r, side]
            if size < band or size <= sums.farthest[r, side]:
                what, right = 1 if size < band else 0, 1 if on == label else 0
                sums.counts[r, side, what, right, label] += weight_of(signs, i)


@compiled
def add_costs(X, signs, runs, sums):
    """Which rows are rejected, wrong or right."""
    y = signs.y
    for i in range(y.size):
        label = POSITIVE if y[i] > 0 else NEGATIVE
        for r in range(len(runs.intercepts)):
            s = score(X, i, runs.weights[r]) + runs.intercepts[r]
            side = POSITIVE if s >= 0.0 else NEGATIVE
            what = WRONG if side != label else RIGHT
            what = REJECTED if abs(s) < runs.bands[r, side] else what
            sums.costs[r, what, label] += weight_of(signs, i)
