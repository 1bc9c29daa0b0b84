"""Rows kept for the threshold of more rows to come: all of them while they are few, then a fair sample.

Every row draws a key, and those with the smallest keys are kept. So the sample does not depend on how a
stream was cut into batches, and that of two streams is made of their samples.
"""

from dataclasses import dataclass

import numpy as np

from ..data.flips import stacked
from ..data.rows import Array
from .rows import Rows

CAPACITY = 65_536  # rows


@dataclass(frozen=True, eq=False)
class Reservoir:
    rows: Rows
    keys: Array

    def __add__(self, other: "Reservoir") -> "Reservoir":
        mine, its = self.rows, other.rows
        cells, positive = stacked(mine.cells, its.cells), np.append(mine.positive, its.positive)
        rows = Rows(cells, positive, np.append(_weights(mine), _weights(its)))
        return sample(rows, np.append(self.keys, other.keys))


def sample(rows: Rows, keys: Array) -> Reservoir:
    """No more rows than there is room for, in the order they came."""
    if len(keys) <= CAPACITY:
        return Reservoir(rows, keys)
    few = np.sort(np.argpartition(keys, CAPACITY - 1)[:CAPACITY])
    weights = None if rows.weights is None else rows.weights[few]
    return Reservoir(Rows(rows.cells.take(few), rows.positive[few], weights), keys[few])


def _weights(rows: Rows) -> Array:
    return np.ones(len(rows.positive), np.int64) if rows.weights is None else rows.weights
