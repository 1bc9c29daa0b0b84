"""⟨w, x⟩ of many rows at once, where weights may have more digits than rows.

A product of rows in single precision with weights in double widens all rows first: a copy of twice their
size. Here a block of rows at a time is widened: the same sums, and next to no memory.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from .._types import Array

BLOCK_BYTES, FEWEST = 1 << 20, 64  # of a block that is widened; rows of a block at least


def row_products(X: Any, weights: Array) -> Array:
    """One column per line of `weights`, dense; in the higher of both precisions."""
    kind = np.result_type(X.dtype, weights.dtype)
    if X.dtype == kind:
        return np.asarray(safe_sparse_dot(X, weights.T, dense_output=True))
    products = np.empty((X.shape[0], len(weights)), kind)
    for part in row_blocks(X):
        products[part] = safe_sparse_dot(X[part].astype(kind), weights.T, dense_output=True)
    return products


def row_blocks(X: Any) -> Iterator[slice]:
    """The rows of an array or a CSR matrix, in blocks that stay in the cache."""
    n_rows, n_columns = X.shape
    per_row = n_columns * X.dtype.itemsize if isinstance(X, np.ndarray) else 12 * X.nnz // max(n_rows, 1)
    step = max(BLOCK_BYTES // max(per_row, 1), FEWEST)
    for start in range(0, n_rows, step):
        yield slice(start, start + step)
