"""Products of rows with themselves: the numbers of SciPy's own call, and the other triangle untouched."""

import numpy as np
import pytest
from scipy.linalg.blas import ssyrk

from perceptrons.sparse.syrk import add_product


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (256, 70), (7, 130)])
def test_it_is_the_routine_of_scipy(shape):
    rng = np.random.default_rng(0)
    X = rng.random(shape).astype(np.float32)
    entries = rng.random((shape[1], shape[1])).astype(np.float32)
    expected = ssyrk(0.3, X.T, beta=1.0, c=entries.T.copy(order="F"), lower=1).T
    found = entries.copy()
    add_product(0.3, X, found)
    assert (found == expected).all()
    below = np.tril_indices(shape[1], -1)
    assert (found[below] == entries[below]).all()
    np.testing.assert_allclose(np.triu(found), np.triu(entries + 0.3 * X.T @ X), rtol=1e-5)


def test_arrays_that_blas_would_misread():
    X, entries = np.ones((4, 3), np.float32), np.zeros((3, 3), np.float32)
    for rows, sums in [(X.astype(float), entries), (X.T, entries), (X, np.zeros((4, 4), np.float32))]:
        with pytest.raises(AssertionError):
            add_product(1.0, rows, sums)
