"""How many rules, as in `size_choice`, by sums over the rows left out, which may be in several places.

Each place keeps the patterns of its rows; what it adds up of their losses and scores is as large as the table
of strengths and sizes.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, Protocol

import numpy as np

from .._types import Array
from .calibration import Calibration, calibrate_by, slope_and_curvature
from .rows_alike import RowPatterns
from .size_choice import Cell, SizeChoice, best_cells, first_within
from .summed_rules import BLOCK


class LeftOutRows(Protocol):
    """The rows that a fold was not learned from."""

    def sums(self, question: Callable[..., tuple[Any, ...]], *told: Any) -> tuple[Any, ...]:
        """What a question says of all of these rows, added up: it is asked with their patterns, and with the
        weights of the fold's models."""


def choose_by_sums(
    folds: Sequence[LeftOutRows], sizes: list[int], errors: float, each: Callable[..., Iterable[Any]] = map
) -> SizeChoice:
    """As `choose_size`; `each` asks all folds, in their order."""

    def ask(question: Callable[..., tuple[Any, ...]], *told: Any) -> tuple[Any, ...]:
        return added([*each(lambda one: one.sums(question, *told), folds)])

    losses, total = ask(sum_losses)
    means = losses / total
    best, cells = best_cells(means)
    differences = [float(means[cell] - means[best]) for cell in cells]
    (squares,) = ask(sum_squares, best, cells, differences)
    spreads = zip(differences, squares.tolist(), strict=True)
    chosen = strength, size = first_within(cells, spreads, total, errors)
    calibration = Calibration()
    if sizes[size]:
        (scores,) = ask(sum_scores, chosen)
        calibration = calibrate_by(lambda v: ask(slopes, chosen, v)[:2], scores / total)
    return SizeChoice(strength, sizes[size], calibration, sizes, means.min(axis=0))


def added(parts: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The sums of what several places have added up."""
    return reduce(lambda one, other: tuple(a + b for a, b in zip(one, other, strict=True)), parts)


# --- questions: patterns, and weights by strength and size ---


def sum_losses(patterns: RowPatterns, weights: Array) -> tuple[Array, float]:
    """Σ p·loss of each model, and Σ p."""
    losses, total = np.zeros(weights.shape[:2]), 0.0
    for X, y, p in patterns.blocks(BLOCK):
        losses += np.logaddexp(0.0, -y * (weights @ X)) @ p
        total += float(p.sum())
    return losses, total


def sum_squares(
    patterns: RowPatterns, weights: Array, best: Cell, cells: list[Cell], differences: list[float]
) -> tuple[Array]:
    """Σ p·(loss − that of the best − the mean difference)² of some models."""
    squares = np.zeros(len(cells))
    for X, y, p in patterns.blocks(BLOCK):
        lowest = np.logaddexp(0.0, -y * (weights[best] @ X))
        for k, (cell, mean) in enumerate(zip(cells, differences, strict=True)):
            squares[k] += p @ (np.logaddexp(0.0, -y * (weights[cell] @ X)) - lowest - mean) ** 2
    return (squares,)


def sum_scores(patterns: RowPatterns, weights: Array, cell: Cell) -> tuple[float]:
    """Σ p·score²."""
    return (sum(float(p @ (weights[cell] @ X) ** 2) for X, _, p in patterns.blocks(BLOCK)),)


def slopes(patterns: RowPatterns, weights: Array, cell: Cell, v: Array) -> tuple[Array, Array]:
    """`slope_and_curvature` of the scores."""
    g, H = np.zeros(2), np.zeros((2, 2))
    for X, y, p in patterns.blocks(BLOCK):
        some = slope_and_curvature(weights[cell] @ X, y, p, v)
        g, H = g + some[0], H + some[1]
    return g, H
