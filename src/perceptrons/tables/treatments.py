"""What is done with each column of a frame before it is encoded: as it is, left out, numbers, dates.

Nothing can be learned from a column that names rows (ids, free text), counts them, or holds one value alone;
so from `ENOUGH` rows on such columns are left out of a frame unless the user keeps them. A fitted model knows
their names, and new tables may lack them. Texts that write numbers or dates, all in one form, are read as
such, whatever the number of rows. An array has no names of columns: whoever made it has chosen them, and
they stay as they are; so do columns of categories.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from . import dates
from .cells import NOMINAL, NUMERIC, Column, as_numbers, as_texts, is_missing, kind_of, shown
from .written_numbers import COMMA, POINT, decimal_mark, may_have_commas, number_of

AS_IS = "as it is"
COUNTER, NAMES, WORDS, CONSTANT, EMPTY = "counter", "names of rows", "free text", "constant", "empty"
LEFT_OUT = (COUNTER, NAMES, WORDS, CONSTANT, EMPTY)
READ = (POINT, COMMA, *dates.FORMS)  # texts as numbers, or as several
TREATMENTS = (AS_IS, *LEFT_OUT, *READ)
ALL = "all"  # keep all columns
ENOUGH = 20  # rows, below which no column is left out
MOSTLY = 0.9  # of the cells must differ for a column to name rows
LONG_TEXT, MANY_WORDS = 40, 5.0  # mean characters and words of free text
ID = re.compile(r"(^|[\W_])([iI][dD]|ids|uuid|guid|index|rowid|row)$|[a-z](ID|Id)$|^Unnamed: ?0$")


class Part(NamedTuple):
    """A column as the encoder sees it: a column of the table, or what is made of one."""

    name: str
    source: int  # place of the column in the table
    part: str = ""  # of a date: days, year, month, weekday, hour


def choose(X: Any, table: Sequence[Any], keep: Any) -> list[str]:
    """A treatment for each column; of an array all stay as they are, and so do all if none would be left."""
    if not hasattr(X, "columns") or not hasattr(X, "__getitem__"):
        return [AS_IS] * len(table)
    kept = kept_names(keep, [column.name for column in table])
    found = in_agreement([treatment_of(column, column.name in kept) for column in table], table)
    return found if any(one not in LEFT_OUT for one in found) else [AS_IS] * len(table)


def in_agreement(found: list[str], table: Sequence[Column]) -> list[str]:
    """The treatments, where 1,234 is 1.234 if another column shows that the table has decimal commas, and
    none that it has decimal points."""
    if COMMA not in found or POINT not in found:
        return found
    points = [j for j, treatment in enumerate(found) if treatment == POINT]
    if not all(may_have_commas(_written_in(table[j])) for j in points):
        return found
    return [COMMA if treatment == POINT else treatment for treatment in found]


def _written_in(column: Column) -> set[str]:
    return {value.strip() for value in column.values if not is_missing(value)}


def kept_names(keep: Any, names: list[str]) -> set[str]:
    if keep is None:
        return set()
    if isinstance(keep, str) and keep == ALL:
        return set(names)
    if isinstance(keep, str) or not all(isinstance(name, str) for name in keep):
        raise ValueError(f"keep={keep!r}, but it must be None, 'all', or a list of names of columns.")
    return set(keep)


def treatment_of(column: Column, keep: bool = False) -> str:
    """What to do with a column of a frame."""
    if column.values.dtype.kind == "M":
        return _native(column)
    if column.values.dtype.kind == "O" and "cat" not in column.declared.lower():
        form = form_of_objects(column)
        if form:
            return form
    if keep or len(column.values) < ENOUGH:
        return AS_IS
    return _left_out(column)


def _native(column: Column) -> str:
    days = dates.days_in(column.values)
    timed = bool(np.any(days[~np.isnan(days)] % 1))
    return dates.YEAR_FIRST + dates.TIMED if timed else dates.YEAR_FIRST


def form_of_objects(column: Column) -> str:
    """Of cells that are texts or dates: the form that all of them have; "" if there is none."""
    first = next((value for value in column.values if not is_missing(value)), None)
    if not isinstance(first, str):
        days = dates.days_of_object(first)
        if days is None:
            return ""
        values = [dates.days_of_object(value) for value in column.values if not is_missing(value)]
        if None in values:
            return ""
        if type(first).__name__ == "time":
            return dates.CLOCK
        timed = any(value % 1 for value in values if value is not None)
        return dates.YEAR_FIRST + dates.TIMED if timed else dates.YEAR_FIRST
    if not any(letter.isdigit() for letter in first):  # nearly all columns of names end here
        return ""
    texts = {value for value in column.values if not is_missing(value)}
    if not all(isinstance(text, str) for text in texts):
        return ""
    stripped = {text.strip() for text in texts}
    return decimal_mark(stripped) or dates.date_form(stripped) or ""


def _left_out(column: Column) -> str:
    """Why nothing can be learned from the column; "as it is" if something may be."""
    kind = kind_of(column)
    if kind == NUMERIC:
        return _numeric(column.name, as_numbers(column))
    texts = as_texts(column)
    present = [text for text in texts if text is not None]
    return treatment_of_names(kind, set(present), len(present), len(texts))


def treatment_of_names(kind: str, distinct: set[str], n_present: int, n_cells: int) -> str:
    """Of a column of names or truth values: why nothing can be learned from it."""
    if not distinct:
        return EMPTY
    if len(distinct) == 1:  # but missing beside one value is two
        return CONSTANT if n_present == n_cells else AS_IS
    if kind != NOMINAL or n_present < ENOUGH:
        return AS_IS
    if len(distinct) > MOSTLY * n_present:
        return WORDS if _is_prose(distinct) else NAMES
    return WORDS if len(distinct) > n_present / 2 and _is_prose(distinct) else AS_IS


def _is_prose(texts: set[str]) -> bool:
    words = sum(text.count(" ") + 1 for text in texts) / len(texts)
    return words >= MANY_WORDS or (words >= 2 and sum(map(len, texts)) / len(texts) >= LONG_TEXT)


def _numeric(name: str, numbers: Array) -> str:
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return EMPTY
    if present.min() == present.max():
        return CONSTANT
    if len(present) < ENOUGH or not (present == np.floor(present)).all():
        return AS_IS
    n_distinct, span = len(np.unique(present)), present.max() - present.min() + 1
    ascending = bool((np.diff(present) > 0).all())
    return treatment_of_integers(name, n_distinct, len(present), float(span), ascending)


def treatment_of_integers(name: str, n_distinct: float, n_present: int, span: float, ascending: bool) -> str:
    """Of a column of integers that differ."""
    if n_distinct == n_present == span:
        return COUNTER
    if n_distinct == n_present and span < 2 * n_present and ascending:
        return COUNTER  # from which some rows have been taken away
    return NAMES if ID.search(name) and n_distinct > MOSTLY * n_present else AS_IS


def parts(names: Sequence[str], treatments: Sequence[str] | None) -> list[Part]:
    """The columns that the encoder sees."""
    if treatments is None:
        return [Part(name, j) for j, name in enumerate(names)]
    found: list[Part] = []
    for j, (name, treatment) in enumerate(zip(names, treatments, strict=True)):
        if treatment in LEFT_OUT:
            continue
        if treatment == dates.CLOCK:
            found.append(Part(name, j, "hours"))
        elif treatment in dates.FORMS:
            hour = ["hour"] if treatment.endswith(dates.TIMED) else []
            found.append(Part(name, j, "days"))
            found += [Part(f"{what} of {name}", j, what) for what in ("year", "month", "weekday", *hour)]
        else:
            found.append(Part(name, j))
    return found


def treated(table: list[Any], treatments: Sequence[str] | None) -> list[Any]:
    """The columns that the encoder sees, with their cells."""
    if treatments is None or set(treatments) <= {AS_IS}:
        return table
    found: list[Any] = []
    for column, treatment in zip(table, treatments, strict=True):
        if treatment in LEFT_OUT:
            continue
        if treatment == AS_IS:
            found.append(column)
        elif treatment in (POINT, COMMA):
            found.append(Column(column.name, _converted(column, treatment)))
        else:
            own = parts([column.name], [treatment])
            days = _converted(column, treatment)
            found += [Column(one.name, _part(days, one.part)) for one in own]
    return found


def _converted(column: Column, treatment: str) -> Array:
    """float64: the numbers, days or hours in a column, NaN where missing."""
    values = column.values
    if values.dtype.kind == "M":
        return dates.days_in(values)
    if values.dtype.kind in "biuf":
        return as_numbers(column)
    read: dict[Any, float] = {}
    numbers = np.empty(len(values))
    for i, value in enumerate(values.tolist()):
        if isinstance(value, str):
            if value not in read:
                read[value] = _read(column.name, value, treatment)
            numbers[i] = read[value]
        else:
            numbers[i] = _read(column.name, value, treatment)
    return numbers


def _read(name: str, value: Any, treatment: str) -> float:
    """The number or the days of a cell; NaN where missing, and of a text that is neither:
    like a name that no row fitted had."""
    if is_missing(value):
        return np.nan
    found: float | None = None
    if treatment in (POINT, COMMA):
        if isinstance(value, str):
            found = number_of(value, treatment)
        elif isinstance(value, int | float | np.number) and not isinstance(value, bool):
            found = float(value)
    elif isinstance(value, str):
        found = dates.days_of(value, treatment)
        if found is None and treatment != dates.CLOCK:
            found = dates.days_of(value, dates.YEAR_FIRST)
    else:
        found = dates.days_of_object(value)
    if isinstance(value, str) and (found is None or not np.isfinite(found)):
        return np.nan
    if found is None or not np.isfinite(found):
        what = "numbers" if treatment in (POINT, COMMA) else "dates" if treatment != dates.CLOCK else "times"
        raise ValueError(
            f"Column {name!r} held {what} ({treatment}) when the encoder was fitted, but now holds "
            f"{shown(value)}; mark such cells as missing, or fit on rows that have them."
        )
    return found


def n_unreadable(column: Column, treatment: str) -> int:
    """How many cells are texts that do not write what the encoder reads in this column."""
    missing = sum(is_missing(value) for value in column.values.tolist())
    return int(np.isnan(_converted(column, treatment)).sum()) - missing


def _part(days: Array, part: str) -> Array:
    if part in ("days", "hours"):
        return days
    of = {"year": dates.year_of, "hour": dates.hour_of, "month": dates.month_of, "weekday": dates.weekday_of}
    known = {day: of[part](day) for day in set(days[~np.isnan(days)].tolist())}
    missing: Any = np.nan if part in ("year", "hour") else None
    kind = np.float64 if part in ("year", "hour") else object
    return np.array([known.get(day, missing) for day in days.tolist()], kind)


def kinds_of_table(encoder: Any) -> list[tuple[str, str, int]]:
    """For each column of the table its treatment, and, where it is used as it is, its kind and its place
    among the columns used; else "" and -1."""
    names, treatments = range(encoder.n_features_in_), getattr(encoder, "treatments_", None)
    places = {
        part.source: k for k, part in reversed([*enumerate(parts([str(n) for n in names], treatments))])
    }
    treatments = treatments or [AS_IS] * len(names)
    return [
        (one, encoder.kinds_[places[j]], places[j]) if one == AS_IS else (one, "", -1)
        for j, one in enumerate(treatments)
    ]


def may_be_absent(encoder: Any, X: Any) -> bool:
    """Does the frame have all columns the encoder knows, in order, except for some that were left out?"""
    treatments = getattr(encoder, "treatments_", None)
    names = getattr(encoder, "feature_names_in_", None)
    if treatments is None or names is None or not hasattr(X, "columns"):
        return False
    there = [str(name) for name in X.columns]
    if len(there) == len(names):
        return False
    needed = [n for n, one in zip(names, treatments, strict=True) if one not in LEFT_OUT or n in there]
    return there == needed
