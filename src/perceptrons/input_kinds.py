"""What the user passed, before NumPy or scikit-learn reads it: labels that cannot be sorted into classes, and
frames that NumPy cannot hold, are refused in words.

Missing labels, and text beside numbers, would end in a bare TypeError of a sort; a list of both would even
become text without a word. polars is known by the names of its types and not imported.
"""

from collections.abc import Iterable
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp

WIDE = ("Int128", "UInt128")
TEXT, NUMBER, BYTES = "text", "numbers", "bytes"
KINDS: dict[type, str] = {str: TEXT, int: NUMBER, float: NUMBER, bool: NUMBER, bytes: BYTES}


def check_input(X: Any, y: Any) -> None:
    """Rows and labels."""
    if X is None:
        raise ValueError("Expected 2D array, got a scalar instead: None; pass a row per label.")
    check_table(X)
    check_labels(y)


def check_table(X: Any, name: str = "X") -> None:
    """Does this hold rows that NumPy can read?"""
    if not type(X).__module__.startswith("polars"):
        return
    if type(X).__name__ == "LazyFrame":
        raise TypeError(f"{name} is a polars LazyFrame, a query without rows as yet; pass {name}.collect().")
    dtypes = X.schema.items() if hasattr(X, "schema") else [(X.name, X.dtype)]
    for column, dtype in dtypes:
        if str(dtype) in WIDE:
            which = f"Column {column!r} of {name}" if hasattr(X, "schema") else name
            raise ValueError(
                f"{which} has the polars dtype {dtype}, which NumPy does not have; cast it, for example to "
                "Int64 or Float64."
            )


def check_labels(y: Any, name: str = "y") -> None:
    """Can these be sorted into classes? Whatever else may be wrong is for scikit-learn to say."""
    check_table(y, name)
    if sp.issparse(y):  # before anything reads it: its arrays may be damaged
        raise ValueError(
            f"{name} is a sparse matrix, but labels are an array of one dimension; use "
            f"{name}.toarray().ravel()."
        )
    if getattr(getattr(y, "dtype", None), "kind", "") == "T":
        raise ValueError(
            f"{name} has NumPy's StringDType, which scikit-learn does not take; use {name}.astype(str)."
        )
    values = _objects(y)
    if not values:
        return
    kinds = {kind: _kind(kind) for kind in set(map(type, values))}
    if len(set(kinds.values())) == 1 and None not in kinds.values() and float not in kinds:
        return
    _check_each(values, name)


def _objects(y: Any) -> list[Any]:
    """The labels that are Python objects; none where NumPy says that they are of one kind."""
    if isinstance(y, list | tuple):
        nested = len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray)
        kinds = set() if nested else {_kind(kind) for kind in set(map(type, y))}
        return list(y) if len(kinds) > 1 or None in kinds else []
    if isinstance(y, np.ndarray) and y.dtype != object:
        return []
    if not hasattr(y, "__len__") or isinstance(y, str | dict):
        return []
    array = np.asarray(y)
    return array.ravel().tolist() if array.dtype == object else []


def _kind(kind: type) -> str | None:
    if kind in KINDS:
        return KINDS[kind]
    known = ((str, TEXT), (bytes, BYTES), (Number, NUMBER), (np.bool_, NUMBER))
    return next((word for base, word in known if issubclass(kind, base)), None)


def _check_each(values: Iterable[Any], name: str) -> None:
    seen: dict[str, Any] = {}
    for row, value in enumerate(values):
        if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
            raise ValueError(
                f"Input {name} contains NaN or None: {value!r} in row {row}, counted from 0, is no label. "
                "Leave such rows out, or give them a class of their own."
            )
        kind = _kind(type(value))
        if kind is None:
            raise ValueError(
                f"Unknown label type: {name} holds {_shown(value)} in row {row}, counted from 0, but a "
                "label is a number or a text; convert the labels."
            )
        seen.setdefault(kind, value)
    if len(seen) > 1:
        (one, first), (other, second), *_ = seen.items()
        raise ValueError(
            f"{name} mixes {one} and {other} ({_shown(first)} and {_shown(second)}), which have no common "
            "order; write all labels as text, or all as numbers."
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
