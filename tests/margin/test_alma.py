"""ALMA and the perceptron that knows a margin: beside their slow twins, in the unit ball, within their
bounds."""

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import NAMED, KernelPerceptron, Perceptron, load, save, trace, verify
from perceptrons.synthetic import separable
from perceptrons.theory import bounds
from tests.naive.alma import alma, known_margin
from tests.naive.best_margin import best_margin
from tests.sizes import cases

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
ALMA = dict(NAMED["alma"])


def in_turn(**settings):
    return Perceptron(**{**ALMA, "order": "cyclic", "max_epochs": 20_000, **settings})


def rows(seed, margin=0.2, m=30, n=4):
    X, y, _ = separable(m, n, margin=margin, random_state=seed)
    return X * np.random.default_rng(seed).uniform(0.5, 2.0, (m, 1)), y


def lifted_norms(model, X):
    return np.hypot(np.linalg.norm(X, axis=1), model.lift_)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("share", "eta"), [(1.0, 1.0), (0.5, 2**0.5), (0.3, 0.4)])
def test_the_sweep_makes_the_corrections_of_the_paper(intercept, share, eta):
    X, y = rows(3)
    model = in_turn(alpha=share, eta=eta, fit_intercept=intercept).fit(X, y)
    path, used, done = alma(X.tolist(), y.tolist(), share, eta, [range(len(X))] * 20_000, model.lift_)
    assert done
    assert model.converged_
    assert model.n_updates_ == len(path) > 3
    assert np.abs(model.coef_[0] - path[-1][:4]).max() < 1e-12
    assert sorted({*used}) == model.support_.tolist()
    corrections = [*trace(model, X, y)]
    assert [one.row for one in corrections] == used
    for one, w in zip(corrections, path, strict=True):
        assert np.abs(one.coef_after - w[:4]).max() < 1e-12
        assert intercept is False or abs(one.intercept_after - model.lift_ * w[4]) < 1e-12
    assert np.array_equal(corrections[-1].coef_after, model.coef_[0])
    first = corrections[0]
    assert first.beta == pytest.approx((1 / share - 1) * lifted_norms(model, X)[first.row])
    assert first.step == pytest.approx(eta / lifted_norms(model, X)[first.row])


@pytest.mark.thorough
def test_it_stays_in_the_unit_ball_and_within_its_bounds():
    """Every weight vector, not the last alone: a widely used implementation leaves the ball (1.044)."""
    informative = 0
    for case in range(cases(40, share=4)):
        share, eta = [(0.9, 1.0), (0.5, 1.0), (0.3, 2**0.5), (0.2, 1.0)][case % 4]
        X, y = rows(case, margin=[0.4, 0.25][case % 2])
        if len({*y}) == 1:
            continue
        model = in_turn(alpha=share, eta=eta, fit_intercept=case % 3 == 0, order="shuffle", random_state=case)
        norms = [
            np.hypot(np.linalg.norm(c.coef_after), c.intercept_after / (model_lift(model, X) or 1))
            for c in trace(model, X, y)
        ]
        assert max(norms) <= 1 + 1e-12
        model.fit(X, y)
        lifted = np.column_stack([X, np.full(len(X), model.lift_)]) if model.lift_ else X
        unit = lifted / np.linalg.norm(lifted, axis=1)[:, None]
        best = best_margin(unit.tolist(), y.tolist())
        w = np.append(model.coef_[0], model.intercept_[0] / model.lift_) if model.lift_ else model.coef_[0]
        reached = (y * (unit @ w)).min() / np.linalg.norm(w)
        assert model.converged_
        assert model.n_updates_ <= bounds.alma_updates(share, best, eta)
        assert reached >= bounds.alma_margin(share, best, eta) * (1 - 1e-9)
        assert model.n_updates_ <= model.certificate_.update_bound
        verify(model.certificate_, model, X, y)
        informative += model.n_updates_ > 10
    assert informative > 1


def model_lift(model, X):
    return 0.0 if not model.fit_intercept else float(np.linalg.norm(X, axis=1).max())


def test_small_shares_overflow_nothing(jit):
    """The ball grows like k^(1/α); it is multiplied by a power of two when it is large, and so is all
    else."""
    X, y = rows(0, margin=0.3)
    model = in_turn(alpha=0.005, eta=1.0, max_epochs=3_000 if jit else 200, fit_intercept=False).fit(X, y)
    assert model._memories[0].clock["shrunk"][0] > (3 if jit else 0)
    assert abs(np.linalg.norm(model.coef_) - 1) < 1e-9
    assert np.abs(model.dual_coef_[0] @ X[model.support_] - model.coef_[0]).max() < 1e-9
    bound = model.certificate_.margin_bound
    assert model.history_["margin_bound"][-1] == pytest.approx(bound, rel=1e-6)
    assert np.array_equal([*trace(model, X, y)][-1].coef_after, model.coef_[0])


def test_other_layouts_kernels_streams_and_files_give_the_same(tmp_path):
    X, y = rows(1)
    model = in_turn(alpha=0.3).fit(X, y)
    sparse = in_turn(alpha=0.3).fit(sp.csr_matrix(X), y)
    assert sparse.n_updates_ == model.n_updates_
    assert np.abs(sparse.coef_ - model.coef_).max() < 1e-12
    single = in_turn(alpha=0.3).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    kernel = KernelPerceptron("linear", **{**ALMA, "alpha": 0.3, "order": "cyclic"}, max_epochs=20_000).fit(
        X, y
    )
    assert kernel.n_updates_ == model.n_updates_
    assert np.abs(kernel.decision_function(X) - model.decision_function(X)).max() < 1e-9
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.coef_, model.coef_)
    verify(again.certificate_, again, X, y)
    stream = in_turn(alpha=0.3, fit_intercept=False)
    for part in np.array_split(np.arange(len(X)), 3):
        stream.partial_fit(X[part], y[part], classes=[-1, 1])
    path, _, _ = alma(X.tolist(), y.tolist(), 0.3, 2**0.5, [range(len(X))])
    assert np.abs(stream.coef_[0] - path[-1]).max() < 1e-12
    assert stream.certificate_.margin_bound is None


def test_it_goes_on_where_it_stopped_and_starts_anywhere():
    X, y = rows(2)
    settings = {"alpha": 0.2, "fit_intercept": False}
    whole = in_turn(**settings, max_epochs=6).fit(X, y)
    first = in_turn(**settings, max_epochs=3).fit(X, y)
    first.set_params(warm_start=True).fit(X, y)
    assert np.array_equal(first.coef_, whole.coef_)
    start = [3.0, 0.0, 4.0, 0.0]  # outside of the ball
    weights = np.linspace(0.5, 2.0, len(X))
    model = in_turn(**settings).fit(X, y, coef_init=[start], sample_weight=weights)
    path, _, _ = alma(
        X.tolist(), y.tolist(), 0.2, 2**0.5, [range(len(X))] * 20_000, 0.0, weights.tolist(), start
    )
    assert model.n_updates_ == len(path)
    assert np.abs(model.coef_[0] - path[-1]).max() < 1e-12


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 1.5}, r"alpha=1.5.*\(0, 1\]"),
        ({"margin": 1.0}, "margin=1.0, but step='alma' has a target of its own"),
        ({"order": "worst"}, "order='worst', which step='alma' cannot have"),
        ({"result": "average"}, "result='average', which step='alma' cannot have; use result='last'"),
    ],
)
def test_what_it_cannot_have_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**{**ALMA, **settings}).fit([[0.0], [1.0]], [0, 1])


def test_normalizing_may_change_the_best_hyperplane():
    """Moran et al., Section 1, on ALMA: a long row near the border weighs as much as a short one."""
    X, y = np.array([[1.0, 0.0], [-1.0, -8.0]]), np.array([1, -1])
    model = in_turn(alpha=0.02, eta=1.0, fit_intercept=False).fit(X, y)
    best = best_margin(X.tolist(), y.tolist())
    assert model.certificate_.margin < 0.8 * best


# A known margin


@pytest.mark.parametrize("seed", range(4))
def test_a_known_margin_is_reached_within_its_bound(seed):
    X, y = rows(seed, margin=0.3)
    best, R = best_margin(X.tolist(), y.tolist()), np.linalg.norm(X, axis=1).max()
    known = 0.8 * best
    model = Perceptron(**{**NAMED["known-margin"], "margin": ("known", known), "order": "cyclic"})
    model.set_params(fit_intercept=False, max_epochs=10_000).fit(X, y)
    w, used, done = known_margin(X.tolist(), y.tolist(), known, [range(len(X))] * 10_000)
    assert done
    assert model.n_updates_ == len(used) > 3
    assert np.abs(model.coef_[0] - w).max() < 1e-9 * np.linalg.norm(w)
    assert model.certificate_.margin > known * (1 - 1e-9)
    assert model.n_updates_ <= bounds.known_margin_updates(known, R, best)
    assert model.n_updates_ <= model.certificate_.update_bound
    verify(model.certificate_, model, X, y)
    assert [one.row for one in trace(model, X, y)] == used


def test_other_words_for_known_margins_are_refused():
    for margin, message in ((("known", 0), "known margin=0"), (("certain", 1), "'known', a margin > 0")):
        with pytest.raises(ValueError, match=message):
            Perceptron(margin=margin).fit([[0.0], [1.0]], [0, 1])
