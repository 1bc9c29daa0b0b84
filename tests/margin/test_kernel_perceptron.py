"""The margin family in dual form: the same corrections as with weights, and what no line can do."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_circles
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from perceptrons import KernelPerceptron, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.margin.kernel_values import Kernel
from perceptrons.rows.layouts import Gram
from perceptrons.rows.order import generators, shuffled
from tests.margin.classic import classic, classic_kernel
from tests.margin.test_perceptron import integer_set
from tests.naive.kernel import kernel_perceptron

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def settings_of(rng, order):
    step, margin = rng.choice(["fixed", "absolute"]), rng.choice([0.0, 3.0, -1.0, -2.0])
    return {
        "step": str(step),
        "margin": {-1.0: "adaptive", -2.0: (1.0, 4.0)}.get(margin, float(margin)),
        "order": order,
        "result": str(rng.choice(["last", "pocket"])),
        "ties": str(rng.choice(["wrong", "negative"])),
        "fit_intercept": bool(rng.random() < 0.5),
        "max_epochs": int(rng.choice([3, 60])),
        "random_state": int(rng.integers(1000)),
    }


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
def test_the_linear_kernel_makes_the_corrections_of_perceptron(order):
    rng, ran, corrected = np.random.default_rng(len(order)), 0, 0
    for _ in range(40):
        X, y = integer_set(rng, m=70 if order == "active" else 24)
        settings = settings_of(rng, order)
        plain = classic(**settings).fit(X, y)
        model = classic_kernel("linear", **settings).fit(sp.csr_array(X) if rng.random() < 0.5 else X, y)
        for name in ("n_updates_", "n_presentations_", "n_iter_", "converged_", "n_rows_", "lift_"):
            assert getattr(model, name) == getattr(plain, name)
        for name in ("support_", "dual_coef_", "intercept_", "classes_"):
            assert np.array_equal(getattr(model, name), getattr(plain, name))
        assert np.array_equal(model.decision_function(X), plain.decision_function(X))
        for name in ("updates", "errors", "margin_bound"):
            assert np.allclose(model.history_[name], plain.history_[name], rtol=1e-12)
        one, other = model.certificate_, plain.certificate_
        # kernel values that nearly cancel leave ‖w‖ less sure, and margins are rounded to the safe side
        assert math.isclose(one.margin, other.margin, rel_tol=1e-6, abs_tol=1e-12)
        assert (one.margin_bound is None) == (other.margin_bound is None)
        if other.margin_bound:
            assert math.isclose(one.margin_bound, other.margin_bound, rel_tol=1e-7, abs_tol=1e-7)
        assert one.n_errors == other.n_errors
        assert math.isclose(one.radius, other.radius)
        ran += 1
        corrected += plain.n_updates_ > 0
    assert ran == corrected == 40


def test_float_rows_give_the_same_corrections_too():
    rng, ran = np.random.default_rng(7), 0
    for _ in range(100):
        X = rng.standard_normal((60, 5)) + rng.standard_normal(5)
        y = X @ rng.standard_normal(5) > 0.3
        if 0 < y.sum() < len(y):
            settings = {"margin": str(rng.choice(["growing", "adaptive"])), "random_state": 3}
            plain = classic(**settings, max_epochs=30).fit(X, y)
            model = classic_kernel("linear", **settings, max_epochs=30).fit(X, y)
            assert model.n_updates_ == plain.n_updates_ > 0
            assert np.allclose(model.dual_coef_, plain.dual_coef_)
            ran += 1
    assert ran >= 95


KERNELS = {
    "poly": ({"gamma": 1.0, "degree": 2, "coef0": 1.0}, lambda x, z: (float(np.dot(x, z)) + 1.0) ** 2),
    "rbf": ({"gamma": 0.25}, lambda x, z: math.exp(-0.25 * math.dist(x, z) ** 2)),
}


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_compiled_equals_naive(kernel, order, jit):
    rng, ran = np.random.default_rng([len(kernel), len(order)]), 0
    numbers, function = KERNELS[kernel]
    for result, intercept in itertools.product(["last", "pocket"], [False, True]):
        for _ in range(5 if jit else 2):
            X, y = integer_set(rng, m=20, n=3)
            model = classic_kernel(
                kernel,
                **numbers,
                order=order,
                result=result,
                fit_intercept=intercept,
                intercept_scaling=2,
                max_epochs=12,
                random_state=5,
            ).fit(X, y)
            seed = generators(5, 1)[0]
            orders = (shuffled(len(X), seed).rows.tolist() for _ in itertools.count())
            run = kernel_perceptron(
                X.tolist(),
                y.tolist(),
                function,
                order=order,
                permutations=orders,
                result=result,
                rho_squared=4.0 * intercept,
                max_epochs=12,
            )
            duals = np.zeros(len(X))
            duals[model.support_] = np.abs(model.dual_coef_[0])
            assert model.n_updates_ == run.n_updates
            assert model.n_presentations_ == run.n_presentations
            assert np.allclose(duals, run.duals)
            assert np.allclose(model.intercept_, run.b)
            assert np.allclose(model.history_["margin_bound"], [line[2] for line in run.history], atol=1e-9)
            ran += 1
    assert ran == (20 if jit else 8)


def test_averages_are_those_of_the_scores():
    X, y = integer_set(np.random.default_rng(2))
    settings = {"result": "average", "random_state": 0, "max_epochs": 5}
    model, plain = classic_kernel("linear", **settings).fit(X, y), classic(**settings).fit(X, y)
    assert np.allclose(model.decision_function(X), plain.decision_function(X))
    verify(model.certificate_, model, X, y)


def test_what_no_line_separates():
    X, y = XOR
    model = classic_kernel(random_state=0).fit(X, y)
    assert model.converged_
    assert model.certificate_.separable
    assert np.array_equal(model.predict(X), y)
    circles, inside = make_circles(200, noise=0.05, factor=0.5, random_state=0)
    model = classic_kernel(order="worst", tol=0.05, max_epochs=100_000).fit(circles, inside)
    assert model.score(circles, inside) == 1.0
    certificate = model.certificate_
    assert 0.95 * certificate.margin_bound <= certificate.margin <= certificate.margin_bound
    assert not classic(max_epochs=100).fit(circles, inside).converged_


def test_certificates_are_rechecked_from_rows_and_duals():
    X, y = make_circles(60, noise=0.05, factor=0.5, random_state=1)
    model = classic_kernel(random_state=0, margin="growing").fit(X, y)
    verify(model.certificate_, model, X, y)
    verify(certify(model, X, y), model, X, y)  # kernel values are summed in another order: by rounding
    assert certify(model, X[::-1], y[::-1]).margin_bound is None  # other rows in their places
    assert certify(model, X[:50], y[:50]).margin_bound is None
    verify(replace(model.certificate_, margin_bound=9.0), model, X, y)  # weaker, and true
    with pytest.raises(ValueError, match="margin_bound"):
        verify(replace(model.certificate_, margin_bound=0.999 * model.certificate_.margin_bound), model, X, y)
    model.intercept_ = model.intercept_ + 1.0  # no longer the sum of its corrections
    assert certify(model, X, y).margin_bound is None


def test_a_precomputed_kernel_is_the_same_model():
    X, y = make_circles(60, noise=0.05, factor=0.5, random_state=1)
    K = rbf_kernel(X, gamma=0.7)
    one = classic_kernel("rbf", gamma=0.7, random_state=0).fit(X, y)
    for matrix in (K, sp.csr_array(K)):
        other = classic_kernel("precomputed", random_state=0).fit(matrix, y)
        assert np.array_equal(one.dual_coef_, other.dual_coef_)
        assert np.allclose(one.decision_function(X), other.decision_function(matrix))
        verify(other.certificate_, other, matrix, y)
    with pytest.raises(ValueError, match="60 rows it was trained on, but these are 10"):
        certify(other, K[:10], y[:10])


def test_a_function_is_a_kernel_and_three_classes_are_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    one = classic_kernel(lambda A, B: rbf_kernel(A, B, gamma=0.5), random_state=0, max_epochs=50).fit(X, y)
    other = classic_kernel(gamma=0.5, random_state=0, max_epochs=50).fit(X, y)
    assert np.array_equal(one.dual_coef_, other.dual_coef_)
    assert other.dual_coef_.shape == (3, len(other.support_))
    assert other.score(X, y) > 0.9
    assert len(other.certificate_) == 3
    verify(other.certificate_, other, X, y)


def test_parameters_set_later_do_not_change_a_fitted_model():
    X, y = XOR
    model = classic_kernel(gamma=2.0, random_state=0).fit(X, y)
    before = model.decision_function(X)
    model.set_params(kernel="linear", gamma=9.0)
    assert np.array_equal(model.decision_function(X), before)


def test_only_rows_about_to_be_corrected_are_computed():
    """Well separated clusters: few corrections, so few rows of the Gram matrix."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.standard_normal((600, 2)) + 9, rng.standard_normal((600, 2)) - 9])
    y = np.repeat([0, 1], 600)
    asked = []

    def kernel(A, B):
        asked.append(len(A) * (len(B) == len(X)))
        return A @ B.T

    model = classic_kernel(kernel, order="cyclic").fit(X, y)
    assert model.converged_
    assert 0 < sum(asked) < 60


def test_the_rows_of_a_gram_matrix_are_rows():
    X = np.random.default_rng(0).integers(-3, 4, (5, 3)).astype(float)
    kernel = Kernel("linear", 1.0, 3, 1.0)
    gram = kernel.gram(X)
    assert isinstance(gram, Gram)
    assert not gram.known.any()
    kernel.fill(X, gram, np.array([3, 1, 3]))
    assert gram.known.tolist() == [False, True, False, True, False]
    assert np.array_equal(gram.matrix[[1, 3]], (X @ X.T)[[1, 3]])
    assert np.array_equal(gram.diagonal, (X**2).sum(axis=1))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "rbff"}, "kernel='rbff', but it must be a function"),
        ({"gamma": 0}, "gamma=0, but it must be a number > 0"),
        ({"gamma": "large"}, "gamma='large', but it must be 'scale', 'auto'"),
        ({"degree": -1}, "degree=-1"),
        ({"coef0": math.nan}, "coef0=nan"),
        ({"kernel": "precomputed"}, "symmetric matrix of all pairs"),
        ({"kernel": lambda A, B: A @ B[:1].T}, "returned shape"),
        ({"kernel": lambda A, B: A @ B.T * np.nan}, "NaN or infinity"),
        ({"kernel": lambda A, B: -(A @ B.T)}, "a kernel is >= 0 there"),
        ({"kernel": lambda A, B: 5.0 - A @ B.T}, "not positive semidefinite"),
        ({"margin": "infinity", "kernel": "linear"}, "needs rows of norm <= 1"),
        ({"order": "best"}, "order='best'"),
    ],
)
def test_bad_input(settings, message):
    X, y = [[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]], [0, 1, 0]
    with pytest.raises(ValueError, match=message):
        classic_kernel(**{"fit_intercept": False, "order": "cyclic", **settings}).fit(X, y)


def test_a_matrix_that_does_not_fit_into_memory(monkeypatch):
    def no_memory(shape):
        raise MemoryError

    monkeypatch.setattr("perceptrons.margin.kernel_values.np.empty", no_memory)
    with pytest.raises(ValueError, match=r"kernel matrix of 4 rows takes .* use fewer rows"):
        Kernel("linear", 1.0, 3, 1.0).gram(XOR[0])


def test_weights_that_cancel_are_no_reason_to_refuse_a_kernel():
    rng, cancelled = np.random.default_rng(0), 0
    for _ in range(300):
        X = rng.integers(-3, 4, (5, 1)) * 0.1
        y = rng.integers(0, 2, 5)
        if 0 < y.sum() < 5:
            settings = {"order": "cyclic", "fit_intercept": False, "max_epochs": 4, "eta": 0.1}
            model = classic_kernel("linear", **settings).fit(X, y)
            cancelled += abs(model.decision_function(X)).max() < 1e-9
    assert cancelled > 20


def test_a_bound_that_rounding_cannot_undercut():
    """Nearly the same row in both classes: separable, although K cannot tell them apart."""
    X, y = np.array([[1.0, 0.0], [1.0, 1e-9]]), [0, 1]
    model = classic_kernel("linear", order="cyclic", fit_intercept=False, max_epochs=5).fit(X, y)
    assert model.certificate_.margin_bound >= 5e-10
    assert model.certificate_.separable is None


def test_rows_of_zeros_are_told_apart_from_bad_kernels():
    with pytest.warns(ConvergenceWarning, match="4 rows are all zeros"):
        model = classic_kernel("linear", fit_intercept=False).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert model.predict(np.zeros((2, 2))).tolist() == [0, 0]


def test_a_kernel_scaled_by_all_rows_is_not_rebuilt_from_some():
    X, y = make_circles(60, noise=0.05, factor=0.5, random_state=1)
    for gamma, kernel, reproducible in [
        ("scale", "rbf", False),
        (0.7, "rbf", True),
        ("auto", "rbf", True),
        ("scale", "linear", True),
    ]:
        model = classic_kernel(kernel, gamma=gamma, order="cyclic", max_epochs=200).fit(X, y)
        assert model.certificate_.reproducible == reproducible
        assert (model.certificate_.generalization_bound() is not None) == reproducible
        if reproducible and model.converged_:
            rows = model.support_
            again = classic_kernel(kernel, gamma=gamma, order="cyclic", max_epochs=200).fit(X[rows], y[rows])
            assert np.array_equal(again.dual_coef_, model.dual_coef_)


def test_kernels_that_are_no_kernels():
    X = np.array([[1, 0.9], [1, -0.9], [1, 0.5], [-1, 0.9], [-1, -0.9], [-1, 0.0]])
    y = [1, 1, 1, 0, 0, 0]
    with pytest.raises(ValueError, match=r"not positive semidefinite: \|K\(x, z\)\| >"):
        classic_kernel(lambda A, B: A[:, :1] @ B[:, :1].T - A[:, 1:] @ B[:, 1:].T, order="cyclic").fit(X, y)
    model = classic_kernel("sigmoid", gamma=0.1, order="cyclic", max_epochs=20).fit(X, y)
    assert model.certificate_.margin_bound is None


def test_a_matrix_of_other_rows_is_not_certified():
    rng = np.random.default_rng(3)
    X, others = rng.standard_normal((2, 40, 2))
    y = X[:, 0] > 0
    model = classic_kernel("precomputed", random_state=0).fit(rbf_kernel(X), y)
    with pytest.raises(ValueError, match="is not symmetric"):
        certify(model, rbf_kernel(others, X), y)


def test_a_function_may_return_a_sparse_matrix():
    X, y = XOR
    model = classic_kernel(lambda A, B: A @ B.T, random_state=0, max_epochs=3).fit(sp.csr_array(X), y)
    plain = classic_kernel("linear", random_state=0, max_epochs=3).fit(X, y)
    assert np.array_equal(model.dual_coef_, plain.dual_coef_)


def test_gamma_scale_is_that_of_svc():
    X = np.random.default_rng(0).standard_normal((30, 3)) + 1e6
    y = X[:, 0] > 1e6
    model = classic_kernel(max_epochs=2, random_state=0).fit(X, y)
    assert model.gamma_ == SVC().fit(X, y)._gamma


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X, y = XOR
    model = classic_kernel(random_state=0).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="K"):
        model.set_params(kernel=lambda A, B: 5.0 - A @ B.T).fit(3 * X, y)
    assert model.certificate_ is before["certificate_"]
    assert np.array_equal(model.dual_coef_, before["dual_coef_"])


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_a_cell_stored_twice_is_its_sum(kernel):
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = KernelPerceptron(kernel=kernel, random_state=0).fit(X, X[:, 0] > 0.0)
    parts = np.concatenate([0.25 * X, 0.75 * X], axis=1).ravel()
    twice = sp.csr_array((parts, np.tile([0, 1, 2], 80), 6 * np.arange(41)), shape=X.shape)
    assert np.allclose(model.decision_function(twice), model.decision_function(X))
    assert twice.nnz == 240  # the caller's matrix is as it was
