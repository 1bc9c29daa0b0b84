"""What model files hold of `BinaryPerceptron`: weights, threshold, cuts, and what was counted."""

from typing import Any

import numpy as np

from ..model_file.declarations import (
    COLUMNS,
    SEEN,
    Array,
    Choice,
    Count,
    Field,
    Flag,
    IfSet,
    Labels,
    Optional,
    Record,
)
from .binarization import Levels
from .binary_parameters import MOST
from .counts import Counts
from .sbpi import CONVERGED, MAX_EPOCHS, STOPPED

ROUNDING = 1e-9  # of sums of fractions
_NUMBERS = ("int64", "float64")
_COLUMN = Array(("float64",), ("features",))
COUNTS = Record(
    Counts,
    {
        "rows": Array(_NUMBERS, ()),
        "positive": Array(_NUMBERS, ()),
        "ones": Array(_NUMBERS, ("features",)),
        "positive_ones": Array(_NUMBERS, ("features",)),
    },
)
FIELDS: dict[str, Field] = {
    "classes_": Labels("classes", least=1),
    **COLUMNS,
    **SEEN,
    "coef_": Array(("int8",), (1, "features")),
    "threshold_": Count(-MOST, MOST),
    "cuts_": _COLUMN,
    "_levels": Optional(Record(Levels, {"low": _COLUMN, "high": _COLUMN})),
    "influence_": _COLUMN,
    "neglected_": Array(("bool",), ("features",)),
    "counts_": COUNTS,
    "n_epochs_": IfSet(Count()),
    "converged_": IfSet(Flag()),
    "stopped_": IfSet(Choice(*STOPPED)),
}


def check_loaded(model: Any) -> None:
    """Raise a ValueError unless a fit could have left these values."""
    if len(model.classes_) not in (1, 2):
        raise ValueError(f"there are {len(model.classes_)} classes, but it tells two apart")
    if not np.isin(model.coef_, (-1, 0, 1)).all():
        raise ValueError("coef_ holds other numbers than -1, 0 and 1")
    if model.coef_[0][model.neglected_].any():
        raise ValueError("coef_ has weights of columns that are neglected_")
    if hasattr(model, "converged_") and not hasattr(model, "stopped_"):  # a file from before there was one
        model.stopped_ = CONVERGED if model.converged_ else MAX_EPOCHS
    rows, positive, ones, both = model.counts_
    slack = 0 if ones.dtype == np.int64 else ROUNDING * rows
    four = (both, ones - both, positive - both, rows - positive - (ones - both))
    if not 0 < rows or any((kind < -slack).any() for kind in four):
        raise ValueError("counts_ are no counts of rows")
