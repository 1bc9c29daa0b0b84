"""`MaxMarginPerceptron` with weights as a model: threads, warm starts, files, bad input, routing."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

from perceptrons import MaxMarginPerceptron, load, save
from tests.margin.maximum.test_weights import XOR, fitted, noisy, recertified, same
from tests.model_file.test_damage import sealed

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_threads_change_nothing(C, make):
    X, y = load_iris(return_X_y=True)
    weights = np.arange(len(y)) % 3
    before = threadpool_info()
    alone = fitted(make(X), y, weights, C=C)
    for n_jobs in (2, 5, -1):
        model = fitted(make(X), y, weights, C=C, n_jobs=n_jobs)
        assert same(model, alone)
        assert np.array_equal(model.support_, alone.support_)
        assert model.certificate_ == alone.certificate_
    assert threadpool_info() == before


def test_threads_fail_as_one_does():
    X, y = load_iris(return_X_y=True)
    model = MaxMarginPerceptron(on_inseparable="raise", n_jobs=2)
    with pytest.raises(ValueError, match=r"not separable \(1 against the rest\)"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_a_warm_start_with_other_weights(C):
    X, y, weights = noisy(8, 200, 10)
    y = y if C == 1.0 else np.where(X[:, 0] > 0.3, 1, -1)
    model = MaxMarginPerceptron(C=C, tol=1e-6, warm_start=True).fit(X, y, weights)
    cold = model.n_updates_
    assert model.fit(X, y, weights).n_updates_ < cold
    for other in (weights + 1.0, np.roll(weights, 1), None):  # more rows, other rows; no support row of then
        rest = np.where(np.isin(np.arange(200), model.support_), 0.0, 1.0)
        model.fit(X, y, rest if other is None else other)
        fresh = fitted(X, y, rest if other is None else other, C=C, tol=1e-6)
        assert model.converged_
        assert model.coef_ == pytest.approx(fresh.coef_, abs=3e-3 * np.abs(fresh.coef_).max())
    assert same(model, fresh)  # there was nothing to start from


def changed(path, part, name, value):
    document = json.loads(path.read_bytes())
    inner = document["model"]["fitted"] if part == "fitted" else document["model"]["fitted"][part]
    if value is None:
        del inner[name]
    else:
        inner[name] = value
    other = path.with_name("changed.json")
    other.write_bytes(sealed(json.dumps(document).encode()))
    return other


def test_files(tmp_path):
    X, y, weights = noisy(9)
    weights[-1], path = 1.0, tmp_path / "model.json"
    model = fitted(X, y, weights, C=0.1, class_weight={1: 2.0}, n_jobs=2, warm_start=True)
    assert model.support_[-1] >= model.n_rows_  # a number among the rows given
    save(model, path)
    other = load(path)
    assert other.get_params() == model.get_params()
    assert recertified(other, X, y, weights) == [model.certificate_]
    assert same(other.fit(X, y, weights), model.fit(X, y, weights))
    for name, value in (
        ("n_given", model.n_rows_),
        ("class_weight", {"dict": [[5, 1.0]]}),
        ("class_weight", 3),
    ):
        with pytest.raises(ValueError, match=f"support_|{name}"):
            load(changed(path, "terms", name, value))


def test_a_file_without_weights_is_one_of_before(tmp_path):
    X, y, _ = noisy(9)
    save(fitted(X, y, C=1.0), tmp_path / "model.json")
    path = tmp_path / "model.json"
    for name in ("class_weight", "n_given"):
        path = changed(path, "terms", name, None)
    assert load(path)._terms.n_given == len(y)


BAD = [
    ([1.0, -2.0, 1.0, 1.0], None, r"sample_weight has -2.0, but a weight must be >= 0; use 0"),
    ([1.0, np.nan, 1.0, 1.0], None, "sample_weight contains NaN"),
    ([1.0, np.inf, 1.0, 1.0], None, "sample_weight contains infinity"),
    ([0.0, 0.0, 0.0, 0.0], None, "all of them are 0"),
    ([1.0, 1.0, 1.0], None, "sample_weight has 3 entries for 4 rows; give one for each"),
    ([[1.0, 1.0, 1.0, 1.0]], None, "must be 1D"),
    ([1.0, 0.0, 0.0, 1.0], None, "All rows of the class 1 have weight 0.*leave its rows out"),
    (None, {1: 0.0}, "All rows of the class 1 have weight 0"),
    (None, {7: 1.0}, r"class_weight names the class 7, but the classes are \[-1, 1\]; leave it out"),
    (None, {1: -1.0}, "class_weight of the class 1 is -1.0, but it must be a number >= 0; use 1"),
    (None, "even", "class_weight='even', but it must be 'balanced', a dict or None"),
    ([1.0, 1e-200, 1.0, 1.0], None, "A row has the weight 1e-200, .* must be 0 or lie between 1e-30 and"),
]


@pytest.mark.parametrize(("weights", "class_weight", "message"), BAD)
def test_weights_that_are_refused(weights, class_weight, message):
    model = MaxMarginPerceptron(C=1.0).fit(*XOR)
    before = repr({**vars(model), "class_weight": class_weight})
    with pytest.raises(ValueError, match=message):
        model.set_params(class_weight=class_weight).fit(*XOR, sample_weight=weights)
    assert repr(vars(model)) == before


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_numbers_of_threads_that_are_refused(n_jobs):
    with pytest.raises(
        ValueError, match=f"n_jobs={n_jobs!r}, but it must be an integer other than 0; use None"
    ):
        MaxMarginPerceptron(n_jobs=n_jobs).fit(*XOR)


def test_weights_are_routed():
    X, y, weights = noisy(10)
    with sklearn.config_context(enable_metadata_routing=True):
        last = MaxMarginPerceptron(C=1.0).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, last).fit(X, y, sample_weight=weights)
    assert same(pipeline[-1], fitted(StandardScaler().fit_transform(X), y, weights, C=1.0))
