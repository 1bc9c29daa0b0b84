"""`certify_network`: on what reaches the last layer; networks left as they were; odd ones raise."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from perceptrons.neural.layer import PerceptronLayer, certify_network
from perceptrons.synthetic import separable
from tests.neural.test_layer import TOL, certified, integer_set, layer_of


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
    assert found == certify_network(network, inputs, target)  # nor normalized by the batch
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
        (NAN[[0, 0]], TWO, 0.0, r"tol=0.0, but it must be a number in \(0, 1\); use 1e-3"),
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
        ({"batch_size": 0}, "batch_size=0, but it must be an integer >= 1; use 1000"),
        ({"batch_size": 2.5}, "batch_size=2.5"),
    ):
        with pytest.raises(ValueError, match=message):
            certify_network(network, **{"inputs": inputs, "target": target, **wrong})
    assert not runs  # it raises beforehand
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


@pytest.mark.gpu
def test_a_network_on_a_gpu():
    X, target, W, b = integer_set(np.random.default_rng(8), 3)
    network, target = nn.Sequential(layer_of(W, b)).cuda(), torch.as_tensor(target)
    inputs, expected = torch.as_tensor(X).double(), certified(W, b, X, target)
    assert certify_network(network, inputs, target) == expected
    assert certify_network(network, inputs.cuda(), target.cuda()) == expected
    assert network[0].certify(inputs.cuda(), target.cuda()) == expected
