"""`MarginMLPClassifier` with weights of rows and classes: against its slow twin, and what weights mean."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
import torch
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_validate

from perceptrons import Costs
from perceptrons.neural import Growing, MarginMLPClassifier
from tests.naive import margin_mlp as naive
from tests.neural.test_margin_mlp import CHEAP, beginning, moons, quickly, small, weights

WAYS = [{}, {"n_errors": 4}, {"schedule": Growing(0.5, 0.3)}, {"costs": CHEAP}, {"standardize": False}]


def fractions(n_rows, seed=0):
    return np.random.default_rng(seed).integers(1, 9, n_rows) / 8


def assert_same(one, other):
    """Bit for bit."""
    pairs = zip(weights(one), weights(other), strict=True)
    assert all((a == b).all() for a, b in pairs)
    assert one.loss_curve_ == other.loss_curve_


@pytest.mark.parametrize("schedule", [0.0, 1.0, Growing(0.5, 0.3)], ids=["0", "1", "growing"])
@pytest.mark.parametrize("n_errors", [None, 4])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_network_is_that_of_the_slow_twin(schedule, n_errors, n_classes):
    X, y = load_iris(return_X_y=True)
    first = 3 - n_classes
    X, y = X[50 * first :: 3], y[50 * first :: 3] - first
    w, n_outputs = fractions(len(y)), 1 if n_classes == 2 else 3
    model = small(hidden_size=5, schedule=schedule, n_errors=n_errors, batch_size=8, eta=0.25)
    model.fit(X, y, sample_weight=w)
    net, orders = beginning(0, [(5, 4), (n_outputs, 5)], len(y), 10)
    signs = 2.0 * (y[:, None] == (np.arange(3) if n_outputs == 3 else 1)) - 1.0
    beta_of = (lambda t: 0.3 * t**0.5) if isinstance(schedule, Growing) else (lambda t: schedule)
    Z = naive.standardized(X, w)
    n_updates, curve = naive.train(Z, signs, net, orders, beta_of, 0.25, 8, n_errors, w)
    assert (model.n_updates_, model.n_iter_, model.margin_) == (n_updates, len(curve), beta_of(n_updates))
    assert n_updates > 15
    np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-8, atol=1e-12)
    for ours, theirs in zip(weights(model), net, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)
    scores = np.array([naive.scores_of(row, net)[0] for row in Z])
    np.testing.assert_allclose(model.decision_function(X), scores.squeeze(), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_row_of_weight_0_is_absent(how):
    """Bit for bit; weights that are all the same are none."""
    X, y = moons(90)
    w = np.random.default_rng(1).integers(0, 3, 90) * 0.5
    there = w > 0
    assert 40 < there.sum() < 80
    X[~there] += 1e3
    for rows in (X, sp.csr_array(X), X.astype(np.float32)):
        assert_same(small(**how).fit(rows, y, w), small(**how).fit(rows[there], y[there], w[there]))
    plain = small(**how).fit(X[there], y[there])
    assert_same(small(**how).fit(X, y, 3.0 * there), plain)
    assert small(**how).fit(X, y, w).loss_curve_ != plain.loss_curve_
    by_class = small(class_weight={0: 1, 1: 3}, **how).fit(X, y, there)
    assert_same(by_class, small(**how).fit(X, y, np.where(y, 3, 1) * there))


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_the_unit_of_weights_changes_nothing(how):
    X, y = moons()
    w = np.random.default_rng(0).integers(1, 6, len(y)).astype(float)
    model = small(**how).fit(X, y, sample_weight=w)
    for unit in (3.0, 2.0**-90, 2.0**90):
        assert_same(model, small(**how).fit(X, y, sample_weight=unit * w))


@pytest.mark.parametrize("how", [{}, {"costs": Costs(reject=0.2, gain=0.3)}], ids=str)
def test_where_a_batch_is_all_rows_a_weight_is_so_many_rows(how):
    X, y = moons(noise=0.3)
    w = np.random.default_rng(0).integers(1, 4, len(y))
    model = small(batch_size=1000, **how).fit(X, y, sample_weight=w)
    repeated = small(batch_size=1000, **how).fit(np.repeat(X, w, 0), np.repeat(y, w))
    np.testing.assert_allclose(model.loss_curve_, repeated.loss_curve_, rtol=1e-9)
    np.testing.assert_allclose(
        model.decision_function(X), repeated.decision_function(X), rtol=1e-8, atol=1e-9
    )
    if how:
        assert model.training_risk_ == pytest.approx(repeated.training_risk_, rel=1e-12)
        assert model.training_risk_ != pytest.approx(model.risk(X, y), rel=1e-3)
    else:
        assert 0 < model.n_updates_ < repeated.n_updates_  # a row in violation counts once


def test_costs_are_learned_by_weight():
    """Margins first, then `RejectLoss`, with the same weights."""
    X, y = moons()
    w = fractions(len(y))
    margins = small(max_epochs=3, batch_size=9).fit(X, y, sample_weight=w)
    model = small(max_epochs=7, batch_size=9, costs=CHEAP).fit(X, y, sample_weight=w)
    assert model.loss_curve_[:3] == margins.loss_curve_
    loss = type(model.loss_)(CHEAP, 2, temperature=0.3, reduction="none").double()
    parts = [{"params": margins.network_.parameters()}, {"params": loss.parameters(), "lr": 2.0}]
    descent, shares = torch.optim.SGD(parts, lr=0.2), torch.tensor(naive.shares(w))
    _, orders = beginning(0, [(10, 2), (1, 10)], 60, 7)
    for order in orders[3:]:
        for rows in np.split(order, range(9, 60, 9)):
            descent.zero_grad()
            costs = loss(margins.network_(torch.tensor(X[rows])), torch.tensor(y[rows]))
            (costs * shares[rows]).mean().backward()
            descent.step()
    for ours, theirs in zip(weights(model), weights(margins), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.bands_, loss.bands.numpy(), rtol=1e-8)


@pytest.mark.parametrize("n_errors", [None, 10])
def test_balanced_classes_find_more_of_a_rare_one(n_errors):
    rng = np.random.default_rng(0)
    y = (np.arange(600) % 12 == 0).astype(int)
    X = rng.normal(size=(600, 2)) + 1.2 * y[:, None]
    plain = small(max_epochs=30, eta=0.05, n_errors=n_errors)
    recalls = [
        (plain.set_params(class_weight=weight).fit(X, y).predict(X) == 1)[y == 1].mean()
        for weight in (None, "balanced")
    ]
    assert recalls[1] > recalls[0] + 0.2
    by_hand = small(max_epochs=30, eta=0.05, n_errors=n_errors).fit(X, y, np.where(y, 11.0, 1.0))
    np.testing.assert_allclose(by_hand.loss_curve_, plain.loss_curve_, rtol=1e-8)


def test_it_warns_by_weight():
    """It says what weighs more of every row: 40 rows of 140, which are more than a third."""
    y = np.repeat([0, 1], [40, 20])
    w = np.where(y, 5.0, 1.0)
    with pytest.warns(ConvergenceWarning, match="no better"):
        model = small().fit(np.ones((60, 2)), y, sample_weight=w)
    assert (model.predict(np.ones((1, 2))) == 1).all()
    with pytest.warns(ConvergenceWarning, match="no better"):
        small(max_epochs=3).fit(np.ones((60, 2)), y, sample_weight=fractions(60) / 3)


@quickly
def test_a_column_of_one_value_stays_constant_whatever_rows_weigh():
    rng = np.random.default_rng(0)
    for seed in range(20):
        X = np.column_stack([rng.normal(size=7), np.full(7, 0.1 * (seed + 1))])
        model = small(max_epochs=1).fit(X, np.arange(7) % 2, rng.random(7) + 0.1)
        assert model.network_[0].gain[1] == 0.0


def test_metadata_routing_brings_weights_to_the_network():
    X, y = moons()
    w = fractions(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = small().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        routed = cross_validate(
            model,
            X,
            y,
            cv=[(np.arange(40), np.arange(40, 60))],
            params={"sample_weight": w},
            return_estimator=True,
        )
    assert_same(routed["estimator"][0], small().fit(X[:40], y[:40], w[:40]))


@pytest.mark.parametrize(
    ("how", "w", "words"),
    [
        ({}, np.ones(19), "19 entries for 20 rows"),
        ({}, -np.ones(20), "a weight must be >= 0"),
        ({}, np.zeros(20), "all of them are 0"),
        ({"class_weight": {5: 1}}, None, "class_weight names the class 5, but the classes are"),
        ({"class_weight": "even"}, None, "class_weight='even', but it must be 'balanced', a dict or None"),
        ({"class_weight": {0: 0}}, None, "All rows of the class 0 have weight 0"),
    ],
)
def test_weights_that_make_no_sense(how, w, words):
    X, y = moons(20)
    with pytest.raises(ValueError, match=words):
        small(**how).fit(X, y, sample_weight=w)


@pytest.mark.gpu
@pytest.mark.parametrize("how", [{}, {"n_errors": 5}, {"costs": CHEAP}], ids=str)
def test_a_gpu_trains_the_same_network(how):
    X, y = load_breast_cancer(return_X_y=True)
    w = fractions(len(y))
    for rows in (X, sp.csr_array(X)):
        here, there = (
            MarginMLPClassifier(hidden_size=10, max_epochs=10, random_state=0, device=device, **how).fit(
                rows, y, w
            )
            for device in ("cpu", "cuda")
        )
        np.testing.assert_allclose(here.loss_curve_, there.loss_curve_, rtol=1e-6)
        np.testing.assert_allclose(
            here.decision_function(X), there.decision_function(X), rtol=1e-5, atol=1e-6
        )
