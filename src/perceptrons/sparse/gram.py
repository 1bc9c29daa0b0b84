"""Weighted Gram matrices of rows of literals: Σ D_r x_r x_rᵀ, whose entry (i, j) is the weight of the rows in
which both literals hold. Only entries with j ≥ i are kept.

Rows of zeros and ones go to BLAS, a block at a time, in float32, half the work of a general product. CSR rows
hold few ones, whose pairs are added one by one, in float64. Either way `error` bounds what rounding has done
to any entry: weights are normalised, so that entries are at most 1 in the end, and rounding is worst when it
always errs to the same side, once for each term of a sum.
"""

import numpy as np
from scipy.linalg.blas import ssyrk

from ..data.compiled import compiled
from ..data.marks import Marks
from ..data.rows import CSR, Array

BLOCK = 256  # rows at a time: short sums, small errors
EXACT = 2**24  # float32 counts up to here


class GramMatrix:
    """Q = Σ D_r x_r x_rᵀ over rows that come and go."""

    def __init__(self, L: Marks, n_literals: int) -> None:
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
        # relative weights, scaled at the end: where all are equal, rows are counted, and nothing is lost
        self.add(rows, weights / largest, 1.0)
        if weights.min() == largest and len(rows) < EXACT:
            self.error = 0.0
        self._keep(largest)

    def add(self, rows: Array, weights: Array, factor: float, keep: float = 1.0) -> None:
        """Q ← keep·Q + factor·Σ w_r x_r x_rᵀ; the weights are those of the rows named."""
        if keep != 1.0:
            self._keep(keep)
        added = abs(factor) * float(weights.sum())
        largest = max(added, keep, 1.0)  # that an entry was on the way
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
        """BLAS keeps what Fortran calls the lower triangle: in C order, entries with j ≥ i."""
        largest = float(weights.max(initial=0.0))
        roots = np.sqrt(weights / largest).astype(np.float32)
        buffer = np.empty((min(BLOCK, len(rows)), len(self.entries)), np.float32)
        for start in range(0, len(rows), BLOCK):
            part = slice(start, start + BLOCK)
            block = buffer[: len(rows[part])]
            np.multiply(self.L[rows[part]], roots[part, None], out=block)
            ssyrk(factor * largest, block.T, beta=1.0, c=self.entries.T, overwrite_c=1, lower=1)


@compiled
def add_pairs(L, rows, weights, Q):
    """Q_ij += w_r for every pair i ≤ j of literals that hold in row r."""
    for k in range(rows.size):
        start, stop = L.indptr[rows[k]], L.indptr[rows[k] + 1]
        for p in range(start, stop):
            i = L.indices[p]
            for q in range(p, stop):
                Q[i, L.indices[q]] += weights[k]
