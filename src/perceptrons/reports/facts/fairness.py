"""Whom a model fails: errors by class, and by the groups of a column, with exact intervals."""

from typing import Any, NamedTuple

import numpy as np

from ...theory.held_out import binomial_lower, binomial_upper
from ..judged_rows import JudgedRows
from ..spelling import between, shown

MOST_LINES = 24  # classes or groups in a table
FEW_NUMBERS = 12  # different numbers that are groups themselves
DELTA = 0.025  # on each side


class Grouping(NamedTuple):
    """A column whose groups are compared, and the group of each row."""

    column: str
    labels: Any


def lines_by_class(judged: JudgedRows, classes: list[Any]) -> list[dict[str, Any]]:
    """The largest classes first."""
    return _lines(judged, judged.answers.codes, classes)


def lines_by_group(judged: JudgedRows, labels: Any) -> list[dict[str, Any]]:
    """`labels` name the group of each row that was judged."""
    names, codes = np.unique(labels, return_inverse=True)
    return _lines(judged, codes, names.tolist())


def _lines(judged: JudgedRows, codes: Any, names: list[Any]) -> list[dict[str, Any]]:
    sizes = np.bincount(codes, minlength=len(names))
    order = [k for k in np.argsort(-sizes, kind="stable").tolist() if sizes[k]]
    return [_line(judged, codes == k, names[k]) for k in order[:MOST_LINES]]


def _line(judged: JudgedRows, here: Any, name: Any) -> dict[str, Any]:
    """Rows are counted, not weighed: an exact interval is about rows drawn one by one."""
    given = here & ~judged.answers.rejected
    n_answered = int(given.sum())
    wrong = int((judged.answers.given != judged.answers.codes)[given].sum())
    low, high = (float(bound(wrong, n_answered, DELTA)) for bound in (binomial_lower, binomial_upper))
    return {
        "name": shown(name),
        "rows": int(here.sum()),
        "answered": n_answered,
        "wrong": wrong,
        "error": wrong / n_answered if n_answered else None,
        "low": low if n_answered else None,
        "high": high if n_answered else None,
        "interval": between(low, high) if n_answered else "",
    }


def grouped(values: list[Any]) -> list[str]:
    """A group per cell: names as they are, many numbers in four parts; cells without a value are one."""
    present = [value for value in values if value is not None and value == value]
    numbers = bool(present) and all(isinstance(value, int | float | np.number) for value in present)
    if not numbers or any(isinstance(value, bool) for value in present):
        return [_name(value) for value in values]
    if len(set(present)) <= FEW_NUMBERS:
        return [_name(value) for value in values]
    return _quarters([float("nan") if value is None else float(value) for value in values])


def _quarters(values: list[float]) -> list[str]:
    numbers = np.asarray(values)
    cuts = np.unique(np.nanquantile(numbers, [0.25, 0.5, 0.75]))
    names = [f"{k + 1}: {_range(k, cuts)}" for k in range(len(cuts) + 1)]
    codes = np.searchsorted(cuts, numbers, side="left")
    return [
        "no value" if number != number else names[k] for number, k in zip(values, codes.tolist(), strict=True)
    ]


def _range(k: int, cuts: Any) -> str:
    if k == 0:
        return f"up to {cuts[0]:.6g}"
    return f"above {cuts[-1]:.6g}" if k == len(cuts) else f"above {cuts[k - 1]:.6g}, up to {cuts[k]:.6g}"


def _name(value: Any) -> str:
    return "no value" if value is None or value != value else shown(value, 40)
