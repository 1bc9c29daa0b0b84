"""Names of columns: is there one, and which may be meant? Nothing slow is imported for that."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from .table_error import Argument, TableError


def check_name(names: Sequence[str], name: str) -> None:
    """Is there such a column? If not, which are there, and which may be meant?"""
    if name not in names:
        close = get_close_matches(name, names, n=1) or [n for n in names if n.lower() == name.lower()]
        meant = f"did you mean {close[0]!r}?" if close else f"there are {listed(names)}."
        raise TableError(f"There is no column {name!r}; {meant}", *if_made_up([name]))


def if_made_up(names: Sequence[str]) -> list[str | Argument]:
    """What to do if columns are absent that are called by their positions, like column_3."""
    made_up = all(re.fullmatch(r"column_[0-9]+", name) for name in names)
    return [" If the first line is data, use ", Argument("header", False), "."] if made_up else []


def listed(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(map(repr, names[:most])) + (
        f" and {len(names) - most} more" if len(names) > most else ""
    )
