"""Collections in: what belongs together, and what is refused in a sentence."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from perceptrons.dask import BinaryPerceptron, ConservativePerceptron, Perceptron, SparsePerceptron
from perceptrons.dask.chunks import MOST_PARTS, in_parts, read_chunks
from tests.dask.collections_of import array_of, frame_of
from tests.dask.here import Here

pytestmark = pytest.mark.dask
X = np.random.default_rng(0).integers(0, 2, (60, 4)).astype(float)
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


def fit(X, y, *weights, model=None):
    return (model or BinaryPerceptron(random_state=0)).fit(X, y, *weights, client=Here())


def test_many_chunks_become_few_parts():
    chunks = read_chunks(da.from_array(X, (1, 2)), da.from_array(Y, 1))
    assert len(chunks) == 60
    parts = in_parts(chunks * 50)
    assert len(parts) <= MOST_PARTS
    assert sum(map(len, parts)) == 3000


def test_chunks_across_columns_and_other_lengths_of_y():
    one = fit(da.from_array(X, (20, 3)), da.from_array(Y, 7))
    other = fit(da.from_array(X, (20, 4)), da.from_array(Y, 20))
    assert np.array_equal(one.coef_, other.coef_)
    column = fit(array_of(X, [20]), array_of(Y[:, None], [20]))
    assert column.counts_.rows == 60


def test_lengths_that_are_not_known_and_empty_chunks():
    rows, labels = (array_of(one, [0, 10, 10, 30], known=False) for one in (X, Y))
    assert fit(rows, labels).counts_.rows == 60
    rejecting = fit(rows, labels, model=ConservativePerceptron(random_state=0))
    known = fit(array_of(X, [10, 30]), array_of(Y, [10, 30]), model=ConservativePerceptron(random_state=0))
    assert np.array_equal(rejecting.coef_, known.coef_)


def test_a_chunk_whose_rows_have_no_weight():
    rejecting, weights = ConservativePerceptron(random_state=0), np.repeat([0.0, 1.0, 2.0], 20)
    rows = (array_of(one, [20, 40]) for one in (X, Y, weights))
    assert fit(*rows, model=rejecting).score(X[20:], Y[20:]) > 0.9


def test_chunks_of_one_class():
    order = np.argsort(Y, kind="stable")
    cuts = [int((Y == 0).sum()), 50]
    for model in (
        BinaryPerceptron(random_state=0),
        Perceptron(random_state=0),
        ConservativePerceptron(random_state=0),
    ):
        assert fit(array_of(X[order], cuts), array_of(Y[order], cuts), model=model).score(X, Y) > 0.9


@pytest.mark.parametrize(
    ("rows", "labels", "sentence"),
    [
        (X, Y, r"X is a ndarray, but it must be a Dask array or dataframe"),
        (array_of(X, [20]), Y, r"y is a ndarray, but it must be a Dask array or series"),
        (array_of(X[:, 0], [20]), array_of(Y, [20]), r"X has 1 dimensions"),
        (array_of(X, [20]), array_of(Y[:50], [20]), r"X has 60 rows, but y has 50"),
        (array_of(X, [20], known=False), array_of(Y, [20, 30], known=False), r"X has 2 chunks, but y has 3"),
        (
            array_of(X, [20], known=False),
            array_of(Y, [30], known=False),
            r"rows, but there are .. labels",
        ),
        (array_of(X, [20]), array_of(np.stack([Y, Y], 1), [20]), r"y has 2 dimensions"),
        (array_of(X[:0], []), array_of(Y[:0], []), r"The collection has no rows"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(rows, labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(rows, labels)


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    model = fit(array_of(X, [20]), array_of(Y, [20]))
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="must be a Dask array"):
        fit(X, Y, model=model)
    bad = X.copy()
    bad[30] = np.nan
    with pytest.raises(ValueError, match=r"chunk 1: .*NaN"):
        fit(array_of(bad, [20]), array_of(Y, [20]), model=model)
    assert np.array_equal(model.coef_, before)
    with pytest.raises(ValueError, match="requires y"):
        fit(array_of(X, [20]), None, model=model)


@pytest.mark.parametrize("learner", [BinaryPerceptron, Perceptron, ConservativePerceptron])
def test_names_of_an_earlier_fit_are_forgotten(learner):
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=Y)
    rows = frame_of(table, [20])
    model = fit(rows[list("abcd")], rows["y"], model=learner(random_state=0))
    assert model.feature_names_in_.tolist() == list("abcd")
    fit(array_of(X, [20]), array_of(Y, [20]), model=model)
    assert not hasattr(model, "feature_names_in_")


def from_parts(*parts):
    return da.concatenate(
        [da.from_delayed(dask.delayed(one), one.shape, meta=parts[0][:0]) for one in parts],
        allow_unknown_chunksizes=True,
    )


@pytest.mark.parametrize("far", [False, True])
def test_chunks_of_different_types(far, monkeypatch):
    """Within a part, and between parts."""
    if far:
        monkeypatch.setattr("perceptrons.dask.chunks.MOST_PARTS", 10**6)
    else:
        monkeypatch.setattr("perceptrons.dask.chunks.MOST_PARTS", 1)
    y = array_of(Y, [30])
    with pytest.raises(ValueError, match="of float32, but before it is dense rows of 4 columns of float64"):
        fit(from_parts(X[:30], X[30:].astype(np.float32)), y)
    with pytest.raises(ValueError, match="y holds texts, but before it holds numbers"):
        fit(array_of(X, [30]), from_parts(Y[:30], np.array(["a", "b"] * 15)))
    table = pd.DataFrame(X, columns=list("abcd"))
    parts = [dask.delayed(part) for part in (table[:30], table[30:].rename(columns={"a": "e"}))]
    rows = dd.from_delayed(parts, meta=table[:0], verify_meta=False)
    with pytest.raises(ValueError, match="'e' numbers, but before it is a table of the columns 'a'"):
        fit(rows, frame_of(table.assign(y=Y), [30])["y"])


def test_weights_that_are_missing_labels_that_are_and_one_class():
    with pytest.raises(ValueError, match="it gave no rows of weight > 0"):
        fit(array_of(X, [20]), array_of(Y, [20]), array_of(0.0 * Y, [20]))
    holes = Y.astype(float)
    holes[40] = np.nan
    with pytest.raises(ValueError, match=r"chunk 1: .*NaN"):
        fit(array_of(X, [20]), array_of(holes, [20]), model=Perceptron())
    with pytest.raises(ValueError, match="y holds one class only: 1"):
        fit(array_of(X, [20]), array_of(np.ones(60, int), [20]), model=Perceptron())
    for model in (SparsePerceptron(refit="stagewise", stages=2), ConservativePerceptron()):
        with pytest.raises(ValueError, match="y holds one class only: 1"):
            fit(array_of(X, [20]), array_of(np.ones(60, int), [20]), model=model)
    with pytest.raises(ValueError, match="Sample weights must contain at least one non-zero number"):
        fit(array_of(X, [20]), array_of(Y, [20]), array_of(0.0 * Y, [20]), model=ConservativePerceptron())


def test_sparse_chunks():
    one = fit(array_of(sp.csr_array(X), [20, 20, 45]), array_of(Y, [20, 20, 45]))
    assert np.array_equal(one.coef_, fit(array_of(X, [20]), array_of(Y, [20])).coef_)
