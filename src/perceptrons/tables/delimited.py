"""Text in columns, read by Python's csv module: it knows in which line it is when a file goes wrong."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from .encodings import separator_of
from .table_error import Argument, TableError

LONGEST = csv.field_size_limit()  # characters in a cell
CHUNK = 5000  # rows held as Python strings at a time
SEPARATORS = {".csv": ",", ".data": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t"}
TYPED = {".parquet": "Parquet", ".pq": "Parquet", ".arrow": "Arrow", ".feather": "Arrow", ".ipc": "Arrow"}
TYPED |= {".jsonl": "JSON lines", ".ndjson": "JSON lines"}
WORKBOOK = ".xlsx"
SUFFIXES = (
    *SEPARATORS,
    *TYPED,
    WORKBOOK,
)  # of files that can be read, compressed or not
SNIFFED = 20  # lines that show what separates cells
SPOKEN = {"tab": "\t", "\\t": "\t", "space": " "}  # separators by name, where a tab is hard to type


class TextFile(NamedTuple):
    """A text file, read once: a pipe cannot be read again."""

    path: Path
    data: bytes
    suffix: str

    def open(self) -> TextIO:
        return io.TextIOWrapper(io.BytesIO(self.data), encoding="utf-8-sig", newline="")


class Head(NamedTuple):
    """What the first line tells."""

    names: list[str]
    mark: str  # between two cells
    is_data: bool  # the first line is a row, and names are made up
    line: int  # on which it ends; blank lines may stand before it
    unnamed: list[str]  # made-up names of columns for which the first line has none
    notes: list[str]  # what was found out, or changed


def read_head(source: TextFile, header: bool | None, separator: str | None) -> Head:
    """The names of the columns, or what is wrong with them."""
    path, mark, notes = source.path, *_separator(source, separator)
    with source.open() as file:
        reader = _reader(file, mark)
        lines = _full_lines(path, reader)
        first = next(lines, None)
        if first is None:
            raise ValueError(f"{path} is empty; a table has a line of column names and a line per row.")
        line = reader.line_num
        if separator is None and len(first) == 1:
            _suggest_separator(path, first[0], next(lines, [""])[0])
        names, renamed = unique(_names(path, first, header))
        unnamed = _made_up(names, first) if header is not False else []
        return Head(names, mark, header is False, line, unnamed, notes + renamed)


def read_rows(source: TextFile, head: Head) -> Iterator[list[list[str]]]:
    """The cells of some thousand lines, again and again until the file ends."""
    with source.open() as file:
        reader = _reader(file, head.mark)
        rows = _equally_long(source.path, reader, _full_lines(source.path, reader), len(head.names))
        if not head.is_data:
            next(rows)
        while chunk := list(islice(rows, CHUNK)):
            yield chunk


def _reader(file: TextIO, mark: str) -> Any:
    return csv.reader(file, delimiter=mark, strict=True, skipinitialspace=mark != " ")


def is_plain(data: bytes, head: Head) -> bool:
    """Is every separator and every line end in it one? There are no quotes that could hide them."""
    quotes = any(byte in data for byte in (b'"', b"\0"))
    return head.line == 1 and not quotes and data.count(b"\r") == data.count(b"\r\n")


def _separator(source: TextFile, given: str | None) -> tuple[str, list[str]]:
    if given is None:
        usual = SEPARATORS[source.suffix]
        mark = separator_of(_sample(source), usual)
        spoken = {"\t": "a tab"}.get(mark, repr(mark))
        return mark, [] if mark == usual else [f"cells are separated by {spoken}"]
    mark = SPOKEN.get(given, given)
    if len(mark) != 1 or mark in '"\r\n' or not mark.isascii():
        raise ValueError(f"The separator {given!r} is not one character; use for example ';' or 'tab'.")
    return mark, []


def _sample(source: TextFile) -> list[str]:
    """The first lines that are not blank, whole ones, unless there is one alone."""
    with source.open() as file:
        try:
            text = file.read(SNIFFED * 5000)
        except UnicodeDecodeError:
            return []
    lines = text.splitlines()
    if len(text) == SNIFFED * 5000 and len(lines) > 1:
        lines.pop()  # which may be cut off
    return [line for line in lines[: SNIFFED + 1] if line.strip()][:SNIFFED]


def _full_lines(path: Path, reader: Iterator[list[str]]) -> Iterator[list[str]]:
    """All lines but blank ones; what the reader cannot read is said in words."""
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except UnicodeDecodeError as error:
            byte = error.object[error.start]
            raise ValueError(
                f"{path} is not UTF-8 text (it holds the byte {byte:#04x}); save it as UTF-8."
            ) from None
        except csv.Error as error:
            raise ValueError(f"{path}, line {_line(reader)}: {_in_words(error)}.") from None
        if len(row) > 1 or any(cell.strip() for cell in row):
            yield row


def _line(reader: Iterator[list[str]]) -> int:
    return int(reader.line_num)  # type: ignore[attr-defined]


def _in_words(error: csv.Error) -> str:
    if "limit" in str(error):
        return f"a cell is longer than {LONGEST:,} characters; look for a quotation mark that is not closed"
    return 'a quotation mark is not closed, or stands inside a quoted cell; write it twice there ("")'


def _suggest_separator(path: Path, first: str, second: str) -> None:
    """Blanks occur in names, too: they separate only if the second line has as many."""
    blanks = 0 < first.count(" ") == second.count(" ")
    marks = [(";", ";" in first), ("tab", "\t" in first), ("|", "|" in first), ("space", blanks)]
    for spoken, found in marks:
        if found:
            argument = Argument("separator", spoken)
            raise TableError(f"{path} has one column only, but it holds {spoken!r}; use ", argument, ".")


def _names(path: Path, first: list[str], header: bool | None) -> list[str]:
    if header is False:
        return [f"column_{j + 1}" for j in range(len(first))]
    cells = [cell.strip() for cell in first]
    if header is None and all(_is_number(cell) or not cell for cell in cells):
        raise TableError(
            f"The first line of {path} holds numbers, not column names; use ",
            *(Argument("header", False), " if it is data, "),
            *(Argument("header", True), " if they are names."),
        )
    names = [cell or f"column_{j + 1}" for j, cell in enumerate(cells)]
    counts = Counter(names)
    name, times = counts.most_common(1)[0]
    if header is None and (times > 2 or len(names) - len(counts) > len(names) / 3):
        raise TableError(
            f"The first line of {path} names {times} columns {name!r}; if it is data, use ",
            *(Argument("header", False), ", if they are names, ", Argument("header", True), "."),
        )
    return names


def unique(names: list[str]) -> tuple[list[str], list[str]]:
    """The names, of which the second "a" becomes "a_2", and so on; and a note about them."""
    taken, found, changed = {*names}, [], []
    seen: set[str] = set()
    for name in names:
        free, number = name, 2
        while free in seen or (free != name and free in taken):
            free, number = f"{name}_{number}", number + 1
        seen.add(free)
        found.append(free)
        changed += [f"the second {name!r} is called {free!r}"] if free != name else []
    more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
    return found, [f"two columns have the same name: {', '.join(changed[:3])}{more}"] if changed else []


def _made_up(names: list[str], first: list[str]) -> list[str]:
    return [name for name, cell in zip(names, first, strict=True) if not cell.strip()]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _equally_long(
    path: Path, reader: Iterator[list[str]], lines: Iterator[list[str]], n_cells: int
) -> Iterator[list[str]]:
    for row in lines:
        if len(row) != n_cells:
            raise TableError(
                f"{path}, line {_line(reader)} has {len(row)} cells, but the first line has {n_cells}; "
                "fix it, or give the ",
                *(Argument("separator"), " that the file uses."),
            )
        yield row
