"""The hypotheses of Jackson and Craven, section 3.3: conjunctions of at most k literals. Boosting takes the
one with the largest correlation E_D[f·h] with the classes, that of several literals counting 1/k.

Values within a share of 1e-9 tie: to the conjunction of fewer literals (the constant has none), then to the
first. Two literals of one attribute are never joined.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..data.bits import n_words
from ..data.compiled import compiled
from ..data.marks import Marks, holds
from ..data.packing import pack_rows
from ..data.rows import CSR, Array, add

TIE = 1e-9


@dataclass(frozen=True, eq=False)
class Literals:
    """The rows of a training set, a column per literal; those of one attribute side by side."""

    rows: Marks
    n_rows: int
    ends: Array  # ends[i] is the first literal after those of i's attribute
    twins: Array  # the first literal that holds in the same rows

    @property
    def n_literals(self) -> int:
        return len(self.ends)

    @cached_property
    def columns(self) -> Array:
        """The rows in which each literal holds, as bits."""
        if not isinstance(self.rows, CSR):
            return pack_rows(self.rows).transposed().words
        words = np.zeros((self.n_literals, n_words(self.n_rows)), np.uint64)
        set_bits(self.rows, words)
        return words

    @cached_property
    def n_pairs(self) -> int:
        return int((self.n_literals - self.ends).sum())


def arrange(rows: Marks, n_rows: int, attributes: Array) -> Literals:
    """`attributes[i]` is the attribute of literal i, and does not fall."""
    ends = np.searchsorted(attributes, attributes, side="right")
    # columns of ones in the same places have the same sum of random numbers, and others hardly ever
    numbers = np.random.default_rng(0).integers(2**63, size=n_rows, dtype=np.uint64)
    sums = np.zeros(len(ends), np.uint64)
    add_all(rows, numbers, sums)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    return Literals(rows, n_rows, ends, first[which])


def rows_of(data: Literals, literals: tuple[int, ...]) -> Array:
    """Where a conjunction holds."""
    covered = np.ones(data.n_rows, np.bool_)
    for literal in literals:
        keep(data.rows, literal, covered)
    return covered


class Found(NamedTuple):
    literals: tuple[int, ...]
    correlation: float


class Reweighing(NamedTuple):
    """What a stage did to the weights: those of right rows were multiplied by β, then all divided."""

    before: Array  # D
    right: Array  # which rows it got right
    beta: float
    total: float  # what they were divided by


@compiled
def add_all(L, numbers, sums):
    """sums ← sums + Σ a_r x_r."""
    for r in range(numbers.size):
        add(L, r, numbers[r], sums)


@compiled
def keep(L, literal, covered):
    """Of the rows covered, those in which a literal holds."""
    for r in range(covered.size):
        if covered[r]:
            covered[r] = holds(L, r, literal)


@compiled
def set_bits(L, words):
    for r in range(L.indptr.size - 1):
        for p in range(L.indptr[r], L.indptr[r + 1]):
            words[L.indices[p], r >> 6] |= np.uint64(1) << np.uint64(r & 63)
