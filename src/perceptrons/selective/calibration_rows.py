"""Which rows an estimator learns from, and which calibrate what it may promise."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np

from .._types import Array
from ..checks import is_number, number

PARTS = 3  # one of so many parts of the rows calibrates


def calibration_split(cv: Any, y: Array, rng: Any) -> tuple[Array, Array]:
    """The rows to learn from and those that calibrate. Classes are not balanced: a draw is a draw."""
    n_rows, cv = len(y), PARTS if cv is None else cv
    if is_number(cv, Integral):
        number("cv", cv, "[2, inf)", "use 3", Integral)
        order, n_counted = rng.permutation(n_rows), max(round(n_rows / cv), 1)
        return np.sort(order[n_counted:]), np.sort(order[:n_counted])
    train, test = next(_splits(cv, y), (None, None))
    if train is None:
        raise ValueError(
            f"cv={cv!r}, but it must be None, an integer >= 2, a splitter, a list of (train, test), or "
            "'prefit'."
        )
    train, test = (np.arange(n_rows)[np.asarray(part)] for part in (train, test))
    if np.intersect1d(train, test).size:
        raise ValueError(
            "cv has rows that are both learned from and calibrated by, about which nothing can be promised; "
            "pass splits whose parts share no row."
        )
    return train, test


def _splits(cv: Any, y: Array) -> Iterator[Any]:
    """Pairs of rows from a splitter or a list."""
    if isinstance(cv, list | tuple):
        return iter(cv)
    return iter(cv.split(np.zeros(len(y)), y) if hasattr(cv, "split") and not isinstance(cv, str) else ())
