"""Which literals the cells of a column make true, in codes: one small number per cell."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .columns import Entries
from .held import Names
from .rows import Array
from .thresholds import Numbers


class Coded(NamedTuple):
    """What the cells of a column make true. A code is the number of the one literal, counted from 1; where
    literals are `nested`, the number of thresholds exceeded, from the first on; 0 is none. With `rows`, cells
    in all other rows have the code `others`."""

    codes: Array
    nested: bool = False
    rows: Array | None = None
    others: int = 0

    def ones(self, weights: Array | None, total: int) -> int:
        """How many cells of the literals are 1, a row counting as often as it weighs."""
        if weights is not None and self.rows is not None:
            weights = weights[self.rows]
        counts = np.bincount(self.codes, weights, self.others + 1)
        if self.rows is not None:
            counts[self.others] += total - counts.sum()
        true = np.arange(len(counts)) if self.nested else np.arange(len(counts)) > 0
        return int(counts @ true)

    def fill(self, block: Array) -> None:
        """Write the cells of the literals into these columns of a dense array."""
        if self.rows is None:
            block[:] = self._cells(self.codes, block.shape[1])
        else:
            block[:] = self._cells(np.array([self.others]), block.shape[1])
            block[self.rows] = self._cells(self.codes, block.shape[1])

    def _cells(self, codes: Array, width: int) -> Array:
        places = np.arange(1, width + 1)
        return np.asarray(codes[:, None] >= places if self.nested else codes[:, None] == places)

    def entries(self, start: int, n_rows: int) -> Entries:
        """What is 1, where the column's literals begin at `start`: rows, places, ones."""
        codes, rows = self.codes, self.rows
        if rows is None or self.others:
            whole = np.full(n_rows, self.others, codes.dtype)
            whole[slice(None) if rows is None else rows] = codes
            codes, rows = whole, np.arange(n_rows)
        rows, codes = rows[codes > 0], codes[codes > 0].astype(np.int64)
        places = codes - 1
        if self.nested:  # a code of 3 makes literals 0, 1, 2 true
            rows, ends = np.repeat(rows, codes), np.cumsum(codes)
            places = np.arange(len(rows)) - np.repeat(ends - codes, codes)
        return rows, start + places, np.ones(len(places), np.uint8)


def encode(cells: Numbers | Names, values: Sequence[Any]) -> Coded:
    """The cells in codes, for literals with these values."""
    code = np.min_scalar_type(len(values))
    if isinstance(cells, Names):
        places = {value: place for place, value in enumerate(values, 1)}
        return Coded(np.array([places.get(name, 0) for name in cells.names], code)[cells.codes])
    codes = np.zeros(len(cells.values), code)
    for threshold in values:
        codes += cells.values > threshold  # NaN exceeds none
    return Coded(codes, True, cells.rows, sum(threshold < 0 for threshold in values))


def holds(cells: Numbers | Names, value: Any) -> Array:
    """Of which cells the literal with this value is true."""
    if isinstance(cells, Names):
        return np.array([name == value for name in cells.names], bool)[cells.codes]
    held: Array = np.full(cells.n_rows, value < 0)
    held[slice(None) if cells.rows is None else cells.rows] = cells.values > value
    return held
