"""A column that is seen batch by batch: enough of it to learn what is learned from whole columns.

Up to `MOST` distinct values are kept, with how often each occurs: what follows from these, thresholds and
categories, is exactly what the whole column gives. Of more numbers, means and deviations are those of the
batches put together, and quantiles come from a sketch (`quantile_sketch`).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from .._types import Array
from .quantile_sketch import QuantileSketch
from .thresholds import Numbers, thresholds, whole_weights

MOST = 65_536  # distinct values


class TooManyValues(ValueError):
    """A column of more distinct values than can be told apart."""


@dataclass
class NumberProfile:
    """Numbers; NaN where missing."""

    name: str = "x"
    quantiles: bool = True  # will thresholds be asked for?
    n_cells: int = 0
    n_present: int = 0
    low: float = np.inf
    high: float = -np.inf
    whole: bool = True  # are all integers?
    ascending: bool = True  # does each exceed the one before?
    first: float = np.inf
    last: float = -np.inf
    values: Array | None = field(default_factory=lambda: np.zeros(0))  # distinct; None: they are too many
    counts: Array = field(default_factory=lambda: np.zeros(0))  # what the rows of each weigh
    weighted: bool = False
    parts: list[tuple[float, ...]] = field(default_factory=list)  # weight, mean, deviation of each batch;
    # with quantiles nobody asks for the last two
    sketch: QuantileSketch | None = None
    share_at_overflow: float = 0.0  # distinct values among the rows when they became too many

    def add(self, cells: Array, weights: Array | None = None) -> None:
        """More cells."""
        there = ~np.isnan(cells)
        self.n_cells += len(cells)
        if not there.all():
            cells, weights = cells[there], None if weights is None else weights[there]
        if not len(cells):
            return
        self.n_present += len(cells)
        self.weighted = self.weighted or weights is not None
        self.low, self.high = min(self.low, float(cells.min())), max(self.high, float(cells.max()))
        self.whole = self.whole and bool((cells == np.floor(cells)).all())
        self.first = self.first if self.n_present > len(cells) else float(cells[0])
        if self.ascending:
            self.ascending = bool(cells[0] > self.last and (np.diff(cells) > 0).all())
            self.last = float(cells[-1])
        each = np.ones(len(cells)) if weights is None else weights.astype(np.float64)
        self.parts.append(
            (float(each.sum()), *((0.0, 0.0) if self.quantiles else mean_and_spread(cells, each)))
        )
        if self.values is not None:
            own = np.unique(cells, return_counts=True) if weights is None else (cells, each)
            self._add_distinct(own[0], own[1], lambda: cells)
        elif self.sketch is not None:
            self._check_unweighted()
            self.sketch.add(cells)

    def _add_distinct(self, own: Array, each: Array, cells: Callable[[], Array]) -> None:
        """More values, and what each weighs; the cells in which they are, if a sketch must see them."""
        assert self.values is not None
        both = np.concatenate([self.values, own])
        values, places = np.unique(both, return_inverse=True)
        counts = np.bincount(places, np.concatenate([self.counts, each]), len(values))
        if len(values) <= MOST:
            self.values, self.counts = values, counts
            return
        self.share_at_overflow = len(values) / self.n_present
        if self.quantiles:
            self._check_unweighted()
            self.sketch = sketch_of(self.values, self.counts)
            self.sketch.add(cells())
        self.values = None

    def __add__(self, other: "NumberProfile") -> "NumberProfile":
        """The profile of the cells of both, of which the other's come later."""
        both = replace(self, n_cells=self.n_cells + other.n_cells, n_present=self.n_present + other.n_present)
        both.low, both.high = min(self.low, other.low), max(self.high, other.high)
        both.whole = self.whole and other.whole
        both.ascending = self.ascending and other.ascending and self.last < other.first
        both.first = self.first if self.n_present else other.first
        both.last = other.last if other.n_present else self.last
        both.weighted, both.parts = self.weighted or other.weighted, [*self.parts, *other.parts]
        both.share_at_overflow = max(self.share_at_overflow, other.share_at_overflow)
        if self.values is not None and other.values is not None:
            values, counts = other.values, other.counts
            both._add_distinct(values, counts, lambda: np.repeat(values, counts.astype(np.int64)))
            return both
        both.values, both.sketch = None, None
        if self.quantiles:
            both._check_unweighted()
            both.sketch = self._as_sketch() + other._as_sketch()
        return both

    def _as_sketch(self) -> QuantileSketch:
        if self.sketch is not None:
            return self.sketch
        assert self.values is not None
        return sketch_of(self.values, self.counts)

    def _check_unweighted(self) -> None:
        if self.weighted:
            raise TooManyValues(
                f"Column {self.name!r} has more than {MOST:,} different numbers, of which a stream keeps a "
                "sketch that has no room for weights; round them, or leave out the weights."
            )

    def mean_and_deviation(self) -> tuple[float, float]:
        """As `table_encoder.mean_and_deviation` of the whole column."""
        if self.n_present == 0:
            return 0.0, 0.0
        if self.low == self.high:
            return self.low, 0.0
        exponent = int(np.frexp(max(abs(self.low), abs(self.high)))[1])
        weights, means, spreads = np.array(self.parts).T
        means, spreads = np.ldexp(means, -exponent), np.ldexp(spreads, -exponent)
        mean = float(np.average(means, weights=weights))
        deviation = float(np.sqrt(np.average(spreads**2 + (means - mean) ** 2, weights=weights)))
        if deviation <= self.n_present * np.finfo(float).eps * abs(mean):
            deviation = 0.0
        return float(np.ldexp(mean, exponent)), float(np.ldexp(deviation, exponent))

    def thresholds(self, n_thresholds: int) -> list[float]:
        """As `thresholds` of the whole column; of more than `MOST` distinct values by the sketch."""
        values, counts = self.distinct()
        return thresholds(Numbers(values, len(values)), whole_weights(counts, n_thresholds), n_thresholds)

    def distinct(self) -> tuple[Array, Array]:
        """Values in ascending order, and what the rows of each weigh."""
        if self.values is not None:
            return self.values, self.counts
        return (self.sketch or QuantileSketch()).weighted()

    @property
    def weight(self) -> float:
        """Of the rows that have a number."""
        return sum(part[0] for part in self.parts)

    @property
    def rank_error(self) -> float:
        """The share of the rows by which a threshold may be off; 0 where all values are kept."""
        return 0.0 if self.sketch is None else self.sketch.rank_error / self.sketch.n


def sketch_of(values: Array, counts: Array) -> QuantileSketch:
    """Of numbers, each of which occurs so often."""
    sketch = QuantileSketch()
    sketch.add(np.repeat(values, counts.astype(np.int64)))
    return sketch


def mean_and_spread(x: Array, weights: Array) -> tuple[float, float]:
    """Mean and deviation, of numbers brought below 1 by a power of 2, whose squares cannot overflow."""
    exponent = int(np.frexp(np.abs(x).max())[1])
    small = np.ldexp(x, -exponent)
    total = weights.sum()
    if not total > 0.0:
        return 0.0, 0.0
    mean = np.average(small, weights=weights)
    deviation = np.sqrt(np.average((small - mean) ** 2, weights=weights))
    return float(np.ldexp(mean, exponent)), float(np.ldexp(deviation, exponent))


@dataclass
class NameProfile:
    """Names, truth values and missing cells."""

    name: str
    counts: Counter[object] = field(default_factory=Counter)  # rows, by their cell; missing cells are None
    weights: Counter[object] = field(default_factory=Counter)
    n_cells: int = 0
    full: bool = False  # are there more names than are kept?
    share_at_overflow: float = 0.0  # distinct names among the rows when they became too many

    def add(self, cells: list[object], weights: Array | None = None) -> None:
        """More cells."""
        self.n_cells += len(cells)
        if self.full:
            return
        self.counts.update(cells)
        if weights is not None:
            for cell, weight in zip(cells, weights.tolist(), strict=True):
                self.weights[cell] += weight
        self._close_if_full()

    def __add__(self, other: "NameProfile") -> "NameProfile":
        """The profile of the cells of both."""
        both = NameProfile(self.name, self.counts + other.counts, self.weights + other.weights)
        both.n_cells, both.full = self.n_cells + other.n_cells, self.full or other.full
        both.share_at_overflow = max(self.share_at_overflow, other.share_at_overflow)
        both._close_if_full()
        return both

    def _close_if_full(self) -> None:
        """Let go of names that are too many."""
        if len(self.counts) > MOST:
            n_missing, self.full = self.counts.pop(None, 0), True
            self.share_at_overflow = len(self.counts) / (self.n_cells - n_missing)
        if self.full:
            self.counts.clear()
            self.weights.clear()
