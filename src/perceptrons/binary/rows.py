"""Rows that a model is judged by: cells, which rows are positive, and what each counts."""

from typing import NamedTuple

import numpy as np

from ..data.bits import Bits
from ..data.flips import Flips
from ..data.rows import Array
from .packed import PackedPerceptron


class Rows(NamedTuple):
    cells: Bits | Flips
    positive: Array
    weights: Array | None  # None: each row counts 1

    def errors(self, model: PackedPerceptron) -> int | float:
        """The weight of the rows that it gets wrong."""
        wrong = (model.scores(self.cells) > model.threshold) != self.positive
        return int(np.count_nonzero(wrong)) if self.weights is None else self.weights[wrong].sum().item()
