"""`BinaryPerceptron` over collections beside the one in memory: the same, however rows are cut."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perceptrons import BinaryPerceptron as InMemory
from perceptrons.binary import kept_rows
from perceptrons.dask import BinaryPerceptron
from tests.dask.collections_of import array_of, chunkings, frame_of
from tests.dask.here import Here
from tests.sizes import cases

pytestmark = pytest.mark.dask
SEEN = Counter()
SAME = (
    "coef_",
    "threshold_",
    "cuts_",
    "influence_",
    "neglected_",
    "classes_",
    "n_weights_",
    "n_features_in_",
)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n = draw(st.integers(3, 150)), draw(st.integers(1, 7))
    X = rng.integers(0, draw(st.sampled_from([2, 2, 5])), (n_rows, n))
    X = X.astype(draw(st.sampled_from([np.uint8, np.float64])))
    y = (X @ rng.choice([-1, 1], n) + rng.integers(-1, 2, n_rows) > X.mean()).astype(int)
    weights = rng.integers(0, 3, n_rows) if draw(st.booleans()) else None
    if weights is not None:
        weights[[int(np.argmin(y)), int(np.argmax(y))]] = 1
    parameters = {
        "method": draw(st.sampled_from(["influence", "influence", "clipped-hebb"])),
        "epsilon": draw(st.sampled_from(["auto", 0.1])),
        "threshold": draw(st.sampled_from(["auto", "min-error", "figure-1", 1])),
        "binarize": draw(st.sampled_from(["auto", 0.5])),
        "class_weight": draw(st.sampled_from([None, {0: 2}])),
        "random_state": 0,
    }
    if len({*y.tolist()}) == 1:
        parameters["class_weight"] = None
    return X, y, weights, draw(chunkings(n_rows)), parameters, draw(st.booleans()), draw(st.booleans())


@pytest.mark.thorough
@settings(max_examples=cases(600), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_a_collection_gives_the_model_of_all_rows_in_memory(problem):
    X, y, weights, cuts, parameters, sparse, known = problem
    X = sp.csr_array(X.astype(float)) if sparse else X
    given = [array_of(one, cuts, known) for one in (X, y, weights) if one is not None]
    client = Here(forgetful=0.1)
    model = BinaryPerceptron(**parameters).fit(*given, client=client)
    in_memory = InMemory(**parameters).fit(X, y, weights)
    for name in SAME:
        assert np.array_equal(getattr(in_memory, name), getattr(model, name)), name
    for mine, its in zip(in_memory.counts_, model.counts_, strict=True):
        assert np.allclose(mine, its, rtol=1e-12, atol=0)
    assert type(model.to_local()) is InMemory
    assert all(part.released for part in client.parts)
    assert np.array_equal(model.predict(array_of(X, cuts)).compute(), in_memory.predict(X))
    SEEN["cases"] += 1
    SEEN["votes"] += bool(in_memory.n_weights_)
    SEEN["several chunks"] += bool(cuts)


def test_the_random_cases_told_something():
    assert not SEEN or min(SEEN["votes"], SEEN["several chunks"]) > 0.15 * SEEN["cases"]


@pytest.mark.parametrize("share", [5.0, -14.0])
def test_of_many_rows_the_same_sample_is_kept(monkeypatch, share):
    """Also where so few rows had a small key that more must be asked for."""
    monkeypatch.setattr(kept_rows, "CAPACITY", 200)
    monkeypatch.setattr("perceptrons.dask.binary_perceptron_on_dask.SPARE", share)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 20)).astype(np.uint8)
    y = X[:, :5].sum(axis=1) + rng.integers(0, 2, 1000) > 3
    one = InMemory(random_state=1).fit(X, y)
    two = BinaryPerceptron(random_state=1)
    two.fit(array_of(X, [130, 640, 641]), array_of(y, [130, 640, 641]), client=Here())
    assert np.array_equal(one.coef_, two.coef_)
    assert np.array_equal(one._reservoir.keys, two._reservoir.keys)
    assert np.array_equal(one._rng.uniform(size=5), two._rng.uniform(size=5))


def test_weights_that_are_fractions_add_up_but_for_rounding():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (500, 12))
    y, weights = X[:, :6].sum(axis=1) + rng.integers(0, 2, 500) > 3, rng.random(500)
    one = InMemory(class_weight="balanced", random_state=0).fit(X, y, weights)
    rows = (array_of(part, [100, 350]) for part in (X, y, weights))
    two = BinaryPerceptron(class_weight="balanced", random_state=0).fit(*rows, client=Here())
    assert np.array_equal(one.coef_, two.coef_)
    assert one.threshold_ == two.threshold_
    assert np.allclose(one.influence_, two.influence_, rtol=1e-12)


def test_a_frame_keeps_its_names():
    table = pd.DataFrame({"a": [0, 1, 0, 1] * 20, "b": [0, 0, 1, 1] * 20, "y": ["no", "yes"] * 40})
    rows = frame_of(table, [17, 30])
    model = BinaryPerceptron(random_state=0).fit(rows[["a", "b"]], rows["y"], client=Here())
    assert model.feature_names_in_.tolist() == ["a", "b"]
    predicted = model.predict(rows[["a", "b"]]).compute(scheduler="synchronous")
    assert predicted.index.equals(table.index)
    assert (predicted == table["y"]).all()


def test_bytes_do_not_grow_with_the_rows():
    answered = []
    for n_rows in (2_000, 20_000):
        X = np.random.default_rng(0).integers(0, 2, (n_rows, 30)).astype(np.uint8)
        rows, labels = (array_of(one, [n_rows // 4, n_rows // 2]) for one in (X, X[:, 0] ^ X[:, 1]))
        model = BinaryPerceptron(epsilon=0.1, random_state=0, threshold=0).fit(rows, labels, client=Here())
        answered.append(sum(stage.answered for stage in model.traffic_))
    assert answered[1] < 1.05 * answered[0]


def test_what_a_collection_cannot_do():
    X, y = array_of(np.eye(4), [2]), array_of(np.array([0, 1, 2, 0]), [2])
    with pytest.raises(ValueError, match="'sbpi' visits rows in random order"):
        BinaryPerceptron(method="sbpi").fit(X, y, client=Here())
    with pytest.raises(ValueError, match="The target has 3 classes"):
        BinaryPerceptron().fit(X, y, client=Here())
    wide = array_of(np.arange(4.0)[:, None], [2])
    with pytest.raises(ValueError, match="Column 0 has more than two values"):
        BinaryPerceptron(binarize=None).fit(wide, array_of(np.array([0, 1, 1, 0]), [2]), client=Here())
