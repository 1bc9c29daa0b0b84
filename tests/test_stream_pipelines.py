"""Pipelines that learn from streams, and evaluations made in batches."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from perceptrons import (
    BinaryPerceptron,
    ChowClassifier,
    LiteralEncoder,
    MaxMarginPerceptron,
    Perceptron,
    TableEncoder,
    fit_stream,
    stream_table,
)
from perceptrons.evaluation import evaluate
from perceptrons.evaluation_stream import BITS, EvaluationOfBatches, bucket_of


@pytest.fixture
def coffee():
    table = pl.read_csv("examples/coffee.csv")
    return table.drop("grade"), table["grade"].to_numpy()


@pytest.mark.parametrize("size", [7, 100, 1000])
def test_pipelines_learn_the_same_from_batches(coffee, size):
    X, y = coffee
    batches = [(X[start : start + size], y[start : start + size]) for start in range(0, len(y), size)]
    bits = make_pipeline(LiteralEncoder(), BinaryPerceptron(random_state=0))
    in_memory = bits.fit(X, y)[-1].coef_.copy()
    assert np.array_equal(fit_stream(bits, lambda: iter(batches))[-1].coef_, in_memory)
    linear = make_pipeline(TableEncoder(), Perceptron(order="cyclic", max_epochs=500))
    in_memory = linear.fit(X, y).decision_function(X)
    assert np.allclose(fit_stream(linear, batches).decision_function(X), in_memory, rtol=1e-6)


def test_a_table_in_a_file_teaches_what_it_does_in_memory(coffee):
    X, y = coffee
    model = make_pipeline(LiteralEncoder(), BinaryPerceptron(random_state=0))
    in_memory = model.fit(X, y)[-1].coef_.copy()
    assert np.array_equal(
        fit_stream(model, stream_table("examples/coffee.csv", "grade"))[-1].coef_, in_memory
    )


def test_what_cannot_learn_from_a_stream_is_named(coffee):
    with pytest.raises(ValueError, match="A MaxMarginPerceptron cannot learn from a stream; what can"):
        fit_stream(MaxMarginPerceptron(), [coffee])
    with pytest.raises(ValueError, match="A LogisticRegression cannot learn"):
        fit_stream(make_pipeline(TableEncoder(), LogisticRegression()), [coffee])
    with pytest.raises(ValueError, match="each step of a pipeline reads it again"):
        fit_stream(make_pipeline(TableEncoder(), Perceptron()), iter([coffee]))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([2, 3]), st.booleans())
def test_evaluations_in_batches_are_those_of_all_rows(seed, n_classes, weighted):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    y = np.array(["a", "b", "c"])[(X @ rng.normal(size=(3, n_classes))).argmax(axis=1)]
    y[:n_classes] = ["a", "b", "c"][:n_classes]
    y[rng.random(200) < 0.3] = "a"
    weights = rng.random(200) if weighted else None
    learners = [LogisticRegression(), Perceptron(random_state=0)]
    for model in learners + [ChowClassifier(LogisticRegression())] * (n_classes == 2):
        model.fit(X, y)
        whole, parts = evaluate(model, X, y, weights), EvaluationOfBatches(model)
        for part in (slice(0, 50), slice(50, 51), slice(51, 200)):
            parts.add(X[part], y[part], None if weights is None else weights[part])
        found = parts.result()
        for name in ("accuracy", "balanced_accuracy", "rejected", "risk", "log_loss", "brier", "baseline"):
            mine, its = getattr(found, name), getattr(whole, name)
            assert mine == its or mine == pytest.approx(its, rel=1e-9), name
        assert found.accuracy_interval == pytest.approx(whole.accuracy_interval, rel=1e-9)
        assert np.allclose(found.confusion, whole.confusion)
        assert found.auc == pytest.approx(whole.auc, abs=2e-3 if n_classes == 2 else 1e-2)


def test_buckets_keep_the_order_of_scores():
    scores = np.sort(
        np.concatenate([[-np.inf, -0.0, 0.0, np.inf], np.random.default_rng(0).normal(size=1000)])
    )
    buckets = bucket_of(scores)
    assert (np.diff(buckets) >= 0).all()
    assert 0 <= buckets.min() <= buckets.max() < 1 << BITS
