"""The everyday training of `MarginMLPClassifier`: against its slow twin, invariances, and when it ends."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from perceptrons import Costs
from perceptrons.neural import Adaptive, Growing, MarginMLPClassifier
from perceptrons.neural.squares import _by_tensors, fill_squares, squared_shortfall
from perceptrons.neural.unwaited import LossTally
from tests.naive import margin_mlp as naive_rows
from tests.naive import margin_mlp_adam as naive
from tests.neural.test_margin_mlp import moons, quickly, weights


def everyday(**how):
    return MarginMLPClassifier(**{"hidden_size": 6, "max_epochs": 12, "random_state": 0, **how})


def beginning(shapes, n_rows, n_epochs, size):
    """Glorot's weights, output neurons of 0, and the orders, drawn as a fit draws them."""
    drawn = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    generator, ((n_hidden, n_in), (n_out, _)) = torch.Generator().manual_seed(int(drawn)), shapes
    bound = (6 / (n_hidden + n_in)) ** 0.5
    V = torch.empty(n_hidden, n_in, dtype=torch.float64).uniform_(-bound, bound, generator=generator)
    net = [V.numpy(), np.zeros(n_hidden), np.zeros((n_out, n_hidden)), np.zeros(n_out)]
    if size >= n_rows:
        return net, [np.arange(n_rows)] * n_epochs
    return net, [torch.randperm(n_rows, generator=generator).numpy() for _ in range(n_epochs)]


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize(("size", "beta", "alpha"), [(8, 1.0, 0.01), (500, 2.5, 0.5), (50, 0.5, 0.0)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_network_is_that_of_the_slow_twin(size, beta, alpha, n_classes, weighed):
    X, y = load_iris(return_X_y=True)
    first = 3 - n_classes
    X, y = X[50 * first :: 3], y[50 * first :: 3] - first
    w = np.random.default_rng(0).integers(1, 9, len(y)) / 8 if weighed else None
    n_outputs = 1 if n_classes == 2 else 3
    model = everyday(schedule=beta, alpha=alpha, batch_size=size, eta=0.05).fit(X, y, sample_weight=w)
    net, orders = beginning([(6, 4), (n_outputs, 6)], len(y), 12, size)
    signs = 2.0 * (y[:, None] == (np.arange(3) if n_outputs == 3 else 1)) - 1.0
    Z = naive_rows.standardized(X, np.ones(len(y)) if w is None else w)
    n_updates, curve = naive.train(Z, signs, net, orders, beta, 0.05, alpha, size, w)
    assert (model.n_updates_, model.n_iter_, model.margin_) == (n_updates, len(curve), beta)
    assert (model.optimizer_, n_updates > 15) == ("adam", True)
    np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-6, atol=1e-9)
    for ours, theirs in zip(weights(model), net, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("n_neurons", [1, 3])
def test_squares_of_integers_are_exact(n_neurons):
    """Compiled, by tensors, and by the text."""
    rng = np.random.default_rng(0)
    scores, target = (
        rng.integers(-4, 5, (64, n_neurons)).astype(float),
        rng.integers(0, max(2, n_neurons), 64),
    )
    w, own = rng.integers(1, 4, 64).astype(float), np.arange(n_neurons) if n_neurons > 1 else 1
    y = 2.0 * (target[:, None] == own) - 1.0
    short = np.maximum(2.0 - y * scores, 0.0)
    expected = (w[:, None] * short**2).sum() / 4, -y * short * w[:, None] / 128
    n_violated = ((2.0 - y * scores) >= 0).any(1).sum()
    rows = [*map(torch.tensor, (scores, target, w))]
    for fill in (squared_shortfall, _by_tensors):
        tally = LossTally(torch.tensor(3), torch.tensor(0))
        total, slopes = fill(*rows, 2.0, tally)
        assert (float(total), int(tally.n_violated)) == (expected[0], 3 + n_violated)
        assert (slopes.numpy() == expected[1]).all()
    if torch.cuda.is_available():
        tally = LossTally(torch.tensor(3).cuda(), torch.tensor(0).cuda())
        total, slopes = squared_shortfall(*(part.cuda() for part in rows), 2.0, tally)
        assert (float(total), int(tally.n_violated)) == (expected[0], 3 + n_violated)
        assert (slopes.cpu().numpy() == expected[1]).all()
    scores[3, 0] = np.nan
    assert np.isnan(fill_squares(scores, target, w, 2.0, np.empty_like(scores))[0])


@quickly
@settings(deadline=None, derandomize=True, max_examples=10)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["float32", "float64"]))
def test_dense_and_csr_rows_give_the_same_model(seed, standardize, dtype):
    rng = np.random.default_rng(seed)
    X = (rng.integers(-3, 4, (40, 6)) * (rng.random((40, 6)) < 0.5)).astype(dtype)
    y = np.where(X[:, 0] > 0, 1, np.arange(40) % 2)
    how = {"standardize": standardize, "batch_size": 7, "max_epochs": 20}
    one, other = everyday(**how).fit(X, y), everyday(**how).fit(sp.csr_array(X), y)
    assert all((a == b).all() for a, b in zip(weights(one), weights(other), strict=True))
    assert one.decision_function(X).dtype == np.dtype(dtype)


def test_where_a_batch_is_all_rows_a_weight_is_so_many_rows():
    X, y = moons(noise=0.3)
    w = np.random.default_rng(0).integers(1, 4, len(y))
    model, repeated = (
        everyday().fit(X, y, sample_weight=w),
        everyday().fit(np.repeat(X, w, 0), np.repeat(y, w)),
    )
    np.testing.assert_allclose(model.loss_curve_, repeated.loss_curve_, rtol=1e-8)
    assert model.loss_curve_ != everyday().fit(X, y).loss_curve_


def test_the_default_ends_by_itself_and_is_silent():
    X, y = load_breast_cancer(return_X_y=True)
    model = MarginMLPClassifier(random_state=0).fit(X, y)
    assert 20 < model.n_iter_ < 200
    assert model.score(X, y) > 0.98
    late = model.loss_curve_[-10:]
    assert min(late) > min(model.loss_curve_[:-10]) - 10e-4


def test_the_papers_recipe_is_chosen_where_adam_cannot_learn():
    X, y = moons()
    for how in ({"schedule": 0.0}, {"schedule": Growing(0.5)}, {"n_errors": 5}, {"costs": Costs(reject=0.2)}):
        assert everyday(**how).fit(X, y).optimizer_ == "sgd"
        with pytest.raises(ValueError, match=r"optimizer='adam', but .* use optimizer='auto'"):
            everyday(optimizer="adam", **how).fit(X, y)
    with pytest.raises(ValueError, match="optimizer='adam', but"):
        everyday(optimizer="adam", schedule=Adaptive()).fit(X, y)
    with pytest.raises(ValueError, match="alpha=-1, but it must be"):
        everyday(alpha=-1).fit(X, y)
    with pytest.raises(ValueError, match="optimizer='lbfgs'"):
        everyday(optimizer="lbfgs").fit(X, y)


def test_a_training_that_diverges_says_so():
    with pytest.raises(ValueError, match=r"diverged .*eta=1e\+200"):
        everyday(eta=1e200).fit(*moons())


@pytest.mark.gpu
def test_a_gpu_trains_the_same_network():
    X, y = load_breast_cancer(return_X_y=True)
    for rows in (X, sp.csr_array(X)):
        here, there = (
            everyday(batch_size=50).fit(rows, y),
            everyday(batch_size=50, device="cuda").fit(rows, y),
        )
        np.testing.assert_allclose(here.loss_curve_, there.loss_curve_, rtol=1e-5)
