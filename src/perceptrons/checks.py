"""Parameters of estimators, checked: every refusal names the value, the limit and what to do."""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from ._types import Array


def is_number(value: Any, kind: Any = Real) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r}, but it must be True or False.")
    return bool(value)


def number(name: str, value: Any, above: float, below: float, remedy: str, kind: Any = Real) -> Any:
    """The value, if it is a number of that kind strictly between the two."""
    if not is_number(value, kind) or not above < value < below:
        what = "an integer" if kind is Integral else "a number"
        limit = f"> {above:g}" if math.isinf(below) else f"between {above:g} and {below:g}"
        raise ValueError(f"{name}={value!r}, but it must be {what} {limit}; {remedy}.")
    return value


def one_of(name: str, value: Any, choices: Collection[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={value!r}, but it must be one of {', '.join(map(repr, choices))}.")
    return value


def row_weights(sample_weight: Any, X: Any) -> Array:
    """A weight >= 0 for each row of X."""
    weights: Array = _check_sample_weight(sample_weight, X)
    if weights.min() < 0:
        raise ValueError(
            f"sample_weight has {weights.min()}, but a weight must be >= 0; give rows that shall not count 0."
        )
    return weights
