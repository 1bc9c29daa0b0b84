"""The label that stands for a rejection among classes, arrays that can hold it, and reading them back."""

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import type_of_target, unique_labels
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    column_or_1d,
)

from .._types import Array
from ..checks import is_number, row_weights

AUTO, WORD = "auto", "reject"


def resolve(label: Any, classes: Array) -> Any:
    """The label that stands for a rejection; None if predictions shall hold none.

    "auto" is "reject" beside classes that are texts, else 0, −1 or the number below all classes, whichever is
    the first that is no class.
    """
    if label is None:
        return None
    names = classes.tolist()
    automatic = isinstance(label, str) and label == AUTO
    if automatic:
        label = _free_number(names) if classes.dtype.kind in "biuf" else WORD
    if not isinstance(label, str) and not is_number(label):
        raise ValueError(
            f"reject_label={label!r}, but it must be 'auto', a number, a text, or None to always answer."
        )
    if label in names or str(label) in map(str, names):  # 1 and "1" are the same in a CSV file
        asked = "reject_label='auto' is " if automatic else "reject_label="
        that_is = "that is" if label in names else "that is written like"
        raise ValueError(f"{asked}{label!r}, but {that_is} one of the classes {names}; choose another label.")
    return label


def _free_number(names: list[Any]) -> Any:
    return next(number for number in (0, -1, int(min(names)) - 1) if number not in names)


def answers(classes: Array, codes: Array, rejected: Array, label: Any) -> Array:
    """Classes by their places, the label where rows are rejected; of a dtype that holds both."""
    chosen = classes[codes]
    if label is None:
        return np.asarray(chosen)
    return np.where(rejected, np.array(label, _dtype(classes, label)), chosen.astype(_dtype(classes, label)))


def _dtype(classes: Array, label: Any) -> Any:
    """A type for the classes and the label; Python objects where no other holds both as they are."""
    if isinstance(label, str) != (classes.dtype.kind in "US"):
        return np.dtype(object)
    whole = isinstance(label, Integral)  # the smallest float type would round another label
    dtype = np.result_type(classes.dtype, np.min_scalar_type(label) if whole else np.asarray(label))
    if whole and dtype.kind == "f" and classes.dtype.kind in "iu":  # NumPy's choice if one is an uint64
        dtype = np.dtype(np.int64 if -(2**63) <= int(label) < 2**63 else object)
    return dtype if classes.astype(dtype).tolist() == classes.tolist() else np.dtype(object)


def is_rejected(predicted: Array, label: Any) -> Array:
    """Which predictions are rejections."""
    if label is None:
        return np.zeros(len(predicted), bool)
    if label != label:  # NaN
        return np.asarray(predicted != predicted)
    return np.asarray(predicted == label)


class Answered(NamedTuple):
    """Rows with their classes and with the answers they got."""

    truth: Array
    predicted: Array
    rejected: Array
    weights: Array
    classes: Array  # of the truth, and those the user named, which then are all
    label: Any  # what stands for a rejection; None if nothing does


def read_answers(
    y_true: Any, y_pred: Any, reject_label: Any = AUTO, sample_weight: Any = None, labels: Any = None
) -> Answered:
    """What a metric was given, checked in the manner of scikit-learn's metrics."""
    truth, predicted = _column(y_true, "y_true"), _column(y_pred, "y_pred", ensure_all_finite=False)
    check_consistent_length(truth, predicted)
    _check_discrete(truth, "y_true")
    classes = np.unique(truth) if labels is None else _with_named(truth, labels)
    label = resolve(reject_label, classes)
    rejected = is_rejected(predicted, label)
    _check_answers(predicted[~rejected], classes, label)
    if labels is not None:
        check_known(predicted[~rejected], classes, label)
    if isinstance(reject_label, str) and reject_label == AUTO:
        _check_automatic(label, classes, predicted)
    weights = row_weights(sample_weight, truth)
    return Answered(truth, predicted, rejected, weights, classes, label)


def _column(values: Any, name: str, **checks: Any) -> Array:
    if isinstance(values, list | tuple) and len({isinstance(value, str) for value in values}) == 2:
        values = np.array(values, dtype=object)  # NumPy would make texts of the numbers
    array = check_array(values, ensure_2d=False, dtype=None, input_name=name, **checks)
    return np.asarray(column_or_1d(array))


def _with_named(truth: Array, labels: Any) -> Array:
    try:
        return np.asarray(unique_labels(truth, labels))
    except ValueError as error:
        raise ValueError(
            f"{error}: y_true holds {np.unique(truth).tolist()}, but labels or costs name "
            f"{labels!r}; name classes as y_true does."
        ) from error


def _check_discrete(values: Array, name: str) -> None:
    kind = type_of_target(values, input_name=name)
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"{name} is {kind}, but it must hold classes: texts, or whole numbers.")


def _check_automatic(label: Any, classes: Array, predicted: Array) -> None:
    """Do not guess where the label may be a class that no row has, and another number the label."""
    if isinstance(label, str):
        return
    other = _free_number([*classes.tolist(), label])
    if is_rejected(predicted, label).any() and is_rejected(predicted, other).any():
        raise ValueError(
            f"reject_label='auto', but y_pred holds {label!r} and {other!r}, neither of which is in y_true: "
            "either may stand for rejections; name it as reject_label."
        )
    for name in set(predicted.tolist()) - set(classes.tolist()) if len(classes) == 1 else ():
        raise ValueError(
            f"reject_label='auto', but {classes.tolist()[0]!r} is the only class known, and y_pred holds "
            f"{name!r}, which may be another class or a rejection; name all classes as labels, or what "
            "stands for rejections as reject_label."
        )


def _check_answers(answers: Array, classes: Array, label: Any) -> None:
    """Are these of the classes' kind? (They may be classes that no row has.)"""
    kind = Real | np.bool_ if classes.dtype.kind in "biuf" else str
    names = list(dict.fromkeys(answers.tolist()))
    for name in names:
        if not isinstance(name, kind) or name != name:
            raise unknown(name, classes, label)
    _check_discrete(np.array(names), "y_pred")


def check_known(answers: Array, classes: Array, label: Any) -> None:
    """Are these among the classes? (Where all are known, another is a slip.)"""
    for name in sorted(set(answers.tolist()) - set(classes.tolist())):
        raise unknown(name, classes, label)


def unknown(name: Any, classes: Array, label: Any) -> ValueError:
    return ValueError(
        f"y_pred holds {name!r}, which is neither one of the classes {classes.tolist()} nor the label of "
        f"rejections, {label!r}; correct it, or name it as reject_label or among the labels."
    )
