"""Certificates: anyone can recheck one, and a false one is refused."""

import copy
from dataclasses import fields, replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import Certificate, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.synthetic import separable
from perceptrons.theory import margin_interval
from perceptrons.theory.bounds import binomial_compression_bound
from tests.margin.classic import classic

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def fitted(seed=0, noise=0.0, **settings):
    X, y, _ = separable(40, 4, margin=0.1, noise=noise, random_state=seed)
    return X, y, classic(random_state=0, max_epochs=50, **settings).fit(X, y)


def refuses(certificate, model, X, y):
    with pytest.raises(ValueError, match="does not hold"):
        verify(certificate, model, X, y)


STRONGER = {  # a claim that these rows do not bear out, made from one that they do
    "separable": lambda value: None if value is None else not value,
    "margin": lambda value: np.nextafter(value, np.inf) + 1e-9 * abs(value),
    "n_updates": lambda value: value + 1,
    "n_errors": lambda value: value + 1,
    "n_rows": lambda value: value + 1,
    "compression_size": lambda value: value + 1,
    "lift": lambda value: value * (1 + 1e-15),
    "lift_from_rows": lambda value: not value,
    "reproducible": lambda value: None if value else True,
    "soft_margin": lambda value: 0.0,
    "witness": lambda value: ((0, 1.0),),
    "choices": lambda value: 0.9 * value if value else None,
    "undecided": lambda value: (value or "") + "?",
}


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_stronger_claim_is_refused_and_a_weaker_one_is_not(noise):
    X, y, model = fitted(noise=noise)
    certificate, changed = model.certificate_, 0
    verify(certificate, model, X, y)
    for field in fields(Certificate):
        value = getattr(certificate, field.name)
        smaller = (lambda value: value * (1 - 1e-9)) if value else (lambda value: 1.0)
        other = STRONGER.get(field.name, smaller)(value)
        if other is not None:
            refuses(replace(certificate, **{field.name: other}), model, X, y)
            changed += 1
    assert changed >= len(fields(Certificate)) - 4
    for weaker in (
        {"margin": certificate.margin - 1.0, "separable": None, "update_bound": None},
        {"margin_bound": 2.0 * certificate.margin_bound},
        {"margin_bound": None},
        {"radius": 2.0 * certificate.radius},
        {"separable": None, "update_bound": None},
        {"reproducible": False, "choices": 99.0},
    ):
        verify(replace(certificate, **weaker), model, X, y)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_changed_weight_dual_or_label_is_refused(data):
    noise = data.draw(st.sampled_from([0.0, 0.1]))
    X, y, model = fitted(seed=data.draw(st.integers(0, 5)), noise=noise)
    certificate, model, y = model.certificate_, copy.deepcopy(model), y.copy()
    factor = data.draw(st.sampled_from([-1.0, 0.0, 0.99, 1.01, 2.0]))
    what = data.draw(st.sampled_from(["coef_", "intercept_", "dual_coef_", "y"]))
    if what == "y":
        i = data.draw(st.integers(0, len(y) - 1))
        y[i] = -y[i]
    else:
        values = getattr(model, what).ravel()
        i = data.draw(st.integers(0, len(values) - 1))
        if values[i] == 0.0:
            values[i] = 1.0
        else:
            values[i] *= factor
    refuses(certificate, model, X, y)


def test_certify_makes_the_same_certificate():
    for noise in (0.0, 0.1):
        X, y, model = fitted(noise=noise)
        assert certify(model, X, y) == model.certificate_


def test_other_rows_have_a_margin_but_no_bound():
    X, y, model = fitted()
    certificate = certify(model, X[:20], y[:20])
    assert certificate.margin >= model.certificate_.margin
    assert certificate.margin_bound is None
    assert certificate.update_bound is None
    assert certificate.generalization_bound() is None


def test_no_bound_for_weights_or_labels_the_duals_do_not_make():
    X, y, model = fitted()
    other = copy.deepcopy(model)
    other.coef_[0, 0] *= 1.001
    assert certify(other, X, y).margin_bound is None
    y[model.support_[0]] *= -1
    assert certify(model, X, y).margin_bound is None


@pytest.mark.parametrize("make", [np.array, sp.csr_array, lambda X: X.astype(np.float32)])
def test_the_compiled_interval_equals_the_plain_one(make):
    """`theory.margin_interval` is NumPy alone and knows nothing of models."""
    X, y, _ = separable(300, 40, margin=0.02, noise=0.05, random_state=1)
    X = make(X)
    model = classic(max_epochs=20, random_state=0).fit(X, y)
    a = np.zeros(300)
    a[model.support_] = np.abs(model.dual_coef_[0])
    interval = margin_interval(X.astype(np.float64), y, model.coef_[0], a, model.intercept_[0], model.lift_)
    assert (model.certificate_.margin, model.certificate_.margin_bound) == pytest.approx(interval, rel=1e-12)
    with pytest.raises(ValueError, match="duals must be >= 0"):
        margin_interval(X, y, model.coef_[0], -a)


def test_terms_are_those_of_the_fit():
    """Parameters set after fitting change nothing that is claimed."""
    X, y, model = fitted(order="active", margin=2.0)
    before = model.certificate_
    model.set_params(order="cyclic", margin=0.0, intercept_scaling=1)
    assert certify(model, X, y) == before
    assert before.generalization_bound() is None


@pytest.mark.parametrize(
    ("X", "y", "settings"),
    [
        ([[1, 1e-170], [1, -1e-170]], [1, 0], {"max_updates": 2}),  # the square of the sum vanishes
        ([[1e-150, 0], [0, -1e-150]], [1, 0], {"eta": 1e-12}),
        (
            [[1e16] * 3, [3, 1, 5], [1e16 + 3, 1e16 + 1, 1e16 + 5]],
            [1, 1, 0],
            {"margin": 1e40, "max_updates": 3},
        ),
    ],
)
def test_separable_rows_are_never_called_inseparable(X, y, settings):
    model = classic(order="cyclic", fit_intercept=False, **settings).fit(X, y)
    assert model.certificate_.separable is not False


def test_the_interval_is_never_inverted():
    rng = np.random.default_rng(0)
    for _ in range(100):
        x = rng.standard_normal(4)
        certificate = classic(fit_intercept=False).fit([x, -x], [1, 0]).certificate_
        assert certificate.margin <= certificate.margin_bound
        assert certificate.n_updates <= certificate.update_bound


def test_averages_in_float32_are_taken_in_double_precision():
    X, y, _ = separable(40, 4, margin=0.1, random_state=0)
    model = classic(order="worst", result="average", max_epochs=1).fit(X.astype(np.float32), y)
    assert not model.coef_.any()
    assert model.certificate_.compression_size == len(model.support_) == 1


def test_fields_from_the_rows_alone():
    X, y, model = fitted()
    scores = model.decision_function(X)
    norm = np.hypot(np.linalg.norm(model.coef_), model.intercept_[0] / model.lift_)
    certificate = model.certificate_
    assert certificate.margin == pytest.approx((y * scores).min() / norm, rel=1e-12)
    assert certificate.margin_bound == pytest.approx(norm / np.abs(model.dual_coef_).sum(), rel=1e-12)
    assert certificate.lift == pytest.approx(1.0)
    assert certificate.radius == pytest.approx(np.sqrt(2.0))
    assert certificate.compression_size == len(model.support_)
    assert certificate.n_rows == 40
    assert certificate.n_errors == (model.predict(X) != y).sum() == 0


def test_generalization_bound_counts_the_row_that_gave_the_radius():
    model = fitted()[2]
    d = len(model.support_)
    assert model.certificate_.generalization_bound(0.1) == binomial_compression_bound(d + 1, 40, 0.1 / 40, 0)
    model = fitted(fit_intercept=False, noise=0.1)[2]
    expected = binomial_compression_bound(len(model.support_), 40, 0.05 / 40, model.certificate_.n_errors)
    assert model.certificate_.generalization_bound() == expected


def test_generalization_bound_says_nothing_when_all_rows_are_used():
    X, y = np.array([[1.0], [1.0], [2.0]]), np.array([0, 1, 0])
    model = classic(order="cyclic", max_epochs=9, fit_intercept=False).fit(X, y)
    assert model.certificate_.generalization_bound() == 1.0


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst"])
def test_rerunning_on_the_support_rebuilds_the_weights(order):
    """What the generalization bound rests on. The other rows stand where they stood, but are never wrong."""
    X, y, model = fitted(order=order, fit_intercept=False)
    assert model.certificate_.reproducible
    harmless = np.ones(len(X), bool)
    harmless[model.support_] = False
    X2 = np.where(
        harmless[:, None], 1e6 * y[:, None] * model.coef_, X
    )  # far on the right side for any iterate
    assert harmless.sum() >= 5
    if order != "worst":
        X2[harmless] = 0.0  # zero rows are never corrected
    again = classic(**model.get_params()).fit(X2, y)
    assert np.array_equal(again.coef_, model.coef_)


@pytest.mark.parametrize(
    "settings", [{"order": "active"}, {"result": "pocket"}, {"tol": 0.5}, {"order": "worst", "tol": 0.5}]
)
def test_no_generalization_bound_where_other_rows_have_a_say(settings):
    assert fitted(**settings)[2].certificate_.generalization_bound() is None


def test_no_generalization_bound_without_a_seed():
    X, y, _ = separable(40, 4, margin=0.1, random_state=0)
    assert classic().fit(X, y).certificate_.generalization_bound() is None


def test_float32_is_certified_in_double_precision():
    X, y, _ = fitted()
    model32 = classic(random_state=0).fit(X.astype(np.float32), y)
    certificate = model32.certificate_
    assert model32.coef_.dtype == np.float32
    assert 0 < certificate.margin <= certificate.margin_bound
    verify(certificate, model32, X.astype(np.float32), y)


def test_number_of_certificates_must_match():
    X, y, model = fitted()
    with pytest.raises(ValueError, match="2 certificates for a model with 1"):
        verify([model.certificate_] * 2, model, X, y)


def test_a_pipeline_is_certified_at_its_last_step():
    rng = np.random.default_rng(5)
    X = 1000.0 * rng.standard_normal((60, 3)) + 5.0
    y = X[:, 0] > 5.0
    for steps in ([StandardScaler()], ["passthrough", StandardScaler()], []):
        model = make_pipeline(*steps, classic(random_state=0)).fit(X, y)
        assert certify(model, X, y) == model[-1].certificate_
        verify(model[-1].certificate_, model, X, y)


def test_a_margin_within_rounding_is_decided():
    """One row lies on the hyperplane except for the rounding of √2, which is less than √2 and then more."""
    third = np.sqrt(2.0)
    X = np.array([[1.0, 0.0, third], [0.0, 1.0, -third]])
    model = classic(order="cyclic", fit_intercept=False).fit(X, [1, 0])
    for last, proved in ((-third, None), (-np.nextafter(third, 0.0), True)):
        model.coef_ = np.array([[2.0, -2.0, last]])
        certificate = certify(model, X, [1, 0])
        assert 0.0 < abs(certificate.margin) < 1e-15
        assert certificate.separable is proved
        assert certificate.n_errors == (0 if proved else 2)


def test_more_than_two_classes_are_complained_about_by_name():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.array(["a", "b", "c"])[rng.integers(0, 3, 60)]
    with pytest.warns(
        ConvergenceWarning, match=r"of the training rows wrong \(class [abc] against the rest\)"
    ):
        classic(max_epochs=3, random_state=0).fit(X, y)
