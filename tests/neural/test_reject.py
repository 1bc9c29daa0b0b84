"""`RejectLoss`: decisions, costs and gradients against the slow twin, its limits, training, and odd input."""

import copy
import math
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from perceptrons import Costs
from perceptrons.neural.loss import MarginLoss
from perceptrons.neural.reject import RejectLoss
from tests.naive import conservative, neural_reject

EXACT_BANDS = {0: -200.0, **{band: float(band) for band in range(21, 40)}}  # in single precision: λ → raw


def draw_costs(rng, n_classes):
    """Eighths: gains, costs of errors and of rejections, per class; rejections are never free."""
    wrong = rng.integers(2, 40, n_classes)
    parts = rng.integers(0, 20, n_classes) * rng.integers(0, 2), wrong, rng.integers(1, wrong)
    return [(part / 8).tolist() for part in parts]


def priced(parts, **how):
    """The loss for costs per class number."""
    names = list(range(len(parts[0])))
    gain, wrong, reject = (dict(zip(names, part, strict=True)) for part in parts)
    return RejectLoss(Costs(gain, wrong, reject), classes=names, **how)


def with_bands(loss, raw):
    with torch.no_grad():
        loss.raw_bands.copy_(torch.as_tensor(raw))
    return loss


def draw_case(seed, dtype=torch.float64):
    """A loss in double precision with learned bands, scores of one neuron or of more, and labels."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    costs, T = draw_costs(rng, n_classes), float(rng.choice([0.3, 1.0, 3.0]))
    loss = priced(costs, temperature=T, reduction="none").to(dtype)
    with_bands(loss, rng.normal(size=n_classes))
    n_neurons = 1 if n_classes == 2 and rng.integers(2) else n_classes
    scores = torch.tensor(2 * rng.normal(size=(12, n_neurons)), dtype=dtype, requires_grad=True)
    return loss, costs, scores, torch.tensor(rng.integers(0, n_classes, 12))


def lists(scores):
    """Rows with a score per class, as the twin wants them."""
    rows = scores.tolist()
    return [neural_reject.of_one_neuron(*row) for row in rows] if len(rows[0]) == 1 else rows


def twin_bands(loss):
    return [neural_reject.softplus(raw) for raw in loss.raw_bands.tolist()]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_weight_multiplies_the_cost_of_its_row(reduction):
    loss, costs, scores, target = draw_case(5)
    weights = torch.arange(12) % 3 / 2
    of_rows = [
        weight * neural_reject.loss(row, y, twin_bands(loss), loss.temperature, *costs)
        for row, y, weight in zip(lists(scores), target.tolist(), weights.tolist(), strict=True)
    ]
    expected = {"none": of_rows, "sum": sum(of_rows), "mean": sum(of_rows) / 12}[reduction]
    loss.reduction = reduction
    assert loss(scores, target, weights=weights).tolist() == pytest.approx(expected, rel=1e-6)
    with pytest.raises(ValueError, match=r"weights are float32 of shape \(11,\)"):
        loss(scores, target, weights=weights[1:])


def test_decisions_and_risks_are_those_of_the_slow_twin():
    """Integers, so that == holds; a score may be exactly at the border, which is an answer."""
    rng, n_rejected, n_rows, n_tied, n_other = np.random.default_rng(0), 0, 0, 0, 0
    for _ in range(150):
        n_classes = int(rng.integers(2, 6))
        bands = rng.choice([*EXACT_BANDS], n_classes).tolist()
        costs = draw_costs(rng, n_classes)
        loss = with_bands(priced(costs), [EXACT_BANDS[band] for band in bands])
        assert loss.bands.tolist() == bands
        scores = torch.tensor(rng.integers(-10, 45, (20, n_classes))).float()
        target = torch.tensor(rng.integers(0, n_classes, 20))
        codes, rejected = loss.decide(scores)
        expected = [neural_reject.decide(row, bands) for row in scores.tolist()]
        assert list(zip(codes.tolist(), rejected.tolist(), strict=True)) == expected
        paid = neural_reject.risk(scores.tolist(), target.tolist(), bands, *costs)
        assert loss.risk(scores, target) == paid
        n_rows, n_rejected = n_rows + 20, n_rejected + int(rejected.sum())
        n_tied += int(((scores - loss.bands).amax(1) == 0).sum())
        n_other += int((codes != scores.argmax(1))[~rejected].sum())
    assert n_rows * 0.2 < n_rejected < n_rows * 0.8
    assert n_tied > 50
    assert n_other > 150


def test_one_neuron_decides_by_equation_6():
    rng, n_rejected, n_at_zero = np.random.default_rng(1), 0, 0
    for _ in range(100):
        bands = rng.choice([0, 0, 0, 21, 25], 2).tolist()
        (a, b, c), scores = draw_costs(rng, 2), rng.integers(-27, 28, 30)
        scores[0] = 0
        loss = with_bands(priced((a, b, c)), [EXACT_BANDS[band] for band in bands])
        codes, rejected = (part.tolist() for part in loss.decide(torch.tensor(scores).float()))
        answers = [None if reject else code for code, reject in zip(codes, rejected, strict=True)]
        assert answers == [neural_reject.decide_by_equation_6(s, bands) for s in scores.tolist()]
        known = np.flatnonzero((scores != 0) | (bands[1] == 0))  # there 0 is within the band of class 1
        truth, rows = rng.integers(0, 2, len(known)), scores[known]
        costs = {name: {-1: part[0], 1: part[1]} for name, part in zip("abc", (a, b, c), strict=True)}
        signs, sides = (2 * truth - 1).tolist(), {-1: bands[0], 1: bands[1]}
        paid = conservative.risk(rows.tolist(), signs, sides, costs)
        assert loss.risk(torch.tensor(rows).float(), torch.tensor(truth)) == paid
        n_rejected, n_at_zero = n_rejected + sum(rejected), n_at_zero + (bands == [0, 0])
    assert 500 < n_rejected < 2500
    assert n_at_zero > 20


def test_losses_are_those_of_the_slow_twin():
    n_one, values = 0, []
    for seed in range(60):
        loss, costs, scores, target = draw_case(seed)
        expected = [
            neural_reject.loss(row, y, twin_bands(loss), loss.temperature, *costs)
            for row, y in zip(lists(scores), target.tolist(), strict=True)
        ]
        found = loss(scores, target)
        assert found.tolist() == pytest.approx(expected, abs=1e-6)  # costs are held in single precision
        for reduction in ("mean", "sum"):
            other = priced(costs, temperature=loss.temperature, reduction=reduction).double()
            other.load_state_dict(loss.state_dict())
            assert other(scores, target).item() == pytest.approx(getattr(found, reduction)().item())
        n_one, values = n_one + (scores.shape[1] == 1), values + expected
    assert n_one > 5
    assert np.std(values) > 0.1


def test_gradients_are_those_of_the_slow_twin():
    n_large, n_one = 0, 0
    for seed in range(60):
        loss, costs, scores, target = draw_case(seed)
        loss(scores, target).sum().backward()
        bands = twin_bands(loss)
        how = (bands, loss.temperature, *costs)
        rows = [*zip(lists(scores), target.tolist(), strict=True)]
        expected = np.array([neural_reject.gradient(row, y, *how) for row, y in rows])
        assert expected == pytest.approx(
            np.array([neural_reject.differences(*row, *how) for row in rows]), abs=1e-7
        )
        by_score = expected[:, 1:] - expected[:, :1] if scores.shape[1] == 1 else expected
        assert scores.grad.numpy() == pytest.approx(by_score, abs=1e-6)
        slopes = 1.0 - np.exp(-np.array(bands))  # of softplus, by its value
        assert loss.raw_bands.grad.numpy() == pytest.approx(-expected.sum(0) * slopes, abs=1e-5)
        n_large, n_one = n_large + int((abs(expected) > 0.01).sum()), n_one + (scores.shape[1] == 1)
    assert n_large > 500
    assert n_one > 5


def test_gradients_are_those_of_the_loss():
    loss, _, scores, target = draw_case(3)
    assert torch.autograd.gradcheck(lambda s, _: loss(s, target), (scores, loss.raw_bands))


def test_a_cold_loss_is_the_exact_risk():
    """But for the unit; the lower the temperature, the closer, where no row is at a border."""
    n_mixed = 0
    for seed in range(30):
        loss, costs, scores, target = draw_case(seed)
        unit = max(a + b for a, b in zip(*costs[:2], strict=True))
        exact, gaps = loss.risk(scores, target), []
        for T in (1.0, 0.1, 0.01, 1e-4, 1e-6):
            cold = priced(costs, temperature=T).double()
            cold.load_state_dict(loss.state_dict())
            gaps.append(abs(unit * cold(scores, target).item() - exact))
        assert gaps[-1] < 1e-5
        assert gaps[-1] <= gaps[2] + 1e-5 <= gaps[0] + 2e-2
        n_mixed += 0 < loss.decide(scores)[1].sum() < 12
    assert n_mixed > 10


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.integers(0, 10**6))
def test_units_and_the_order_of_classes_do_not_matter(seed):
    loss, costs, scores, target = draw_case(seed)
    rows, losses = torch.tensor(lists(scores), dtype=torch.float64), loss(scores, target)
    order = np.random.default_rng(seed).permutation(len(costs[0]))
    turned = priced(
        [[part[k] * 4 for k in order] for part in costs], temperature=loss.temperature, reduction="none"
    )
    with_bands(turned.double(), loss.raw_bands.detach()[order])
    there = torch.tensor(np.argsort(order))[target]
    assert torch.allclose(turned(rows[:, order], there), losses, atol=1e-6)
    assert turned.risk(rows[:, order], there) == pytest.approx(4 * loss.risk(scores, target))
    assert torch.equal(turned.decide(rows[:, order])[1], loss.decide(scores)[1])
    highest = torch.tensor(costs[1])[target] / max(a + b for a, b in zip(*costs[:2], strict=True))
    assert (losses <= highest + 1e-6).all()


def test_bands_start_where_told_and_widen_where_answers_are_dear():
    for band in (1e-6, 0.1, 1.0, 50.0, 800.0):
        assert RejectLoss(Costs(), 3, band=band).bands.tolist() == pytest.approx([band] * 3, rel=1e-5)
    errors, right = torch.tensor([1, 1, 0]), torch.tensor([0, 0, 0])
    for target, grows in ((errors, True), (right, False)):
        loss = RejectLoss(Costs(reject=0.1))
        loss(torch.tensor([-1.0, -2.0, -1.5]), target).backward()
        torch.optim.SGD(loss.parameters(), lr=1.0).step()
        assert (loss.bands[0] > 1.0) == grows


def test_half_single_and_double_precision():
    loss, _, scores, target = draw_case(5, torch.float32)
    full = loss(scores, target)
    assert full.dtype == torch.float32
    for dtype in (torch.float16, torch.bfloat16):
        near = scores.detach().to(dtype).requires_grad_()
        out = loss(near, target)
        assert out.dtype == torch.float32
        assert torch.equal(out, loss(near.float(), target))
        out.sum().backward()
        assert near.grad.dtype == dtype
        short = copy.deepcopy(loss).to(dtype)
        assert short(near, target).tolist() == pytest.approx(out.tolist(), abs=0.02)
        assert torch.equal(short(near, target), copy.deepcopy(short).float()(near, target))
    loss.double()
    assert loss(scores, target).dtype == torch.float32
    assert loss(scores.double(), target).tolist() == pytest.approx(full.tolist(), abs=1e-6)


def test_labels_of_every_kind_and_scores_of_one_neuron():
    loss = RejectLoss(Costs(gain=0.5, reject=0.25))
    scores = torch.tensor([2.0, -3.0, 0.5, -0.25])
    column, pair = scores[:, None], torch.stack([-scores, scores], 1)
    expected = loss(scores, torch.tensor([1, 1, 0, 0]))
    for kind in (torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool):
        target = torch.tensor([1, 1, 0, 0]).to(kind)
        for form in (scores, column, pair):
            assert loss(form, target) == expected
            assert loss.risk(form, target) == (-0.5 + 1 + 0.25 + 0.25) / 4
            assert loss.decide(form)[0].tolist() == [1, 0, 1, 0]


def test_named_costs():
    costs = Costs(gain=1, wrong={"healthy": 1, "ill": 7}, reject={"ill": 0.5, "healthy": 0.25})
    loss = RejectLoss(costs, classes=np.array(["healthy", "ill"]))
    scores, target = torch.tensor([5.0, 0.0, -5.0, 0.0]), torch.tensor([1, 1, 1, 0])
    assert loss.risk(scores, target) == (-1 + 0.5 + 7 + 0.25) / 4
    names = np.array(["healthy", "ill", "reject"])
    codes, rejected = loss.decide(scores)
    said = names[torch.where(rejected, 2, codes).numpy()]
    assert costs.risk(names[target.numpy()], said) == loss.risk(scores, target)
    assert RejectLoss(costs, 2, classes=("ill", "healthy")).prices[1].tolist() == [7 / 8, 1 / 8]
    for how in ({}, {"n_classes": 2}, {"n_classes": 3}):
        assert RejectLoss(Costs(), classes="abc", **how).n_classes == 3
    assert RejectLoss(Costs(), 7).bands.shape == (7,)


def test_extreme_scores_and_temperatures():
    for T in (1e-29, 1e-6, 1.0, 1e30):
        loss = RejectLoss(Costs(), 3, temperature=T, reduction="none")
        scores = torch.tensor([[3e38, 1e38, -3e38], [-3e38] * 3, [1e-3, 0.0, 5.0]], requires_grad=True)
        losses = loss(scores, torch.tensor([0, 1, 1]))
        if T < 1.0:
            assert losses.tolist() == pytest.approx([0.0, 0.2, 1.0])
        losses.sum().backward()
        assert scores.grad.isfinite().all()
        assert loss.raw_bands.grad.isfinite().all()
    assert RejectLoss(Costs(), band=9e29).risk(torch.tensor([1e20]), torch.tensor([1])) == 0.2


def test_what_is_kept():
    loss, _, scores, target = draw_case(7)
    assert [*loss.state_dict()] == ["raw_bands"]
    assert [*dict(loss.named_parameters())] == ["raw_bands"]
    for other in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        assert torch.equal(other(scores, target), loss(scores, target))
    assert repr(RejectLoss(Costs(reject=0.1), 3, temperature=2)) == (
        "RejectLoss(Costs(gain=0.0, wrong=1.0, reject=0.1), n_classes=3, temperature=2.0, reduction='mean')"
    )
    assert not loss.bands.requires_grad
    assert not any(part.requires_grad for part in loss.decide(scores))


def test_autocast_and_compiled_code():
    torch.manual_seed(0)
    network = nn.Linear(4, 3)
    loss = RejectLoss(Costs(reject=0.3), 3)
    X, target = torch.randn(20, 4, generator=torch.Generator().manual_seed(1)), torch.arange(20) % 3
    plain = loss(network(X), target)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        cast = loss(network(X), target)
    assert cast.dtype == torch.float32
    assert cast.item() == pytest.approx(plain.item(), abs=0.01)
    compiled = torch.compile(lambda X, y: loss(network(X), y), backend="aot_eager", fullgraph=True)
    out = compiled(X, target)
    assert out.item() == pytest.approx(plain.item(), abs=1e-6)
    gradients = [torch.autograd.grad(one, [network.weight, loss.raw_bands]) for one in (plain, out)]
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(*gradients, strict=True))


@pytest.mark.gpu
def test_on_a_gpu():
    loss, _, scores, target = draw_case(9, torch.float32)
    near, there = loss(scores, target), copy.deepcopy(loss).cuda()
    assert there(scores.cuda(), target.cuda()).tolist() == pytest.approx(near.tolist(), abs=1e-5)
    assert there.risk(scores.cuda(), target.cuda()) == loss.risk(scores, target)


def rings(n_rows, seed):
    """Points of the plane, the probability of class 1 growing with the distance from 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    posteriors = 1.0 / (1.0 + np.exp(-2.0 * ((X**2).sum(1) - 1.4)))
    return torch.tensor(X).float(), torch.tensor((rng.random(n_rows) < posteriors).astype(int)), posteriors


def trained(X, y, loss, seed, margin_epochs, epochs, lr=0.1):
    generator = torch.Generator().manual_seed(seed)
    network = nn.Sequential(nn.Linear(2, 20), nn.ReLU(), nn.Linear(20, 1))
    for layer in (network[0], network[2]):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=generator)
        nn.init.zeros_(layer.bias)
    groups = [{"params": network.parameters()}, {"params": loss.parameters(), "lr": 10 * lr}]
    optimizer, margin = torch.optim.SGD(groups, lr=lr), MarginLoss(1.0)
    for epoch in range(margin_epochs + epochs):
        criterion = margin if epoch < margin_epochs else loss
        for rows in torch.randperm(len(X), generator=generator).split(50):
            optimizer.zero_grad()
            criterion(network(X[rows]), y[rows]).backward()
            optimizer.step()
    return network


def test_a_network_learns_to_reject():
    """On average close to Chow's rule with the true posteriors, which nothing can beat."""
    (X, y, _), (X_test, y_test, p) = rings(1000, 0), rings(20000, 1)
    for price in (0.1, 0.3):
        best = np.minimum(np.minimum(p, 1 - p), price).mean()
        risks = []
        for seed in range(2):
            loss = RejectLoss(Costs(reject=price), temperature=0.3)
            network = trained(X, y, loss, seed, 12, 12)
            with torch.no_grad():
                scores = network(X_test)
            risks.append(loss.risk(scores, y_test))
            assert 0.1 < loss.decide(scores)[1].float().mean() < 0.8
        assert best - 0.004 < np.mean(risks) < best + 0.01
        assert np.mean(risks) < ((scores[:, 0] > 0) != y_test).float().mean() - 0.01


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"costs": 0.2}, "costs=0.2, but it must be a Costs object"),
        ({"costs": Costs(reject=0)}, "no answer can be better than a rejection; let rejections cost"),
        ({"costs": Costs(wrong={"a": 1, "b": 2})}, "names classes; pass classes="),
        ({"costs": Costs(wrong={"a": 1, "b": 2}), "classes": ["a", "c"]}, "costs name the class 'b'"),
        ({"costs": Costs(wrong={"a": 1, "b": 2}), "classes": "abc"}, "not the class 'c'; add it"),
        ({"n_classes": 1}, "n_classes=1, but it must be an integer >= 2"),
        ({"n_classes": 2.0}, "n_classes=2.0, but it must be an integer >= 2"),
        ({"classes": ["a"]}, "two or more, all different; name each once"),
        ({"classes": ["a", "a"]}, "two or more, all different; name each once"),
        ({"classes": "abc", "n_classes": 4}, "n_classes=4, but classes=.* are 3; leave n_classes out"),
        ({"temperature": 0}, "temperature=0, but it must be a number > 1e-30; use 1"),
        ({"temperature": math.nan}, "temperature=nan, but"),
        ({"band": 0.0}, r"band=0.0, but it must be a number in \(0, "),
        ({"band": 1e30}, "band=1e"),
        ({"reduction": "max"}, "reduction='max', but it must be one of 'mean', 'sum', 'none'"),
    ],
)
def test_parameters_that_raise(how, words):
    with pytest.raises(ValueError, match=words):
        RejectLoss(**{"costs": Costs(), **how})


@pytest.mark.parametrize(
    ("scores", "target", "words"),
    [
        (torch.zeros(4, 2), [0, 1, 2, 0], "n_neurons=2, but n_classes=3; let the network"),
        (torch.zeros(4), [0, 1, 1, 0], "n_neurons=1, but n_classes=3"),
        (torch.zeros(4, 4), [0, 1, 1, 0], "n_neurons=4, but n_classes=3"),
        (torch.zeros(4, 3), [0, 1, 3, 0], "target holds 3, but class numbers go from 0 to 2"),
        (torch.zeros(4, 3), [0, 1, 1], "target is int64"),
        (torch.full((4, 3), math.nan), [0, 1, 1, 0], "of 4 of 4 rows are not finite"),
        (torch.zeros(0, 3), [], "nothing can be learned"),
    ],
)
def test_scores_and_labels_that_raise(scores, target, words):
    loss, target = RejectLoss(Costs(), 3), torch.tensor(target, dtype=torch.int64)
    if "neurons" in words:
        target = target.clamp(max=1)
    for judge in (loss, loss.risk):
        with pytest.raises(ValueError, match=words):
            judge(scores, target)
    if not words.startswith("target"):
        with pytest.raises(ValueError, match=words):
            loss.decide(scores)
    with pytest.raises(ValueError, match="scores are float32 of shape"):
        loss.decide(torch.tensor(1.0))
