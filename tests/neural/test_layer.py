"""`PerceptronLayer`: intervals against twins and theorems; training is the perceptron's."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from torch import nn

from perceptrons import MaxMarginPerceptron
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.margin.maximum import exactly
from perceptrons.neural import MarginLoss
from perceptrons.neural.layer import NeuronCertificate, PerceptronLayer
from perceptrons.synthetic import separable
from tests.margin.classic import classic
from tests.naive import neural_layer as naive
from tests.naive.max_margin import best_margin

TOL = 1e-3


def layer_of(W, b=None):
    """A layer with these weights, in double precision."""
    W = torch.as_tensor(np.atleast_2d(np.asarray(W, float)))
    layer = PerceptronLayer(W.shape[1], len(W), bias=b is not None, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(W)
        if b is not None:
            layer.bias.copy_(torch.as_tensor(np.atleast_1d(np.asarray(b, float))))
    return layer


def certified(W, b, X, target, tol=TOL):
    return layer_of(W, b).certify(torch.as_tensor(np.asarray(X, float)), torch.as_tensor(target), tol)


def integer_set(rng, n_neurons):
    """Few small rows, so that some sets are separable and some are not; classes may be missing."""
    shape = rng.integers(1, 9), rng.integers(1, 4)
    X, target = rng.integers(-4, 5, shape), rng.integers(0, max(n_neurons, 2), shape[0])
    return X, target, rng.integers(-3, 4, (n_neurons, shape[1])), rng.integers(-3, 4, n_neurons)


def test_it_starts_from_zero():
    for bias in (True, False):
        layer = PerceptronLayer(3, 2, bias=bias, dtype=torch.float64)
        assert layer.weight.dtype == torch.float64
        assert (layer.bias is not None) == bias
        assert not any(parameter.any() for parameter in layer.parameters())
        nn.init.ones_(layer.weight)
        layer.reset_parameters()
        assert not layer.weight.any()


def test_intervals_are_those_of_the_slow_twins():
    """What neurons achieve, in fractions, and what can be achieved, by least squares."""
    rng, seen = np.random.default_rng(0), {True: 0, False: 0, None: 0}
    n_wrong = n_apart = n_one_class = 0
    for case in range(150):
        n_neurons, bias = 1 + case % 3, case % 2 == 0
        X, target, W, b = integer_set(rng, n_neurons)
        b = b if bias else np.zeros(n_neurons, int)
        found = certified(W, b if bias else None, X, target)
        assert [one.neuron for one in found] == list(range(n_neurons))
        for k, one in enumerate(found):
            y = np.array([naive.label(t, k, n_neurons) for t in target])
            assert one.margin == pytest.approx(naive.margin(X, y, W[k], b[k]), rel=1e-14, abs=0)
            assert (one.n_rows, one.n_errors) == (len(X), naive.errors(X, y, W[k], b[k]))
            assert one.radius == naive.radius(X)
            seen[one.separable] += 1
            n_wrong += one.separable is True and one.margin < 0
            if bias and len(set(y)) == 1:
                assert (one.separable, one.margin_bound, one.gap) == (True, None, None)
                n_one_class += 1
                continue
            best = best_margin(X, y, bias)
            assert one.separable == (best > 1e-9)
            assert best * (1 - 1e-9) <= one.margin_bound <= best / (1 - TOL) + 1e-9
            assert one.separable or one.margin_bound == 0.0
            assert one.margin <= one.margin_bound
            n_apart += one.margin > 0
    assert seen[True] > 100 < seen[False]
    assert seen[None] == 0
    assert n_wrong > 50
    assert n_apart > 15
    assert n_one_class > 10


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_margins_hold_of_the_real_numbers_in_weights_and_features():
    rng, above = np.random.default_rng(4), 0
    for _ in range(100):
        X = rng.integers(-3, 4, (5, 3)) * 0.1 + rng.choice([0.0, 1.0, 2.0**20])
        w, b, target = rng.integers(-3, 4, 3) * 0.1, float(rng.integers(-3, 4)) * 0.1, np.arange(5) % 2
        if not w.any():
            continue
        (one,) = certified(w, [b], X, target)
        exact, floats = [Fraction(value) for value in w.tolist()], (2 * target - 1) * (X @ w + b)
        low = min(
            (2 * label - 1) * (sum(a * Fraction(c) for a, c in zip(exact, x, strict=True)) + Fraction(b))
            for x, label in zip(X.tolist(), target.tolist(), strict=True)
        )
        square, margin = sum(part**2 for part in exact), Fraction(one.margin)
        assert margin * abs(margin) * square <= low * abs(low)
        naive_margin = Fraction(floats.min() / np.linalg.norm(w))
        above += naive_margin * abs(naive_margin) * square > low * abs(low)
        assert one.margin == pytest.approx(float(naive_margin), rel=1e-6, abs=1e-9)
    assert above > 10  # rounding to the nearest would claim too much


def test_a_margin_below_the_rounding_of_scores_is_a_margin():
    X, target = [[2.0**53, 1.0], [2.0**53, 0.0], [2.0**53, -1.0]], [1, 1, 0]
    (one,) = certified([2.0**-53, 1.0], [-0.5], X, target)  # scores 1.5, 0.5 and −0.5
    assert one.separable is True
    (one,) = certified([1.0, 2.0], [-(2.0**53) + 1], X, target)  # 3, 1 and −1, or what is left of them
    assert one.margin == pytest.approx(1 / math.sqrt(5))


small = st.integers(-5, 5)


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.lists(small, min_size=2, max_size=2), st.integers(0, 2)), min_size=2, max_size=8),
    st.lists(st.tuples(small, small, small), min_size=1, max_size=5),
    st.booleans(),
)
def test_no_hyperplane_is_above_the_bound(rows, hyperplanes, bias):
    X, target = [x for x, _ in rows], [t for _, t in rows]
    found = certified(np.zeros((3, 2)), np.zeros(3) if bias else None, X, target)
    for k, one in enumerate(found):
        y = [naive.label(t, k, 3) for t in target]
        assert one.margin == 0.0
        assert one.n_errors == y.count(1)
        for *w, b in hyperplanes:
            reached = naive.margin(X, y, w, b if bias else 0)
            assert one.margin_bound is None or reached <= one.margin_bound + 1e-12
            assert one.separable is not False or reached <= 0.0
    for *w, b in hyperplanes:  # each is the layer now: it moves the lower end, and no other
        for one, other in zip(certified([w] * 3, [b] * 3 if bias else None, X, target), found, strict=True):
            if other.margin_bound is not None:
                assert one.separable == other.separable
                assert one.margin_bound == other.margin_bound or one.margin == one.margin_bound


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_of_the_maximum_margin_have_its_certificate(bias, n_classes):
    X, y = load_iris(return_X_y=True)
    X, y = (X[y < 2], y[y < 2]) if n_classes == 2 else (X[::2] // 0.5, y[::2])
    model = MaxMarginPerceptron(fit_intercept=bias)
    if n_classes == 3:  # versicolor is not separable from the rest
        with pytest.warns(ConvergenceWarning, match="not separable"):
            model.fit(X, y)
    else:
        model.fit(X, y)
    theirs = np.atleast_1d(certify(model, X, y))
    ours = certified(model.coef_, model.intercept_ if bias else None, X, y)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert (one.separable, one.n_rows, one.n_errors) == (other.separable, other.n_rows, other.n_errors)
        assert one.margin == pytest.approx(other.margin, rel=1e-9)
        assert one.margin_bound == pytest.approx(other.margin_bound, rel=1e-12, abs=1e-12)
        assert one.radius == pytest.approx(other.radius, rel=1e-12)
        if one.separable:
            assert -1e-12 < one.gap <= TOL
            assert one.gap == pytest.approx(other.gap, abs=1e-9)
    assert any(one.separable is False for one in ours) == (n_classes == 3)


@pytest.mark.parametrize("bias", [True, False])
def test_weights_of_a_perceptron(bias):
    X, y, _ = separable(80, 5, margin=0.05, random_state=1)
    model = classic(fit_intercept=bias, random_state=0).fit(X, y)
    theirs = certify(model, X, y)
    (ours,) = certified(model.coef_, model.intercept_ if bias else None, X, (y > 0).astype(int))
    assert (ours.separable, ours.n_rows, ours.n_errors) == (theirs.separable, theirs.n_rows, theirs.n_errors)
    assert math.hypot(ours.radius, model.lift_) == pytest.approx(theirs.radius)
    if not bias:
        assert ours.margin == pytest.approx(theirs.margin)
        assert ours.margin_bound < 0.9 * theirs.margin_bound  # the best, theirs is what the updates prove
    assert ours.margin >= theirs.margin * (1 - 1e-12)  # lifting can but lower it


@pytest.mark.parametrize("n_rows", [60, 2000])
def test_the_interval_contains_the_known_best_margin(n_rows, jit):
    n_rows = n_rows if jit else 60
    X, y, teacher = separable(n_rows, 6, margin=0.1, random_state=2)
    target = (y > 0).astype(int)
    rng = np.random.default_rng(3)
    for share in (0.0, 0.01, 0.3):
        (one,) = certified(teacher + share * rng.standard_normal(6), None, X, target)
        assert one.margin <= 0.1 * (1 + 1e-12)
        assert 0.1 * (1 - 1e-12) <= one.margin_bound <= 0.1 / (1 - TOL)
        assert one.gap == 1.0 - one.margin / one.margin_bound
        assert one.separable is True
        assert (one.n_errors == 0) == (one.margin > 0)
    assert one.n_errors > 0  # the last teacher is no good, but others are


def test_one_neuron_of_several_is_one_alone():
    rng = np.random.default_rng(4)
    X, target = rng.integers(-5, 6, (40, 6)), rng.integers(0, 4, 40)
    W, b = rng.integers(-3, 4, (4, 6)), rng.integers(-3, 4, 4)
    for bias in (b, None):
        whole = certified(W, bias, X, target)
        for k, one in enumerate(whole):
            (alone,) = certified(W[k], None if bias is None else b[k], X, (target == k).astype(int))
            assert replace(alone, neuron=k) == one
    assert len({one.margin for one in whole}) == 4


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(
    ("X", "target"),
    [
        ([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]),
        ([[1, 2], [1, 2]], [0, 1]),
        ([[0, 0], [0, 0], [0, 0]], [0, 1, 1]),  # a ReLU that is dead on all rows
    ],
)
def test_where_no_hyperplane_separates(X, target, bias):
    (one,) = certified([1, 1], [0] if bias else None, X, target)
    assert one.separable is False
    assert one.margin_bound == 0.0
    assert one.margin <= 0.0
    assert one.gap == math.inf


def test_one_class_only():
    X = [[3.0, 4.0], [3.0, -4.0]]
    for target, w in ((1, 1.0), (0, -1.0)):  # without bias it is the distance of the hull from the origin
        (one,) = certified([w, 0], None, X, [target] * 2)
        assert one == NeuronCertificate(0, True, 3.0, pytest.approx(3.0), 5.0, 2, 0)
        (one,) = certified([w, 0], [w], X, [target] * 2)
        assert one == NeuronCertificate(0, True, 4.0, None, 5.0, 2, 0)
        assert one.gap is None
    (one,) = certified([0, -1], None, X[:1], [1])
    assert one == NeuronCertificate(0, True, -4.0, pytest.approx(5.0), 5.0, 1, 1)
    (one,) = certified([0, 0], [-1], X, [0, 0])
    assert (one.separable, one.margin, one.margin_bound) == (True, 0.0, None)
    absent = certified(np.zeros((3, 2)), np.zeros(3), X, [0, 2])
    assert [one.margin_bound is None for one in absent] == [False, True, False]
    (one,) = certified([1, 0], None, [[1.0, 0.0], [-1.0, 0.0]], [1, 1])
    assert (one.separable, one.margin_bound) == (False, 0.0)


def test_a_bound_that_rounding_blurs_is_told(monkeypatch):
    monkeypatch.setattr(exactly, "MOST_CELLS", 0)  # few rows are searched without rounding
    X, y, teacher = separable(100, 4, margin=1e-8, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"neuron 0 holds, but may be more than tol=0.001 above .*: rows are large"
    ):
        (one,) = certified(teacher, None, X, (y > 0).astype(int))
    assert one.separable is True
    assert one.margin <= one.margin_bound == pytest.approx(1e-8, rel=1e-3)
    assert certified(teacher, None, X, (y > 0).astype(int), tol=0.9)[0].separable is True


@pytest.mark.parametrize("margin", [1e-8, 1e-10, 1e-12])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_may_prove_what_the_search_cannot(margin):
    X, y, teacher = separable(30, 4, margin=margin, random_state=0)
    (one,) = certified(teacher, None, X, (y > 0).astype(int))
    assert one.separable is True
    assert one.margin_bound >= one.margin == pytest.approx(margin, rel=1e-3)


def test_rounding_does_not_cross_the_ends():
    """A row alone: the best weights are the row itself."""
    rng = np.random.default_rng(6)
    for _ in range(100):
        x = rng.standard_normal(5)
        (one,) = certified(x, None, [x], [1])
        assert one.margin <= one.margin_bound <= one.margin * (1 + 1e-12)
    (one,) = certified([1, -1], None, [[1, 1]], [0])
    assert str(one.margin) == "0.0"  # not −0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scores_that_are_rounding_are_judged_exactly():
    """Each row adds up to 0 except for rounding, which alone tells the classes apart: really so, or not."""
    w, n_cases = np.array([1.0, 1.0, 1.0, -1.0]), 0
    for seed in range(20):
        X = np.random.default_rng(seed).random((200, 4))
        X[:, 3] = X[:, 1] + X[:, 2] + X[:, 0]
        X = X[X @ w != 0.0]
        target = (X @ w > 0.0).astype(int)
        (one,) = certified(w, None, X, target)
        assert abs(one.margin) < 1e-15
        exact = [sum(Fraction(v) * int(c) for v, c in zip(x, w, strict=True)) for x in X.tolist()]
        apart = all((score > 0) == (label == 1) and score for score, label in zip(exact, target, strict=True))
        assert (one.margin > 0.0) is apart
        assert one.separable is not False or not apart
        n_cases += one.margin > 0.0 and 0 < target.sum() < len(target)
    assert n_cases > 5


@pytest.mark.parametrize("beta", [0, 1, 5])
def test_training_by_the_margin_loss_is_the_perceptron(beta):
    rng, n_updates, n_cases = np.random.default_rng(beta), 0, 0
    for _ in range(6):
        X, teacher = rng.integers(-5, 6, (25, 3)), rng.integers(-4, 5, 3)
        X = X[X @ teacher != 0]
        target = (X @ teacher > 0).astype(int)
        if not 0 < target.sum() < len(target):
            continue
        model = classic(step="fixed", margin=beta, order="cyclic", fit_intercept=False).fit(X, target)
        layer, loss = PerceptronLayer(3, 1, bias=False, dtype=torch.float64), MarginLoss(float(beta))
        optimizer = torch.optim.SGD(layer.parameters(), lr=1.0)
        inputs, labels = torch.tensor(X, dtype=torch.float64), torch.tensor(target)
        epochs = int(np.ceil(model.n_iter_))
        for _ in range(epochs):
            for x, label in zip(inputs.split(1), labels.split(1), strict=True):
                optimizer.zero_grad()
                loss(layer(x), label).backward()
                optimizer.step()
        assert layer.weight.tolist() == model.coef_.tolist()
        twin = naive.perceptron(X.tolist(), (2 * target - 1).tolist(), beta, epochs)
        assert (layer.weight[0].tolist(), int(loss.clock)) == twin
        assert loss.clock == model.n_updates_
        (one,) = layer.certify(inputs, labels)
        known = model.certificate_
        assert one.margin == pytest.approx(known.margin, rel=1e-12)
        assert one.margin <= one.margin_bound <= known.margin_bound / (1 - TOL)
        assert (one.separable, one.n_errors) == (True, 0)
        n_updates, n_cases = n_updates + model.n_updates_, n_cases + 1
    assert n_cases >= 4
    assert n_updates > 40
