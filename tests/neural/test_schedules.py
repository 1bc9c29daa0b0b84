"""Schedules: clocks and margins beside the slow twin, neurons beside perceptrons, travels, compiled code."""

import copy
import io
import itertools
import math
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from perceptrons import trace
from perceptrons.neural import Adaptive, Algorithm4, Growing, MarginLoss
from perceptrons.synthetic import separable
from tests.margin.classic import classic
from tests.naive import neural as naive
from tests.neural.test_loss import DOUBLE, draw, learn

unconverged = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(
    "schedule", [1.0, Growing(0.5, 0.25), Growing(0.75, 0.1), Adaptive(0.25, 2.0), Adaptive(0.5, 0)]
)
def test_the_clock_counts_rows_and_sets_the_margin(schedule):
    """In double precision, where both take the same powers."""
    n_changes = []

    @settings(deadline=None, derandomize=True, max_examples=25)
    @given(st.integers(0, 10**6), st.integers(1, 6), st.sampled_from([1, 2, 3, 10]))
    def check(seed, n_rows, n_neurons):
        loss, t, beta, told = MarginLoss(schedule, "sum"), 0, schedule if schedule == 1.0 else 0, set()
        for batch in range(5):
            scores, target = draw(seed + batch, n_rows, n_neurons, DOUBLE)
            features = draw(seed + batch + 7, n_rows, 3, DOUBLE)[0]
            told.add(beta)
            rows, targets = scores.tolist(), target.tolist()
            assert loss.margin == pytest.approx(beta)
            assert loss(scores, target, features).item() == pytest.approx(
                naive.loss(rows, targets, beta, "sum")
            )
            violated = naive.in_violation(rows, targets, beta)
            t += sum(violated)
            if isinstance(schedule, Growing):
                beta = naive.growing(t, schedule.power, schedule.scale)
            elif isinstance(schedule, Adaptive):
                beta = naive.adaptive(beta, features.tolist(), violated, schedule.scale, schedule.lift)
            assert loss.clock == t
        n_changes.append(len(told) - 1)

    check()
    assert sum(n_changes) >= (25 if schedule != 1.0 else 0)


def test_a_clock_counts_in_training_alone():
    loss = MarginLoss(Growing(0.5))
    scores, target = torch.zeros(4, 3), torch.zeros(4).long()
    assert loss(scores, target) == 0.0  # by the β the batch began with
    assert (loss.clock, loss.margin) == (4, 2.0)
    loss.eval()
    assert loss(scores, target) == 6.0
    assert loss.violations(scores, target).all()
    assert loss.clock == 4
    loss.train()
    for idle in (torch.no_grad, torch.inference_mode):  # validation, as loops usually have it
        with idle():
            assert loss(scores, target) == 6.0
        assert loss.clock == 4
    loss(scores, target)
    assert loss.clock == 8
    assert loss.margin == math.sqrt(8)


def test_growing():
    assert Growing(0.5, 3).at(16) == 12.0
    assert Growing(0.25).at(torch.tensor([0.0, 1.0, 16.0])).tolist() == [0.0, 1.0, 2.0]
    for power in (0.25, 0.5, 0.75):
        schedule = Growing.reaching(10, 600, power)
        assert schedule.power == power
        assert schedule.at(600) == pytest.approx(10.0)
    assert Growing.reaching(6, 9) == Growing(0.5, 2.0)
    assert Adaptive() == Adaptive(1.0, 1.0)


def test_algorithm_3():
    """‖x‖² = 4 sets β = 16. Rows of 15 leave it, and of 17 if they are not in violation."""
    loss = MarginLoss(Adaptive(1.0, 0), "sum")
    one = torch.tensor([1])
    told = []
    for score, square in [(-1, 4), (16, 15), (16, 16), (17, 17), (16, 17), (69, 100), (68, 68)]:
        loss(torch.tensor([float(score)]), one, torch.tensor([[float(square) ** 0.5]], dtype=DOUBLE))
        told.append((int(loss.clock), loss.margin))
    assert told == [(1, 16), (2, 16), (3, 16), (3, 16), (4, 68), (4, 68), (5, 68)]


def test_adaptive_needs_features():
    loss, scores, target = MarginLoss(Adaptive()), torch.zeros(4, 3), torch.zeros(4).long()
    for features, given_ in [
        ((), "no features"),
        ((torch.ones(4),), r"features of shape \(4,\)"),
        ((torch.ones(3, 2),), r"features of shape \(3, 2\)"),
        ((torch.ones(4, 2, 1),), r"features of shape \(4, 2, 1\)"),
    ]:
        with pytest.raises(ValueError, match=rf"got {given_}; call .*features of shape \(4, columns\)"):
            loss(scores, target, *features)
        assert loss.clock == loss.margin == 0
    assert loss.eval()(scores, target) == 0.0  # a clock that stands needs none
    loss.train()(scores, target, torch.ones(4, 2))
    assert loss.margin == 12.0


@pytest.mark.parametrize(
    "value", [-1, -0.5, math.nan, math.inf, -math.inf, True, "1", None, [1.0], torch.tensor(1.0)]
)
def test_schedules_that_are_none(value):
    with pytest.raises(
        ValueError, match=r"schedule=.*a number >= 0, Growing\(power\), Algorithm4\(\) or Adaptive\(\).*use 0"
    ):
        MarginLoss(value)


@pytest.mark.parametrize("power", [0, 1, -0.5, 1.5, math.nan, math.inf, True, "half", None])
def test_powers_that_are_none(power):
    with pytest.raises(ValueError, match=r"power=.*in \(0, 1\); use 0.5"):
        Growing(power)
    if isinstance(power, float):
        with pytest.raises(ValueError, match=r"power=.*in \(0, 1\); use 0.5"):
            Growing.reaching(1, 9, power)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, True, "2"])
def test_scales_that_are_none(value):
    for make, name in [
        (lambda scale: Growing(0.5, scale), "scale"),
        (Adaptive, "scale"),
        (lambda margin: Growing.reaching(margin, 9), "margin"),
        (lambda updates: Growing.reaching(1, updates), "updates"),
    ]:
        with pytest.raises(ValueError, match=f"{name}=.*must be a number > 0; use"):
            make(value)
    if value != 0 or value is True:
        with pytest.raises(ValueError, match=r"lift=.*a number >= 0; use 0 without a bias"):
            Adaptive(1.0, value)


def integer_rows(seed, n_classes, n_rows=14):
    """None of them all zeros, all classes among them; mostly not separable."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n_rows, 3))
    X[~X.any(axis=1)] = 1
    return X, np.arange(n_rows) % n_classes if n_classes > 2 else (
        X[:, 0] + rng.integers(-1, 2, n_rows) > 0
    ) * 1


def zero_network(n_neurons, bias=False):
    network = nn.Linear(3, n_neurons, bias=bias)
    for weights in network.parameters():
        nn.init.zeros_(weights)
    return network


def presentations(network, loss, X, y, eta, n_presented):
    """Train row by row; after each, whether the clock ticked, and the weights (bias last)."""
    optimizer = torch.optim.SGD(network.parameters(), lr=eta)
    rows, target = torch.tensor(X).float(), torch.tensor(y)
    for number in range(n_presented):
        i = [number % len(X)]
        before = int(loss.clock)
        optimizer.zero_grad()
        loss(network(rows[i]), target[i], rows[i]).backward()
        optimizer.step()
        parts = [network.weight] if network.bias is None else [network.weight, network.bias[:, None]]
        yield i[0], int(loss.clock) > before, torch.cat(parts, 1).tolist()


def follow(model, network, loss, X, y, eta, factor=1.0):
    """Update for update beside the perceptron of two classes; the weights may be a factor larger."""
    corrections = list(trace(model, X, y))
    model.fit(X, y)
    steps = iter(corrections)
    weights = [[0.0] * (3 + (network.bias is not None))]
    told = list(presentations(network, loss, X, y, eta, model.n_presentations_))
    for row, ticked, after in told:
        if ticked:
            correction = next(steps)
            assert correction.row == row
            weights = [[*correction.coef_after, correction.intercept_after][: len(weights[0])]]
        assert after[-1:] == [[factor * one for one in weights[0]]]
    assert next(steps, None) is None
    assert loss.clock == model.n_updates_ == len(corrections)
    ticks = [ticked for _, ticked, _ in told]
    per_epoch = [sum(ticks[start : start + len(X)]) for start in range(0, len(ticks), len(X))]
    assert per_epoch == list(model.history_["updates"])
    return len(corrections)


def rule(eta, margin, bias=False, **how):
    return classic(
        step="fixed",
        eta=eta,
        margin=margin,
        order="cyclic",
        fit_intercept=bias,
        intercept_scaling=1.0,
        max_epochs=6,
        **how,
    )


@unconverged
@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("n_neurons", [1, 2])
def test_a_neuron_learns_as_a_perceptron_does(n_neurons, bias, reduction):
    n_updates = 0
    for beta, eta in itertools.product([0, 1, 5, 20], [1.0, 0.5]):
        X, y = integer_rows(beta, 2)
        loss, network = MarginLoss(beta, reduction), zero_network(n_neurons, bias)
        n_updates += follow(rule(eta, beta, bias), network, loss, X, y, eta)
        if n_neurons == 2:  # that of class 0 is its mirror image
            assert all(torch.equal(-own[0], own[1]) for own in network.parameters())
    assert n_updates > 100


@unconverged
@pytest.mark.parametrize("bias", [False, True])
def test_an_adaptive_neuron_learns_as_an_adaptive_perceptron(bias):
    """A perceptron's β does not know the step. With the scale of the step all is that much larger."""
    n_updates = 0
    for seed, eta in enumerate([1.0, 0.5, 4.0]):
        X, y = integer_rows(seed, 2)
        for scale, step, factor in [(1.0, eta, 1.0), (eta, 1.0, eta)]:
            loss = MarginLoss(Adaptive(scale, lift=float(bias)))
            network = zero_network(1, bias)
            n_updates += follow(rule(step, "adaptive", bias), network, loss, X, y, eta, factor)
    assert n_updates > 100


@unconverged
@pytest.mark.parametrize("beta", [0, 5])
def test_ten_classes_are_ten_perceptrons(beta):
    X, y = integer_rows(beta, 10, n_rows=30)
    model = rule(1.0, beta)
    expected = [[] for _ in range(10)]
    for one in trace(model, X, y):
        expected[one.vector].append((one.row, one.coef_after.tolist()))
    loss, found, before = MarginLoss(beta, "sum"), [[] for _ in range(10)], [[0.0] * 3] * 10
    n_ticks = 0
    for row, ticked, after in presentations(zero_network(10), loss, X, y, 1.0, 6 * len(X)):
        for neuron in range(10):
            if after[neuron] != before[neuron]:
                found[neuron].append((row, after[neuron]))
        assert ticked == (after != before)
        before, n_ticks = after, n_ticks + ticked
    assert found == expected
    assert [len(one) for one in found] == model.fit(X, y).n_updates_.tolist()
    assert loss.clock == n_ticks < sum(map(len, found))
    assert min(map(len, found)) > 6


def test_several_neurons_are_those_of_the_slow_twin():
    """Growing: all neurons share a clock of rows. Where the margin is 0 weights of zero move."""
    n_updates = 0
    for n_neurons, schedule in itertools.product([1, 3], [Growing(0.5, 2.0), Growing(0.75)]):
        X, y = integer_rows(n_neurons, max(2, n_neurons))
        loss, weights, t = MarginLoss(schedule), [[0.0] * 3 for _ in range(n_neurons)], 0
        for row, ticked, after in presentations(zero_network(n_neurons), loss, X, y, 0.5, 4 * len(X)):
            beta = naive.growing(t, schedule.power, schedule.scale)
            assert ticked == naive.present(weights, X[row].tolist(), int(y[row]), beta, 0.5)
            assert after == weights
            t += ticked
        n_updates += t
    assert n_updates > 50


SCHEDULES = [2.0, Growing(0.5, 0.25), Adaptive(0.5, 1.0)]


def train(loss, seeds, n_neurons=3):
    """A few batches; what each gave."""
    told = []
    for seed in seeds:
        scores, target = draw(seed, 6, n_neurons)
        features = draw(seed + 100, 6, 4)[0] * (1 + seed)
        told += [*learn(loss, scores * 2, target, features=features), torch.tensor(loss.margin)]
    return torch.cat([one.flatten().to(DOUBLE) for one in told])


def through_a_file(loss):
    file = io.BytesIO()
    torch.save(loss.state_dict(), file)
    file.seek(0)
    fresh = MarginLoss(loss.schedule)
    fresh.load_state_dict(torch.load(file))
    return fresh


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "carry", [through_a_file, copy.deepcopy, lambda loss: pickle.loads(pickle.dumps(loss))]
)
def test_a_copy_goes_on_where_the_loss_stopped(schedule, carry):
    loss = MarginLoss(schedule)
    train(loss, range(3))
    other = carry(loss)
    assert other.clock == loss.clock > 0
    assert other.margin == loss.margin > 0
    assert repr(other) == repr(loss)
    assert torch.equal(train(other, [3, 4]), train(loss, [3, 4]))
    assert other.clock == loss.clock
    fresh = MarginLoss(schedule)
    assert (train(fresh, [3, 4]) != train(loss, [3, 4])).any() == (schedule != 2.0)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_precision_of_the_module(schedule):
    """`network.double()` is often said of a loss, too; the clock stays a whole number."""
    loss, other = MarginLoss(schedule), MarginLoss(schedule).to(DOUBLE)
    assert torch.equal(train(other, range(3)), train(loss, range(3)))
    assert other.clock.dtype == torch.int64
    assert set(loss.state_dict()) == ({"clock", "level"} if isinstance(schedule, Adaptive) else {"clock"})


def test_repr():
    assert repr(MarginLoss(2)) == "MarginLoss(2.0, reduction='mean')"
    assert (
        repr(MarginLoss(Growing(0.5), "sum")) == "MarginLoss(Growing(power=0.5, scale=1.0), reduction='sum')"
    )


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # PyTorch's own
class TestCompiled:
    @pytest.mark.parametrize(
        ("schedule", "reduction", "n_neurons"),
        [(2.0, "none", 3), (SCHEDULES[1], "mean", 3), (SCHEDULES[2], "sum", 3), (SCHEDULES[1], "sum", 1)],
    )
    def test_it_is_the_same(self, schedule, reduction, n_neurons):
        torch.compiler.reset()
        loss, plain = MarginLoss(schedule, reduction), MarginLoss(schedule, reduction)
        compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
        for seed in range(3):
            scores, target = draw(seed, 6, n_neurons)
            features = draw(seed, 6, 4)[0]
            for ours, other in zip(
                learn(compiled, scores, target, features=features),
                learn(plain, scores, target, features=features),
                strict=True,
            ):
                assert torch.allclose(ours, other)
            assert loss.clock == plain.clock > 0
            assert loss.margin == plain.margin

    def test_bad_input_raises(self):
        torch.compiler.reset()
        loss = MarginLoss(Growing(0.5))
        compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
        scores, target = draw(0, 6, 3)
        compiled(scores, target)
        clock = int(loss.clock)
        for bad, labels in [(scores, target + 3), (scores, target - 3), (scores * math.nan, target)]:
            with pytest.raises(RuntimeError, match="labels out of range, or scores not finite"):
                compiled(bad, labels)
        with pytest.raises(Exception, match="must be integers of shape"):
            compiled(scores, target[:5])
        assert loss.clock == clock


@unconverged
@pytest.mark.parametrize("alpha", [1.2, 1.5, 1.8])
def test_a_neuron_can_be_algorithm_4(alpha):
    """One neuron without bias, one row at a time, learning rate 1, from weights of 0: update for update."""
    X, y, _ = separable(20, 3, margin=0.3, random_state=1)
    X = np.round(64 * X) / 128  # exact in single precision, and shorter than 1
    rule = {"margin": "infinity", "alpha": alpha, "order": "cyclic", "fit_intercept": False, "max_epochs": 4}
    model, loss = classic(**rule), MarginLoss(Algorithm4(alpha), reduction="sum")
    corrections = [one.row for one in trace(model, X, y)]
    network, target = zero_network(1), (y > 0).astype(int)
    told = list(presentations(network, loss, X, target, 1.0, model.fit(X, y).n_presentations_))
    assert [row for row, ticked, _ in told if ticked] == corrections
    assert len(corrections) > 20
    assert loss.clock == model.n_updates_
    assert network.weight[0].tolist() == pytest.approx(model.coef_[0].tolist(), rel=1e-5)


def test_large_clocks_lose_no_digits_in_single_precision():
    schedule = Algorithm4(1.5, scale=2.0)
    for t in (0, 1, 7, 10**6):
        assert float(schedule.at(torch.tensor(float(t)))) == pytest.approx(schedule.at(t), rel=1e-5)
    assert schedule.at(10**6) == pytest.approx(1.5 * 1000 - 1, rel=1e-3)
    for wrong in ({"alpha": 1.0}, {"alpha": 2}, {"scale": 0}):
        with pytest.raises(ValueError, match="must be a number"):
            Algorithm4(**wrong)
