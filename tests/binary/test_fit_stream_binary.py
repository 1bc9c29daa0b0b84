"""`BinaryPerceptron.fit_stream` beside `fit`: counts add up exactly, however rows are cut."""

import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perceptrons import BinaryPerceptron
from perceptrons.binary import kept_rows
from tests.sizes import cases

SEEN = Counter()
SAME = ("coef_", "threshold_", "cuts_", "influence_", "neglected_", "classes_", "n_weights_")


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n = draw(st.integers(3, 150)), draw(st.integers(1, 7))
    X = rng.integers(0, draw(st.sampled_from([2, 2, 5])), (n_rows, n))
    X = X.astype(draw(st.sampled_from([np.uint8, np.float64])))
    scores = X @ rng.choice([-1, 1], n) + rng.integers(-1, 2, n_rows)
    y = (scores > X.mean() * rng.integers(-1, 2)).astype(int)
    weights = rng.integers(0, 3, n_rows) if draw(st.booleans()) else None
    if weights is not None:
        weights[[int(np.argmin(y)), int(np.argmax(y))]] = 1
    parameters = {
        "method": draw(st.sampled_from(["influence", "influence", "clipped-hebb", "sbpi"])),
        "max_epochs": draw(st.sampled_from([5, 100])),
        "epsilon": draw(st.sampled_from(["auto", 0.1])),
        "threshold": draw(st.sampled_from(["auto", "min-error", "figure-1", 1])),
        "binarize": draw(st.sampled_from(["auto", 0.5])),
        "class_weight": draw(st.sampled_from([None, {0: 2}])),
        "random_state": 0,
    }
    if len({*y.tolist()}) == 1:
        parameters["class_weight"] = None
    cuts = draw(st.lists(st.integers(0, n_rows), max_size=5).map(sorted))
    return X, y, weights, cuts, parameters, draw(st.booleans())


def fitted(fit, *args):
    """The model and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return fit(*args), [str(one.message) for one in caught]


@pytest.mark.thorough
@settings(max_examples=cases(600), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_a_stream_gives_the_model_of_a_fit_in_memory(problem):
    X, y, weights, cuts, parameters, sparse = problem
    X = sp.csr_array(X.astype(float)) if sparse else X
    parts = [slice(start, stop) for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True)]
    more = [() if weights is None else (weights[part],) for part in parts]
    batches = [(X[part], y[part], *one) for part, one in zip(parts, more, strict=True)]
    in_memory, said = fitted(BinaryPerceptron(**parameters).fit, X, y, weights)
    streamed, said_too = fitted(BinaryPerceptron(**parameters).fit_stream, batches)
    assert said == said_too
    for name in ("n_epochs_", "converged_", "stopped_"):
        assert getattr(in_memory, name, None) == getattr(streamed, name, None), name
    for name in SAME:
        assert np.array_equal(getattr(in_memory, name), getattr(streamed, name)), name
    for mine, its in zip(in_memory.counts_, streamed.counts_, strict=True):
        assert np.allclose(mine, its, rtol=1e-12, atol=0)
    SEEN["cases"] += 1
    SEEN["sbpi"] += hasattr(in_memory, "n_epochs_")
    SEEN["votes"] += bool(in_memory.n_weights_)


def test_the_random_cases_told_something():
    assert not SEEN or SEEN["votes"] > 0.3 * SEEN["cases"]


def test_of_many_rows_the_same_sample_is_kept(monkeypatch):
    monkeypatch.setattr(kept_rows, "CAPACITY", 200)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1000, 20)).astype(np.uint8)
    y = X[:, :5].sum(axis=1) + rng.integers(0, 2, 1000) > 3
    one = BinaryPerceptron(random_state=1).fit(X, y)
    two = BinaryPerceptron(random_state=1).fit_stream((X, y), batch_rows=130)
    assert np.array_equal(one.coef_, two.coef_)
    assert one.threshold_ == two.threshold_
    assert np.array_equal(one._reservoir.keys, two._reservoir.keys)
    two.partial_fit(X, y)


def test_balanced_classes_weigh_the_same_but_for_rounding():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (500, 20)).astype(np.uint8)
    y = X[:, :5].sum(axis=1) > 3
    one = BinaryPerceptron(class_weight="balanced", random_state=1).fit(X, y)
    two = BinaryPerceptron(class_weight="balanced", random_state=1).fit_stream((X, y), batch_rows=130)
    assert np.allclose(one.influence_, two.influence_, rtol=1e-9, atol=1e-12)
    assert np.array_equal(one.coef_, two.coef_)
    assert one.threshold_ == two.threshold_


def test_an_iterator_is_enough_where_one_pass_is():
    X, y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]]), [0, 1, 1, 0]
    how = {"binarize": 0.5, "threshold": 0, "epsilon": 0.1}
    in_memory = BinaryPerceptron(**how).fit(X, y)
    streamed = BinaryPerceptron(**how).fit_stream(iter([(X[:1], y[:1]), (X[1:], y[1:])]), classes=[0, 1])
    assert np.array_equal(in_memory.coef_, streamed.coef_)
    with pytest.raises(ValueError, match="is an iterator, which can be read once only"):
        BinaryPerceptron().fit_stream(iter([(X, y)]))


GOOD = (np.array([[0, 1], [1, 0]]), [0, 1])


@pytest.mark.parametrize(
    ("batches", "how", "sentence"),
    [
        ([], {}, "The source is empty"),
        ([GOOD, (np.zeros((2, 3)), [0, 1])], {}, "batch 2: X has 3 features"),
        ([GOOD, (GOOD[0], [0, 2])], {}, "Only binary classification"),
        ([GOOD, (np.array([[0.3, 1.0]]), [1])], {"binarize": None}, "has more than two values"),
        ([(np.array([[0.0, np.nan]]), [1])], {}, "batch 1: Input X contains NaN"),
    ],
)
def test_bad_batches_are_named(batches, how, sentence):
    with pytest.raises(ValueError, match=sentence):
        BinaryPerceptron(**how).fit_stream(batches)
