"""Mean and deviation of a column, and the column in those units, for numbers of any size."""

import numpy as np

from .cells import Column, as_numbers
from .rows import Array

HUGE = 1e300  # the difference of two numbers like this may overflow


def mean_and_deviation(x: Array) -> tuple[float, float]:
    """Computed from numbers brought below 1, whose squares cannot overflow, by a power of 2: nothing is lost.
    The deviation is 0 where it is no more than rounding (as scikit-learn has it)."""
    if not len(x):
        return 0.0, 0.0
    if x.min() == x.max():
        return float(x[0]), 0.0
    exponent = int(np.frexp(np.abs(x).max())[1])
    small = np.ldexp(x, -exponent)
    mean, deviation = small.mean(), small.std()
    if deviation <= len(x) * np.finfo(float).eps * abs(mean):
        deviation = 0.0
    return float(np.ldexp(mean, exponent)), float(np.ldexp(deviation, exponent))


def standardise(column: Column, mean: float, scale: float) -> Array:
    x = as_numbers(column)
    if scale == 0.0:
        return np.zeros(len(x))
    x[np.isnan(x)] = mean
    half = 0.5 if max(np.abs(x).max(), abs(mean)) > HUGE else 1.0
    with np.errstate(over="ignore"):
        values = (half * x - half * mean) / (half * scale)
    if not np.isfinite(values).all():
        far = column.values[np.flatnonzero(~np.isfinite(values))[0]]
        raise ValueError(
            f"Column {column.name!r} holds {far}, too far from the {mean:.3g} ± {scale:.3g} of the rows "
            "fitted to be standardised; mark it as missing or fit on such rows, too."
        )
    return values
