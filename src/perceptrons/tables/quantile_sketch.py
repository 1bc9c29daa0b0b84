"""Quantiles of more numbers than are kept: a sketch that can be merged, with its error.

Buffers of `ROOM` sorted numbers; the numbers of a buffer of level h stand for 2^h each. Two full buffers of
one level are merged, and every other number of them makes one of the next level (Manku, Rajagopalan and
Lindsay 1998; Munro and Paterson 1980). Each such step moves a rank by 2^h at most, first up, then down, so
that no rank is wrong by more than Σ 2^h over the steps made: `rank_error`, about n·log2(n/ROOM)/(2·ROOM).
Nothing is drawn at random.
"""

from dataclasses import dataclass, field

import numpy as np

from .._types import Array

ROOM = 8192


@dataclass
class QuantileSketch:
    """Numbers seen, in a few buffers."""

    loose: Array = field(default_factory=lambda: np.zeros(0))  # not in a buffer yet
    buffers: list[list[Array]] = field(default_factory=list)  # of each level, one at most when at rest
    steps: list[int] = field(default_factory=list)  # merges made at each level
    n: int = 0

    def add(self, values: Array) -> None:
        """More numbers, none of them NaN."""
        self.n += len(values)
        loose = np.concatenate([self.loose, values])
        full = len(loose) // ROOM * ROOM
        for start in range(0, full, ROOM):
            self._add_buffer(np.sort(loose[start : start + ROOM]), 0)
        self.loose = loose[full:].copy()

    def _add_buffer(self, buffer: Array, level: int) -> None:
        while len(self.buffers) <= level:
            self.buffers.append([])
            self.steps.append(0)
        waiting = self.buffers[level]
        if not waiting:
            waiting.append(buffer)
            return
        both = np.sort(np.concatenate([waiting.pop(), buffer]), kind="stable")
        first = self.steps[level] % 2  # now the larger of each pair, now the smaller
        self.steps[level] += 1
        self._add_buffer(both[first::2].copy(), level + 1)

    def __add__(self, other: "QuantileSketch") -> "QuantileSketch":
        """The sketch of the numbers of both."""
        buffers, n = [[*some] for some in self.buffers], self.n + other.n
        total = QuantileSketch(np.zeros(0), buffers, [*self.steps], n)
        for level, (some, steps) in enumerate(zip(other.buffers, other.steps, strict=True)):
            for buffer in some:
                total._add_buffer(buffer, level)
            while len(total.steps) <= level:
                total.buffers.append([])
                total.steps.append(0)
            total.steps[level] += steps
        total.n -= len(other.loose) + len(self.loose)
        total.add(np.concatenate([self.loose, other.loose]))
        return total

    def weighted(self) -> tuple[Array, Array]:
        """Distinct numbers in ascending order, and how many numbers each stands for."""
        parts = [(self.loose, 1)] + [(one, 2**h) for h, some in enumerate(self.buffers) for one in some]
        values = np.concatenate([part for part, _ in parts])
        counts = np.concatenate([np.full(len(part), weight) for part, weight in parts])
        distinct, places = np.unique(values, return_inverse=True)
        return distinct, np.bincount(places, counts, len(distinct)).astype(np.int64)

    @property
    def rank_error(self) -> int:
        """No rank is wrong by more numbers than this."""
        return sum(steps << level for level, steps in enumerate(self.steps))
