"""The rows of a source as `training_parts` has them: batch by batch, read again in each pass.

Of the rows themselves nothing stays but their classes and weights. Means and deviations of columns come from
blocks of rows that do not depend on batches, so that they are those of the rows in memory, bit for bit.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._types import Array
from ..compiled import Threads
from ..rejection.costs import Prices
from ..rows.batch_groups import groups_of, read_groups
from ..rows.encode import Encoded
from ..rows.order import Order, given, in_order, shuffled
from ..rows.scores import scores_with_true_signs
from ..rows.standardized import Moments, check_largest, largest_of, moments_of, seen_through
from ..rows.stream_facts import StreamFacts, read_again
from ..stream_sources import Source
from .assessed_parts import Share, assess_parts
from .conservative_parameters import CYCLIC, ConservativeParameters
from .conservative_sweep import WeightedSigns
from .training_parts import NO_ORDER, RowPart, RowParts


class StreamedParts(RowParts):
    """A source after its first pass."""

    def __init__(
        self, source: Source, facts: StreamFacts, n_columns: int, parameters: ConservativeParameters
    ) -> None:
        self.source, self.facts, self.parameters = source, facts, parameters
        self.n_columns, self.norm = n_columns, facts.norms.median()
        self.moments: Moments | None = None
        self.signs, largest, first = self._second_pass()
        if parameters.standardize:
            check_largest(largest)
            shape = facts.n_rows, n_columns
            self.moments = moments_of(self._matrices, shape, facts.sparse, self.signs.weights)
        self.kind: Any = self._seen(first)

    def _second_pass(self) -> tuple[WeightedSigns, Array, Encoded]:
        """Classes, weights, the largest values of the columns; and a batch."""
        y, weights, largest, first = [], [], np.zeros(self.n_columns), None
        for _, data in self.read():
            y.append(next(data.signs()))
            weights.append(data.weights)
            largest = np.maximum(largest, largest_of(data.matrix, data.X))
            first = first or data
        assert first is not None  # the first pass has seen to that
        return WeightedSigns.of(np.concatenate(y), np.concatenate(weights)), largest, first

    def read(self, order: Sequence[int] | None = None) -> Iterator[tuple[int, Encoded]]:
        return read_again(self.source, self.facts, order)

    def _matrices(self) -> Iterator[tuple[Any, Any, Array]]:
        for k, data in self.read():
            yield data.matrix, data.X, self._signs(self._span(k)).weights

    def epoch(self, rng: np.random.RandomState) -> Iterator[RowPart]:
        there = [k for k, place in enumerate(self.facts.places) if place.n_present]
        order, seekable = self.parameters.order, self.source.seekable
        for numbers, data in read_groups(groups_of(there, order, seekable, rng), seekable, self.read):
            n_rows = len(data.codes)
            visited = in_order(given(n_rows)) if order == CYCLIC else shuffled(n_rows, rng).without_blocks()
            yield self._part(numbers, data, visited)

    def parts(self) -> Iterator[RowPart]:
        for k, data in self.read():
            yield self._part([k], data, NO_ORDER)

    def scores(self, coef: Array, intercept: float) -> Array:
        return np.concatenate(
            [scores_with_true_signs(data.matrix, coef, intercept) for _, data in self.read()]
        )

    def assess(
        self, prices: Prices, batch: bool, symmetric: bool, shares: Sequence[Share], workers: Threads
    ) -> None:
        kind = self.signs.weights.dtype
        assess_parts(self.parts, kind, prices, batch, symmetric, shares, workers)

    def _part(self, numbers: list[int], data: Encoded, order: Order) -> RowPart:
        spans = [self._span(k) for k in numbers]
        return RowPart(self._seen(data), self._signs(*spans), spans, order, data.X)

    def _span(self, k: int) -> slice:
        place = self.facts.places[k]
        return slice(place.present, place.present + place.n_present)

    def _signs(self, *spans: slice) -> WeightedSigns:
        y, weights = self.signs
        own = np.concatenate([weights[span] for span in spans]) if len(weights) else weights
        return WeightedSigns(np.concatenate([y[span] for span in spans]), own)

    def _seen(self, data: Encoded) -> Any:
        return data.X if self.moments is None else seen_through(data.X, len(data.codes), self.moments)
