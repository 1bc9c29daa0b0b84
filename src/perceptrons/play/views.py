"""The part of pattern space that is drawn."""

import numpy as np

from .._types import Array

MARGIN = 0.18  # around the rows, as a share of their spread
ALIKE = 3.0  # spreads that differ by less get one scale, so that right angles look right


def box(X: Array) -> list[float]:
    """(left, right, bottom, top) around the rows of two columns.

    >>> [round(edge, 2) for edge in box(np.array([[0.0, 0.0], [1.0, 1.0]]))]
    [-0.18, 1.18, -0.18, 1.18]
    """
    low, high = X[:, :2].min(axis=0), X[:, :2].max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    if spread.max() < ALIKE * spread.min():
        spread[:] = spread.max()
    middle, half = (low + high) / 2, spread * (0.5 + MARGIN)
    return [float(edge) for pair in zip(middle - half, middle + half, strict=True) for edge in pair]


def points(view: list[float], n: int) -> Array:
    """Of a grid, row by row from the top left, each in the middle of its cell."""
    left, right, bottom, top = view
    middles = (np.arange(n) + 0.5) / n
    x, y = np.meshgrid(left + (right - left) * middles, top - (top - bottom) * middles)
    return np.column_stack([x.ravel(), y.ravel()])
