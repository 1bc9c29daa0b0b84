"""`KernelPerceptron()` as it comes: a target of one correction, the average, and rows merged at the end."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification, make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from perceptrons import KernelPerceptron, load, save, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.margin.merging import merge_rows
from perceptrons.rows.layouts import Gram
from perceptrons.rows.order import generators, shuffled
from tests.margin.classic import classic_kernel
from tests.margin.test_perceptron import integer_set
from tests.naive.kernel import kernel_perceptron
from tests.naive.margin import median_norm
from tests.naive.merging import merged

pytestmark = pytest.mark.kernels


def rings(m=150, seed=0, noise=0.25):
    return make_moons(m, noise=noise, random_state=seed)


def dense_duals(model, m):
    duals = np.zeros((len(model.dual_coef_), m))
    duals[:, model.support_] = model.dual_coef_
    return duals


def test_the_default_is_the_average_with_a_target_of_one_correction(jit):
    """Against the naive dual form: β = s² with s the usual norm of a lifted row."""
    rng, ran = np.random.default_rng(0), 0
    for _ in range(8 if jit else 2):
        X, y = integer_set(rng, m=20, n=3)
        model = KernelPerceptron("linear", compress=False, max_epochs=6, random_state=5).fit(X, y)
        rho_squared = median_norm(X.tolist()) ** 2
        source = generators(5, 1)[0]
        orders = (shuffled(len(X), source).rows.tolist() for _ in itertools.count())
        run = kernel_perceptron(
            X.tolist(),
            y.tolist(),
            lambda x, z: float(np.dot(x, z)),
            order="shuffle",
            permutations=orders,
            margin=2 * rho_squared,
            result="average",
            rho_squared=rho_squared,
            max_epochs=6,
        )
        assert model.n_updates_ == run.n_updates > 0
        assert np.allclose(np.abs(dense_duals(model, len(X))[0]), run.duals)
        assert np.allclose(model.intercept_, run.b)
        assert np.allclose(model.history_["margin_bound"], [line[2] for line in run.history], atol=1e-9)
        ran += 1
    assert ran == (8 if jit else 2)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_merging_equals_naive(n_classes, jit):
    """Whole numbers: sums are exact, so the same rows are merged and the duals are equal."""
    rng, fewer, refused = np.random.default_rng(n_classes), 0, 0
    for _ in range(60 if jit else 6):
        m = 14
        X, codes = rng.integers(-2, 3, (m, 2)).astype(float), rng.integers(0, n_classes, m)
        K = (X @ X.T + 1.0) ** 2
        lines = [1] if n_classes == 2 else range(n_classes)
        duals = np.stack([rng.integers(0, 4, m) * np.where(codes == c, 1.0, -1.0) for c in lines])
        used = np.flatnonzero(np.abs(duals).max(axis=0))
        scores, b = duals @ K, duals.sum(axis=1)
        gram = Gram(K, np.ones(m, np.bool_), K.diagonal().copy())
        remains, found = merge_rows(gram, used, codes[used], duals[:, used], scores + b[:, None])
        expected = np.array(merged(K.tolist(), codes.tolist(), duals.tolist(), b.tolist()))
        assert np.array_equal(used[remains], np.flatnonzero(np.abs(expected).max(axis=0)))
        assert np.array_equal(found, expected[:, used[remains]])
        fewer += len(found[0]) < len(used)
        refused += len(found[0]) > n_classes
    assert fewer > 3
    assert refused > 3


@settings(deadline=None)  # the first case compiles
@given(seed=st.integers(0, 10_000), three=st.booleans())
def test_merging_keeps_answers_leads_and_sums(seed, three):
    X, y = make_classification(
        60, 4, n_informative=3, n_redundant=0, n_classes=2 + three, n_clusters_per_class=1, random_state=seed
    )
    before = KernelPerceptron(compress=False, random_state=seed).fit(X, y)
    after = KernelPerceptron(random_state=seed).fit(X, y)
    assert np.array_equal(before.predict(X), after.predict(X))
    assert set(after.support_) <= set(before.support_)
    assert np.array_equal(before.intercept_, after.intercept_)
    assert np.allclose(before.dual_coef_.sum(axis=1), after.dual_coef_.sum(axis=1))
    scores = [np.atleast_2d(model.decision_function(X).T) for model in (before, after)]
    if not three:
        assert (np.abs(scores[1]) >= (0.8 - 1e-9) * np.abs(scores[0])).all()
    else:
        ranked = [np.sort(line, axis=0) for line in scores]
        leads = [line[-1] - line[-2] for line in ranked]
        assert (leads[1] >= (0.8 - 1e-9) * leads[0] - 1e-12).all()


def test_a_merged_model_is_certified_as_it_is():
    X, y = rings()
    model, whole = (KernelPerceptron(compress=c, random_state=0).fit(X, y) for c in ("auto", False))
    assert len(model.support_) < len(whole.support_)
    verify(model.certificate_, model, X, y)
    verify(certify(model, X, y), model, X, y)
    certificate = model.certificate_
    assert certificate.margin_bound is not None
    assert certificate.compression_size == len(model.support_)
    assert certificate.n_errors == whole.certificate_.n_errors
    assert certificate.generalization_bound() is None


def test_no_compression_bound_for_rows_that_were_merged():
    """Everything else allows one: γ and the target are numbers, the shuffles can be drawn again."""
    X, y = rings(60, noise=0.05)
    for compress in (False, True):
        model = classic_kernel(gamma=0.7, random_state=0, compress=compress).fit(X, y)
        assert model.converged_
        assert model.certificate_.reproducible is not compress
        assert (model.certificate_.generalization_bound() is None) is compress
        assert model.score(X, y) == 1.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_compress_takes():
    X, y = rings(40)
    with pytest.raises(ValueError, match=r"compress=True gives away margin that tol=0\.1 certifies"):
        KernelPerceptron(compress=True, tol=0.1, order="worst").fit(X, y)
    with pytest.raises(ValueError, match="compress"):
        KernelPerceptron(compress="often").fit(X, y)
    asked = [KernelPerceptron(margin=2.0, compress=c, random_state=0).fit(X, y) for c in ("auto", False)]
    assert np.array_equal(asked[0].support_, asked[1].support_)  # a margin was asked for


def layouts(X, present):
    """The same rows in every form a kernel model takes, as pairs of model and rows."""
    gamma = 1.0 / (X.shape[1] * X[present].var())  # rows of weight 0 are absent
    K = rbf_kernel(X, gamma=gamma)
    return [
        (KernelPerceptron(random_state=0), sp.csr_array(X)),
        (KernelPerceptron("precomputed", random_state=0), K),
        (KernelPerceptron(lambda A, B: rbf_kernel(A, B, gamma=gamma), random_state=0), X),
    ]


@pytest.mark.parametrize("three", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_form_of_the_rows_gives_the_same_answers(three, weighted):
    X, y = load_iris(return_X_y=True) if three else rings(120)
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float) if weighted else None
    plain = KernelPerceptron(random_state=0).fit(X, y, weights)
    assert len(plain.support_) < 0.8 * len(y)
    for model, rows in layouts(X, slice(None) if weights is None else weights > 0):
        model.fit(rows, y, weights)
        assert np.array_equal(model.support_, plain.support_)
        assert np.allclose(model.decision_function(rows), plain.decision_function(X))
        verify(model.certificate_, model, rows, y, weights)
    if weighted:
        assert not set(plain.support_) & set(np.flatnonzero(weights == 0))


def test_kernel_values_are_computed_once_for_all_classes():
    X, y = load_iris(return_X_y=True)
    pairs = []

    def kernel(A, B):
        pairs.append(A.shape[0] * B.shape[0])
        return rbf_kernel(A, B, gamma=0.5)

    KernelPerceptron(kernel, random_state=0).fit(X, y)
    assert sum(pairs) <= 2 * len(y) ** 2  # the matrix, and the block that holds the diagonal


def test_many_rows_are_asked_for_where_they_are_needed(monkeypatch):
    X, y = rings(300)
    whole = KernelPerceptron(random_state=0).fit(X, y)
    monkeypatch.setattr("perceptrons.margin.kernel_values.WHOLE", 100)
    model = KernelPerceptron(random_state=0).fit(X, y)
    assert np.array_equal(model.support_, whole.support_)
    assert np.allclose(model.dual_coef_, whole.dual_coef_)
    for name in ("updates", "errors"):
        assert np.array_equal(model.history_[name], whole.history_[name])
    assert np.allclose(model.history_["margin_bound"], whole.history_["margin_bound"])


def test_an_ordinary_end_warns_of_nothing_and_a_saved_model_is_the_same(tmp_path):
    X, y = rings(noise=0.4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = KernelPerceptron(random_state=0).fit(X, y)
    assert not model.converged_
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    verify(again.certificate_, again, X, y)


def test_everyday_tables_are_about_as_good_as_with_svc():
    """Noise included: training until no row is wrong loses six points on the last."""
    noisy = make_classification(300, 8, n_informative=4, flip_y=0.3, random_state=0)
    tables = [load_breast_cancer(return_X_y=True), load_wine(return_X_y=True), noisy]
    for X, y in tables:
        ours, svc = (
            100 * cross_val_score(make_pipeline(StandardScaler(), model), X, y).mean()
            for model in (KernelPerceptron(random_state=0), SVC())
        )
        assert ours > svc - 2
