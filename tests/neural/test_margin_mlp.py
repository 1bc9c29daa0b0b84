"""`MarginMLPClassifier`: against its slow twin, layouts, precision, tables, and odd input."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from perceptrons import Costs
from perceptrons.neural import Adaptive, Growing, MarginMLPClassifier, network
from tests.naive import margin_mlp as naive

REJECTING = ("rejects", "predict_liberal", "risk", "confidence", "error_reject_curve")
CHEAP = Costs(reject=0.2)
quickly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def moons(n_rows=60, noise=0.1):
    return make_moons(n_rows, noise=noise, random_state=0)


def small(**how):
    """By gradient descent, as in the paper; for Adam see `test_adam`."""
    usual = {"optimizer": "sgd", "hidden_size": 10, "max_epochs": 10, "eta": 0.2, "random_state": 0}
    return MarginMLPClassifier(**{**usual, **how})


def weights(model):
    return [part.detach().numpy() for part in model.network_.parameters()]


def beginning(seed, shapes, n_rows, n_epochs):
    """He's weights and the orders, drawn as a fit draws them."""
    drawn = np.random.RandomState(seed).randint(np.iinfo(np.int32).max)
    generator, net = torch.Generator().manual_seed(int(drawn)), []
    for n_out, n_in in shapes:
        layer = torch.empty(n_out, n_in, dtype=torch.float64)
        net += [layer.normal_(0, (2 / n_in) ** 0.5, generator=generator).numpy(), np.zeros(n_out)]
    return net, [torch.randperm(n_rows, generator=generator).numpy() for _ in range(n_epochs)]


@pytest.mark.parametrize("schedule", [0.0, 1.0, Growing(0.5, 0.3)], ids=["0", "1", "growing"])
@pytest.mark.parametrize("n_errors", [None, 1, 4])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_network_is_that_of_the_slow_twin(schedule, n_errors, n_classes):
    """Steps are sums of powers of 2: where no hidden neuron is active a score is a bias, and may be 0."""
    X, y = load_iris(return_X_y=True)
    first = 3 - n_classes
    X, y = X[50 * first :: 3], y[50 * first :: 3] - first
    n_outputs = 1 if n_classes == 2 else 3
    model = small(hidden_size=5, schedule=schedule, n_errors=n_errors, batch_size=8, eta=0.25).fit(X, y)
    net, orders = beginning(0, [(5, 4), (n_outputs, 5)], len(y), 10)
    signs = 2.0 * (y[:, None] == (np.arange(3) if n_outputs == 3 else 1)) - 1.0
    beta_of = (lambda t: 0.3 * t**0.5) if isinstance(schedule, Growing) else (lambda t: schedule)
    Z = (X - X.mean(0)) / X.std(0)
    n_updates, curve = naive.train(Z, signs, net, orders, beta_of, 0.25, 8, n_errors)
    assert (model.n_updates_, model.n_iter_, model.margin_) == (n_updates, len(curve), beta_of(n_updates))
    assert n_updates > 15
    np.testing.assert_allclose(model.loss_curve_, curve, rtol=1e-8, atol=1e-12)
    for ours, theirs in zip(weights(model), net, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9)
    scores = np.array([naive.scores_of(row, net)[0] for row in Z])
    np.testing.assert_allclose(model.decision_function(X), scores.squeeze(), rtol=1e-7, atol=1e-9)
    assert (model.predict(X) == (scores.argmax(1) if n_outputs == 3 else scores[:, 0] > 0)).all()


@quickly
@settings(deadline=None, derandomize=True, max_examples=15)
@given(
    st.integers(0, 10**6), st.booleans(), st.sampled_from([None, 3]), st.sampled_from(["float32", "float64"])
)
def test_dense_and_csr_rows_give_the_same_model_in_their_precision(seed, standardize, n_errors, dtype):
    rng = np.random.default_rng(seed)
    X = (rng.integers(-3, 4, (40, 6)) * (rng.random((40, 6)) < 0.5)).astype(dtype)
    y = np.arange(40) % int(rng.integers(2, 4))
    how = {"standardize": standardize, "n_errors": n_errors, "batch_size": 7, "max_epochs": 3}
    one, other = small(**how).fit(X, y), small(**how).fit(sp.csr_array(X), y)
    assert all((a == b).all() for a, b in zip(weights(one), weights(other), strict=True))
    assert one.n_updates_ == other.n_updates_ > 40
    scores = one.decision_function(X)
    assert (scores == other.decision_function(sp.csr_array(X))).all()
    assert {scores.dtype, *(part.dtype for part in weights(one))} == {np.dtype(dtype)}


@quickly
def test_layouts_and_types_of_rows_make_no_difference():
    X, y = np.random.default_rng(0).integers(-5, 6, (50, 4)), np.arange(50) % 2
    plain = small().fit(X.astype(float), y)
    frozen = X.astype(float)
    frozen.flags.writeable = False
    for rows in (
        X,
        X.astype(np.int8),
        np.asfortranarray(X.astype(float)),
        frozen,
        sp.coo_array(X),
        X.tolist(),
    ):
        model = small().fit(rows, y)
        assert all((a == b).all() for a, b in zip(weights(plain), weights(model), strict=True))
        assert (model.decision_function(rows) == plain.decision_function(X)).all()
    single = small().fit(X.astype(np.float32), y)
    assert single.decision_function(X).dtype == np.float32  # whatever the rows are now
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="too large for dtype"):
        single.predict(X * 1e200)


def test_a_seed_repeats_the_fit_and_no_global_generator_is_touched():
    X, y = moons()
    here, there = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    one, same, other = (small(random_state=seed).fit(X, y) for seed in (3, 3, 4))
    assert (torch.random.get_rng_state() == here).all()
    assert (np.random.get_state()[1] == there).all()  # noqa: NPY002
    assert (one.decision_function(X) == same.decision_function(X)).all()
    assert one.loss_curve_ == same.loss_curve_ != other.loss_curve_
    state = np.random.RandomState(0)
    assert small(random_state=state).fit(X, y).loss_curve_ != small(random_state=state).fit(X, y).loss_curve_


def test_the_first_part_of_the_network_standardizes():
    X, y = moons()
    X = np.column_stack([X, np.full(len(X), 0.1)])
    model = small().fit(X, y)
    Z = (X[:, :2] - X[:, :2].mean(0)) / X[:, :2].std(0)
    np.testing.assert_allclose(model.network_[0](torch.tensor(X))[:, :2], Z, rtol=1e-9, atol=1e-12)
    with torch.no_grad():
        assert (model.network_(torch.tensor(X))[:, 0].numpy() == model.decision_function(X)).all()
    moved = X + np.array([0.0, 0.0, 5.0])  # a column that was constant says nothing
    assert (model.decision_function(moved) == model.decision_function(X)).all()
    other = small().fit(X * [1000.0, 0.25, 1.0] + [0.0, 7.0, 0.0], y)
    np.testing.assert_allclose(other.loss_curve_, model.loss_curve_, rtol=1e-9)
    raw = small(standardize=False).fit(X, y)
    assert [name for name, _ in raw.network_.named_children()] == ["hidden", "relu", "output"]
    assert not np.allclose(raw.loss_curve_, model.loss_curve_)


def test_it_ends_where_no_row_is_in_violation():
    X, y = moons()
    model = small(max_epochs=500).fit(X, y)
    assert model.converged_
    assert 1 < model.n_iter_ == len(model.loss_curve_) < 500
    assert model.loss_curve_[-1] == 0.0 < model.loss_curve_[-2]
    assert (np.abs(model.decision_function(X)) > 1.0).all()
    assert model.score(X, y) == 1.0
    growing = small(max_epochs=40, schedule=Growing(0.5)).fit(X, y)
    assert (growing.converged_, growing.n_iter_) == (False, 40)
    assert growing.margin_ == pytest.approx(growing.n_updates_**0.5)
    adaptive = small(max_epochs=2000, schedule=Adaptive(0.2 / 50)).fit(X, y)
    assert (np.abs(adaptive.decision_function(X)) > adaptive.margin_).all()
    assert adaptive.converged_
    assert adaptive.margin_ > 0.0


def test_the_network_is_left_ready_for_use():
    X, y = moons()
    for model in (small().fit(X, y), small(costs=CHEAP).fit(X, y)):
        assert not any(part.training for part in [*model.network_.modules(), *model.loss_.modules()])
        assert all(part.device.type == "cpu" for part in model.network_.parameters())


def test_predictions_look_at_few_rows_at_a_time(monkeypatch):
    X, y = moons()
    model = small().fit(X, y)
    whole, seen = model.decision_function(X), []
    model.network_.register_forward_pre_hook(lambda _, inputs: seen.append(len(inputs[0])))
    monkeypatch.setattr(network, "CELLS", 70)
    np.testing.assert_allclose(model.decision_function(X), whole, rtol=1e-12, atol=1e-12)
    assert seen == [7] * 8 + [4]
    by_parts = small().fit(X, y)
    np.testing.assert_allclose(by_parts.loss_curve_, model.loss_curve_, rtol=1e-9)


def test_a_line_per_epoch_or_none(capsys):
    X, y = moons()
    small(max_epochs=2).fit(X, y)
    assert capsys.readouterr() == ("", "")
    model = small(max_epochs=2, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["epoch 1", "epoch 2"]
    assert f"loss {model.loss_curve_[1]:.6g} violations " in lines[1]
    small(max_epochs=3, verbose=1, costs=CHEAP).fit(X, y)
    assert ["margin" in line for line in capsys.readouterr().out.splitlines()] == [True, False, False]


def test_it_warns_where_nothing_is_learned():
    X, y = moons()
    with pytest.warns(ConvergenceWarning, match=r"After 10 epochs .* max_epochs=10, or change eta=0.2"):
        small().fit(np.ones_like(X), y)
    with pytest.warns(ConvergenceWarning, match="no better"):
        small(costs=Costs(reject=0.01)).fit(np.ones_like(X), y)
    assert not small(max_epochs=3).fit(X, y).converged_  # it has learned something, and is silent
    for n_first in (1, 7, 10, 20, 23, 29):  # whose shares are not exact
        with pytest.warns(ConvergenceWarning, match="no better"):
            small(max_epochs=1).fit(np.ones((60, 2)), np.arange(60) < n_first)


def test_precision_is_rounding_and_no_other_start():
    X, y = moons()
    one, other = small(max_epochs=3).fit(X, y), small(max_epochs=3).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(weights(one)[0], weights(other)[0], atol=1e-4)


def test_it_learns_where_gradients_are_off():
    X, y = moons()
    plain = small().fit(X, y)
    for idle in (torch.no_grad, torch.inference_mode):
        with idle():
            assert small().fit(X, y).loss_curve_ == plain.loss_curve_


def test_a_training_that_diverges_says_so_and_changes_nothing():
    X, y = moons()
    model = small().fit(X, y)
    before = dict(vars(model))
    with pytest.raises(
        ValueError, match=r"diverged in epoch \d+ with eta=1e\+200: .* as 1e\+199, or standardize"
    ):
        model.set_params(eta=1e200, standardize=False).fit(np.column_stack([X, X]), y)
    with pytest.raises(ValueError, match=r"diverged with eta=1e\+200; use a smaller one, as 1e\+199"):
        model.set_params(batch_size=60, max_epochs=1).fit(np.column_stack([X, X]), y)
    assert {name: vars(model)[name] for name in before if name.endswith("_")} == {
        name: value for name, value in before.items() if name.endswith("_")
    }
    assert model.decision_function(X).shape == (60,)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"hidden_size": 0}, "hidden_size=0, but it must be an integer >= 1"),
        ({"hidden_size": 2.5}, r"hidden_size=2\.5"),
        ({"schedule": -1}, "schedule=-1, but"),
        ({"max_epochs": 0}, "max_epochs=0"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"n_errors": 0}, "n_errors=0"),
        ({"eta": 0.0}, r"eta=0\.0"),
        ({"eta": np.inf}, "eta=inf"),
        ({"standardize": "yes"}, "standardize='yes', but it must be True or False"),
        ({"verbose": -1}, "verbose=-1, but it must be 0, or 1"),
        ({"verbose": None}, "verbose=None"),
        ({"device": "nowhere"}, "device='nowhere' cannot be used here .* use 'cpu', or 'auto'"),
        ({"device": "meta"}, "device='meta' cannot be used here"),
        ({"device": None}, "device=None cannot be used here"),
        ({"costs": 0.2}, r"costs=0\.2, but it must be a Costs object"),
        ({"costs": CHEAP, "schedule": 2.0}, r"schedule=2\.0, but costs need .* leave schedule at 1\.0"),
        ({"costs": Costs(reject=0.0)}, "rejections cost nothing"),
        ({"costs": Costs(wrong={0: 1, 5: 2})}, "costs name the class 5"),
        ({"costs": CHEAP, "reject_label": 1}, "reject_label=1, but that is one of the classes"),
    ],
)
def test_parameters_that_make_no_sense(how, message):
    X, y = moons(20)
    model = small(**how)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert vars(model) == before


def test_rows_and_labels_that_make_no_sense():
    X, y = moons(20)
    for rows, labels, message in [
        (X, np.zeros(20), "one class only"),
        (np.where(X > 1, np.nan, X), y, "NaN"),
        (X * 1e-141, y, "column 0 .* can be standardi[sz]ed"),
        (np.column_stack([X, X[:, 0] * 1e-40]).astype(np.float32), y, "deviation of column 2 .* in float32"),
    ]:
        with pytest.raises(ValueError, match=message):
            small().fit(rows, labels)
    with pytest.raises(NotFittedError):
        small().predict(X)


def test_devices():
    X, y = moons(20)
    plain = small().fit(X, y)
    for device in ("auto", torch.device("cpu"), "cpu:0"):
        if device != "auto" or not torch.cuda.is_available():
            assert small(device=device).fit(X, y).loss_curve_ == plain.loss_curve_
    if not torch.cuda.is_available():
        with pytest.raises(ValueError, match="device='cuda' cannot be used here"):
            small(device="cuda").fit(X, y)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "how", [{}, {"n_errors": 5}, {"costs": CHEAP}, {"schedule": Adaptive(0.004)}], ids=str
)
def test_a_gpu_trains_the_same_network(how):
    X, y = load_breast_cancer(return_X_y=True)
    for rows in (X, sp.csr_array(X)):
        here, there = small(**how).fit(rows, y), small(device="cuda", **how).fit(rows, y)
        np.testing.assert_allclose(here.loss_curve_, there.loss_curve_, rtol=1e-6)
        np.testing.assert_allclose(
            here.decision_function(X), there.decision_function(X), rtol=1e-5, atol=1e-6
        )


@pytest.mark.gpu
def test_a_gpu_replays_steps_of_all_sizes_and_says_when_it_diverged():
    X, y = moons(95)  # a last batch of 5
    for schedule in (1.0, Growing(0.5, 0.1)):
        how = {"schedule": schedule, "batch_size": 10, "max_epochs": 4}
        here, there = small(**how).fit(X, y), small(device="cuda", **how).fit(X, y)
        assert here.n_updates_ == there.n_updates_ > 95
        np.testing.assert_allclose(here.loss_curve_, there.loss_curve_, rtol=1e-6)
    with pytest.raises(ValueError, match=r"Training diverged in epoch . with eta=1e\+200"):
        small(device="cuda", eta=1e200, batch_size=10).fit(X, y)
    assert torch.ones(3, device="cuda").sum().item() == 3.0


@pytest.mark.parametrize(
    "how", [{}, {"costs": CHEAP}, {"schedule": Growing(0.5)}], ids=["plain", "costs", "growing"]
)
def test_copies(how):
    X, y = moons()
    model = small(**how).fit(X, y)
    read = pickle.loads(pickle.dumps(model))
    assert (read.predict(X) == model.predict(X)).all()
    assert read.loss_curve_ == clone(model).fit(X, y).loss_curve_ == model.loss_curve_
    assert not hasattr(clone(model), "network_")


@quickly
def test_frames_pipelines_and_searches():
    frame, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = small(max_epochs=3).fit(frame, y)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.n_features_in_ == 30
    assert model.score(frame, y) > 0.9
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])
    texts = pd.Series(np.where(y, "benign", "malignant"))
    search = GridSearchCV(small(max_epochs=3), {"schedule": [0.0, 1.0, Growing(0.5)]}, cv=3).fit(frame, texts)
    assert search.best_score_ > 0.9
    piped = make_pipeline(MinMaxScaler(), small(max_epochs=5)).fit(frame, texts)
    assert set(piped.predict(frame)) == {"benign", "malignant"}
