"""The papers' theorems, on sets with a known best margin: updates, margins, certificates."""

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.synthetic import separable, two_point
from perceptrons.theory import bounds
from tests.margin.classic import classic
from tests.naive.best_margin import best_margin
from tests.sizes import cases

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

# name: settings, bound on the updates (R, eps), guaranteed margin (R, eps)
POLICIES = {
    "rosenblatt": ({}, bounds.novikoff, lambda R, eps: 0.0),
    "absolute": ({"step": "absolute"}, bounds.novikoff, lambda R, eps: 0.0),
    "pam": (
        {"margin": 0.5},
        lambda R, eps: bounds.beta_updates(0.5, R, eps),
        lambda R, eps: bounds.beta_margin(0.5, R, eps),
    ),
    "pam, eta 2": (  # a run with step 2 and target 1 is one with step 1 and target 0.5
        {"margin": 1.0, "eta": 2.0},
        lambda R, eps: bounds.beta_updates(0.5, R, eps),
        lambda R, eps: bounds.beta_margin(0.5, R, eps),
    ),
    "paum": (
        {"margin": (0.25, 1.0)},
        lambda R, eps: bounds.beta_updates(1.0, R, eps),
        lambda R, eps: bounds.uneven_margin(0.25, 1.0, R, eps),
    ),
    "fractional": (
        {"step": "fractional", "eta": 0.7, "margin": 0.5},
        lambda R, eps: bounds.fractional_updates(0.7, R, eps, beta=0.5),
        lambda R, eps: 0.0,
    ),
    "adaptive": ({"margin": "adaptive"}, bounds.adaptive_updates, lambda R, eps: bounds.adaptive_margin(eps)),
    "growing": (
        {"margin": "growing", "alpha": 1.5},
        lambda R, eps: bounds.growing_updates(1.5, R, eps),
        lambda R, eps: bounds.growing_margin(1.5, R, eps),
    ),
    "infinity": (
        {"margin": "infinity", "alpha": 1.3},
        lambda R, eps: bounds.growing_updates(1.3, 1.0, eps),
        lambda R, eps: bounds.growing_margin(1.3, 1.0, eps),
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", POLICIES)
def test_updates_and_margins_obey_the_bounds(name, jit):
    settings, most_updates, least_margin = POLICIES[name]
    rng, ran, orders = np.random.default_rng(len(name)), 0, ["cyclic", "shuffle", "worst", "active"]
    low = 0.2 if not jit else 0.1 if name == "growing" else 0.05  # the growing bound is ε⁻⁴
    for case in range(cases(200, share=5)):
        n, eps = int(rng.integers(2, 12)), float(rng.uniform(low, 0.4))
        R = 1.0 if name == "infinity" else float(rng.choice([0.3, 1.0, 5.0]))
        X, y, _ = separable(int(rng.integers(5, 80)), n, margin=eps * R, radius=R, random_state=case)
        if len(set(y)) == 1:
            X[0], y[0] = -X[0], -y[0]
        model = classic(
            **settings, order=orders[case % 4], fit_intercept=False, max_epochs=100_000, random_state=case
        ).fit(X, y)
        certificate, best = model.certificate_, eps * R
        assert model.converged_
        assert 0 < model.n_updates_ <= most_updates(R, best) * (1 + 1e-9)
        assert certificate.margin >= least_margin(R, best) - 1e-12
        assert certificate.margin > 0
        assert certificate.separable is True
        assert certificate.margin <= best * (1 + 1e-9)
        assert best <= certificate.margin_bound * (1 + 1e-9)
        assert model.n_updates_ <= certificate.update_bound
        assert certificate.update_bound == pytest.approx(most_updates(R, certificate.margin))
        assert (model.predict(X) == y).all()
        verify(certificate, model, X, y)
        sparse = classic(**model.get_params()).fit(sp.csr_array(X), y)
        assert sparse.n_updates_ == model.n_updates_
        ran += 1
    assert ran == cases(200, share=5)


@pytest.mark.thorough
@pytest.mark.parametrize("result", ["last", "average", "pocket"])
def test_the_best_margin_lies_inside_every_interval(result):
    """Separable or not, with and without intercept; the best margin comes from another solver."""
    rng, ran, separated = np.random.default_rng(1), 0, 0
    for case in range(cases(200, share=5)):
        m, n, noise = int(rng.integers(6, 40)), int(rng.integers(2, 6)), float(rng.choice([0.0, 0.1]))
        radius = float(rng.choice([0.1, 1, 10]))
        X, y, _ = separable(m, n, margin=0.05, radius=radius, noise=noise, random_state=case)
        X = X + rng.choice([0.0, 0.5])
        if len(set(y)) == 1:
            y[0] *= -1
        steps = ["fixed", "absolute", "fractional", "passive-aggressive"]
        step = str(rng.choice(steps[:3] if case % 5 in (0, 3, 4) else steps))
        model = classic(
            step=step,
            margin=[0.0, 0.3, (0.1, 0.2), "adaptive", "growing"][case % 5],
            order=["cyclic", "shuffle", "worst", "active"][case % 4],
            fit_intercept=bool(case % 2),
            result=result,
            max_epochs=50,
            random_state=case,
        ).fit(X, y)
        best = best_margin(X, y, model.lift_**2)
        assert model.certificate_.margin <= best + 1e-9
        assert best <= model.certificate_.margin_bound * (1 + 1e-9) + 1e-9
        assert model.n_updates_ > 0
        ran, separated = ran + 1, separated + (best > 0)
    assert ran == cases(200, share=5)
    assert 0.2 * ran <= separated <= 0.98 * ran


@pytest.mark.thorough
@pytest.mark.parametrize("settings", [{"order": "worst"}, {"margin": "growing", "order": "cyclic"}])
def test_tol_certifies_a_margin_near_the_best(settings):
    for case in range(cases(20, share=2)):
        X, y, _ = separable(40, 4, margin=0.2, random_state=case)
        model = classic(**settings, tol=0.2, fit_intercept=False, max_epochs=20_000, random_state=0).fit(X, y)
        certificate = model.certificate_
        assert model.converged_
        assert certificate.margin >= 0.8 * certificate.margin_bound
        assert certificate.margin >= 0.8 * 0.2
        assert model.history_["margin"][-1] == pytest.approx(certificate.margin)
        if settings == {"order": "worst"}:
            early = classic(**model.get_params()).set_params(max_epochs=2).fit(X, y)
            assert model.history_["margin"][2] == pytest.approx(early.certificate_.margin)
        assert certificate.generalization_bound() is None


def test_without_violations_and_with_an_open_gap_it_says_so():
    X, y, _ = separable(40, 4, margin=0.2, random_state=0)
    with pytest.warns(match="not certified to be within tol=0.001"):
        model = classic(tol=0.001, random_state=0).fit(X, y)
    assert not model.converged_


def test_two_points_need_as_many_updates_as_the_bound_says():
    """The remark after Theorem 2.3: the bound (1/eps)^(2/(2-alpha)) is sharp up to a constant."""
    for eps in (0.2, 0.1, 0.05):
        X, y = two_point(eps)
        model = classic(
            margin="infinity", alpha=1.5, fit_intercept=False, order="cyclic", max_epochs=10**6
        ).fit(X, y)
        assert 0.05 * eps**-4 <= model.n_updates_ <= eps**-4


def test_inseparable_rows_are_certified_so():
    """Two contradictory rows: their corrections cancel exactly, and no margin is possible."""
    X, y = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 1.0]]), np.array([0, 1, 1])
    model = classic(order="cyclic", max_epochs=200, fit_intercept=False).fit(X[:2], y[:2])
    assert model.certificate_.margin_bound == 0.0
    assert model.certificate_.separable is False
    assert certify(model, X[:2], [1, 1]).separable is None  # other labels: the duals prove nothing
    model = classic(max_epochs=2000, random_state=0).fit(X, y)
    assert model.certificate_.separable is None
    assert model.certificate_.margin_bound <= 2 * model.certificate_.radius / np.sqrt(model.n_updates_)
    verify(model.certificate_, model, X, y)


def test_lifting_with_the_radius_costs_at_most_a_root_of_two():
    """Moran et al., footnote 1: 999 against 1001."""
    X, y = np.array([[999.0], [1001.0]]), np.array([0, 1])
    with_radius = best_margin(X, [-1, 1], rho_squared=1001.0**2)
    assert with_radius >= 1 / np.sqrt(2) * (1 - 1e-6)
    assert best_margin(X, [-1, 1], rho_squared=1.0) < 1e-2
    model = classic(max_epochs=10**7, order="cyclic").fit(X, y)
    assert model.converged_
    assert model.certificate_.margin <= with_radius <= model.certificate_.margin_bound


@pytest.mark.thorough
def test_defaults_leave_no_errors_on_separable_sets(jit):
    """scikit-learn's default perceptron leaves errors on about half of such sets, without a word."""
    for case in range(cases(200, share=5)):
        X, y, _ = separable(200 if jit else 40, 10, margin=0.01 if jit else 0.1, random_state=case)
        model = classic(random_state=case).fit(X, y)
        assert model.converged_
        assert model.score(X, y) == 1.0


def test_steps_that_die_out_may_not_converge():
    """Honavar: "any bounded rate converges". It does not: with 2^-t the weights cannot move far enough."""
    failed = 0
    for case in range(20):
        X, y, _ = separable(30, 5, margin=0.02, random_state=case)
        failed += not classic(eta=lambda t: 2.0**-t, max_epochs=60, order="cyclic").fit(X, y).converged_
    assert failed >= 10
