"""What NumPy is asked for beyond the rows: no copies. `python -m benchmarks memory` sees all memory."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import BinaryPerceptron, ConservativePerceptron, MaxMarginPerceptron
from perceptrons.margin.maximum.newton import accumulate, minimiser
from perceptrons.margin.maximum.slack import BLOCK, sum_per_weight
from perceptrons.rows.encode import as_rows
from perceptrons.rows.packing import cut_rows
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
    assert peak(lambda: cut_rows(sparse, np.full(60, 1.0)).packed()) < 0.1 * n_bytes
    seen = cut_rows(sparse, np.full(60, 1.0))
    assert peak(lambda: seen.take(np.arange(2_000))) < 0.1 * n_bytes
    assert not any(np.shares_memory(part, sparse.indices) for part in (seen.kept().indices, seen.base))


def test_counts_and_votes_read_csr_cells_where_they_lie():
    """The columns of all cells beyond their cuts were copied, a third of the rows."""
    sparse = sp.csr_array(np.where(X > 0.3, X, 0).astype(np.float64))
    n_bytes, y = sparse.data.nbytes + sparse.indices.nbytes, X[:, 0] + X[:, 1] > 0
    model = BinaryPerceptron(method="clipped-hebb", binarize=1.0, threshold=0)
    assert peak(lambda: model.fit(sparse, y)) < 0.15 * n_bytes
    assert peak(lambda: model.predict(sparse)) < 0.15 * n_bytes
    assert (model.predict(sparse) == model.predict(sparse.toarray())).all()


def test_newton_steps_hold_a_matrix_of_columns_once():
    """Four of them were made of sparse rows; now the products come some lines at a time, and the factor takes
    the place of its matrix."""
    n = 800
    sparse = sp.random_array((2_000, n), density=0.02, rng=rng, format="csr")
    y, squares, totals = np.where(rng.random(2_000) < 0.5, -1, 1), np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    rows = np.arange(2_000)
    whole = 2 * (sparse.T @ sparse).toarray()
    assert peak(lambda: accumulate(sparse, y, rows, 1.0, squares, totals)) < 0.8 * squares.nbytes
    assert np.allclose(squares[:n, :n], whole)  # `peak` works twice
    assert peak(lambda: minimiser(squares, totals, 1.0, True)) < 1.2 * squares.nbytes


def test_slack_lets_a_fit_hold_few_numbers_per_row():
    """It was 0.22 of these rows: those of the last look were kept,
    and numbers made for all rows at once."""
    wide = np.hstack([X, X[:, :40]])
    signs = X[:, 0] + rng.standard_normal(len(X)) > 0
    model = MaxMarginPerceptron(C=1.0, max_iter=5)
    assert peak(lambda: model.fit(wide, signs)) < 0.2 * wide.nbytes


@pytest.mark.parametrize("n", [7, BLOCK, 3 * BLOCK + 13, 10 * BLOCK + 5])
def test_slack_added_up_in_parts_is_the_same_to_the_last_bit(n):
    values, weights, rows = rng.standard_normal(n), rng.random(2 * n) + 0.1, 2 * np.arange(n)
    assert sum_per_weight(values, weights[:0], rows) == (values * values).sum()
    assert sum_per_weight(values, weights, rows) == (values * values / weights[rows]).sum()
