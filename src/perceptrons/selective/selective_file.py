"""What model files hold of this room's classifiers, and of the classifiers inside them."""

from typing import Any

import numpy as np

from .._types import Array
from ..model_file import declarations as file
from ..model_file.nested import AnyEstimator, Unfitted
from ..rejection.labels import AUTO, resolve
from .promise import Promise

ESTIMATOR: dict[str, file.Field] = {"estimator": Unfitted()}
PROMISE = file.Record(
    Promise,
    {
        "threshold": file.Real(finite=False),
        "max_error": file.Real(least=0.0),
        "delta": file.Real(least=0.0),
        "n_rows": file.Count(),
        "n_answered": file.Count(),
        "n_errors": file.Count(),
        "needed": file.Real(least=0.0, finite=False),
    },
)
SELECTIVE: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    "estimator_": AnyEstimator(),
    "promises_": file.Each(PROMISE),
    "reject_label_": file.Parameter(),
}


def check_promises(promises: list[Promise], n_classes: int) -> None:
    """Can calibration rows have left these?"""
    if len(promises) not in (1, n_classes):
        raise ValueError(f"there are {len(promises)} promises for {n_classes} classes")
    for one in promises:
        counts = one.n_errors <= one.n_answered <= one.n_rows
        shares = 0.0 < one.max_error < 1.0 and 0.0 < one.delta < 1.0
        if not (counts and shares and one.threshold == one.threshold):
            raise ValueError(f"the promise {tuple(one)} contradicts itself")
        if one.given and not one.holds:
            raise ValueError(f"the promise {tuple(one)} does not follow from its counts")


def check_inside(estimator: Any, classes: Array, label: Any) -> None:
    """Does the fitted estimator answer these classes, and no others? Is the label none of them?"""
    known = np.asarray(estimator.classes_).tolist()
    if not {*known} <= {*classes.tolist()}:
        raise ValueError(f"estimator_ knows the classes {known}, but classes_ are {classes.tolist()}")
    if isinstance(label, str) and label == AUTO:
        raise ValueError("reject_label_ is 'auto', but it must be the label itself")
    resolve(label, classes)
