"""Starts other than zero weights: what the convergence proof and the duals still say (Honavar, Section 3)."""

import numpy as np
import pytest

from perceptrons import NAMED, Perceptron, load, save, verify
from perceptrons.synthetic import separable
from perceptrons.theory import bounds
from tests.naive.best_margin import best_margin
from tests.sizes import cases

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def classic(**settings):
    return Perceptron(**{**NAMED["rosenblatt"], "max_epochs": 10_000, **settings})


def lifted(model, X):
    return np.column_stack([X, np.full(len(X), model.lift_)]) if model.lift_ else X


@pytest.mark.thorough
def test_updates_from_any_start_obey_the_bound():
    """And so do they with every teacher of the rows; the certificate's is the bound for its own weights."""
    rng, away, used = np.random.default_rng(7), 0, 0
    for case in range(cases(60, share=4)):
        X, y, w_star = separable(25, 4, margin=float(rng.uniform(0.05, 0.3)), random_state=case)
        size, beta = float(rng.choice([0.1, 1.0, 10.0])), float(rng.choice([0.0, 0.5]))
        eta, intercept = float(rng.choice([1.0, 2.0])), bool(case % 2)
        start = size * rng.normal(size=(1, 4))
        model = classic(margin=beta, eta=eta, fit_intercept=intercept).fit(X, y, coef_init=start)
        Z = lifted(model, X)
        w = np.append(model.coef_[0], model.intercept_[0] / model.lift_) if intercept else model.coef_[0]
        W0 = np.append(start[0], 0.0) if intercept else start[0]
        R, teachers = np.linalg.norm(Z, axis=1).max(), [w / np.linalg.norm(w)]
        if not intercept:
            teachers.append(np.asarray(w_star) / np.linalg.norm(w_star))
        for teacher in teachers:
            eps = (y * (Z @ teacher)).min()
            most = bounds.beta_updates_from(
                beta / eta, R, eps, np.linalg.norm(W0) / eta, float(teacher @ W0) / eta
            )
            assert model.converged_
            assert model.n_updates_ <= most * (1 + 1e-9)
        certificate = model.certificate_
        if model.n_updates_:
            used += 1
            assert model.n_updates_ <= certificate.update_bound <= most * (1 + 1e-6) or not intercept
            best = best_margin(Z.tolist(), y.tolist())
            sums = np.linalg.norm(w - W0) / np.abs(model.dual_coef_).sum()
            assert certificate.margin_bound == pytest.approx(sums, rel=1e-6)
            assert best <= certificate.margin_bound * (1 + 1e-9)
            verify(certificate, model, X, y)
        away += size == 10.0
    assert used > 2
    assert away > 0


def test_the_average_has_the_same_start():
    X, y, _ = separable(25, 4, margin=0.1, random_state=1)
    model = classic(result="average").fit(X, y, coef_init=[[1.0, -2.0, 0.5, 3.0]], intercept_init=[0.3])
    w = np.append(model.coef_[0] - [1.0, -2.0, 0.5, 3.0], (model.intercept_[0] - 0.3) / model.lift_)
    expected = np.linalg.norm(w) / np.abs(model.dual_coef_).sum()
    assert model.certificate_.margin_bound == pytest.approx(expected, rel=1e-9)


def test_files_keep_the_start_and_those_without_it_claim_nothing(tmp_path):
    X, y, _ = separable(25, 4, margin=0.1, random_state=1)
    model = classic().fit(X, y, coef_init=[[1.0, -2.0, 0.5, 3.0]])
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    verify(again.certificate_, again, X, y)
    again._memories = [memory._replace(start=np.zeros(0)) for memory in again._memories]
    with pytest.raises(ValueError, match="margin_bound"):
        verify(model.certificate_, again, X, y)


def test_a_start_that_is_right_needs_no_update_and_proves_nothing():
    X, y, teacher = separable(25, 4, margin=0.2, random_state=1)
    model = classic(fit_intercept=False).fit(X, y, coef_init=[teacher])
    assert model.n_updates_ == 0
    assert model.certificate_.margin_bound is None
    assert model.certificate_.margin == pytest.approx(0.2)


def test_the_bound_itself():
    """It solves (c + t eps)^2 = ||W0||^2 + t (R^2 + 2 beta), and needs no update where c is all of ||W0||."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        beta, R, eps, norm = rng.uniform(0, 2), 1.0, rng.uniform(0.01, 1), rng.uniform(0, 50)
        c = norm * rng.uniform(-1, 1)
        t = bounds.beta_updates_from(beta, R, eps, norm, c)
        assert (c + t * eps) ** 2 == pytest.approx(norm**2 + t * (R**2 + 2 * beta), rel=1e-6)
        assert c + t * eps >= -1e-9
    assert bounds.beta_updates_from(1, 1, 0.25, 0, 0) == bounds.beta_updates(1, 1, 0.25)
    assert bounds.beta_updates_from(0, 1, 0.5, 9, 9) == 0.0
    with pytest.raises(ValueError, match="along = 2, but it must be at most start"):
        bounds.beta_updates_from(0, 1, 0.5, 1, 2)


def test_rates_that_vary_overstep_nothing():
    """(Σ η)² ≤ (‖W*‖L/δ)² Σ η² for every run from zero; rates that die out prove nothing."""
    ways = [lambda t: 0.5 ** min(t, 60), lambda t: 1.0 + (t % 3), lambda t: 1 / t, lambda t: float(t)]
    found = []
    for seed, way in enumerate(ways * 5):
        X, y, _ = separable(20, 3, margin=0.1, random_state=seed)
        model = classic(eta=way, fit_intercept=False, max_epochs=200).fit(X, y)
        steps = [way(t) for t in range(1, model.n_updates_ + 1)]
        found.append(bounds.varying_updates(1.0, 0.1, steps))
    assert max(found) <= 1 + 1e-9
    assert max(found) > 0.1
    assert bounds.varying_updates(1, 0.01, [0.5**t for t in range(60)]) < 1  # for ever
