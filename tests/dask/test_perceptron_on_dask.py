"""`Perceptron` over collections: parameter mixing beside a slow twin, its theorem, and certificates that hold
of all rows."""

import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import Perceptron as InMemory
from perceptrons import certify, verify
from perceptrons.dask import Perceptron
from perceptrons.margin.certificates import certify_margin
from tests.dask.collections_of import array_of, chunkings
from tests.dask.here import Here
from tests.naive.mixing import mixed
from tests.sizes import cases

pytestmark = pytest.mark.dask
SEEN = Counter()


def fitted(model, X, y, cuts, weights=None, client=None):
    given = [array_of(one, cuts) for one in (X, y, weights) if one is not None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*given, client=client or Here())


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n = draw(st.integers(4, 60)), draw(st.integers(1, 4))
    X = rng.normal(size=(n_rows, n))  # where mixtures make fractions, whole numbers tie but for rounding
    y = X @ rng.integers(-2, 3, n) + draw(st.sampled_from([0, 1])) * rng.integers(-1, 2, n_rows) > 0.5
    y = y.astype(int)
    if len({*y.tolist()}) == 1:
        y[:2] = [0, 1]
    return X, y, draw(chunkings(n_rows)), draw(st.sampled_from([0.0, 3.0])), draw(st.sampled_from([0.0, 2.0]))


@pytest.mark.thorough
@settings(max_examples=cases(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_mixing_is_that_of_the_slow_twin(problem):
    X, y, cuts, beta, rho = problem
    parts = np.split(np.arange(len(X)), sorted(cuts))
    rows = [[(X[i].tolist(), 1 if y[i] else -1) for i in part] for part in parts if len(part)]
    path, duals, updates, sums = mixed(rows, beta, rho, 12)
    how = {"order": "cyclic", "margin": beta, "result": "last", "max_epochs": 12, "min_margin": 0.0}
    how |= {"fit_intercept": rho > 0.0, "intercept_scaling": rho or "median"}
    client = Here(forgetful=0.1)
    model = fitted(Perceptron(**how), X, y, cuts, client=client)
    assert np.allclose(model.coef_[0], path[-1][:-1], rtol=1e-9, atol=1e-9)
    assert np.isclose(model.intercept_[0], rho * path[-1][-1], rtol=1e-9, atol=1e-9)
    assert model.n_updates_ == updates
    dense = np.zeros(len(X))
    dense[model.support_] = np.abs(model.dual_coef_[0])
    assert np.allclose(dense, np.concatenate([np.array(one) for one in duals]), rtol=1e-9)
    margin = model.certificate_.margin
    if margin > 0.0:  # the theorem: of any hyperplane with that margin
        radius = model.certificate_.radius
        assert sum(sums) <= (2 * beta + radius**2) / margin**2 * (1 + 1e-9)
    SEEN["cases"] += 1
    SEEN["separated"] += margin > 0.0
    SEEN["several epochs"] += len(path) > 2


def test_the_random_cases_told_something():
    assert not SEEN or min(SEEN["separated"], SEEN["several epochs"]) > 0.05 * SEEN["cases"]


def rows_of(kind, n_rows=600):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows, 5))
    s = X[:, :3].sum(axis=1) + 0.5
    if kind == "separable":
        return X[abs(s) > 0.3], (s > 0)[abs(s) > 0.3]
    return X, s + rng.normal(size=n_rows) > 0 if kind == "noisy" else np.digitize(s, [-1, 1])


@pytest.mark.parametrize("kind", ["separable", "noisy", "three classes"])
@pytest.mark.parametrize(
    "how", [{}, {"order": "cyclic", "margin": 1.0, "result": "last"}, {"result": "average"}]
)
def test_certificates_hold_of_all_rows(kind, how):
    X, y = rows_of(kind)
    model = fitted(Perceptron(random_state=0, **how), X, y, [100, 101, 400]).to_local()
    verify(model.certificate_, model, X, y)
    again = certify_margin(model, X, y)
    for one, other in zip(np.atleast_1d(model.certificate_), np.atleast_1d(again), strict=True):
        assert one.margin == other.margin
        assert np.isclose(one.margin_bound, other.margin_bound, rtol=1e-12)
        assert one.update_bound is None
    in_memory = InMemory(random_state=0, **how).fit(X, y)
    assert model.lift_ == in_memory.lift_
    assert model.score(X, y) > in_memory.score(X, y) - 0.05
    assert certify(model, X, y).n_wrong == (model.predict(X) != y).sum()


def test_weights_of_rows_and_classes():
    X, y = rows_of("noisy")
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = fitted(Perceptron(random_state=0, class_weight="balanced"), X, y, [90, 300], weights).to_local()
    verify(model.certificate_, model, X, y, sample_weight=weights)
    assert set(model.support_.tolist()) <= set(np.flatnonzero(weights).tolist())


def test_runs_agree_bit_for_bit_whatever_is_forgotten():
    X, y = rows_of("three classes")
    models = [
        fitted(Perceptron(random_state=7), X, y, [50, 200, 420], client=Here(forgetful, seed=1))
        for forgetful in (0.0, 0.0, 0.2)
    ]
    for other in models[1:]:
        assert np.array_equal(models[0].coef_, other.coef_)
        assert np.array_equal(models[0].dual_coef_, other.dual_coef_)


def test_of_one_chunk_it_is_the_ordinary_perceptron():
    X, y = rows_of("separable")
    how = {"order": "cyclic", "margin": 1.0, "result": "last"}
    one, other = fitted(Perceptron(**how), X, y, []), InMemory(**how).fit(X, y)
    assert np.array_equal(one.coef_, other.coef_)
    assert one.n_updates_ == other.n_updates_


def test_rows_of_zeros_and_overflow():
    X, y = rows_of("separable")
    X[50] = 0.0
    with pytest.warns(ConvergenceWarning, match="1 rows are all zeros"):
        Perceptron(fit_intercept=False).fit(array_of(X, [60]), array_of(y, [60]), client=Here())
    X[70] = np.inf
    with pytest.raises(ValueError, match=r"chunk 1: .*infinity"):
        fitted(Perceptron(), X, y, [60])


@pytest.mark.parametrize(
    "how",
    [{"step": "absolute"}, {"margin": "growing"}, {"order": "worst"}, {"result": "pocket"}, {"tol": 0.1}],
)
def test_what_parts_cannot_do_side_by_side(how):
    X, y = rows_of("separable")
    with pytest.raises(ValueError, match="is not for parts that are swept side by side"):
        fitted(Perceptron(**how), X, y, [60])
