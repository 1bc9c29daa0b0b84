"""What model files hold of this room's classifiers, and of the classifiers inside them."""

from typing import Any

import numpy as np

from .._types import Array
from ..conservative.conservative_file import COSTS
from ..model_file import declarations as file
from ..model_file.nested import AnyEstimator, Unfitted
from ..rejection.costs import Prices
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
    **file.SEEN,
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


CASCADE_PARAMETERS: dict[str, file.Field] = {"stages": file.Each(Unfitted()), "costs": COSTS}
_PER_CLASS = file.Array(("float64",), ("classes",))
CASCADE: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.SEEN,
    "stages_": file.Each(AnyEstimator()),
    "prices_": file.Each(file.Optional(file.Real(finite=False))),
    "n_rows_": file.Array(("int64",), ("stages",)),
    "answered_by_": file.Array(("float64",), ("ends",)),
    "risk_": file.Real(),
    "reject_label_": file.Parameter(),
    "_prices": file.Record(Prices, dict.fromkeys(Prices._fields, _PER_CLASS)),
}


def check_cascade(model: Any) -> None:
    """Are there as many prices as stages, and do the stages know no other classes?"""
    n_stages = len(model.stages_)
    sizes = {len(model.prices_), len(model.n_rows_), len(model.answered_by_) - 1, len(model.stages)}
    if not n_stages or sizes != {n_stages}:
        raise ValueError(f"there are {n_stages} stages, but not as many prices, rows and shares")
    if model.prices_[-1] is not None or any(price is None or price != price for price in model.prices_[:-1]):
        raise ValueError("the last stage has no price, and each other stage has one")
    for stage in model.stages_:
        check_inside(stage, model.classes_, model.reject_label_)
