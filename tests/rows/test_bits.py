"""Packed Boolean matrices: round trips, counts, unaligned widths, every source."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.binary.binarization import Levels, levels_of, medians, middles, others
from perceptrons.rows.bits import Bits, from_bytes, joint_counts, pack_vector, popcount, weighted_ones
from perceptrons.rows.packing import Flips, cells_of, comparable, flips_of, pack_columns, pack_rows, stacked
from perceptrons.tables.thresholds import Numbers, thresholds, whole_weights

pytestmark = pytest.mark.kernels

SIZES = [(1, 1), (3, 63), (5, 64), (2, 65), (64, 7), (65, 129), (70, 128), (0, 5)]
TYPES = [np.bool_, np.int8, np.uint8, np.int16, np.int64, np.uint64, np.float32, np.float64]


def cells(n_rows, width, seed=0, share=0.4):
    return np.random.default_rng([seed, n_rows, width]).random((n_rows, width)) < share


@pytest.mark.parametrize(("n_rows", "width"), SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_and_back(n_rows, width, dtype):
    X = cells(n_rows, width)
    packed = pack_rows(X.astype(dtype), 0.5)
    assert packed.words.dtype == np.uint64
    assert packed.words.shape == (n_rows, -(-width // 64))
    assert (packed.unpacked() == X).all()
    assert packed.unpacked().shape == X.shape
    assert (pack_rows(np.asfortranarray(X.astype(dtype)), 0.5).words == packed.words).all()


@pytest.mark.parametrize(("n_rows", "width"), SIZES)
def test_rows_columns_bytes_and_frames_agree(n_rows, width):
    X = cells(n_rows, width)
    rows, columns = pack_rows(X), pack_columns(X)
    assert (columns.unpacked() == X.T).all()
    assert columns.width == n_rows
    assert (columns.transposed().words == rows.words).all()
    by_numpy = np.packbits(X, axis=1, bitorder="little")
    assert (rows.to_bytes() == by_numpy).all()
    assert (from_bytes(by_numpy, width).words == rows.words).all()
    for frame in (pd.DataFrame(X), pl.DataFrame(X, schema=[f"c{j}" for j in range(width)])):
        assert (pack_rows(frame).words == rows.words).all()
        assert (pack_columns(frame).words == columns.words).all()
    assert len(rows) == n_rows
    assert (rows.take(np.arange(n_rows)[::2]).unpacked() == X[::2]).all()


def test_bits_beyond_the_width_are_zero():
    X = np.ones((3, 70), bool)
    assert pack_rows(X).words.tolist() == [[2**64 - 1, 63]] * 3
    assert pack_columns(X).words.tolist() == [[7]] * 70
    dirty = np.full((3, 9), 255, np.uint8)  # 70 of 72 bits count
    assert (from_bytes(dirty, 70).words == pack_rows(X).words).all()


@pytest.mark.parametrize(
    "packed", [np.zeros((2, 8), np.uint8), np.zeros((2, 9), np.int8), np.zeros(9, np.uint8)]
)
def test_bytes_of_another_shape_are_refused(packed):
    with pytest.raises(ValueError, match=r"but 70 bits need uint8 and \(rows, 9\); pack with np.packbits"):
        from_bytes(packed, 70)


@pytest.mark.parametrize(("n_rows", "width"), SIZES)
def test_sparse_rows_are_the_same_cells(n_rows, width):
    rng = np.random.default_rng(n_rows)
    X = np.where(cells(n_rows, width), rng.standard_normal((n_rows, width)).round(1), 0.0)
    cuts = rng.choice([-0.5, 0.0, 0.5], width)
    for matrix in (sp.csr_array(X), sp.csr_matrix(X), sp.csc_array(X)):
        assert (pack_rows(matrix, cuts).unpacked() == (X > cuts)).all()
    flips = flips_of(sp.csr_array(X), cuts)
    assert (flips.packed().unpacked() == (X > cuts)).all()
    which = np.arange(n_rows)[::-2]
    assert (flips.take(which).packed().unpacked() == (X > cuts)[which]).all()


def test_duplicates_and_stored_zeros_of_sparse_rows_are_cells_like_any_other():
    matrix = sp.csr_matrix(([1.0, -1.0, 0.0, 2.0], [0, 0, 1, 2], [0, 3, 4]), (2, 3))
    assert pack_rows(matrix, [-0.5, -0.5, 0.5]).unpacked().tolist() == [
        [True, True, False],
        [True, True, True],
    ]
    assert matrix.nnz == 4  # the user's own matrix stays as it is


def test_sparse_and_packed_rows_can_be_stacked():
    X, Y = cells(4, 70, 1).astype(float), cells(6, 70, 2).astype(float)
    both = np.concatenate([X, Y]) > 0
    sparse = [cells_of(sp.csr_array(Z), np.zeros(70)) for Z in (X, Y)]
    packed = [cells_of(Z, np.zeros(70)) for Z in (X, Y)]
    assert isinstance(stacked(*sparse), Flips)
    for one, other in [sparse, packed, (sparse[0], packed[1]), (packed[0], sparse[1])]:
        rows = stacked(one, other)
        assert ((rows if isinstance(rows, Bits) else rows.packed()).unpacked() == both).all()


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(0, 2**64 - 1))
def test_popcount(number):
    assert popcount(np.uint64(number)) == number.bit_count()


@pytest.mark.parametrize(("n_rows", "width"), [(1, 1), (130, 5), (64, 66), (200, 3)])
def test_counts_of_columns(n_rows, width):
    X, chosen = cells(n_rows, width), cells(n_rows, 1, 9)[:, 0]
    ones, both = np.zeros(width, np.int64), np.zeros(width, np.int64)
    joint_counts(pack_columns(X).words, pack_vector(chosen), ones, both)
    assert (ones == X.sum(axis=0)).all()
    assert (both == X[chosen].sum(axis=0)).all()
    for weights in (np.arange(n_rows), np.arange(n_rows) / 8):
        sums, others = np.zeros(width, weights.dtype), np.zeros(width, weights.dtype)
        weighted_ones(pack_rows(X).words, weights, weights * chosen, sums, others)
        assert (sums == weights @ X).all()
        assert (others == weights[chosen] @ X[chosen]).all()


@settings(deadline=None, derandomize=True, max_examples=200)
@given(
    st.sampled_from([np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float32]),
    st.floats(allow_nan=False),
    st.lists(st.integers(0, 100), min_size=1, max_size=5),
)
def test_cuts_in_the_type_of_the_values_divide_alike(dtype, cut, values):
    """Also cuts that the type cannot hold."""
    X = np.array([values], dtype)
    Y, own = comparable(X, np.full(len(values), cut))
    assert ((Y > own) == (X.astype(np.float64) > cut)).all()
    assert Y.dtype == own.dtype


def test_cuts_near_float32_are_rounded_down():
    third = np.float32(1) / 3  # a little more than a third
    X = np.array([[np.nextafter(third, np.float32(0)), third]])
    assert pack_rows(X, 1 / 3).unpacked().tolist() == (X.astype(float) > 1 / 3).tolist() == [[False, True]]


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
        more = others(matrix, levels)
        assert more.tolist() == [False, False, False, True, False, True, False, False]
        cuts = middles(levels)
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
        others(matrix, levels_of(matrix)).tolist() == [False, True, True] == others(X, levels_of(X)).tolist()
    )
