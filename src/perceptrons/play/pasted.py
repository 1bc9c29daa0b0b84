"""A pasted or dropped CSV: its columns of numbers, and the columns that could be the class."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..tables.read import read_pasted
from .asked import LARGEST, LONGEST_TEXT, MOST_ROWS

MOST_CLASSES = 20  # of a column that may be the target
MOST_COLUMNS = 60


def read_table_text(given: Mapping[str, Any]) -> dict[str, Any]:
    """Columns with their values; a ValueError says in one sentence why the text is no table."""
    text = given.get("text")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("There is nothing to read: paste lines of a CSV, the first with the columns' names.")
    frame = read_pasted(text.encode("utf-8", "surrogatepass")).frame
    n_rows = frame.height
    frame = frame.head(MOST_ROWS)
    numbers, targets = [], []
    for column in frame.get_columns()[:MOST_COLUMNS]:
        name = str(column.name)[:LONGEST_TEXT]
        values = column.to_list()
        if column.dtype.is_numeric():
            numbers.append({"name": name, **_scaled(values)})
        names = ["" if value is None else str(value)[:LONGEST_TEXT] for value in values]
        kinds = sorted({one for one in names if one})
        if 2 <= len(kinds) <= MOST_CLASSES:
            targets.append({"name": name, "values": names, "classes": kinds})
    if len(numbers) < 2:
        raise ValueError(f"The table has {len(numbers)} columns of numbers, but two are needed to draw it.")
    if not targets:
        raise ValueError(f"No column has 2 to {MOST_CLASSES} different values, so none can be the class.")
    return {"numbers": numbers, "targets": targets, "n_rows": n_rows, "n_shown": frame.height}


def _scaled(values: list[Any]) -> dict[str, Any]:
    """The column as it is, and of mean 0 and deviation 1; None where a cell is missing or too large."""
    column = np.array([np.nan if value is None else float(value) for value in values])
    column[~(np.abs(column) <= LARGEST)] = np.nan
    there = column[np.isfinite(column)]
    deviation = float(there.std()) if len(there) else 0.0
    standard = (column - (there.mean() if len(there) else 0.0)) / (deviation or 1.0)
    return {
        "values": [None if np.isnan(value) else value for value in column.tolist()],
        "standardized": [None if np.isnan(value) else value for value in standard.round(6).tolist()],
    }
