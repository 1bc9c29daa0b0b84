"""A column that held names and now holds numbers is refused: its cells are no names never seen."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from perceptrons import LiteralEncoder, Perceptron, SparsePerceptron, TableEncoder

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CODES = np.arange(12) % 2
LEARNERS = [
    TableEncoder(),
    LiteralEncoder(),
    SparsePerceptron(),
    make_pipeline(TableEncoder(), Perceptron(random_state=0)),
]
MAKES = [pd.DataFrame, pl.DataFrame]


def answers(model, table):
    return model.predict(table) if hasattr(model, "predict") else model.transform(table)


def fitted(learner, names, make=pd.DataFrame):
    return clone(learner).fit(make({"color": names, "size": np.arange(12.0)}), CODES)


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_numbers_where_no_name_is_one(learner, make):
    model = fitted(learner, ["red", "blue"] * 6, make)
    for cells, what in [([1, 2], "number"), ([1.5, None], "number"), ([True, False], "truth value")]:
        message = (
            f"Column 'color' held names when the encoder was fitted, none of them a {what}, but now holds"
        )
        with pytest.raises(ValueError, match=message):
            answers(model, make({"color": cells, "size": [1.0, 2.0]}))
    frame = pd.DataFrame({"color": pd.Series([1, 2], dtype="category"), "size": [1.0, 2.0]})
    with pytest.raises(ValueError, match="but now holds 1; pass the column as texts"):
        answers(model, frame)
    with pytest.raises(ValueError, match="but now holds 7"):  # one such cell, whatever the other rows hold
        answers(model, pd.DataFrame({"color": np.array(["red", 7], object), "size": [1.0, 2.0]}))


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_what_is_fine(learner, make):
    """Names never seen, nothing at all, and numbers where names were spelled like numbers."""
    model = fitted(learner, ["red", "blue"] * 6, make)
    for cells in (["red", "green"], [None, None], [None, "7"]):
        answers(model, make({"color": cells, "size": [1.0, 2.0]}))
    answers(model, pd.DataFrame({"color": [np.nan, np.nan], "size": [1.0, 2.0]}))
    spelled = fitted(learner, ["1", "2"] * 6, make)
    one = answers(spelled, make({"color": ["1", "2", "3"], "size": [1.0, 2.0, 3.0]}))
    for cells in ([1, 2, 3], [1.0, 2.0, 3.0]):
        assert (one == answers(spelled, make({"color": cells, "size": [1.0, 2.0, 3.0]}))).all()
    with pytest.raises(ValueError, match="none of them a truth value"):
        answers(spelled, make({"color": [True, False], "size": [1.0, 2.0]}))
    truths = fitted(learner, ["True", "False"] * 6, make)
    answers(truths, make({"color": [True, False], "size": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="none of them a number"):
        answers(truths, make({"color": [1, 0], "size": [1.0, 2.0]}))
    mixed = np.array(["red", 7] * 6, object)
    answers(fitted(learner, mixed), pd.DataFrame({"color": [7, 8], "size": [1.0, 2.0]}))


def test_arrays_and_sparse_matrices():
    names = np.array([["red", "x"], ["blue", "y"]] * 6)
    for encoder in (TableEncoder(), LiteralEncoder()):
        encoder.fit(names)
        with pytest.raises(ValueError, match="Column 'x0' held names"):
            encoder.transform(np.ones((2, 2)))
    with pytest.raises(ValueError, match="Column 'x0' held names"):
        encoder.transform(sp.csr_array((2, 2)))
    with pytest.raises(ValueError, match="none of them a date, but now holds"):
        TableEncoder().fit(names).transform(np.array([["2020-01-01"] * 2], "M8[D]"))


def test_a_column_without_a_value_at_fit_knows_nothing():
    empty = np.array([[None, 1.0], [None, 2.0]], object)
    assert not TableEncoder().fit(empty).transform(np.array([[3.0, 1.5]])).any()
