"""`MarginMLPClassifier` with costs: it rejects rows by the costs it has learned, and only then."""

import numpy as np
import pytest
import torch

from perceptrons import Costs
from tests.neural.test_margin_mlp import CHEAP, REJECTING, beginning, moons, small, weights


@pytest.mark.parametrize("n_classes", [2, 3])
def test_with_costs_it_decides_as_its_loss_does(n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(300) % n_classes
    X = rng.normal(size=(300, 2)) + 1.5 * np.array([[0, 0], [1, 1], [2, 0]])[y]
    prices = {"wrong": dict(zip(range(3), (1, 2, 1.5), strict=True)), "reject": 0.2, "gain": 0.1}
    prices["wrong"] = {k: prices["wrong"][k] for k in range(n_classes)}
    model = small(costs=Costs(**prices), max_epochs=30).fit(X, y)
    scores = model.network_(torch.tensor(X)).detach()
    codes, rejected = model.loss_.decide(scores)
    assert (model.rejects(X) == rejected.numpy()).all()
    assert 30 < rejected.sum() < 200
    answered = ~rejected.numpy()
    assert (model.predict_liberal(X)[answered] == codes.numpy()[answered]).all()
    assert (model.predict(X) == np.where(answered, model.predict_liberal(X), model.reject_label_)).all()
    assert model.reject_label_ == -1
    decision = model.decision_function(X)
    chosen = decision > 0 if n_classes == 2 else decision.argmax(1)
    assert (model.predict_liberal(X) == chosen).all()
    target = torch.tensor(y)
    assert (
        model.risk(X, y) == model.training_risk_ == pytest.approx(model.loss_.risk(scores, target), abs=1e-12)
    )
    np.testing.assert_array_equal(model.bands_, model.loss_.bands.numpy())
    assert (model.bands_ > 0).all()
    assert np.ptp(model.bands_) > 0
    assert (model.loss_.temperature, model.n_iter_, model.converged_) == (0.3, 30, False)
    curve, errors = model.error_reject_curve(X, y), (model.predict_liberal(X) != y) & answered
    own = np.flatnonzero(np.isclose(curve.rejected, rejected.numpy().mean()))  # it lies on the curve
    assert len(own) == 1
    assert curve.errors[own[0]] == errors.mean() > 0


def test_costs_take_the_second_half_of_the_epochs():
    """Margins as without costs, then `RejectLoss`, whose bands learn ten times as fast."""
    X, y = moons()
    margins = small(max_epochs=3, batch_size=9).fit(X, y)
    model = small(max_epochs=7, batch_size=9, costs=CHEAP).fit(X, y)
    assert model.loss_curve_[:3] == margins.loss_curve_
    loss = type(model.loss_)(CHEAP, 2, temperature=0.3).double()
    parts = [{"params": margins.network_.parameters()}, {"params": loss.parameters(), "lr": 2.0}]
    descent = torch.optim.SGD(parts, lr=0.2)
    _, orders = beginning(0, [(10, 2), (1, 10)], 60, 7)
    for order in orders[3:]:
        for rows in np.split(order, range(9, 60, 9)):
            descent.zero_grad()
            loss(margins.network_(torch.tensor(X[rows])), torch.tensor(y[rows])).backward()
            descent.step()
    for ours, theirs in zip(weights(model), weights(margins), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.bands_, loss.bands.numpy(), rtol=1e-8)
    assert model.bands_.dtype == np.float64
    assert np.abs(model.bands_ - 1.0).min() > 0.01


def test_errors_are_gathered_in_the_first_half_of_the_epochs():
    X, y = moons()
    margins, model = (
        small(max_epochs=3, n_errors=5).fit(X, y),
        small(max_epochs=6, n_errors=5, costs=CHEAP).fit(X, y),
    )
    assert model.loss_curve_[:3] == margins.loss_curve_ != small(max_epochs=3).fit(X, y).loss_curve_
    assert model.n_iter_ == 6


def test_without_costs_a_row_is_answered_even_if_no_neuron_claims_it():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 2)) + np.array([[0, 0], [1, 1], [2, 0]])[y]
    model = small().fit(X, y)
    unclaimed = model.decision_function(X).max(axis=1) < 0
    assert unclaimed.sum() > 20
    assert (model.predict(X) == y)[unclaimed].any()
    assert model.score(X, y) == (model.predict(X) == y).mean()


def test_rejections_pay_and_converged_says_that_none_is_needed():
    X, y = moons(300, noise=0.5)
    names = np.array(["no", "yes"])[y]
    model = small(costs=Costs(reject=0.15), max_epochs=60).fit(X, names)
    always = small(max_epochs=60).fit(X, names)
    assert model.training_risk_ < min(0.15, 1.0 - always.score(X, names))
    assert set(model.predict(X)) == {"no", "reject", "yes"}
    assert 0.0 <= model.confidence(X, names) <= 1.0
    assert set(small(costs=Costs(reject=0.15), reject_label=None).fit(X, names).predict(X)) == {"no", "yes"}
    clear, codes = X + 20.0 * y[:, None], y
    easy = small(costs=Costs(gain=1.0, reject=0.15), max_epochs=60).fit(clear, codes)
    assert (easy.converged_, easy.training_risk_, easy.rejects(clear).any()) == (True, -1.0, False)


def test_without_costs_nothing_speaks_of_rejections():
    X, y = moons()
    model = small(costs=CHEAP, max_epochs=20).fit(X, y)
    assert all(hasattr(model, name) for name in (*REJECTING, "bands_", "training_risk_"))
    assert not any(hasattr(model, name) for name in ("n_updates_", "margin_"))
    model.set_params(costs=None).fit(X, y)
    assert not any(hasattr(model, name) for name in (*REJECTING, "bands_", "training_risk_"))
    assert all(hasattr(model, name) for name in ("n_updates_", "margin_"))
    assert model.reject_label_ is None
    with pytest.raises(AttributeError) as caught:
        model.rejects(X)
    assert "use costs=Costs(...)" in str(caught.value.__cause__)


def test_costs_that_were_not_learned_reject_nothing():
    X, y = moons()
    model = small().fit(X, y).set_params(costs=CHEAP)
    assert not any(hasattr(model, name) for name in REJECTING)
    assert all(hasattr(model.fit(X, y), name) for name in REJECTING)
    assert hasattr(model.set_params(costs=None), "rejects")  # its predictions still reject rows
