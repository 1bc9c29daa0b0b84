"""The rows of a collection as the margin family sees them: looks at all rows, made by all parts at once."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from .._types import Array
from ..compiled import Threads
from ..margin.exact_look import exact_look
from ..margin.looks import Look, look_at
from ..margin.streamed_rows import StreamedRows, both
from ..rows.batch_groups import stacked_rows
from ..rows.encode import vanishing
from ..rows.stream_facts import StreamFacts
from ..stream_sources import ListSource
from .part import CollectionPart
from .part_facts import encoded_rows
from .rounds import Rounds


def n_vectors_of(facts: StreamFacts) -> int:
    return 1 if len(facts.classes) == 2 else len(facts.classes)


class CollectionRows(StreamedRows):
    """Looks at all rows of a collection. Rows and their duals stay where they are until a fit has ended."""

    one_by_one: ClassVar[bool] = False

    def __init__(self, rounds: Rounds, facts: StreamFacts, n_vectors: int, averaged: bool) -> None:
        super().__init__(ListSource([]), facts, n_vectors, averaged, True, Threads())
        self.rounds = rounds

    def asked(self, stage: str, question: Any, *told: Any) -> list[Any]:
        """The answers of the parts that have rows that count."""
        each = [(self.facts, k, *told) for k in range(len(self.rounds.numbers))]
        return [one for one in self.rounds.ask_each(stage, question, each) if one is not None]

    def look(
        self, lines: list[int], weights: Array, intercepts: Array, rows: Array, duals: Array
    ) -> list[Look]:
        told = []
        for k, place in enumerate(self.facts.places):
            own = slice(*np.searchsorted(rows, [place.given, place.given + self.rounds.n_rows[k]]))
            parts = np.ascontiguousarray(duals[:, own])
            told.append((self.facts, k, lines, weights, intercepts, rows[own] - place.given, parts))
        found = [one for one in self.rounds.ask_each("looks", look_at_part, told) if one is not None]
        looks: list[Look] = found[0]
        for more in found[1:]:
            looks = [*map(both, looks, more)]
        return looks

    def exact_looks(self, run: int, w: Array, b: float) -> list[tuple[Any, int]]:
        return self.asked("looks", exact_look_at_part, run, w, b)

    def taken(self, rows: Array) -> tuple[Any, Array]:
        told = []
        for k, place in enumerate(self.facts.places):
            own = slice(*np.searchsorted(rows, [place.given, place.given + self.rounds.n_rows[k]]))
            told.append((self.facts, k, rows[own] - place.given))
        found = [one for one in self.rounds.ask_each("rows used", taken_from_part, told) if one is not None]
        return stacked_rows([matrix for matrix, _ in found]), np.concatenate([codes for _, codes in found])

    def hopeless(self, signs_may_tie: Sequence[bool]) -> int:
        counts = self.asked("looks", hopeless_in_part, [*signs_may_tie])
        return int(np.sum(counts, axis=0).max())


# --- questions ---


def look_at_part(
    part: CollectionPart,
    facts: StreamFacts,
    k: int,
    lines: list[int],
    weights: Array,
    intercepts: Array,
    rows: Array,
    duals: Array,
) -> list[Look] | None:
    data = encoded_rows(part, facts, k)
    if data is None:
        return None
    signs, places = data.sign_matrix()[lines], data.places(rows)
    return look_at(data.X, signs, weights, intercepts, places, duals, Threads())  # type: ignore[arg-type]


def exact_look_at_part(
    part: CollectionPart, facts: StreamFacts, k: int, run: int, w: Array, b: float
) -> tuple[Any, int] | None:
    data = encoded_rows(part, facts, k)
    return None if data is None else exact_look(data, data.sign_matrix()[run], w, b)


def taken_from_part(
    part: CollectionPart, facts: StreamFacts, k: int, rows: Array
) -> tuple[Any, Array] | None:
    data = encoded_rows(part, facts, k)
    if data is None:
        return None
    places = data.places(rows)
    return data.matrix[places], data.codes[places]


def hopeless_in_part(
    part: CollectionPart, facts: StreamFacts, k: int, signs_may_tie: list[bool]
) -> Array | None:
    data = encoded_rows(part, facts, k)
    if data is None:
        return None
    zero = vanishing(data.X, len(data.codes))
    pairs = zip(data.signs(), signs_may_tie, strict=True)
    return np.array([np.count_nonzero(zero & ~((signs < 0) & fine)) for signs, fine in pairs])
