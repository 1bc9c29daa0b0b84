# mypy: allow-untyped-defs, allow-untyped-calls
"""What slack costs: row i has a coordinate √r_i of its own, with the ridge r_i = 1/(C·weight_i).

A row of weight 2 costs as much as the row twice. No weights, an empty array: each row counts 1.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._types import Array
from ...compiled import inlined
from .vectors import inner

BLOCK = 8192  # rows that are looked at together


@inlined
def ridge_of(ridge, weights, i):
    """The ridge of row i, where a row of weight 1 has `ridge`."""
    return ridge / weights[i] if weights.size else ridge


@inlined
def squared_slack(ridge, weights, rows, a, k):
    """Σ r_i a_i², over the first k of these rows."""
    if not weights.size:
        return ridge * inner(a, a, 0, k)
    total = 0.0
    for s in range(k):
        total += a[s] * a[s] / weights[rows[s]]
    return ridge * total


def per_weight(values: Array, weights: Array, rows: Any) -> Array:
    """The values of these rows, each divided by its row's weight."""
    return np.asarray(values / weights[rows]) if len(weights) else values


def sum_per_weight(values: Array, weights: Array, rows: Array) -> float:
    """Σ v²/weight over these rows, half by half, as NumPy adds up the whole: the same number to the last bit,
    without another array as long as the rows."""
    if len(values) <= BLOCK:
        return float(per_weight(values * values, weights, rows).sum())
    half = len(values) // 2
    half -= half % 8
    parts = ((values[some], weights, rows[some]) for some in (slice(half), slice(half, None)))
    return sum(sum_per_weight(*part) for part in parts)


def blocks(n: int) -> Iterator[slice]:
    """Of this number of rows, some at a time."""
    return (slice(start, start + BLOCK) for start in range(0, n, BLOCK))


def times_weight(values: Array, weights: Array, rows: Any = slice(None)) -> Array:
    """The values of these rows, each times its row's weight."""
    return np.asarray(values * weights[rows]) if len(weights) else values
