"""The epochs of `cross_validated`: over rows in memory or in batches, from the start or from a checkpoint."""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from .._types import Array
from ..compiled import Threads
from .averaged_sweep import AveragedRuns, averaged_sweep
from .saved_training import SavedTraining
from .training_parts import FitRows, RowPart

CHANGING = ("weights", "intercepts", "lags", "intercept_lags", "n_updates")  # of runs


@dataclass
class AveragedTraining:
    """What the runs have come to, and how far they are."""

    runs: AveragedRuns
    folds: Array
    along: Array  # steps, by what went wrong and by class
    n_epochs: int
    rng: np.random.RandomState
    epoch: int = 0  # epochs that are over
    counted: int = -1  # rows visited since the weights count for the average; −1: they do not yet

    def run(self, rows: FitRows, workers: Threads, saved: SavedTraining | None) -> None:
        """All epochs, or those that are left."""
        n_runs = len(self.runs.intercepts)
        ends = np.linspace(0, n_runs, min(workers.n, n_runs) + 1).astype(int)
        shares = [AveragedRuns(*(one[a:b] for one in self.runs)) for a, b in pairwise(ends)]
        if saved is not None:
            saved.resume(self)
        while self.epoch < self.n_epochs:
            before = int(self.runs.n_updates.sum())
            self.counted = max(self.counted, 0) if self.epoch >= self.n_epochs // 2 else -1
            self.pass_over(rows, shares, workers)
            self.epoch += 1
            if int(self.runs.n_updates.sum()) == before:
                break  # every row keeps the margin, in all runs: nothing would change
            if saved is not None:
                saved.pause(self)

    def pass_over(self, rows: Any, shares: list[AveragedRuns], workers: Threads) -> None:
        """An epoch."""
        for part in rows.epoch(self.rng):
            workers.map(partial(self.visit, part, part.of(self.folds)), shares)
            self.counted += len(part.order.rows) if self.counted >= 0 else 0

    def visit(self, part: RowPart, folds: Array, share: AveragedRuns) -> None:
        averaged_sweep(part.X, part.signs, part.order.rows, self.along, folds, share, self.counted)

    def averaged(self) -> AveragedRuns:
        """The runs with averages for weights; with the last weights where no row has counted."""
        runs, counted = self.runs, self.counted
        if counted <= 0:
            return runs
        return runs._replace(
            weights=runs.weights - runs.lags / counted,
            intercepts=runs.intercepts - runs.intercept_lags / counted,
        )

    @property
    def is_over(self) -> bool:
        return self.epoch == self.n_epochs

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What an epoch changes."""
        return {"epoch": self.epoch, "counted": self.counted}, {
            name: getattr(self.runs, name) for name in CHANGING
        }

    def restore(self, document: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Set it to what it was."""
        for name in CHANGING:
            getattr(self.runs, name)[...] = arrays[name]
        self.epoch, self.counted = document["epoch"], document["counted"]
