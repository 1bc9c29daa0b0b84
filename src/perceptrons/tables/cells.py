"""The columns of a table, whatever holds them: what kind each is, its cells as numbers, signs or texts.

Frames are known by what they can do (`frame[name].to_numpy()`), so pandas and polars are not imported. A cell
is missing if it is None, NaN, or pandas' NA or NaT.
"""

import re
from collections import Counter
from collections.abc import Collection
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._types import Array
from ..input_kinds import check_table

NUMERIC, BOOLEAN, NOMINAL = "numeric", "boolean", "nominal"
WHOLE = re.compile(r"(0|-?[1-9][0-9]*)\.0+")  # 94110.0, but not 007.0


NAMES = {str, type(None)}
PLAIN = {*NAMES, float, int, bool}


class Column(NamedTuple):
    name: str
    values: Array
    declared: str = ""  # the type as the frame names it: "Int64", "category", ...


def columns(X: Any) -> list[Column]:
    """The columns of a frame or of a 2-D array; those of an array are named x0, x1, ..."""
    check_table(X)
    if type(X).__module__.startswith("pyarrow"):
        raise TypeError(
            f"X is a pyarrow {type(X).__name__}, whose columns have no names to ask for; pass "
            "polars.from_arrow(X) or X.to_pandas()."
        )
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        names = list(X.columns)
        check_names(names)
        return [column_of(str(name), X[name]) for name in names]
    cells = _array(X)
    return [Column(f"x{j}", cells[:, j]) for j in range(cells.shape[1])]


def column_of(name: str, series: Any) -> Column:
    """A column of a pandas or polars frame."""
    return Column(name, series.to_numpy(), str(series.dtype))


def check_names(names: list[Any]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"Two columns are called {str(name)!r}; rename one of them.")


def _array(X: Any) -> Array:
    if sp.issparse(X):
        raise ValueError("A sparse matrix has no columns to encode; give a frame or X.toarray().")
    # a list of rows may mix numbers and texts, which np.asarray alone would turn into texts
    cells = np.asarray(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    if cells.ndim != 2:
        raise ValueError(
            f"A table has rows and columns, but this array has {cells.ndim} dimensions, not 2. Reshape your "
            "data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row."
        )
    return cells


def kind_of(column: Column) -> str:
    """What a column is to the encoder: "numeric", "boolean" or "nominal"."""
    declared, letter = column.declared.lower(), column.values.dtype.kind
    if declared in ("bool", "boolean") or letter == "b":
        return BOOLEAN
    if declared.startswith(("category", "categorical", "enum", "string")) or letter in "UT":
        return NOMINAL
    if letter in "iuf":
        return NUMERIC
    if letter == "c":
        raise ValueError(f"Complex data not supported: column {column.name!r}; give real and imaginary part.")
    if letter != "O":
        raise ValueError(
            f"Column {column.name!r} holds {column.values.dtype}, but a cell is a number, a text or a truth "
            "value; convert or drop it."
        )
    return _kind_of_objects(column)


def _kind_of_objects(column: Column) -> str:
    if str in (kinds := set(map(type, column.values.tolist()))) and kinds <= PLAIN:
        return NOMINAL  # as most are; to look at each cell takes ten times as long
    present = [value for value in column.values.tolist() if not is_missing(value)]
    for value in present:
        if not isinstance(value, str | Number | np.bool_) or isinstance(value, complex):
            raise ValueError(
                f"Column {column.name!r} holds {shown(value)}, but a cell is a number, a text or a truth "
                "value; convert or drop it."
            )
    if present and all(isinstance(value, bool | np.bool_) for value in present):
        return BOOLEAN
    numeric = present and not any(isinstance(value, str | bool | np.bool_) for value in present)
    return NUMERIC if numeric else NOMINAL


def is_missing(value: Any) -> bool:
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(value != value)  # NaN, NaT
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def as_numbers(column: Column) -> Array:
    """float64, NaN where missing."""
    values = column.values
    if values.dtype.kind in "OUT":
        values = np.array([_as_number(column.name, value) for value in values.tolist()], np.float64)
    elif values.dtype.kind not in "biuf":
        raise _unlike(column.name, "numbers", values[0])
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, which raises below
        numbers = values.astype(np.float64)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise ValueError(
            f"Column {column.name!r} holds {column.values[infinite[0]]} (infinity), but numbers must be "
            "finite; mark it as missing or drop the row."
        )
    return numbers


def _as_number(name: str, value: Any) -> float:
    if is_missing(value):
        return np.nan
    if isinstance(value, str) or not isinstance(value, Number | np.bool_):
        raise _unlike(name, "numbers", value)
    try:
        return float(value)  # type: ignore[arg-type]  # a Number, else it raised above
    except OverflowError:
        return np.inf
    except TypeError:
        raise _unlike(name, "numbers", value) from None


def as_signs(column: Column) -> Array:
    """+1 for true, -1 for false, 0 where missing."""
    if column.values.dtype.kind == "b":
        return np.where(column.values, 1.0, -1.0)
    return np.array([_as_sign(column.name, value) for value in column.values.tolist()], np.float64)


def _as_sign(name: str, value: Any) -> float:
    if is_missing(value):
        return 0.0
    if isinstance(value, str) or value not in (True, False):
        raise _unlike(name, "truth values", value)
    return 1.0 if value else -1.0


def as_texts(column: Column) -> list[str | None]:
    """The names in a nominal column, None where missing."""
    values = list(column.values)  # not tolist(), which gives a float32 more digits than it has
    if set(map(type, values)) <= {str, type(None)}:
        names = {value: as_name(value) for value in set(values)}  # there may be few of them in many cells
        return [names[value] for value in values]
    return [as_name(value) for value in values]


def require_names(column: Column, known: Collection[str]) -> None:
    """Can the cells of a column that held names be among those known? A number cannot if none of these is
    spelled like one, nor can a truth value: to take them for names never seen would hide that the column is
    another. Text that is new is fine, and so is what is missing."""
    values = column.values
    if (
        not known
        or values.dtype.kind in "UT"
        or (values.dtype.kind == "O" and set(map(type, values.tolist())) <= NAMES)
    ):
        return
    spelled = [_spelling(name) for name in known]
    for value in values.tolist():
        if not is_missing(value) and not isinstance(value, str) and _spelling(value) not in spelled:
            raise ValueError(
                f"Column {column.name!r} held names when the encoder was fitted, none of them a "
                f"{_spelling(value)}, but now holds {shown(value)}; pass the column as texts, as it "
                "was, or fit on such cells, too."
            )


def _spelling(value: Any) -> str:
    """What a cell, or a name by its spelling, is: a number, a truth value, or something else."""
    if isinstance(value, bool | np.bool_) or value in ("true", "false"):
        return "truth value"
    if isinstance(value, Number) and not isinstance(value, complex):
        return "number"
    if not isinstance(value, str):
        return type(value).__name__
    try:
        return "number" if np.isfinite(float(value)) else "text"
    except ValueError:
        return "text"


def as_name(value: Any) -> str | None:
    """The one spelling of a name or a label, however a file holds it: 1, 1.0 and "1.0" are "1", True and
    "TRUE" are "true". None where missing."""
    if is_missing(value):
        return None
    if isinstance(value, float | np.floating) and value.is_integer():
        return str(int(value))
    text = str(value)
    whole = WHOLE.fullmatch(text)
    if whole:
        return whole[1]
    return text.lower() if text.lower() in ("true", "false") else text


def _unlike(name: str, kind: str, value: Any) -> ValueError:
    return ValueError(
        f"Column {name!r} held {kind} when the encoder was fitted, but now holds {shown(value)}; "
        "mark such cells as missing, or fit on rows that have them."
    )


def shown(value: Any) -> str:
    """A value for a message: its repr, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
