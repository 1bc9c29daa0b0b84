"""Where columns are cut: between two values, or at the median; in dense and sparse rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons.binary.binarization import (
    TOGETHER,
    Levels,
    has_other_values,
    levels_of,
    medians,
    midpoints,
    neighbors,
)
from perceptrons.tables.thresholds import Numbers, thresholds, whole_weights

pytestmark = pytest.mark.kernels


def test_levels_and_cuts_of_columns():
    columns = {
        "binary": [0, 1, 1, 0, 1],
        "signs": [-1, -1, 1, 1, 1],
        "one": [2, 2, 2, 2, 2],
        "three": [0, 1, 2, 2, 2],
        "near": [1.0, np.nextafter(1.0, 2.0)] * 2 + [1.0],
        "spread": [5, 1, 4, 2, 3],
        "nearer": [
            1.0 + 2**-52,
            1.0 + 2**-51,
            1.0 + 2**-52,
            1.0 + 2**-52,
            1.0 + 2**-51,
        ],  # the middle is no float
        "huge": [-1.5e308, 1.5e308, 1.5e308, -1.5e308, 1.5e308],
    }
    X = np.array(list(columns.values())).T
    for matrix in (X, sp.csr_array(X)):
        levels = levels_of(matrix)
        more = has_other_values(matrix, levels)
        assert more.tolist() == [False, False, False, True, False, True, False, False]
        cuts = midpoints(levels)
        assert cuts[[0, 1, 2, 4, 6, 7]].tolist() == [0.5, 0.0, 1.0, 1.0, 1.0 + 2**-52, 0.0]
        assert medians(matrix, np.array([3, 5]), None).tolist() == [1.0, 3.0]  # 2 is the maximum of "three"
        assert medians(matrix, np.array([5]), np.array([10.0, 1, 1, 1, 1])).tolist() == [4.0]
    assert (Levels(np.zeros(1), np.ones(1)).low == 0).all()


def test_quick_medians_are_quantiles():
    """Those of `thresholds`, with many zeros or none, few values or many, weights or not."""
    rng, n_zeros = np.random.default_rng(0), 0
    for n_rows in [3, 4, 5, 40, 41]:
        pools = [rng.normal(size=n_rows), rng.integers(0, 3, n_rows), rng.integers(-2, 3, n_rows)]
        columns = [
            rng.choice(pool, n_rows) * (rng.random(n_rows) < share) for pool in pools for share in (0.2, 1)
        ]
        columns = [column for column in columns if len(np.unique(column)) > 1]
        X, some = np.array(columns).T, np.arange(len(columns))
        for weights in (None, rng.integers(1, 9, n_rows), rng.random(n_rows)):
            whole = None if weights is None else whole_weights(weights, 1)
            expected = [thresholds(Numbers(column, n_rows), whole, 1)[0] for column in X.T]
            assert medians(X, some, weights).tolist() == expected
            assert medians(sp.csr_array(X), some, weights).tolist() == expected
            n_zeros += np.count_nonzero(np.array(expected) == 0)
    assert 20 < n_zeros < 60


def test_a_sparse_column_without_zeros_may_have_two_values():
    X = np.array([[1.0, 1.0, 0.0], [2.0, 0.0, -1.0], [1.0, 2.0, 1.0]])
    matrix = sp.csr_array(X)
    assert (
        has_other_values(matrix, levels_of(matrix)).tolist()
        == [False, True, True]
        == has_other_values(X, levels_of(X)).tolist()
    )


@pytest.mark.parametrize("kind", ["float32", "float64", "int8", "uint16", "int32", "int64"])
def test_medians_do_not_depend_on_the_type_of_the_numbers(kind):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 100, (101, TOGETHER + 5))  # more columns than are read together
    X[:, 0] = np.arange(101) % 7
    X[:, 3] = np.where(np.arange(101) < 60, 99, X[:, 3])  # whose median is the maximum
    some = np.array([0, 3, *range(5, TOGETHER + 5)])
    before = X.astype(kind)
    expected = [thresholds(Numbers(X[:, j].astype(float), 101), None, 1)[0] for j in some]
    assert medians(before, some, None).tolist() == expected
    assert (before == X).all()  # partitions happen in copies


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_medians_of_dense_numbers_are_short_and_lie_between_the_two(kind):
    X = np.random.default_rng(0).normal(size=(20_001, 3)).astype(kind)
    expected = [thresholds(Numbers(one.astype(float), len(one)), None, 1)[0] for one in X.T]
    assert medians(X, np.arange(3), None).tolist() == expected
    below, above = neighbors(np.array([3, 1, 2, 2, 5], kind), kind(2))
    assert (below, above) == (1, 3)
    assert neighbors(np.array([2, 2, 2], kind), kind(2)) == (2, 2)
