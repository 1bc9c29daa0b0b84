# mypy: allow-untyped-defs, allow-untyped-calls
"""Around `MaxMarginPerceptron`: its settings, what its certificate may claim, and its model file."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ..._types import Array as Values
from ...checks import flag, number
from ...compiled import compiled
from ...model_file.declarations import (
    COLUMNS,
    Array,
    Count,
    Either,
    Field,
    Flag,
    Labels,
    OneOrMore,
    Real,
    Record,
)
from ...rows.encode import Encoded, is_sparse
from ...rows.layouts import dot
from ..certificates import Look
from ..margin_file import CERTIFICATE, HISTORY, check_rows, check_vectors, require
from .pool import gather, rounding, squared_distance

ON_INSEPARABLE = ("warn", "raise")
SQUARES, SLACK = (1e-220, 1e304), (1e-150, 1e304)  # of a row, of that times C: margins are far smaller
UNBALANCED = 1e-9  # what the duals of both classes may differ by, relative to their sum


class _Found(NamedTuple):
    C: float
    fit_intercept: bool
    reproducible: bool  # the weights are the shortest combination of their support rows


class ExactTerms(_Found):
    """What a model was asked for, and found: what its certificate may claim. There is no lift, no stream."""

    rho_squared = 0.0
    streamed = False
    foreign = False
    lift_from_rows = False

    def update_bound(self, radius: float, margin: float) -> None:
        """No theorem bounds the steps of these methods."""


def read_settings(model: Any) -> dict[str, Any]:
    """The parameters, checked; a refusal names the value, the limit and what to do."""
    C = model.C
    if not (isinstance(C, float | np.floating) and C == np.inf):
        number("C", C, "(0, inf)", "use inf for no slack, 1 for some")
    number("tol", model.tol, "(0, 1)", "use 1e-3")
    number("max_iter", model.max_iter, "[1, inf)", "use 1000", Integral)
    if model.on_inseparable not in ON_INSEPARABLE:
        raise ValueError(f"on_inseparable={model.on_inseparable!r}, but it must be 'warn' or 'raise'.")
    flag("warm_start", model.warm_start)
    return {
        "C": float(C),
        "tol": float(model.tol),
        "fit_intercept": flag("fit_intercept", model.fit_intercept),
        "max_iter": int(model.max_iter),
    }


def check_squares(data: Encoded, C: float) -> None:
    """Squared margins, which are far smaller than the rows, must neither underflow nor overflow."""
    least, most = SQUARES
    if data.largest == 0.0:
        return  # rows of zeros: no margin, but nothing overflows
    if not least <= data.largest <= most:
        value, what = float(abs(data.matrix).max()), "over" if data.largest > 1.0 else "under"
        raise ValueError(
            f"Squared margins {what}flow: the largest |value| is {value:.3g}, but it must lie between about "
            f"{np.sqrt(least):.0e} and {np.sqrt(most):.0e}. Scale the columns (StandardScaler)."
        )
    if np.isfinite(C) and not SLACK[0] <= C * data.largest <= SLACK[1]:
        raise ValueError(
            f"C={C:g} times the largest squared norm of a row, {data.largest:.3g}, must lie between "
            f"{SLACK[0]:g} and {SLACK[1]:g}; use 1, or inf for no slack."
        )


def look_exactly(model: Any, look: Look, k: int, data: Encoded, signs: Values, a: Values) -> Look:
    """What `certify` must know beyond a perceptron's look: the bound holds for every intercept only if both
    classes have the same sum of duals; slack has an interval of its own; a witness is added up again."""
    terms, radius = model._terms, float(np.sqrt(data.largest))
    total = float(a.sum())
    if look.sum_norm is not None and terms.fit_intercept and total > 0.0:
        unbalanced = abs(float((a * signs).sum()))
        # a hyperplane that separates has an intercept of at most the radius; with slack a little more
        fair = unbalanced <= UNBALANCED * total
        look = look._replace(sum_norm=look.sum_norm + unbalanced * radius if fair else None)
    if np.isfinite(terms.C):
        look = look._replace(soft=_soft_interval(model, look, k, data, signs, a))
    pairs = model._witnesses[k]
    if pairs is not None:
        rows, weights = np.array([row for row, _ in pairs]), np.array([weight for _, weight in pairs])
        left, largest = _left_over(data, signs, rows, weights, terms.fit_intercept)
        if left <= 2 * rounding(data.matrix.shape[1], len(pairs)) * largest:
            look = look._replace(witness=pairs, witness_norm=left)
    return look


def _soft_interval(
    model: Any, look: Look, k: int, data: Encoded, signs: Values, a: Values
) -> tuple[float, float] | None:
    """Margin and bound of the rows extended by a coordinate each, (x_i, y_i e_i/√C)."""
    if look.sum_norm is None or not a.any():
        return None
    ridge = 1.0 / model._terms.C
    slack = ridge * float((a * a).sum())
    low = lowest_with_slack(data.X, signs, model.coef_[k], float(model.intercept_[k]), a, ridge)
    margin, bound = low / np.sqrt(look.norm**2 + slack), np.sqrt(look.sum_norm**2 + slack) / a.sum()
    return float(margin), float(bound)


def _left_over(
    data: Encoded, signs: Values, rows: Values, weights: Values, intercept: bool
) -> tuple[float, float]:
    """‖Σ a_i y_i x_i‖ for a witness, and its largest term; inf if its weights are not convex.

    With an intercept terms are counted from a row of the witness: its sums per class are equal."""
    if not len(rows) or rows.min() < 0 or rows.max() >= len(signs) or not (weights > 0.0).all():
        return np.inf, 0.0
    if len(np.unique(rows)) < len(rows):
        return np.inf, 0.0
    sides = [signs[rows] < 0, signs[rows] > 0] if intercept else [np.ones(len(rows), bool)]
    if any(abs(float(weights[side].sum()) - 1.0) > 1e-12 for side in sides):
        return np.inf, 0.0
    total, centre = np.zeros(data.matrix.shape[1]), np.zeros(data.matrix.shape[1])
    if intercept and not is_sparse(data.matrix):
        centre = data.matrix[rows[0]].astype(np.float64)
    gather(data.X, rows, weights * signs[rows], centre, total)
    largest = max(squared_distance(data.X, row, centre) for row in rows)
    return float(np.sqrt((total * total).sum())) / len(sides), float(np.sqrt(largest))


@compiled
def lowest_with_slack(X, y, w, b, a, ridge):
    """The smallest y·score, what the row's own coordinate adds included."""
    low = np.inf
    for i in range(y.size):
        low = min(low, y[i] * (dot(X, i, w) + b) + ridge * a[i])
    return low


_PER_VECTOR = Either(Count(), Array(("int64",), ("vectors",)))  # a number where there is one vector

FIELDS: dict[str, Field] = {
    "classes_": Labels("classes"),
    **COLUMNS,
    "coef_": Array(("float64",), ("vectors", "features")),
    "intercept_": Array(("float64",), ("vectors",)),
    "support_": Array(("int64",), ("used",)),
    "dual_coef_": Array(("float64",), ("vectors", "used")),
    "n_rows_": Count(least=1),
    "n_updates_": _PER_VECTOR,
    "n_iter_": Count(least=1),
    "converged_": Flag(),
    "history_": OneOrMore(Record(dict, {**HISTORY}), "vectors"),
    "certificate_": OneOrMore(CERTIFICATE, "vectors"),
    "_terms": Record(
        ExactTerms,
        {"C": Real(least=0.0, finite=False), "fit_intercept": Flag(), "reproducible": Flag()},
    ),
}


def restore_exact(model: Any) -> None:
    """Check what was read and derive the rest."""
    n_vectors = len(model.coef_)
    check_vectors(model, n_vectors)
    check_rows(model.support_, model.n_rows_, "support_")
    require(isinstance(model.n_updates_, int) == (n_vectors == 1), "n_updates_")
    require(model._terms.C > 0.0, "terms.C")
    require(model._terms.fit_intercept or not model.intercept_.any(), "intercept_")
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    model._witnesses = [certificate.witness for certificate in certificates]
    model.lift_ = 0.0
