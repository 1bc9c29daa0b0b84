"""`PrunedPerceptron` against its slow twin, invariances, and the papers' data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from perceptrons import PrunedPerceptron
from perceptrons.datasets import load
from perceptrons.rows.encode import as_rows
from perceptrons.sparse import features
from perceptrons.sparse.conjunctions import arrange
from perceptrons.sparse.features import features_of
from perceptrons.sparse.sparse_parameters import read_drop
from tests.naive import pruned as naive
from tests.sparse.test_pruning import draw, one_by_one

pytestmark = pytest.mark.kernels


def test_the_model_equals_the_twins():
    sizes = []
    for seed in range(30, 50):
        k = 1 + seed % 4 // 2
        X, literals, attributes, y, weights = draw(seed, k)
        steps = naive.prune(literals, y, weights, attributes, k, 0.01, naive.split(y, 0.25, seed))
        chosen = [*naive.best(steps).weights]
        F = naive.features(literals, chosen)
        theta = naive.optimum(F, y, weights, 0.01)
        settings = {"k": k, "alpha": 0.01, "validation_fraction": 0.25, "random_state": seed}
        model = PrunedPerceptron(**settings).fit(X, y, sample_weight=weights)
        assert model.path_ == [(len(step.weights), step.accuracy) for step in steps]
        assert model._places == chosen
        assert model.weights_ == pytest.approx(theta[1:] / 2, rel=1e-4)
        assert model.decision_function(X) == pytest.approx(F @ theta, rel=1e-6, abs=1e-8)
        names = [
            f"x{attribute} = {'abc'[i - attributes.tolist().index(attribute)]}"
            for i, attribute in enumerate(attributes)
        ]
        assert [*map(str, model.conjunctions_)] == [" and ".join(names[i] for i in one) for one in chosen]
        sizes.append(model.n_weights_)
    assert len(sizes) == 20
    assert max(sizes) > 3
    assert np.count_nonzero(sizes) >= 15


def blobs(seed, n_classes=2, m=90):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % n_classes
    return rng.normal(size=(m, 4)) + 1.5 * np.eye(4)[y], y


@settings(deadline=None, max_examples=10, derandomize=True)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 3))
def test_columns_in_another_order_and_sparse_rows(seed, n_classes):
    X, y = blobs(seed, n_classes)
    X = X * (abs(X) > 0.3)
    order = np.random.default_rng(seed).permutation(4)
    model = PrunedPerceptron(random_state=seed).fit(X, y)
    scores = model.decision_function(X)
    permuted = PrunedPerceptron(random_state=seed).fit(X[:, order], y)
    assert permuted.path_ == model.path_
    assert permuted.decision_function(X[:, order]) == pytest.approx(scores, rel=1e-6, abs=1e-7)
    from_csr = PrunedPerceptron(random_state=seed).fit(sp.csr_array(X), y)
    assert from_csr.path_ == model.path_
    assert from_csr.decision_function(X) == pytest.approx(scores, rel=1e-6, abs=1e-7)


def test_more_than_two_classes():
    X, y = blobs(3, n_classes=3, m=150)
    model = PrunedPerceptron(random_state=0).fit(X, np.array(["a", "b", "c"])[y])
    assert model.score(X, np.array(["a", "b", "c"])[y]) > 0.75
    assert model.weights_.shape == (3, len(model.conjunctions_))
    assert model.n_weights_.tolist() == np.count_nonzero(model.weights_, axis=1).tolist()
    assert len(model.path_) == 3
    for vector, path in enumerate(model.path_):
        assert [one.n_weights for one in path] == list(range(len(path) - 1, -1, -1))
        top = max(one.accuracy for one in path)
        assert model.n_weights_[vector] == min(one.n_weights for one in path if one.accuracy == top)
    assert (model._weights != 0).any(axis=0).all()


def test_weights_count_by_their_ratio_alone():
    X, y = blobs(5)
    weights = np.random.default_rng(5).integers(1, 5, size=90)
    models = [PrunedPerceptron(random_state=1).fit(X, y, sample_weight=weights * c) for c in (1, 1024)]
    assert models[0].path_ == models[1].path_
    assert models[0].weights_ == pytest.approx(models[1].weights_)
    balanced = PrunedPerceptron(random_state=1, class_weight="balanced").fit(X[20:], y[20:])
    by_hand = PrunedPerceptron(random_state=1, class_weight={0: 1.0, 1: 1.0}).fit(X[20:], y[20:])
    assert balanced.path_ == by_hand.path_


def test_nothing_to_learn_leaves_no_weight():
    X = pd.DataFrame({"a": ["x", "y"] * 10, "b": ["u", "u", "v", "v"] * 5})
    y = np.array([0, 0, 0, 0, 1] * 4)
    for table in (X, pl.DataFrame(X.to_dict("list")), X.to_numpy()):
        model = PrunedPerceptron(validation_fraction=0.5, random_state=0).fit(table, y)
        assert (model.n_weights_, model.conjunctions_) == (0, [])
        assert model.intercept_ == pytest.approx(np.log([1 / 4]))
        assert set(model.predict(table)) == {0}
        assert model.to_text().endswith("-1.39  always")


@pytest.mark.parametrize(
    ("drop", "sizes"),
    [
        (None, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        (3, [10, 7, 4, 1, 0]),
        (0.5, [10, 5, 3, 2, 1, 0]),
        (99, [10, 0]),
    ],
)
def test_how_many_are_dropped_at_a_time(drop, sizes):
    X = np.random.default_rng(0).integers(2, size=(60, 5)).astype(bool)
    model = PrunedPerceptron(drop=drop, random_state=0).fit(X, X[:, 0] ^ X[:, 1])
    assert [one.n_weights for one in model.path_] == sizes


def test_many_weights_are_dropped_by_a_share():
    assert [one_by_one(n) for n in (1, 1000, 1001, 20_000)] == [1, 1, 50, 1000]
    assert read_drop(0.1)(25) == 2
    assert read_drop(np.float64(0.1))(5) == 1
    assert read_drop(np.int64(4))(5) == 4


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"k": 3}, "k=3, but"),
        ({"drop": 0}, r"drop=0, but it must be an integer >= 1, or a share .* between 0 and 1; use None\."),
        ({"drop": 1.0}, r"drop=1\.0, but"),
        ({"drop": True}, "drop=True, but"),
        ({"drop": "one"}, "drop='one', but"),
        (
            {"validation_fraction": 1},
            r"validation_fraction=1, but it must be a number in \(0, 1\); use 0\.2",
        ),
        ({"alpha": 0}, r"alpha=0, but it must be a number > 1e-09; use 0\.001"),
        ({"alpha": np.nan}, "alpha=nan, but"),
        ({"max_iter": 1.5}, r"max_iter=1\.5, but it must be an integer >= 1; use 100"),
        ({"n_thresholds": 0}, "n_thresholds=0, but"),
    ],
)
def test_bad_parameters(parameters, complaint):
    with pytest.raises(ValueError, match=complaint):
        PrunedPerceptron(**parameters).fit(*blobs(0))


def test_tiny_classes():
    X, y = blobs(6)
    with pytest.raises(ValueError, match=r"Class 1 has 1 row .* need 2 rows each.* Add rows of this class\."):
        PrunedPerceptron().fit(X[:3], y[:3])
    model = PrunedPerceptron(random_state=0).fit(X[:4], y[:4])
    assert [one.accuracy * 2 % 1 for one in model.path_] == [0.0] * len(model.path_)
    y[:1] = 7  # of more than two classes, one of a single row is learned from
    model = PrunedPerceptron(random_state=0).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 7]
    assert model.n_weights_[2] == 0
    assert model.intercept_[2] == pytest.approx(np.log(1 / 89))


@pytest.mark.parametrize("k", [1, 2])
def test_features_of_rows_in_either_layout(k):
    literals = (np.random.default_rng(k).random((30, 12)) < 0.2).astype(np.uint8)
    attributes, rows = np.repeat(range(4), 3), np.arange(3, 30, 2)
    found = [
        features_of(arrange(as_rows(layout), 30, attributes), rows, k)
        for layout in (literals, sp.csr_array(literals))
    ]
    assert found[0].places == found[1].places
    for one in found:
        assert (one.X.toarray() == naive.features(literals[rows], one.places)[:, 1:]).all()
    hold = [c for c in naive.conjunctions(attributes, k) if naive.features(literals[rows], [c])[:, 1].any()]
    assert found[0].places == hold


def test_too_many_pairs(monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(50, 5)), np.arange(50) % 2
    model = PrunedPerceptron(k=2, n_thresholds=3, random_state=0).fit(X, y)
    literals = model.encoder_.transform(X)
    n_cells = features_of(arrange(literals, 50, model.encoder_.attributes_), np.arange(50), 2).X.nnz
    monkeypatch.setattr(features, "MOST_CELLS", n_cells - 1)
    with pytest.raises(ValueError, match=f"hold {n_cells:,} times .* at most {n_cells - 1:,} .* Use k=1"):
        PrunedPerceptron(k=2, n_thresholds=3).fit(X, y)
    PrunedPerceptron(n_thresholds=3).fit(X, y)


def test_it_warns_once_when_steps_run_out():
    X, y = blobs(7, n_classes=3)
    with pytest.warns(
        ConvergenceWarning, match=r"max_iter=1 steps; raise max_iter, or alpha=0\.001"
    ) as caught:
        PrunedPerceptron(max_iter=1, random_state=0).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_one_seed_gives_one_model():
    X, y = blobs(8)
    models = [PrunedPerceptron(random_state=seed).fit(X, y) for seed in (0, 0, 1)]
    assert models[0].path_ == models[1].path_ != models[2].path_
    assert models[0].weights_.tolist() == models[1].weights_.tolist()


def cross_validate(X, y, **parameters):
    accuracies, sizes = [], []
    for train_rows, test_rows in StratifiedKFold(10, shuffle=True, random_state=0).split(y, y):
        model = PrunedPerceptron(random_state=0, **parameters).fit(X[train_rows.tolist()], y[train_rows])
        accuracies.append(model.score(X[test_rows.tolist()], y[test_rows]))
        sizes.append(model.n_weights_)
    return np.mean(accuracies), np.mean(sizes)


def test_voting(data):
    """The paper's pruned perceptron: 87.6 % and 12 weights."""
    found = load("voting")
    accuracy, size = cross_validate(found.X.drop("physician-fee-freeze"), found.y)
    assert 0.88 < accuracy < 0.95
    assert 5 < size < 25


def test_promoters(data):
    """On a superset of these, the paper's pruned perceptron: 88.2 % and 59 weights."""
    found = load("promoters")
    accuracy, size = cross_validate(found.X, found.y)
    assert 0.85 < accuracy < 0.97
    assert 5 < size < 80
    pairs = PrunedPerceptron(k=2, drop=0.2, random_state=0).fit(found.X, found.y)
    assert 10_000 < pairs.path_[0].n_weights < 25_764
    assert pairs.score(found.X, found.y) > 0.9


def test_pairs_learn_what_literals_cannot(data):
    """The first monk: head (a1) and body (a2) have the same shape, or the jacket (a5) is red (1)."""
    rows, tests = load("monks-1"), load("monks-1-test")
    first, second = (PrunedPerceptron(k=k, random_state=0).fit(rows.X, rows.y) for k in (1, 2))
    assert first.score(tests.X, tests.y) < 0.8
    assert second.score(tests.X, tests.y) == 1.0
    rules = [f"a1 = {shape} and a2 = {shape}" for shape in "123"]
    assert [*map(str, second.conjunctions_)] == ["a5 = 1", *rules]
    assert second.path_[0].n_weights > 100
