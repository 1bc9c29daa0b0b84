"""The door of the geometry: what the user passed becomes finite numbers of a scale that can be squared."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .limits import real

Array = NDArray[np.float64]

LARGEST, SMALLEST = 1e150, 1e-150  # products of two coordinates neither overflow nor vanish

MOST_STEPS = 1_000_000  # unless the user says otherwise: half a minute, not half a year


def matrix(points: Any, name: str, least: float = SMALLEST) -> Array:
    """The points as rows of a float array: at least one, finite, of a scale whose squares are numbers."""
    V = numbers(points, name, least)
    if V.ndim != 2:
        raise ValueError(
            f"{name} has {V.ndim} dimensions, but it must have 2, one row per point; "
            "use reshape(1, -1) for a single point, reshape(-1, 1) for points on a line"
        )
    return V


def vector(values: Any, name: str, least: float = SMALLEST) -> Array:
    """The values as a float array of one dimension."""
    v = numbers(values, name, least)
    if v.ndim != 1:
        raise ValueError(f"{name} has {v.ndim} dimensions, but it must have 1; use ravel()")
    return v


def numbers(values: Any, name: str, least: float = SMALLEST) -> Array:
    """A copy as floats, which later changes to the user's array do not reach; the largest from `least` on."""
    if hasattr(values, "toarray"):
        raise ValueError(f"{name} is a sparse matrix, but it must be an array; use {name}.toarray()")
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have no order")
        V = np.array(values, np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of real numbers, rows of equal length; {error}") from None
    if V.size == 0:
        raise ValueError(f"{name} has shape {V.shape}, but it must not be empty; pass at least one point")
    if not np.isfinite(V).all():
        raise ValueError(f"{name} holds {V[~np.isfinite(V)][0]}, but it must be finite; drop such rows")
    require_scale(float(np.abs(V).max()), name, least)
    return V


def require_scale(size: float, name: str, least: float = SMALLEST) -> None:
    """The largest |value| is 0, or its products with itself neither overflow nor vanish."""
    if size != 0.0 and not least <= size <= LARGEST:
        raise ValueError(
            f"{name}: the largest |value| is {size:.3g}, but it must be 0 or in [{SMALLEST}, {LARGEST}], or "
            f"products overflow or vanish; divide by {size:.3g}"
        )


def length(radius: Any) -> float:
    """A radius as a float: at least 0, and it can be squared."""
    limit, remedy = f"in [0, {LARGEST}]", "use 0 for one point"
    r = real(radius, "radius", limit, remedy)
    if not 0 <= r <= LARGEST:
        raise ValueError(f"radius = {r:.12g}, but it must be {limit}; {remedy}")
    return r


def tolerance(eps: Any, share_of: str) -> float:
    """An eps as a float: positive and finite."""
    limit, remedy = "in (0, inf)", f"use a share of the {share_of}"
    share = real(eps, "eps", limit, remedy)
    if not 0 < share < np.inf:
        raise ValueError(f"eps = {share:.12g}, but it must be {limit}; {remedy}")
    return share


def steps_allowed(max_steps: int | None, enough: float, least: int) -> int:
    """As many steps as are enough by the theorem, or fewer: what the user allows, else a million."""
    if max_steps is None:
        max_steps = MOST_STEPS
    elif not isinstance(max_steps, (int, np.integer)) or max_steps < least:
        raise ValueError(f"max_steps = {max_steps}, but it must be a whole number >= {least}; leave it out")
    return int(min(max(enough, least), max_steps))
