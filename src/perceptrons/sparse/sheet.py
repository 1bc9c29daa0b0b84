"""A model on a sheet of paper: sentences and tables, as text, HTML or LaTeX."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

STYLE = (
    "border-collapse:collapse;margin:0.5em 0;font-variant-numeric:tabular-nums",
    "padding:0.15em 0.8em;border:0;border-bottom:1px solid #8884",
)
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


class Table(NamedTuple):
    """Cells in words; all columns are aligned to the right, except for one of names."""

    header: tuple[str, ...]  # empty: there is none
    rows: list[tuple[str, ...]]
    names: int | None = None


class Block(NamedTuple):
    title: str
    tables: list[Table]


class Sheet(NamedTuple):
    head: list[str]  # sentences
    blocks: list[Block]

    def text(self) -> str:
        parts = ["\n".join(self.head)]
        for block in self.blocks:
            tables = ["\n".join(_lines(table)) for table in block.tables if table.rows]
            parts.append("\n".join([block.title] * bool(block.title) + ["\n\n".join(tables)]))
        return "\n\n".join(part for part in parts if part)

    def html(self) -> str:
        """A fragment without scripts; its styles stand with its elements."""
        parts = ["<div>", *(f"<p>{escape(line)}</p>" for line in self.head)]
        for block in self.blocks:
            parts += [f"<h4>{escape(block.title)}</h4>"] * bool(block.title)
            parts += [_html(table) for table in block.tables if table.rows]
        return "\n".join([*parts, "</div>"])

    def latex(self) -> str:
        """Sentences and tabulars that need no package."""
        parts = [" ".join(map(_latex, self.head)) + r"\par"]
        for block in self.blocks:
            parts += [f"\\textbf{{{_latex(block.title)}}}\\par"] * bool(block.title)
            parts += [_tabular(table) for table in block.tables if table.rows]
        return "\n\n".join(parts)


def _lines(table: Table) -> list[str]:
    """Aligned cells."""
    rows = [table.header] * bool(table.header) + table.rows
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [f"  {'  '.join(_cells(row, widths, table.names)).rstrip()}" for row in rows]


def _cells(row: Sequence[str], widths: Sequence[int], names: int | None) -> list[str]:
    pairs = enumerate(zip(row, widths, strict=True))
    return [cell.ljust(width) if j == names else cell.rjust(width) for j, (cell, width) in pairs]


def _html(table: Table) -> str:
    table_style, cell_style = STYLE
    rows = [("th", table.header)] * bool(table.header) + [("td", row) for row in table.rows]
    lines = [f'<table style="{table_style}">']
    for tag, row in rows:
        cells = [
            f'<{tag} style="{cell_style};text-align:{"left" if j == table.names else "right"}">'
            f"{escape(cell)}</{tag}>"
            for j, cell in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</table>"])


def _tabular(table: Table) -> str:
    width = len(table.rows[0])
    form = "".join("l" if j == table.names else "r" for j in range(width))
    rows = [" & ".join(map(_latex, row)) + r" \\" for row in table.rows]
    head = [" & ".join(map(_latex, table.header)) + r" \\ \hline"] * bool(table.header)
    return "\n".join([f"\\begin{{tabular}}{{{form}}}", *head, *rows, r"\end{tabular}"])


def _latex(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in text)
