"""`SparsePerceptron.fit_stream` beside `fit`: however rows are cut, every fitted attribute is the same."""

import os
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from perceptrons import LiteralEncoder, SparsePerceptron, fit_stream
from perceptrons.sparse.streamed_rules import code_cells
from tests.sizes import cases

SEEN = Counter()
CHUNKINGS = 5  # of each table
COLORS = np.array(["red", "green", "blue", None], object)


def same(one, other):
    """Are these equal, all the way down?"""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return same(vars(one), vars(other)) if hasattr(one, "__dict__") else one == other


def assert_same(one, other):
    mine, its = ({k: v for k, v in vars(model).items() if k != "_seen_rows"} for model in (one, other))
    assert mine.keys() == its.keys()
    for name in mine:
        assert same(mine[name], its[name]), name


@st.composite
def problems(draw):
    """A table, labels, weights, several ways to cut it, and parameters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(12, 90))
    numbers, colors = rng.integers(-4, 5, (n, 2)).astype(float), COLORS[rng.integers(0, 4, n)]
    n_classes = draw(st.sampled_from([2, 2, 3]))
    y = (numbers[:, 0] + (colors == "red") + rng.normal(0, 1, n) > 0).astype(int)
    y += (numbers[:, 1] > 2) * (n_classes - 2)
    y[: 2 * n_classes] = [*range(n_classes)] * 2
    y = y if draw(st.booleans()) else np.array(["no", "perhaps", "yes"])[y]
    table = {"a": numbers[:, 0], "b": numbers[:, 1], "c": colors, "d": rng.integers(0, 2, n) > 0}
    X = numbers if draw(st.booleans()) else pd.DataFrame(table)
    weights = None
    if draw(st.booleans()):
        weights = rng.integers(0, 3, n).astype(float)
        weights[: 2 * n_classes] = 1.0
    how = [
        {},
        {"max_points": 5},
        {"max_points": 3, "n_cards": 3} if n_classes == 2 else {"max_points": 3},
        {"monotone": {0: 1}, "forbidden": [1]} if n_classes == 2 else {"required": [0]},
        {"refit": "stagewise", "stages": 4},
        {"booster": "majority", "stages": 5, "target_size": 3},
    ]
    parameters = {
        "k": draw(st.sampled_from([1, 2, 3])),
        "class_weight": draw(st.sampled_from([None, "balanced"])),
        "cv": draw(st.sampled_from([2, 2, KFold(2)])),
        **draw(st.sampled_from(how)),
    }
    cuts = [draw(st.lists(st.integers(0, n), max_size=5).map(sorted)) for _ in range(CHUNKINGS)]
    return X, y, weights, cuts, parameters


def batches_of(X, y, weights, cuts):
    for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True):
        more = () if weights is None else (weights[start:stop],)
        yield X[start:stop], y[start:stop], *more


def fitted(fit, *args, **how):
    """The model, or what was wrong."""
    try:
        return fit(*args, **how)
    except ValueError as error:
        return str(error)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=cases(120), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_a_stream_gives_the_model_of_a_fit_in_memory(problem):
    X, y, weights, cuts, parameters = problem
    in_memory = fitted(SparsePerceptron(random_state=0, **parameters).fit, X, y, weights)
    for one in cuts:
        batches = [*batches_of(X, y, weights, one)]
        streamed = fitted(
            SparsePerceptron(random_state=0, **parameters).fit_stream, lambda b=batches: iter(b)
        )
        SEEN["chunkings"] += 1
        if isinstance(in_memory, str):
            assert streamed == in_memory
            continue
        assert_same(streamed, in_memory)
        SEEN["rules"] += bool(in_memory.conjunctions_)


@pytest.mark.thorough
def test_the_random_cases_told_something(record_property):
    assert not SEEN or SEEN["rules"] > 0.6 * SEEN["chunkings"]
    told = f"{SEEN['chunkings']} chunkings of streams, {SEEN['rules']} with rules"
    record_property("printed", f"sparse: {told}")


def table_of(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, (X[:, 0] > 0.3) ^ (X[:, 1] > 0) ^ (rng.random(n) < 0.1)


@pytest.mark.parametrize("how", [{}, {"refit": "stagewise", "stages": 3}])
def test_codes_in_a_file_make_the_same_model_and_leave_nothing(tmp_path, how):
    X, y = table_of(2000)
    in_memory = SparsePerceptron(random_state=0, max_rules=4, **how).fit(X, y)
    streamed = SparsePerceptron(random_state=0, max_rules=4, **how)
    streamed.fit_stream((X, y), batch_rows=300, scratch=tmp_path)
    assert_same(streamed, in_memory)
    assert not os.listdir(tmp_path)
    with pytest.raises(ValueError, match=r"scratch='.*nowhere' is no folder"):
        streamed.fit_stream((X, y), scratch=tmp_path / "nowhere")


@pytest.mark.filterwarnings("ignore:Column 'name' has 300 values")
def test_many_columns_and_many_literals_of_one():
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 2, (60, 600)).astype(float)
    long = pl.DataFrame({"name": [f"name {k % 300}" for k in range(900)], "x": rng.normal(size=900)})
    for X, keep in ((wide, None), (long, "all")):
        y = np.arange(len(X)) % 300 < 40 if X is long else wide[:, 3] > 0
        how = {"random_state": 0, "max_rules": 3, "cv": 2, "stages": 20, "keep": keep, "k": 1}
        parts = [(X[: len(X) // 3], y[: len(X) // 3]), (X[len(X) // 3 :], y[len(X) // 3 :])]
        assert_same(SparsePerceptron(**how).fit_stream(parts), SparsePerceptron(**how).fit(X, y))


def test_a_pipeline_of_literals_and_rules():
    X, y = table_of(500)
    model = make_pipeline(LiteralEncoder(n_thresholds=3), SparsePerceptron(random_state=0, max_rules=3))
    in_memory = model.fit(X, y)[-1].to_text()
    assert fit_stream(model, (X, y), batch_rows=64)[-1].to_text() == in_memory


def test_codes_of_parts_are_those_of_the_whole():
    X, _ = table_of(300)
    encoder = LiteralEncoder().fit(X)
    parts = [code_cells(encoder, [0, 3], X[start : start + 77], np.uint8) for start in range(0, 300, 77)]
    assert np.array_equal(np.concatenate(parts, axis=1), code_cells(encoder, [0, 3], X, np.uint8))


GOOD = (np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1])


def changing():
    """A source whose second pass has other rows."""
    passes = []

    def source():
        passes.append(1)
        return iter([GOOD, (GOOD[0] + (len(passes) > 3), GOOD[1])])

    return source


@pytest.mark.parametrize(
    ("source", "how", "sentence"),
    [
        ([], {}, "The source is empty: it gave no rows"),
        (iter([GOOD]), {}, "is an iterator, which can be read once only, but thresholds and literals take"),
        ([GOOD, (np.zeros((2, 2)), [0, 1])], {}, "The columns are"),
        ([GOOD, (GOOD[0], list("abab"))], {}, "batch 2: y holds 'a', but the batches before hold labels"),
        ([(GOOD[0], [1] * 4)], {}, "y holds one class only: 1"),
        ([(*GOOD, [1, 0, 1, 0])], {}, "All rows of the class 1 have weight 0"),
        ([GOOD, (GOOD[0], [0.5, 0.25, 1, 1])], {}, "batch 2: Unknown label type: continuous"),
        ([GOOD, (GOOD[0], GOOD[1], [1, 1])], {}, "batch 2: sample_weight has 2 entries for 4 rows"),
        ([(sp.csr_array(GOOD[0]), GOOD[1])], {}, "sparse"),
        ([GOOD], {"groups": 2}, "groups=2 is not for fit_stream, which sees columns one by one"),
        ([GOOD], {"max_points": 0}, "max_points=0"),
        (changing(), {"n_thresholds": 2}, "batch 2 is not what it was in the first pass"),
    ],
)
@pytest.mark.filterwarnings("ignore:No conjunction")
def test_what_is_wrong_is_said_and_the_model_stays_as_it_was(source, how, sentence):
    model = SparsePerceptron(random_state=0, cv=2).fit(*GOOD)
    model.set_params(**how)
    before = vars(model).copy()
    with pytest.raises(ValueError, match=sentence):
        model.fit_stream(source)
    assert vars(model) == before
