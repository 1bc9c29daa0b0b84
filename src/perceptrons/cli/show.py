"""Output: one JSON object, or text and tables for people. Nothing of it is markup."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .printable import printable


def emit(value: dict[str, Any]) -> None:
    """One JSON object on stdout; in ASCII, so no control character passes."""
    json.dump(value, sys.stdout, allow_nan=False, default=lambda number: number.item())
    sys.stdout.write("\n")


def say(*lines: str) -> None:
    """Lines for people, wrapped between words."""
    for line in lines:
        _print(Text(printable(line)))


def bullets(lines: Iterable[str]) -> None:
    """A list, its items indented."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    for line in lines:
        grid.add_row("-", Text(printable(line)))
    _print(grid)


def _print(what: Any) -> None:
    """Without the blanks that Rich fills lines with."""
    out = console()
    with out.capture() as held:
        out.print(what)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in held.get().splitlines())


def console() -> Console:
    return Console(highlight=False, emoji=False, markup=False)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = (), bold: int = -1
) -> None:
    """A table; the columns named in `right` hold numbers, which are not broken; row `bold` stands out."""
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for head in heads:
        grid.add_column(Text(head), justify="right" if head in right else "left", no_wrap=head in right)
    for number, row in enumerate(rows):
        grid.add_row(*(Text(printable(cell), style="bold" if number == bold else "") for cell in row))
    say("")
    _print(grid)
    say("")


def seconds(value: float) -> str:
    if value >= 1:
        return f"{value:.1f} s"
    return f"{1000 * value:.0f} ms" if value >= 0.01 else f"{1000 * value:.1f} ms"


def percent(value: float) -> str:
    return f"{100 * value:.1f} %"


def interval(margin: Sequence[float | None] | None) -> str:
    """A certified margin: what is achieved and what cannot be exceeded, as far as known."""
    if margin is None:
        return ""
    low, high = margin
    if low is None:
        return "" if high is None else f"≤ {high:.2g}"
    return f"≥ {low:.2g}" if high is None else f"[{low:.2g}, {high:.2g}]"
