"""Codes of cells: what is kept of sparse columns."""

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import LiteralEncoder
from perceptrons.tables.literal_cells import SPAN, pack_row_numbers


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("n_rows", [1, SPAN - 1, SPAN, SPAN + 1, 4 * SPAN + 9])
def test_row_numbers_of_two_bytes_are_read_back(n_rows, kind):
    rng = np.random.default_rng(0)
    ends = np.array([at for at in (0, SPAN - 1, SPAN, 2 * SPAN, n_rows - 1) if at < n_rows])
    some = np.union1d(ends, rng.permutation(n_rows)[: n_rows // 3]).astype(kind)
    beyond = some[(some < SPAN) | (some >= 3 * SPAN)]  # spans without a row
    for rows in (some, beyond, some[:0]):
        packed = pack_row_numbers(rows, n_rows)
        assert packed.low.nbytes == 2 * len(rows)
        assert packed.numbers().dtype == kind
        assert packed.numbers().tolist() == rows.tolist()


def test_a_sparse_cell_is_kept_in_three_bytes():
    """It took five: four of them told its row."""
    X = sp.random_array((100_000, 20), density=0.1, rng=np.random.default_rng(0), format="csr")
    codes, _ = LiteralEncoder().fit_codes(X, np.ones(X.shape[0]))
    assert all(one.rows is not None for one in codes)
    assert sum(one.codes.nbytes + one.rows.low.nbytes for one in codes) <= 3 * X.nnz
    whole = LiteralEncoder().fit_codes(X.toarray(), np.ones(X.shape[0]))[0]
    for one, other in zip(codes, whole, strict=True):
        back = np.full(X.shape[0], one.others)
        back[one.rows.numbers()] = one.codes
        assert (back == other.codes).all()
