# mypy: allow-untyped-defs, allow-untyped-calls
"""All pairs at once (Jackson and Craven, section 3.3, k = 2).

With P = Σ D_r x_r x_rᵀ over the positive rows, N over the negative ones and G = P − N, a pair's correlation
is E_D[f·h_ij] = 2G_ij − E_D[f]: all pairs are two matrix products. A stage of boosting multiplies the weights
of the rows it gets right by β, so P and N are updated from these rows alone, or from the others, whichever
are fewer in the class.

Rounding is bounded. Rows of zeros and ones go to BLAS, a block at a time, in float32; CSR rows hold few ones,
whose pairs are added one by one, in float64. The `error` of a matrix bounds what rounding has done to any
entry, as if every term of a sum had been rounded to the same side; weights are normalized, so that entries
are at most 1 in the end. All conjunctions that could be the best are finalists, rescored row by row in
float64; when there are too many, P and N are computed again.

Threads share the rows of a product: each part has a matrix of its own. The parts do not depend on the number
of threads, so that neither do sums.
"""

from functools import partial
from itertools import pairwise

import numpy as np

from .._types import Array
from ..compiled import SERIAL, Threads, compiled
from ..rows.bits import lowest_bit
from ..rows.layouts import CSR
from .conjunctions import TIE, FoundConjunction, LiteralRows, Literals, Reweighing, is_true
from .ranking import empty_ranking, offer, threshold
from .syrk import add_product

BLOCK = 256  # rows at a time: short sums, small errors
PARTS, PART_TIME = 8, 2e5  # the most parts of the rows; the fewest nanoseconds that one takes
MERGED = 8  # the fewest nanoseconds for each entry of a part, whose sum takes about one
LONG = 10**6  # rows times pairs from which threads share the rescoring
EXACT = 2**24  # float32 counts up to here
ROUNDING = 1e-6  # of a correlation that is computed in float32 from P and N
MANY = 64  # finalists up to which P and N are never computed again
TINY = 1e-6  # if a stage's errors weigh less, what is left of P and N is rounding
WORTH = 200  # entries of P and N cost about as much to compute as one finalist to rescore


class GramMatrix:
    """Q = Σ D_r x_r x_rᵀ over some rows: the weight of the rows in which literals i ≤ j both hold."""

    def __init__(self, L: LiteralRows, n_literals: int, workers: Threads = SERIAL) -> None:
        self.L, self.error, self._workers = L, 0.0, workers
        real = np.float64 if isinstance(L, CSR) else np.float32
        # of a row, in nanoseconds; of the sum of two matrices it is about one for each entry
        self._row_time = (
            (len(L.indices) / len(L.indptr)) ** 2 / 4 if isinstance(L, CSR) else n_literals**2 / 40
        )
        self.entries = np.zeros((n_literals, n_literals), real)
        self._rounding = float(np.finfo(real).eps) / 2

    def fill(self, rows: Array, D: Array) -> None:
        """Q ← Σ D_r x_r x_rᵀ over these rows."""
        self.entries[:] = 0.0
        self.error = 0.0
        if not len(rows):
            return
        weights = D[rows]
        largest = float(weights.max())
        # relative weights, scaled at the end: if all are equal, rows are counted, without rounding
        self.add(rows, weights / largest, 1.0)
        if weights.min() == largest and len(rows) < EXACT:
            self.error = 0.0
        self._keep(largest)

    def add(self, rows: Array, weights: Array, factor: float, keep: float = 1.0) -> None:
        """Q ← keep·Q + factor·Σ w_r x_r x_rᵀ; the weights are those of the rows named."""
        if keep != 1.0:
            self._keep(keep)
        added = abs(factor) * float(weights.sum())
        largest = max(added, keep, 1.0)  # an entry on the way
        parts = parts_of(len(rows), self._row_time, self.entries.size)
        self._add_parts(parts, rows, weights, factor)
        if isinstance(self.L, CSR):
            self.error += self._rounding * (len(rows) + len(parts)) * largest
        else:
            n_blocks = sum(-(-(part.stop - part.start) // BLOCK) for part in parts)
            self.error += self._rounding * ((BLOCK + 4) * added + (n_blocks + len(parts)) * largest)

    def _keep(self, share: float) -> None:
        self.entries *= self.entries.dtype.type(share)
        self.error = share * self.error + 2 * self._rounding * max(share, 1.0)  # share is rounded, too

    def _add_parts(self, parts: list[slice], rows: Array, weights: Array, factor: float) -> None:
        """Add to the entries with j ≥ i."""
        if isinstance(self.L, CSR):
            add = partial(add_pairs, self.L)
            terms = factor * weights
        else:
            largest = float(weights.max(initial=0.0))
            add = partial(add_blocks, self.L, factor * largest)
            terms = np.empty(len(weights), np.float32)
            write_roots(weights, largest, terms)
        if len(parts) == 1:
            add(rows, terms, self.entries)
            return

        def sums_of(part: slice) -> Array:
            sums = np.zeros_like(self.entries)
            add(rows[part], terms[part], sums)
            return sums

        for sums in self._workers.each(sums_of, parts):
            self.entries += sums


class PairSearch:
    """The search with k = 2; the correlation of a pair counts `share`."""

    def __init__(
        self, data: Literals, signs: Array, D: Array, share: float, workers: Threads = SERIAL
    ) -> None:
        self.data, self.signs, self.share, self._workers = data, signs, share, workers
        self.sides = {sign: GramMatrix(data.rows, data.n_literals, workers) for sign in (1, -1)}
        self.refresh(D)

    def refresh(self, D: Array) -> None:
        """Compute P and N from all rows."""
        for sign, matrix in self.sides.items():
            matrix.fill(np.flatnonzero((self.signs == sign) & (D > 0.0)), D)
        self._fresh, self.stale = True, False

    def best(self, D: Array) -> FoundConjunction:
        signed = D * self.signs
        mean = float(signed.sum())
        if self.stale:
            self.refresh(D)
        pairs = self._finalists(mean)
        if not self._fresh and len(pairs) > MANY + self.data.n_literals**2 // WORTH:
            self.refresh(D)
            pairs = self._finalists(mean)
        sums = self._rescored(signed, pairs)
        correlations = np.append(2 * sums - mean, mean)
        values = np.abs(correlations)
        values[:-1][pairs[:, 0] < pairs[:, 1]] *= self.share
        equal = np.flatnonzero(values >= values.max() * (1 - TIE))
        literals = [*(tuple(dict.fromkeys(pair)) for pair in pairs.tolist()), ()]  # (i, i) is (i,)
        winner = min(equal.tolist(), key=lambda place: (len(literals[place]), literals[place]))
        return FoundConjunction(literals[winner], float(correlations[winner]))

    @property
    def slack(self) -> float:
        """A bound of the error of a correlation computed from P and N."""
        return 2 * (self.sides[1].error + self.sides[-1].error) + ROUNDING

    def top(self, D: Array, room: int) -> list[FoundConjunction]:
        """The best pairs: twice as many are chosen by P and N, and rescored row by row."""
        signed = D * self.signs
        mean = float(signed.sum())
        near, best = empty_ranking(2, 1.0, 2 * room, 2), empty_ranking(2, 1.0, room, 2)
        rank_pairs(self.sides[1].entries, self.sides[-1].entries, mean, self.data.ends, self.data.twins, near)
        pairs = np.array([one.literals for one in near.found()], np.int64).reshape(-1, 2)
        for pair, total in zip(pairs, self._rescored(signed, pairs), strict=True):
            offer(best, 2 * total - mean, pair, 2)
        return best.found()

    def _rescored(self, signed: Array, pairs: Array) -> Array:
        """Σ D_r f_r over the rows in which both literals of a pair hold."""
        sums, data = np.zeros(len(pairs)), self.data
        n_shares = self._workers.n if len(pairs) * data.n_rows >= LONG else 1
        share = max(1, -(-len(pairs) // n_shares))

        def rescore(start: int) -> None:
            some = slice(start, start + share)
            if data.are_packed:
                rescore_columns(data.columns, signed, pairs[some], sums[some])
            else:
                rescore_rows(data.rows, signed, pairs[some], sums[some])

        self._workers.map(rescore, range(0, len(pairs), share))
        return sums

    def _finalists(self, mean: float) -> Array:
        """All conjunctions that may be the best; a single literal is a pair (i, i)."""
        P, N, data, slack = self.sides[1], self.sides[-1], self.data, 2 * self.slack
        pairs = np.empty((MANY, 2), np.int64)
        while True:
            count = finalists(P.entries, N.entries, mean, self.share, data.ends, data.twins, slack, pairs)
            if count <= len(pairs):
                return pairs[:count]
            pairs = np.empty((count, 2), np.int64)

    def follow(self, stage: Reweighing) -> None:
        """Update P and N after a stage."""
        D, right, beta, total = stage
        self._fresh, self.stale = False, total < TINY
        if self.stale:
            return
        for sign, matrix in self.sides.items():
            n_hits, n_misses = count_rows_of(sign, self.signs, D, right)
            few, n = n_hits <= n_misses, min(n_hits, n_misses)
            rows, weights = np.empty(n, np.int64), np.empty(n)
            list_rows_of(sign, self.signs, D, right, few, rows, weights)
            if few:
                matrix.add(rows, weights, (beta - 1.0) / total, keep=1.0 / total)
            else:
                matrix.add(rows, weights, (1.0 - beta) / total, keep=beta / total)


@compiled
def count_rows_of(sign, signs, D, right):
    """How many rows of a class are right, and how many are wrong."""
    n_hits = n_misses = 0
    for r in range(D.size):
        if signs[r] == sign and D[r] > 0.0:
            n_hits += right[r]
            n_misses += not right[r]
    return n_hits, n_misses


@compiled
def list_rows_of(sign, signs, D, right, those, rows, weights):
    """Write down the rows of a class that are right, or those that are wrong, and what they weigh."""
    n = 0
    for r in range(D.size):
        if signs[r] == sign and D[r] > 0.0 and right[r] == those:
            rows[n], weights[n] = r, D[r]
            n += 1


@compiled
def write_roots(weights, largest, roots):
    """One pass: arrays on the way would be as long as the rows."""
    for k in range(weights.size):
        roots[k] = np.float32(np.sqrt(weights[k] / largest))


def parts_of(n_rows: int, row_time: float, n_entries: int) -> list[slice]:
    """1, 2, 4 or 8 parts of about the same size."""
    most = int(n_rows * row_time / max(PART_TIME, MERGED * n_entries))
    n_parts = min(PARTS, 1 << max(most, 1).bit_length() - 1)
    ends = [n_rows * part // n_parts for part in range(n_parts + 1)]
    return [slice(*pair) for pair in pairwise(ends)]


def add_blocks(L: Array, factor: float, rows: Array, roots: Array, entries: Array) -> None:
    """Add factor·Σ (root_r x_r)(root_r x_r)ᵀ to the entries with j ≥ i, a block of rows at a time."""
    buffer = np.empty((min(BLOCK, len(rows)), len(entries)), np.float32)
    for start in range(0, len(rows), BLOCK):
        some = rows[start : start + BLOCK]
        write_block(L, some, roots[start : start + BLOCK], buffer)
        add_product(factor, buffer[: len(some)], entries)


@compiled
def write_block(L, rows, roots, out):
    """The rows, each times a number of its own."""
    for k in range(rows.size):
        row, line, root = L[rows[k]], out[k], roots[k]
        for j in range(row.size):
            line[j] = np.float32(row[j]) * root


@compiled
def rescore_columns(columns, signed, pairs, sums):
    """The same sums as `rescore_rows`, bit for bit, by the columns' bits."""
    for c in range(len(pairs)):
        one, other, total = columns[pairs[c, 0]], columns[pairs[c, 1]], 0.0
        for w in range(one.size):
            word = one[w] & other[w]
            while word != 0:
                total += signed[64 * w + lowest_bit(word)]
                word &= word - np.uint64(1)
        sums[c] = total


@compiled
def rescore_rows(L, signed, pairs, sums):
    """Σ D_r f_r over the rows in which both literals of a pair hold."""
    for r in range(signed.size):
        if signed[r] != 0.0:
            for c in range(len(pairs)):
                if is_true(L, r, pairs[c, 0]) and is_true(L, r, pairs[c, 1]):
                    sums[c] += signed[r]


@compiled
def finalists(P, N, mean, share, ends, twins, slack, pairs):
    """Write to `pairs` the conjunctions whose value is less than `slack` below the highest, up to the room;
    return their number. Those that would lose a tie are left out: they hold in the same rows as an earlier
    one, or in no row, as the constant with the other sign does."""
    n = ends.size
    tops = np.empty(n)
    highest = abs(mean)
    for i in range(n):
        single = abs(2.0 * (P[i, i] - N[i, i]) - mean)
        tops[i] = share * top_of(P[i], N[i], ends[i], mean)
        highest = max(highest, single, tops[i])
    count = 0
    for i in range(n):
        if P[i, i] == 0.0 and N[i, i] == 0.0:
            continue
        if twins[i] == i and abs(2.0 * (P[i, i] - N[i, i]) - mean) >= highest - slack:
            count = write_pair(pairs, count, i, i)
        if tops[i] >= highest - slack:
            for j in range(ends[i], n):
                value = share * abs(2.0 * (P[i, j] - N[i, j]) - mean)
                somewhere = P[i, j] != 0.0 or N[i, j] != 0.0
                if value >= highest - slack and somewhere and is_first_pair(i, j, twins, ends):
                    count = write_pair(pairs, count, i, j)
    return count


@compiled
def top_of(p, n, start, mean):
    """The largest |2(p − n) − mean| from an entry on."""
    low, high = np.inf, -np.inf
    for j in range(start, p.size):
        g = p[j] - n[j]
        low, high = min(low, g), max(high, g)
    return max(2.0 * high - mean, mean - 2.0 * low)


@compiled
def is_first_pair(i, j, twins, ends):
    """Does no earlier conjunction hold in the same rows, as far as twins tell?"""
    a, b = min(twins[i], twins[j]), max(twins[i], twins[j])
    return (a, b) == (i, j) or (a != b and b < ends[a])


@compiled
def write_pair(pairs, count, i, j):
    if count < len(pairs):
        pairs[count, 0], pairs[count, 1] = i, j
    return count + 1


@compiled
def rank_pairs(P, N, mean, ends, twins, best):
    """Rank all pairs by P and N, except those that hold in the same rows as an earlier one."""
    path = np.zeros(2, np.int64)
    for i in range(ends.size):
        for j in range(ends[i], ends.size):
            correlation = 2.0 * (P[i, j] - N[i, j]) - mean
            if abs(correlation) >= threshold(best) and is_first_pair(i, j, twins, ends):
                path[0], path[1] = i, j
                offer(best, correlation, path, path.size)


@compiled
def add_pairs(L, rows, weights, Q):
    """Q_ij += w_r for every pair i ≤ j of literals that hold in row r."""
    for k in range(rows.size):
        literals, weight = L.indices[L.indptr[rows[k]] : L.indptr[rows[k] + 1]], weights[k]
        for p in range(literals.size):
            line = Q[literals[p]]
            for j in literals[p:]:
                line[j] += weight
