"""Weights learned together over collections beside those in memory: the same rules, sizes and weights."""

import warnings
from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import SparsePerceptron as InMemory
from perceptrons.dask import SparsePerceptron
from perceptrons.dask import joint_on_dask as on_dask
from tests.dask.collections_of import array_of, chunkings, frame_of
from tests.dask.here import Here
from tests.planted import planted_table
from tests.sizes import cases

pytestmark = pytest.mark.dask
SEEN = Counter()
FEW = {  # rows and columns beyond which other paths are taken, so that small tables take them
    "perceptrons.sparse.rule_path.ROWS": 60,
    "perceptrons.sparse.rule_path.CARD_ROWS": 40,
    "perceptrons.sparse.joint.COLUMNS": 3,
    "perceptrons.dask.run_samples.COLUMNS": 3,
    "perceptrons.sparse.joint.MANY": 100,
}


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n = draw(st.integers(30, 200)), draw(st.integers(2, 6))
    X = rng.integers(0, draw(st.sampled_from([3, 6])), (n_rows, n)).astype(float)
    n_classes = draw(st.sampled_from([2, 2, 3]))
    y = (X[:, 0] * X[:, 1] + X[:, -1] > 3).astype(int) + (X[:, 0] > X[:, 1]) * (n_classes > 2)
    y = np.where(rng.random(n_rows) < 0.1, rng.integers(0, n_classes, n_rows), y)
    y[:n_classes] = np.arange(n_classes)[::-1]
    weights = draw(st.sampled_from([None, "whole", "fractions"]))
    if weights is not None:
        weights = rng.integers(1, 4, n_rows) if weights == "whole" else rng.random(n_rows) + 0.1
        weights = np.where(rng.random(n_rows) < 0.1, 0.0, weights)
        weights[:n_classes] = 1.0
    parameters = {
        "k": draw(st.sampled_from([1, 2, 2, 3])),
        "cv": draw(st.integers(2, 6)),
        "penalty": draw(st.booleans()),
        "max_rules": draw(st.sampled_from([None, 4])),
        "max_points": None if weights is None else draw(st.sampled_from([None, 5, 5])),
        "class_weight": draw(st.sampled_from([None, "balanced"])),
        "random_state": draw(st.integers(0, 9)),
    }
    limits = draw(st.sampled_from([{}, {}, {"required": [1]}, {"forbidden": [0]}, {"monotone": {0: 1}}]))
    return X, y, weights, draw(chunkings(n_rows)), {**parameters, **limits}


def fitted(model, *rows, **how):
    """What a fit says of what it has not found does not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*rows, **how)


def assert_same(one, other, X):
    assert one._places == other._places
    assert np.allclose(one._weights, other._weights, rtol=1e-6, atol=1e-8)
    assert np.allclose(one.intercept_, other.intercept_, rtol=1e-6, atol=1e-8)
    assert np.allclose(one.cv_loss_, other.cv_loss_, rtol=1e-6, atol=1e-9)
    for mine, its in zip(one._vectors, other._vectors, strict=True):
        assert mine.sizes == its.sizes
        assert mine.strength == its.strength or not mine.places
        assert np.allclose(mine.rows, its.rows)
        assert np.allclose(mine.positive, its.positive)
        assert np.isclose(mine.slope, its.slope, rtol=1e-6)
        assert np.allclose([mine.n_rows, mine.n_positive], [its.n_rows, its.n_positive])
    assert np.allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.thorough
@settings(max_examples=cases(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(), st.booleans(), st.booleans())
def test_a_collection_gives_the_model_of_all_rows_in_memory(problem, few, many_patterns):
    X, y, weights, cuts, parameters = problem
    rows = [array_of(one, cuts) for one in (X, y, weights) if one is not None]
    with ExitStack() as stack:
        for name, value in FEW.items() if few else ():
            stack.enter_context(patch(name, value))
        if many_patterns:
            stack.enter_context(patch.object(on_dask, "MOST_PATTERNS", 0))
            stack.enter_context(patch.object(on_dask, "LEAST_PATTERNS", 3))
        try:
            in_memory = fitted(InMemory(**parameters), X, y, weights)
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error)[:20]):
                fitted(SparsePerceptron(**parameters), *rows, client=Here())
            return
        client = Here(forgetful=0.05)
        model = fitted(SparsePerceptron(**parameters), *rows, client=client).to_local()
    assert_same(in_memory, model, X)
    SEEN["cases"] += 1
    SEEN["rules"] += len(in_memory._places) > 1
    SEEN["forgotten"] += client.lost > 0
    SEEN["cards"] += parameters["max_points"] is not None
    SEEN["there"] += many_patterns


def test_the_random_cases_told_something():
    known = [SEEN[what] for what in ("rules", "forgotten", "cards", "there")]
    assert not SEEN or min(known) > 0.05 * SEEN["cases"]
    print(f"together: {dict(SEEN)}")


def test_a_table_of_names_numbers_and_holes():
    columns, y = planted_table(0, 400)
    table = pd.DataFrame(columns)
    rows = frame_of(table.assign(kind=y), [0, 90, 91, 250])
    model = fitted(SparsePerceptron(random_state=0), rows[[*columns]], rows["kind"], client=Here())
    in_memory = fitted(InMemory(random_state=0), table, y)
    assert_same(in_memory, model.to_local(), table)
    assert model.to_text() == in_memory.to_text()
    predicted = model.predict(rows[[*columns]]).compute(scheduler="synchronous")
    assert np.array_equal(predicted.to_numpy(), in_memory.predict(table))


def rows_of_pairs(n_rows):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (n_rows, 8)).astype(float)
    return X, (X[:, 0] * X[:, 1] + X[:, 2] > 2) ^ (rng.random(n_rows) < 0.1)


def bytes_moved(n_rows, learner=SparsePerceptron):
    X, y = rows_of_pairs(n_rows)
    rows = [array_of(one, [n_rows // 4, n_rows // 2]) for one in (X, y)]
    return sum(one.told + one.answered for one in learner(random_state=0).fit(*rows, client=Here()).traffic_)


@pytest.mark.parametrize("most", [0, 300])
def test_bytes_do_not_grow_with_the_rows(most, monkeypatch):
    """Once there are more rows than paths look at."""
    monkeypatch.setattr("perceptrons.sparse.rule_path.ROWS", 500)
    monkeypatch.setattr("perceptrons.sparse.rule_path.CARD_ROWS", 400)
    monkeypatch.setattr(on_dask, "MOST_PATTERNS", most)
    few, many = bytes_moved(8_000), bytes_moved(32_000)
    assert many < 1.2 * few


def test_fits_are_repeated_bit_for_bit():
    X, y = rows_of_pairs(1_500)
    one, other = (
        fitted(SparsePerceptron(random_state=4), array_of(X, cuts), array_of(y, cuts), client=Here(0.1))
        for cuts in ([300, 700], [300, 700])
    )
    assert np.array_equal(one._weights, other._weights)
    assert np.array_equal(one.intercept_, other.intercept_)
    assert one._places == other._places


@pytest.mark.parametrize("random_state", [None, "generator"])
def test_draws_go_on_as_in_memory(random_state):
    """The second fit of two draws other folds, the same as in memory."""
    X, y = rows_of_pairs(300)
    found = []
    for learner, rows, how in [
        (InMemory, (X, y), {}),
        (SparsePerceptron, (array_of(X, [50]), array_of(y, [50])), {"client": Here()}),
    ]:
        np.random.seed(3)  # noqa: NPY002 that is where None draws from
        state = np.random.RandomState(3) if random_state else None
        losses = [fitted(learner(random_state=state), *rows, **how).cv_loss_ for _ in range(2)]
        found.append(losses)
    assert not np.allclose(*found[0])
    assert np.allclose(found[0], found[1], rtol=1e-6)


def test_what_is_said_of_columns_is_checked_as_in_memory():
    X, y = rows_of_pairs(60)
    rows = array_of(X, [20]), array_of(y.astype(int), [20])
    with pytest.raises(ValueError, match="required has 'x99'"):
        SparsePerceptron(required=["x99"]).fit(*rows, client=Here())
    with pytest.raises(ValueError, match="raise max_rules, or require fewer"):
        SparsePerceptron(required=[0, 1], max_rules=1).fit(*rows, client=Here())
    alone = array_of(X[:3], [1]), array_of(np.array([0, 1, 2]), [1])
    with pytest.raises(ValueError, match="classes of one row each"):
        SparsePerceptron().fit(*alone, client=Here())


def test_a_class_that_is_in_one_chunk_alone():
    X, y = rows_of_pairs(200)
    y = y.astype(int)
    y[180:] = 2
    rows = array_of(X, [60, 180]), array_of(y, [60, 180])
    model = fitted(SparsePerceptron(random_state=0, cv=3), *rows, client=Here())
    assert_same(fitted(InMemory(random_state=0, cv=3), X, y), model.to_local(), X)


def test_a_class_of_one_row_leaves_a_fold_without_it():
    X, _ = rows_of_pairs(60)
    y = (np.arange(60) == 17).astype(int)
    rows = array_of(X, [25]), array_of(y, [25])
    model = fitted(SparsePerceptron(random_state=0, cv=3), *rows, client=Here())
    assert_same(fitted(InMemory(random_state=0, cv=3), X, y), model.to_local(), X)
