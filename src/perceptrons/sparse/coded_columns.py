# mypy: allow-untyped-defs, allow-untyped-calls
"""The columns of a training set as codes, and what single literals and pairs gain, by histograms.

A cell's code tells which literals of its column it makes true: of nested thresholds the first c, otherwise
the one with the number c, from 1; 0 is none. So a histogram of numbers r over a column's codes tells Σ r over
the rows of each of its literals, and one over the codes of two columns tells it for each of their pairs: the
cost hardly depends on how many thresholds there are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._types import Array
from ..compiled import compiled, inlined
from ..rows.layouts import dot
from ..tables.literal_cells import LiteralCodes


class CodedColumns(NamedTuple):
    """Some columns of a training set."""

    codes: Array  # a row per column
    nested: Array  # whether a column's literals are thresholds
    starts: Array  # the place of a column's first literal
    widths: Array  # the number of its literals
    signs: Array  # of the weights of rules about the column: +1 or −1, or 0 if they may have either
    required: Array  # whether it must have a rule

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    def in_rows(self, rows: Array) -> "CodedColumns":
        return self._replace(codes=self.codes.take(rows, axis=1))

    def some(self, columns: Array) -> "CodedColumns":
        return CodedColumns(*(part[columns] for part in self))

    def coarse(self, most: int) -> "CodedColumns":
        """Nested columns with a limited number of their literals, evenly spread; codes count those."""
        codes = self.codes.copy()
        for j in np.flatnonzero(self.nested & (self.widths > most)).tolist():
            codes[j] = self.kept(j, most).searchsorted(self.codes[j], side="left")
        widths = np.where(self.nested, np.minimum(self.widths, most), self.widths)
        return self._replace(codes=codes, widths=widths)

    def kept(self, j: int, most: int) -> Array:
        """Which literals of a column `coarse` keeps."""
        width = int(self.widths[j])
        if not self.nested[j] or width <= most:
            return np.arange(width)
        return ((np.arange(most) + 0.5) * width / most).astype(np.int64)

    def column(self, places: Sequence[int]) -> Array:
        """In which rows a conjunction of these literals holds: 0 and 1. Of two thresholds of a column, the
        second is the end of an interval."""
        held, last = np.ones(self.n_rows, np.bool_), -1
        for place in places:
            j = self.owner(place)
            number = place - int(self.starts[j]) + 1
            if not self.nested[j]:
                held &= self.codes[j] == number
            else:
                held &= self.codes[j] < number if j == last else self.codes[j] >= number
            last = j
        return held.view(np.uint8)

    def owner(self, place: int) -> int:
        """The column of a literal."""
        return int(self.starts.searchsorted(place, side="right")) - 1


class ColumnSource(Protocol):
    """Columns that are coded where they are looked at."""

    def in_rows(self, rows: Array) -> CodedColumns: ...

    def column(self, places: Sequence[int]) -> Array: ...


def dense(codes: LiteralCodes, n_rows: int) -> Array:
    """The codes of a column in all rows."""
    if codes.rows is None:
        return codes.codes
    whole = np.full(n_rows, codes.others, np.uint16)
    whole[codes.rows.numbers()] = codes.codes
    return whole


def coded_columns(
    codes: list[LiteralCodes],
    attributes: Array,
    n_rows: int,
    chosen: Array,
    signs: Array | None = None,
    required: Array | None = None,
    rows: Array | None = None,
) -> CodedColumns:
    """The columns chosen, in all rows or in these; `attributes` tells the column of each literal, `signs` and
    `required` are those of all columns."""
    whole = np.empty((len(chosen), n_rows if rows is None else len(rows)), code_type(attributes, chosen))
    for k, j in enumerate(chosen.tolist()):
        whole[k] = dense(codes[j], n_rows)[slice(None) if rows is None else rows]
    return CodedColumns(
        whole,
        np.array([codes[j].nested for j in chosen]),
        *spans(attributes, chosen),
        np.zeros(len(chosen), np.int64) if signs is None else signs[chosen],
        np.zeros(len(chosen), np.bool_) if required is None else required[chosen],
    )


def code_type(attributes: Array, chosen: Array) -> type[np.unsignedinteger[Any]]:
    """In which the codes of these columns fit."""
    return np.uint8 if spans(attributes, chosen)[1].max(initial=0) < 256 else np.uint16


def spans(attributes: Array, chosen: Array) -> tuple[Array, Array]:
    """The first literal of each of these columns, and how many it has."""
    starts, ends = (np.searchsorted(attributes, chosen, side=side) for side in ("left", "right"))
    return starts.astype(np.int64), (ends - starts).astype(np.int64)


def column_gains(codes: LiteralCodes, r: Array, width: int) -> float:
    """The largest |Σ r| over the rows of a literal of one column, which may be stored sparsely."""
    return float(abs(column_sums(codes, r, width)).max(initial=0.0))


def column_sums(codes: LiteralCodes, r: Array, width: int) -> Array:
    """Σ r over the rows of each literal of one column."""
    stored = r if codes.rows is None else r[codes.rows.numbers()]
    sums = np.bincount(codes.codes, stored, width + 1)
    if codes.rows is not None:
        sums[codes.others] += r.sum() - stored.sum()
    return np.asarray((sums[::-1].cumsum()[::-1] if codes.nested else sums)[1:])


@compiled
def single_gains(codes, nested, widths, r, gains):
    """For each column, write Σ r over the rows of its literals into its row of `gains`."""
    several, size = np.empty(len(codes), np.int64), 0  # the columns of several literals
    for j in range(len(codes)):
        for c in range(widths[j] + 1):
            gains[j, c] = 0.0
        if widths[j] == 1:
            gains[j, 1] = dot(codes, j, r)
        else:
            several[size] = j
            size += 1
    for k in range(0, size - size % 4, 4):
        add_four(codes, several, k, r, gains)
    for k in range(size - size % 4, size):
        row, cells = gains[several[k]], codes[several[k]]
        for i in range(r.size):
            row[cells[i]] += r[i]
    for k in range(size):
        j = several[k]
        if nested[j]:
            for c in range(widths[j] - 1, -1, -1):
                gains[j, c] += gains[j, c + 1]


@inlined
def add_four(codes, columns, k, r, gains):
    """The sums of four columns side by side: those of one would wait for each other where neighbors are
    alike."""
    a, b, c, d = columns[k], columns[k + 1], columns[k + 2], columns[k + 3]
    row_a, row_b, row_c, row_d = gains[a], gains[b], gains[c], gains[d]
    cells_a, cells_b, cells_c, cells_d = codes[a], codes[b], codes[c], codes[d]
    for i in range(r.size):
        row_a[cells_a[i]] += r[i]
        row_b[cells_b[i]] += r[i]
        row_c[cells_c[i]] += r[i]
        row_d[cells_d[i]] += r[i]


@compiled
def interval_gains(codes, widths, columns, r, best, places):
    """For each of these nested columns, the largest and the smallest Σ r over the rows of an interval between
    two of its thresholds; `places` are those, counted from 0. Columns of fewer than two have none."""
    most = 0
    for j in range(widths.size):
        most = max(most, widths[j] + 1)
    sums = np.empty(most)
    for k in range(columns.size):
        j = columns[k]
        cells, width = codes[j], widths[j]
        for c in range(width + 1):
            sums[c] = 0.0
        for i in range(cells.size):
            sums[cells[i]] += r[i]
        best[k, 0], best[k, 1] = 0.0, 0.0
        for side in range(2):
            sign, total, start = 1.0 - 2.0 * side, 0.0, 1
            for c in range(1, width):  # the best sum that ends here
                if total <= 0.0:
                    total, start = 0.0, c
                total += sign * sums[c]
                if total > abs(best[k, side]):
                    best[k, side], places[k, side, 0], places[k, side, 1] = sign * total, start - 1, c


@compiled
def pair_gains(codes, nested, widths, r, pairs, best, places):
    """For each pair of columns, the largest and the smallest Σ r over the rows in which a literal of each
    holds; `places` are those literals, counted from 0."""
    n, most = codes.shape[1], 0
    for width in widths:
        most = max(most, width + 1)
    sums, inside, last = np.empty((most, most)), np.empty(n), -1
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        if widths[a] == 1 and widths[b] == 1:
            if a != last:
                last = a
                for i in range(n):
                    inside[i] = codes[a, i] * r[i]
            total = dot(codes, b, inside)
            best[k, 0], best[k, 1] = max(total, 0.0), min(total, 0.0)
            places[k, 0, 0] = places[k, 0, 1] = places[k, 1, 0] = places[k, 1, 1] = 0
            continue
        x, y, wide, high = codes[a], codes[b], widths[a], widths[b]
        for c in range(wide + 1):
            for d in range(high + 1):
                sums[c, d] = 0.0
        for i in range(n):
            sums[x[i], y[i]] += r[i]
        if nested[a]:
            for c in range(wide - 1, 0, -1):
                for d in range(1, high + 1):
                    sums[c, d] += sums[c + 1, d]
        if nested[b]:
            for c in range(1, wide + 1):
                for d in range(high - 1, 0, -1):
                    sums[c, d] += sums[c, d + 1]
        best[k, 0], best[k, 1] = 0.0, 0.0
        for c in range(1, wide + 1):
            for d in range(1, high + 1):
                if sums[c, d] > best[k, 0]:
                    best[k, 0], places[k, 0, 0], places[k, 0, 1] = sums[c, d], c - 1, d - 1
                if sums[c, d] < best[k, 1]:
                    best[k, 1], places[k, 1, 0], places[k, 1, 1] = sums[c, d], c - 1, d - 1
