"""From models to theory: make a certificate. `verification` checks one.

Margins, bounds and errors are computed from the rows, the weights and the duals, and rounded to the safe
side; the number of corrections and the settings the theorems speak of are the model's word.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..compiled import Threads
from ..rows.encode import Encoded, as_rows, encode
from ..rows.scores import bracket
from ..structure import check_structure
from ..theory.certificate import Certificate, lifted_norm
from ..theory.outward import (
    UNIT,
    error_factor,
    exact_sqnorm,
    float_below,
    hypot_above,
    norm_bounds,
    quotient_below,
    up,
)
from .duals import Duals, bound_of, sums_of
from .exact_look import exact_look
from .looks import Look, look_at, own_corrections
from .theorem import Start

# how far the weights may have drifted from the sum of their corrections, by rounding
CLOSE = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-3}
EPSILON = float(np.finfo(np.float64).eps)
ALONE = Threads()
ZERO = Fraction(0)


def certify_margin(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Certificate | list[Certificate]:
    """The margin certificate of a fitted perceptron on rows X with labels y; a list of them, one per class,
    for more than two classes.

    `margin_bound` is None unless X, y are the rows the model was trained on, all of them. Where rows
    have weights, pass these, too: a row of weight 0 is absent, as in `fit`. Of a scikit-learn pipeline, or
    one within another, it is the certificate of the last step, on the rows as the other steps hand them on.

    >>> from perceptrons import Perceptron
    >>> model = Perceptron(order="cyclic").fit([[0.0], [2.0]], [0, 1])
    >>> certify_margin(model, [[0.0], [2.0]], [0, 1]) == model.certificate_
    True
    """
    certificates = certificates_of(*behind_the_door(model, X, y, sample_weight), batch=False)
    return certificates[0] if len(certificates) == 1 else certificates


def behind_the_door(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Encoded]:
    """The learner, the last step of a pipeline, and the rows as they reach it."""
    check_structure(X)  # the steps may be scikit-learn's, which would read it as it is
    while isinstance(model, Pipeline):
        check_is_fitted(model)
        for name, step in model.steps[:-1]:
            if step in (None, "passthrough"):
                continue
            if not hasattr(step, "transform"):
                raise ValueError(
                    f"The step {name!r}, {type(step).__name__}, has no transform, so that the rows do not "
                    "reach the learner; certify the last step on the rows it was fitted on."
                )
            X = step.transform(X)
        model = model.steps[-1][1]
    if not hasattr(model, "_terms") and not hasattr(model, "predict"):
        raise ValueError(
            f"certify takes a fitted perceptron or a pipeline that ends with one, not {model!r}."
        )
    check_is_fitted(model)
    if not hasattr(model, "_terms"):
        if hasattr(model, "_file_weights"):
            raise ValueError(
                f"This {type(model).__name__} was saved without its certificate, so there are no duals to "
                "certify it with; save it with certificate=True, or fit it again."
            )
        raise ValueError(f"{type(model).__name__} keeps no duals, so there is nothing to certify with.")
    check_support(model)
    return model, encode(model, X, y, False, model.classes_, sample_weight, model._terms.class_weight)


def check_support(model: Any) -> None:
    """Compiled code does not check the numbers of rows: they are whole, ascending, and of this number."""
    support, duals, n_given = np.asarray(model.support_), np.asarray(model.dual_coef_), model._n_rows_given()
    if support.ndim != 1 or support.dtype.kind not in "iu" or duals.shape[1:] != support.shape:
        raise ValueError(
            f"support_ has shape {support.shape} and dtype {support.dtype}, dual_coef_ has shape "
            f"{duals.shape}: one number of a row is needed for each column of duals."
        )
    if len(support) and not (support[0] >= 0 and support[-1] < n_given and (np.diff(support) > 0).all()):
        raise ValueError(
            f"support_ must name rows 0 … {n_given - 1} in ascending order, but it holds {support.min()} … "
            f"{support.max()}; fit the model again."
        )
    for name in ("dual_coef_", "coef_", "intercept_"):
        if not np.isfinite(getattr(model, name, 0.0)).all():
            raise ValueError(f"{name} holds NaN or infinity; fit the model again.")


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
    """What a look at all rows finds out about one weight vector, every number rounded to the safe side.
    Norms are those of lifted space."""

    low: float  # no y·score is lower
    margin: float
    radius: float
    n_errors: int  # as `predict` decides
    bound: float | None  # what the duals prove; None if the weights are not the sum they make
    soft: tuple[float, float] | None = None  # margin and bound with slack
    witness: tuple[tuple[int, Fraction], ...] | None = None  # a combination of rows that is exactly 0
    undecided: str | None = None  # what stood in the way of a margin and of a witness


def _certificate(
    model: Any, k: int, data: Encoded, signs: Array, scan: Look | None, batch: bool
) -> Certificate:
    a = corrections(model.support_, model.dual_coef_[k], data, signs)
    look = model._examine(k, data, signs, a, scan)
    if batch:
        look = look._replace(bound=stream_bound(model, k, data, signs))
    return certificate_from(model, k, look, len(signs), batch)


def certificate_from(model: Any, k: int, look: Examination, n_rows: int, batch: bool = False) -> Certificate:
    """What an examination of this number of rows certifies."""
    terms, duals = model._terms, model.dual_coef_[k]
    margin, bound = look.margin, look.bound
    separable = True if look.low > 0.0 and not batch else None
    if not batch and (bound == 0.0 or look.witness is not None):
        separable, bound, margin = False, 0.0, min(margin, 0.0)
    return Certificate(
        separable=separable,
        margin=margin,
        margin_bound=bound,
        radius=look.radius,
        n_updates=int(np.atleast_1d(model.n_updates_)[k]),
        update_bound=(
            terms.update_bound(look.radius, margin, start_of(model, k))
            if bound is not None and separable
            else None
        ),
        compression_size=len(duals) if len(model.dual_coef_) == 1 else int(np.count_nonzero(duals)),
        n_rows=n_rows,
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
    return look.undecided or "these weights do not separate the rows, which proves nothing of others"


def examine_linear(model: Any, k: int, data: Encoded, signs: Array, a: Array, look: Look) -> Examination:
    """What a look at all rows says of a linear model, whose weights are at hand."""
    w, b = model.coef_[k].astype(np.float64), float(model.intercept_[k])
    if not look.sure and np.isfinite(w).all() and np.isfinite(b):
        low, n_errors = exact_look(data, signs, w, b)
        look = look._replace(low=float_below(low), n_errors=n_errors)
    return examine_look(model, k, data, look, duals_of(model, data, a * signs))


def examine_look(model: Any, k: int, data: Encoded, look: Look, duals: Duals) -> Examination:
    """The same of a look that is sure."""
    w, b, lift = model.coef_[k].astype(np.float64), float(model.intercept_[k]), model.lift_
    if not (np.isfinite(w).all() and np.isfinite(b)):
        return Examination(-np.inf, -np.inf, np.inf, look.n_errors, None)
    radius = hypot_above(up(up(data.largest * (1.0 + error_factor(len(w) + 2))) ** 0.5), lift)
    margin, bound = margin_of(look.low, w, b, lift), None
    proves = len(duals.signed) > 0 and model._terms.bounds_margins(duals.signed)
    if proves and _rebuilt(model, k, look.combination, radius):
        bound = bound_of(duals, look.combination).value
    return Examination(look.low, margin, radius, look.n_errors, bound)


def duals_of(model: Any, data: Encoded, signed: Array) -> Duals:
    """The rows with a dual, and what they prove."""
    used = np.flatnonzero(signed)
    terms = model._terms
    return Duals(data, used, signed[used], model.lift_, terms.free_intercept, little=terms.little)


def margin_of(low: float, w: Array, b: float, lift: float, more: Fraction = ZERO) -> float:
    """low/‖(w, b/ρ)‖, rounded down; 0 for weights that are 0. `more` : of other coordinates, squared."""
    below, above, _, sure = bracket(as_rows(w[None]), 0, w, 0.0)
    square = Fraction(above if low > 0.0 else below) if sure else exact_sqnorm(w)
    if lift:
        bias = Fraction(b) / Fraction(lift)
        square += bias * bias
    square = square + more if more else square
    if not square:
        return 0.0
    return quotient_below(Fraction(low), square) + 0.0 if np.isfinite(low) else -np.inf  # no negative zero


def _rebuilt(model: Any, k: int, combination: Array, radius: float) -> bool:
    """Are the weights what the duals make of these rows, except for rounding on the way? The bound does not
    rest on it; that it is theirs does."""
    w, b, lift = model.coef_[k].astype(np.float64), float(model.intercept_[k]), model.lift_
    norm, total = lifted_norm(w, b, lift), float(np.abs(model.dual_coef_[k]).sum())
    close = max(CLOSE[model.coef_.dtype] * max(norm, radius), 8 * EPSILON * radius * total)
    intercept = model._terms.rho_squared * float(model.dual_coef_[k].sum())
    start, start_b = weights_given(model, k)
    if len(start):
        w, b = w - start, b - start_b
        close = max(close, CLOSE[model.coef_.dtype] * lifted_norm(start, start_b, lift))
    return lifted_norm(combination - w, intercept - b, lift) <= close


def weights_given(model: Any, k: int) -> tuple[Array, float]:
    """Weights that training began from; none if it was at zero, or if a model file does not tell."""
    memories = getattr(model, "_memories", None)
    return (memories[k].start, memories[k].start_b) if memories else (np.zeros(0), 0.0)


def start_of(model: Any, k: int) -> Start | None:
    """The same as the theorem sees it; None if training began at zero."""
    start, b = weights_given(model, k)
    if not len(start):
        return None
    w, lift = model.coef_[k].astype(np.float64), model.lift_
    bias = b * float(model.intercept_[k]) / model._terms.rho_squared if lift else 0.0
    norm, own = lifted_norm(start, b, lift), lifted_norm(w, float(model.intercept_[k]), lift)
    blur = error_factor(len(w) + 8) * norm
    return Start(up(norm + blur), (float(start @ w) + bias) / own - 2.0 * blur)


def stream_bound(model: Any, k: int, data: Encoded, signs: Array) -> float | None:
    """What weights and duals prove after a stream, whose rows are gone: the weights are their sum except for
    what rounding may have done on the way, which was added up."""
    memory, duals = model._memories[k], model.dual_coef_[k]
    if not _stream_has_bound(model, duals, data, signs) or not np.isfinite(memory.blur):
        return None
    return up(up(stream_norm(model, k) + 1.01 * stream_blur(model, k)) / sums_of(duals)[0])


def stream_norm(model: Any, k: int) -> float:
    """‖(w, b/ρ)‖, rounded up."""
    bias = up(abs(float(model.intercept_[k])) / model.lift_) if model.lift_ else 0.0
    return hypot_above(norm_bounds(model.coef_[k])[1], bias)


def stream_blur(model: Any, k: int) -> float:
    """How far the weights of a stream may be from the sum that the duals make; an average is rounded once
    more than the last weights."""
    memory, unit = model._memories[k], float(np.finfo(model.coef_.dtype).eps)
    late = norm_bounds(memory.drift)[1] / float(max(1, memory.clock["presentations"][0]))
    return float(memory.blur + 2.0 * unit * stream_norm(model, k) + 16.0 * UNIT * (memory.length + late))


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
