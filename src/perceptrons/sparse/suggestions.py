"""Conjunctions that would add most to a model: Jackson and Craven's "automatically suggesting high-order
features" (section 5).

Rows are weighted as AdaBoost would weight them if it went through the model's conjunctions again and again.
In the end these have next to no correlation with the classes, and what is left to learn stands out.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..tables.literal_encoder import Literal
from .conjunctions import TIE, FoundConjunction, Literals, rows_of
from .encoded_literals import EncodedLiterals
from .search import ConjunctionSearch, Scope
from .weighted_conjunctions import Conjunction

SHORTLIST = 50  # times as many as are wanted are examined
PASSES = 10  # through the model's conjunctions


class Suggestion(NamedTuple):
    """A conjunction that a model does not have."""

    conjunction: Conjunction
    label: Any  # the class it is for, or, if the correlation is negative, against
    correlation: float  # with the class, under the weights that the model leaves
    gain: float  # how much larger its absolute value is than that of the best part

    def __str__(self) -> str:
        return f"{self.correlation:+.3f}  {self.conjunction}  ({self.label}, gain {self.gain:+.3f})"


def find_suggestions(
    encoded: EncodedLiterals,
    own: list[list[tuple[int, ...]]],
    scope: Scope,
    n_wanted: int,
    literals: Sequence[Literal],
) -> tuple[list[Suggestion], bool]:
    """The best for a model of these conjunctions (a list per weight vector), and whether the search may have
    missed better ones."""
    suggestions, missed, labels = [], False, encoded.classes.tolist()[-len(own) :]
    for label, signs, places in zip(labels, encoded.signs(), own, strict=True):
        D = weights_left(encoded.data, signs, encoded.weights, places)
        search = ConjunctionSearch(encoded.data, signs, scope)
        shortlist = search.top(D, SHORTLIST * n_wanted)
        missed |= search.reports[-1].missed > 0.0
        for one, gain in islice(gaining(shortlist, encoded.data, signs, D), n_wanted):
            rule = Conjunction(tuple(literals[place] for place in one.literals))
            suggestions.append(Suggestion(rule, label, one.correlation, gain))
    suggestions.sort(key=lambda one: -abs(one.correlation))
    return suggestions[:n_wanted], missed


def weights_left(data: Literals, signs: Array, own: Array, places: list[tuple[int, ...]]) -> Array:
    """Weights of rows, adding up to 1, that leave the constant and these conjunctions little correlation."""
    D = own / own.sum()
    agreements = [np.where(rows_of(data, one), signs, -signs) for one in [(), *places]]
    for agreement in agreements * PASSES:
        correlation = float(D @ agreement)
        if abs(correlation) < 1.0:  # a conjunction without error would leave no weight
            D = D * np.exp(-np.arctanh(correlation) * agreement)  # AdaBoost's weight is 2 artanh
            D /= D.sum()
    return np.asarray(D)


def gaining(
    found: list[FoundConjunction], data: Literals, signs: Array, D: Array
) -> Iterator[tuple[FoundConjunction, float]]:
    """Yield those whose correlation is larger than that of any of their parts, and by how much."""
    for one in found:
        parts = (part for size in range(len(one.literals)) for part in combinations(one.literals, size))
        gain = abs(one.correlation) - max(abs(correlation_of(part, data, signs, D)) for part in parts)
        if gain > TIE:
            yield one, gain


def correlation_of(literals: tuple[int, ...], data: Literals, signs: Array, D: Array) -> float:
    return float((D * signs * np.where(rows_of(data, literals), 1.0, -1.0)).sum())
