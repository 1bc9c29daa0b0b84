"""Networks trained side by side, beside each trained alone by PyTorch's own parts; and recorded steps."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from perceptrons.neural import Growing, MarginLoss
from perceptrons.neural.replayed import WARM_UP, ReplayedStep
from perceptrons.papers.moran import side_by_side
from perceptrons.papers.moran.side_by_side import (
    LabeledRows,
    Networks,
    NetworkTrial,
    best_device,
    train_side_by_side,
)

N_IN, HIDDEN, N_OUT = 6, 8, 3
TRIALS = [
    NetworkTrial(0.0, 0.1),
    NetworkTrial(1.0, 0.2),
    NetworkTrial(Growing(0.5, 0.05), 0.3),
    NetworkTrial(Growing(0.75, 0.2), 0.1),
]
ENTROPY = NetworkTrial(None, 0.2)
SIZES = {"hidden": HIDDEN, "epochs": 4, "batch": 16}  # 50 rows: the last batch has 2


def rows_of(seed, n_rows, device="cpu"):
    source = torch.Generator().manual_seed(seed)
    inputs = torch.rand(n_rows, N_IN, generator=source)
    return LabeledRows(inputs.to(device), (3 * inputs[:, 0]).long().to(device))


ROWS, OTHERS = rows_of(0, 50), rows_of(1, 30)


@pytest.fixture
def double():
    """So that rounding tips no row over its margin, and counts can be compared."""
    torch.set_default_dtype(torch.float64)
    yield [LabeledRows(rows.inputs.double(), rows.target) for rows in (ROWS, OTHERS)]
    torch.set_default_dtype(torch.float32)


@pytest.fixture
def made(monkeypatch):
    """The networks that were trained."""
    made = []
    monkeypatch.setattr(side_by_side, "Networks", lambda *how: made.append(Networks(*how)) or made[-1])
    return made


def weights_of(networks, seed, trial):
    """Of one network, as `nn.Sequential` has them."""
    first, first_bias, last, last_bias = (weights[seed].detach() for weights in networks.weights)
    own = slice(trial * HIDDEN, (trial + 1) * HIDDEN)
    return [first[:, own].T, first_bias[0, own], last[trial].T, last_bias[trial, 0]]


def alone(rows, others, trial, seed, epochs, batch):
    """A network by the parts of PyTorch: weights, errors on both, updates, those of the last epoch."""
    source = torch.Generator().manual_seed(seed)
    network = nn.Sequential(nn.Linear(N_IN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, N_OUT))
    with torch.no_grad():
        for layer in (network[0], network[2]):
            start = torch.randn(layer.in_features, layer.out_features, generator=source)
            layer.weight.copy_((2 / layer.in_features) ** 0.5 * start.T)
            layer.bias.zero_()
    loss = nn.CrossEntropyLoss() if trial.schedule is None else MarginLoss(trial.schedule)
    optimizer = torch.optim.SGD(network.parameters(), lr=trial.eta)
    clocks = [0]
    for _ in range(epochs):
        for places in torch.randperm(len(rows.target), generator=source).split(batch):
            optimizer.zero_grad()
            loss(network(rows.inputs[places]), rows.target[places]).backward()
            optimizer.step()
        clocks.append(int(getattr(loss, "clock", 0)))
    wrong = [(network(part.inputs).argmax(1) != part.target).sum().item() for part in (rows, others)]
    return [weights.detach() for weights in network.parameters()], wrong, clocks[-1], clocks[-1] - clocks[-2]


@pytest.mark.parametrize(
    "trials", [[*TRIALS, ENTROPY], TRIALS[1:2], [TRIALS[2], ENTROPY, NetworkTrial(None, 0.5)]]
)
def test_each_network_is_that_trained_alone(trials, double, made):
    rows, others = double
    outcome = train_side_by_side(rows, others, trials=trials, seeds=[3, 4], **SIZES)
    informative = set()
    for (i, seed), (k, trial) in itertools.product(enumerate([3, 4]), enumerate(trials)):
        weights, wrong, updates, last = alone(rows, others, trial, seed, SIZES["epochs"], SIZES["batch"])
        for ours, other in zip(weights_of(made[0], i, k), weights, strict=True):
            assert torch.allclose(ours, other, rtol=1e-9, atol=1e-12)
        assert outcome.train_errors[i, k].item() == pytest.approx(wrong[0] / 50)
        assert outcome.test_errors[i, k].item() == pytest.approx(wrong[1] / 30)
        assert outcome.updates[i, k] == updates
        assert outcome.last_updates[i, k] == last
        informative.add((*wrong, updates, last))
        assert (0 < last < updates) == (trial.schedule is not None)
    assert len(informative) == 2 * len(trials)


@pytest.mark.parametrize(
    ("place", "wild"),
    [(1, NetworkTrial(1.0, 1e30)), (1, NetworkTrial(Growing(0.5), 1e38)), (3, NetworkTrial(None, 1e38))],
)
def test_what_becomes_of_one_network_is_nothing_to_the_others(place, wild, made):
    trials = [TRIALS[0], TRIALS[1], TRIALS[2], ENTROPY]
    tame = train_side_by_side(ROWS, OTHERS, trials=trials, seeds=[1, 2], **SIZES)
    trials[place] = wild
    outcome = train_side_by_side(ROWS, OTHERS, trials=trials, seeds=[1, 2], **SIZES)
    others = [k for k in range(4) if k != place]
    for one, other in zip(tame, outcome, strict=True):
        assert torch.equal(one[:, others], other[:, others])
    for seed, k in itertools.product(range(2), others):
        for one, other in zip(weights_of(made[0], seed, k), weights_of(made[1], seed, k), strict=True):
            assert torch.equal(one, other)
    assert not weights_of(made[1], 0, place)[2].isfinite().all()
    assert (outcome.test_errors[:, place] == 1.0).all()
    assert (outcome.train_errors[:, place] == 1.0).all()
    assert (tame.train_errors < 1.0).all()


def test_seeds_may_be_trained_together_or_not(double):
    rows, others = double
    trials, seeds = [*TRIALS, ENTROPY], [5, 6, 7]
    together = train_side_by_side(rows, others, trials=trials, seeds=seeds, **SIZES)
    for i, seed in enumerate(seeds):
        apart = train_side_by_side(rows, others, trials=trials, seeds=[seed], **SIZES)
        for one, other in zip(together, apart, strict=True):
            assert torch.allclose(one[i], other[0])
    assert len({tuple(row.tolist()) for row in together.updates}) == 3


def test_networks_of_a_seed_begin_alike():
    """With He's start: variance 2 / (number of inputs)."""
    networks = Networks(LabeledRows(torch.zeros(3, 200), torch.arange(3)), 100, TRIALS, [1, 2])
    first, first_bias, last, last_bias = networks.weights
    for k in range(1, 4):
        assert torch.equal(first[:, :, :100], first[:, :, 100 * k : 100 * (k + 1)])
        assert torch.equal(last[:, 0], last[:, k])
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(last[0], last[1])
    assert first[0, :, :100].std().item() == pytest.approx(0.1, rel=0.03)
    assert last[0, 0].std().item() == pytest.approx(0.02**0.5, rel=0.15)
    assert not first_bias.any()
    assert not last_bias.any()


def test_errors_are_counted_in_parts():
    networks = Networks(ROWS, HIDDEN, TRIALS, [1, 2])
    whole = networks.errors(ROWS)
    assert torch.equal(networks.errors(ROWS, batch=7), whole)
    assert 0 < whole.min()
    assert whole.max() < 1


def test_updates_are_counted_over_epochs_and_nothing_is_printed(capsys):
    outcome = train_side_by_side(ROWS, OTHERS, trials=TRIALS, seeds=[1], **SIZES)
    none = train_side_by_side(ROWS, OTHERS, trials=TRIALS, seeds=[1], **{**SIZES, "epochs": 0})
    one = train_side_by_side(ROWS, OTHERS, trials=TRIALS, seeds=[1], **{**SIZES, "epochs": 1})
    assert not none.updates.any()
    assert not none.last_updates.any()
    assert torch.equal(one.updates, one.last_updates)
    assert (one.updates < outcome.updates).all()
    assert capsys.readouterr() == ("", "")


def test_cross_entropy_comes_last():
    with pytest.raises(ValueError, match="cross-entropy must come last"):
        train_side_by_side(ROWS, OTHERS, trials=[ENTROPY, *TRIALS], seeds=[1], **SIZES)


def test_images():
    images = np.arange(12, dtype=np.uint8).reshape(3, 2, 2) * 20
    rows = LabeledRows.of_images(images, np.array([2, 0, 1], np.uint8), "cpu")
    assert rows.inputs.dtype == torch.float32
    assert rows.inputs.tolist() == (images.reshape(3, 4).astype(np.float32) / np.float32(255)).tolist()
    assert rows.target.dtype == torch.int64
    assert rows.target.tolist() == [2, 0, 1]


def test_the_device():
    device, name = best_device()
    assert (device == "cuda") == torch.cuda.is_available() == (name is not None)


def test_on_a_cpu_a_step_is_taken_as_it_is():
    taken = []
    step = ReplayedStep(taken.append)
    places = [torch.arange(size) for size in (3, 3, 3, 3, 3, 2)]
    for one in places:
        step(one)
    assert [one is other for one, other in zip(taken, places, strict=True)] == [True] * 6
    assert step.graph is None


def test_cross_entropy_needs_no_margins():
    rows, others = rows_of(0, 50), rows_of(1, 30)
    alone = train_side_by_side(rows, others, trials=[ENTROPY], seeds=[1], **SIZES)
    beside = train_side_by_side(rows, others, trials=[*TRIALS, ENTROPY], seeds=[1], **SIZES)
    assert alone.updates.tolist() == [[0]]
    assert alone.test_errors[0, 0] == beside.test_errors[0, -1] < 1


@pytest.mark.parametrize("part", range(4))
def test_weights_that_are_not_finite_are_wrong_about_everything(part):
    rows = rows_of(0, 50)
    networks = Networks(rows, 5, [TRIALS[0]], [1])
    before = networks.errors(rows)
    networks.weights[part].detach().view(-1)[0] = np.nan
    assert networks.errors(rows).item() == 1.0 != before.item()


@pytest.mark.gpu
class TestOnAGPU:
    def test_replays_are_the_steps_themselves(self):
        """Also of a last, smaller batch, and on integers exactly: of each place how often it was used."""
        here, there = torch.zeros(10), torch.zeros(10, device="cuda")
        ones = torch.ones(10, device="cuda")
        step = ReplayedStep(lambda places: there.index_add_(0, places, ones[: len(places)]))
        for n_steps in range(1, 30):
            places = torch.randperm(10, generator=torch.Generator().manual_seed(n_steps))
            places = places[: 4 if n_steps % 5 else 2]
            step(places.cuda())
            here[places] += 1
            assert torch.equal(there.cpu(), here)
            assert (step.graph is not None) == (n_steps > WARM_UP)

    def test_recorded_networks_are_those_of_plain_steps(self, monkeypatch, made):
        rows, others = rows_of(0, 50, "cuda"), rows_of(1, 30, "cuda")
        trials = [*TRIALS, ENTROPY]
        recorded = train_side_by_side(rows, others, trials=trials, seeds=[1, 2], **SIZES)
        monkeypatch.setattr(side_by_side, "ReplayedStep", lambda step: step)
        plain = train_side_by_side(rows, others, trials=trials, seeds=[1, 2], **SIZES)
        for one, other in zip(recorded, plain, strict=True):
            assert torch.equal(one, other)
        for one, other in zip(made[0].weights, made[1].weights, strict=True):
            assert torch.allclose(one, other, rtol=1e-4, atol=1e-6)
