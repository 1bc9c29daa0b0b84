"""Values a little beside the true ones, for results that must not be believed."""

import numpy as np


def nudged(value):
    """Other values near a field's own."""
    if value is None:
        return [np.array([0, 1])]
    if isinstance(value, float):
        return [value * 1.01, value * 0.99, -value, np.nan]
    if value.dtype.kind == "i":
        return [value + 1 + np.arange(len(value)), value - 1, value[:-1], value * 1.0, -value - 1]
    return [value * 1.01, value + 0.01, value[:-1], value * np.nan]
