"""What conjunctions of one more literal would tell, given what a model tells already: Jackson and Craven's
"automatically suggesting high-order features" (section 5).

Rows are weighed as AdaBoost would weigh them if it went through the model's conjunctions again and again: in
the end these tell next to nothing, and what is left to learn stands out.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..tables.literal_encoder import Literal
from .conjunctions import TIE, Found, Literals, rows_of
from .search import Scope, Search
from .sparse_problem import Problem
from .weighted_conjunctions import Conjunction

SHORTLIST = 50  # times as many as are wanted are looked through
PASSES = 10  # through the model's conjunctions


class Suggestion(NamedTuple):
    """A conjunction that a model does not have."""

    conjunction: Conjunction
    label: Any  # the class it speaks for, or, if the correlation is negative, against
    correlation: float  # with the class, under the weights that the model leaves
    gain: float  # how much larger it is than that of its best part, up to the sign

    def __str__(self) -> str:
        return f"{self.correlation:+.3f}  {self.conjunction}  ({self.label}, gain {self.gain:+.3f})"


class Candidate(NamedTuple):
    found: Found
    gain: float
    vector: int

    def in_words(self, labels: Sequence[Any], literals: Sequence[Literal]) -> Suggestion:
        rule = Conjunction(tuple(literals[place] for place in self.found.literals))
        return Suggestion(rule, labels[self.vector], self.found.correlation, self.gain)


def look_for(
    problem: Problem, own: list[list[tuple[int, ...]]], scope: Scope, n_wanted: int
) -> tuple[list[Candidate], bool]:
    """The best for a model of these conjunctions (a list per weight vector); and may there be better ones?"""
    candidates, missed = [], False
    for vector, (signs, places) in enumerate(zip(problem.signs(), own, strict=True)):
        D = weights_left(problem.data, signs, problem.weights, places)
        search = Search(problem.data, signs, scope)
        shortlist = search.top(D, SHORTLIST * n_wanted)
        missed |= search.looks[-1].missed > 0.0
        for one, gain in islice(gaining(shortlist, problem.data, signs, D), n_wanted):
            candidates.append(Candidate(one, gain, vector))
    candidates.sort(key=lambda one: -abs(one.found.correlation))
    return candidates[:n_wanted], missed


def weights_left(data: Literals, signs: Array, own: Array, places: list[tuple[int, ...]]) -> Array:
    """What rows weigh under which the constant and these conjunctions tell little; they add up to 1."""
    D = own / own.sum()
    agreements = [np.where(rows_of(data, one), signs, -signs) for one in [(), *places]]
    for agreement in agreements * PASSES:
        correlation = float(D @ agreement)
        if abs(correlation) < 1.0:  # one without error would leave nothing
            D = D * np.exp(-np.arctanh(correlation) * agreement)  # AdaBoost's weight is 2 artanh
            D /= D.sum()
    return np.asarray(D)


def gaining(found: list[Found], data: Literals, signs: Array, D: Array) -> Iterator[tuple[Found, float]]:
    """Those that tell more than any of their parts, and how much more."""
    for one in found:
        parts = (part for size in range(len(one.literals)) for part in combinations(one.literals, size))
        gain = abs(one.correlation) - max(abs(correlation_of(part, data, signs, D)) for part in parts)
        if gain > TIE:
            yield one, gain


def correlation_of(literals: tuple[int, ...], data: Literals, signs: Array, D: Array) -> float:
    return float((D * signs * np.where(rows_of(data, literals), 1.0, -1.0)).sum())
