"""Weights of rows and of classes, checked and multiplied; a row of weight 0 is absent."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._types import Array
from ..checks import is_number, row_weights

BALANCED = "balanced"
NO_WEIGHTS = np.zeros(0)  # each row counts 1
LIGHTEST, HEAVIEST = 1e-30, 1e30


def weights_of_rows(sample_weight: Any, class_weight: Any, X: Any, classes: Array, codes: Array) -> Array:
    """The weight of each row of X, times that of its class; empty if neither was given."""
    if sample_weight is None and class_weight is None:
        return NO_WEIGHTS
    weights = row_weights(sample_weight, X, np.float64)
    if class_weight is not None:
        places = codes.astype(np.intp)  # of two classes they are truth values
        with np.errstate(over="ignore"):
            weights = weights * class_factors(class_weight, classes, places, weights)[places]
        if not weights.any():
            raise ValueError("All rows have weight 0, by sample_weight or class_weight; some must have more.")
    check_range(weights)
    return np.asarray(weights)


def check_range(weights: Array) -> None:
    """Steps, and their squares, must neither overflow nor vanish, in single precision either."""
    least, most = weights.min(where=weights > 0.0, initial=np.inf), weights.max()
    if not (LIGHTEST <= least and most <= HEAVIEST):
        value = most if most > HEAVIEST else least
        raise ValueError(
            f"A row has the weight {value:g}, times that of its class, but weights must be 0 or lie between "
            f"{LIGHTEST:g} and {HEAVIEST:g}; divide all of them by the largest."
        )


def is_balanced(class_weight: Any) -> bool:
    return isinstance(class_weight, str) and class_weight == BALANCED


def class_factors(class_weight: Any, classes: Array, codes: Array, weights: Array) -> Array:
    """The factor of each class; "balanced": the inverse of its share of the weights of the rows, scaled so
    that their sum stays as it is."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, Mapping):
        return _given_factors(class_weight, classes)
    if not is_balanced(class_weight):
        raise ValueError(f"class_weight={class_weight!r}, but it must be 'balanced', a dict or None.")
    sums = np.bincount(codes, weights, len(classes))
    there = sums > 0.0
    return np.asarray(sums.sum() / (np.count_nonzero(there) * np.where(there, sums, 1.0)))


def _given_factors(class_weight: Mapping[Any, Any], classes: Array) -> Array:
    """Those of a dict; a class that it does not name counts 1."""
    names = classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    if unknown:
        raise ValueError(
            f"class_weight names the class {unknown[0]!r}, but the classes are {names}; leave it out."
        )
    for name, weight in class_weight.items():
        if not (is_number(weight) and 0.0 <= weight < np.inf):
            raise ValueError(
                f"class_weight of the class {name!r} is {weight!r}, but it must be a number >= 0; use 1."
            )
    return np.array([float(class_weight.get(name, 1.0)) for name in names])


def check_every_class(classes: Array, codes: Array, weights: Array) -> None:
    """Has each class a row that counts?"""
    sums = np.bincount(codes, weights, len(classes))
    if not sums.all():
        name = classes.tolist()[int(np.argmin(sums))]
        raise ValueError(
            f"All rows of the class {name!r} have weight 0, so it cannot be learned; leave its rows out, or "
            "give some a weight > 0."
        )
