"""Products of rows with weights of more digits: the same sums, and no copy of the rows."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons.rows.products import BLOCK_BYTES, row_blocks, row_products

N = 60
ROWS = 5 * BLOCK_BYTES // (4 * N)
X = np.random.default_rng(0).integers(-4, 5, (ROWS, N)).astype(np.float32)
W = np.random.default_rng(1).integers(-9, 10, (2, N)) / 2**30 + 1.0  # needs double precision


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_sums_are_those_of_double_precision(make):
    found = row_products(make(X), W)
    assert found.dtype == np.float64
    assert np.array_equal(found, X.astype(np.float64) @ W.T)
    assert not np.array_equal(found, X @ W.T.astype(np.float32))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_of_as_many_digits_are_multiplied_at_once(kind):
    found = row_products(X.astype(kind), W.astype(np.float32))
    assert found.dtype == kind
    assert np.array_equal(found, X.astype(kind) @ W.T.astype(np.float32))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_blocks_are_all_rows(make):
    parts = [*row_blocks(make(X))]
    assert len(parts) > 3
    assert np.array_equal(np.concatenate([X[part] for part in parts]), X)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_no_copy_of_all_rows(make):
    rows = make(X)
    tracemalloc.start()
    row_products(rows, W)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * ROWS + 6 * BLOCK_BYTES
    assert peak < 0.8 * X.nbytes * 2  # a copy in double precision would be twice the rows
