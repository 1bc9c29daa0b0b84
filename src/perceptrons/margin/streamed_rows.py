"""The rows of a source as the runs of a fit see them: read batch by batch, with what each row has
contributed.

Every pass hands each batch to the compiled code that a fit in memory runs over all rows at once. What it
leaves in between is the state of the runs, which know no batches: so the weights are the same, bit for bit.
Of the rows themselves nothing stays but the duals, if they are asked for: 16 bytes a row and weight vector,
and a code for the class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from .._types import Array
from ..compiled import Threads
from ..rows.batch_groups import stacked_rows
from ..rows.encode import Encoded, signs_of, vanishing
from ..rows.stream_facts import StreamFacts, read_again
from ..stream_sources import Source
from .exact_look import exact_look
from .looks import Look, look_at
from .memory import Memory
from .sweep import State

NO_DUALS = np.zeros((0, 0))


@dataclass
class StreamedRows:
    """A source after its first pass."""

    source: Source
    facts: StreamFacts
    n_vectors: int
    averaged: bool  # are the sums of an average kept?
    kept: bool  # and the duals of each row?
    threads: Threads
    duals: dict[int, Array] = field(default_factory=dict)  # of each batch, a line for each weight vector
    dual_drift: dict[int, Array] = field(default_factory=dict)
    codes: dict[int, Array] = field(default_factory=dict)  # the classes of the rows
    present: dict[int, Array] = field(default_factory=dict)  # where some rows of a batch do not count
    one_by_one: ClassVar[bool] = True  # one row after the other is presented, as the theorems have it

    @property
    def n_batches(self) -> int:
        return len(self.facts.places)

    def read(self, order: Sequence[int] | None = None) -> Iterator[tuple[int, Encoded]]:
        """The batches, all of them in turn or some in this order."""
        for k, data in read_again(self.source, self.facts, order):
            if self.kept and k not in self.codes:
                self.codes[k] = data.codes.astype(np.min_scalar_type(len(data.classes)))
                self.duals[k] = np.zeros((self.n_vectors, len(data.codes)))
                self.dual_drift[k] = np.zeros((self.n_vectors, len(data.codes) if self.averaged else 0))
                if data.present is not None:
                    self.present[k] = data.present
            yield k, data

    def states_over(self, numbers: list[int], states: State, n_rows: int) -> State:
        """The states of all runs, with room for the duals of these rows."""
        if not self.kept:
            late = n_rows if self.averaged else 0
            room = np.zeros((self.n_vectors, n_rows)), np.zeros((self.n_vectors, late))
        elif len(numbers) == 1:
            room = self.duals[numbers[0]], self.dual_drift[numbers[0]]
        else:
            room = joined_lines(self.duals, numbers), joined_lines(self.dual_drift, numbers)
        return states._replace(duals=room[0], dual_drift=room[1])

    def keep(self, numbers: list[int], states: State) -> None:
        """The duals of these rows, where they have been copied."""
        start = 0
        for k in numbers if self.kept and len(numbers) > 1 else ():
            stop = start + len(self.codes[k])
            self.duals[k] = states.duals[:, start:stop].copy()
            if self.averaged:
                self.dual_drift[k] = states.dual_drift[:, start:stop].copy()
            start = stop

    def memory(self, run: int, before: Memory, state: State) -> Memory:
        """What one run leaves: weights, and the rows they are made of, in the order they were given."""
        rows, duals, late = [np.zeros(0, np.int64)], [np.zeros(0)], [np.zeros(0)]
        for k in sorted(self.duals):
            own = self.duals[k][run]
            used = np.flatnonzero(own > 0.0)
            signs = self.signs(k)[run, used]
            places = self.present[k][used] if k in self.present else used
            rows.append(self.facts.places[k].given + places)
            duals.append(own[used] * signs)
            late.append(self.dual_drift[k][run, used] * signs if self.averaged else np.zeros(len(used)))
        return before._replace(
            w=state.w,
            clock=state.clock,
            n_rows=self.facts.n_given,
            rows=np.concatenate(rows),
            duals=np.concatenate(duals),
            drift=state.drift,
            dual_drift=np.concatenate(late),
            n_absent=self.facts.n_given - self.facts.n_rows,
        )

    def signs(self, k: int) -> Array:
        """Of the rows of a batch that has been read, a line for each weight vector."""
        return np.stack([*signs_of(self.codes[k], len(self.facts.classes))])

    def look(
        self, lines: list[int], weights: Array, intercepts: Array, rows: Array, duals: Array
    ) -> list[Look]:
        """A look at all rows: these weights, by the labels of the runs in `lines`; `rows`, in ascending
        order, and `duals`, a line for each, are what the weights are made of."""
        looks: list[Look] = []
        for k, data in self.read():
            own, used = self.own(k, data, rows)
            signs = data.sign_matrix()[lines]
            parts = np.ascontiguousarray(duals[:, own])
            found = look_at(data.X, signs, weights, intercepts, used, parts, self.threads)
            looks = [*map(both, looks, found)] if looks else found
        return looks

    def own(self, k: int, data: Encoded, rows: Array) -> tuple[slice, Array]:
        """Which of the rows, in ascending order, are in this batch, and where they stand there."""
        start = self.facts.places[k].given
        mine = slice(*np.searchsorted(rows, [start, start + data.n_given]))
        return mine, cast(Array, data.places(rows[mine] - start))

    def exact_looks(self, run: int, w: Array, b: float) -> list[tuple[Any, int]]:
        """Of each batch the lowest y·score of one weight vector, in fractions, and how many are wrong."""
        return [exact_look(data, data.sign_matrix()[run], w, b) for _, data in self.read()]

    def taken(self, rows: Array) -> tuple[Any, Array]:
        """Copies of these rows, and the codes of their classes."""
        parts, codes = [], []
        for k, data in self.read():
            _, used = self.own(k, data, rows)
            parts.append(data.matrix[used])
            codes.append(data.codes[used])
        return stacked_rows(parts), np.concatenate(codes)

    def hopeless(self, signs_may_tie: Sequence[bool]) -> int:
        """How many rows of zeros no hyperplane through the origin classifies; of several weight vectors the
        most. Those of the negative class are fine where a tie is theirs."""
        counts = np.zeros(self.n_vectors, np.int64)
        for _, data in self.read():
            zero = vanishing(data.X, len(data.codes))
            for run, (signs, fine) in enumerate(zip(data.signs(), signs_may_tie, strict=True)):
                counts[run] += np.count_nonzero(zero & ~((signs < 0) & fine))
        return int(counts.max())


def both(one: Look, other: Look) -> Look:
    """A look at the rows of both."""
    low = float(np.min([one.low, other.low]))  # NaN stays NaN
    largest = float(np.max([one.largest, other.largest]))
    return Look(
        low,
        one.n_errors + other.n_errors,
        one.sure and other.sure,
        one.combination + other.combination,
        min(one.smallest, other.smallest),
        largest,
    )


def joined_lines(blocks: dict[int, Array], numbers: list[int]) -> Array:
    return np.concatenate([blocks[k] for k in numbers], axis=1)
