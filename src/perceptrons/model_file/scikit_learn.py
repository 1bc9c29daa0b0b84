"""What a model file holds of scikit-learn's own estimators, which cannot declare it themselves."""

from collections.abc import Callable
from typing import Any, NamedTuple

from .declarations import COLUMNS, FLOATS, Array, Either, Field, Flag, Optional

_IF_COMPUTED = Optional(Array(FLOATS, ("features",), finite=False))  # NaN for a column of NaN
_SEEN = ("int64", *FLOATS)  # a float where rows have weights, an array where values are missing


class Foreign(NamedTuple):
    """Parameters, fitted attributes, and whether they agree."""

    parameters: dict[str, Field]
    fitted: dict[str, Field]
    check: Callable[[Any], None]


def check_scaler(scaler: Any) -> None:
    """Is there a mean to subtract and a scale to divide by?"""
    if scaler.with_mean and scaler.mean_ is None:
        raise ValueError("mean_ is null, but with_mean is true")
    if scaler.with_std and (scaler.scale_ is None or scaler.var_ is None or (scaler.scale_ <= 0).any()):
        raise ValueError("scale_ and var_ must be given and scale_ be positive, because with_std is true")


FOREIGN = {
    "StandardScaler": Foreign(
        {"copy": Flag(), "with_mean": Flag(), "with_std": Flag()},
        {
            **COLUMNS,
            "n_samples_seen_": Either(Array(_SEEN, ()), Array(_SEEN, ("features",))),
            "mean_": _IF_COMPUTED,
            "var_": _IF_COMPUTED,
            "scale_": _IF_COMPUTED,
        },
        check_scaler,
    )
}
