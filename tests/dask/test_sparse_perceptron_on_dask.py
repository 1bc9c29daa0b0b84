"""`SparsePerceptron` over collections beside the one in memory: the same rules, weights but for rounding."""

import warnings
from collections import Counter

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import SparsePerceptron as InMemory
from perceptrons.dask import SparsePerceptron
from tests.dask.collections_of import array_of, chunkings, frame_of
from tests.dask.here import Here
from tests.planted import planted_table
from tests.sizes import cases

pytestmark = pytest.mark.dask
SEEN = Counter()


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n = draw(st.integers(20, 120)), draw(st.integers(2, 6))
    X = rng.integers(0, draw(st.sampled_from([2, 6])), (n_rows, n)).astype(float)
    n_classes = draw(st.sampled_from([2, 2, 3]))
    y = (X[:, 0] * X[:, 1] + rng.integers(0, 2, n_rows)).astype(int) % n_classes
    y[:n_classes] = np.arange(n_classes)
    weights = draw(st.sampled_from([None, "whole", "fractions"]))
    if weights is not None:
        weights = rng.integers(1, 4, n_rows) if weights == "whole" else rng.random(n_rows) + 0.1
        weights = np.where(rng.random(n_rows) < 0.1, 0.0, weights)
        weights[:n_classes] = 1.0
    parameters = {
        "refit": "stagewise",
        "stages": draw(st.sampled_from([1, 2, 3, 4, 5, 6, "cv", "cv"])),
        "max_stages": draw(st.integers(2, 6)),
        "cv": draw(st.integers(2, 5)),
        "random_state": draw(st.integers(0, 9)),
        "k": draw(st.sampled_from([1, 2, 2])),
        "penalty": draw(st.booleans()),
        "class_weight": draw(st.sampled_from([None, "balanced"])),
    }
    return X, y, weights, draw(chunkings(n_rows)), parameters


def fitted(model, *rows, **how):
    """What a fit says of stages does not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*rows, **how)


def assert_same(one, other, X):
    assert one._places == other._places
    assert [[stage.literals for stage in run] for run in one._runs] == [
        [stage.literals for stage in run] for run in other._runs
    ]
    assert (one.cv_accuracy_ is None) == (other.cv_accuracy_ is None)
    if one.cv_accuracy_ is not None:
        assert np.allclose(one.cv_accuracy_, other.cv_accuracy_, rtol=1e-9)
    assert np.allclose(one._weights, other._weights, rtol=1e-9)
    assert np.allclose(one.intercept_, other.intercept_, rtol=1e-9, atol=1e-12)
    assert np.allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-7, atol=1e-9)


@pytest.mark.thorough
@settings(max_examples=cases(400), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_a_collection_gives_the_rules_of_all_rows_in_memory(problem):
    X, y, weights, cuts, parameters = problem
    given = [array_of(one, cuts) for one in (X, y, weights) if one is not None]
    try:
        in_memory = fitted(InMemory(**parameters), X, y, weights)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:20]):
            fitted(SparsePerceptron(**parameters), *given, client=Here())
        return
    client = Here(forgetful=0.1)
    model = fitted(SparsePerceptron(**parameters), *given, client=client)
    assert_same(in_memory, model.to_local(), X)
    SEEN["cases"] += 1
    SEEN["stages"] += in_memory.stages_ > 2
    SEEN["forgotten"] += client.lost > 0
    SEEN["cv"] += parameters["stages"] == "cv"
    SEEN["pairs"] += any(len(one) > 1 for one in in_memory._places)


def test_the_random_cases_told_something():
    known = [SEEN[what] for what in ("cv", "stages", "forgotten", "pairs")]
    assert not SEEN or min(known) > 0.05 * SEEN["cases"]


def test_a_table_of_names_numbers_and_holes():
    columns, y = planted_table(0)
    table = pd.DataFrame(columns)
    rows = frame_of(table.assign(kind=y), [0, 30, 31, 80])
    how = {"refit": "stagewise", "stages": 8}
    model = fitted(SparsePerceptron(**how), rows[[*columns]], rows["kind"], client=Here())
    in_memory = fitted(InMemory(**how), table, y)
    assert_same(in_memory, model, table)
    assert model.to_text() == in_memory.to_text()
    predicted = model.predict(rows[[*columns]]).compute(scheduler="synchronous")
    assert np.array_equal(predicted.to_numpy(), in_memory.predict(table))


def test_a_name_first_seen_in_a_late_chunk():
    table = pd.DataFrame({"a": ["x", "y"] * 20 + ["z"] * 10, "y": [0, 1] * 20 + [1] * 10})
    rows = frame_of(table, [15, 40])
    model = fitted(SparsePerceptron(refit="stagewise", stages=3), rows[["a"]], rows["y"], client=Here())
    assert model.encoder_.categories_ == [["x", "y", "z"]]


def test_chunks_whose_categories_differ():
    parts = [
        pd.DataFrame({"a": pd.Categorical(names * 10), "y": labels * 10})
        for names, labels in [(["x", "y"], [0, 1]), (["y", "z"], [1, 0]), (["z", "z"], [0, 0])]
    ]
    rows = dd.from_delayed([dask.delayed(part) for part in parts], meta=parts[0][:0], verify_meta=False)
    how = {"refit": "stagewise", "stages": 2}
    model = fitted(SparsePerceptron(**how), rows[["a"]], rows["y"], client=Here())
    whole = pd.concat(parts)
    in_memory = fitted(InMemory(**how), whole[["a"]].astype(object), whole["y"])
    assert model.encoder_.categories_ == in_memory.encoder_.categories_
    assert_same(in_memory, model, whole[["a"]].astype(object))


def test_the_theorems_number_of_stages():
    X = np.random.default_rng(0).integers(0, 2, (60, 4))
    y = X[:, 0] & X[:, 1]
    how = {"refit": "stagewise", "stages": "theory", "target_size": 2}
    model = fitted(SparsePerceptron(**how), array_of(X, [20]), array_of(y, [20]), client=Here())
    assert_same(fitted(InMemory(**how), X, y), model, X)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_probabilities_of_rows_whose_weights_are_fractions(scale):
    """Light rows are calibrated as if they weighed 1 on average, heavy ones as what they weigh."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (60, 4)).astype(float)
    y = (X[:, 0] * X[:, 1] + rng.integers(0, 2, 60)).astype(int) % 2
    weights = scale * (rng.random(60) + 0.1)
    how = {"refit": "stagewise", "stages": 4, "class_weight": {0: 2.0}}
    model = fitted(SparsePerceptron(**how), *(array_of(one, [20]) for one in (X, y, weights)), client=Here())
    assert_same(fitted(InMemory(**how), X, y, weights), model, X)


def test_many_finalists_are_looked_at_twice(monkeypatch):
    monkeypatch.setattr("perceptrons.dask.sparse_rounds.FEW", 0)
    monkeypatch.setattr("perceptrons.dask.sparse_rounds.MANY", 1)
    monkeypatch.setattr("perceptrons.dask.sparse_rounds.WORTH", 10**9)
    X = np.random.default_rng(1).integers(0, 4, (80, 5)).astype(float)
    y = (X[:, 0] > 1).astype(int) ^ (X[:, 1] > 1)
    how = {"refit": "stagewise", "stages": 6}
    model = fitted(SparsePerceptron(**how), array_of(X, [20]), array_of(y, [20]), client=Here())
    assert_same(fitted(InMemory(**how), X, y), model, X)


def test_bytes_do_not_grow_with_the_rows():
    answered = []
    for n_rows in (1_000, 8_000):
        X = np.random.default_rng(0).integers(0, 3, (n_rows, 8)).astype(float)
        rows, labels = (array_of(one, [n_rows // 4, n_rows // 2]) for one in (X, X[:, 0] > X[:, 1]))
        model = fitted(SparsePerceptron(refit="stagewise", stages=4), rows, labels, client=Here())
        answered.append(sum(stage.answered for stage in model.traffic_))
    assert answered[1] < 1.1 * answered[0]


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"cv": [([0, 1], [2, 3])]}, "cv="),
        ({"max_points": 5, "n_cards": 3}, "n_cards=3"),
        ({"device": "auto"}, "device='auto'"),
        ({"refit": "stagewise", "cv": [([0, 1], [2, 3])]}, "cv="),
        ({"refit": "stagewise", "stages": 3, "k": 3}, "k=3"),
        ({"booster": "majority", "stages": 3, "target_size": 2}, "booster='majority'"),
        ({"refit": "stagewise", "stages": 3, "groups": [[0, 1]]}, "groups="),
    ],
)
def test_what_is_for_rows_in_memory(parameters, named):
    X, y = array_of(np.eye(4), [2]), array_of(np.array([0, 1, 1, 0]), [2])
    with pytest.raises(ValueError, match=f"{named}.*is for rows in memory"):
        SparsePerceptron(**parameters).fit(X, y, client=Here())
