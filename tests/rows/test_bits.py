"""Packed Boolean matrices: transposed, taken from bytes, counted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.rows.bits import from_bytes, joint_counts, pack_vector, popcount, weighted_ones
from perceptrons.rows.packing import pack_columns, pack_rows
from tests.random_bits import SIZES, random_bits

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(("n_rows", "width"), SIZES)
def test_rows_columns_bytes_and_frames_agree(n_rows, width):
    X = random_bits(n_rows, width)
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
def test_bytes_of_another_shape_raise(packed):
    with pytest.raises(ValueError, match=r"but 70 bits need uint8 and \(rows, 9\); pack with np.packbits"):
        from_bytes(packed, 70)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(0, 2**64 - 1))
def test_popcount(number):
    assert popcount(np.uint64(number)) == number.bit_count()


@pytest.mark.parametrize(("n_rows", "width"), [(1, 1), (130, 5), (64, 66), (200, 3)])
def test_counts_of_columns(n_rows, width):
    X, chosen = random_bits(n_rows, width), random_bits(n_rows, 1, 9)[:, 0]
    ones, both = np.zeros(width, np.int64), np.zeros(width, np.int64)
    joint_counts(pack_columns(X).words, pack_vector(chosen), ones, both)
    assert (ones == X.sum(axis=0)).all()
    assert (both == X[chosen].sum(axis=0)).all()
    for weights in (np.arange(n_rows), np.arange(n_rows) / 8):
        sums, others = np.zeros(width, weights.dtype), np.zeros(width, weights.dtype)
        weighted_ones(pack_rows(X).words, weights, weights * chosen, sums, others)
        assert (sums == weights @ X).all()
        assert (others == weights[chosen] @ X[chosen]).all()
