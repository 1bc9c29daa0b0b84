"""`LiteralEncoder`: what is said of each kind of column, against a slow twin, from every kind of table."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import LiteralEncoder
from perceptrons.tables import literal_cells
from perceptrons.tables.literal_encoder import Literal
from perceptrons.tables.treatments import parts
from tests.naive import literals as naive
from tests.tables.literal_tables import (
    MAKERS,
    MUSHROOMS,
    encode,
)


@pytest.mark.parametrize("make", MAKERS)
def test_the_three_kinds(make):
    X = make(MUSHROOMS, ["nominal", "numeric", "boolean"])
    encoder = LiteralEncoder(n_thresholds=2).fit(X)
    assert encoder.kinds_ == ["nominal", "numeric", "boolean"]
    assert encoder.categories_ == [["foul", "none"], [], []]
    assert encoder.thresholds_ == [[], [1.5, 4.0], []]
    assert {type(value) for value in encoder.thresholds_[1]} == {float}
    assert encoder.attributes_.tolist() == [0, 0, 1, 1, 2, 2]
    assert encoder.attributes_.dtype == np.int64
    assert encoder.sparse_ is False
    expected = [[0, 1, 0, 0, 0, 1], [1, 0, 1, 0, 0, 0], [0, 0, 1, 1, 1, 0], [0, 1, 0, 0, 0, 1]]
    assert encoder.transform(X).tolist() == expected


def test_names():
    encoder = LiteralEncoder().fit(pl.DataFrame(MUSHROOMS))
    assert encoder.literals_[0] == Literal("odor", "=", "foul")
    texts = ["odor = foul", "odor = none", "width > 1.5", "width > 4", "ring = false", "ring = true"]
    assert encoder.get_feature_names_out().tolist() == list(map(str, encoder.literals_)) == texts
    assert encoder.feature_names_in_.tolist() == list(MUSHROOMS)
    arrays = LiteralEncoder().fit([[1, "a"], [2, "b"]])
    assert arrays.get_feature_names_out(["n", "t"]).tolist() == ["n > 1", "t = a", "t = b"]
    assert [one.column for one in arrays.literals_] == ["x0", "x1", "x1"]
    with pytest.raises(ValueError, match="length equal to number of features"):
        arrays.get_feature_names_out(["n"])
    with pytest.raises(ValueError, match="feature names"):
        encoder.evaluate(pl.DataFrame(MUSHROOMS).rename({"ring": "rings"}), [0])
    framed = LiteralEncoder().set_output(transform="pandas").fit_transform(pd.DataFrame(MUSHROOMS))
    assert framed.columns.tolist() == texts


@pytest.mark.parametrize(
    ("n_columns", "values", "n_literals"), [(15, "yn", 30), (57, "acgt", 228), (15, "acgt", 60)]
)
def test_as_many_literals_as_the_paper_has(n_columns, values, n_literals):
    X = np.random.default_rng(0).choice(list(values), (100, n_columns))
    for table in (X, X.astype(object), pd.DataFrame(X), X.astype(np.dtypes.StringDType())):
        found, rows = encode(table)
        assert len(found) == n_literals
        assert (rows.sum(axis=1) == n_columns).all()


def random_table(rng):
    """Kinds and a table whose first row has a value in each column; few values, so that there are ties."""
    n_rows = int(rng.integers(1, 25))
    kinds = rng.choice(["numeric", "boolean", "nominal"], rng.integers(1, 5)).tolist()
    pool = {
        "numeric": (rng.integers(-4, 9, 6) / 4).tolist(),
        "boolean": [True, False],
        "nominal": ["é", "b", "a b", "", "Z"],
    }
    table = {}
    for j, kind in enumerate(kinds):
        cells = [pool[kind][i] for i in rng.integers(0, len(pool[kind]), n_rows)]
        gaps = rng.random(n_rows) < rng.choice([0.0, 0.2])
        table[f"c{j}"] = [
            None if gap and i else cell for i, (cell, gap) in enumerate(zip(cells, gaps, strict=True))
        ]
    return kinds, table


def test_equal_to_the_twin():
    rng = np.random.default_rng(7)
    ran = informative = 0
    for case in range(300):
        kinds, table = random_table(rng)
        n_rows = len(table["c0"])
        weights = None if case % 3 == 0 else rng.integers(0, 4, n_rows) / rng.choice([1, 4])
        if weights is not None:
            weights[0] = 1.0
        parameters = {"n_thresholds": int(rng.integers(1, 10)), "max_categories": int(rng.integers(2, 6))}
        expected = naive.literals(table, [1] * n_rows if weights is None else weights.tolist(), **parameters)
        X = MAKERS[case % 4](table, kinds)
        if case % 4 > 1:  # an array has no names
            expected = [(name.replace("c", "x"), *rest) for name, *rest in expected]
        ran += 1
        if not expected:
            with pytest.raises(ValueError, match="No column tells rows apart"):
                LiteralEncoder(**parameters).fit(X, sample_weight=weights)
            continue
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Column")  # more names than max_categories
            found, rows = encode(X, weights, **parameters)
        assert found == expected
        assert rows.tolist() == naive.rows({**table, **{f"x{c[1:]}": v for c, v in table.items()}}, expected)
        informative += n_rows > 3 and len(set(kinds)) > 1 and 0 < rows.mean() < 1
    assert ran == 300
    assert informative > 150


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_numbers_equal_to_the_twin(dtype):
    rng = np.random.default_rng(8)
    informative = 0
    for _ in range(25):
        X = rng.integers(0, rng.integers(2, 40), (rng.integers(2, 40), 3)).astype(dtype)
        weights = rng.integers(1, 5, len(X))
        table = {f"x{j}": X[:, j].tolist() for j in range(3)}
        expected = naive.literals(table, weights.tolist())
        if expected:
            found, rows = encode(X, weights)
            assert found == expected
            assert rows.tolist() == naive.rows(table, expected)
            assert encode(np.asfortranarray(X), weights)[0] == found
            informative += len(found) > 5
    assert informative >= 15


def test_thresholds_are_numpys_quantiles():
    rng = np.random.default_rng(9)
    for case in range(60):
        values = np.round(rng.normal(size=rng.integers(2, 60)), rng.integers(0, 3))
        weights = rng.integers(1, 6, len(values)) if case % 2 else np.ones(len(values))
        n_thresholds = int(rng.integers(1, 20))
        p = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
        expected = np.unique(np.quantile(values, p, method="inverted_cdf", weights=weights))
        X = np.column_stack([values, np.arange(len(values))])
        encoder = LiteralEncoder(n_thresholds=n_thresholds).fit(X, sample_weight=weights)
        assert encoder.thresholds_[0] == expected[expected < values.max()].tolist()


@pytest.mark.parametrize("n_thresholds", [100, 10**6 - 1])
def test_as_many_thresholds_as_there_are_values(n_thresholds):
    X = np.array([[3.0], [1.0], [np.nan], [2.0], [2.0]])
    for weights in (None, [1, 1, 1, 2, 3]):
        encoder = LiteralEncoder(n_thresholds=n_thresholds).fit(X, sample_weight=weights)
        assert encoder.thresholds_ == [[1.0, 2.0]]


cells = st.one_of(st.just(0.0), st.just(np.nan), st.integers(-3, 3).map(float), st.floats(-9, 9, width=32))


@st.composite
def weighted_numbers(draw):
    n_rows, n_columns = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    values = draw(st.lists(cells, min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    X = np.array([*values]).reshape(n_rows, n_columns)
    X = np.column_stack([X, np.arange(n_rows) % 2])
    weights = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    weights[:4] = [weight or 1 for weight in weights[:4]]
    return X, np.array(weights)


def learned(X, weights, n_thresholds):
    """What was learned; None if there was nothing to learn."""
    encoder = LiteralEncoder(n_thresholds=n_thresholds)
    try:
        encoder.fit(X, sample_weight=weights)
    except ValueError as error:
        if "No column tells rows apart" not in str(error):
            raise
        return None
    return encoder.literals_, encoder.kinds_, encoder.sparse_


def property_of_numbers(check, at_least):
    """Run the check on random weighted numbers; it says whether the case was informative."""
    cases = []

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(weighted_numbers(), st.integers(1, 9), st.randoms(use_true_random=False))
    def run(case, n_thresholds, random):
        cases.append(check(*case, n_thresholds, random))

    run()
    assert len(cases) >= 100
    assert sum(cases) >= at_least


def test_a_weight_is_so_many_rows():
    def check(X, weights, n_thresholds, random):
        found = learned(X, weights, n_thresholds)
        assert found == learned(np.repeat(X, weights, axis=0), None, n_thresholds)
        for factor in (0.1, 1e-300, 1e300):  # weights that are all alike are none
            same = learned(X, np.full(len(X), factor), n_thresholds)
            assert same == learned(X, None, n_thresholds)
        return found is not None and len(set(weights.tolist())) > 1

    property_of_numbers(check, 60)


def test_the_order_of_rows_does_not_matter():
    def check(X, weights, n_thresholds, random):
        order = np.array(random.sample(range(len(X)), len(X)))
        uneven = weights * 0.1 + (weights > 1) / 3  # sums of which are rounded, each order otherwise
        found = learned(X, uneven, n_thresholds)
        assert found == learned(X[order], uneven[order], n_thresholds)
        if found is None:
            return False
        encoder, permuted = (LiteralEncoder(n_thresholds=n_thresholds) for _ in range(2))
        rows = encoder.fit_transform(X, sample_weight=uneven)
        assert np.array_equal(rows[order], permuted.fit_transform(X[order], sample_weight=uneven[order]))
        return (np.diff(order) < 0).any() and len(encoder.literals_) > 2

    property_of_numbers(check, 60)


def test_sparse_rows_hold_every_threshold_that_a_cell_exceeds():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 80)) < 0.08, rng.integers(1, 5, (400, 80)), 0).astype(float)
    for stored in (X, sp.csr_array(X)):
        encoder = LiteralEncoder(n_thresholds=100).fit(stored)
        rows = encoder.transform(stored)
        assert encoder.sparse_
        assert len(encoder.literals_) > 80
        assert np.array_equal(rows.toarray(), encoder.evaluate(X, range(len(encoder.literals_))))
        assert rows.has_sorted_indices
        assert (rows.data == 1).all()


def test_a_complaint_names_the_column_wherever_it_stands(monkeypatch):
    monkeypatch.setattr(literal_cells, "ENOUGH", 1)
    with pytest.raises(ValueError, match=r"Column 'x3' holds inf"):
        LiteralEncoder().fit(sp.csr_array([[0.0, 1.0, 2.0, np.inf], [1.0, 0.0, 3.0, 1.0]]))


@pytest.mark.parametrize("enough", [literal_cells.ENOUGH, 3])
def test_dense_and_sparse_are_the_same(monkeypatch, enough):
    monkeypatch.setattr(literal_cells, "ENOUGH", enough)  # 3: columns are taken out of CSR rows in parts
    makers = [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.lil_matrix]

    def check(X, weights, n_thresholds, random):
        stored = random.choice(makers)(X)
        for some in (None, weights * 0.1):
            found = learned(X, some, n_thresholds)
            assert found == learned(stored, some, n_thresholds)
            if found is None:
                return False
            literals, rows = encode(X, some, n_thresholds=n_thresholds)
            same, stored_rows = encode(stored, some, n_thresholds=n_thresholds)
            assert (literals, rows.tolist()) == (same, stored_rows.tolist())
            encoder = LiteralEncoder(n_thresholds=n_thresholds).fit(X)
            assert np.array_equal(encoder.transform(stored), encoder.transform(X))
        return (X == 0).any() and (X < 0).any() and np.isnan(X).any()

    property_of_numbers(check, 15)


def test_sparse_matrices_of_every_kind():
    twice = sp.csr_array(([1.0, 2.0, 5.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))  # 1 + 2 in one cell
    by_column = sp.csc_array(([1.0, 2.0, 5.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    for stored in (twice, by_column):
        encoder = LiteralEncoder().fit(stored)
        assert encoder.literals_ == [("x0", ">", 0.0), ("x1", ">", 0.0)]
        assert encoder.transform(stored).tolist() == [[1, 0], [0, 1]]
        assert encoder.evaluate(sp.csr_array([[-1.0, np.nan]]), [0, 1]).tolist() == [[0, 0]]
        assert stored.data.tolist() == [1, 2, 5]  # the caller's matrix is as it was
    threes = LiteralEncoder().fit(np.array([[3.0, 3], [9, 9]])).transform(sp.vstack([twice, 2 * twice]))
    assert threes.tolist() == [[0, 0], [0, 1], [1, 0], [0, 1]]
    assert encode(sp.csr_array([[True, False], [False, False]]))[0] == [("x0", ">", 0.0)]
    with pytest.raises(ValueError, match=r"Column 'x1' holds inf \(infinity\)"):
        LiteralEncoder().fit(sp.csr_array([[0.0, np.inf]]))
    with pytest.raises(ValueError, match="Complex data not supported"):
        LiteralEncoder().fit(sp.csr_array([[0.0, 1j]]))
    with pytest.raises(ValueError, match="this array has 1 dimensions, not 2"):
        LiteralEncoder().fit(sp.coo_array([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        LiteralEncoder().fit(sp.csr_array((0, 3)))
    truths = LiteralEncoder().fit(np.array([[True], [False]]))
    assert truths.transform(sp.csr_array([[True], [False]])).tolist() == [[0, 1], [1, 0]]
    numbers = LiteralEncoder().fit([["0", -1.0], ["7", 1.0]])
    assert numbers.transform(sp.csr_array([[0, 1], [7, -1]])).tolist() == [[1, 0, 1], [0, 1, 0]]


def test_what_columns_are_made_of_is_asked_a_few_times_however_many_there_are(monkeypatch):
    asked = []

    def counted(*given):
        asked.append(given)
        return parts(*given)

    monkeypatch.setattr("perceptrons.tables.literal_encoder.parts", counted)
    LiteralEncoder().fit(np.random.default_rng(0).normal(size=(30, 60)))
    assert 0 < len(asked) < 10
