"""The data room: the door, rows, orders, synthetic sets."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

from perceptrons import Perceptron
from perceptrons.compiled import compiled
from perceptrons.rows import layouts as rows
from perceptrons.rows import order
from perceptrons.rows.encode import as_rows, encode, vanishing
from perceptrons.synthetic import separable
from tests.naive.best_margin import best_margin

pytestmark = pytest.mark.kernels


def door(X, y):
    return encode(BaseEstimator(), X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_pass_without_a_copy(dtype):
    X, y = np.ones((5, 3), dtype), [0, 1, 0, 1, 0]
    assert np.shares_memory(door(X, y).X, X)
    sparse = sp.csr_array(X)
    inside = door(sparse, y).X
    assert np.shares_memory(inside.data, sparse.data)
    assert np.shares_memory(inside.indices, sparse.indices)
    assert inside.data.dtype == dtype
    assert inside.indices.dtype.kind == "u"


def test_norms_come_with_the_rows():
    data = door(np.array([[3.0, 4.0], [0.0, 1.0], [0.0, 0.0]]), [1, 2, 1])
    assert (data.largest, data.smallest) == (25.0, 0.0)
    assert vanishing(data.X, 3).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("y", "classes", "signs"),
    [
        ([0, 1, 1, 0], [0, 1], [[-1, 1, 1, -1]]),
        ([5, -3, -3, 5], [-3, 5], [[1, -1, -1, 1]]),
        ([True, False, False, True], [False, True], [[1, -1, -1, 1]]),
        (["no", "yes", "no", "no"], ["no", "yes"], [[-1, 1, -1, -1]]),
        ([1.0, 2.0, 2.0, 1.0], [1.0, 2.0], [[-1, 1, 1, -1]]),
        ([2, 0, 1, 2], [0, 1, 2], [[-1, 1, -1, -1], [-1, -1, 1, -1], [1, -1, -1, 1]]),
    ],
)
def test_labels_become_signs(y, classes, signs):
    data = door(np.eye(4), y)
    assert data.classes.tolist() == classes
    assert [s.tolist() for s in data.signs()] == signs
    assert (data.classes[data.codes.astype(int)] == np.array(y)).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(frame):
    table = frame({"age": [1.0, 2.0, 3.0], "dose": [0.0, 1.0, 0.0]})
    model = Perceptron(random_state=0).fit(table, ["a", "b", "b"])
    assert model.feature_names_in_.tolist() == ["age", "dose"]
    assert (model.predict(table) == ["a", "b", "b"]).all()


@compiled
def every_word(X, i, w):
    total = rows.dot(X, i, w)
    rows.add(X, i, 2.0, w)
    return total, rows.sqnorm(X, i), rows.stream(X, 0, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]))
def test_compiled_words_mean_what_the_plain_ones_say(n, seed, dtype):
    rng = np.random.default_rng(seed)
    dense = (rng.integers(-5, 6, (3, n)) * (rng.random((3, n)) < 0.6)).astype(dtype)
    w = rng.integers(-5, 6, n).astype(dtype)
    for X in (dense, as_rows(sp.csr_array(dense))):
        for i in range(3):
            after, row = w.copy(), np.uint32(i)
            total, q, _ = every_word(X, row, after)
            assert total == rows.dot(X, i, w) == dense[i] @ w
            assert q == rows.sqnorm(X, i) == (dense[i] ** 2).sum()
            plain = w.copy()
            rows.add(X, i, 2.0, plain)
            assert np.array_equal(after, w + 2 * dense[i])
            assert np.array_equal(plain, after)


@settings(deadline=None)
@given(st.integers(1, 700), st.integers(0, 1000))
def test_a_shuffle_visits_every_row_once_block_by_block(m, seed):
    visited = order.shuffled(m, np.random.RandomState(seed))
    assert sorted(visited.tolist()) == list(range(m))
    blocks = visited // order.BLOCK
    assert (np.diff(blocks.astype(int)) != 0).sum() == -(-m // order.BLOCK) - 1


def test_shuffles_differ_from_epoch_to_epoch_and_follow_the_seed():
    first, again = (order.generators(3, 2) for _ in range(2))
    one, two = order.shuffled(200, first[0]), order.shuffled(200, first[0])
    assert not np.array_equal(one, two)
    assert np.array_equal(one, order.shuffled(200, again[0]))
    assert not np.array_equal(one, order.shuffled(200, again[1]))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 60), st.integers(1, 12), st.floats(0.001, 1.0), st.floats(0.1, 100.0), st.integers(0, 99)
)
def test_separable_sets_have_the_margin_they_promise(m, n, share, radius, seed):
    margin = share * radius
    X, y, teacher = separable(m, n, margin=margin, radius=radius, random_state=seed)
    assert np.linalg.norm(teacher) == pytest.approx(1.0)
    assert np.allclose(np.linalg.norm(X, axis=1), radius)
    assert (y * (X @ teacher)).min() >= margin - 1e-14 * radius
    if n >= 2:
        assert best_margin(X, y) == pytest.approx(margin, rel=1e-6)


def test_separable_sets_sparse_and_noisy():
    X, y, teacher = separable(300, 50, margin=0.1, density=0.1, noise=0.2, random_state=0)
    assert sp.issparse(X)
    assert (np.diff(X.indptr) == 5).all()
    assert np.allclose(sp.linalg.norm(X, axis=1), 1.0)
    assert ((y * (X @ teacher)) < 0).sum() == 60
    assert np.abs(X @ teacher).min() >= 0.1 - 1e-12
