"""`ErrorBatches`: equal to the slow twin, to the library's own perceptron, and no trace of the judging."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from perceptrons.neural import Growing, MarginLoss
from perceptrons.neural.batches import ErrorBatches
from perceptrons.neural.clocked import ClockedReLU
from tests.margin.classic import classic
from tests.naive import neural_batches as naive

MARGINS = [(0.0, lambda t: 0), (3.0, lambda t: 3), (Growing(0.5, scale=2.0), lambda t: 2 * t**0.5)]


class Numbered(nn.Module):
    """Neurons that start from 0 and do not see the first column, the number of the row."""

    def __init__(self, n_features, n_neurons=1):
        super().__init__()
        self.neurons = nn.Linear(n_features, n_neurons, bias=False, dtype=torch.float64)
        nn.init.zeros_(self.neurons.weight)
        self.n_forwards = 0

    def forward(self, inputs):
        self.n_forwards += 1
        return self.neurons(inputs[:, 1:])


def integer_set(rng, n_rows, n_neurons=1):
    """Small integers, whose sums are exact in any order; a third of the sets have wrong labels."""
    X = rng.integers(-4, 5, (n_rows, 4))
    if n_neurons == 1:
        target = (X @ rng.integers(-3, 4, 4) > 0).astype(int)
    else:
        target = (X @ rng.integers(-3, 4, (4, n_neurons))).argmax(axis=1)
    return X, np.where(rng.random(n_rows) < rng.choice([0.0, 0.0, 0.1]), 0, target)


def numbered(X, target):
    return torch.tensor(np.column_stack([np.arange(len(X)), X]), dtype=torch.float64), torch.tensor(target)


def learned(batches, optimizer):
    """The numbers of the rows of each batch of an epoch, learning from it as the perceptron does."""
    places = []
    for inputs, target in batches:
        places.append(inputs[:, 0].int().tolist())
        assert len(target) == len(inputs)
        assert batches.n_violations == sum(map(len, places))
        optimizer.zero_grad()
        batches.loss(batches.network(inputs), target).backward()
        optimizer.step()
    return places


def assert_epochs_equal(seed, n_rows, n_errors, size, margin, n_neurons):
    """Three epochs beside the slow twin; returns how many batches were complete, and how many were not."""
    schedule, target_of = margin
    X, target = integer_set(np.random.default_rng(seed), n_rows, n_neurons)
    network, loss = Numbered(4, n_neurons), MarginLoss(schedule, reduction="sum")
    loader = DataLoader(TensorDataset(*numbered(X, target)), batch_size=size)
    batches = ErrorBatches(loader, n_errors, network=network, loss=loss)
    optimizer = torch.optim.SGD(network.parameters(), lr=1.0)
    weights, t, sizes = [[0] * 4 for _ in range(n_neurons)], 0, []
    for _ in range(3):
        expected, t = naive.epoch(X.tolist(), target.tolist(), weights, n_errors, target_of, t)
        assert learned(batches, optimizer) == expected
        assert network.neurons.weight.tolist() == weights
        assert loss.clock == t
        assert batches.n_seen == n_rows
        assert batches.n_violations == sum(map(len, expected))
        sizes += map(len, expected)
    return sizes.count(n_errors), len(sizes) - sizes.count(n_errors)


def test_batches_are_those_of_the_slow_twin():
    """For all sizes of batches and mini-batches, margins, and numbers of neurons."""
    counts = []

    @settings(deadline=None, derandomize=True, max_examples=80)
    @given(
        st.integers(0, 10**6),
        st.integers(12, 40),
        st.integers(1, 8),
        st.integers(1, 50),
        st.sampled_from(MARGINS),
        st.sampled_from([1, 1, 3]),
    )
    def check(seed, n_rows, n_errors, size, margin, n_neurons):
        case = seed, n_rows, n_errors, size, margin, n_neurons
        counts.append((assert_epochs_equal(*case), case))

    check()
    anew = [complete > 2 and size > n_errors for (complete, _), (_, _, n_errors, size, *_) in counts]
    assert len(counts) >= 80
    assert sum(complete > 2 for (complete, _), _ in counts) > 40
    assert sum(rest > 0 for (_, rest), _ in counts) > 35
    assert sum(anew) > 30


@pytest.mark.parametrize("margin", [0.0, 2.0, 25.0])
@pytest.mark.parametrize("size", [1, 7, 30])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_error_a_batch_is_the_perceptron(margin, size):
    rng, n_converged, n_updates = np.random.default_rng(1), 0, 0
    for _ in range(6):
        X, target = integer_set(rng, 30)
        X[~X.any(axis=1)] = 1  # `Perceptron` passes over rows of zeros, which correct nothing
        model = classic(step="fixed", margin=margin, order="cyclic", fit_intercept=False, max_epochs=20)
        model.fit(X, target)
        network, loss = Numbered(4), MarginLoss(margin, reduction="sum")
        loader = list(zip(*(part.split(size) for part in numbered(X, target)), strict=True))
        batches = ErrorBatches(loader, 1, network=network, loss=loss)
        optimizer = torch.optim.SGD(network.parameters(), lr=1.0)
        places = [row for _ in range(20) for batch in learned(batches, optimizer) for row in batch]
        duals = np.bincount(places, minlength=30) * (2 * target - 1)
        assert len(places) == loss.clock == model.n_updates_
        assert network.neurons.weight.tolist() == model.coef_.tolist()
        assert np.flatnonzero(duals).tolist() == model.support_.tolist()
        assert duals[model.support_].tolist() == model.dual_coef_[0].tolist()
        assert (batches.n_violations == 0) == model.converged_
        n_converged, n_updates = n_converged + model.converged_, n_updates + model.n_updates_
    assert 1 <= n_converged <= 5
    assert n_updates > 100


def fixed_network(inputs):
    """Right where the column is positive, for class 1."""
    return inputs[:, :1]


def column(*values):
    return torch.tensor(values, dtype=torch.float32)[:, None]


def test_rows_are_seen_once_and_counted_when_they_are():
    """Errors at 1, 2, 4 and 5 of 7; the mini-batches hold three rows."""
    rows = column(1, -1, -2, 1, -3, -4, 1)
    loader = DataLoader(TensorDataset(rows, torch.ones(7, dtype=torch.int64)), batch_size=3)
    batches = ErrorBatches(loader, 3, network=fixed_network, loss=MarginLoss(0.0))
    assert (batches.n_seen, batches.n_violations) == (0, 0)
    for _ in range(2):
        told = [
            (inputs[:, 0].tolist(), target.tolist(), batches.n_seen, batches.n_violations)
            for inputs, target in batches
        ]
        assert told == [([-1, -2, -3], [1, 1, 1], 5, 3), ([-4], [1], 7, 4)]
        assert (batches.n_seen, batches.n_violations) == (7, 4)
    for _ in batches:
        break
    assert (batches.n_seen, batches.n_violations) == (5, 3)


def test_weights_stay_with_their_rows():
    """Errors at 1, 2, 4 and 5 of 7; a weight does not make a row an error."""
    rows, target = column(1, -1, -2, 1, -3, -4, 1), torch.ones(7, dtype=torch.int64)
    loader = DataLoader(TensorDataset(rows, target, torch.arange(7.0)), batch_size=3)
    batches = ErrorBatches(loader, 3, network=fixed_network, loss=MarginLoss(0.0))
    told = [(inputs[:, 0].tolist(), weights.tolist()) for inputs, _, weights in batches]
    assert told == [([-1, -2, -3], [1, 2, 4]), ([-4], [5])]
    short = [(rows, target, torch.arange(6.0))]
    with pytest.raises(
        ValueError, match="The loader gave 7 inputs and 6 weights, but a row must have one weight"
    ):
        list(ErrorBatches(short, 1, network=fixed_network, loss=MarginLoss()))


def test_an_epoch_without_violations_is_empty():
    target = torch.tensor([1, 1, 0])
    batches = ErrorBatches([(column(1, 2, -1), target)], 2, network=fixed_network, loss=MarginLoss(0.5))
    assert list(batches) == []
    assert (batches.n_seen, batches.n_violations) == (3, 0)
    for nothing in ([], [(column(), torch.tensor([], dtype=torch.int64))]):
        assert list(ErrorBatches(nothing, 2, network=fixed_network, loss=MarginLoss(0.5))) == []


def test_how_often_the_network_is_asked():
    """Once a mini-batch, and once for what is left of it behind a complete batch."""
    rng, n_anew = np.random.default_rng(2), 0
    for size, n_errors in [(5, 1), (5, 2), (16, 4), (16, 40), (64, 8)]:
        X, target = integer_set(rng, 50)
        loader = list(zip(*(part.split(size) for part in numbered(X, target)), strict=True))
        network = Numbered(4)
        batches = ErrorBatches(loader, n_errors, network=network, loss=MarginLoss(0.0))
        ends = [int(inputs[-1, 0]) for inputs, _ in batches if len(inputs) == n_errors]  # all are errors
        anew = sum((end + 1) % size != 0 and end < 49 for end in ends)
        assert network.n_forwards == len(loader) + anew
        n_anew += anew
    assert n_anew > 50


def test_a_shuffled_loader_gives_its_own_order():
    rows = column(*range(-20, 0))
    data = TensorDataset(rows, torch.ones(20, dtype=torch.int64))
    shuffled, again = (
        DataLoader(data, batch_size=6, shuffle=True, generator=torch.Generator().manual_seed(3))
        for _ in range(2)
    )
    batches = ErrorBatches(shuffled, 4, network=fixed_network, loss=MarginLoss())
    epochs = []
    for _ in range(2):
        order = torch.cat([inputs for inputs, _ in again])
        epochs.append(order.tolist())
        given = [inputs for inputs, _ in batches]
        assert torch.cat(given).tolist() == order.tolist()
        assert [len(inputs) for inputs in given] == [4] * 5
    assert epochs[0] != epochs[1] != rows.tolist()


class Widened(nn.Module):
    """Dropout, batch normalization and clocks: parts for which training is not the same as use."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(1, 8), nn.BatchNorm1d(8), ClockedReLU(8, Growing(0.5)), nn.Dropout(0.5), nn.Linear(8, 2)
        )
        for parameter in self.parameters():
            nn.init.normal_(parameter, generator=torch.Generator().manual_seed(0))
        self.layers[1].eval()  # a part that its user has frozen
        self.modes = []

    def forward(self, x):
        self.modes.append((torch.is_grad_enabled(), any(part.training for part in self.modules())))
        if x.isnan().any():
            raise ArithmeticError
        return self.layers(x)


def test_judging_leaves_no_trace():
    """In evaluation mode without gradients; the loop itself has the modes it had."""
    network, rows = Widened(), column(*range(-8, 8))
    modes = [part.training for part in network.modules()]
    before = {name: value.clone() for name, value in network.state_dict().items()}
    loss, target = MarginLoss(Growing(0.5)), torch.arange(16) % 2
    random = torch.get_rng_state()
    batches = ErrorBatches([(rows, target)], 3, network=network, loss=loss)
    n_batches = 0
    for inputs, labels in batches:
        assert torch.is_grad_enabled()
        assert [part.training for part in network.modules()] == modes
        network.eval()
        assert loss.violations(network(inputs), labels).all()
        network.train()
        network.layers[1].eval()
        n_batches += 1
    assert n_batches > 1
    assert set(network.modes[::2]) == {(False, False)}
    assert all((value == before[name]).all() for name, value in network.state_dict().items())
    assert loss.clock == 0
    assert torch.equal(torch.get_rng_state(), random)


def test_a_network_that_fails_gets_its_modes_back():
    network = Widened()
    modes = [part.training for part in network.modules()]
    batches = ErrorBatches([(column(float("nan")), torch.tensor([1]))], 1, network=network, loss=MarginLoss())
    with pytest.raises(ArithmeticError):
        list(batches)
    assert network.modes == [(False, False)]
    assert [part.training for part in network.modules()] == modes


def test_a_function_is_called_as_it_is():
    dropout = nn.Dropout(0.5)
    batches = ErrorBatches(
        [(column(-1), torch.tensor([1]))],
        1,
        network=lambda x: dropout(x) * dropout.training,
        loss=MarginLoss(0.0),
    )
    assert len(list(batches)) == 1
    assert dropout.training


def test_batches_are_copies():
    rows = column(-1, -2, 3)
    batches = ErrorBatches([(rows, torch.tensor([1, 1, 1]))], 1, network=fixed_network, loss=MarginLoss(0.0))
    for inputs, target in batches:
        inputs.zero_()
        target.zero_()
    assert rows[:, 0].tolist() == [-1, -2, 3]


def test_inputs_of_any_shape():
    pictures, target = torch.arange(-24.0, 24.0).reshape(4, 3, 2, 2), torch.tensor([1, 1, 1, 1])
    batches = ErrorBatches(
        [[pictures, target]], np.int64(5), network=lambda x: x.sum((1, 2, 3)), loss=MarginLoss(0.0)
    )
    [(inputs, labels)] = batches
    assert torch.equal(inputs, pictures[:2])
    assert labels.tolist() == [1, 1]


ONE = [(column(-1), torch.tensor([1]))]


@pytest.mark.parametrize("n_errors", [0, -1, 2.0, True, None, "3"])
def test_numbers_of_errors_that_are_none(n_errors):
    with pytest.raises(
        ValueError, match=r"n_errors=.* must be an integer >= 1; use 1 for the perceptron's loop"
    ):
        ErrorBatches(ONE, n_errors, network=fixed_network, loss=MarginLoss())


@pytest.mark.parametrize("loader", [iter(ONE), (one for one in ONE), None, 3])
def test_loaders_that_serve_one_epoch_at_most(loader):
    """A second epoch would be empty, and look like success."""
    with pytest.raises(ValueError, match=r"loader=.* every epoch can go through again; pass a DataLoader"):
        ErrorBatches(loader, 1, network=fixed_network, loss=MarginLoss())


def test_networks_and_losses_that_are_none():
    with pytest.raises(ValueError, match=r"network=3, but it must turn inputs into scores"):
        ErrorBatches(ONE, 1, network=3, loss=MarginLoss())
    with pytest.raises(
        ValueError, match=r"loss=CrossEntropyLoss\(\) has no violations.*; use MarginLoss\(\)"
    ):
        ErrorBatches(ONE, 1, network=fixed_network, loss=nn.CrossEntropyLoss())


@pytest.mark.parametrize(
    ("batch", "told"),
    [
        (({"a": column(1)}, torch.tensor([1])), r"\(dict, Tensor of shape \(1,\)\)"),
        ((column(1), [1]), r"\(Tensor of shape \(1, 1\), list\)"),
        (column(1, 2), r"\(Tensor of shape \(2, 1\)\)"),
        ((column(1), column(1), torch.tensor([1])), r"Tensor of shape \(1,\)\)"),
        ((column(1), torch.tensor(1)), r"Tensor of shape \(\)\)"),
        (3, r"\(int\)"),
    ],
)
def test_mini_batches_that_are_no_pairs_of_tensors(batch, told):
    batches = ErrorBatches([batch], 1, network=fixed_network, loss=MarginLoss())
    with pytest.raises(ValueError, match=f"The loader gave .*{told}, but a mini-batch must be"):
        list(batches)


def test_rows_without_labels():
    batches = ErrorBatches([(column(1, 2), torch.tensor([1]))], 1, network=fixed_network, loss=MarginLoss())
    with pytest.raises(ValueError, match="The loader gave 2 inputs and 1 labels"):
        list(batches)


def test_bad_labels_raise_as_in_the_loss():
    batches = ErrorBatches([(column(1), torch.tensor([2]))], 1, network=fixed_network, loss=MarginLoss())
    with pytest.raises(ValueError, match="target holds 2"):
        list(batches)

    class Whole:
        def violations(self, scores, target):
            return (scores < 0).any()

    with pytest.raises(ValueError, match=r"loss.violations gave shape \(\) for 1 rows"):
        list(ErrorBatches(ONE, 1, network=fixed_network, loss=Whole()))
