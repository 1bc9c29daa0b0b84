"""Output: one JSON object, or text and tables for people. Nothing of it is markup."""

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..texts import hundredths as hundredths
from ..texts import percent as percent
from ..texts import printable

WIDTH, NARROWEST = 100, 40  # columns of text: where there is no terminal to ask, and where we stop asking
BLANK = "\ue000"  # stands for a blank at which no line is broken; of private use, so in no text for people
LONG_WORD = 20  # longer ones may be broken
MOST = 5  # lines of one kind


def emit(value: dict[str, Any]) -> None:
    """One JSON object on stdout, or nothing; in ASCII, so no control character passes."""
    sys.stdout.write(json.dumps(value, allow_nan=False, default=lambda number: number.item()) + "\n")


def say(*lines: str) -> None:
    """Lines for people, wrapped between words."""
    for line in lines:
        _print(_wrapped(line))


def text(lines: str) -> None:
    """Lines for people of which some are indented, and stay as they are, however long."""
    for line in lines.split("\n"):
        if line.startswith(" "):
            sys.stdout.write(f"{printable(line)}\n")
        else:
            say(line)


def warn(lines: Iterable[str]) -> None:
    """Lines for people that are no result."""
    for line in lines:
        print(printable(line), file=sys.stderr)


def first(lines: Sequence[str]) -> list[str]:
    """The first few lines, and how many there are more."""
    return [*lines[:MOST], *([f"… and {len(lines) - MOST} more."] if len(lines) > MOST else [])]


def bullets(lines: Iterable[str]) -> None:
    """A list, its items indented."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        grid.add_row("-", _wrapped(line))
    _print(grid)


def _wrapped(line: str) -> Text:
    """A line that may be broken between words, but not between a number and its percent sign."""
    return Text(printable(line).replace(" %", f"{BLANK}%"))


def _print(what: Any) -> None:
    """Without the blanks that Rich fills lines with."""
    out = Console(highlight=False, emoji=False, markup=False, width=_width())
    with out.capture() as held:
        out.print(what)
    sys.stdout.writelines(f"{line.rstrip()}\n".replace(BLANK, " ") for line in held.get().splitlines())


def _width() -> int:
    return max(NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
    spare: Sequence[str] = (),
    bold: int = -1,
    n_keys: int = 1,
) -> None:
    """A table. The columns in `right` hold numbers; like those in `whole` they are not broken. Where there is
    not enough room those in `spare` go to a second table, the first of them first, beside the first `n_keys`
    columns. Row `bold` stands out."""
    if len(set(heads)) < len(heads):
        raise AssertionError(f"Two columns have the same head, and one would hide the other: {heads}.")
    firm = {*right, *whole}
    columns = {head: [head, *map(printable, cells)] for head, *cells in zip(heads, *rows, strict=True)}
    for head in spare:
        if head in columns and _too_wide(columns, firm):
            del columns[head]
    moved = [head for head in heads if head not in columns]
    _grid(columns, firm, right, bold)
    if moved:
        again = [*[head for head in heads[:n_keys] if head not in moved], *moved]
        cells = [[row[heads.index(head)] for head in again] for row in rows]
        rest = [head for head in spare if head in moved][:-1]
        table(again, cells, right=right, whole=whole, spare=rest, bold=bold, n_keys=len(again) - len(moved))
    else:
        say("")


def _too_wide(columns: dict[str, list[str]], firm: set[str]) -> bool:
    return sum(_need(cells, name in firm) + 2 for name, cells in columns.items()) - 2 > _width()


def _grid(columns: dict[str, list[str]], firm: set[str], right: Sequence[str], bold: int) -> None:
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for head in columns:
        justify: Any = "right" if head in right else "left"
        grid.add_column(Text(head), justify=justify, no_wrap=head in firm, overflow="fold")
    for number, row in enumerate(zip(*(cells[1:] for cells in columns.values()), strict=True)):
        grid.add_row(*(Text(cell, style="bold" if number == bold else "") for cell in row))
    say("")
    _print(grid)


def _need(cells: Sequence[str], firm: bool) -> int:
    """How wide a column must be."""
    if firm:
        return max(map(cell_len, cells))
    return max(min(cell_len(word), LONG_WORD) for cell in cells for word in [*cell.split(), ""])


def seconds(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 1:
        return f"{value:.1f} s"
    return f"{1000 * value:.0f} ms" if value >= 0.01 else f"{1000 * value:.1f} ms"


def span(low: float, high: float) -> str:
    """An interval of shares in percent, with as many decimals as tell its ends from all and nothing."""
    ends = (low, high)
    for decimals in range(1, 5):
        if all(end in (0.0, 1.0) or 0.0 < float(f"{100 * end:.{decimals}f}") < 100.0 for end in ends):
            break
    return "–".join(f"{100 * end:.{decimals}f}" for end in ends)


def interval(margin: Sequence[float | None] | None) -> str:
    """A certified margin: what is achieved and what cannot be exceeded, as far as known."""
    if margin is None:
        return ""
    low, high = margin
    if low is None:
        return "" if high is None else f"≤ {high:.2g}"
    return f"≥ {low:.2g}" if high is None else f"[{low:.2g}, {high:.2g}]"
