# mypy: allow-untyped-defs, allow-untyped-calls
"""Looks at all rows under fixed weights: what certificates are made of.

Scores are summed up in double precision, and once more without rounding (`rows.scores`) where rounding could
decide whether a row is on its side, or whether it is the lowest of all: few rows, as a rule.

Several weight vectors share a look: some rows at a time are read once, and scored by all of them. Threads
share it, too, part by part; the parts depend on the number of rows alone, so that the sums do not depend on
the number of threads.
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import Threads, compiled, inlined
from ..rows.encode import Encoded
from ..rows.layouts import CSR, Gram, Rows, add, dot, dot_and_sqnorm
from ..rows.order import GROUP_ROWS
from ..rows.scores import bracket, cell, n_cells, two_product, two_sum
from ..theory.outward import LEAST, UNIT

NEARBY = 1 << 18  # bytes that stay in the nearest large cache
PARTS, PART_ROWS = 4, 1 << 14  # the most parts, and the fewest rows of a part


class Look(NamedTuple):
    """What a look at all rows finds out about one weight vector."""

    low: float  # no y·score, as a real number, is lower; the next double above is no such bound
    n_errors: int  # by the signs of real numbers
    sure: bool  # are these two so? not where rounding errors are no doubles
    combination: Array  # Σ a_i y_i x_i, the sum of the corrections
    smallest: float  # the smallest and the largest ‖x‖²; infinite or NaN if a cell is
    largest: float


def look_at(
    X: Rows, signs: Array, weights: Array, intercepts: Array, used: Array, duals: Array, threads: Threads
) -> list[Look]:
    """One look by several weight vectors; `signs`, `weights`, `intercepts` and the signed `duals` of the rows
    `used` have a line for each."""
    n_rows = signs.shape[1]
    W = np.ascontiguousarray(weights, np.float64)
    n_parts = max(1, min(PARTS, n_rows // PART_ROWS))
    ends = [n_rows * part // n_parts for part in range(n_parts + 1)]
    at_a_time = rows_at_a_time(X, n_rows)

    def look(part: int) -> Any:
        low, n_errors, sure = np.full(len(W), np.inf), np.zeros(len(W), np.int64), np.ones(len(W), np.bool_)
        found, sums = (low, n_errors, sure), np.zeros(W.shape)
        limits = ends[part], ends[part + 1], at_a_time, int(np.searchsorted(used, ends[part]))
        ends_of_norms = examine_part(X, signs, limits, W, intercepts, used, duals, found, sums)
        return *found, sums, *ends_of_norms

    low, n_errors, sure, sums, smallest, largest = look_of_parts(threads.map(look, range(n_parts)))
    return [
        Look(float(low[k]), int(n_errors[k]), bool(sure[k]), sums[k], float(smallest), float(largest))
        for k in range(len(W))
    ]


def look_of_parts(parts: list[Any]) -> Any:
    """One look from those at parts of the rows."""
    if len(parts) == 1:
        return parts[0]
    lows, errors, sure, sums, smallest, largest = zip(*parts, strict=True)
    combinations = sums[0]
    for more in sums[1:]:
        combinations = combinations + more
    ends = np.min(smallest), np.max(largest)
    return np.min(lows, axis=0), np.sum(errors, axis=0), np.all(sure, axis=0), combinations, *ends


def own_corrections(rows: Array, duals: Array, data: Encoded, signs: Array) -> tuple[Array, Array]:
    """Where the rows used stand, and their signed duals, a line for each weight vector: zeros if they cannot
    be those of these rows and labels."""
    used = data.places(rows)
    if used is None:
        return np.zeros(0, np.int64), np.zeros((len(duals), 0))
    fit = np.asarray((duals * signs[:, used] >= 0.0).all(axis=1))
    return used, np.ascontiguousarray(duals if fit.all() else duals * fit[:, None])


def rows_at_a_time(X: Rows, n_rows: int) -> int:
    """How many fit into the nearest large cache: a power of two, at most a group."""
    if isinstance(X, Gram):
        return GROUP_ROWS
    n_bytes = X.data.nbytes + X.indices.nbytes if isinstance(X, CSR) else X.nbytes
    fit = NEARBY * n_rows // max(n_bytes, 1)
    return 1 << min(max(fit.bit_length() - 1, 0), GROUP_ROWS.bit_length() - 1)


@compiled
def examine_part(X, signs, limits, W, b, used, duals, found, sums):
    """Of some rows, a few of them at a time, and for each weight vector: `found` holds the smallest y·score
    (NaN if there is one), how many are on the wrong side, and whether that is sure; `sums` that of their
    corrections. Returns the smallest and the largest ‖x‖², which the first vector finds by the way.

    limits : the first and the last row, how many at a time, and which of those used comes first.
    """
    first, last, at_a_time, s = limits
    lows, errors, sure = found
    n_vectors, smallest, largest = W.shape[0], np.inf, 0.0
    lengths, far = np.empty(n_vectors), np.empty(n_vectors)
    for k in range(n_vectors):
        lengths[k] = length_of(W[k])
    share = 2.0 * (W.shape[1] + 4) * UNIT  # twice what rounding costs at most
    for start in range(first, last, at_a_time):
        stop, until = min(start + at_a_time, last), s
        while until < used.size and used[until] < stop:
            until += 1
        for k in range(n_vectors):
            low, wrong, w, y = lows[k], 0, W[k], signs[k]
            far[k] = share * (lengths[k] * np.sqrt(largest) + abs(b[k])) + (w.size + 2) * LEAST
            for i in range(start, stop):
                if k == 0:
                    product, q = dot_and_sqnorm(X, i, w)
                    smallest = min(smallest, q)
                    if q > largest or q != q:
                        largest = q
                        far[k] = share * (lengths[k] * np.sqrt(largest) + abs(b[k])) + (w.size + 2) * LEAST
                else:
                    product = dot(X, i, w)
                reach = y[i] * (product + b[k])
                error = reach < 0.0 or (reach == 0.0 and y[i] > 0)
                if reach - far[k] < low or abs(reach) <= far[k]:
                    reach, error, certain = settled(X, i, w, b[k], y[i], reach, error, low, far[k])
                    sure[k] = sure[k] and certain
                low = reach if reach < low or reach != reach else low
                wrong += error
            lows[k], errors[k] = low, errors[k] + wrong
            for t in range(s, until):
                if duals[k, t] != 0.0:
                    add(X, used[t], duals[k, t], sums[k])
        s = until
    return smallest, largest


@inlined
def length_of(w):
    """‖w‖, not much less if at all, whatever its scale; NaN if a weight is."""
    scale, total = 0.0, 0.0
    for j in range(w.size):
        size = abs(w[j])
        scale = size if size > scale or size != size else scale
    if scale > 0.0:
        for j in range(w.size):
            total += (w[j] / scale) * (w[j] / scale)
    return scale * np.sqrt(total)


@inlined
def settled(X, i, w, b, label, reach, error, lowest, far):
    """y·score of a row, rounded down, and whether the row is on the wrong side, without rounding; as they are
    if that cannot be; and whether it can. A row that is surely on its side and not below the lowest so far is
    not added up to the last bit: support rows, which all score nearly the same, are many."""
    near, about = label * doubled(X, i, w, b), 0.0
    about = 4.0 * UNIT * abs(near) + (w.size + 4) * UNIT * far + 16 * (w.size + 2) * LEAST
    if near - about >= lowest and abs(near) > about:
        return near, near < 0.0, True
    low, high, _, sure = bracket(X, i, w, b)
    if not sure:
        return reach, error, False
    reach = low if label > 0 else -high
    return reach, reach < 0.0 or (reach == 0.0 and label > 0 and low == high), True


@inlined
def doubled(X, i, w, b):
    """⟨x_i, w⟩ + b, as if it were summed up in twice the precision, and then rounded (Ogita, Rump and Oishi
    2005): off by no more than a unit in the last place and γ_n² Σ|x_j w_j|."""
    total, lost = b, 0.0
    for k in range(n_cells(X, i)):
        x, j = cell(X, i, k)
        product, one = two_product(x, w[j])
        total, other = two_sum(total, product)
        lost += one + other
    return total + lost
