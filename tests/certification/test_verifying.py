"""`verify` of certificates of whole models: true ones pass, changed ones are refused."""

from dataclasses import fields, replace

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from perceptrons import (
    BinaryPerceptron,
    ChowClassifier,
    KernelPerceptron,
    MaxMarginPerceptron,
    Perceptron,
    SelectiveClassifier,
    certify,
    draw,
    verify,
)
from tests.certification.models import NEW, OLD, X, y
from tests.sizes import cases

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
MODELS = [
    Perceptron(random_state=0),
    KernelPerceptron(random_state=0),
    MaxMarginPerceptron(C=1.0),
    BinaryPerceptron(random_state=0),
    ChowClassifier(LogisticRegression(), reject_cost=0.2),
    SelectiveClassifier(LogisticRegression(), max_error=0.3, random_state=0),
]
LEAST = 1000  # certificates that are changed, all refused


def certificates():
    """Of every kind, with the model and the rows they are about."""
    for estimator in MODELS:
        model = clone(estimator).fit(*OLD)
        yield certify(model, *OLD), model, OLD
        yield certify(model, *NEW, confidence=0.9), model, NEW
        held = clone(estimator)
        yield certify(held, X, y, holdback=0.3), held, (X, y)
    drawn = draw(Perceptron(), X, y)
    yield drawn.certificate, drawn.model, (X, y)


def changed(value):
    """Other values, near and far."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int):
        return [value + 1, value - 1, value + 10, -1, float(value), None, str(value)]
    if isinstance(value, float):
        near = [value + 1e-6, value - 1e-6, value + 0.01, value - 0.01, value / 2 + 0.1]
        return [*near, float("nan"), None, str(value)]
    if isinstance(value, str):
        return [value + "!", "", None]
    if value is None:
        return [0.5, 1, "x"]
    return [value[:-1] if len(value) else None, (*value, None), None]


def tampered(certificate):
    """One field changed, or one number within a field."""
    for field in fields(certificate):
        value = getattr(certificate, field.name)
        yield from (replace(certificate, **{field.name: other}) for other in changed(value))
        for place, one in enumerate(value if isinstance(value, tuple) else ()):
            for other in changed_parts(one):
                yield replace(certificate, **{field.name: (*value[:place], other, *value[place + 1 :])})


def changed_parts(one):
    if hasattr(one, "_fields"):
        names = one._fields
        return [one._replace(**{name: other}) for name in names for other in changed(getattr(one, name))]
    if hasattr(one, "margin"):
        return [replace(one, margin=one.margin + 0.1), replace(one, n_rows=one.n_rows + 1)]
    return changed(one)


def still_true(one, certificate):
    """The same; another confidence where nothing is promised; a share that holds the same rows back."""
    now, before = dict(vars(one)), dict(vars(certificate))
    promises = any(statement.value for statement in before.get("statements", ())) or "bound" in before
    confidence = now["confidence"]
    if not promises and "shares" not in before and isinstance(confidence, float) and 0.0 < confidence < 1.0:
        now["confidence"] = before["confidence"]
    if isinstance(now.get("holdback"), float) and 0.2 < now["holdback"] < 0.3:
        now["holdback"] = before["holdback"]
    return repr(now) == repr(before)


@pytest.mark.thorough
def test_a_thousand_tampered_certificates_are_refused():
    n_tried, some = 0, LEAST // cases(LEAST)
    for certificate, model, rows in certificates():
        verify(certificate, model, *rows)
        every = [one for one in tampered(certificate) if not still_true(one, certificate)][::some]
        for one in every:
            with pytest.raises(ValueError, match="does not hold"):
                verify(one, model, *rows)
        n_tried += len(every)
    assert n_tried >= cases(LEAST)


def test_other_rows_models_and_labels_are_refused():
    model = Perceptron(random_state=0).fit(*OLD)
    trained, new = certify(model, *OLD), certify(model, *NEW)
    with pytest.raises(ValueError, match="was not trained on these rows"):
        verify(trained, model, *NEW)
    with pytest.raises(ValueError, match="trained on these very rows"):
        verify(new, model, *OLD)
    other = Perceptron(random_state=0).fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="does not hold"):
        verify(new, other, *NEW)
    with pytest.raises(ValueError, match="does not hold"):
        verify(new, model, NEW[0], NEW[1][::-1])


def test_what_is_no_certificate():
    model = Perceptron(random_state=0).fit(*OLD)
    for one in (None, "it is fine", 3):
        with pytest.raises(ValueError, match="verify takes a Certificate"):
            verify(one, model, *OLD)


def test_margin_certificates_as_before():
    model = Perceptron(random_state=0).fit(*OLD)
    verify(model.certificate_, model, *OLD)
    with pytest.raises(ValueError, match="margin"):
        verify(replace(model.certificate_, margin=9.0), model, *OLD)
