"""`ClockedReLU`: what it computes, its clocks beside a count row by row, and how it travels."""

import copy
import io

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from perceptrons.neural import Adaptive, Growing
from perceptrons.neural.clocked import ClockedReLU


def integers(seed, *shape):
    """Small integers, zeros among them, in single precision."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-4, 5, shape, generator=generator, dtype=torch.float32)


def counted(batches, scale):
    """Neuron by neuron and row by row in plain Python, for β = scale·√t: outputs, clocks."""
    clocks, outputs = [0] * len(batches[0][0]), []
    for rows in batches:
        betas = [scale * t**0.5 for t in clocks]
        outputs.append([[max(x + beta, 0.0) for x, beta in zip(row, betas, strict=True)] for row in rows])
        for row in outputs[-1]:
            clocks = [t + (value > 0) for t, value in zip(clocks, row, strict=True)]
    return outputs, clocks


def test_clocks_count_the_rows_in_which_neurons_are_active():
    """In double precision, except for the last bit of a square root."""
    n_apart = []

    @settings(deadline=None, derandomize=True, max_examples=50)
    @given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 9), st.sampled_from([0.25, 1.0]))
    def check(seed, n_neurons, n_rows, scale):
        x = integers(seed, 4, n_rows, n_neurons).double() - 2
        activation = ClockedReLU(n_neurons, Growing(0.5, scale=scale))
        outputs, clocks = counted(x.tolist(), scale)
        found = [activation(rows).tolist() for rows in x]
        np.testing.assert_allclose(found, outputs, rtol=1e-12, atol=0)
        assert activation.clock.tolist() == clocks
        assert activation.clock.dtype == torch.int64
        assert activation.beta.tolist() == pytest.approx([scale * t**0.5 for t in clocks])
        n_apart.append(len(set(clocks)) > 1 and sum(clocks) < x.numel())

    check()
    assert sum(n_apart) > 25


def test_a_number_for_all_or_one_for_each():
    x = integers(0, 20, 3)
    assert torch.equal(ClockedReLU(3)(x), torch.relu(x))
    assert torch.equal(ClockedReLU(3, 2)(x), torch.relu(x + 2))
    own = torch.tensor([0.0, 1.0, 2.5])
    for beta in (own, own.tolist(), own.numpy(), own.double(), tuple(own.tolist())):
        activation = ClockedReLU(3, beta)
        assert torch.equal(activation(x), torch.relu(x + own))
        assert torch.equal(activation.beta, own)
        assert not list(activation.parameters())
        assert not activation.beta.requires_grad
    assert ClockedReLU(3, np.float64(0.5)).beta.tolist() == ClockedReLU(3, torch.tensor(0.5)).beta.tolist()


def test_the_tensor_given_stays_its_owners():
    own = torch.ones(2, requires_grad=True)
    assert not ClockedReLU(2, own).beta.requires_grad
    activation = ClockedReLU(2, own, learn=True)
    with torch.no_grad():
        activation.beta.add_(1)
        own.sub_(3)
    assert (own.tolist(), activation.beta.tolist()) == ([-2, -2], [2, 2])
    frozen = np.ones(2)
    frozen.flags.writeable = False
    assert ClockedReLU(2, frozen).beta.tolist() == [1, 1]


@pytest.mark.parametrize("shape", [(3,), (1, 3), (5, 3), (2, 5, 3), (0, 3)])
def test_any_number_of_dimensions_before_the_last(shape):
    x = integers(1, *shape)
    activation = ClockedReLU(3, Growing(0.5))
    assert torch.equal(activation(x), torch.relu(x))
    assert activation.clock.tolist() == (x.reshape(-1, 3) > 0).sum(0).tolist()


def test_at_0_the_neuron_is_not_active():
    """As PyTorch's ReLU: no gradient, and the clock does not count the row."""
    activation = ClockedReLU(1, Growing(0.5))
    x = torch.tensor([[0.0], [1.0]], requires_grad=True)
    activation(x).sum().backward()
    assert x.grad.tolist() == [[0.0], [1.0]]
    assert activation.clock.tolist() == [1]
    moved = torch.tensor([[-1.0], [-0.5]], requires_grad=True)
    activation(moved).sum().backward()
    assert moved.grad.tolist() == [[0.0], [1.0]]
    assert activation.clock.tolist() == [2]


def test_clocks_stand_still_in_evaluation_mode():
    activation, x = ClockedReLU(3, Growing(0.5)), integers(2, 8, 3)
    activation(x)
    before = activation.clock.tolist()
    assert sum(before) > 3
    assert torch.equal(activation.eval()(x), torch.relu(x + torch.tensor(before) ** 0.5))
    assert activation.clock.tolist() == before
    activation.train()(x)
    assert activation.clock.tolist() > before


def test_beta_is_learned():
    """The gradient of β is the number of active rows; it may go below 0."""
    activation, x = ClockedReLU(3, 1.0, learn=True), integers(3, 20, 3)
    assert isinstance(activation.beta, nn.Parameter)
    activation(x).sum().backward()
    active = (x + 1 > 0).sum(0)
    assert activation.beta.grad.tolist() == active.tolist()
    torch.optim.SGD(activation.parameters(), lr=1.0).step()
    assert activation.beta.tolist() == (1 - active).tolist()
    assert activation.beta.min() < 0
    assert torch.equal(activation(x), torch.relu(x + 1 - active))


def test_gradients_of_inputs_pass_and_no_other():
    activation, x = ClockedReLU(3, Growing(0.5)), integers(4, 6, 3).requires_grad_()
    for _ in range(2):
        beta = activation.beta
        x.grad = None
        activation(x).sum().backward()
        assert torch.equal(x.grad, (x.detach() + beta > 0).float())
    assert not activation.beta.requires_grad
    assert not list(activation.parameters())


@pytest.mark.parametrize("beta", [0.5, [0.5, 1.0, 1.5], Growing(0.5)])
def test_files_and_copies(beta):
    """A model that is loaded goes on as the one that was saved, and a copy goes its own way."""
    activation, x = ClockedReLU(3, beta), integers(5, 8, 3)
    activation(x)
    file = io.BytesIO()
    torch.save(activation.state_dict(), file)
    file.seek(0)
    loaded = ClockedReLU(3, beta if isinstance(beta, Growing) else 0.0)
    loaded.load_state_dict(torch.load(file))
    twin = copy.deepcopy(activation)
    expected = activation.beta.tolist()
    twin(x)
    assert activation.beta.tolist() == expected
    assert torch.equal(loaded(x), activation(x))
    assert loaded.beta.tolist() == activation.beta.tolist() == twin.beta.tolist()
    assert [*activation.state_dict()] == ["clock" if isinstance(beta, Growing) else "shift"]
    if isinstance(beta, Growing):
        assert activation.beta.tolist() != expected


@pytest.mark.parametrize("learn", [False, True])
def test_other_precisions(learn):
    activation = ClockedReLU(2, [0.1, 0.2], learn=learn).double()
    assert activation.beta.dtype == torch.float64
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        assert activation(torch.zeros(1, 2, dtype=dtype)).dtype == dtype
    clocked = ClockedReLU(2, Growing(0.5)).double()
    assert clocked.clock.dtype == torch.int64
    assert clocked(torch.zeros(1, 2, dtype=torch.float64)).dtype == torch.float64


def test_time_is_not_rounded_in_half_precision():
    """257 is no number of bfloat16: the clock goes beyond it, and β is rounded at its end alone."""
    activation, ones = ClockedReLU(1, Growing(0.5)), torch.ones(257, 1, dtype=torch.bfloat16)
    for _ in range(3):
        activation(ones)
    assert activation.clock.tolist() == [771]
    for dtype in (torch.bfloat16, torch.float16):
        activation = ClockedReLU(5000, Growing(0.75)).eval()
        activation.clock.copy_(torch.arange(5000))
        betas = activation(torch.zeros(1, 5000, dtype=dtype))[0]
        assert torch.equal(betas, (torch.arange(5000.0) ** 0.75).to(dtype))
        assert (betas != torch.arange(5000).to(dtype) ** 0.75).sum() > 100


def test_autocast():
    network = nn.Sequential(nn.Linear(4, 3), ClockedReLU(3, Growing(0.5)), nn.Linear(3, 1))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = network[:2](integers(6, 10, 4))
        scores = network(integers(6, 10, 4))
    assert hidden.dtype == scores.dtype == torch.bfloat16
    scores.float().sum().backward()
    assert all(parameter.grad is not None for parameter in network.parameters())
    assert network[1].clock.sum() > 0


@pytest.mark.parametrize("beta", [0.5, Growing(0.5)])
def test_compiled_code_counts_as_well(beta):
    activation = ClockedReLU(3, beta)
    compiled, twin = torch.compile(activation, fullgraph=True, backend="aot_eager"), copy.deepcopy(activation)
    for seed in range(3):
        x = integers(seed, 7, 3)
        x, y = x.clone().requires_grad_(), x.requires_grad_()
        assert torch.equal(compiled(x), twin(y))
        compiled(x).sum().backward()
        twin(y).sum().backward()
        assert torch.equal(x.grad, y.grad)
    assert activation.beta.tolist() == twin.beta.tolist()
    assert activation.beta.min() > 0
    compiled.eval()
    before = activation.beta.tolist()
    assert torch.equal(compiled(x), twin.eval()(y))
    assert activation.beta.tolist() == before


def test_what_it_is_called():
    assert repr(ClockedReLU(3, 0.5)) == "ClockedReLU(3, learn=False)"
    assert repr(ClockedReLU(3, learn=True)) == "ClockedReLU(3, learn=True)"
    assert repr(ClockedReLU(3, Growing(0.5))) == "ClockedReLU(3, beta=Growing(power=0.5, scale=1.0))"


@pytest.mark.parametrize(
    ("beta", "told"),
    [
        (-0.5, r"beta holds -0\.5"),
        (float("nan"), "beta holds nan"),
        ([0.0, 1.0, float("inf")], "beta holds inf"),
        (1e300, "beta holds inf"),
        (torch.tensor([0.0, -1.0, 1.0]), "beta holds -1"),
        ([0.0, 1.0], r"beta of shape \(2,\)"),
        (torch.zeros(3, 1), r"beta of shape \(3, 1\)"),
        ([[0.0], [1.0, 2.0]], r"beta=\[\[0\.0\], \[1\.0, 2\.0\]\]"),
        (True, "beta=True"),
        (1j, "beta=1j"),
        ("0.5", "beta='0.5'"),
        (None, "beta=None"),
    ],
)
def test_betas_that_are_none(beta, told):
    with pytest.raises(
        ValueError, match=rf"{told}, but it must be a finite number >= 0, 3 of them, .* use 0"
    ):
        ClockedReLU(3, beta)


def test_schedules_that_are_not_for_neurons():
    with pytest.raises(ValueError, match=r"beta=Adaptive.* norms of rows.*; use Growing\(power\)"):
        ClockedReLU(3, Adaptive())
    with pytest.raises(
        ValueError, match=r"learn=True, but beta=Growing.* is set by a clock; use learn=False"
    ):
        ClockedReLU(3, Growing(0.5), learn=True)
    with pytest.raises(ValueError, match="learn='no', but it must be True or False"):
        ClockedReLU(3, learn="no")


@pytest.mark.parametrize("n_neurons", [0, -1, 2.0, True, None])
def test_numbers_of_neurons_that_are_none(n_neurons):
    with pytest.raises(
        ValueError, match=r"n_neurons=.* must be an integer >= 1; use the size of the layer before"
    ):
        ClockedReLU(n_neurons)


@pytest.mark.parametrize("x", [torch.zeros(5, 4), torch.zeros(3, 5), torch.tensor(1.0), torch.zeros(5, 1)])
def test_inputs_of_another_number_of_neurons(x):
    activation = ClockedReLU(3, Growing(0.5))
    shape = str(tuple(x.shape)).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ValueError, match=rf"x is torch.float32 of shape {shape}, .* number of neurons, 3;"):
        activation(x)
    with pytest.raises(ValueError, match=r"x is torch.int64 of shape \(2, 3\), but must be floats"):
        activation(torch.ones(2, 3, dtype=torch.int64))
    assert activation.clock.tolist() == [0, 0, 0]
