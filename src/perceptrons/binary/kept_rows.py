"""Rows kept for the threshold of more rows to come: all of them while they are few, then a fair sample.

Every row draws a key, and those with the smallest keys are kept. So the sample does not depend on how a
stream was cut into batches, and that of two streams is made of their samples.

Rows that a model is judged by: cells, which rows are positive, and what each counts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rows.bits import Bits
from ..rows.packing import Flips, stacked
from .packed_perceptron import PackedPerceptron


class Rows(NamedTuple):
    cells: Bits | Flips
    positive: Array
    weights: Array | None  # None: each row counts 1

    def errors(self, model: PackedPerceptron) -> int | float:
        """The weight of the rows that it gets wrong."""
        wrong = (model.scores(self.cells) > model.threshold) != self.positive
        return int(np.count_nonzero(wrong)) if self.weights is None else self.weights[wrong].sum().item()


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
