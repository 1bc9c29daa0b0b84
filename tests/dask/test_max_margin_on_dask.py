"""`MaxMarginPerceptron` over collections: the same certified optimum as in memory, or the same verdict."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import MaxMarginPerceptron as InMemory
from perceptrons import verify
from perceptrons.dask import MaxMarginPerceptron
from tests.dask.collections_of import array_of, chunkings
from tests.dask.here import Here
from tests.sizes import cases

pytestmark = pytest.mark.dask


def fitted(model, X, y, cuts, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(array_of(X, cuts), array_of(y, cuts), client=Here(forgetful=0.1), **how)


def separable(seed, n_rows, n, gap):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n_rows, n)), rng.normal(size=n)
    s = X @ (w / np.linalg.norm(w)) + 0.3
    X, s = X[abs(s) > gap], s[abs(s) > gap]
    return X, (s > 0).astype(int)


@pytest.mark.thorough
@settings(max_examples=cases(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.booleans(), st.data())
def test_the_same_certified_optimum(seed, n, fit_intercept, data):
    X, y = separable(seed, 400, n, 0.05)
    if len({*y.tolist()}) == 1:
        return
    cuts = data.draw(chunkings(len(y)))
    model = fitted(MaxMarginPerceptron(fit_intercept=fit_intercept), X, y, cuts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        in_memory = InMemory(fit_intercept=fit_intercept).fit(X, y)
    one, other = model.certificate_, in_memory.certificate_
    assert one.separable == other.separable
    if one.separable:
        assert model.converged_
        assert one.margin >= (1 - model.tol) * other.margin_bound * (1 - 1e-6)
        assert other.margin <= one.margin_bound
    verify(one, model.to_local(), X, y)


def test_many_rows_sparse_ones_too():
    X, y = separable(0, 20_000, 6, 0.02)
    X[abs(X) < 0.3] = 0.0
    X, y = X[abs(X).sum(axis=1) > 0], y[abs(X).sum(axis=1) > 0]
    keep = abs(InMemory(C=1.0).fit(X, y).decision_function(X)) > 0.5
    X, y = X[keep], InMemory(C=1.0).fit(X, y).predict(X)[keep]
    one = fitted(MaxMarginPerceptron(tol=1e-6), X, y, [3000, 3001, 9000])
    two = fitted(MaxMarginPerceptron(tol=1e-6), sp.csr_array(X), y, [3000, 3001, 9000])
    best = InMemory(tol=1e-6).fit(X, y).certificate_
    for model in (one, two):
        assert model.certificate_.margin >= (1 - 2e-6) * best.margin
        assert model.n_iter_ > 1
    moved = {stage.stage: stage.answered for stage in one.traffic_}
    assert moved["pool"] < X.nbytes


def test_rows_that_are_not_separable_have_a_witness():
    X, y = separable(1, 800, 3, 0.1)
    y[[5, 700]] = 1 - y[[5, 700]]
    with pytest.warns(ConvergenceWarning, match="The rows are not separable"):
        model = MaxMarginPerceptron().fit(array_of(X, [200]), array_of(y, [200]), client=Here())
    assert model.certificate_.separable is False
    verify(model.certificate_, model.to_local(), X, y)
    with pytest.raises(ValueError, match="The rows are not separable"):
        fitted(MaxMarginPerceptron(on_inseparable="raise"), X, y, [200])


def test_three_classes_and_weights():
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(150, 2)) + centre for centre in ([0, 9], [9, 0], [-9, -9])])
    y = np.repeat(["a", "b", "c"], 150)
    order = rng.permutation(450)
    X, y, weights = X[order], y[order], rng.integers(0, 2, 450)
    rows = (array_of(one, [100, 300]) for one in (X, y, weights))
    model = MaxMarginPerceptron().fit(*rows, client=Here())
    in_memory = InMemory().fit(X, y, weights)
    for one, other in zip(model.certificate_, in_memory.certificate_, strict=True):
        assert np.isclose(one.margin, other.margin, rtol=2e-3)
    verify(model.certificate_, model.to_local(), X, y, sample_weight=weights)


def test_what_a_collection_cannot_do():
    X, y = separable(1, 50, 3, 0.1)
    with pytest.raises(ValueError, match=r"C=1.0 gives every row a slack"):
        fitted(MaxMarginPerceptron(C=1.0), X, y, [20])
    with pytest.raises(ValueError, match="warm_start=True is not for collections"):
        fitted(MaxMarginPerceptron(warm_start=True), X, y, [20])


def test_a_search_that_is_cut_short_says_so():
    X, y = separable(0, 20_000, 6, 0.02)
    with pytest.warns(ConvergenceWarning, match="after 1 looks at all rows with a gap of"):
        MaxMarginPerceptron(max_iter=1, tol=1e-9).fit(array_of(X, [9000]), array_of(y, [9000]), client=Here())
