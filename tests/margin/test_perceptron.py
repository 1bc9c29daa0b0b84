"""The margin family: compiled equals naive, dense equals CSR, and the papers' own example."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import verify
from perceptrons.rows.order import generators, shuffled
from perceptrons.synthetic import separable
from tests.margin.classic import classic
from tests.naive.margin import median_norm
from tests.naive.margin import perceptron as naive_perceptron

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

STEPS = [("fixed", 1.0), ("fixed", 2.0), ("absolute", 1.0), ("fractional", 0.5), ("passive-aggressive", 4.0)]
MARGINS = [0.0, 3.0, (1.0, 4.0), "adaptive", "growing", "infinity"]


def integer_set(rng, m=24, n=4):
    """Small integers: every sum is exact in any order. Most sets are separable, some hold a zero row."""
    X = rng.integers(-4, 5, (m, n)).astype(float)
    if rng.random() < 0.2:
        X[rng.integers(m)] = 0.0
    y = np.where(X @ rng.integers(-3, 4, n) > 0, 1, -1)
    if rng.random() < 0.3:
        y[rng.random(m) < 0.1] *= -1
    if len(set(y)) == 1:
        y[0] *= -1
    return X, y


def rho_squared(X, fit_intercept, intercept_scaling):
    if not fit_intercept:
        return 0.0
    if intercept_scaling == "median":
        return median_norm(X.tolist()) ** 2
    return float((X**2).sum(axis=1).max()) if intercept_scaling == "radius" else float(intercept_scaling) ** 2


def twin(model, X, y):
    """The slow twin on the same data, walking the same rows."""
    settings = model.get_params()
    ours = ("fit_intercept", "intercept_scaling", "random_state", "warm_start", "verbose")
    for name in (*ours, "class_weight", "n_jobs"):
        settings.pop(name)
    rng = generators(model.random_state, 1)[0]
    settings["permutations"] = (shuffled(len(X), rng).rows.tolist() for _ in itertools.count())
    settings["rho_squared"] = rho_squared(X, model.fit_intercept, model.intercept_scaling)
    return naive_perceptron(X.tolist(), y.tolist(), **settings)


def same(u, v, exact):
    """Sums of integers must be equal; fractions have been rounded in another order."""
    return np.array_equal(u, v) if exact else np.allclose(u, v, rtol=1e-9, atol=1e-9)


def assert_same(model, run, exact):
    assert model.n_updates_ == run.n_updates
    assert model.n_presentations_ == run.n_presentations
    assert model.n_iter_ == run.n_iter
    assert model.converged_ == run.converged
    assert model.stopped_ == run.stopped
    assert same(model.coef_[0], run.w, exact)
    assert same(model.intercept_, [run.b], exact)
    duals = np.zeros(len(run.duals))
    duals[model.support_] = np.abs(model.dual_coef_[0])
    assert same(duals, run.duals, exact)
    updates, errors, margin_bound = (np.array(column) for column in zip(*run.history, strict=True))
    assert np.array_equal(model.history_["updates"], updates)
    assert np.allclose(model.history_["errors"], errors, atol=0 if exact else 1)  # a score may round to 0
    assert np.allclose(model.history_["margin_bound"], margin_bound, rtol=1e-12)


def dyadic_set(rng, m=24, n=8):
    """Rows of four ±1, so that ‖x‖² and ‖x‖² + 4 are powers of two: dividing by them is exact, too."""
    X = np.zeros((m, n))
    for x in X:
        x[rng.choice(n, 4, replace=False)] = rng.choice([-1.0, 1.0], 4)
    return X, np.where(X @ rng.choice([-1.0, 1.0, 2.0], n) > 0, 1, -1)


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
@pytest.mark.parametrize(("step", "eta"), STEPS)
def test_compiled_equals_naive(order, step, eta):
    rng = np.random.default_rng([len(order), len(step), int(eta)])
    divides = step in ("fractional", "passive-aggressive")
    ran = corrected = converged = given_up = 0
    for margin, result, ties, intercept in itertools.product(
        MARGINS, ["auto", "last", "average", "pocket"], ["wrong", "negative"], [False, True]
    ):
        if step == "passive-aggressive" and margin in (0.0, "adaptive", "growing", "infinity"):
            margin = 2.0
        X, y = (dyadic_set if divides else integer_set)(rng, m=70 if order == "active" else 24)
        if margin == "infinity":
            X = X / 16  # into the unit ball, still exact
        capped = divides or rng.random() < 0.2
        model = classic(
            step=step,
            eta=eta,
            margin=margin,
            order=order,
            result=result,
            ties=ties,
            fit_intercept=intercept,
            intercept_scaling="radius" if margin == "infinity" else [2, "radius", "median"][rng.integers(3)],
            min_margin=float(rng.choice([0.0, 0.01, 0.2])),
            max_epochs=int(rng.choice([3, 60])),
            max_updates=int(rng.integers(5, 16)) if capped else None,
            tol=None if rng.random() < 0.7 else 0.3,
            random_state=int(rng.integers(1000)),
        ).fit(X, y)
        exact = margin not in ("growing", "infinity") and result not in ("auto", "average")
        assert_same(model, twin(model, X, y), exact)
        sparse = classic(**model.get_params()).fit(sp.csr_array(X), y)
        assert sparse.n_updates_ == model.n_updates_
        assert same(sparse.coef_, model.coef_, exact)
        assert same(sparse.intercept_, model.intercept_, exact)
        if exact:
            verify(model.certificate_, sparse, sp.csr_array(X), y)
        verify(model.certificate_, model, X, y)
        ran += 1
        corrected += model.n_updates_ > 0
        converged += model.converged_
        given_up += model.stopped_ == "min_margin"
    assert ran == corrected == 96
    assert divides or 3 <= converged <= 93
    assert given_up >= 5 or divides or order == "worst"


@pytest.mark.parametrize(("step", "eta"), STEPS)
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
def test_a_converged_model_has_reached_its_targets(order, step, eta):
    rng, converged = np.random.default_rng(0), 0
    for _ in range(12):
        X, y, _ = separable(60, 5, margin=0.15, random_state=int(rng.integers(1000)))
        beta = (1.0, 2.0) if rng.random() < 0.5 else (1.0, 1.0)
        model = classic(step=step, eta=eta, margin=beta, order=order, random_state=0).fit(X, y)
        target = np.where(y > 0, beta[1], beta[0]) * (1 - 1e-3 if step == "passive-aggressive" else 1)
        assert not model.converged_ or (y * model.decision_function(X) >= target * (1 - 1e-12)).all()
        converged += model.converged_
    assert converged >= 10


OR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 1])


def test_honavars_example():
    """Section 2's run on OR, weight for weight (bias first)."""
    settings = {"order": "cyclic", "ties": "negative", "intercept_scaling": 1}
    trace = [[0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 1]]
    for t in range(1, 5):
        model = classic(**settings, max_updates=t).fit(*OR)
        assert [*model.intercept_, *model.coef_[0]] == trace[t]
    model = classic(**settings).fit(*OR)
    assert [*model.intercept_, *model.coef_[0]] == trace[4]
    assert (model.n_updates_, model.n_presentations_, model.n_iter_, model.converged_) == (4, 13, 4, True)


def test_callable_eta_is_called_with_the_number_of_the_correction():
    X, y = integer_set(np.random.default_rng(3))
    asked = []
    model = classic(eta=lambda t: asked.append(t) or 1.0 / t, order="cyclic", max_epochs=5).fit(X, y)
    assert sorted(set(asked))[: model.n_updates_] == list(range(1, model.n_updates_ + 1))
    assert_same(
        model,
        naive_perceptron(
            X.tolist(),
            y.tolist(),
            eta=lambda t: 1.0 / t,
            max_epochs=5,
            rho_squared=rho_squared(X, True, "radius"),
        ),
        exact=False,
    )


def test_absolute_is_fixed_repeated_until_corrected():
    for seed in range(30):
        X, y = integer_set(np.random.default_rng(seed))
        absolute = classic(
            step="absolute", order="cyclic", max_epochs=1, max_updates=3, fit_intercept=False
        ).fit(X, y)
        w = np.zeros(X.shape[1])
        corrected = 0
        for x, label in zip(X, y, strict=True):
            if x.any() and label * (w @ x) <= 0:
                while label * (w @ x) <= 0:
                    w += label * x
                corrected += 1
            if corrected == 3:
                break
        assert np.array_equal(absolute.coef_[0], w)


def test_growing_equals_infinity_on_unit_rows():
    rng = np.random.default_rng(0)
    X = np.eye(6)[rng.integers(6, size=40)] * rng.choice([-1.0, 1.0], (40, 1))
    y = np.where(X @ rng.choice([-1.0, 1.0], 6) > 0, 1, -1)
    settings = {"alpha": 1.7, "fit_intercept": False, "order": "cyclic"}
    growing = classic(margin="growing", **settings).fit(X, y)
    infinity = classic(margin="infinity", **settings).fit(X, y)
    assert growing.n_updates_ == infinity.n_updates_ > 6
    assert np.array_equal(growing.coef_, infinity.coef_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
def test_precision_is_kept_and_layouts_agree(dtype, order):
    X, y = integer_set(np.random.default_rng(1), m=200, n=7)
    X = X.astype(dtype)
    settings = {"order": order, "max_epochs": 20, "random_state": 0}
    dense = classic(**settings).fit(X, y)
    others = [
        np.asfortranarray(X),
        sp.csr_array(X),
        sp.csr_matrix(X),
        sp.csc_array(X),
        np.ascontiguousarray(X)[:, :],
    ]
    assert dense.coef_.dtype == dtype
    for other in others:
        model = classic(**settings).fit(other, y)
        assert model.coef_.dtype == dtype
        assert np.array_equal(model.coef_, dense.coef_)
        assert np.array_equal(model.dual_coef_, dense.dual_coef_)
        verify(dense.certificate_, model, other, y)


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_streaming_large_rows_changes_nothing(make, monkeypatch):
    X, y = integer_set(np.random.default_rng(1), m=300, n=7)
    settings = {"max_epochs": 8, "random_state": 0}
    small = classic(**settings).fit(make(X), y)
    monkeypatch.setattr("perceptrons.margin.epochs.CACHE", 0)
    large = classic(**settings).fit(make(X), y)
    assert np.array_equal(small.coef_, large.coef_)
    half = classic(**settings, eta=lambda t: 1.0).fit(make(X), y)  # pauses within blocks
    assert np.array_equal(small.coef_, half.coef_)


def test_minover_ends_where_no_row_asks_for_a_step():
    """Passive-aggressive steps aim at β: beyond it there is nothing to correct, and the gap stays open."""
    X, y = np.array([[2.0, 0.0], [0.0, -1.0]]), np.array([1, -1])
    model = classic(
        step="passive-aggressive", margin=(1.0, 3.0), eta=4.0, order="worst", tol=1e-6, fit_intercept=False
    ).fit(X, y)
    assert_same(model, twin(model, X, y), exact=True)
    assert not model.converged_
    assert model.n_iter_ == 3


def test_int64_indices_and_explicit_zeros():
    X, y = integer_set(np.random.default_rng(2), m=60)
    dense = classic(order="cyclic", max_epochs=9).fit(X, y)
    coo = sp.coo_array(X)
    rows, columns = np.append(coo.row, 0), np.append(coo.col, 0)
    wide = sp.csr_array((np.append(coo.data, 0.0), (rows, columns)), X.shape)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert np.array_equal(classic(order="cyclic", max_epochs=9).fit(wide, y).coef_, dense.coef_)


def test_multiclass_is_one_against_the_rest():
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (90, 3)).astype(float)
    y = np.array(["a", "b", "c"])[np.argmax(X, axis=1)]
    settings = {"order": "cyclic", "max_epochs": 15}
    model = classic(**settings).fit(X, y)
    for k, name in enumerate(model.classes_):
        one = classic(**settings).fit(X, y == name)
        assert np.array_equal(model.coef_[k], one.coef_[0])
        assert model.n_updates_[k] == one.n_updates_
        assert model.n_presentations_[k] == one.n_presentations_
        assert model.certificate_[k] == one.certificate_
        assert np.array_equal(model.history_[k]["updates"], one.history_["updates"])
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert model.n_iter_ == 15
    assert model.converged_ is False
    verify(model.certificate_, model, X, y)
    assert np.array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])


def test_weights_are_the_sum_of_their_corrections():
    for seed in range(20):
        X, y = integer_set(np.random.default_rng(seed))
        for result in ("last", "average", "pocket"):
            model = classic(result=result, max_epochs=5, random_state=seed, margin="adaptive").fit(X, y)
            assert np.allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-9)
            assert np.allclose(model.dual_coef_.sum() * model.lift_**2, model.intercept_)


def test_verbose_prints_an_epoch_per_line(capsys):
    model = classic(order="cyclic", verbose=1).fit(*OR)
    assert len(capsys.readouterr().out.splitlines()) == len(model.history_["updates"])
    classic(order="cyclic").fit(*OR)
    assert capsys.readouterr().out == ""
