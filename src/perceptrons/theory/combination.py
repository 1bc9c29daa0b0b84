"""The mean of a few points of a set, each taken a whole number of times: what a perceptron leaves behind."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Array
from .certificate import confirm, lifted_norm
from .convex import Body, Hull

RANDOM_DIRECTIONS = 8


@dataclass(frozen=True, eq=False)
class Combination:
    """Points of a convex set and how often each was used.

    Attributes
    ----------
    points : array
        The points, one per row.
    times : array of int
        How often each point was used, at least once.
    rows : array of int or None
        The positions of the points in the user's array; None for a set behind an oracle.

    Examples
    --------
    >>> from perceptrons.theory import separate
    >>> used = separate([[0.0, 0.0], [0.0, 2.0]], [[4.0, 0.0]], eps=1).of_K
    >>> used.points.tolist(), used.times.tolist(), used.rows.tolist()
    ([[0.0, 0.0]], [1], [0])
    """

    points: Array
    times: Array
    rows: Array | None

    @staticmethod
    def of(side: Hull | Body, used: Counter[Any]) -> "Combination":
        times = np.array(list(used.values()), np.int64)
        rows = np.array(list(used), np.int64) if isinstance(side, Hull) else None
        return Combination(np.array([side.point(key) for key in used]), times, rows)

    @property
    def weights(self) -> Array:
        """The share of each point: ≥ 0, of sum 1."""
        return np.asarray(self.times / self.times.sum())

    def mean(self) -> Array:
        """Σ weights·points; computed from the first point, which keeps digits far from the origin."""
        return np.asarray(self.points[0] + self.weights @ (self.points - self.points[0]))

    def total(self, center: Array) -> Array:
        """Σ times·(points − center)."""
        return np.asarray(self.times @ (self.points - center))

    def verify(self, side: Hull | Body, name: str) -> int:
        """Raise a ValueError unless these are points of the set; return how many, with multiplicity."""
        points, times = self.points, np.asarray(self.times)
        shape = (len(times), len(side.center))
        confirm(points.shape == shape and len(times) > 0, f"the points of {name} have shape {points.shape}")
        confirm(
            times.dtype.kind in "iu" and times.min() > 0, f"the times of {name} are not whole and positive"
        )
        confirm(
            (self.rows is None) == isinstance(side, Body), f"rows of {name} are for point sets, and needed"
        )
        if isinstance(side, Body):
            _within(side, points, name)
        else:
            rows = np.asarray(self.rows)
            confirm(
                rows.dtype.kind in "iu" and rows.shape == times.shape, f"rows of {name}: not one per point"
            )
            confirm(rows.min() >= 0 and rows.max() < len(side.V), f"a row of {name} does not exist")
            confirm(len(np.unique(rows)) == len(rows), f"a row of {name} is named twice")
            confirm(np.array_equal(side.V[rows], points), f"the points of {name} are not its rows")
        return int(times.sum())


def _within(side: Body, points: Array, name: str) -> None:
    """No point lies below the set's lowest, along ± each axis, at random, and on its own way to the center.

    That last direction is decisive for a ball."""
    n = len(side.center)
    confirm(bool(np.isfinite(points).all()), f"a point of {name} is not finite")
    slack = 1e-9 * (side.radius + float(np.abs(side.center).max()))

    def hold_along(u: Array, some: Array) -> None:
        lowest = float(u @ side.lowest(u)[0])
        confirm(bool((some @ u >= lowest - slack).all()), f"a point of {name} lies outside of it")

    random = np.random.default_rng(0).standard_normal((RANDOM_DIRECTIONS, n))
    for u in np.vstack([-np.eye(n), np.eye(n), random]):
        hold_along(u / lifted_norm(u), points)
    for point in points:
        inward = side.center - point
        if inward.any():
            hold_along(inward / lifted_norm(inward), point[None])
