"""The rows by which thresholds are chosen, and the sample of them that a stream keeps.

A threshold needs more than counts: bits, which rows are positive, and what each counts. `partial_fit` keeps
all such rows while they are few, then a fair sample. Every row draws a key, and those with the smallest keys
are kept. So the sample does not depend on how a stream was cut into batches, and that of two streams is made
of their samples.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rows.bits import Bits
from ..rows.packing import CutRows, SparseBits, stack_rows
from .device_bits import DeviceBits
from .packed_perceptron import PackedPerceptron

CAPACITY = 65_536  # rows


class LabeledBits(NamedTuple):
    cells: Bits | SparseBits | CutRows | DeviceBits
    positive: Array
    weights: Array | None  # None: each row counts 1

    def errors(self, model: PackedPerceptron) -> int | float:
        """The weight of the rows that the model gets wrong."""
        wrong = (model.scores(self.cells) > model.threshold) != self.positive
        return int(np.count_nonzero(wrong)) if self.weights is None else self.weights[wrong].sum().item()

    def kept(self) -> "LabeledBits":
        """In memory of their own: a matrix may change, or go."""
        return self._replace(cells=self.cells.kept()) if isinstance(self.cells, CutRows) else self

    @property
    def here(self) -> Bits | SparseBits:
        """The cells, on the processor, in memory of their own."""
        cells = self.kept().cells
        return cells.packed() if isinstance(cells, DeviceBits) else cells  # type: ignore[return-value]

    def all_weights(self) -> Array:
        return np.ones(len(self.positive), np.int64) if self.weights is None else self.weights


@dataclass(frozen=True, eq=False)
class Reservoir:
    rows: LabeledBits
    keys: Array

    def __add__(self, other: "Reservoir") -> "Reservoir":
        mine, its = self.rows, other.rows
        cells, positive = stack_rows(mine.here, its.here), np.append(mine.positive, its.positive)
        rows = LabeledBits(cells, positive, np.append(mine.all_weights(), its.all_weights()))
        return fill_reservoir(rows, np.append(self.keys, other.keys))


def fill_reservoir(rows: LabeledBits, keys: Array) -> Reservoir:
    """No more rows than there is room for, in the order they came."""
    if len(keys) <= CAPACITY:
        return Reservoir(rows._replace(cells=rows.here), keys)
    few = np.sort(np.argpartition(keys, CAPACITY - 1)[:CAPACITY])
    weights = None if rows.weights is None else rows.weights[few]
    return Reservoir(LabeledBits(rows.cells.take(few), rows.positive[few], weights), keys[few])
