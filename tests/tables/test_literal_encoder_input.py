"""`LiteralEncoder` at the edges: what is missing, too much, nothing or wrong; what it hands out."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from perceptrons import LiteralEncoder, TableEncoder
from perceptrons.tables.literal_encoder import Literal
from perceptrons.tables.thresholds import readable, spelled, whole_weights
from tests.tables.literal_tables import (
    MUSHROOMS,
    encode,
    plain,
)


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
        "Drop the column, or group its values."
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
    with pytest.raises(ValueError, match="Sample weights must contain at least one non-zero number"):
        encoder.fit(X, sample_weight=np.zeros(4))


@pytest.mark.parametrize("encoder", [LiteralEncoder(), TableEncoder()])
def test_a_fit_that_raises_leaves_the_encoder_as_it_was(encoder):
    before = vars(encoder.fit(pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]}))).copy()
    with pytest.raises(ValueError, match="infinity"):
        encoder.fit(pd.DataFrame({"c": [1.0, np.inf, 2.0]}))
    assert vars(encoder) == before


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
        message = f"{name}={value!r}, but it must be an integer in [{least}, 1000000]; use "
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
    """From 100 literals, if fewer than a sixth of the cells are 1; a sixth of them is not fewer."""
    names = np.array([[f"n{i}"] for i in range(90)], dtype=object)  # one cell of 90 is 1
    truths = np.full((90, 5), True, dtype=object)  # one cell of 2 is 1
    assert not LiteralEncoder().fit(np.hstack([names, truths[:, :4]])).sparse_  # 98 literals
    assert LiteralEncoder().fit(np.hstack([names, truths])).sparse_  # 6 of 100
    more = np.full((90, 13), "a", dtype=object)  # every cell is 1: 19 of 113
    assert not LiteralEncoder().fit(np.hstack([names, truths, more])).sparse_
    more = np.full((90, 12), "a", dtype=object)  # 18 of 112
    assert LiteralEncoder().fit(np.hstack([names, truths, more])).sparse_
    below = sp.csr_array(
        np.repeat([[-1.0], [0.0], [0.0]], 120, axis=1)
    )  # x > -1: of zeros that are not stored
    assert not LiteralEncoder().fit(below).sparse_
    assert not LiteralEncoder().fit(below, sample_weight=[1, 2, 3]).sparse_
    assert LiteralEncoder().fit(below, sample_weight=[29, 1, 2]).sparse_
    exact = np.array([[f"n{i % 6}"] * 20 for i in range(90)], dtype=object)  # 20 of 120
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


def test_a_missing_date_is_no_name():
    dates = pd.to_datetime(["2020-01-01", None, "2020-01-02"])
    frame = pd.DataFrame({"day": pd.Categorical(dates), "x": [1, 2, 3]})
    assert not any("NaT" in str(one) for one in LiteralEncoder().fit(frame).literals_)


def test_a_column_that_is_nearly_always_its_maximum_is_not_lost():
    X = [[0.0]] + [[1.0]] * 30
    assert LiteralEncoder().fit(X).get_feature_names_out().tolist() == ["x0 > 0"]
    assert LiteralEncoder().fit(-np.array(X)).get_feature_names_out().tolist() == ["x0 > -1"]
