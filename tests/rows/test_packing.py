"""Arrays and CSR matrices become bits: every type of number, sparse rows, cuts of every size."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.rows.bits import Bits
from perceptrons.rows.packing import SparseBits, comparable, cut_rows, pack_rows, stack_rows, to_bits
from tests.random_bits import SIZES, random_bits

pytestmark = pytest.mark.kernels

TYPES = [np.bool_, np.int8, np.uint8, np.int16, np.int64, np.uint64, np.float32, np.float64]


@pytest.mark.parametrize(("n_rows", "width"), SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_and_back(n_rows, width, dtype):
    X = random_bits(n_rows, width)
    packed = pack_rows(X.astype(dtype), 0.5)
    assert packed.words.dtype == np.uint64
    assert packed.words.shape == (n_rows, -(-width // 64))
    assert (packed.unpacked() == X).all()
    assert packed.unpacked().shape == X.shape
    assert (pack_rows(np.asfortranarray(X.astype(dtype)), 0.5).words == packed.words).all()


@pytest.mark.parametrize(("n_rows", "width"), SIZES)
def test_sparse_rows_are_the_same_cells(n_rows, width):
    rng = np.random.default_rng(n_rows)
    X = np.where(random_bits(n_rows, width), rng.standard_normal((n_rows, width)).round(1), 0.0)
    cuts = rng.choice([-0.5, 0.0, 0.5], width)
    for matrix in (sp.csr_array(X), sp.csr_matrix(X), sp.csc_array(X)):
        assert (pack_rows(matrix, cuts).unpacked() == (X > cuts)).all()
    seen = cut_rows(sp.csr_array(X), cuts)
    for sparse in (seen, seen.kept()):
        assert (sparse.packed().unpacked() == (X > cuts)).all()
        which = np.arange(n_rows)[::-2]
        assert (sparse.take(which).packed().unpacked() == (X > cuts)[which]).all()


def test_duplicates_and_stored_zeros_of_sparse_rows_are_cells_like_any_other():
    matrix = sp.csr_matrix(([1.0, -1.0, 0.0, 2.0], [0, 0, 1, 2], [0, 3, 4]), (2, 3))
    assert pack_rows(matrix, [-0.5, -0.5, 0.5]).unpacked().tolist() == [
        [True, True, False],
        [True, True, True],
    ]
    assert matrix.nnz == 4  # the user's own matrix stays as it is


def test_sparse_and_packed_rows_can_be_stacked():
    X, Y = random_bits(4, 70, 1).astype(float), random_bits(6, 70, 2).astype(float)
    both = np.concatenate([X, Y]) > 0
    sparse = [to_bits(sp.csr_array(Z), np.zeros(70)).kept() for Z in (X, Y)]
    packed = [to_bits(Z, np.zeros(70)) for Z in (X, Y)]
    assert isinstance(stack_rows(*sparse), SparseBits)
    for one, other in [sparse, packed, (sparse[0], packed[1]), (packed[0], sparse[1])]:
        rows = stack_rows(one, other)
        assert ((rows if isinstance(rows, Bits) else rows.packed()).unpacked() == both).all()


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
