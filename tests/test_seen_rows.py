"""Rows are known again in any layout, precision or frame; and others are not taken for them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from perceptrons import BinaryPerceptron, Perceptron, SparsePerceptron
from perceptrons.seen_rows import FEW, MOST, SeenRows, compare_rows, marks_of, remember

EVERY = slice(None)
rng = np.random.default_rng(0)
X = np.where(rng.random((100, 6)) < 0.5, 0.0, rng.integers(-5, 6, (100, 6)) / 4)
y = (X[:, 0] + X[:, 1] > 0).astype(int)


class NoModel:
    """It has no encoder, and remembers nothing."""


def same_marks(one, other):
    assert np.array_equal(marks_of(one, EVERY), marks_of(other, EVERY))


def test_layouts_and_precisions_agree():
    for other in (X.tolist(), X.astype(np.float32), X.astype(object), sp.csr_array(X), sp.coo_array(X)):
        same_marks(X, other)
    for frame in (pd.DataFrame(X), pl.DataFrame(X, schema=[*"abcdef"])):
        same_marks(X, frame)
    same_marks(4 * X, (4 * X).astype(np.int8))
    same_marks(-X * 0.0, np.zeros_like(X))


@given(arrays(np.float64, (5, 3), elements=st.floats(-1e6, 1e6)))
def test_dense_is_sparse(cells):
    same_marks(cells, sp.csr_array(cells))


@given(st.integers(0, 99), st.integers(0, 5), st.integers(-3, 3).filter(bool))
def test_one_cell_makes_another_mark(row, column, by):
    other = X.copy()
    other[row, column] += by / 4
    assert np.flatnonzero(marks_of(X, EVERY) != marks_of(other, EVERY)).tolist() == [row]


def test_few_collisions_among_small_whole_numbers():
    cells = np.array(np.meshgrid(*[range(-6, 7)] * 4)).reshape(4, -1).T
    assert len(np.unique(marks_of(cells.astype(float), EVERY))) == len(cells)


def test_columns_are_told_apart():
    assert (marks_of(X[:, ::-1], EVERY) != marks_of(X, EVERY)).mean() > 0.9


def test_cells_of_any_kind():
    rows = [["red", 1, None], ["blue", 2.5, True], ["red", np.nan, False]]
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    marks = marks_of(rows, EVERY)
    assert len(set(marks)) == 3
    assert np.array_equal(marks, marks_of(np.array(rows, object), EVERY))
    assert np.array_equal(marks, marks_of(frame, EVERY))
    assert np.array_equal(
        marks,
        marks_of(
            pl.DataFrame(
                {name: frame[name].tolist() for name in ("a",)}
                | {"b": [1.0, 2.5, None], "c": [None, True, False]}
            ),
            EVERY,
        ),
    )


def test_a_fit_remembers_evenly_spread_rows():
    seen = Perceptron(random_state=0).fit(X, y)._seen_rows
    assert seen.n_rows == 100
    assert len(seen.marks) <= FEW
    assert np.array_equal(seen.marks, marks_of(X[::7], EVERY))
    assert not seen.weighted
    assert not seen.streamed


def test_comparison():
    seen = remember(NoModel(), X, False, False)
    assert compare_rows(seen, X, NoModel())[:2] == (True, False)
    in_parts = seen._replace(streamed=True)  # in which order is not known, so only that the marks are there
    assert compare_rows(in_parts, X, NoModel())[:2] == (False, True)
    assert compare_rows(seen, sp.csr_array(X), NoModel()).same
    assert compare_rows(seen, X[::-1], NoModel())[:2] == (False, True)
    half = compare_rows(seen, X[:50], NoModel())
    assert (half.same, half.moved) == (False, False)
    assert 0 < half.n_found < half.n_marks
    other = compare_rows(seen, X + 100.0, NoModel())
    assert other.n_found == 0
    twice = compare_rows(seen, np.repeat(X + 100.0, [2] * 10 + [1] * 90, axis=0), NoModel())
    assert twice.repeated == pytest.approx(20 / 110, abs=0.1)


def test_a_stream_remembers_all_batches():
    model = Perceptron(random_state=0)
    for start in range(0, 100, 20):
        model.partial_fit(X[start : start + 20], y[start : start + 20], classes=[0, 1])
    seen = model._seen_rows
    assert (seen.n_rows, seen.streamed) == (100, True)
    assert compare_rows(seen, X, model).moved
    assert 0 < compare_rows(seen, X[80:], model).n_found < len(seen.marks)
    for _ in range(60):
        model.partial_fit(X[:20], y[:20])
    assert len(model._seen_rows.marks) <= MOST


def test_counts_that_are_merged():
    signs = np.where(X > 0, 1.0, -1.0)
    parts = [BinaryPerceptron(binarize=0.0, random_state=0).fit(signs[k::2], y[k::2]) for k in (0, 1)]
    merged = parts[0].merge(parts[1])
    assert merged._seen_rows.n_rows == 100
    assert compare_rows(merged._seen_rows, signs, merged).moved


def test_weights_are_remembered_and_a_refused_fit_is_not():
    model = Perceptron(random_state=0).fit(X, y, sample_weight=np.ones(100))
    assert model._seen_rows.weighted
    before = model._seen_rows
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((4, 6), np.nan), [0, 1, 0, 1])
    assert model._seen_rows is before


def test_columns_left_out_of_a_frame_do_not_count():
    """A table that comes later may lack them."""
    frame = pd.DataFrame(X[:, :3], columns=[*"abc"]).assign(row_id=[f"r{i}" for i in range(100)])
    model = SparsePerceptron(random_state=0).fit(frame, y)
    assert model.encoder_.left_out_ == ["row_id"]
    assert compare_rows(model._seen_rows, frame.drop(columns="row_id"), model).same


def test_an_empty_and_a_short_table():
    assert len(remember(NoModel(), X[:1], False, False).marks) == 1
    assert marks_of(sp.csr_array((3, 2)), EVERY).tolist() == [0, 0, 0]
    assert SeenRows(1, np.zeros(1, np.int64)).weighted is False
