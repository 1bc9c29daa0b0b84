"""The smallest change of one or two cells that gives a row another answer.

One cell before two; of changes of as many cells that of the smallest distance: standard deviations for
numbers, 1 for names. Every new value occurs in the table, in that column; every answer is the model's own.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from .donors import Donors, Pool, cell_in_words
from .subject import Subject
from .tables_of_donors import assembled

MOST_PAIRS = 3_000  # changes of two cells tried for a row
CHUNK_CELLS = 4_000_000  # of a table of changed rows
NEARER = 12  # values between the old and the new one, tried for a nearer one


class Change(NamedTuple):
    """New cells of a row: (column, the row that gives the cell)."""

    cells: tuple[tuple[Donors, int], ...]
    distance: float


class Flip(NamedTuple):
    """What would have changed an answer."""

    cells: list[tuple[str, str, str]]  # column, from, to
    answer: Any


def find_flips(subject: Subject, X: Any, rows: list[int], pool: Pool) -> list[Flip | None]:
    """For each of these rows, the smallest change; None if none of one or two cells was found."""
    own = _answers(subject, X, [(row, Change((), 0.0)) for row in rows])
    singles = [[*_singles(pool.columns, row)] for row in rows]
    best = _smallest(subject, X, rows, singles, own)
    if not pool.exact:
        best = _nearer(subject, X, rows, best, own)
    missing = [k for k, one in enumerate(best) if one is None]
    pairs = [_pairs(singles[k]) for k in missing]
    for k, one in zip(
        missing, _smallest(subject, X, [rows[k] for k in missing], pairs, own[missing]), strict=True
    ):
        best[k] = one
    return [None if one is None else _told(X, row, *one) for row, one in zip(rows, best, strict=True)]


def _singles(columns: list[Donors], row: int) -> list[Change]:
    """Of each column, each cell that differs for the model; of a pattern's ends the nearer."""
    found: list[Change] = []
    for column in columns:
        nearest: dict[int, Change] = {}
        for donor in column.rows.tolist():
            code = int(column.codes[donor])
            change = Change(((column, donor),), _distance(column, row, donor))
            if code != column.codes[row] and (
                code not in nearest or change.distance < nearest[code].distance
            ):
                nearest[code] = change
        found += nearest.values()
    return found


def _distance(column: Donors, row: int, donor: int) -> float:
    if column.numbers is None:
        return 1.0
    distance = abs(float(column.numbers[donor] - column.numbers[row]))
    return 1.0 if np.isnan(distance) else distance


def _pairs(singles: list[Change]) -> list[Change]:
    """Two columns each, the nearest pairs."""
    far = np.array([one.distance for one in singles])
    owners = np.unique([id(one.cells[0][0]) for one in singles], return_inverse=True)[1]
    first, second = np.triu_indices(len(singles), 1)
    differ = owners[first] != owners[second]
    first, second = first[differ], second[differ]
    total = far[first] + far[second]
    near = np.flatnonzero(total <= _nth_smallest(total, MOST_PAIRS))
    nearest = near[np.argsort(total[near], kind="stable")].tolist()
    return [Change((*singles[first[k]].cells, *singles[second[k]].cells), float(total[k])) for k in nearest]


def _nth_smallest(values: Array, n: int) -> float:
    return float(np.partition(values, n)[n]) if len(values) > n else np.inf


def pairs_are_all(pool: Pool) -> bool:
    """Whether no pair of cells goes untried."""
    widths = [len(set(column.codes[column.rows].tolist())) for column in pool.columns]
    return pool.exact and sum(one * other for one, other in combinations(widths, 2)) <= MOST_PAIRS


def _smallest(
    subject: Subject, X: Any, rows: list[int], changes: list[list[Change]], own: Array
) -> list[tuple[Change, Any] | None]:
    """For each row, the first of its changes, the smallest first, whose answer differs."""
    ordered = [sorted(some, key=lambda one: one.distance) for some in changes]
    asked = [(row, one) for row, some in zip(rows, ordered, strict=True) for one in some]
    answers = iter(_answers(subject, X, asked).tolist())
    found: list[tuple[Change, Any] | None] = []
    for some, before in zip(ordered, own.tolist(), strict=True):
        pairs = [(one, next(answers)) for one in some]
        found.append(next(((one, answer) for one, answer in pairs if answer != before), None))
    return found


def _nearer(
    subject: Subject, X: Any, rows: list[int], best: list[tuple[Change, Any] | None], own: Array
) -> list[tuple[Change, Any] | None]:
    """Numbers between the old and the new one may suffice."""
    changes = [[] if one is None else _between(row, one[0]) for row, one in zip(rows, best, strict=True)]
    again = _smallest(subject, X, rows, changes, own)
    return [new or old for new, old in zip(again, best, strict=True)]


def _between(row: int, change: Change) -> list[Change]:
    ((column, donor),) = change.cells
    if column.numbers is None or np.isnan(column.numbers[[row, donor]]).any():
        return []
    low, high = sorted(column.numbers[[row, donor]].tolist())
    inside = np.flatnonzero((column.numbers > low) & (column.numbers < high))
    _, first = np.unique(column.numbers[inside], return_index=True)
    some = (
        inside[first][np.unique(np.linspace(0, len(first) - 1, NEARER).round().astype(int))]
        if len(first)
        else []
    )
    return [Change(((column, int(one)),), _distance(column, row, int(one))) for one in some]


def _answers(subject: Subject, X: Any, asked: list[tuple[int, Change]]) -> Array:
    """What the model answers to changed rows, some at a time."""
    width = len(X.columns) if hasattr(X, "columns") else X.shape[1]
    size = max(1, CHUNK_CELLS // max(width, 1))
    parts = [subject.model.predict(_changed(X, asked[k : k + size])) for k in range(0, len(asked), size)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _changed(X: Any, asked: list[tuple[int, Change]]) -> Any:
    base = np.array([row for row, _ in asked])
    replaced: dict[Any, tuple[list[int], list[int]]] = {}
    for place, (_, change) in enumerate(asked):
        for column, donor in change.cells:
            places, donors = replaced.setdefault(column.name, ([], []))
            places.append(place)
            donors.append(donor)
    return assembled(X, base, {name: (np.array(p), np.array(d)) for name, (p, d) in replaced.items()})


def _told(X: Any, row: int, change: Change, answer: Any) -> Flip:
    cells = [
        (str(column.name), cell_in_words(X, column.name, row), cell_in_words(X, column.name, donor))
        for column, donor in change.cells
    ]
    return Flip(cells, answer)
