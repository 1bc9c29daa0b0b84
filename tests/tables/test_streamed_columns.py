"""Encoders that learn from a stream, beside `fit`; sketches and their error."""

from collections import Counter
from functools import reduce
from operator import add

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perceptrons import LiteralEncoder, TableEncoder
from perceptrons.tables import column_profile
from perceptrons.tables.column_profile import NameProfile, NumberProfile
from perceptrons.tables.quantile_sketch import ROOM, QuantileSketch
from tests.sizes import cases

SEEN = Counter()
KINDS = ("normal", "integers", "counter", "gaps", "constant", "names", "ids", "prose", "truths", "dates")
KINDS += ("commas", "empty", "mostly missing", "huge", "user_id")


def column(kind, n, rng):
    names = [f"name {k}" for k in range(4)]
    return {
        "normal": lambda: rng.normal(size=n),
        "integers": lambda: rng.integers(-3, 4, n),
        "counter": lambda: np.arange(n),
        "gaps": lambda: np.cumsum(rng.integers(1, 3, n)),
        "constant": lambda: np.full(n, 7.5),
        "names": lambda: rng.choice(names, n),
        "ids": lambda: [f"{k:x}-{rng.integers(10**9)}" for k in range(n)],
        "prose": lambda: [" ".join(rng.choice(names, 4)) for _ in range(n)],
        "truths": lambda: [bool(value) if value < 2 else None for value in rng.integers(0, 3, n)],
        "dates": lambda: [f"2024-0{m}-1{m}" for m in rng.integers(1, 9, n)],
        "commas": lambda: [f"{value},5" for value in rng.integers(0, 30, n)],
        "empty": lambda: pl.Series([None] * n, dtype=pl.String),
        "mostly missing": lambda: [None if value < 0.9 else value for value in rng.random(n)],
        "huge": lambda: rng.normal(size=n) * 1e300,
        "user_id": lambda: rng.permutation(3 * n)[:n],
    }[kind]()


@st.composite
def tables(draw):
    rng, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(2, 120))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6, unique=True))
    frame = pl.DataFrame({kind: column(kind, n, rng) for kind in kinds})
    weights = rng.integers(0, 4, n).astype(float) if draw(st.booleans()) else None
    if weights is not None:
        weights[0] = 1.0
    cuts = draw(st.lists(st.integers(0, n), max_size=5).map(sorted))
    return (
        pd.DataFrame(frame.to_dict(as_series=False))
        if draw(st.booleans()) and "truths" not in kinds
        else frame,
        weights,
        cuts,
    )


def batches(frame, weights, cuts):
    n = len(frame)
    for start, stop in zip([0, *cuts], [*cuts, n], strict=True):
        own = () if weights is None else (weights[start:stop],)
        yield frame[start:stop], np.zeros(stop - start), *own


def result(fit):
    """What was learned, or the error."""
    try:
        return fit()
    except ValueError as error:
        return str(error)


@pytest.mark.thorough
@settings(max_examples=cases(600), deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), st.sampled_from([TableEncoder, LiteralEncoder]), st.sampled_from([None, "all"]))
def test_a_stream_teaches_what_the_whole_table_does(table, kind, keep):
    frame, weights, cuts = table
    whole = result(lambda: kind(keep=keep).fit(frame, sample_weight=weights))
    streamed = result(lambda: kind(keep=keep).fit_stream(batches(frame, weights, cuts)))
    SEEN["errors"] += isinstance(whole, str)
    SEEN["learned"] += not isinstance(whole, str)
    if isinstance(whole, str):
        assert streamed == whole
        return
    for name in ("treatments_", "kinds_", "categories_", "sparse_", "n_features_in_"):
        assert getattr(whole, name) == getattr(streamed, name), name
    if kind is LiteralEncoder:
        assert whole.literals_ == streamed.literals_
        return
    assert np.allclose(whole.means_, streamed.means_, rtol=1e-9, atol=1e-9 * np.abs(whole.scales_).max())
    assert np.allclose(whole.scales_, streamed.scales_, rtol=1e-9)


def test_the_random_cases_told_something():
    assert SEEN["learned"] >= 0.5 * SEEN.total()


def test_of_many_numbers_quantiles_are_within_the_stated_error(monkeypatch):
    monkeypatch.setattr(column_profile, "MOST", 5000)
    x = np.random.default_rng(0).lognormal(size=300_000)
    parts = [(x[start : start + 4000, None], np.zeros(4000)) for start in range(0, len(x), 4000)]
    encoder = LiteralEncoder().fit_stream(parts)
    cuts = np.array(encoder.thresholds_[0])
    ranks = np.searchsorted(np.sort(x), cuts) / len(x)
    bound = np.log2(len(x) / ROOM) / (2 * ROOM)
    assert np.abs(ranks - np.arange(1, 9) / 9).max() < bound + 2 / ROOM
    table = TableEncoder().fit_stream(parts)
    assert table.means_[0] == pytest.approx(x.mean(), rel=1e-12)
    assert table.scales_[0] == pytest.approx(x.std(), rel=1e-12)


@pytest.mark.parametrize("order", ["ascending", "descending", "random"])
def test_no_rank_is_wrong_by_more_than_the_sketch_says(order):
    rng, n = np.random.default_rng(0), 40 * ROOM + 77
    x = {"ascending": np.arange(n), "descending": np.arange(n)[::-1], "random": rng.permutation(n)}[order]
    whole, one, other = QuantileSketch(), QuantileSketch(), QuantileSketch()
    for start in range(0, n, 5000):
        whole.add(x[start : start + 5000].astype(float))
        (one if start < n // 3 else other).add(x[start : start + 5000].astype(float))
    for sketch in (whole, one + other):
        values, counts = sketch.weighted()
        assert sketch.n == n == counts.sum()
        wrong = np.abs(np.cumsum(counts) - 1 - values).max()
        assert 0 < wrong <= sketch.rank_error + 2 ** len(sketch.steps)
        assert sketch.rank_error <= n * np.log2(n / ROOM) / (2 * ROOM) + 2 ** len(sketch.steps)


def test_names_of_rows_are_left_out_and_other_names_of_many_values_refused(monkeypatch):
    monkeypatch.setattr(column_profile, "MOST", 100)
    monkeypatch.setattr("perceptrons.tables.streamed_columns.MOST", 100)
    ids = pl.DataFrame({"a": np.arange(300) % 7, "id": [f"row {k}" for k in range(300)]})
    assert TableEncoder().fit_stream([(ids[:150], None), (ids[150:], None)]).treatments_[1] == "names of rows"
    repeated = pl.DataFrame({"a": np.arange(300) % 7, "city": [f"city {k % 120}" for k in range(300)]})
    parts = [(pl.concat([repeated[:90]] * 3), None), (repeated[90:], None)]
    with pytest.raises(ValueError, match="Column 'city' has more than 100 different names"):
        TableEncoder().fit_stream(parts)


def test_bad_batches_are_named():
    good = (pl.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), None)
    with pytest.raises(
        ValueError, match="batch 2: The column 'b' is numeric, but in the batches before it is"
    ):
        TableEncoder().fit_stream([good, (pl.DataFrame({"a": [1.0], "b": [2]}), None)])
    with pytest.raises(ValueError, match=r"The columns are \['a'\], but those of the batches before"):
        TableEncoder().fit_stream([good, (pl.DataFrame({"a": [1.0]}), None)])
    with pytest.raises(ValueError, match="The source is empty"):
        TableEncoder().fit_stream([])
    with pytest.raises(ValueError, match="is not for fit_stream, which sees columns one by one"):
        LiteralEncoder(groups=2).fit_stream([good])


def test_batches_without_a_value_do_not_decide_what_a_column_is():
    nothing = pd.DataFrame({"a": pd.Series([None, None], dtype=object), "b": [1.0, 2.0]})
    texts = pd.DataFrame({"a": pd.Series(["x", "y"], dtype=object), "b": [3.0, 4.0]})
    whole = TableEncoder().fit(pd.concat([nothing, texts, nothing]))
    streamed = TableEncoder().fit_stream([(nothing, None), (texts, None), (nothing, None)])
    assert whole.kinds_ == streamed.kinds_
    assert whole.categories_ == streamed.categories_


def test_weights_have_no_room_in_a_sketch(monkeypatch):
    monkeypatch.setattr(column_profile, "MOST", 10)
    profile = NumberProfile("x")
    with pytest.raises(ValueError, match="a sketch that has no room for weights"):
        profile.add(np.arange(20.0), np.ones(20))


@pytest.mark.parametrize("n_values", [50, 100_000])
def test_profiles_of_parts_add_up(n_values):
    """Few values exactly; of many the sketch, within its error."""
    rng = np.random.default_rng(0)
    cells = rng.permutation(np.linspace(-1.0, 3.0, n_values)).repeat(2)
    cells[::97] = np.nan
    whole, parts = NumberProfile(), []
    whole.add(cells)
    for some in np.array_split(cells, 5):
        parts.append(NumberProfile())
        parts[-1].add(some)
    merged = reduce(add, parts)
    facts = ("n_cells", "n_present", "low", "high", "whole", "ascending")
    assert [getattr(merged, name) for name in facts] == [getattr(whole, name) for name in facts]
    assert np.allclose(merged.mean_and_deviation(), whole.mean_and_deviation(), rtol=1e-12)
    if n_values == 50:
        assert merged.thresholds(9) == whole.thresholds(9)
        return
    present = np.sort(cells[~np.isnan(cells)])
    for k, cut in enumerate(merged.thresholds(9), start=1):
        share = np.searchsorted(present, cut, side="right") / len(present)
        assert abs(share - k / 10) <= merged.rank_error + 2 / len(present)


def test_names_of_parts_add_up():
    one, other = NameProfile("x"), NameProfile("x")
    one.add(["a", None, "b"])
    other.add(["b", "c"])
    both = one + other
    assert both.counts == {"a": 1, "b": 2, "c": 1, None: 1}
    assert (both.n_cells, both.full) == (5, False)
    other.add([str(k) for k in range(70_000)])
    assert (one + other).full
    assert (other + one).full
