"""The door from models to theory: make a certificate, and check one.

    certify(model, X, y)              what holds for these weights on these rows
    verify(certificate, model, X, y)  does this certificate hold? None, or ValueError saying what does not

Both use the rows, the weights and the duals alone; nothing the training loop believed is taken over.
"""

from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from .data.encode import encode_labels
from .data.rows import Array
from .theory.certificate import Certificate, lifted_norm, measure

CLOSE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-3}


def certify(model: Any, X: Any, y: Any) -> Certificate | list[Certificate]:
    """The certificate of a fitted perceptron on rows X with labels y; a list of them, one per class, for
    more than two classes.

    `margin_bound` is None unless X, y are the rows the model was trained on.

    >>> from perceptrons import Perceptron, certify
    >>> model = Perceptron().fit([[0.0], [2.0]], [0, 1])
    >>> certify(model, [[0.0], [2.0]], [0, 1]) == model.certificate_
    True
    """
    check_is_fitted(model)
    matrix, y = validate_data(
        model, X, y, reset=False, accept_sparse="csr", dtype=(np.float64, np.float32), order="C"
    )
    _, codes = encode_labels(y, model.classes_)
    certificates = certificates_of(model, matrix, codes)
    return certificates[0] if len(certificates) == 1 else certificates


def verify(certificate: Certificate | list[Certificate], model: Any, X: Any, y: Any) -> None:
    """Recompute the certificate from rows, weights and duals; raise ValueError naming what differs.

    >>> from dataclasses import replace
    >>> from perceptrons import Perceptron, verify
    >>> X, y = [[0.0], [2.0]], [0, 1]
    >>> model = Perceptron().fit(X, y)
    >>> verify(model.certificate_, model, X, y)
    >>> verify(replace(model.certificate_, margin=9.0), model, X, y)
    Traceback (most recent call last):
        ...
    ValueError: The certificate does not hold: margin is given as 9.0, but these rows give 0.707...
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
                raise ValueError(
                    f"The certificate does not hold: {field.name} is given as {given}, but these rows give {holds}."
                )


def _same(given: Any, holds: Any, radius: float) -> bool:
    if isinstance(given, float) and isinstance(holds, float):
        return given == holds or abs(given - holds) <= 1e-9 * abs(holds) + 1e-13 * radius
    return type(given) is type(holds) and bool(given == holds)


def certificates_of(model: Any, matrix: Any, codes: Array) -> list[Certificate]:
    """One certificate per weight vector; rows and labels already validated."""
    classes = [1] if len(model.classes_) == 2 else range(len(model.classes_))
    return [_certificate(model, k, matrix, np.where(codes == c, 1, -1)) for k, c in enumerate(classes)]


def _certificate(model: Any, k: int, matrix: Any, signs: Array) -> Certificate:
    w, b, lift, duals = model.coef_[k].astype(np.float64), float(model.intercept_[k]), model.lift_, model.dual_coef_[k]
    a = _corrections(model.support_, duals, signs)
    seen = measure(matrix, signs, w, b, np.zeros(len(signs)) if a is None else a)
    norm, radius = lifted_norm(w, b, lift), float(np.sqrt(seen.radius_squared + lift**2))
    margin = seen.low / norm + 0.0 if norm > 0 else 0.0  # + 0.0: no negative zero
    bound = None
    if model._streamed and model.n_rows_ > len(signs):  # the earlier rows are gone: the duals must do
        bound = None if model._foreign else norm / float(np.abs(duals).sum())
    elif a is not None and a.any():
        intercept = lift**2 * float(a @ signs)
        if lifted_norm(seen.combination - w, intercept - b, lift) <= CLOSE[model.coef_.dtype] * max(norm, radius):
            bound = lifted_norm(seen.combination, intercept, lift) / float(a.sum())
    return Certificate(
        separable=True if margin > 0 else False if bound == 0.0 else None,
        margin=margin,
        margin_bound=bound,
        radius=radius,
        n_updates=int(np.atleast_1d(model.n_updates_)[k]),
        update_bound=model._update_bound(radius, margin) if bound is not None and margin > 0 else None,
        compression_size=int(np.count_nonzero(duals)),
        n_rows=len(signs),
        n_errors=seen.n_errors,
        lift=lift,
        lift_from_rows=lift > 0 and model.intercept_scaling == "radius",
        reproducible=bound is not None and model._reproducible(),
    )


def _corrections(support: Array, duals: Array, signs: Array) -> Array | None:
    """a_i per row; None if the duals cannot belong to these rows and labels."""
    if len(support) and support[-1] >= len(signs):
        return None
    a = np.zeros(len(signs))
    a[support] = duals * signs[support]
    return None if (a < 0).any() else a
