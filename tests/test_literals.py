"""`LiteralEncoder`: what is said of each kind of column, against a slow twin, from every kind of table."""

import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from perceptrons import TableEncoder
from perceptrons.data.literals import Literal, LiteralEncoder
from perceptrons.data.thresholds import readable, spelled, whole_weights
from tests.naive import literals as naive

MUSHROOMS = {
    "odor": ["none", "foul", None, "none"],
    "width": [1.5, 4.0, 9.0, None],
    "ring": [True, None, False, True],
}
TYPES = {"numeric": pl.Float64, "boolean": pl.Boolean, "nominal": pl.String}


def as_pandas(table, kinds):
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in table.items()})


def as_polars(table, kinds):
    return pl.DataFrame(table, schema={name: TYPES[kind] for name, kind in zip(table, kinds, strict=True)})


def as_rows(table, kinds):
    return [list(row) for row in zip(*table.values(), strict=True)]


def as_objects(table, kinds):
    return np.array(as_rows(table, kinds), dtype=object).reshape(-1, len(table))


MAKERS = [as_pandas, as_polars, as_rows, as_objects]


def plain(rows):
    """Rows as a dense array, having checked what a sparse one promises."""
    if not sp.issparse(rows):
        assert rows.flags.c_contiguous
        return rows
    assert isinstance(rows, sp.csr_array)
    assert rows.has_sorted_indices
    assert rows.indices.dtype == rows.indptr.dtype == np.int32
    assert rows.data.all()
    return rows.toarray()


def encode(X, weights=None, **parameters):
    """The literals as plain tuples and the rows, having checked that all ways to them agree."""
    encoder = LiteralEncoder(**parameters)
    rows = plain(encoder.fit_transform(X, sample_weight=weights))
    assert rows.dtype == np.uint8
    again = LiteralEncoder(**parameters).fit(X, sample_weight=weights)
    assert again.literals_ == encoder.literals_
    assert np.array_equal(plain(again.transform(X)), rows)
    assert np.array_equal(encoder.evaluate(X, np.arange(rows.shape[1])), rows)
    assert (np.diff(encoder.attributes_) >= 0).all()
    return [tuple(one) for one in encoder.literals_], rows


@parametrize_with_checks([LiteralEncoder()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


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


def test_dense_and_sparse_are_the_same():
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


def test_missing_and_unknown_make_nothing_true():
    encoder = LiteralEncoder().fit(pl.DataFrame(MUSHROOMS))
    for gap in (None, np.nan, pd.NA):
        frame = pd.DataFrame({name: pd.Series([gap], dtype=object) for name in MUSHROOMS})
        assert not encoder.transform(frame).any()
    later = pd.DataFrame({"odor": ["fishy"], "width": [-1e308], "ring": [None]})
    assert not encoder.transform(later).any()
    types = pd.DataFrame(
        {"i": pd.array([1, None, 3], "Int64"), "b": pd.array([True, None, False], "boolean")}
    )
    types["s"], types["c"] = pd.array(["u", None, "v"], "string"), pd.Categorical(["p", None, "q"])
    assert LiteralEncoder().fit_transform(types).tolist() == [
        [0, 0, 1, 1, 0, 1, 0],
        [0] * 7,
        [1, 1, 0, 0, 1, 0, 1],
    ]


@pytest.mark.parametrize(
    "values",
    [
        [94110, 94110.0, "94110.0", "x"],
        [1, True, "TRUE", 1.0, "x"],
        [Decimal("0.50"), Decimal("0.5"), "x"],
        [np.float32(0.1), "0.1", None, float("nan"), "x"],
        ["3.10", "3.1", pd.NA],
        ["b", 0.0, -0.0],
    ],
)
def test_categories_as_table_encoder_has_them(values):
    X = np.array(values, dtype=object).reshape(-1, 1)
    ours, theirs = LiteralEncoder().fit(X), TableEncoder().fit(X)
    assert (ours.kinds_, ours.categories_) == (theirs.kinds_, theirs.categories_)
    assert np.array_equal(ours.transform(X), theirs.transform(X))
    frame = pd.DataFrame({"code": pd.Categorical([10, 9, 10, 2])})
    assert LiteralEncoder().fit(frame).categories_ == [["2", "9", "10"]]


def test_too_many_categories():
    frame = pd.DataFrame({"id": list("dccbbaae"), "x": range(8)})
    message = (
        "Column 'id' has 5 values, more than max_categories=3: those of the largest weight are kept. "
        "Drop the column, group its values, or raise max_categories."
    )
    with pytest.warns(UserWarning, match=re.escape(message)) as caught:
        encoder = LiteralEncoder(max_categories=3).fit(frame)
    assert caught[0].filename == __file__
    assert encoder.categories_[0] == ["a", "b", "c"]
    with pytest.warns(UserWarning, match="max_categories=3"):
        encoder.fit(frame, sample_weight=[1, 1, 1, 1, 1, 1, 1, 9])
    assert encoder.categories_[0] == ["a", "b", "e"]
    assert encoder.transform(frame)[:2, :3].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert LiteralEncoder(max_categories=5).fit(frame).categories_[0] == list("abcde")


def test_rows_of_weight_0_are_as_if_absent():
    X = [["a", 1.0, True], ["b", 2.0, False], ["zebra", np.inf, "maybe"], [3, "text", None]]
    encoder = LiteralEncoder().fit(X, sample_weight=[2, 1, 0, 0])
    assert encoder.literals_ == LiteralEncoder().fit(X[:2]).literals_
    X[2:] = [["zebra", None, None], ["a", 7.0, None]]
    rows = LiteralEncoder().fit_transform(X, sample_weight=[2, 1, 0, 0])
    assert rows.tolist() == encoder.transform(X).tolist()
    assert rows[2].sum() == 0
    with pytest.raises(ValueError, match=r"sample_weight has -1\.0, but a weight must be >= 0"):
        encoder.fit(X, sample_weight=[1, 1, 1, -1])
    with pytest.raises(ValueError, match=r"non-zero|n_samples=0"):
        encoder.fit(X, sample_weight=np.zeros(4))


def test_weights_of_any_size():
    for weights in ([1e308, 1e308, 5e307], [5e-324, 5e-324, 1.0], [1e-200, 3e-200, 1e200]):
        whole = whole_weights(np.array(weights), 8)
        assert whole.min() >= 0
        assert 2**51 / 9 < whole.sum() <= 2**52 / 9
        encoder = LiteralEncoder().fit([[1.0, "a"], [2.0, "a"], [3.0, "b"]], sample_weight=weights)
        assert encoder.categories_[1] == ["a", "b"]
    assert whole_weights(np.array([3.0, 5.0, 2.0]), 8).tolist() == [2**45 * w for w in (3, 5, 2)]


def test_columns_that_say_nothing():
    frame = pl.DataFrame(
        {"n": [None, None], "t": [None, None], "b": [None, None], "same": [4, 4], "word": ["a", "a"]}
    ).with_columns(pl.col("n").cast(pl.Float64), pl.col("t").cast(pl.String), pl.col("b").cast(pl.Boolean))
    encoder = LiteralEncoder().fit(frame)
    assert list(map(str, encoder.literals_)) == ["word = a"]
    later = pl.DataFrame({"n": [7.0], "t": ["new"], "b": [True], "same": [5], "word": ["a"]})
    assert encoder.transform(later).tolist() == [[1]]
    always_true = LiteralEncoder().fit(np.array([[True], [True]]))
    assert list(map(str, always_true.literals_)) == ["x0 = false", "x0 = true"]
    for nothing in (frame.drop("word"), np.full((2, 3), 0.1), sp.csr_array((2, 3)), [[None], [None]]):
        with pytest.raises(
            ValueError, match=r"No column tells rows apart \(n_samples=2\).*Give rows that differ"
        ):
            LiteralEncoder().fit(nothing)


def test_tables_that_are_none():
    for refused, message in [
        (np.zeros((2, 2, 2)), "this array has 3 dimensions"),
        (np.zeros((0, 3)), r"0 sample\(s\)"),
        (np.zeros((3, 0)), r"0 feature\(s\)"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Two columns are called 'a'"),
        (pd.DataFrame({"a": [1.0, -np.inf]}), r"Column 'a' holds -inf \(infinity\)"),
        ([[1j], [2j]], "but a cell is a number"),
    ]:
        with pytest.raises(ValueError, match=message):
            LiteralEncoder().fit(refused)
    encoder = LiteralEncoder().fit(np.array([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="infinity"):
        encoder.transform(np.array([[np.inf]]))
    with pytest.raises(ValueError, match="held numbers when the encoder was fitted"):
        encoder.evaluate([["a"]], [0])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        encoder.evaluate(pd.DataFrame({"x0": []}), [0])


@pytest.mark.parametrize("value", [0, -1, 2.5, True, None, "8", 2**31])
def test_wrong_parameters(value):
    for name, least in (("n_thresholds", 1), ("max_categories", 2)):
        message = f"{name}={value!r}, but it must be an integer between {least - 1} and 1e+06; use "
        with pytest.raises(ValueError, match=re.escape(message)):
            LiteralEncoder(**{name: value}).fit([[1.0], [2.0]])
    LiteralEncoder(n_thresholds=np.int64(1), max_categories=np.int32(2)).fit([[1.0], [2.0]])


def test_evaluate():
    X = pd.DataFrame(MUSHROOMS)
    encoder = LiteralEncoder().fit(X)
    rows = encoder.transform(X)
    for places in ([5, 0, 3, 0], [], np.array([2], np.uint8), range(6)):
        for table in (X, pl.DataFrame(MUSHROOMS)):
            found = encoder.evaluate(table, places)
            assert found.flags.f_contiguous
            assert found.dtype == np.uint8
            assert np.array_equal(found, rows[:, np.array(places, int)])
    X["width"] = np.inf  # no literal of this column is asked for
    assert np.array_equal(encoder.evaluate(X, [0]), rows[:, [0]])
    for places, message in [
        ([6], "places has 6, but they must be from 0 to 5"),
        ([-1], "has -1"),
        ([0.5], "integers"),
    ]:
        with pytest.raises(ValueError, match=message):
            encoder.evaluate(X, places)
    with pytest.raises(ValueError, match="list of integers"):
        encoder.evaluate(X, 0)


def test_evaluate_takes_no_other_column_from_a_frame():
    class Frame(pd.DataFrame):
        def __getitem__(self, key):
            assert key == ["odor"] or key == "odor"
            return super().__getitem__(key)

        _constructor = property(lambda self: Frame)

    encoder = LiteralEncoder().fit(pd.DataFrame(MUSHROOMS))
    assert encoder.evaluate(Frame(MUSHROOMS), [1]).ravel().tolist() == [1, 0, 0, 1]


def test_wide_and_mostly_zeros_is_csr():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"name": [f"n{i % 150}" for i in range(300)], "x": rng.normal(size=300)})
    encoder = LiteralEncoder().fit(frame)
    assert encoder.sparse_ is True
    rows = plain(encoder.transform(frame))
    encoder.sparse_ = False
    assert np.array_equal(rows, encoder.transform(frame))
    weights = np.where(np.arange(300) < 3, 1.0, 0.0)
    assert LiteralEncoder().fit(frame, sample_weight=weights).sparse_ is False
    stored = sp.random_array((60, 200), density=0.05, rng=rng) - sp.random_array(
        (60, 200), density=0.02, rng=rng
    )
    found, sparse_rows = encode(stored)
    dense_found, dense_rows = encode(stored.toarray())
    assert found == dense_found
    assert np.array_equal(sparse_rows, dense_rows)
    assert LiteralEncoder().fit(stored).sparse_ == LiteralEncoder().fit(stored.toarray()).sparse_


def test_when_it_is_csr():
    """From 100 literals, if fewer than a tenth of the cells are 1; 0.1 of them is not fewer."""
    names = np.array([[f"n{i}"] for i in range(90)], dtype=object)  # one cell of 90 is 1
    truths = np.full((90, 5), True, dtype=object)  # one cell of 2 is 1
    assert not LiteralEncoder().fit(np.hstack([names, truths[:, :4]])).sparse_  # 98 literals
    assert LiteralEncoder().fit(np.hstack([names, truths])).sparse_  # 6 of 100
    more = np.full((90, 4), "a", dtype=object)  # every cell is 1: 10 of 104
    assert LiteralEncoder().fit(np.hstack([names, truths, more])).sparse_
    more = np.full((90, 5), "a", dtype=object)  # 11 of 105
    assert not LiteralEncoder().fit(np.hstack([names, truths, more])).sparse_
    below = sp.csr_array(
        np.repeat([[-1.0], [0.0], [0.0]], 120, axis=1)
    )  # x > -1: of zeros that are not stored
    assert not LiteralEncoder().fit(below).sparse_
    assert not LiteralEncoder().fit(below, sample_weight=[1, 2, 3]).sparse_
    assert LiteralEncoder().fit(below, sample_weight=[29, 1, 2]).sparse_
    exact = np.array([[f"n{i % 10}"] * 10 for i in range(90)], dtype=object)  # 10 of 100
    assert not LiteralEncoder().fit(exact).sparse_


def test_loading_derives_and_checks():
    encoder = LiteralEncoder().fit(pd.DataFrame(MUSHROOMS))
    before = encoder.literals_, encoder.attributes_.tolist()
    del encoder.literals_, encoder.attributes_
    encoder._loaded()
    assert (encoder.literals_, encoder.attributes_.tolist()) == before
    packed = {name: field.pack(getattr(encoder, name)) for name, field in encoder._file_fields.items()}
    assert packed["thresholds_"] == encoder.thresholds_
    for name, value, message in [
        ("thresholds_", [[1.0], [], []], r"thresholds_ has \[1\.0\] for a column that is nominal"),
        ("thresholds_", [[], [2.0, 2.0], []], "they must increase"),
        ("categories_", [["a", "a"], [], []], "categories_ has"),
        ("categories_", [["a"], ["b"], []], "for a column that is numeric"),
    ]:
        broken = LiteralEncoder().fit(pd.DataFrame(MUSHROOMS))
        setattr(broken, name, value)
        with pytest.raises(ValueError, match=message):
            broken._loaded()


@pytest.mark.parametrize(
    ("threshold", "text"),
    [
        (47.5, "47.5"),
        (0.0, "0"),
        (float(np.float32(0.1)), "0.1"),
        (float(np.float32(1 / 3)), "0.333333343"),
        (1 / 3, "0.33333333333333331"),
        (1234567.0, "1234567"),
        (1.2345678901e300, "1.2345678901e+300"),
        (-2.5e-7, "-2.5e-07"),
    ],
)
def test_texts_of_thresholds(threshold, text):
    assert spelled(threshold) == text
    assert str(Literal("age", ">", threshold)) == f"age > {text}"


def test_float32_keeps_its_digits_and_no_zero_is_negative():
    encoder = LiteralEncoder().fit(np.array([[0.1, -0.0], [0.7, 1.0]], np.float32))
    assert list(map(str, encoder.literals_)) == ["x0 > 0.1", "x1 > 0"]
    assert encoder.transform(np.array([[0.1, 0.0]], np.float32)).tolist() == [[0, 0]]


@pytest.mark.parametrize(
    ("value", "following", "short"),
    [
        (47.5, 60.0, 47.5),  # short enough as it is
        (2.3066145262098527, 2.4, 2.31),
        (2.3066145262098527, 2.307, 2.3067),
        (-2.3066145262098527, 0.0, -2.3),
        (9.9996123456, 20.0, 10.0),
        (1 / 3, np.nextafter(1 / 3, 1), 1 / 3),  # nothing between
        (1.23456789e-300, 1.0, 1.24e-300),
        (float(np.float32(0.1)), 0.2, float(np.float32(0.1))),
    ],
)
def test_long_thresholds_become_short_ones_that_no_row_tells_apart(value, following, short):
    assert readable(value, following) == short
    assert value <= short < following


def test_a_column_that_is_nearly_always_its_maximum_is_not_lost():
    X = [[0.0]] + [[1.0]] * 30
    assert LiteralEncoder().fit(X).get_feature_names_out().tolist() == ["x0 > 0"]
    assert LiteralEncoder().fit(-np.array(X)).get_feature_names_out().tolist() == ["x0 > -1"]
