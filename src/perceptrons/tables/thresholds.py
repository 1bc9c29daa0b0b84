"""The numbers at which a numeric column is cut: literals x > t.

Jackson and Craven ("Learning Sparse Perceptrons", section 3.3) take discrete features alone and leave numbers
to future work. Here t is a weighted quantile of the training column, by the inverse of the cumulative
distribution: a number of the column, never one between two, so that a row of weight 2 is two rows. Where that
number is long, t is a shorter one before the next value, which no row tells from it.
"""

import math
from decimal import ROUND_CEILING, Decimal
from typing import NamedTuple

import numpy as np

from .._types import Array

EXACT = 52  # bits: sums of integers that fit are exact, in float64 too
SHORT = 6  # digits that a person reads


class Numbers(NamedTuple):
    """The cells of a numeric column: float64, NaN where missing. With `rows`, 0 stands in all others."""

    values: Array
    n_rows: int
    rows: Array | None = None


def whole_weights(weights: Array, n_thresholds: int) -> Array | None:
    """The weights in integers, up to a factor and rounding; None if they are all the same.

    Integers add up to the same sum in any order, so neither the order of the rows nor their layout can move
    a threshold. The factor is a power of two: weights that are integers keep their ratios exactly.
    """
    if (weights == weights[:1]).all():
        return None
    small = np.ldexp(weights.astype(np.float64), -np.frexp(weights.max())[1])
    bits = math.frexp(math.fsum(small) * (n_thresholds + 1))[1]
    whole: Array = np.rint(np.ldexp(small, EXACT - bits)).astype(np.int64)
    return whole


def thresholds(numbers: Numbers, weights: Array | None, n_thresholds: int) -> list[float]:
    """The values v at which the weight of all values <= v reaches i/(n_thresholds + 1) of the whole, for
    i = 1, ..., n_thresholds: each once, and not the maximum, which no value exceeds; if all are, the value
    before it, lest the column be lost."""
    values, weights = _present(*_with_zeros(numbers, weights))
    if weights is None:
        values = np.sort(values)
    else:
        order = np.argsort(values)
        values, weights = values[order], weights[order]
    last = np.flatnonzero(values[1:] != values[:-1])  # where each value but the maximum ends
    below = last + 1 if weights is None else np.cumsum(weights)[last]
    total = len(values) if weights is None else max(1, int(weights.sum()))
    reached = np.append(0, below * (n_thresholds + 1) // total)  # the number of quantiles <= this value
    chosen = last[reached[1:] > reached[:-1]]
    if not len(chosen):
        chosen = last[-1:]
    pairs = zip(values[chosen].tolist(), values[chosen + 1].tolist(), strict=True)
    return [readable(value, following) + 0.0 for value, following in pairs]  # + 0.0: no -0.0


def _with_zeros(numbers: Numbers, weights: Array | None) -> tuple[Array, Array | None]:
    """Values and weights; one 0 stands for all that are not stored."""
    values, n_rows, rows = numbers
    if rows is None:
        return values, weights
    if weights is None:
        stored, others = np.ones(len(rows), np.int64), n_rows - len(rows)
        if len(rows) and values.min() == values.max():  # as where columns are zeros and ones: no need to sort
            values, stored = values[:1], np.array([len(rows)])
    else:
        stored = weights[rows]
        others = int(weights.sum() - stored.sum())
    if len(rows) == n_rows:
        return values, stored
    return np.append(values, 0.0), np.append(stored, others)


def _present(values: Array, weights: Array | None) -> tuple[Array, Array | None]:
    here = ~np.isnan(values)
    if here.all():
        return values, weights
    return values[here], None if weights is None else weights[here]


def readable(value: float, following: float) -> float:
    """The value, or if it is long, the first number of fewer digits from it up to the next value."""
    if spelled(value) == f"{value:.{SHORT}g}":
        return value
    exact = Decimal(value)
    for digits in range(3, 17):
        place = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        short = float(exact.quantize(place, ROUND_CEILING))
        if value <= short < following:
            return short
    return value


def spelled(threshold: float) -> str:
    """The shortest of three texts that say the number, be it one of 64 bits or of 32."""
    texts = [f"{threshold:.{digits}g}" for digits in (SHORT, 9, 17)]
    with np.errstate(over="ignore"):
        return next(text for text in texts if threshold in (float(text), float(np.float32(text))))
