"""The door: rows pass without a copy, labels become signs, frames keep their names."""

import numba
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from perceptrons import Perceptron
from perceptrons.rows.encode import encode, vanishing

pytestmark = pytest.mark.kernels


def encoded(X, y):
    return encode(BaseEstimator(), X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_floats_pass_without_a_copy(dtype):
    X, y = np.ones((5, 3), dtype), [0, 1, 0, 1, 0]
    assert np.shares_memory(encoded(X, y).X, X)
    sparse = sp.csr_array(X)
    inside = encoded(sparse, y).X
    assert np.shares_memory(inside.data, sparse.data)
    assert np.shares_memory(inside.indices, sparse.indices)
    assert inside.data.dtype == dtype
    assert inside.indices.dtype.kind == "u"


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_rows_in_read_only_memory_need_no_code_of_their_own(layout):
    """Such as joblib hands to its processes: Numba compiles a function for each type it is given."""
    X, locked = layout(np.eye(3)), layout(np.eye(3))
    for array in [locked] if layout is np.asarray else [locked.data, locked.indices, locked.indptr]:
        array.flags.writeable = False
    assert numba.typeof(encoded(X, [0, 1, 0]).X) == numba.typeof(encoded(locked, [0, 1, 0]).X)


def test_norms_come_with_the_rows():
    data = encoded(np.array([[3.0, 4.0], [0.0, 1.0], [0.0, 0.0]]), [1, 2, 1])
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
    data = encoded(np.eye(4), y)
    assert data.classes.tolist() == classes
    assert [s.tolist() for s in data.signs()] == signs
    assert (data.classes[data.codes.astype(int)] == np.array(y)).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names(frame):
    table = frame({"age": [1.0, 2.0, 3.0], "dose": [0.0, 1.0, 0.0]})
    model = Perceptron(random_state=0).fit(table, ["a", "b", "b"])
    assert model.feature_names_in_.tolist() == ["age", "dose"]
    assert (model.predict(table) == ["a", "b", "b"]).all()
