# mypy: allow-untyped-defs, allow-untyped-calls
"""Which columns vote, of those whose influence is beyond noise: `epsilon="auto"`, beyond the paper.

All votes weigh the same, so columns that say the same outvote the others: the literals of one attribute, the
thresholds of one number. Columns are therefore taken one after the other, those of the strongest influence
first, and a column gets its vote only if it says more than the votes before it do. Rows whose votes add up to
the same s are a stratum; in each, the column's ones among the positive rows are compared with what they would
be by chance (W. Cochran, 1954; N. Mantel, W. Haenszel, 1959):

    D = Σ_s [both − positive·ones/rows]        V = Σ_s positive·negative·ones·zeros / (rows²·(rows − 1))

It votes if D has the sign of its influence and D/√V > 1.645: one idle column in twenty would. A vote may
bring out what a column adds that was passed over before, so this is repeated until nothing changes, at most
five times. Columns that are equal or opposite are one column: the first of them votes.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from .columns import BinaryColumn, PackedColumns, SparseColumns, columns_of, first_alike
from .counts import Counts
from .discoveries import discoveries, p_values, rows_per_weight
from .kept_rows import LabeledBits

BEYOND = 1.6448536269514722  # standard deviations that 95 % of an idle column's D do not reach
PASSES = 5


def choose_votes(counts: Counts, influence: Array, neglected: Array, rows: LabeledBits) -> Array:
    """The weights −1, 0, +1. `rows` may be a sample of those that were counted."""
    columns, scale = columns_of(rows.here), rows_per_weight(rows)
    distinct = first_alike(columns, np.flatnonzero(~neglected))
    p = p_values(counts, scale)[distinct]
    strongest = by_strength(counts, distinct[discoveries(p)])
    signs = np.sign(influence).astype(np.int64)
    return take_votes(columns, strongest, signs, strata_of(rows, scale, len(strongest)))


def by_strength(counts: Counts, which: Array) -> Array:
    """Ordered by |D|/√V of one stratum, except for what is the same of all; of equals the first column."""
    ones, both = counts.ones[which] / counts.rows, counts.positive_ones[which] / counts.rows
    away = np.abs(both - counts.positive / counts.rows * ones) / np.sqrt(ones * (1.0 - ones))
    return np.asarray(which[np.argsort(-away.round(12), kind="stable")])


class Strata(NamedTuple):
    """Rows by their votes s, and what the rows of each s weigh; s is halved, so that it moves in ones."""

    s: Array
    weights: Array
    heavy: Array  # the weights of positive rows, 0 of others
    total: Array  # of each s
    positive: Array
    ends: Array  # s is between these two


def strata_of(rows: LabeledBits, scale: float, most: int) -> Strata:
    """All rows together; `room` limits the number of votes either way."""
    weights = scale * rows.all_weights().astype(np.float64)
    heavy = weights * rows.positive
    total, positive = np.zeros(2 * most + 1), np.zeros(2 * most + 1)
    total[most], positive[most] = weights.sum(), heavy.sum()
    return Strata(np.full(len(weights), most), weights, heavy, total, positive, np.array([most, most]))


def take_votes(columns: PackedColumns | SparseColumns, order: Array, signs: Array, strata: Strata) -> Array:
    votes, waiting = np.zeros(len(signs), np.int8), order.tolist()
    for _ in range(PASSES):
        passed_over = []
        for j in waiting:
            column = columns.column(j)
            if says_more(column, signs[j], strata):
                votes[j] = signs[j]
                move_rows(column.rows, signs[j] * column.value, strata)
            else:
                passed_over.append(j)
        if len(passed_over) in (0, len(waiting)):
            break
        waiting = passed_over
    return votes


def says_more(column: BinaryColumn, sign: int, strata: Strata) -> bool:
    difference, variance = compare_within(column.rows, strata)
    difference *= sign * column.value
    return bool(difference > 0 and difference * difference > BEYOND * BEYOND * variance > 0)


@compiled
def compare_within(listed, strata):
    """D and V of the column that is 1 in the listed rows. Weights that are fractions may leave a stratum with
    less than two rows: V is then as if there were two."""
    low, high = strata.ends
    ones, both = np.zeros(high - low + 1), np.zeros(high - low + 1)
    for place in range(listed.size):
        i = listed[place]
        ones[strata.s[i] - low] += strata.weights[i]
        both[strata.s[i] - low] += strata.heavy[i]
    difference, variance = 0.0, 0.0
    for k in range(ones.size):
        n, positive = strata.total[low + k], strata.positive[low + k]
        if n > 0.0:
            difference += both[k] - positive * ones[k] / n
            mixed = positive * (n - positive) * ones[k] * (n - ones[k])
            variance += mixed / (n * n * max(n - 1.0, 0.5 * n))
    return difference, variance


@compiled
def move_rows(listed, step, strata):
    """A column has got its vote."""
    s, ends = strata.s, strata.ends
    for place in range(listed.size):
        i = listed[place]
        strata.total[s[i]] -= strata.weights[i]
        strata.positive[s[i]] -= strata.heavy[i]
        s[i] += step
        strata.total[s[i]] += strata.weights[i]
        strata.positive[s[i]] += strata.heavy[i]
        ends[0] = min(ends[0], s[i])
        ends[1] = max(ends[1], s[i])
