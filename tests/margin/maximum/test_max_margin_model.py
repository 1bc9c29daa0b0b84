"""`MaxMarginPerceptron` as a model: parameters, bad input, warm starts, classes, files."""

import copy
import json
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.linalg import hilbert
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from perceptrons import MaxMarginPerceptron, load, save, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.synthetic import separable
from tests.model_file.test_damage import sealed
from tests.naive.max_margin import best_margin

pytestmark = pytest.mark.kernels

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([-1, 1, 1, -1])


def blobs(seed=0, m=60, n=4, shift=0.5):
    X, y, _ = separable(m, n, margin=0.05, random_state=seed)
    return X + shift, y


def fitted(X, y, **parameters):
    model = MaxMarginPerceptron(**parameters).fit(X, y)
    verify(model.certificate_, model, X, y)
    return model


REFUSED = [
    ("C", [0, 0.0, -1.0, -np.inf, np.nan, "1", True, None, [1.0]], "C=.*> 0; use inf for no slack"),
    ("tol", [0, 1, 1.0, -1e-3, np.nan, "small", True, None], r"tol=.*in \(0, 1\); use 1e-3"),
    ("max_iter", [0, -1, 1.5, np.inf, "9", True, None], "max_iter=.*an integer >= 1; use 1000"),
    ("on_inseparable", ["x", None, 1, True, ["warn"]], "on_inseparable=.*'warn', 'raise'"),
    ("warm_start", [3, None, "yes", 1.0], "warm_start=.*True or False"),
    ("fit_intercept", [3, None, "yes", 1.0], "fit_intercept=.*True or False"),
]


@pytest.mark.parametrize(("name", "values", "message"), REFUSED, ids=[name for name, *_ in REFUSED])
def test_parameters_that_are_refused(name, values, message):
    for value in values:
        with pytest.raises(ValueError, match=message) as refused:
            MaxMarginPerceptron(**{name: value}).fit([[0.0], [1.0]], [0, 1])
        assert repr(value) in str(refused.value)


def test_parameters_that_are_accepted():
    for parameters in ({"C": 1}, {"C": np.float32(2.0)}, {"C": float("inf")}, {"max_iter": np.int64(5)}):
        assert fitted([[0.0], [1.0]], [0, 1], **parameters).converged_


# with the JIT off it is NumPy that computes, and says so
numpy_may_warn = pytest.mark.filterwarnings("ignore:.*(overflow|invalid value|underflow):RuntimeWarning")


@numpy_may_warn
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[np.nan], [1.0]], [0, 1], "NaN"),
        ([[np.inf], [1.0]], [0, 1], "infinity"),
        ([[0.0], [1.0]], [1, 1], "one class only"),
        ([[0.0], [1.0]], [0.5, 1.5], "[Uu]nknown label type"),
        ([0.0, 1.0], [0, 1], "2D array"),
        ([[0.0], [1.0]], [0, 1, 1], "inconsistent"),
        (np.empty((0, 2)), [], "0 sample"),
        ([[1e160], [-1e160]], [0, 1], "overflow float64: largest .value. 1e.160, limit about"),
        ([[1e-160], [-1e-160]], [0, 1], "underflow float64: largest .value. 1e-160, limit about"),
        (np.float32([[1e30], [-1e30]]), [0, 1], "overflow float32"),
    ],
)
@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_rows_that_are_refused(X, y, message, C):
    with pytest.raises(ValueError, match=message):
        MaxMarginPerceptron(C=C).fit(X, y)


def test_identical_rows_of_both_classes():
    X, y = np.array([[1.0, 2.0], [3.0, 0.5], [3.0, 0.5], [5.0, 1.0]]), np.array([0, 0, 1, 1])
    for intercept in (True, False):
        with pytest.warns(ConvergenceWarning, match="not separable.*Use a finite C"):
            model = fitted(X, y, fit_intercept=intercept)
        assert model.certificate_.separable is False
        assert model.certificate_.n_errors <= 2
    with pytest.warns(ConvergenceWarning, match="not separable"):
        model = fitted(X, y)
    weights = dict(model.certificate_.witness)
    assert (weights[1], weights[2]) == pytest.approx((1.0, 1.0))
    assert model.certificate_.margin_bound == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", [(2, 1), (2, 7), (5, 500), (5000, 2), (300, 1)])
def test_shapes(shape, intercept, jit):
    rng = np.random.default_rng(sum(shape))
    m, n = shape if jit else (min(shape[0], 300), shape[1])
    X = rng.standard_normal((m, n)) + (0.2 if intercept else 0.0)
    y = np.where(X @ rng.standard_normal(n) > np.median(X @ np.ones(n)) * intercept, 1, -1)
    y[0] *= -1 if len(set(y)) == 1 else 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model, sparse = (fitted(rows, y, fit_intercept=intercept) for rows in (X, sp.csr_array(X)))
    assert model.certificate_.separable is not None
    assert model.certificate_.separable is sparse.certificate_.separable
    if model.certificate_.separable:
        assert model.certificate_.margin == pytest.approx(best_margin(X, y, intercept), rel=2e-3)
        assert model.coef_ == pytest.approx(sparse.coef_, rel=1e-6)


def test_nearly_singular_rows():
    """Whatever comes out holds: verified, and never a wrong word about separability."""
    rng, words = np.random.default_rng(0), []
    X = rng.standard_normal((60, 4))
    y = np.where(X @ [1.0, 2.0, -1.0, 1.0] > 0.1, 1, -1)
    twins = np.hstack([X, X + 1e-9 * rng.standard_normal(X.shape)])
    model = fitted(twins, y)
    assert model.certificate_.separable
    assert model.certificate_.margin == pytest.approx(np.sqrt(2) * best_margin(X, y, True), rel=2e-3)
    for k in range(3, 13):  # any labels separate them, with ever smaller margins
        for intercept in (True, False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = fitted(hilbert(k), np.arange(k) % 2, fit_intercept=intercept)
            words.append(model.certificate_.separable)
            assert words[-1] is not False or model.certificate_.margin_bound < 1e-14
            if words[-1]:
                assert model.certificate_.n_errors == 0
    assert words[:6] == [True] * 6


def test_constant_and_duplicate_columns_and_rows():
    X, y = blobs()
    model = fitted(X, y, tol=1e-8)
    wider = fitted(np.hstack([X, np.full((60, 2), 7.0)]), y, tol=1e-8)
    assert wider.coef_[0, :4] == pytest.approx(model.coef_[0], rel=1e-5)
    assert wider.coef_[0, 4:] == pytest.approx([0.0, 0.0], abs=1e-5)
    twice = fitted(np.hstack([X, X]), y, tol=1e-8)
    assert twice.certificate_.margin == pytest.approx(np.sqrt(2) * model.certificate_.margin, rel=1e-6)
    again = fitted(np.vstack([X, X, X[:5]]), np.concatenate([y, y, y[:5]]), tol=1e-8)
    assert again.coef_ == pytest.approx(model.coef_, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-100, 1e-50, 1e100, 1e150])
@pytest.mark.parametrize("intercept", [False, True])
def test_scales(scale, intercept):
    X, y = blobs(shift=0.0)
    model, scaled = fitted(X, y, fit_intercept=intercept), fitted(scale * X, y, fit_intercept=intercept)
    assert scaled.certificate_.margin == pytest.approx(scale * model.certificate_.margin, rel=1e-3)
    assert (scaled.predict(scale * X) == y).all()


@numpy_may_warn
@pytest.mark.parametrize("margin", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("scale", [1e-153, 1e-150, 1e-147, 1e150, 1e153])
def test_near_the_limits_of_scale_nothing_wrong_is_said(scale, margin):
    X, y, _ = separable(40, 3, margin=margin, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model = fitted(scale * X, y, fit_intercept=False)
        except ValueError as error:
            assert re.search("(under|over)flow|[Ss]cale", str(error))  # noqa: PT017  refused, and says why
            return
    assert model.certificate_.separable is not False
    assert np.isfinite(model.certificate_.margin)


@pytest.mark.parametrize("C", [1e-300, 1e-100, 1e100, 1e300])
def test_extreme_costs(C):
    X, y = blobs()
    try:
        model = fitted(X, y, C=C)
    except ValueError as error:
        assert f"C={C:g}" in str(error)  # noqa: PT017  refused, and says why
        return
    assert model.certificate_.gap <= 1e-3


def test_a_witness_is_complained_about():
    """Two rows nearer to one another than rounding: whatever is said, it is not said silently."""
    X, y = np.array([[1.0, 0.0], [1.0, 1e-15], [0.0, 0.0], [5.0, 3.0]]), np.array([0, 1, 0, 1])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = fitted(X, y)
    certificate = model.certificate_
    assert certificate.separable is not False or (len(seen) == 1 and not model.converged_)


def test_raise_leaves_the_model_as_it_was():
    X, y = blobs(n=2)
    model = MaxMarginPerceptron(on_inseparable="raise").fit(X, y)
    before = repr(vars(model))
    with pytest.raises(ValueError, match=r"not separable.*Use a finite C, such as C=1"):
        model.fit(*XOR)
    assert repr(vars(model)) == before
    with pytest.raises(ValueError, match="not separable"):
        model.fit(np.hstack([XOR[0], XOR[0]]), XOR[1])
    assert repr(vars(model)) == before
    verify(model.certificate_, model, X, y)
    assert fitted(*XOR, on_inseparable="raise", C=1.0).certificate_.separable is not True


def test_a_cap_warns_and_the_certificate_holds():
    X, y = blobs(m=400, n=20)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 .*tol=1e-08"):
        model = fitted(X, y, tol=1e-8, max_iter=1)
    assert not model.converged_
    assert model.certificate_.gap > 1e-8
    best = best_margin(X, y, True)
    assert model.certificate_.margin <= best <= model.certificate_.margin_bound
    assert fitted(X, y, tol=1e-8).n_iter_ > 1


@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_a_warm_start_goes_on(C):
    X, y = blobs(m=200, n=20)
    model = MaxMarginPerceptron(C=C, tol=1e-6, warm_start=True).fit(X, y)
    cold, margin = model.n_updates_, model.certificate_.gap
    model.fit(X, y)
    assert model.n_updates_ < cold
    assert model.certificate_.gap <= max(margin, 1e-6)
    verify(model.certificate_, model, X, y)
    rng = np.random.default_rng(0)
    for rows, labels in ((X + 1e-3 * rng.standard_normal(X.shape), y), (X[:150], y[:150]), (X, -y)):
        model.fit(rows, labels)  # other rows, fewer rows, other labels: the same as from nothing
        verify(model.certificate_, model, rows, labels)
        fresh = MaxMarginPerceptron(C=C, tol=1e-6).fit(rows, labels)
        assert model.coef_ == pytest.approx(fresh.coef_, abs=3e-3 * np.abs(fresh.coef_).max())
        if len(rows) == 150:
            assert model.n_updates_ == fresh.n_updates_
    assert MaxMarginPerceptron(C=C, tol=1e-6).fit(X, y).fit(X, y).n_updates_ == cold  # without: from nothing


@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_more_classes_are_one_against_the_rest(C, make):
    X, codes = load_iris(return_X_y=True)
    names, rows = np.array(["se", "ve", "vi"]), make(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fitted(rows, names[codes], C=C)
        for k in range(3):
            binary = fitted(rows, codes == k, C=C)
            assert model.coef_[k] == pytest.approx(binary.coef_[0], rel=1e-9)
            assert model.intercept_[k] == pytest.approx(binary.intercept_[0], rel=1e-9)
            one = model.certificate_[k]
            assert (one.separable, one.n_errors) == (
                binary.certificate_.separable,
                binary.certificate_.n_errors,
            )
            assert one.margin == pytest.approx(binary.certificate_.margin)
            assert model.n_updates_[k] == binary.n_updates_
    assert model.certificate_[0].separable is True
    assert certify(model, rows, names[codes]) == model.certificate_
    assert len(model.history_) == 3
    if C == 1.0:
        assert model.score(rows, names[codes]) > 0.9
    else:
        with pytest.warns(ConvergenceWarning, match=r"not separable \(ve against the rest\)"):
            MaxMarginPerceptron().fit(rows, names[codes])


def test_frames_keep_their_names():
    X, y = blobs(n=3)
    plain = fitted(X, y)
    for frame in (pd.DataFrame(X, columns=["p", "q", "r"]), pl.DataFrame(X, schema=["p", "q", "r"])):
        model = fitted(frame, np.where(y > 0, "yes", "no"))
        assert list(model.feature_names_in_) == ["p", "q", "r"]
        assert np.array_equal(model.coef_, plain.coef_)
        assert list(model.classes_) == ["no", "yes"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename({"p": "z"}))


MODELS = {
    "separable": (*blobs(), {}),
    "inseparable": (*XOR, {}),
    "slack": (*XOR, {"C": 2.0}),
    "three": (*load_iris(return_X_y=True), {"fit_intercept": False}),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", MODELS)
def test_files(name, tmp_path):
    X, y, parameters = MODELS[name]
    model = fitted(X, y, warm_start=True, **parameters)
    save(model, tmp_path / "model.json")
    other = load(tmp_path / "model.json")
    assert other.get_params() == model.get_params()
    assert other.certificate_ == model.certificate_
    verify(other.certificate_, other, X, y)
    assert np.array_equal(other.decision_function(X), model.decision_function(X))
    assert np.array_equal(other.predict(X), model.predict(X))
    model.fit(X, y)
    other.fit(X, y)  # both go on from where they were
    assert np.array_equal(other.n_updates_, model.n_updates_)
    assert np.array_equal(other.coef_, model.coef_)
    save(other, tmp_path / "again.json")
    verify(load(tmp_path / "again.json").certificate_, other, X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_forged_files_are_refused_or_fail_verification(tmp_path):
    path = tmp_path / "model.json"
    model = fitted(*XOR)
    save(model, path)
    document, counts = json.loads(path.read_bytes()), {"refused": 0, "unverified": 0}
    pairs = document["model"]["fitted"]["certificate_"][0]["witness"]
    assert len(pairs) == 4
    halves = [[row, "1/2"] for row, _ in pairs]
    assert pairs == halves
    worse = [
        [], pairs[:3], [*pairs, pairs[0]], pairs[::-1], [[row, "1"] for row, _ in pairs],
        [[row, "-1/2"] for row, _ in pairs], [[row + 1, a] for row, a in pairs],
        [[row - 1, a] for row, a in pairs], [[row, "1/0"] for row, _ in pairs],
        [[row, "9" * 5000] for row, _ in pairs], [[row, "1/" + "9" * 4000] for row, _ in pairs],
        [[0, 0.4], *pairs[1:]], [[0, "nan"], *pairs[1:]], [[0, None], *pairs[1:]], [[0.5, 0.5], *pairs[1:]],
        [[0], *pairs[1:]], [[row, "1/4"] for row, _ in pairs for _ in "12"], "yes", {"a": 1}, None,
        [0, 1], [[10**30, 0.5], *pairs[1:]], [[0, 0.5], [1, 0.5]],
    ]  # fmt: skip
    changes = [("certificate_", "witness", value) for value in worse]
    changes += [("certificate_", "separable", True), ("certificate_", "margin_bound", 0.5)]
    changes += [
        ("terms", "C", 0.0),
        ("terms", "C", -1.0),
        ("terms", "C", "nan"),
        ("terms", "fit_intercept", 0),
    ]
    changes += [("terms", "C", 1.0), ("terms", "fit_intercept", False)]
    for part, name, value in changes:
        forged = copy.deepcopy(document)
        inner = forged["model"]["fitted"][part]
        (inner[0] if isinstance(inner, list) else inner)[name] = value
        path.write_bytes(sealed(json.dumps(forged).encode()))
        try:
            other = load(path)
        except ValueError as error:
            assert re.search(r"model\.json", str(error))  # noqa: PT017  refused, with the place
            counts["refused"] += 1
            continue
        if (name, value) in (("witness", pairs[::-1]), ("witness", None), ("margin_bound", 0.5), ("C", 1.0)):
            continue  # the order of the rows does not matter, and a weaker claim holds
        with pytest.raises(ValueError, match="does not hold"):
            verify(other.certificate_, other, *XOR)
        counts["unverified"] += 1
    assert counts["refused"] >= 8
    assert sum(counts.values()) >= len(changes) - 4


def test_a_file_without_intercept_has_none(tmp_path):
    X, y = blobs(shift=0.0)
    save(fitted(X, y, fit_intercept=False), tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_bytes())
    document["model"]["fitted"]["intercept_"]["values"] = [1.0]
    (tmp_path / "model.json").write_bytes(sealed(json.dumps(document).encode()))
    with pytest.raises(ValueError, match="intercept_ and the rest"):
        load(tmp_path / "model.json")
