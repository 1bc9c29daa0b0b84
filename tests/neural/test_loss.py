"""`MarginLoss` beside its slow twin: values and gradients, precisions, odd input, and the GPU."""

import copy
import math
import warnings
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from perceptrons.neural import Adaptive, Algorithm4, Growing, MarginLoss, unwaited
from perceptrons.neural.shortfall import Shortfall, signs
from tests.contract.test_imports import run
from tests.naive import neural as naive

pytestmark = pytest.mark.kernels

REDUCTIONS = ["mean", "sum", "none"]
DOUBLE = torch.float64


def draw(seed, n_rows, n_neurons, dtype=torch.float32):
    """Small integers as scores, zeros among them, and class numbers."""
    source = torch.Generator().manual_seed(seed)
    scores = torch.randint(-3, 4, (n_rows, n_neurons), generator=source).to(dtype)
    return scores, torch.randint(0, max(n_neurons, 2), (n_rows,), generator=source)


def learn(loss, scores, target, slopes=None, features=None):
    """The loss, and the gradient of its product with the slopes."""
    scores = scores.clone().requires_grad_()
    value = loss(scores, target) if features is None else loss(scores, target, features)
    value.backward(torch.ones_like(value) if slopes is None else slopes)
    return value.detach(), scores.grad


def twin(scores, target, beta, reduction, slopes):
    rows, targets = scores.tolist(), target.tolist()
    return naive.loss(rows, targets, beta, reduction), naive.gradient(rows, targets, beta, reduction, slopes)


class Parts(MarginLoss):
    """The loss as a GPU without Triton has it: by tensor operations."""

    def forward(self, scores, target):
        return self._unwaited(scores, target, self.reduction, True)[0]


class Networks(MarginLoss):
    """As networks side by side have it."""

    def forward(self, scores, target):
        losses, violated = Shortfall.apply(scores, signs(scores, target), self._beta(scores), self.reduction)
        self._advance(violated.any(1), None)
        return losses


@pytest.mark.parametrize("make", [MarginLoss, Parts, Networks])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("dtype", [torch.float32, DOUBLE])
def test_value_and_gradient_are_those_of_the_twin(dtype, reduction, make):
    seen = Counter()

    @settings(deadline=None, derandomize=True, max_examples=40)
    @given(
        st.integers(0, 10**6), st.integers(1, 9), st.sampled_from([1, 2, 3, 10]), st.sampled_from([0, 1, 2])
    )
    def check(seed, n_rows, n_neurons, beta):
        scores, target = draw(seed, n_rows, n_neurons, dtype)
        slopes = [1 + seed % 3] * n_rows if reduction != "none" else [1 + i % 4 for i in range(n_rows)]
        upstream = torch.tensor(slopes if reduction == "none" else slopes[0], dtype=dtype)
        loss = make(beta, reduction)
        value, gradient = learn(loss, scores, target, upstream)
        expected, slope = twin(scores, target, beta, reduction, slopes)
        if reduction == "mean":
            expected, slope = pytest.approx(expected), [pytest.approx(row) for row in slope]
        assert value.dtype == gradient.dtype == dtype
        assert value.tolist() == expected
        assert gradient.tolist() == slope
        rows, targets = scores.tolist(), target.tolist()
        violated = naive.in_violation(rows, targets, beta)
        assert loss.violations(scores, target).tolist() == violated
        assert loss.clock == sum(violated)
        reached = [naive.reaches(row, one) for row, one in zip(rows, targets, strict=True)]
        seen["equal"] += any(beta in row for row in reached)
        seen["right"] += not all(violated)
        seen["several"] += any(sum(one <= beta for one in row) > 1 for row in reached)

    check()
    assert min(seen["equal"], seen["right"], seen["several"]) >= 12


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_scores_that_are_no_integers(reduction):
    """Nor is β; and a gradient that reaches weights before."""
    source = torch.Generator().manual_seed(1)
    scores = torch.randn(40, 5, generator=source, dtype=DOUBLE)
    target = torch.randint(0, 5, (40,), generator=source)
    value, gradient = learn(MarginLoss(0.3, reduction), scores, target)
    expected, slope = twin(scores, target, 0.3, reduction, [1] * 40)
    assert value.tolist() == pytest.approx(expected)
    assert torch.allclose(gradient, torch.tensor(slope, dtype=DOUBLE))
    assert torch.autograd.gradcheck(MarginLoss(0.3, reduction).eval(), (scores.requires_grad_(), target))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_weight_multiplies_the_loss_of_its_row(reduction):
    """And its gradient, but not its share of the clock."""
    scores, target = draw(3, 12, 3, DOUBLE)
    numbers = [i % 4 / 2 for i in range(12)]
    loss, leaf = MarginLoss(1, reduction), scores.clone().requires_grad_()
    value = loss(leaf, target, weights=torch.tensor(numbers, dtype=torch.float32))
    value.sum().backward()
    assert value.tolist() == pytest.approx(
        naive.loss(scores.tolist(), target.tolist(), 1, reduction, numbers)
    )
    slopes = naive.gradient(scores.tolist(), target.tolist(), 1, reduction, numbers)
    assert torch.allclose(leaf.grad, torch.tensor(slopes, dtype=DOUBLE))
    assert loss.clock == sum(naive.in_violation(scores.tolist(), target.tolist(), 1)) > 6
    for bad, words in [(torch.ones(11), r"float32 of shape \(11,\)"), (numbers, "weights are list")]:
        with pytest.raises(ValueError, match=rf"{words}, but must be a tensor of shape \(12,\) on cpu"):
            loss(scores, target, weights=bad)


def test_scores_of_one_neuron_may_have_one_axis():
    scores, target = draw(0, 9, 1)
    for reduction in REDUCTIONS:
        value, gradient = learn(MarginLoss(1, reduction), scores, target)
        flat_value, flat_gradient = learn(MarginLoss(1, reduction), scores[:, 0], target)
        assert torch.equal(value, flat_value)
        assert torch.equal(gradient[:, 0], flat_gradient)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool])
def test_targets_may_be_any_integers(dtype):
    for n_neurons in (1, 2):
        scores, target = draw(2, 9, n_neurons)
        for ours, other in zip(
            learn(MarginLoss(), scores, target), learn(MarginLoss(), scores, target.to(dtype)), strict=True
        ):
            assert torch.equal(ours, other)


def test_equality_is_that_of_the_scores_precision():
    """0.1 in single precision is more than 0.1, and yet it does not exceed a margin of 0.1."""
    scores, target = torch.tensor([[0.1], [0.2]]), torch.ones(2).long()
    for make in (MarginLoss, Parts, Networks):
        loss = make(0.1, "sum")
        value, gradient = learn(loss, scores, target)
        assert (value, loss.clock) == (0.0, 1)
        assert gradient.tolist() == [[-1.0], [0.0]]
        assert loss.violations(scores, target).tolist() == [True, False]


def test_how_numbers_lie_in_memory_does_not_matter():
    scores, target = draw(6, 9, 3)
    value, gradient = learn(MarginLoss(), scores, target)
    labels = torch.stack([target, target + 1], dim=1)[:, 0]
    columns = scores.T.contiguous().requires_grad_()
    assert not labels.is_contiguous()
    loss = MarginLoss()(columns.T, labels)
    loss.backward()
    assert torch.equal(loss, value)
    assert torch.equal(columns.grad.T, gradient)


def test_the_scores_stay_as_they_are():
    scores, target = draw(3, 9, 3)
    before, labels = scores.clone(), target.clone()
    learn(MarginLoss(), scores, target)
    MarginLoss()(scores, target)
    assert torch.equal(scores, before)
    assert torch.equal(target, labels)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single(dtype):
    """100 000 is more than half precision holds, and 2049 ones add up to 2048 in it."""
    scores, target = draw(4, 50, 3, dtype)
    value, gradient = learn(MarginLoss(1e5, "sum"), scores, target)
    expected, slope = twin(scores, target, 100_000, "sum", [1] * 50)
    assert value.dtype == torch.float32
    assert gradient.dtype == dtype
    assert value == expected
    assert gradient.tolist() == slope
    loss = MarginLoss(1.0, "sum")
    assert loss(torch.zeros(2049, 1, dtype=dtype), torch.ones(2049).long()) == 2049 == loss.clock


def test_autocast():
    source = torch.Generator().manual_seed(0)
    rows, target = torch.randn(30, 4, generator=source), torch.arange(30) % 3
    network = nn.Linear(4, 3)
    nn.init.normal_(network.weight, generator=source)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = network(rows)
        scores.retain_grad()
        value = MarginLoss(0.5)(scores, target)
    value.backward()
    expected, slope = twin(scores, target, 0.5, "mean", [1] * 30)
    assert scores.dtype == torch.bfloat16
    assert value.dtype == torch.float32
    assert value.item() == pytest.approx(expected, rel=1e-6)
    assert torch.allclose(scores.grad.float(), torch.tensor(slope), rtol=1e-2, atol=0)
    assert 0 < (scores.grad == 0).sum() < 90
    assert network.weight.grad.dtype == torch.float32


ZEROS, TWO = torch.zeros(2, 3), torch.tensor([0, 1])
BAD_INPUT = [
    (torch.zeros(2, 3, 1), TWO, r"scores are float32 of shape \(2, 3, 1\).*\(rows, neurons\)"),
    (torch.tensor(0.0), TWO, r"scores are float32 of shape \(\)"),
    (torch.zeros(2, 3, dtype=torch.int64), TWO, "scores are int64 of shape .*must be floats"),
    (torch.zeros(2, 3, dtype=torch.complex64), TWO, "scores are complex64"),
    (
        ZEROS,
        torch.tensor([0, 1, 2]),
        r"target is int64 of shape \(3,\).*integers of shape \(2,\)",
    ),
    (ZEROS, TWO[:, None], r"target is int64 of shape \(2, 1\)"),
    (ZEROS, torch.tensor(0), r"target is int64 of shape \(\)"),
    (ZEROS, torch.tensor([0.0, 1.0]), "target is float32 .*must be integers"),
    (torch.zeros(0, 3), TWO[:0], "nothing can be learned; leave the batch out"),
    (torch.zeros(2, 0), TWO, "nothing can be learned"),
    (ZEROS, torch.tensor([0, 3]), "target holds 3, but class numbers go from 0 to 2.* 3 neurons"),
    (ZEROS, torch.tensor([-1, 0]), "target holds -1, .* from 0 to 2.*number the classes so"),
    (torch.zeros(2), torch.tensor([0, 2]), "target holds 2, .* from 0 to 1.* one neuron"),
    (torch.zeros(2, 1), torch.tensor([-1, 1]), "target holds -1, .* from 0 to 1.* one neuron"),
]


@pytest.mark.parametrize(("scores", "target", "message"), BAD_INPUT)
def test_bad_input(scores, target, message):
    loss = MarginLoss(Growing(0.5))
    with pytest.raises(ValueError, match=message):
        loss(scores, target)
    with pytest.raises(ValueError, match=message):
        loss.violations(scores, target)
    assert loss.clock == 0


def test_where_nobody_looks_a_loss_of_nan_is_nan():
    """A recorded step cannot stop to look; a sum without its NaN would pass for success."""
    scores = torch.tensor([[5.0, -5.0], [math.nan, -5.0]])
    for reduction in REDUCTIONS:
        value, violated = Shortfall.apply(scores, signs(scores, TWO * 0), 1.0, reduction)
        assert value.isnan().any()
        assert not violated.any()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, DOUBLE])
def test_scores_that_are_not_finite_change_nothing(bad, dtype):
    scores = torch.zeros(4, 3, dtype=dtype)
    scores[2, 1] = scores[3, 0] = bad
    loss = MarginLoss(Growing(0.5))
    message = (
        r"scores of 2 of 4 rows are not finite \(first: row 2\).*NaN in the inputs, or lower the learning"
    )
    with pytest.raises(ValueError, match=message):
        learn(loss, scores, torch.zeros(4).long())
    assert loss.clock == 0
    assert loss.margin == 0.0


def test_weights_survive_a_bad_batch():
    network, loss = nn.Linear(2, 3), MarginLoss(Growing(0.5))
    optimizer = torch.optim.SGD(network.parameters(), lr=1.0)
    before = network.weight.detach().clone()
    with pytest.raises(ValueError, match="not finite"):
        loss(network(torch.tensor([[1.0, math.nan]])), TWO[:1]).backward()
    optimizer.step()
    assert torch.equal(network.weight, before)
    assert loss.clock == 0


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of NumPy, where nothing is compiled
def test_a_sum_that_overflows_is_no_alarm():
    for dtype, large in [(torch.float16, 6e4), (torch.float32, 3e38), (DOUBLE, 1.5e308)]:
        scores, target = torch.full((4, 1), large, dtype=dtype), torch.ones(4).long()
        assert MarginLoss()(scores, target) == 0.0
        assert not MarginLoss().violations(scores, target).any()
        value, gradient = learn(MarginLoss(1.0, "none"), -scores, target)
        assert value.tolist() == [1.0 + float(scores[0, 0])] * 4
        assert gradient.tolist() == [[-1.0]] * 4


@pytest.mark.parametrize("reduction", ["max", None, 1])
def test_reductions_that_are_none(reduction):
    with pytest.raises(ValueError, match=r"reduction=.*'mean', 'sum', 'none'"):
        MarginLoss(1.0, reduction)


def test_without_pytorch():
    code = """
import sys
import perceptrons
perceptrons.Perceptron
assert "torch" not in sys.modules
sys.modules["torch"] = None
try:
    import perceptrons.neural
except ImportError as error:
    print(error)
"""
    assert run(code) == 'perceptrons.neural needs PyTorch; pip install "perceptrons[neural]".'


def test_numbers_beyond_the_precision_raise():
    with pytest.raises(ValueError, match=r"β is 1e\+39, more than torch.float32 can hold; use a smaller"):
        MarginLoss(1e39)(ZEROS, TWO)
    assert MarginLoss(1e39)(ZEROS.double(), TWO).item() == 3e39
    loss = MarginLoss(Adaptive())
    with pytest.raises(ValueError, match=r"features is inf, more than torch.float32 can hold, so Adaptive"):
        loss(ZEROS, TWO, torch.full((2, 3), 1e20))
    assert (loss.clock.item(), loss.margin) == (0, 0.0)
    with pytest.raises(ValueError, match=r"features is 1600\d\d, more than torch.float16 can hold"):
        loss.half()(ZEROS, TWO, torch.full((2, 1), 200.0))
    assert (loss.clock.item(), loss.margin) == (0, 0.0)
    for scores, target in ((ZEROS.numpy(), TWO), ([[0.0]], TWO), (ZEROS, TWO.numpy()), (ZEROS, [0, 1])):
        with pytest.raises(ValueError, match=r"are of type (ndarray|list), but must be a tensor"):
            MarginLoss()(scores, target)
    with pytest.raises(ValueError, match=r"scores are on cpu, but target is on meta; use target.to"):
        MarginLoss()(ZEROS, TWO.to("meta"))
    with pytest.raises(ValueError, match=r"scores are on cpu, but the loss is on meta, .* use loss.to"):
        MarginLoss().to("meta")(ZEROS, TWO)
    for power in ("half", None, 1.0):
        with pytest.raises(ValueError, match=rf"power={power!r}, but it must be a number in \(0, 1\)"):
            Growing.reaching(10, 100, power)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_what_is_not_waited_for_tells_late(reduction):
    """A bad row makes the loss NaN, teaches nothing, and its batch is not counted."""
    scores, target = torch.zeros(4, 3), torch.tensor([0, 1, 3, 2])
    scores[3, 1] = math.nan
    loss = Parts(1.0, reduction)
    value, gradient = learn(loss, scores, target)
    assert value.isnan().tolist() == ([False, False, True, True] if reduction == "none" else True)
    assert gradient.ne(0).any(1).tolist() == [True, True, False, False]
    assert (loss.clock, loss.bad) == (0, 2)
    assert copy.deepcopy(loss).bad == 2
    assert "bad" not in loss.state_dict()
    with pytest.raises(
        ValueError, match=r"2 rows that the loss has met .* not finite, or labels out of range"
    ):
        loss.check()
    loss.check()
    with pytest.raises(ValueError, match="rows that the loss has met"):
        [learn(loss, scores, target) for _ in range(2 * unwaited.LATE)]
    with pytest.raises(ValueError, match=r"β is 1e\+39, more than torch.float32 can hold"):
        Parts(1e39)(scores, target)


def test_what_a_gpu_needs_for_the_kernel():
    """It is looked for; without it there are tensor operations."""
    assert not unwaited.is_fused(ZEROS)
    assert not unwaited.has_triton(ZEROS.device)


@pytest.mark.gpu
class TestOnAGPU:
    @pytest.mark.parametrize("schedule", [2.0, Growing(0.5, 0.25), Adaptive(0.5, 1.0)])
    @pytest.mark.parametrize("reduction", REDUCTIONS)
    def test_it_is_that_of_the_cpu(self, schedule, reduction):
        here, there = MarginLoss(schedule, reduction), MarginLoss(schedule, reduction).cuda()
        for seed in range(5):
            scores, target = draw(seed, 8, 3)
            features = draw(seed, 8, 4)[0]
            value, gradient = learn(there, scores.cuda(), target.cuda(), features=features.cuda())
            expected, slope = learn(here, scores, target, features=features)
            assert torch.allclose(value.cpu(), expected)
            assert torch.equal(gradient.cpu(), slope)
            assert here.clock == there.clock.cpu() > 0
            assert here.margin == pytest.approx(there.margin)

    def test_the_kernel_is_that_of_tensor_operations(self):
        """Also where many programs share the rows, and in double precision."""
        for n_rows, n_neurons, dtype in [(3000, 10, DOUBLE), (700, 1, torch.float32), (3, 5000, DOUBLE)]:
            assert unwaited.is_fused(torch.zeros(n_rows, n_neurons, device="cuda"))
            scores, target = (part.cuda() for part in draw(1, n_rows, n_neurons, dtype))
            for reduction in REDUCTIONS:
                losses = [MarginLoss(Growing(0.3), reduction).cuda(), MarginLoss(Growing(0.3), reduction)]
                losses[0].clock += 5
                losses[1].clock += 5
                value, gradient = learn(losses[0], scores, target)
                expected, slope = learn(losses[1], scores.cpu(), target.cpu())
                assert torch.allclose(value.cpu(), expected)
                assert torch.allclose(gradient.cpu(), slope)
                assert losses[0].clock.cpu() == losses[1].clock > 5

    @pytest.mark.parametrize("fused", [True, False])
    def test_bad_input_leaves_the_gpu_usable(self, fused, monkeypatch):
        if not fused:
            monkeypatch.setattr(unwaited, "is_fused", lambda scores: False)
        target = TWO.cuda()
        for schedule in (Growing(0.5), Algorithm4()):
            loss = MarginLoss(schedule).cuda()
            for scores, labels in [
                (ZEROS.cuda() * math.nan, target),
                (ZEROS.cuda(), target + 2),
                (ZEROS.cuda(), target - 1),
            ]:
                assert learn(loss, scores, labels)[0].isnan()
                assert loss.clock.item() == 0
                with pytest.raises(
                    ValueError, match=r"[12] rows that the loss has met .* labels out of range"
                ):
                    loss.check()
                loss.check()
                with pytest.raises(ValueError, match="rows that the loss has met"):
                    [(learn(loss, scores, labels), torch.cuda.synchronize()) for _ in range(64)]
                loss.check()
                assert torch.ones(3, device="cuda").sum().item() == 3.0
        assert learn(loss, ZEROS.cuda(), target)[0] == 0.0
        assert loss.clock == 2

    def test_a_step_waits_for_nothing(self):
        loss, scores, target = MarginLoss(Growing(0.5)).cuda(), ZEROS.cuda().requires_grad_(), TWO.cuda()
        loss(scores, target).backward()  # compiles
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that the mode is a prototype
            torch.cuda.set_sync_debug_mode("error")
            try:
                for _ in range(70):
                    loss(scores, target).backward()
            finally:
                torch.cuda.set_sync_debug_mode("default")
        assert loss.clock == 71 * 2
