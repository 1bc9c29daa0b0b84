"""The rows of a fit, as training sees them: parts that follow one another.

In memory there is one part. In a stream each batch is one (`streamed_parts`): what learns from them is the
same, and the state of the runs, which know no parts, is all that stays between them.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._types import Array
from ..compiled import Threads
from ..rejection.costs import Prices
from ..rows.encode import Encoded
from ..rows.order import Order, given, in_order, shuffled
from ..rows.scores import scores_with_true_signs
from ..rows.standardized import StandardizedRows, standardized
from .assessed_parts import Share
from .averaged_sweep import AveragedRuns, judge
from .conservative_parameters import CYCLIC, ConservativeParameters
from .conservative_sweep import CplrRuns, WeightedSigns, assess, largest_scores
from .folds import FoldPlan, count_left_out, draw_folds, rows_left_out, signs_at
from .scored_rows import Scored, ScoredRows

NO_ORDER = in_order(np.zeros(0, np.uint32))


class RowPart(NamedTuple):
    """Some of the rows."""

    X: Any  # as compiled code sees them
    signs: WeightedSigns
    spans: list[slice]  # where they stand among all rows
    order: Order  # in which they are visited
    rows: Any  # not standardized

    def of(self, lines: Array) -> Array:
        """What lines that are as long as all rows say of these."""
        if lines.shape[1] == len(self.signs.y):
            return lines
        return np.concatenate([lines[:, span] for span in self.spans], axis=1)


class FitRows(Protocol):
    """All rows of a fit, wherever they are."""

    n_columns: int
    norm: float  # of a usual row
    kind: Any  # rows like these, which tell how weights are kept

    def draw_folds(self, rng: np.random.RandomState) -> tuple[FoldPlan, Array]:
        """Which rows are left out together; the folds of those that are not here are drawn where they are."""

    def largest(self, runs: CplrRuns) -> Array:
        """The largest |score| in each run."""

    def left_out(
        self, runs: AveragedRuns, judging: range, norms: Array, folds: Array, prices: Prices
    ) -> Scored:
        """What each of these runs says of the rows it left out, one run after the other."""

    def scored(self, coef: Array, intercept: float, prices: Prices) -> Scored:
        """All rows by a model, as `decision_function` scores them."""

    def assess(
        self, prices: Prices, batch: bool, symmetric: bool, shares: Sequence[Share], workers: Threads
    ) -> None:
        """How the runs do on all rows, after a pass; correct their bands, if this is done once per pass."""


class RowParts(FitRows, Protocol):
    """Rows that come in parts, one after the other."""

    signs: WeightedSigns  # of all rows

    def epoch(self, rng: np.random.RandomState) -> Iterator[RowPart]:
        """The parts, in the order of an epoch."""

    def parts(self) -> Iterator[RowPart]:
        """The parts as they stand."""

    def scores(self, coef: Array, intercept: float) -> Array:
        """Of all rows."""

    def draw_folds(self, rng: np.random.RandomState) -> tuple[FoldPlan, Array]:
        return draw_folds(self.signs.y, rng)

    def largest(self, runs: CplrRuns) -> Array:
        each = [largest_scores(part.X, len(part.signs.y), runs) for part in self.parts()]
        return np.asarray(np.max(each, axis=0))

    def left_out(
        self, runs: AveragedRuns, judging: range, norms: Array, folds: Array, prices: Prices
    ) -> Scored:
        sizes = [count_left_out(runs, r, folds) for r in judging]
        judged, ends = np.empty(sum(sizes)), np.cumsum([0, *sizes])[:-1]
        for part in self.parts():
            own = part.of(folds)
            for k, r in enumerate(judging):
                places = rows_left_out(runs, r, own)
                judge(part.X, runs, r, norms[r], places, judged[ends[k] : ends[k] + len(places)])
                ends[k] += len(places)
        places = np.concatenate([rows_left_out(runs, r, folds) for r in judging])
        return ScoredRows(judged, signs_at(self.signs, places), prices)

    def scored(self, coef: Array, intercept: float, prices: Prices) -> Scored:
        return ScoredRows(self.scores(coef, intercept), self.signs, prices)


class WholeRows(RowParts):
    """Rows in memory: one part."""

    def __init__(self, data: Encoded, signs: WeightedSigns, parameters: ConservativeParameters) -> None:
        self.data, self.signs, self.cyclic = data, signs, parameters.order == CYCLIC
        self.kind: Any = data.X
        if parameters.standardize:
            self.kind = standardized(data.matrix, data.X, signs.weights)
        self.n_columns, self.norm = data.matrix.shape[1], data.norms.median()
        self.room: list[Array] = []

    def epoch(self, rng: np.random.RandomState) -> Iterator[RowPart]:
        n_rows = len(self.signs.y)
        yield self._part(in_order(given(n_rows)) if self.cyclic else shuffled(n_rows, rng))

    def parts(self) -> Iterator[RowPart]:
        yield self._part(NO_ORDER)

    def _part(self, order: Order) -> RowPart:
        return RowPart(self.kind, self.signs, [slice(0, len(self.signs.y))], order, self.data.X)

    def assess(
        self, prices: Prices, batch: bool, symmetric: bool, shares: Sequence[Share], workers: Threads
    ) -> None:
        n_rows = len(self.signs.y)
        self.room = self.room or [np.empty(n_rows) for _ in shares]  # for the scores of a run
        tasks = zip(shares, self.room, strict=True)
        workers.map(partial(_assess, self.kind, self.signs, prices, batch, symmetric), tasks)

    def scores(self, coef: Array, intercept: float) -> Array:
        return scores_with_true_signs(self.data.matrix, coef, intercept)


def _assess(
    X: Any, signs: WeightedSigns, prices: Prices, batch: bool, symmetric: bool, task: tuple[Share, Array]
) -> None:
    (runs, found), scores = task
    assess(X, signs, prices, batch, symmetric, runs, scores, found)


def usual_square(rows: FitRows) -> float:
    """The squared norm of a usual row, the intercept's coordinate included."""
    if isinstance(rows.kind, StandardizedRows):  # on average 1 for each column that is not constant
        return float(np.count_nonzero(rows.kind.gains)) + 1.0
    return rows.norm**2 + 1.0
