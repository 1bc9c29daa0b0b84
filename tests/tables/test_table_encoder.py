"""`TableEncoder`: what becomes of each kind of column, from every kind of frame."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from perceptrons import Perceptron, TableEncoder
from perceptrons.model_file.save_load import load, save
from perceptrons.tables.cells import is_missing

COFFEE = {
    "age": [20, 40, None, 60],
    "washed": [True, None, False, True],
    "origin": ["Peru", "Kenya", "Kenya", None],
}
ROWS = np.array(
    [[-np.sqrt(1.5), 1, 0, 1], [0, 0, 1, 0], [0, -1, 1, 0], [np.sqrt(1.5), 1, 0, 0]], dtype=np.float64
)
MAKERS = [
    pd.DataFrame,
    pl.DataFrame,
    lambda table: np.array(list(zip(*table.values(), strict=True)), dtype=object),
    lambda table: [list(row) for row in zip(*table.values(), strict=True)],
]


@pytest.mark.parametrize("make", MAKERS)
def test_the_three_kinds(make):
    encoder = TableEncoder().fit(make(COFFEE))
    assert encoder.kinds_ == ["numeric", "boolean", "nominal"]
    assert encoder.categories_ == [[], [], ["Kenya", "Peru"]]
    rows = encoder.transform(make(COFFEE))
    assert rows.dtype == np.float64
    np.testing.assert_allclose(rows, ROWS, rtol=1e-15)


def test_names():
    encoder = TableEncoder().fit(pl.DataFrame(COFFEE))
    assert encoder.get_feature_names_out().tolist() == ["age", "washed", "origin = Kenya", "origin = Peru"]
    assert encoder.feature_names_in_.tolist() == list(COFFEE)
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        encoder.get_feature_names_out(["a", "b", "c"])
    arrays = TableEncoder().fit([[1, "a"], [2, "b"]])
    assert arrays.get_feature_names_out(["n", "t"]).tolist() == ["n", "t = a", "t = b"]
    with pytest.raises(ValueError, match="length equal to number of features"):
        arrays.get_feature_names_out(["n"])
    with pytest.raises(ValueError, match="feature names"):
        encoder.transform(pl.DataFrame(COFFEE).rename({"age": "years"}))
    framed = TableEncoder().set_output(transform="pandas").fit_transform(pd.DataFrame(COFFEE))
    assert framed.columns.tolist() == encoder.get_feature_names_out().tolist()


def test_numbers_as_standard_scaler_has_them():
    rng = np.random.default_rng(0)
    train, test = rng.normal([0, 5, -1e6, 0], [1, 1e-3, 1e5, 0], (50, 4)), rng.normal(size=(20, 4))
    ours, theirs = TableEncoder().fit(train), StandardScaler().fit(train)
    np.testing.assert_allclose(ours.transform(train), theirs.transform(train), rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(
        ours.transform(test)[:, :3], theirs.transform(test)[:, :3], rtol=1e-9, atol=1e-10
    )
    assert (ours.transform(test)[:, 3] == 0).all()  # constant when fitted: unlike StandardScaler, stays 0
    with_gaps = train.copy()
    with_gaps[::7] = np.nan
    expected = np.nan_to_num(StandardScaler().fit_transform(with_gaps))
    np.testing.assert_allclose(TableEncoder().fit_transform(with_gaps), expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("n_values", [3, 60])
def test_names_as_one_hot_encoder_has_them(n_values):
    rng = np.random.default_rng(1)
    train, test = (
        rng.integers(0, top, (200, 2)).astype(str).astype(object) for top in (n_values, 2 * n_values)
    )
    ours, theirs = TableEncoder().fit(train), OneHotEncoder(handle_unknown="ignore").fit(train)
    assert [list(values) for values in theirs.categories_] == ours.categories_
    assert ours.sparse_ == (n_values == 60)
    for rows in (train, test):
        found = ours.transform(rows)
        assert sp.issparse(found) == ours.sparse_
        assert np.array_equal(found.toarray() if ours.sparse_ else found, theirs.transform(rows).toarray())


def test_categories_that_are_numbers_keep_their_order():
    frame = pd.DataFrame({"code": pd.Categorical([10, 9, 10, 2])})
    encoder = TableEncoder().fit(frame)
    assert encoder.categories_ == [["2", "9", "10"]]
    assert np.array_equal(encoder.transform(frame), OneHotEncoder().fit_transform(frame).toarray())
    as_floats = pd.DataFrame(
        {"code": [2.0, np.nan]}
    )  # a table with gaps has floats where there were integers
    assert encoder.transform(as_floats).tolist() == [[1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, "a", True], "nominal"),
        ([True, False, None], "boolean"),
        ([True, 2, None], "nominal"),
        ([Decimal("0.5"), 2], "numeric"),
        ([None, None], "nominal"),
        ([np.nan, None], "nominal"),
        (["1", "2"], "nominal"),
    ],
)
def test_objects(values, kind):
    column = np.array(values, dtype=object).reshape(-1, 1)
    assert TableEncoder().fit(column).kinds_ == [kind]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([94110, None], ["94110"]),
        ([94110.0, None, np.nan], ["94110"]),
        (["94110.0", "94110", "94110.00"], ["94110"]),
        (["007", "007.0", "7"], ["007", "007.0", "7"]),
        ([1, True, "TRUE", "x"], ["1", "true", "x"]),
        (["3.10", "3.1"], ["3.1", "3.10"]),
        ([np.float32(0.1), "0.1"], ["0.1"]),
    ],
)
def test_one_spelling_of_a_name(values, names):
    column = np.array(values, dtype=object).reshape(-1, 1)
    encoder = TableEncoder().fit(np.vstack([[["a text"]], column]))
    assert encoder.categories_ == [sorted(["a text", *names])]
    assert encoder.transform(column).sum() == sum(not is_missing(value) for value in values)


def test_columns_without_a_value():
    frame = pl.DataFrame({"n": [None, None], "t": [None, None], "b": [None, None], "x": [1, 2]}).with_columns(
        pl.col("t").cast(pl.String), pl.col("b").cast(pl.Boolean), pl.col("n").cast(pl.Float64)
    )
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == ["numeric", "nominal", "boolean", "numeric"]
    assert encoder.transform(frame).tolist() == [[0, 0, -1], [0, 0, 1]]
    later = pl.DataFrame({"n": [7.0], "t": ["new"], "b": [True], "x": [1.5]})
    assert encoder.transform(later).tolist() == [[0, 1, 0]]


def test_pandas_types():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "s": pd.array(["u", None, "v"], dtype="string"),
            "c": pd.Categorical(["p", None, "q"]),
        }
    )
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == ["numeric", "boolean", "nominal", "nominal"]
    assert encoder.transform(frame)[1].tolist() == [0] * 6


@pytest.mark.parametrize("scale", [1e-310, 1e-150, 1.0, 1e150, 8e307])
def test_numbers_of_any_size(scale):
    x = scale * np.array([[-2.0], [0.0], [1.0], [2.0]])
    rows = TableEncoder().fit_transform(x)
    np.testing.assert_allclose(rows, StandardScaler().fit_transform([[-2.0], [0], [1], [2]]), rtol=1e-9)


def test_a_constant_is_nothing_whatever_its_rounding():
    assert (TableEncoder().fit_transform(np.full((10, 1), 0.1)) == 0).all()
    nearly = np.array([[1e16], [1e16 + 2], [1e16]])
    assert (TableEncoder().fit_transform(nearly) == 0).all()


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity(value):
    with pytest.raises(
        ValueError, match=rf"Column 'age' holds {value} \(infinity\), but numbers must be finite"
    ):
        TableEncoder().fit(pd.DataFrame({"age": [1.0, value]}))
    with pytest.raises(ValueError, match=r"Column 'x0' holds 1000\d* \(infinity\)"):
        TableEncoder().fit(np.array([[1], [10**400]], dtype=object))


NUMBERS = TableEncoder().fit(pd.DataFrame({"age": [1.0, 3.0]}))
TRUTHS = TableEncoder().fit(pd.DataFrame({"washed": [True, False]}))
BAD = [
    (NUMBERS, {"age": ["old"]}, "Column 'age' held numbers when the encoder was fitted, but now holds 'old'"),
    (NUMBERS, {"age": pd.array(["2020-01-01"], dtype="datetime64[ns]")}, "but now holds"),
    (
        TRUTHS,
        {"washed": ["yes"]},
        "Column 'washed' held truth values when the encoder was fitted, but now holds 'yes'",
    ),
    (TRUTHS, {"washed": [2]}, "now holds 2"),
    (NUMBERS, {"age": [1e308 * 1.5]}, None),
    (
        TableEncoder(),
        {"when": pd.array([1], dtype="timedelta64[ns]")},
        "Column 'when' holds timedelta64",
    ),
    (TableEncoder(), {"z": [1j, 2j]}, "Complex data not supported: column 'z'"),
    (
        TableEncoder(),
        {"list": [[1], [2]]},
        "Column 'list' holds [1], but a cell is a number, a text or a truth",
    ),
    (TableEncoder(), {"long": [[0] * 99]}, "..., but a cell"),
]


@pytest.mark.parametrize(("encoder", "table", "message"), BAD)
def test_cells_that_cannot_be_encoded(encoder, table, message):
    act = encoder.transform if hasattr(encoder, "kinds_") else encoder.fit
    if message is None:
        assert np.isfinite(act(pd.DataFrame(table))).all()
    else:
        with pytest.raises(ValueError, match=re.escape(message)):
            act(pd.DataFrame(table))


def test_too_far_from_the_mean():
    encoder = TableEncoder().fit([[0.0], [1e-5]])
    with pytest.raises(ValueError, match=r"Column 'x0' holds 1e\+305, too far from the 5e-06 ± 5e-06"):
        encoder.transform([[1e305]])


def test_tables_that_are_none():
    with pytest.raises(ValueError, match="this array has 3 dimensions"):
        TableEncoder().fit(np.zeros((2, 2, 2)))
    with pytest.raises(ValueError, match="this array has 1 dimensions"):
        TableEncoder().fit([[1, 2], [3]])
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        TableEncoder().fit(pl.DataFrame({"a": []}))
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        TableEncoder().fit(np.zeros((3, 0)))
    with pytest.raises(ValueError, match="Two columns are called 'a'"):
        TableEncoder().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match="sparse matrix"):
        TableEncoder().fit(sp.csr_array(np.eye(2)))


def test_wide_and_mostly_zeros_is_csr_and_the_same_rows():
    frame = pl.DataFrame({"name": [f"n{i % 150}" for i in range(300)], "x": range(300)})
    encoder = TableEncoder().fit(frame)
    assert encoder.sparse_
    rows = encoder.transform(frame)
    assert rows.format == "csr"
    assert rows.indices.dtype == np.int32  # what scikit-learn's trees accept
    encoder.sparse_ = False
    assert np.array_equal(rows.toarray(), encoder.transform(frame))
    y = np.arange(300) % 2
    one, other = (Perceptron(order="cyclic", max_epochs=500).fit(r, y) for r in (rows, rows.toarray()))
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-9)


def test_the_model_file_keeps_it(tmp_path):
    frame = pl.DataFrame(COFFEE)
    encoder = TableEncoder().fit(frame)
    save(encoder, tmp_path / "encoder.json")
    again = load(tmp_path / "encoder.json")
    assert np.array_equal(again.transform(frame), encoder.transform(frame))
    assert again.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    encoder.categories_ = [["a"], [], []]
    with pytest.raises(ValueError, match="for a column that is numeric"):
        save(encoder, tmp_path / "broken.json")


CELLS = {
    "numeric": st.one_of(st.none(), st.floats(-1e9, 1e9)),
    "boolean": st.one_of(st.none(), st.booleans()),
    "nominal": st.one_of(st.none(), st.text(max_size=3)),
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, max_size=4))
    n_rows = draw(st.integers(1, 8))
    cells = [draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows)) for kind in kinds]
    return kinds, {f"c{j}": values for j, values in enumerate(cells)}


def test_every_frame_gives_the_same_rows():
    cases = []
    types = {"numeric": pl.Float64, "boolean": pl.Boolean, "nominal": pl.String}

    @settings(max_examples=150, deadline=None, derandomize=True)
    @given(tables(), st.integers(0, 7))
    def check(case, start):
        kinds, table = case
        polars = pl.DataFrame(
            table, schema={name: types[kind] for name, kind in zip(table, kinds, strict=True)}
        )
        pandas = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in table.items()})
        array = pandas.to_numpy(object)
        encoded = [TableEncoder().fit(frame).transform(frame) for frame in (pandas, array)]
        assert np.array_equal(*encoded)
        encoder = TableEncoder().fit(polars)
        filled = [any(value is not None for value in values) for values in table.values()]
        if all(filled):  # a column without a value has a kind in polars alone
            assert np.array_equal(encoder.transform(polars), encoded[0])
        some = polars[: start + 1]
        assert np.array_equal(encoder.transform(some), encoder.transform(polars)[: start + 1])
        unknown = pl.DataFrame({name: ["never seen"] for name in table})
        names = [name for name, kind in zip(table, kinds, strict=True) if kind == "nominal"]
        if names:
            one = TableEncoder().fit(polars.select(names))
            assert not one.transform(unknown.select(names)).any()
        cases.append(all(filled) and bool(names))

    check()
    assert len(cases) >= 100
    assert sum(cases) >= 30


@pytest.mark.parametrize("factor", [1.0, 0.1, 1e308])
def test_weights_count_like_copies_of_rows(factor):
    """Means, scales, names and the choice of CSR; a row of weight 0 is absent."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(5, 2, 60), "name": rng.integers(0, 120, 60).astype(str)})
    frame.loc[::7, "x"] = np.nan
    counts = rng.integers(0, 4, 60)
    weighted = TableEncoder().fit(frame, sample_weight=factor * (counts / 4))
    repeated = TableEncoder().fit(frame.loc[np.repeat(frame.index, counts)])
    assert weighted.categories_ == repeated.categories_
    assert len(weighted.categories_[1]) < len(TableEncoder().fit(frame).categories_[1])
    np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-12)
    np.testing.assert_allclose(weighted.scales_, repeated.scales_, rtol=1e-12)
    assert abs(weighted.means_[0] - TableEncoder().fit(frame).means_[0]) > 0.01


def test_weights_decide_about_csr_and_equal_ones_change_nothing():
    frame = pd.DataFrame({f"c{j}": [f"v{i}" if i == j else None for i in range(100)] for j in range(100)})
    frame.loc[0] = "full"
    heavy = np.where(np.arange(100) == 0, 1000.0, 1.0)
    assert TableEncoder().fit(frame).sparse_
    assert not TableEncoder().fit(frame, sample_weight=heavy).sparse_
    numbers = np.random.default_rng(0).normal(size=(99, 2))
    one, other = TableEncoder().fit(numbers), TableEncoder().fit(numbers, sample_weight=np.full(99, 0.3))
    assert (one.means_.tolist(), one.scales_.tolist()) == (other.means_.tolist(), other.scales_.tolist())
    with pytest.raises(ValueError, match="sample_weight has 2 entries for 99 rows"):
        one.fit(numbers, sample_weight=[1, 2])
