"""What NumPy is asked for beyond the rows: no copies. `python -m benchmarks memory` sees all memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import ConservativePerceptron, MaxMarginPerceptron
from perceptrons.rows.encode import as_rows
from perceptrons.rows.packing import sparse_bits
from perceptrons.rows.standardized import standardized

rng = np.random.default_rng(0)
X = rng.standard_normal((60_000, 60)).astype(np.float32)
FEW = X[:200].astype(np.float64)


def peak(work) -> int:
    """The most bytes at once."""
    work()  # compiled, imported
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


@pytest.mark.parametrize(
    "model", [MaxMarginPerceptron(), ConservativePerceptron(max_epochs=2, random_state=0)]
)
def test_rows_in_single_precision_are_not_widened(model):
    """They were, and that is twice their size."""
    model.fit(FEW, FEW[:, 0] > 0)
    assert model.coef_.dtype == np.float64
    assert peak(lambda: model.predict(X)) < 0.4 * X.nbytes
    part = X[:500]
    assert np.allclose(model.decision_function(part), model.decision_function(part.astype(np.float64)), 1e-9)


@pytest.mark.kernels
def test_csr_cells_are_not_copied():
    """Nearly three copies were made to standardize them, and two to see them as bits."""
    sparse = sp.csr_array(np.where(X[:20_000] > 0.3, X[:20_000], 0).astype(np.float64))
    n_bytes, rows = sparse.data.nbytes + sparse.indices.nbytes, as_rows(sparse)
    assert peak(lambda: standardized(sparse, rows)) < 0.1 * n_bytes
    assert peak(lambda: sparse_bits(sparse, np.full(60, 1.0))) < 0.5 * n_bytes
