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
float64; when there are too many, P and N are computed anew.
"""

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.layouts import CSR
from .conjunctions import TIE, FoundConjunction, LiteralRows, Literals, Reweighing, is_true
from .ranking import empty_ranking, offer, threshold
from .syrk import add_product

BLOCK = 256  # rows at a time: short sums, small errors
EXACT = 2**24  # float32 counts up to here
ROUNDING = 1e-6  # of a correlation that is computed in float32 from P and N
MANY = 64  # finalists up to which P and N are never computed anew
TINY = 1e-6  # if a stage's errors weigh less, what is left of P and N is rounding
WORTH = 200  # entries of P and N cost about as much to compute as one finalist to rescore


class GramMatrix:
    """Q = Σ D_r x_r x_rᵀ over some rows: the weight of the rows in which literals i ≤ j both hold."""

    def __init__(self, L: LiteralRows, n_literals: int) -> None:
        self.L, self.error = L, 0.0
        real = np.float64 if isinstance(L, CSR) else np.float32
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
        if isinstance(self.L, CSR):
            add_pairs(self.L, rows, factor * weights, self.entries)
            self.error += self._rounding * len(rows) * largest
        else:
            self._add_blocks(rows, weights, factor)
            n_blocks = -(-len(rows) // BLOCK)
            self.error += self._rounding * ((BLOCK + 4) * added + n_blocks * largest)

    def _keep(self, share: float) -> None:
        self.entries *= self.entries.dtype.type(share)
        self.error = share * self.error + 2 * self._rounding * max(share, 1.0)  # share is rounded, too

    def _add_blocks(self, rows: Array, weights: Array, factor: float) -> None:
        """Add to the entries with j ≥ i."""
        largest = float(weights.max(initial=0.0))
        roots = np.sqrt(weights / largest).astype(np.float32)
        buffer = np.empty((min(BLOCK, len(rows)), len(self.entries)), np.float32)
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            block = buffer[: len(rows[part])]
            np.multiply(self.L[rows[part]], roots[part, None], out=block)
            add_product(factor * largest, block, self.entries)


class PairSearch:
    """The search with k = 2; the correlation of a pair counts `share`."""

    def __init__(self, data: Literals, signs: Array, D: Array, share: float) -> None:
        self.data, self.signs, self.share = data, signs, share
        self.sides = {sign: GramMatrix(data.rows, data.n_literals) for sign in (1, -1)}
        self.refresh(D)

    def refresh(self, D: Array) -> None:
        """Compute P and N from all rows."""
        for sign, matrix in self.sides.items():
            matrix.fill(np.flatnonzero((self.signs == sign) & (D > 0.0)), D)
        self._fresh, self._stale = True, False

    def best(self, D: Array) -> FoundConjunction:
        signed = D * self.signs
        mean = float(signed.sum())
        if self._stale:
            self.refresh(D)
        pairs = self._finalists(mean)
        if not self._fresh and len(pairs) > MANY + self.data.n_literals**2 // WORTH:
            self.refresh(D)
            pairs = self._finalists(mean)
        sums = np.zeros(len(pairs))
        rescore(self.data.rows, signed, pairs, sums)
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
        sums = np.zeros(len(pairs))
        rescore(self.data.rows, signed, pairs, sums)
        for pair, total in zip(pairs, sums, strict=True):
            offer(best, 2 * total - mean, pair, 2)
        return best.found()

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
        self._fresh, self._stale = False, total < TINY
        if self._stale:
            return
        for sign, matrix in self.sides.items():
            mine = (self.signs == sign) & (D > 0.0)
            hits, misses = np.flatnonzero(mine & right), np.flatnonzero(mine & ~right)
            if len(hits) <= len(misses):
                matrix.add(hits, D[hits], (beta - 1.0) / total, keep=1.0 / total)
            else:
                matrix.add(misses, D[misses], (1.0 - beta) / total, keep=beta / total)


@compiled
def rescore(L, signed, pairs, sums):
    """Σ D_r f_r over the rows in which both literals of a pair hold."""
    for r in range(signed.size):
        if signed[r] != 0.0:
            for c in range(len(pairs)):
                if is_true(L, r, pairs[c, 0]) and is_true(L, r, pairs[c, 1]):
                    sums[c] += signed[r]


@compiled
def finalists(P, N, mean, share, ends, twins, slack, pairs):
    """Write to `pairs` the conjunctions whose value is less than `slack` below the highest, as many as fit;
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
        start, stop = L.indptr[rows[k]], L.indptr[rows[k] + 1]
        for p in range(start, stop):
            i = L.indices[p]
            for q in range(p, stop):
                Q[i, L.indices[q]] += weights[k]
