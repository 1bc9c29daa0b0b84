"""Columns of names joined into one, such as the three bases of a codon: p1 p2 p3 = a t g."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from ..checks import is_number
from .cells import NUMERIC, Column
from .literal_cells import BETWEEN, AnyColumn, CodedNames, cells_of, kind_of_any


def read_groups(groups: Any, table: Sequence[AnyColumn], usable: Sequence[bool]) -> list[list[int]]:
    """The numbers of the columns of each group; an int stands for all runs of that many adjacent columns of
    names that are `usable`."""
    if groups is None:
        return []
    if is_number(groups, Integral):
        return _runs(int(groups), table, usable)
    if isinstance(groups, str) or not isinstance(groups, Sequence | np.ndarray):
        raise ValueError(
            f"groups={groups!r}, but it must be a list of lists of columns, such as [['p1', 'p2', 'p3']], or "
            "an int, for all runs of that many adjacent columns; give one of these."
        )
    return [_group(group, table) for group in groups]


def _runs(size: int, table: Sequence[AnyColumn], usable: Sequence[bool]) -> list[list[int]]:
    if size < 2:
        raise ValueError(f"groups={size}, but a group has at least two columns; use 2 or more, or None.")
    names = [ok and kind_of_any(one) != NUMERIC for one, ok in zip(table, usable, strict=True)]
    found = [[*range(j, j + size)] for j in range(len(table) - size + 1) if all(names[j : j + size])]
    if not found:
        raise ValueError(
            f"groups={size}, but no {size} columns of names stand side by side; use fewer, name the columns "
            "to be joined, or turn numbers into texts where they are names."
        )
    return found


def _group(group: Any, table: Sequence[AnyColumn]) -> list[int]:
    if isinstance(group, str) or not isinstance(group, Sequence | np.ndarray) or len(group) < 2:
        raise ValueError(
            f"groups has {group!r}, but a group is a list of two columns or more; give their names."
        )
    names, found = [one.name for one in table], []
    for one in group:
        if is_number(one, Integral) and 0 <= one < len(names):
            place = int(one)
        elif one in names:
            place = names.index(one)
        else:
            some = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            raise ValueError(f"groups has {one!r}, but the columns are {some}; use these names.")
        if kind_of_any(table[place]) == NUMERIC:
            raise ValueError(
                f"groups has {names[place]!r}, a column of numbers, but columns of names are joined; turn "
                "numbers into texts where they are names."
            )
        found.append(place)
    if len(set(found)) < len(found):
        raise ValueError(f"groups has {list(group)}, where a column stands twice; name each once.")
    return found


def group_names(names: Sequence[str], groups: Sequence[Sequence[int]]) -> list[str]:
    return [BETWEEN.join(names[j] for j in group) for group in groups]


def joined_column(columns: Sequence[AnyColumn]) -> Column:
    """One column of the names in several; missing where one of them is."""
    texts = []
    for column in columns:
        kind = kind_of_any(column)
        if kind == NUMERIC and not np.isnan(np.asarray(column.values, float)).all():
            raise ValueError(
                f"Column {column.name!r} held names when the model was fitted, but now it holds numbers; "
                "turn them into texts."
            )
        texts.append(_texts(column, kind))
    cells = np.empty(len(texts[0]), object)
    cells[:] = [None if None in some else BETWEEN.join(some) for some in zip(*texts, strict=True)]
    return Column(BETWEEN.join(column.name for column in columns), cells)


def _texts(column: AnyColumn, kind: str) -> list[str | None]:
    if kind == NUMERIC:
        return [None] * len(column.values)
    cells = cells_of(column, kind)
    assert isinstance(cells, CodedNames)
    return [cells.names[code] for code in cells.codes.tolist()]
