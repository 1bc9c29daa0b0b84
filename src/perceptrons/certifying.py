"""The door from models to theory: make a certificate, and check one.

    certify(model, X, y)              what holds for these weights on these rows
    verify(certificate, model, X, y)  does this certificate hold? None, or ValueError saying what does not

Margins, bounds and errors are computed from the rows, the weights and the duals; the number of corrections
and the settings the theorems speak of are the model's word.
"""

from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .data.compiled import compiled
from .data.encode import Encoded, encode
from .data.rows import Array, add, dot
from .theory.certificate import Certificate, lifted_norm

# how far the weights may have drifted from the sum of their corrections, by rounding
CLOSE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-3}
EXACT_CELLS = 10**6  # a sum that comes out as 0 is added up again in fractions, if it has no more terms


def certify(model: Any, X: Any, y: Any) -> Certificate | list[Certificate]:
    """The certificate of a fitted perceptron on rows X with labels y; a list of them, one per class, for
    more than two classes.

    `margin_bound` is None unless X, y are the rows the model was trained on, all of them.

    >>> from perceptrons import Perceptron, certify
    >>> model = Perceptron(order="cyclic").fit([[0.0], [2.0]], [0, 1])
    >>> certify(model, [[0.0], [2.0]], [0, 1]) == model.certificate_
    True
    """
    certificates = certificates_of(model, _behind_the_door(model, X, y), batch=False)
    return certificates[0] if len(certificates) == 1 else certificates


def verify(certificate: Certificate | list[Certificate], model: Any, X: Any, y: Any) -> None:
    """Recompute the certificate from rows, weights and duals; raise ValueError naming what differs.

    A model trained by `partial_fit` is verified on its last batch: the bound, which holds for all rows seen,
    is then checked against weights and duals alone.

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
    claimed = certificate if isinstance(certificate, list) else [certificate]
    if not all(isinstance(one, Certificate) for one in claimed):
        raise ValueError(f"verify takes a Certificate or a list of them, not {certificate!r}.")
    data = _behind_the_door(model, X, y)
    found = certificates_of(model, data, batch=model._terms.streamed and model.n_rows_ > len(data.codes))
    if len(claimed) != len(found):
        raise ValueError(f"{len(claimed)} certificates for a model with {len(found)} weight vectors.")
    for one, other in zip(claimed, found, strict=True):
        for field in fields(Certificate):
            given, holds = getattr(one, field.name), getattr(other, field.name)
            if not _same(given, holds, other.radius):
                claim = f"{field.name} is given as {given}, but these rows give {holds}"
                raise ValueError(f"The certificate does not hold: {claim}.")


def _behind_the_door(model: Any, X: Any, y: Any) -> Encoded:
    check_is_fitted(model)
    if not hasattr(model, "_terms"):
        raise ValueError(f"{type(model).__name__} keeps no duals, so there is nothing to certify with.")
    return encode(model, X, y, reset=False, classes=model.classes_)


def _same(given: Any, holds: Any, radius: float) -> bool:
    if isinstance(given, float) and isinstance(holds, float):
        return given == holds or abs(given - holds) <= 1e-9 * abs(holds) + 1e-13 * radius
    return type(given) is type(holds) and bool(given == holds)


def certificates_of(model: Any, data: Encoded, batch: bool) -> list[Certificate]:
    """One certificate per weight vector. `batch`: the rows are the last of a stream, the others are gone."""
    return [_certificate(model, k, data, signs, batch) for k, signs in enumerate(data.signs())]


def _certificate(model: Any, k: int, data: Encoded, signs: Array, batch: bool) -> Certificate:
    w, b, terms = model.coef_[k].astype(np.float64), float(model.intercept_[k]), model._terms
    rows, duals, lift = model.support_, model.dual_coef_[k], model.lift_
    a = corrections(rows, duals, signs)
    low, n_errors, combination = examine(data.X, signs, w, b, a)
    norm, radius = lifted_norm(w, b, lift), float(np.sqrt(data.largest + terms.rho_squared))
    margin = float(low) / norm + 0.0 if norm > 0 else 0.0  # + 0.0: no negative zero
    close = CLOSE[model.coef_.dtype] * max(norm, radius)
    separable, bound = None, None
    if batch:
        if _stream_has_bound(model, duals, signs):
            bound = (norm + close) / float(np.abs(duals).sum())
    else:
        separable = True if margin > 0 else None
        intercept = terms.rho_squared * float(duals.sum())
        if a.any() and lifted_norm(combination - w, intercept - b, lift) <= close:
            bound = lifted_norm(combination, intercept, lift) / float(a.sum())
            bound = max(bound, margin)  # they may meet, and rounding must not cross them
            if bound == 0.0 and _adds_up_to_zero(data.matrix[rows], duals, lift):
                separable = False
    return Certificate(
        separable=separable,
        margin=margin,
        margin_bound=bound,
        radius=radius,
        n_updates=int(np.atleast_1d(model.n_updates_)[k]),
        update_bound=terms.update_bound(radius, margin) if bound is not None and margin > 0 else None,
        compression_size=len(rows) if len(model.coef_) == 1 else int(np.count_nonzero(duals)),
        n_rows=len(signs),
        n_errors=int(n_errors),
        lift=lift,
        lift_from_rows=terms.lift_from_rows,
        reproducible=bound is not None and terms.reproducible,
    )


def _stream_has_bound(model: Any, duals: Array, signs: Array) -> bool:
    """Have there been corrections, from zero weights, and have those of the last batch the signs of its
    labels? (More cannot be asked: the earlier rows are gone.)"""
    first = model.n_rows_ - len(signs)
    recent = model.support_ >= first
    agree = (duals[recent] * signs[model.support_[recent] - first] >= 0).all()
    return bool(agree and duals.any() and not model._terms.foreign)


def corrections(rows: Array, duals: Array, signs: Array) -> Array:
    """a_i per row; all 0 if the duals cannot belong to these rows and labels."""
    a = np.zeros(len(signs))
    if not len(rows) or rows[-1] < len(signs):
        a[rows] = duals * signs[rows]
    return a if (a >= 0).all() else np.zeros(len(signs))


def _adds_up_to_zero(X: Any, duals: Array, lift: float) -> bool:
    """Is Σ a_i y_i (x_i, ρ) exactly 0, not just in floating point? False if that is too much to add up."""
    if duals.size * X.shape[1] > EXACT_CELLS:
        return False
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    factors = [Fraction(float(dual)) for dual in duals]
    columns = [*dense.T, np.full(len(duals), 1.0 if lift else 0.0)]
    return not any(sum(f * Fraction(float(x)) for f, x in zip(factors, xs, strict=True)) for xs in columns)


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
