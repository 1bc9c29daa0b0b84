"""Weights learned together over collections beside those in memory: the same rules, sizes and weights."""

import warnings
from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import SparsePerceptron as InMemory
from perceptrons.dask import SparsePerceptron
from perceptrons.dask import joint_on_dask as on_dask
from tests.dask.collections_of import array_of, chunkings
from tests.dask.here import Here
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
    try:
        assert_same(in_memory, model, X)
    except AssertionError:  # of points or sizes that are equal but for rounding, either may be chosen
        assert abs(np.min(in_memory.cv_loss_) - np.min(model.cv_loss_)) < 0.03
        SEEN["ties"] += 1
    SEEN["cases"] += 1
    SEEN["rules"] += len(in_memory._places) > 1
    SEEN["forgotten"] += client.lost > 0
    SEEN["cards"] += parameters["max_points"] is not None
    SEEN["there"] += many_patterns


def test_the_random_cases_told_something():
    known = [SEEN[what] for what in ("rules", "forgotten", "cards", "there")]
    assert not SEEN or min(known) > 0.1 * SEEN["cases"]
    assert SEEN["ties"] <= 0.02 * SEEN["cases"]
    print(f"together: {dict(SEEN)}")
