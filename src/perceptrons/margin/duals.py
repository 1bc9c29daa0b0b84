# mypy: allow-untyped-defs, allow-untyped-calls
"""What duals prove: no hyperplane has a margin above ‖Σ a_i y_i x_i‖/Σ a_i, rounded up.

The sum comes from a look at the rows, and what rounding may have taken away is added to it: γ_s·R·Σa for s
rows. Where that is not little beside the sum (rows that nearly cancel, such as a small table far from the
origin), the sum is made again, each column with a second double for its errors (Ogita, Rump and Oishi 2005);
and where even that is not enough, in integers.

The bound of a hyperplane with a free intercept (`MaxMarginPerceptron`) is half the distance of two points,
one in each hull: ½‖Σ₊ a_i x_i/A₊ − Σ₋ a_i x_i/A₋‖. Where rounding has left A₊ ≠ A₋, |A₊ − A₋|·R is added.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.encode import Encoded, is_sparse
from ..rows.scores import cell, n_cells, two_product, two_sum
from ..rows.weights import NO_WEIGHTS
from ..theory.outward import (
    LEAST,
    UNIT,
    down,
    error_factor,
    exact_dot,
    exact_sum,
    hypot_above,
    norm_bounds,
    sqrt_above,
    squared_length,
    total_bounds,
    up,
)

LITTLE = 2.0**-20  # of the sum: so much may be added to it,
LESS = 2.0**-40  # and that where the margin is to be the largest
FEW_CELLS = 1 << 12  # of the rows used: a second sum takes no time
EXACT_CELLS = 10**6  # of them, for a sum in integers
FEW_DUALS = 256  # of which a sum is rounded once


class Duals(NamedTuple):
    """Rows and what they contribute, and which bound that gives."""

    data: Encoded
    used: Array  # places of the rows
    signed: Array  # a_i·y_i
    lift: float = 0.0  # ρ, a constant coordinate of every row
    free: bool = False  # the intercept is free, and the bound half a distance
    C: float = np.inf  # finite: a row has a coordinate of its own, √(1/(C·weight))
    weights: Array = NO_WEIGHTS  # of the rows used; empty: each counts 1
    little: float = LITTLE
    gone: bool = False  # the rows are not at hand: the sum that a look has made must do

    @property
    def n_cells(self) -> int:
        return int(self.used.size * self.data.matrix.shape[1])

    def exactly(self) -> Fraction:
        """The bound, squared."""
        if not self.free:
            square = squared_length(exact_columns(self.data.matrix[self.used], self.signed))
            square += Fraction(self.lift) ** 2 * exact_sum(self.signed) ** 2 + self.exact_slack()
            return square / exact_sum(np.abs(self.signed)) ** 2
        means, slack = [], Fraction(0)
        for side in (self.signed > 0.0, self.signed < 0.0):
            total = exact_sum(np.abs(self.signed[side]))
            sums = exact_columns(self.data.matrix[self.used[side]], self.signed[side])
            means.append([one / total for one in sums])
            weights = self.weights[side] if len(self.weights) else self.weights
            slack += self._replace(signed=self.signed[side], weights=weights).exact_slack() / total**2
        difference = [one + other for one, other in zip(*means, strict=True)]
        return (sum((d * d for d in difference), Fraction()) + slack) / 4

    def exact_slack(self) -> Fraction:
        """Σ r_i a_i²."""
        if np.isinf(self.C):
            return Fraction(0)
        squares = [Fraction(dual) ** 2 for dual in self.signed.tolist()]
        if len(self.weights):
            weights = map(Fraction, self.weights.tolist())
            squares = [square / weight for square, weight in zip(squares, weights, strict=True)]
        return sum(squares, Fraction()) / Fraction(self.C)


class ProvedBound(NamedTuple):
    """No margin is larger than `value`; it is 0 only if the sum is exactly 0."""

    value: float
    exact: bool  # the smallest double that is not below


class BoundTerms(NamedTuple):
    """What a bound is made of beside the sum of the rows; each number rounded to the safe side."""

    total: float  # Σ a_i
    size: float  # Σ a_i·R
    unfair: float  # what |A₊ − A₋| may add
    lifted: float
    slack: float
    little: float

    def bound(self, column_sums: Array, error: float) -> tuple[float, bool]:
        """From sums that may be off by `error`; and whether that is little beside them."""
        low, high = norm_bounds(column_sums)
        length = hypot_above(up(up(high + error) + self.unfair), self.lifted, self.slack)
        return up(length / self.total), error + self.unfair <= self.little * max(low, self.lifted, self.slack)


def bound_terms(duals: Duals, few: float = FEW_DUALS) -> BoundTerms:
    """`few` : as in `sums_of`."""
    total, uneven = sums_of(duals.signed, few)
    n, s = duals.data.matrix.shape[1], duals.used.size
    radius = up(up(np.sqrt(duals.data.largest)) * (1.0 + error_factor(n + 2)))
    more = 1.0 + 4.0 * uneven / total if duals.free else 1.0
    return BoundTerms(
        total,
        up(up(total * (1.0 + 2.0 * error_factor(s + 2))) * radius),
        up(up(uneven * radius) * more) if duals.free else 0.0,
        up(duals.lift * uneven),
        up(up(np.sqrt(slack_bounds(duals)[1])) * more),
        duals.little,
    )


def bound_of(duals: Duals, look_sum: Array) -> ProvedBound:
    """The bound, from the sum that a look at the rows has made."""
    s, n, value, fine = duals.used.size, len(look_sum), np.inf, False
    if duals.n_cells > FEW_CELLS or duals.gone:
        terms = bound_terms(duals)
        value, fine = terms.bound(look_sum, up(error_factor(s + 8) * terms.size) + underflow(s, n))
        if fine or duals.gone:
            return ProvedBound(value, False)
    sums, lost = np.zeros((2, n))
    compensate(duals.data.X, duals.used, duals.signed, sums, lost)
    sums += lost
    if np.isfinite(sums).all():
        terms = bound_terms(duals, np.inf)  # |A₊ − A₋| counts, too: it must be known as well as the sums
        error = up(up(error_factor(2 * s + 8) ** 2 * terms.size) + 2.0 * UNIT * norm_bounds(sums)[1])
        better, fine = terms.bound(sums, up(error + underflow(s, n)))
        value = min(value, better)
    if not fine and duals.n_cells <= EXACT_CELLS:
        return ProvedBound(sqrt_above(duals.exactly()), True)
    return ProvedBound(value, False)


def sums_of(signed: Array, few: float = FEW_DUALS) -> tuple[float, float]:
    """Σ a_i, rounded down, and |Σ a_i y_i|, rounded up; of no more than `few` to the last bit."""
    sizes = np.abs(signed)
    if signed.size <= few:
        low, high = total_bounds(signed)
        return total_bounds(sizes)[0], max(abs(low), abs(high))
    total, factor = float(sizes.sum()), error_factor(signed.size + 2)
    return down(total * (1.0 - factor)), up(up(abs(float(signed.sum()))) + up(2.0 * factor * total))


def slack_bounds(duals: Duals) -> tuple[float, float]:
    """Lower and upper bounds on Σ r_i a_i²."""
    if np.isinf(duals.C):
        return 0.0, 0.0
    terms = np.square(duals.signed) / duals.C / (duals.weights if len(duals.weights) else 1.0)
    total, lost = float(terms.sum()), 4.0 * terms.size * LEAST
    share = error_factor(terms.size + 8)
    return max(0.0, down(down(total * (1.0 - share)) - lost)), up(up(total * (1.0 + share)) + lost)


def underflow(n_terms: int, n_columns: int) -> float:
    """What products of n terms may have lost at the lower end of the doubles, in every column."""
    return 16.0 * (n_terms + 1) * (n_columns + 1) * LEAST


def exact_columns(rows: Any, factors: Array) -> list[Fraction]:
    """Σ factors_i·rows_i, column by column; of a sparse matrix, those columns that hold anything."""
    if not is_sparse(rows):
        return [exact_dot(factors, column) for column in np.asarray(rows).T]
    by_column = rows.tocsc()
    ends, columns = by_column.indptr, []
    for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        columns.append(
            exact_dot(factors[by_column.indices[start:stop]], by_column.data[start:stop])
            if stop > start
            else Fraction(0)
        )
    return columns


@compiled
def compensate(X, used, factors, total, lost):
    """Add Σ factors_i·x_i to the total, and to `lost` what rounding took from it, as if it were summed up in
    twice the precision."""
    for s in range(used.size):
        for k in range(n_cells(X, used[s])):
            x, j = cell(X, used[s], k)
            product, one = two_product(factors[s], x)
            total[j], other = two_sum(total[j], product)
            lost[j] += one + other
