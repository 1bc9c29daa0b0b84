"""`PerceptronLayer`, `certify_network`: intervals against twins and theorems, networks left as they were."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from torch import nn

from perceptrons import MaxMarginPerceptron, Perceptron, certify
from perceptrons.data.synthetic import separable
from perceptrons.neural import MarginLoss
from perceptrons.neural.layer import NeuronCertificate, PerceptronLayer, certify_network
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
    model = Perceptron(fit_intercept=bias, random_state=0).fit(X, y)
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


def test_a_bound_that_rounding_blurs_is_told():
    X, y, teacher = separable(100, 4, margin=1e-8, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"bound of neuron 0 holds.*tol=0\.001.*scale the features"):
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
    rng, n_equal = np.random.default_rng(6), 0
    for _ in range(100):
        x = rng.standard_normal(5)
        (one,) = certified(x, None, [x], [1])
        assert one.margin <= one.margin_bound <= one.margin * (1 + 1e-12)
        n_equal += one.gap == 0.0
    assert n_equal > 10
    (one,) = certified([1, -1], None, [[1, 1]], [0])
    assert str(one.margin) == "0.0"  # not −0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scores_that_are_rounding_separate_nothing():
    """Each row adds up to 0 but for rounding, which alone tells the classes apart."""
    w, n_cases = np.array([1.0, 1.0, 1.0, -1.0]), 0
    for seed in range(20):
        X = np.random.default_rng(seed).random((200, 4))
        X[:, 3] = X[:, 1] + X[:, 2] + X[:, 0]
        X = X[X @ w != 0.0]
        target = (X @ w > 0.0).astype(int)
        (one,) = certified(w, None, X, target)
        assert abs(one.margin) < 1e-15
        assert one.separable is not True
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
        model = Perceptron(step="fixed", margin=beta, order="cyclic", fit_intercept=False).fit(X, target)
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


def network_of(*layers, seed=0):
    """Layers with seeded weights."""
    network, generator = nn.Sequential(*layers), torch.Generator().manual_seed(seed)
    for parameter in network.parameters():
        nn.init.normal_(parameter, generator=generator)
    return network


def digits(n_rows=50, n_columns=6, n_classes=3):
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(n_rows, n_columns, generator=generator)
    return inputs, torch.randint(0, n_classes, (n_rows,), generator=generator)


def test_a_network_is_certified_on_what_reaches_its_last_layer():
    inputs, target = digits()
    network = network_of(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    features = network[:2](inputs)
    last = layer_of(network[2].weight.detach(), network[2].bias.detach())
    expected = last.certify(features, target)
    assert {one.separable for one in expected} <= {True, False}
    assert sum(one.n_errors for one in expected) > 10
    for batch_size in (50, 1000):
        assert certify_network(network, inputs, target, batch_size=batch_size) == expected
    for batch_size in (1, 7):  # products of other shapes round otherwise
        for one, other in zip(
            certify_network(network, inputs, target, batch_size=batch_size), expected, strict=True
        ):
            assert one.margin == pytest.approx(other.margin, rel=1e-5)
            assert (one.separable, one.n_rows, one.n_errors) == (other.separable, 50, other.n_errors)
    assert certify_network(network, inputs, target, layer=network[2]) == expected
    assert certify_network(nn.Sequential(network, nn.Identity()), inputs, target) == expected
    assert all(parameter.grad is None for parameter in network.parameters())


def test_tol_reaches_the_search():
    X, y, teacher = separable(300, 8, margin=0.02, random_state=5)
    network, target = nn.Sequential(layer_of(teacher)), torch.as_tensor((y > 0).astype(int))
    loose, fine = (certify_network(network, torch.as_tensor(X), target, tol=tol)[0] for tol in (0.9, 1e-9))
    assert fine.margin_bound == pytest.approx(0.02, rel=1e-9)
    assert 0.02 * 1.01 < loose.margin_bound <= 0.2


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_certificates_are_computed_in_double_precision(dtype):
    """On integers, which all precisions hold, they are the same."""
    X, target, W, b = integer_set(np.random.default_rng(8), 3)
    network = nn.Sequential(layer_of(W, b)).to(dtype)
    assert certify_network(network, torch.as_tensor(X).to(dtype), torch.as_tensor(target)) == certified(
        W, b, X, target
    )
    big = torch.tensor([[2.0**20, 1.0], [2.0**20, 0.0]], dtype=torch.float32)  # ‖x‖² needs 41 bits
    assert layer_of([1, 0]).float().certify(big, torch.tensor([1, 1]))[0].radius == math.sqrt(2**40 + 1)


class Odd(nn.Module):
    """One neuron without its axis, called by the name of its argument; the features are spoilt afterwards."""

    def __init__(self):
        super().__init__()
        self.last = layer_of([2, -1], [1])

    def forward(self, inputs):
        assert not torch.is_grad_enabled()
        features = inputs.relu()
        scores = self.last(input=features)
        features.zero_()
        return scores.squeeze(1)


def test_a_network_may_squeeze_its_scores():
    inputs, target = digits(20, 2, 2)
    network = Odd()
    assert certify_network(network, inputs.double(), target) == network.last.certify(inputs.relu(), target)


def modes(network):
    return [module.training for module in network.modules()]


def test_it_runs_in_eval_mode_and_leaves_no_trace():
    inputs, target = digits()
    network = network_of(nn.BatchNorm1d(6), nn.Dropout(0.5), nn.Linear(6, 3))
    network[0].eval()
    before, state = modes(network), {name: value.clone() for name, value in network.state_dict().items()}
    assert before == [True, False, True, True]
    found = certify_network(network, inputs, target)
    assert modes(network) == before
    assert found == certify_network(network, inputs, target)  # nothing is dropped
    network[0].train()
    assert found == certify_network(network, inputs, target)  # nor normalised by the batch
    assert not network[2]._forward_hooks
    assert all(value.equal(state[name]) for name, value in network.state_dict().items())
    with pytest.raises(RuntimeError):
        certify_network(network, inputs[:, :2], target)
    assert modes(network) == [True] * 4
    assert not network[2]._forward_hooks


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(6, 6)

    def forward(self, inputs):
        return self.last(self.last(inputs))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = nn.Linear(6, 3)

    def forward(self, inputs):
        return self.last(inputs), inputs


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (nn.Sequential(nn.Linear(6, 3), nn.Softmax(1)), r"output is not that of Linear.*network\[:-1\]"),
        (nn.Sequential(nn.Linear(6, 3), nn.ReLU(inplace=True)), "output is not that of Linear"),
        (
            nn.Sequential(nn.Linear(6, 3), nn.Flatten(0), nn.Unflatten(0, (3, -1))),
            "output is not that of Linear",
        ),
        (nn.Sequential(nn.Linear(6, 4), nn.MaxPool1d(2)), "output is not that of Linear"),
        (Pair(), "output is not that of Linear"),
        (Twice(), "called 2 times, not once; pass the output layer"),
        (nn.Sequential(nn.Flatten()), "layer=None, but output neurons are an nn.Linear; pass"),
    ],
)
def test_networks_that_cannot_be_certified(network, message):
    inputs, target = digits()
    for parameter in network.parameters():
        nn.init.normal_(parameter, generator=torch.Generator().manual_seed(2))
    network.train()
    with pytest.raises(ValueError, match=message):
        certify_network(network, inputs, target)
    assert all(modes(network))
    assert not any(module._forward_hooks for module in network.modules())


def test_layers_that_are_not_the_last():
    inputs, target = digits()
    network = network_of(nn.Linear(6, 3), nn.ReLU(), nn.Linear(3, 3))
    for layer, message in (
        (network[0], "output is not that of Linear"),
        (nn.Linear(3, 3), "called 0 times"),
        (network[1], r"layer=ReLU\(\), but"),
        ("2", "layer='2', but"),
    ):
        with pytest.raises(ValueError, match=message):
            certify_network(network, inputs, target, layer=layer)
    sequences = nn.Sequential(nn.Unflatten(1, (3, 2)), nn.Linear(2, 2))
    with pytest.raises(ValueError, match=r"features have the shape \(50, 3, 2\), but .* takes \(rows, 2\)"):
        certify_network(sequences, inputs, target)
    folded = nn.Sequential(nn.Unflatten(1, (3, 2)), nn.Flatten(0, 1), nn.Linear(2, 2))
    with pytest.raises(ValueError, match="features of 150 rows, 50 labels"):
        certify_network(folded, inputs, target)


NAN = torch.tensor([[1.0, 2.0], [1.0, math.nan], [math.inf, 0.0]])
TWO = torch.tensor([0, 1])


@pytest.mark.parametrize(
    ("features", "target", "tol", "message"),
    [
        (NAN, torch.tensor([0, 1, 1]), TOL, r"2 of 3 rows of features are not finite \(first: row 1\); look"),
        (NAN[:1, :1], TWO[:1], TOL, r"shape \(1, 1\), but PerceptronLayer.* takes \(rows, 2\)"),
        (NAN[0], TWO, TOL, r"shape \(2,\)"),
        (NAN[[0, 0]], torch.tensor([0, 2]), TOL, "target holds 2, but class numbers go from 0 to 1"),
        (NAN[[0, 0]], torch.tensor([-1, 0]), TOL, "target holds -1"),
        (NAN[[0, 0]], torch.tensor([0.0, 1.0]), TOL, "target is float32 .* must be integers"),
        (NAN[[0, 0]], TWO[:, None], TOL, r"target is int64 of shape \(2, 1\)"),
        (NAN[[0, 0]], TWO[:1], TOL, "features of 2 rows, 1 labels; pass a class number per row"),
        (NAN[:0], TWO[:0], TOL, "features=tensor.* one row or more"),
        (NAN[[0, 0]], [0, 1], TOL, r"target=\[0, 1\], but it must be a tensor"),
        ([[1.0, 2.0]], TWO[:1], TOL, "features=.* must be a tensor"),
        (NAN[[0, 0]], torch.tensor(1), TOL, "target=tensor"),
        (NAN[[0, 0]], TWO, 0.0, "tol=0.0, but it must be a number between 0 and 1; use 1e-3"),
        (NAN[[0, 0]], TWO, 1, "tol=1, but"),
    ],
)
def test_bad_features(features, target, tol, message):
    with pytest.raises(ValueError, match=message):
        PerceptronLayer(2, 1).certify(features, target, tol)


def test_bad_inputs():
    network, (inputs, target) = network_of(nn.Linear(6, 3)), digits()
    runs = []
    network.register_forward_hook(lambda *_: runs.append(1))
    for wrong, message in (
        ({"inputs": inputs.numpy()}, "inputs=array.* must be a tensor"),
        ({"inputs": inputs[:0], "target": target[:0]}, "inputs=.*one row or more"),
        ({"target": target[1:]}, "inputs of 50 rows, 49 labels"),
        ({"tol": 2.0}, "tol=2.0, but"),
        ({"batch_size": 0}, "batch_size=0, but it must be an integer > 0; use 1000"),
        ({"batch_size": 2.5}, "batch_size=2.5"),
    ):
        with pytest.raises(ValueError, match=message):
            certify_network(network, **{"inputs": inputs, "target": target, **wrong})
    assert not runs  # refused beforehand
    with pytest.raises(ValueError, match="target holds 3"):
        certify_network(network, inputs, target + 1)
    spoilt = inputs.clone()
    spoilt[7, 2] = math.nan
    with pytest.raises(ValueError, match=r"1 of 50 rows of features are not finite \(first: row 7\)"):
        certify_network(network, spoilt, target, batch_size=3)
    nn.init.constant_(network[0].weight, math.inf)
    with pytest.raises(ValueError, match="scores of 50 of 50 rows are not finite"):
        certify_network(network, inputs, target)


def test_overflow_is_told():
    with pytest.raises(ValueError, match="overflow"):
        certified([1, 0], [0], [[1e153, 0.0], [-1e153, 0.0]], [1, 0])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_network_on_a_gpu():
    X, target, W, b = integer_set(np.random.default_rng(8), 3)
    network, target = nn.Sequential(layer_of(W, b)).cuda(), torch.as_tensor(target)
    inputs, expected = torch.as_tensor(X).double(), certified(W, b, X, target)
    assert certify_network(network, inputs, target) == expected
    assert certify_network(network, inputs.cuda(), target.cuda()) == expected
    assert network[0].certify(inputs.cuda(), target.cuda()) == expected
