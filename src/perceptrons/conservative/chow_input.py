"""What `ChowClassifier` is given, checked: its estimator, rows and weights, the folds of the calibration."""

from collections.abc import Iterable, Mapping, Sized
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from .._types import Array
from ..checks import count_rows, is_number, number, one_of
from ..input_kinds import check_input
from ..rows.encode import encode_labels, is_sparse
from ..rows.weights import check_every_class, weights_of_rows
from ..structure import check_structure

METHODS = ("sigmoid", "isotonic")


class ChowRows(NamedTuple):
    """Rows to learn from, none of them of weight 0."""

    X: Any  # of the kind that was given
    y: Array
    classes: Array
    codes: Array  # classes[codes] = y
    fit_params: dict[str, Any]  # for the estimator, weights among them if any were given
    present: Array | None  # where these rows stand among those given; None: they are all there


def read_rows(X: Any, y: Any, sample_weight: Any, class_weight: Any, fit_params: dict[str, Any]) -> ChowRows:
    check_structure(X)
    y = _read_labels(X, y)
    classes, codes = encode_labels(y)
    weights = weights_of_rows(sample_weight, class_weight, X, classes, codes)
    if not len(weights):
        return ChowRows(X, y, classes, codes, fit_params, None)
    check_every_class(classes, codes, weights)
    fit_params = {**fit_params, "sample_weight": weights}
    if weights.all():
        return ChowRows(X, y, classes, codes, fit_params, None)
    present = np.flatnonzero(weights)
    fit_params = {
        name: rows_at(value, present) if _has_rows(value, len(y)) else value
        for name, value in fit_params.items()
    }
    return ChowRows(rows_at(X, present), y[present], classes, codes[present], fit_params, present)


def _read_labels(X: Any, y: Any) -> Array:
    check_input(X, y)
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    if not len(y):
        raise ValueError("Found array with 0 sample(s), but a classifier learns from rows; pass some.")
    return np.asarray(y)


def _has_rows(value: Any, n_rows: int) -> bool:
    """Is there an entry for each row?"""
    several = hasattr(value, "__len__") or hasattr(value, "shape")
    return several and not isinstance(value, str | bytes | Mapping) and count_rows(value) == n_rows


def rows_at(table: Any, places: Array) -> Any:
    """Some rows of an array, a sparse matrix, a frame, a series or a list, as the same kind of thing."""
    if hasattr(table, "iloc"):  # pandas
        return table.iloc[places]
    if is_sparse(table):
        return table.tocsr()[places]
    if hasattr(table, "shape"):  # NumPy and polars
        return table[places]
    return [table[i] for i in places] if hasattr(table, "__getitem__") else np.asarray(table)[places]


def check_weights(estimator: Any, sample_weight: Any, class_weight: Any) -> None:
    """scikit-learn would weigh the calibration alone, and warn that this is likely to be wrong."""
    if isinstance(estimator, FrozenEstimator) or has_fit_parameter(estimator, "sample_weight"):
        return
    name = f"{type(estimator).__name__}.fit"
    if sample_weight is not None:
        raise ValueError(
            f"sample_weight is given, but {name} takes none; leave it out, or use costs, if classes shall "
            "count differently."
        )
    if class_weight is not None:
        raise ValueError(
            f"class_weight={class_weight!r}, but {name} takes no sample_weight, which it would become; use "
            "None, or costs, if errors about some classes cost more."
        )


def check_classifier(estimator: Any, calibration: Any) -> None:
    """Is it a classifier that can give posteriors?"""
    if calibration is not None:
        one_of("calibration", calibration, METHODS)
    if isinstance(estimator, type):
        raise ValueError(
            f"estimator={estimator.__name__} is a class; pass an object: {estimator.__name__}()."
        )
    if not (is_estimator(estimator) and is_classifier(estimator)):
        raise ValueError(
            f"estimator={estimator!r}, but it must be a scikit-learn classifier, like LogisticRegression()."
        )
    if calibration is None and not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator={estimator!r} has no predict_proba, which calibration=None relies on; use "
            'calibration="sigmoid".'
        )
    if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")):
        raise ValueError(
            f"estimator={estimator!r} has neither decision_function nor predict_proba, and without scores "
            "there is nothing to calibrate; use another."
        )


def is_estimator(given: Any) -> bool:
    return not isinstance(given, type) and hasattr(given, "fit") and hasattr(given, "__sklearn_tags__")


def check_known(frozen: Any, classes: Array) -> None:
    """Does a fitted estimator know the classes of these rows, and no others?"""
    check_is_fitted(frozen)
    if not np.array_equal(frozen.classes_, classes):
        raise ValueError(
            f"The frozen estimator knows the classes {frozen.classes_.tolist()}, but y holds "
            f"{classes.tolist()}; pass rows of all its classes, and of no others."
        )


def read_folds(cv: Any, rows: ChowRows, frozen: bool) -> Any:
    """The folds of these rows; a fitted estimator needs none: all rows calibrate it."""
    cv, counts = 5 if cv is None else cv, np.bincount(rows.codes)
    counted = is_number(cv, Integral)
    if counted:
        number("cv", cv, "[2, inf)", "use 5", Integral)
    if frozen:
        return [(np.arange(len(rows.y)),) * 2]
    if isinstance(cv, Sized) and not len(cv):
        raise ValueError("cv has no splits, but at least one is needed; use 5.")
    if not counted:  # a splitter or splits; for anything else scikit-learn raises
        return cv if rows.present is None else _splits_of(cv, rows.present)
    if counts.min() < 2:
        raise ValueError(
            "A class has 1 row, but calibration needs at least 2 of each, one to learn from and one to "
            "calibrate by; add rows, or use calibration=None."
        )
    return int(min(cv, counts.min()))


def _splits_of(cv: Any, present: Array) -> Any:
    """A list of splits names the rows as they were given; those that are left have other numbers."""
    if hasattr(cv, "split") or isinstance(cv, str) or not isinstance(cv, Iterable):
        return cv
    splits = [tuple(_renumbered(part, present) for part in split) for split in cv]
    return [split for split in splits if len(split[-1])]  # nothing is left to be tested


def _renumbered(rows: Any, present: Array) -> Array:
    rows = np.asarray(rows)
    return np.asarray(np.searchsorted(present, rows[np.isin(rows, present)]))
