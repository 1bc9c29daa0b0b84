"""Sections of a result: rows of named values, shown as aligned text or as Markdown."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Column(NamedTuple):
    key: str  # of the value in a row
    header: str
    unit: str  # see `show`


@dataclass
class Section:
    """One table, and the raw measurements its rows were derived from."""

    title: str
    columns: list[Column]
    rows: list[dict[str, Any]]
    raw: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.columns = [Column(*column) for column in self.columns]  # JSON knows lists only

    def cells(self) -> list[list[str]]:
        """The header and the rows, as text."""
        body = [[show(row.get(column.key), column.unit) for column in self.columns] for row in self.rows]
        return [[column.header for column in self.columns], *body]


def show(value: Any, unit: str) -> str:
    """A value as a reader wants it: text, time, ratio, percent, count, mean, number, exact or bytes."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if unit == "time":
        return _show_time(value)
    formats = {
        "text": "{}",
        "ratio": "{:.2f}",
        "count": "{:,.0f}",
        "mean": "{:,.1f}",
        "number": "{:.3g}",
        "exact": "{:.5f}",
        "bytes": "{:,.0f} B",
    }
    return _show_share(value) if unit == "percent" else formats[unit].format(value)


def _show_share(value: float) -> str:
    """All is said of all alone; and next to nothing is not written with an exponent."""
    if 0 < value < 1e-5:
        return "< 0.001 %"
    text = f"{100 * value:.3g}"
    return f"{100 * value:.2f} %" if text == "100" and value != 1 else f"{text} %"


def _show_time(seconds: float) -> str:
    size = abs(seconds)
    scale, name = (1.0, "s") if size >= 1 else (1e-3, "ms") if size >= 1e-3 else (1e-6, "µs")
    value = seconds / scale
    return f"{value:.0f} {name}" if abs(value) >= 100 else f"{value:.3g} {name}"


def plain(section: Section) -> str:
    """Aligned columns for a terminal: the first to the left, the others to the right."""
    cells = section.cells()
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in cells]
    return "\n".join([section.title, "-" * len(section.title), *lines])


def markdown(section: Section) -> str:
    header, *body = section.cells()
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *body])
