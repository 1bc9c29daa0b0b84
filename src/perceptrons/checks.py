"""Parameters and weights of rows, checked: every error names the value, the limit and what to do."""

import re
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from ._types import Array
from .input_kinds import check_labels, check_table
from .intervals import interval
from .structure import check_structure

TEXT = re.compile("could not convert string to float|Cannot cast .* dtype to float")  # NumPy's, and pandas'


def is_number(value: Any, kind: Any = Real) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r}, but it must be True or False.")
    return bool(value)


def number(name: str, value: Any, limits: str, remedy: str, kind: Any = Real) -> Any:
    """The value, if it is a number of that kind in the interval, such as "(0, 2]".

    >>> number("eta", 3, "(0, 2]", "use 1")
    Traceback (most recent call last):
        ...
    ValueError: eta=3, but it must be a number in (0, 2]; use 1.
    """
    if not is_number(value, kind) or value not in interval(limits):
        what = "an integer" if kind is Integral else "a number"
        raise ValueError(f"{name}={value!r}, but it must be {what} {interval(limits).in_words()}; {remedy}.")
    return value


def one_of(name: str, value: Any, choices: Collection[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r}, but it must be one of {', '.join(map(repr, choices))}.")
    return value


def validated(estimator: Any, X: Any, *y: Any, **checks: Any) -> Any:
    """scikit-learn's `validate_data`, after what it does not look for: damaged sparse rows are refused before
    it reads them, or lets SciPy convert them, and frames and labels of no use in a sentence, as are numbers
    that NumPy cannot hold."""
    check_table(X)
    check_structure(X)
    for labels in y:
        check_labels(labels)
    try:
        return validate_data(estimator, X, *y, **checks)
    except OverflowError as error:
        raise ValueError(
            f"X holds a whole number that no float can hold ({error}); scale its column."
        ) from None
    except np.exceptions.DTypePromotionError:
        raise ValueError(
            "X has columns of dates or durations beside numbers, which have no type in common; put a "
            "TableEncoder before the learner, or pass them as numbers."
        ) from None
    except ValueError as error:
        said = str(error).strip()
        if not TEXT.match(said):
            raise
        raise ValueError(
            f"{said.rstrip('.')}. X holds texts, which cannot be added up; put a TableEncoder before the "
            f"learner: make_pipeline(TableEncoder(), {type(estimator).__name__}(…))."
        ) from None


def count_rows(X: Any) -> int:
    """The number of rows of an array, a sparse matrix, a frame, a list or what NumPy can make an array of."""
    if not hasattr(X, "shape") and hasattr(X, "__len__"):
        return len(X)
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape  # np.shape would ask X how to count
    if not shape:
        raise ValueError(f"Expected 2D array, got a scalar instead: {X!r:.60}; pass a row per example.")
    return int(shape[0])


def row_weights(sample_weight: Any, X: Any, dtype: Any = None) -> Array:
    """A weight >= 0 for each row of X; ones where None is given. Floats keep their precision."""
    n_rows = count_rows(X)
    if sample_weight is None or np.isscalar(sample_weight) or getattr(sample_weight, "ndim", 1) == 0:
        one = 1.0 if sample_weight is None else sample_weight
        if not is_number(one) and not is_number(getattr(one, "item", lambda: None)()):
            raise ValueError(f"sample_weight={one!r}, but it must be a number, or one for each row.")
        sample_weight = np.full(n_rows, float(one))
    kinds = (np.float64, np.float32) if dtype is None else dtype
    weights: Array = check_array(sample_weight, ensure_2d=False, dtype=kinds, input_name="sample_weight")
    if weights.ndim != 1:
        raise ValueError(f"sample_weight has the shape {weights.shape}, but it must be 1D: a weight per row.")
    if len(weights) != n_rows:
        raise ValueError(f"sample_weight has {len(weights)} entries for {n_rows} rows; give one for each.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number; all of them are 0.")
    if weights.min() < 0:
        raise ValueError(
            f"sample_weight has {weights.min()}, but a weight must be >= 0; use 0 to leave a row out."
        )
    return weights
