"""Weight space: the weights that are right about all rows.

A row allows one half of weight space, where its score has its sign (a score of 0 is class 0), bounded by a
plane through the origin; so what all rows allow is a cone. With two columns and an intercept the weights are
three numbers, of which the page shows the cut at the present b. Cuts at b and at 2b are the same except for
size: three of them tell all, at b = 1, 0 and −1, and the page scales. A cut is a convex polygon, or empty;
where it is unbounded it ends at the sides of a large square.
"""

import numpy as np

from .._types import Array

FAR = 1e4  # where a cut ends that has no end, in units of its scale


def cuts(X: Array, signs: Array) -> dict[str, list[list[float]]]:
    """The polygons at b = 1, 0 and −1, corner after corner; [] where no weights are right about all rows."""
    return {name: cut(X, signs, b).tolist() for name, b in (("plus", 1.0), ("zero", 0.0), ("minus", -1.0))}


def cut(X: Array, signs: Array, b: float) -> Array:
    """Corners of {w : y·(⟨w, x⟩ + b) ≥ 0 for all rows}, clipped row by row; empty if it has no inside.

    >>> cut(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, 1]), b=0.0).tolist()  # w₁ ≥ 0 and w₂ ≥ 0
    [[0.0, 0.0], [10000.0, 0.0], [10000.0, 10000.0], [0.0, 10000.0]]
    """
    if b == 0.0 and (signs[~X.any(axis=1)] > 0).any():
        return np.zeros((0, 2))  # the score of a row of zeros is 0, which is class 0 whatever w is
    far = FAR * _scale(X)
    corners = far * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for normal, offset in _half_planes(X, signs, b):
        corners = _clipped(corners, normal, offset)
    if _area(corners) <= 1e-12 * _scale(X) ** 2:
        return np.zeros((0, 2))
    return np.asarray(corners[(corners != np.roll(corners, 1, axis=0)).any(axis=1)])  # each corner once


def _scale(X: Array) -> float:
    """Of weights w where |⟨w, x⟩| is about 1."""
    largest = float(np.abs(X).max(initial=0.0))
    return max(1.0, 1.0 / largest) if largest > 0.0 else 1.0


def _half_planes(X: Array, signs: Array, b: float) -> list[tuple[Array, float]]:
    """(n, c) of ⟨n, w⟩ + c ≥ 0, of each row once."""
    planes = np.unique(np.column_stack([X * signs[:, None], b * signs]), axis=0)
    return [(plane[:2], float(plane[2])) for plane in planes]


def _clipped(corners: Array, normal: Array, offset: float) -> Array:
    """What of a convex polygon lies in ⟨n, w⟩ + c ≥ 0 (Sutherland and Hodgman)."""
    reach = corners @ normal + offset
    if (reach >= 0.0).all():
        return corners
    kept: list[Array] = []
    for k in range(len(corners)):
        before, here = reach[k - 1], reach[k]
        if (before >= 0.0) != (here >= 0.0):
            kept.append(corners[k - 1] + (corners[k] - corners[k - 1]) * (before / (before - here)))
        if here >= 0.0:
            kept.append(corners[k])
    return np.array(kept).reshape(-1, 2)


def _area(corners: Array) -> float:
    if len(corners) < 3:
        return 0.0
    x, y = corners.T
    return abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1))) / 2
