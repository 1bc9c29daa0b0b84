"""The door from models to theory: make a certificate, and check one.

    certify(model, X, y)              what holds for these weights on these rows
    verify(certificate, model, X, y)  does this certificate hold? None, or ValueError saying what does not

Margins, bounds and errors are computed from the rows, the weights and the duals; the number of corrections
and the settings the theorems speak of are the model's word.
"""

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..compiled import Threads
from ..rows.encode import Encoded, encode
from ..theory.certificate import Certificate, lifted_norm
from .looks import Look, look_at, own_corrections

# how far the weights may have drifted from the sum of their corrections, by rounding
CLOSE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-3}
EPSILON = float(np.finfo(np.float64).eps)
ALONE = Threads()
EXACT_CELLS = 10**6  # a sum that comes out as 0 is added up again in fractions, if it has no more terms


def certify(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Certificate | list[Certificate]:
    """The certificate of a fitted perceptron on rows X with labels y; a list of them, one per class, for
    more than two classes.

    `margin_bound` is None unless X, y are the rows the model was trained on, all of them. Where rows
    have weights, pass these, too: a row of weight 0 is absent, as in `fit`. Of a scikit-learn pipeline it is
    the certificate of the last step, on the rows as the other steps hand them on.

    >>> from perceptrons import Perceptron, certify
    >>> model = Perceptron(order="cyclic").fit([[0.0], [2.0]], [0, 1])
    >>> certify(model, [[0.0], [2.0]], [0, 1]) == model.certificate_
    True
    """
    certificates = certificates_of(*_behind_the_door(model, X, y, sample_weight), batch=False)
    return certificates[0] if len(certificates) == 1 else certificates


def verify(
    certificate: Certificate | list[Certificate], model: Any, X: Any, y: Any, sample_weight: Any = None
) -> None:
    """Recompute the certificate from rows, weights and duals; raise ValueError naming what differs.

    A model trained by `partial_fit` is verified on its last batch: the bound, which holds for all rows seen,
    is then checked against weights and duals alone. `sample_weight` as in `certify`.

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
    model, data = _behind_the_door(model, X, y, sample_weight)
    found = certificates_of(model, data, batch=model._terms.streamed and model.n_rows_ > len(data.codes))
    if len(claimed) != len(found):
        raise ValueError(f"{len(claimed)} certificates for a model with {len(found)} weight vectors.")
    for one, other in zip(claimed, found, strict=True):
        for field in fields(Certificate):
            given, holds = getattr(one, field.name), getattr(other, field.name)
            if not _same(given, holds, other.radius):
                claim = f"{field.name} is given as {given}, but these rows give {holds}"
                raise ValueError(f"The certificate does not hold: {claim}.")


def _behind_the_door(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Encoded]:
    """The learner, a pipeline's last step, and the rows as they reach it."""
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            X = X if step in (None, "passthrough") else step.transform(X)
        model = model.steps[-1][1]
    check_is_fitted(model)
    if not hasattr(model, "_terms"):
        raise ValueError(f"{type(model).__name__} keeps no duals, so there is nothing to certify with.")
    return model, encode(model, X, y, False, model.classes_, sample_weight, model._terms.class_weight)


def _same(given: Any, holds: Any, radius: float) -> bool:
    if isinstance(given, float) and isinstance(holds, float):
        return given == holds or abs(given - holds) <= 1e-9 * abs(holds) + 1e-13 * radius
    return type(given) is type(holds) and bool(given == holds)


def certificates_of(
    model: Any,
    data: Encoded,
    batch: bool,
    signs: Array | None = None,
    looks: Sequence[Any] = (),
) -> list[Certificate]:
    """One certificate per weight vector. `batch`: the rows are the last of a stream, the others are gone.
    `signs` and `looks` are given where they are at hand."""
    signs = data.sign_matrix() if signs is None else signs
    if not looks:
        linear = hasattr(model, "coef_")  # a kernel model looks by itself
        looks = look_for_certificates(model, data, signs) if linear else model._look_at_rows(data)
    return [_certificate(model, k, data, signs[k], looks[k], batch) for k in range(len(signs))]


def look_for_certificates(
    model: Any, data: Encoded, signs: Array, lent: Sequence[Look | None] = (), threads: Threads = ALONE
) -> list[Look]:
    """One look at the rows by all weight vectors; `lent` are those that training has made already."""
    left = [k for k, look in enumerate(lent) if look is None] if lent else [*range(len(signs))]
    lines = slice(None) if len(left) == len(signs) else left
    own, weights, b = signs[lines], model.coef_[lines], model.intercept_[lines]
    used, duals = own_corrections(model.support_, model.dual_coef_[lines], data, own)
    made = iter(look_at(data.X, own, weights, b, used, duals, threads) if left else ())
    return [look or next(made) for look in lent or [None] * len(signs)]


class Examination(NamedTuple):
    """What a look at all rows finds out about one weight vector; norms are those of lifted space."""

    low: float  # the smallest y·score
    blur: float  # how far rounding may have taken a score
    n_errors: int
    norm: float  # of the weights
    largest: float  # the largest squared norm of a row, not lifted
    close: float  # how far rounding may have taken the weights
    sum_norm: float | None  # of Σ a_i y_i x_i over these rows, if that is the weights
    cancels: bool  # that sum is exactly 0
    soft: tuple[float, float] | None = None  # margin and bound with slack
    witness: tuple[tuple[int, Fraction], ...] | None = None  # a combination of rows that is exactly 0
    undecided: str | None = None  # what stood in the way of a margin and of a witness


def _certificate(
    model: Any, k: int, data: Encoded, signs: Array, scan: Look | None, batch: bool
) -> Certificate:
    terms, duals = model._terms, model.dual_coef_[k]
    a = corrections(model.support_, duals, data, signs)
    look = model._examine(k, data, signs, a, scan)
    radius = float(np.sqrt(look.largest + terms.rho_squared))
    margin = float(look.low) / look.norm + 0.0 if look.norm > 0 else 0.0  # + 0.0: no negative zero
    separable, bound = None, None
    if batch:
        if _stream_has_bound(model, duals, data, signs):
            bound = (look.norm + look.close) / float(np.abs(duals).sum())
    else:
        separable = True if look.low > look.blur else None
        if a.any() and look.sum_norm is not None:
            bound = max(look.sum_norm / float(a.sum()), margin)  # rounding must not cross them
            separable = False if look.cancels else separable
        if look.witness is not None:  # a margin above 0 is rounding, then
            separable, bound, margin = False, 0.0, min(margin, 0.0)
    return Certificate(
        separable=separable,
        margin=margin,
        margin_bound=bound,
        radius=radius,
        n_updates=int(np.atleast_1d(model.n_updates_)[k]),
        update_bound=terms.update_bound(radius, margin) if bound is not None and separable else None,
        compression_size=len(duals) if len(model.dual_coef_) == 1 else int(np.count_nonzero(duals)),
        n_rows=len(signs),
        n_errors=int(look.n_errors),
        lift=model.lift_,
        lift_from_rows=terms.lift_from_rows,
        reproducible=bound is not None and terms.reproducible,
        soft_margin=None if look.soft is None else look.soft[0],
        soft_margin_bound=None if look.soft is None else look.soft[1],
        witness=look.witness,
        choices=terms.choices,
        undecided=_why_undecided(look, batch) if separable is None else None,
    )


def _why_undecided(look: Examination, batch: bool) -> str:
    """What stood in the way of a margin above 0 and of a combination that is exactly 0."""
    if batch:
        return "the rows are the last batch of a stream, the others are gone"
    if look.undecided:
        return look.undecided
    if look.norm == 0.0:
        return "the weights are 0 up to rounding, and were not shown to be exactly 0"
    if look.low > 0.0:
        return "the margin is no more than rounding"
    return "these weights do not separate the rows, which proves nothing of others"


def examine_linear(model: Any, k: int, data: Encoded, a: Array, look: Look) -> Examination:
    """What a look at all rows says of a linear model, whose weights are at hand."""
    w, b, lift = model.coef_[k].astype(np.float64), float(model.intercept_[k]), model.lift_
    low, n_errors, combination = look[:3]
    norm, rho_squared = lifted_norm(w, b, lift), model._terms.rho_squared
    radius = float(np.sqrt(data.largest + rho_squared))
    close = max(CLOSE[model.coef_.dtype] * max(norm, radius), 8 * EPSILON * radius * float(a.sum()))
    intercept, sum_norm = rho_squared * float(model.dual_coef_[k].sum()), None
    if lifted_norm(combination - w, intercept - b, lift) <= close:
        sum_norm = lifted_norm(combination, intercept, lift)
    zero = (
        a.any()
        and sum_norm == 0.0
        and _adds_up_to_zero(data.matrix[data.places(model.support_)], model.dual_coef_[k], lift)
    )
    reach = norm * radius + (0.0 if lift else abs(b))
    blur = (w.size + 2) * EPSILON * reach
    return Examination(low, blur, n_errors, norm, data.largest, close, sum_norm, bool(zero))


def _stream_has_bound(model: Any, duals: Array, data: Encoded, signs: Array) -> bool:
    """Have there been corrections, from zero weights, and have those of the last batch the signs of its
    labels? (More cannot be asked: the earlier rows are gone.)"""
    first = model._memories[0].n_rows - data.n_given
    recent = model.support_ >= first
    places = data.places(model.support_[recent] - first)
    agree = places is not None and (duals[recent] * signs[places] >= 0).all()
    return bool(agree and duals.any() and not model._terms.foreign)


def corrections(rows: Array, duals: Array, data: Encoded, signs: Array) -> Array:
    """a_i per row; all 0 if the duals cannot belong to these rows and labels."""
    used, (own,) = own_corrections(rows, duals[None], data, signs[None])
    a = np.zeros(len(signs))
    a[used] = own * signs[used]
    return a


def _adds_up_to_zero(X: Any, duals: Array, lift: float) -> bool:
    """Is Σ a_i y_i (x_i, ρ) exactly 0, not just in floating point? False if that is too much to add up."""
    if duals.size * X.shape[1] > EXACT_CELLS:
        return False
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    factors = [Fraction(float(dual)) for dual in duals]
    columns = [*dense.T, np.full(len(duals), 1.0 if lift else 0.0)]
    return not any(sum(f * Fraction(float(x)) for f, x in zip(factors, xs, strict=True)) for xs in columns)
