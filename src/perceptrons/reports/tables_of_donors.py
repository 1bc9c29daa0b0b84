"""Rows with some cells replaced by cells of other rows, in whatever holds a table: values that occur, and
types that stay as they are."""

from typing import Any

import numpy as np

from .._types import Array


def names_of(X: Any) -> list[Any]:
    """The columns: names of a frame, numbers of an array."""
    return list(X.columns) if hasattr(X, "columns") else list(range(X.shape[1]))


def cells_of_column(X: Any, name: Any) -> Array:
    return np.asarray(X[name].to_numpy() if hasattr(X, "columns") else X[:, name])


def assembled(X: Any, base: Array, replaced: dict[Any, tuple[Array, Array]]) -> Any:
    """Row `base[i]` for each i; of columns in `replaced`, name → (places i, rows that give their cells)."""
    if not hasattr(X, "columns"):
        cells = X[base].copy()
        for name, (places, donors) in replaced.items():
            cells[places, name] = X[donors, name]
        return cells
    columns = {}
    for name in X.columns:
        source = base
        if name in replaced:
            source = base.copy()
            places, donors = replaced[name]
            source[places] = donors
        columns[name] = _taken(X[name], source)
    return type(X)(columns)


def _taken(series: Any, rows: Array) -> Any:
    return series.iloc[rows].reset_index(drop=True) if hasattr(series, "iloc") else series[rows]
