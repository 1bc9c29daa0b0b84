"""How many rules, and how strong a ridge: by the loss of rows left out.

Of the sizes whose loss is not higher than the best by more than one standard error of the difference, the
smallest; if the user has said how many rules there may be, the best of these sizes.
The scores of these rows also calibrate: weights that were fitted after a selection are too sure of
themselves, and are multiplied by the slope of a logistic unit over the scores (Platt, "Probabilistic Outputs
for Support Vector Machines", 1999), kept near 1 where rows are few.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from .calibration import Calibration, calibrate
from .coded_training import CodedTraining
from .rows_alike import RowsAlike, rows_alike
from .rule_path import PathScope, RuleSequence

TIE = 1e-12


class SizeChoice(NamedTuple):
    """What cross-validation says."""

    strength: int  # its position
    size: int
    calibration: Calibration
    sizes: list[int]
    losses: Array


def choose_size(
    training: CodedTraining,
    signs: Array,
    folds: list[RuleSequence],
    tests: list[Array],
    scope: PathScope,
) -> SizeChoice:
    """Strength and size by the losses of rows left out, and how to calibrate the scores of that choice."""
    sizes = scope.sizes
    pairs = zip(folds, tests, strict=True)
    judged = [_judged(training, fold, test, signs, sizes) for fold, test in pairs]
    scores = np.concatenate([own for own, _ in judged], 2)
    y, p = (np.concatenate([alike[part] for _, alike in judged]) for part in (1, 2))
    losses = np.logaddexp(0.0, -y * scores)
    means = losses @ p / p.sum()
    strength, size = simplest(losses, means, p, scope.errors)
    calibration = calibrate(scores[strength, size], y, p) if sizes[size] else Calibration()
    return SizeChoice(strength, sizes[size], calibration, sizes, means.min(axis=0))


def simplest(losses: Array, means: Array, p: Array, errors: float = 1.0) -> tuple[int, int]:
    """The smallest size whose loss is within some standard errors of the lowest, and the strength of the
    lowest loss there. The error is that of the mean difference, row by row."""
    best, cells = best_cells(means)
    differences = (losses[one] - losses[best] for one in cells)
    pairs = ((one, float(one @ p / p.sum())) for one in differences)
    spreads = ((mean, float(p @ (one - mean) ** 2)) for one, mean in pairs)
    return first_within(cells, spreads, p.sum(), errors)


Cell = tuple[int, int]  # strength and size, by their positions


def best_cells(means: Array) -> tuple[Cell, list[Cell]]:
    """The lowest mean loss, and the lowest of each size."""
    best = np.unravel_index(int(means.argmin()), means.shape)
    cells = [(int(means[:, size].argmin()), size) for size in range(means.shape[1])]
    return (int(best[0]), int(best[1])), cells


def first_within(
    cells: list[Cell], spreads: Iterable[tuple[float, float]], total: Any, errors: float
) -> Cell:
    """The first of these cells that is within some standard errors of the best; of each, the mean difference
    and Σ weight·(difference − mean)²."""
    for cell, (mean, squares) in zip(cells, spreads, strict=True):
        if mean <= errors * float(np.sqrt(squares)) / float(total) + TIE:
            return cell
    raise AssertionError("the best is within its own error")


def _judged(
    training: CodedTraining, sequence: RuleSequence, rows: Array, signs: Array, sizes: list[int]
) -> tuple[Array, RowsAlike]:
    """The scores of these rows, strengths × sizes × rows; of rows that are alike, one."""
    held = (training.holding(places)[rows] for places in sequence.places)
    alike = rows_alike(held, signs[rows], training.weights[rows])
    return sequence.weights[:, [sequence.at(size) for size in sizes]] @ alike.X, alike
