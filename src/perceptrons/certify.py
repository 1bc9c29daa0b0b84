"""The door from models to theory: make a certificate, and check one.

    certify(model, X, y)              what holds for these weights on these rows
    verify(certificate, model, X, y)  does this certificate hold? None, or ValueError saying what does not

Both use the rows, the weights and the duals alone; nothing the training loop believed is taken over.
"""

from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .data.compiled import compiled
from .data.encode import Encoded, encode
from .data.rows import Array, add, dot
from .theory.certificate import Certificate, lifted_norm

# how far the weights may have drifted from the sum of their corrections, by rounding
CLOSE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-3}


def certify(model: Any, X: Any, y: Any) -> Certificate | list[Certificate]:
    """The certificate of a fitted perceptron on rows X with labels y; a list of them, one per class, for
    more than two classes.

    `margin_bound` is None unless X, y are the rows the model was trained on.

    >>> from perceptrons import Perceptron, certify
    >>> model = Perceptron(order="cyclic").fit([[0.0], [2.0]], [0, 1])
    >>> certify(model, [[0.0], [2.0]], [0, 1]) == model.certificate_
    True
    """
    check_is_fitted(model)
    certificates = certificates_of(model, encode(model, X, y, reset=False, classes=model.classes_))
    return certificates[0] if len(certificates) == 1 else certificates


def verify(certificate: Certificate | list[Certificate], model: Any, X: Any, y: Any) -> None:
    """Recompute the certificate from rows, weights and duals; raise ValueError naming what differs.

    >>> from dataclasses import replace
    >>> from perceptrons import Perceptron, verify
    >>> X, y = [[0.0], [2.0]], [0, 1]
    >>> model = Perceptron(order="cyclic").fit(X, y)
    >>> verify(model.certificate_, model, X, y)
    >>> verify(replace(model.certificate_, margin=9.0), model, X, y)
    Traceback (most recent call last):
        ...
    ValueError: The certificate does not hold: margin is given as 9.0, but these rows give 0.894...
    """
    claimed = [certificate] if isinstance(certificate, Certificate) else list(certificate)
    found = certify(model, X, y)
    found = [found] if isinstance(found, Certificate) else found
    if len(claimed) != len(found):
        raise ValueError(f"{len(claimed)} certificates for a model with {len(found)} weight vectors.")
    for one, other in zip(claimed, found, strict=True):
        for field in fields(Certificate):
            given, holds = getattr(one, field.name), getattr(other, field.name)
            if not _same(given, holds, other.radius):
                claim = f"{field.name} is given as {given}, but these rows give {holds}"
                raise ValueError(f"The certificate does not hold: {claim}.")


def _same(given: Any, holds: Any, radius: float) -> bool:
    if isinstance(given, float) and isinstance(holds, float):
        return given == holds or abs(given - holds) <= 1e-9 * abs(holds) + 1e-13 * radius
    return type(given) is type(holds) and bool(given == holds)


def certificates_of(model: Any, data: Encoded) -> list[Certificate]:
    """One certificate per weight vector, for rows and labels already behind the door."""
    return [_certificate(model, k, data, signs) for k, signs in enumerate(data.signs())]


def _certificate(model: Any, k: int, data: Encoded, signs: Array) -> Certificate:
    w, b, lift = model.coef_[k].astype(np.float64), float(model.intercept_[k]), model.lift_
    duals = model.dual_coef_[k]
    a = corrections(model.support_, duals, signs)
    low, n_errors, combination = examine(data.X, signs, w, b, a)
    norm, radius = lifted_norm(w, b, lift), float(np.sqrt(data.largest + lift**2))
    margin = low / norm + 0.0 if norm > 0 else 0.0  # + 0.0: no negative zero
    bound = None
    if model._streamed and model.n_rows_ > len(signs):  # the earlier rows are gone: the weights must do
        bound = None if model._foreign else norm / float(np.abs(duals).sum())
    elif a.any():
        intercept = lift**2 * float(duals.sum())
        close = CLOSE[model.coef_.dtype] * max(norm, radius)
        if lifted_norm(combination - w, intercept - b, lift) <= close:
            bound = lifted_norm(combination, intercept, lift) / float(a.sum())
    return Certificate(
        separable=True if margin > 0 else False if bound == 0.0 else None,
        margin=margin,
        margin_bound=bound,
        radius=radius,
        n_updates=int(np.atleast_1d(model.n_updates_)[k]),
        update_bound=model._update_bound(radius, margin) if bound is not None and margin > 0 else None,
        compression_size=int(np.count_nonzero(duals)),
        n_rows=len(signs),
        n_errors=n_errors,
        lift=lift,
        lift_from_rows=lift > 0 and model.intercept_scaling == "radius",
        reproducible=bound is not None and model._reproducible(),
    )


def corrections(rows: Array, duals: Array, signs: Array) -> Array:
    """a_i per row; all 0 if the duals cannot belong to these rows and labels."""
    a = np.zeros(len(signs))
    if not len(rows) or rows[-1] < len(signs):
        a[rows] = duals * signs[rows]
    return a if (a >= 0).all() else np.zeros(len(signs))


@compiled
def examine(X, y, w, b, a):
    """One look at all rows, in double precision: the smallest y·score, how many are on the wrong side,
    and the sum of the corrections, Σ a_i y_i x_i."""
    low, errors, combination = np.inf, 0, np.zeros(w.size)
    for i in range(y.size):
        reach = y[i] * (dot(X, i, w) + b)
        low = min(low, reach)
        errors += reach < 0.0 or (reach == 0.0 and y[i] > 0)
        if a[i] != 0.0:
            add(X, i, a[i] * y[i], combination)
    return low, errors, combination
