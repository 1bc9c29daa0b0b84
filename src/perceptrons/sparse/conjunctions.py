# mypy: allow-untyped-defs, allow-untyped-calls
"""The hypotheses of Jackson and Craven, section 3.3: conjunctions of at most k literals. Boosting takes the
one with the largest correlation E_D[f·h] with the classes; the correlation of several literals counts 1/k.

Values within a share of 1e-9 tie. A tie goes to the conjunction of fewer literals (the constant has none),
then to the first. Two literals of one attribute are never joined.

Compiled code sees the rows of literals as zeros and ones in an array, or as CSR that stores the ones, sorted.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numba import types

from .._types import Array
from ..compiled import compiled, text_for
from ..rows.bits import Bits, n_words
from ..rows.layouts import CSR, add, cells
from ..rows.packing import pack_rows

TIE = 1e-9  # a share of a value

LiteralRows: TypeAlias = Array | CSR


@dataclass(frozen=True, eq=False)
class Literals:
    """The rows of a training set, a column per literal; those of one attribute side by side."""

    rows: LiteralRows
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

    @property
    def are_packed(self) -> bool:
        """Are the columns at hand? To pack them for one look would take longer than the look."""
        return "columns" in self.__dict__

    @cached_property
    def n_pairs(self) -> int:
        return int((self.n_literals - self.ends).sum())


def arrange(rows: LiteralRows, n_rows: int, attributes: Array) -> Literals:
    """A training set of these rows; `attributes[i]` is the attribute of literal i, in ascending order."""
    ends = np.searchsorted(attributes, attributes, side="right")
    # columns of ones in the same places have the same sum of random numbers, and others hardly ever
    numbers = np.random.default_rng(0).integers(2**63, size=n_rows, dtype=np.uint64)
    sums = np.zeros(len(ends), np.uint64)
    add_all(rows, numbers, sums)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    return Literals(rows, n_rows, ends, first[which])


def rows_of(data: Literals, literals: tuple[int, ...]) -> Array:
    """For each row, whether a conjunction holds in it; of two literals of a column, the second must not hold,
    since it is the end of an interval."""
    covered, last = np.ones(data.n_rows, np.bool_), -1
    for literal in literals:
        before = covered.copy()
        if data.are_packed:
            covered &= Bits(data.columns[literal][None], data.n_rows).unpacked()[0]
        else:
            keep_rows(data.rows, literal, covered)
        if last >= 0 and literal < data.ends[last]:
            covered = before & ~covered
        last = literal
    return covered


class FoundConjunction(NamedTuple):
    """A conjunction, and its correlation with the classes."""

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
def keep_rows(L, literal, covered):
    """Of the rows covered, keep those in which a literal holds."""
    for r in range(covered.size):
        if covered[r]:
            covered[r] = is_true(L, r, literal)


@compiled
def set_bits(L, words):
    """Pack the columns of CSR rows."""
    for r in range(L.indptr.size - 1):
        for p in range(L.indptr[r], L.indptr[r + 1]):
            words[L.indices[p], r >> 6] |= np.uint64(1) << np.uint64(r & 63)


def is_true(L: LiteralRows, i: int, j: int) -> bool:
    """Is x_ij true?"""
    if isinstance(L, CSR):
        return bool((L.indices[cells(L, i)] == j).any())
    return bool(L[i, j])


@text_for(is_true)
def _is_true(L, i, j):
    def dense(L, i, j):
        return L[i, j] != 0

    def csr(L, i, j):
        low, high = np.int64(L.indptr[i]), np.int64(L.indptr[i + 1])
        while low < high:  # half of the row is left out at a time
            middle = low + (high - low) // 2
            if L.indices[middle] < j:
                low = middle + 1
            else:
                high = middle
        return low < np.int64(L.indptr[i + 1]) and L.indices[low] == j

    return dense if isinstance(L, types.Array) else csr


def add_four_after(L: LiteralRows, rows: Array, weights: Array, sums: Array, start: int) -> None:
    """sums ← sums + Σ a·x_i over four rows, from a column on."""
    for i, a in zip(rows.tolist(), weights.tolist(), strict=True):
        if isinstance(L, CSR):
            columns = L.indices[cells(L, i)]
            sums[columns[columns >= start]] += a
        else:
            sums[start:] += a * L[i, start:]


@text_for(add_four_after)
def _add_four_after(L, rows, weights, sums, start):
    real = sums.dtype

    def dense(L, rows, weights, sums, start):
        a, b, c, d = weights[0], weights[1], weights[2], weights[3]
        x, y = L[rows[0], start:], L[rows[1], start:]
        z, w = L[rows[2], start:], L[rows[3], start:]
        rest = sums[start:]
        for j in range(rest.size):  # the sums are read and written once for all four
            rest[j] += (a * real(x[j]) + b * real(y[j])) + (c * real(z[j]) + d * real(w[j]))

    def csr(L, rows, weights, sums, start):
        for k in range(4):
            i, a = rows[k], weights[k]
            for p in range(np.uint64(L.indptr[i + 1]), np.uint64(L.indptr[i]), np.int64(-1)):
                j = L.indices[p - np.uint64(1)]
                if j < start:
                    break
                sums[j] += a

    return dense if isinstance(L, types.Array) else csr
