"""Bad input gets a clear error that names the value, the limit and the remedy."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression

from perceptrons import SparsePerceptron, TableEncoder, certify, verify
from perceptrons.synthetic import separable, two_point
from tests.margin.classic import classic

pytestmark = pytest.mark.kernels

X = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 0.0], [3.0, 2.0]])
y = np.array([0, 1, 0, 1])


def changed(value, row=1, column=1, make=np.array):
    other = X.copy()
    other[row, column] = value
    return make(other)


@pytest.mark.parametrize("make", [np.array, sp.csr_array, lambda a: a.astype(np.float32)])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_not_finite(value, make):
    with pytest.raises(ValueError, match="NaN" if np.isnan(value) else "infinity"):
        classic().fit(changed(value, make=make), y)
    with pytest.raises(ValueError, match="NaN" if np.isnan(value) else "infinity"):
        classic().fit(X, y).predict(changed(value, make=make))


def test_not_finite_labels():
    with pytest.raises(ValueError, match="NaN"):
        classic().fit(X, [0.0, 1.0, np.nan, 1.0])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        classic().fit(X, [0.5, 1.0, 0.2, 1.0])


@pytest.mark.parametrize("nothing", [None, 3.0, np.array(1.0)])
def test_no_table_at_all(nothing):
    for model in (classic(), SparsePerceptron()):
        with pytest.raises(ValueError, match=r"Expected 2D array, got .*scalar"):
            model.fit(nothing, y)


def test_cells_that_no_float_holds():
    wide = X.astype(object)
    wide[1, 1] = 10**400
    with pytest.raises(ValueError, match="X holds a whole number that no float can hold"):
        classic().fit(wide, y)
    dates = pd.DataFrame({"when": pd.date_range("2020-01-01", periods=4), "b": X[:, 1]})
    with pytest.raises(ValueError, match=r"X has columns of dates .* put a TableEncoder before"):
        classic().fit(dates, y)


def test_texts_are_for_an_encoder():
    remedy = r"X holds texts, .* before the learner: make_pipeline\(TableEncoder\(\), Perceptron\(…\)\)\."
    names = ["red", "blue"] * 2
    categories = pd.DataFrame({"color": pd.Categorical(names), "b": X[:, 1]})
    mixed = X.astype(object)
    mixed[1, 1] = "red"
    for rows in (pd.DataFrame({"color": names, "b": X[:, 1]}), categories, mixed, mixed.tolist()):
        with pytest.raises(ValueError, match=remedy):
            classic().fit(rows, y)
    with pytest.raises(ValueError, match=remedy):
        classic().fit(X, y).predict(np.array([["red", 1.0]], object))
    arrow = pytest.importorskip("pyarrow").table({"color": names, "b": X[:, 1]})
    for model in (TableEncoder(), SparsePerceptron()):
        with pytest.raises(TypeError, match=r"X is a pyarrow Table, .* pass polars.from_arrow\(X\)"):
            model.fit(arrow, y)


@pytest.mark.parametrize("labels", [[1, 1, 1, 1], ["a"] * 4, [True] * 4])
def test_one_class(labels):
    with pytest.raises(ValueError, match="one class only"):
        classic().fit(X, labels)


def test_no_rows_no_columns():
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        classic().fit(np.zeros((0, 3)), [])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        classic().fit(np.zeros((3, 0)), [0, 1, 0])


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
@pytest.mark.parametrize("step", ["fixed", "absolute", "fractional"])
def test_contradictions_never_hang(order, step):
    X2, y2 = np.vstack([X, X, X]), np.append(np.append(y, 1 - y), y)
    with pytest.warns(ConvergenceWarning, match="max_epochs=20 .* rows wrong. Raise max_epochs"):
        model = classic(order=order, step=step, max_epochs=20).fit(X2, y2)
    assert not model.converged_
    assert model.n_iter_ <= 21
    assert model.certificate_.separable is not True


def test_rows_of_norm_zero():
    X2 = changed([0.0, 0.0], row=2, column=slice(None))
    for step in ("fixed", "absolute", "fractional"):
        with pytest.warns(ConvergenceWarning, match="1 rows are all zeros and fit_intercept=False"):
            model = classic(step=step, fit_intercept=False).fit(X2, y)
        assert not model.converged_
        assert 2 not in model.support_
        assert np.isfinite(model.coef_).all()
        assert model.certificate_.margin == 0.0
    assert classic(fit_intercept=False, ties="negative").fit(X2, y).converged_
    assert classic().fit(X2, y).converged_
    with pytest.warns(ConvergenceWarning, match="4 rows are all zeros"):
        classic(fit_intercept=False, order="worst").fit(0 * X, y)
    with pytest.warns(ConvergenceWarning, match="max_epochs"):
        classic(max_epochs=9).fit(0 * X, y)


# with the JIT off it is NumPy that computes, and says so
numpy_may_warn = pytest.mark.filterwarnings("ignore:.*(overflow|invalid value|underflow):RuntimeWarning")


@numpy_may_warn
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_huge_and_tiny_scales(make):
    with pytest.raises(ValueError, match=r"overflow float64: largest \|value\| 3e\+300.*StandardScaler"):
        classic().fit(make(X * 1e300), y)
    with pytest.raises(ValueError, match=r"underflow float64: largest \|value\| 3e-300.*StandardScaler"):
        classic().fit(make(X * 1e-300), y)
    for scale in (1e-140, 1e140):
        assert classic().fit(make(X * scale), y).converged_
    mixed = make(X * [1e-300, 1.0])  # one column too small to matter
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert np.isfinite(classic(max_epochs=5).fit(mixed, y).coef_).all()
    with pytest.raises(ValueError, match=r"underflow float32: largest \|value\| 3e-30, limit about 1e-19"):
        classic().fit(make(X.astype(np.float32) * np.float32(1e-30)), y)
    with pytest.raises(ValueError, match=r"overflow float32: largest \|value\| 3e\+30, limit about 2e\+19"):
        classic().fit(make(X.astype(np.float32) * np.float32(1e30)), y)


@numpy_may_warn
def test_overflowing_weights_are_reported():
    with pytest.raises(ValueError, match="weights overflowed"):
        classic(eta=1e300, fit_intercept=False).fit(X * 1e100, y)


def test_other_types_are_converted_once():
    expected = classic(order="cyclic").fit(X, y).coef_
    for other in (
        X.astype(np.int8),
        X.astype(object),
        X.tolist(),
        X.astype(np.float16),
        sp.coo_array(X.astype(int)),
    ):
        model = classic(order="cyclic").fit(other, y)
        assert model.coef_.dtype == np.float64
        assert np.array_equal(model.coef_, expected)
    assert classic().fit(X > 0.5, [0, 1, 0, 1]).coef_.dtype == np.float64
    with pytest.raises(ValueError, match="could not convert string"):
        classic().fit(np.full((4, 2), "a", object), y)


def test_csr_with_index_arrays_of_different_width():
    mixed = sp.csr_array(X)
    mixed.indptr = mixed.indptr.astype(np.int64)
    expected = classic(order="cyclic").fit(X, y).coef_
    assert np.array_equal(classic(order="cyclic").fit(mixed, y).coef_, expected)


def test_unsorted_csr_with_duplicates_is_summed_in_a_copy():
    data, indices, indptr = (
        np.array([1.0, 1.0, 1.0, 1, 2, 1, 1, 2]),
        [1, 0, 0, 1, 0, 0, 1, 0],
        [0, 1, 4, 5, 8],
    )
    raw = sp.csr_array((data, indices, indptr), (4, 2))
    before = raw.data.copy(), raw.indices.copy()
    model = classic(order="cyclic").fit(raw, y)
    assert np.array_equal(model.coef_, classic(order="cyclic").fit(raw.toarray(), y).coef_)
    assert np.array_equal(raw.data, before[0])
    assert np.array_equal(raw.indices, before[1])


BAD = [
    ({"step": "big"}, "step='big', but it must be one of 'fixed'"),
    ({"step": 1}, "step=1, but it must be one of"),
    ({"order": None}, "order=None, but it must be one of"),
    ({"result": "best"}, "result='best'"),
    ({"ties": "positive"}, "ties='positive'"),
    ({"eta": 0}, "eta=0, but it must be a number > 0"),
    ({"eta": "1"}, "eta='1'"),
    ({"eta": np.nan}, "eta=nan"),
    ({"step": "fractional", "eta": 2.5}, "eta=2.5, but it must be a number in (0, 2]"),
    ({"step": "absolute", "eta": abs}, "eta is a function, which step='absolute' cannot use"),
    ({"margin": -1}, "margin=-1, but it must be a number >= 0"),
    ({"margin": (1, 2, 3)}, "a pair of them in the order of classes_"),
    ({"margin": "huge"}, "margin='huge'"),
    ({"margin": None}, "margin=None"),
    ({"step": "passive-aggressive"}, "needs a target > 0 to aim at; use margin=1.0"),
    ({"step": "passive-aggressive", "margin": "growing"}, "needs a target > 0"),
    ({"alpha": 2.0}, "alpha=2.0, but it must be a number in (1, 2)"),
    ({"intercept_scaling": "norm"}, "intercept_scaling='norm'"),
    ({"intercept_scaling": 0}, "intercept_scaling=0"),
    ({"max_epochs": 0}, "max_epochs=0, but it must be an integer >= 1"),
    ({"max_epochs": 2.5}, "max_epochs=2.5"),
    ({"max_epochs": True}, "max_epochs=True"),
    ({"max_updates": 0}, "max_updates=0"),
    ({"verbose": "loud"}, "verbose='loud'"),
    ({"verbose": -1}, "verbose=-1"),
    ({"fit_intercept": "no"}, "fit_intercept='no', but it must be True or False"),
    ({"warm_start": 1}, "warm_start=1"),
    ({"margin": True}, "margin=True"),
    ({"step": "fractional", "eta": np.ones(2)}, "eta=array"),
    ({"intercept_scaling": 1e200}, "intercept_scaling=1e+200"),
    ({"tol": 1.0}, "tol=1.0, but it must be a number in (0, 1)"),
]


@pytest.mark.parametrize(("settings", "message"), BAD)
def test_parameters(settings, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        classic(**settings).fit(X, y)


def test_a_step_function_must_give_steps():
    with pytest.raises(ValueError, match=r"eta\(2\)=0, but it must be a number > 0; fix eta"):
        classic(eta=lambda t: 2 - t, order="cyclic").fit(X, y)


def test_infinity_needs_rows_in_the_unit_ball():
    with pytest.raises(
        ValueError, match=r"largest norm is 3\.60555; divide X by it, or use margin='growing'"
    ):
        classic(margin="infinity", fit_intercept=False).fit(X, y)
    with pytest.raises(ValueError, match=r"1\.41421 \(with the intercept's coordinate\)"):
        classic(margin="infinity").fit(*two_point(0.5))
    assert classic(margin="infinity", fit_intercept=False).fit(*two_point(0.5)).converged_


def test_starting_weights():
    with pytest.raises(ValueError, match=r"coef_init has shape \(3,\), but these data need \(1, 2\)"):
        classic().fit(X, y, coef_init=[1, 2, 3])
    with pytest.raises(ValueError, match="NaN or infinity"):
        classic().fit(X, y, coef_init=[1, np.nan])
    with pytest.raises(ValueError, match="intercept_init"):
        classic().fit(X, y, intercept_init=[1, 2])
    with pytest.raises(ValueError, match=r"tol=0\.1 certifies weights that are a sum of these rows"):
        classic(tol=0.1).fit(X, y, coef_init=[1, 2])
    with pytest.raises(ValueError, match="fit_intercept=False"):
        classic(fit_intercept=False).fit(X, y, intercept_init=1)


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = classic().fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="NaN"):
        model.fit(changed(np.nan), y)
    assert np.array_equal(model.coef_, before)
    assert model.n_features_in_ == 2


def test_unfitted_and_mismatched():
    with pytest.raises(NotFittedError):
        certify(classic(), X, y)
    with pytest.raises(ValueError, match="LogisticRegression does not remember the rows"):
        certify(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(ValueError, match="verify takes a Certificate"):
        verify("it is fine", classic().fit(X, y), X, y)
    with pytest.raises(ValueError, match="3 features"):
        classic().fit(X, y).predict(np.zeros((2, 3)))


def test_reaching_the_target_late_is_not_called_an_error():
    with pytest.warns(ConvergenceWarning, match=r"0\.0% of the training rows wrong.*ask for less margin"):
        classic(margin=1e9, max_epochs=20, random_state=0).fit([[-1.0], [1.0]], [0, 1])


def test_max_updates_warns_with_its_name():
    with pytest.warns(ConvergenceWarning, match="max_updates=1 "):
        classic(max_updates=1).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"margin": 0.9, "density": 0.25}, "allow"),
        ({"margin": 0.1, "density": 0}, "shares"),
        ({"margin": -1.0}, "allow"),
    ],
)
def test_synthetic_data(settings, message):
    with pytest.raises(ValueError, match=message):
        separable(10, 4, **settings)
    with pytest.raises(ValueError, match=r"eps=2, but it must lie in \(0, 1\)"):
        two_point(2)
