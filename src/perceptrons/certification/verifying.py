"""`verify`: compute a certificate again from rows and model, and say what does not hold."""

from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..conservative.chow_input import rows_at
from ..margin.verification import verify_margin
from ..seen_rows import compare_rows
from ..theory.certificate import Certificate
from ..theory.model_certificates import DrawnCertificate, NewRowsCertificate, TrainingCertificate
from .answered_rows import RowsAndAnswers, answer_rows
from .certifying import by_new_rows, by_training_rows, split_rows
from .drawing import draw
from .which_rows import are_new

CLOSE = 1e-9  # what machines may differ by, relative


def verify(certificate: Any, model: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
    """Check every claim of a certificate against rows and model; a ValueError names one that does not hold.

    Margin certificates hold if what they say is true: `margin` may be smaller than what the weights achieve,
    a bound larger than what it bounds. Of other certificates each number must be the one that rows and model
    give, except for rounding.

    Parameters
    ----------
    certificate : certificate or list of certificates
        What `certify` returned, a margin certificate (`model.certificate_`), or a list of these.
    model : classifier or pipeline
        The model that the certificate is about.
    X, y : array or frame of rows, and array of classes
        The rows that the certificate is about; if rows were held back, all rows, of which the same are held
        back again.
    sample_weight : array or None, default None
        The weights of training rows, as in `fit`.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from perceptrons import Perceptron, certify, verify
    >>> X, y = [[0.0], [2.0]], [0, 1]
    >>> model = Perceptron(order="cyclic").fit(X, y)
    >>> certificate = certify(model, X, y)
    >>> verify(certificate, model, X, y)
    >>> verify(replace(certificate, n_wrong=1), model, X, y)
    Traceback (most recent call last):
        ...
    ValueError: The certificate does not hold: n_wrong is given as 1, but these rows give 0.
    """
    if isinstance(certificate, Certificate | list):
        verify_margin(certificate, model, X, y, sample_weight)
    elif isinstance(certificate, NewRowsCertificate):
        _compare(certificate, _new_again(certificate, model, X, y))
    elif isinstance(certificate, DrawnCertificate):
        _verify_drawn(certificate, model, X, y)
    elif isinstance(certificate, TrainingCertificate):
        _verify_training(certificate, model, X, y, sample_weight)
    else:
        raise ValueError(
            f"verify takes a Certificate or a list of them, or what certify returned, not {certificate!r}."
        )


def _new_again(claimed: NewRowsCertificate, model: Any, X: Any, y: Any) -> NewRowsCertificate:
    delta = 1.0 - _share(claimed, "confidence")
    if claimed.holdback is None:
        rows = answer_rows(model, X, y)
        return by_new_rows(rows.counted, delta, are_new(rows, True)[1])
    kept, held = split_rows(X, y, _share(claimed, "holdback"), _seed(claimed))
    labels = [*y] if not hasattr(y, "__array__") else y
    rows = answer_rows(model, rows_at(X, held), rows_at(labels, held))
    _require_trained_on(answer_rows(model, rows_at(X, kept), rows_at(labels, kept)))
    return by_new_rows(rows.counted, delta, 0, claimed.holdback, claimed.seed)


def _require_trained_on(rows: RowsAndAnswers) -> None:
    seen = getattr(rows.learner, "_seen_rows", None)
    overlap = None if seen is None else compare_rows(seen, rows.X, rows.learner)
    if overlap is not None and not (overlap.same or overlap.moved):
        raise ValueError(
            "The certificate does not hold: the model was not trained on the rows not held back."
        )


def _verify_training(claimed: TrainingCertificate, model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    rows = answer_rows(model, X, y)
    are_new(rows, False)
    found = by_training_rows(rows, y, sample_weight, 1.0 - _share(claimed, "confidence"))
    _compare(claimed, found)


def _verify_drawn(claimed: DrawnCertificate, model: Any, X: Any, y: Any) -> None:
    """The pass is made again; the same model must be drawn."""
    check_is_fitted(model)
    again = draw(model, X, y, confidence=_share(claimed, "confidence"), random_state=_seed(claimed))
    _compare(claimed, again.certificate)
    if not np.array_equal(again.model.predict(X), model.predict(X)):
        raise ValueError("The certificate does not hold: another model is drawn from these rows.")


def _share(claimed: Any, name: str) -> float:
    value = getattr(claimed, name)
    if not isinstance(value, float) or not 0.0 < value < 1.0:
        raise ValueError(f"The certificate does not hold: {name}={value!r} is not in (0, 1).")
    return value


def _seed(claimed: NewRowsCertificate | DrawnCertificate) -> int:
    if not isinstance(claimed.seed, int) or claimed.seed < 0:
        raise ValueError(f"The certificate does not hold: seed={claimed.seed!r} is not a count.")
    return claimed.seed


def _compare(claimed: Any, found: Any) -> None:
    for field in fields(found):
        given, holds = getattr(claimed, field.name), getattr(found, field.name)
        if not _agrees(given, holds):
            claim = f"{field.name} is given as {given!r}, but these rows give {holds!r}"
            raise ValueError(f"The certificate does not hold: {claim}.")


def _agrees(given: Any, holds: Any) -> bool:
    """The same, except for rounding."""
    if isinstance(holds, tuple):
        same = type(given) is type(holds) and len(given) == len(holds)
        return same and all(map(_agrees, given, holds))
    if isinstance(holds, float):
        number = isinstance(given, float)
        return number and (given == holds or abs(given - holds) <= CLOSE * abs(holds))
    if isinstance(holds, Certificate):
        return isinstance(given, Certificate) and all(
            _agrees(getattr(given, field.name), getattr(holds, field.name)) for field in fields(holds)
        )
    return type(given) is type(holds) and bool(given == holds)
