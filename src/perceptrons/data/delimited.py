"""Text in columns, read by Python's csv module: it knows in which line it is when a file goes wrong."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

LONGEST = csv.field_size_limit()  # characters in a cell
CHUNK = 5000  # rows held as Python strings at a time
SEPARATORS = {".csv": ",", ".data": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t"}
SPOKEN = {"tab": "\t", "\\t": "\t", "space": " "}  # for a command line, where a tab is hard to type


class Head(NamedTuple):
    """What the first line tells."""

    names: list[str]
    mark: str  # between two cells
    is_data: bool  # the first line is a row, and names are made up
    line: int  # on which it ends; blank lines may stand before it


def read_head(path: Path, header: bool | None, separator: str | None) -> Head:
    """The names of the columns, or what is wrong with them."""
    mark = _separator(path, separator)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = _reader(file, mark)
        first = next(_full_lines(path, reader), None)
        if first is None:
            raise ValueError(f"{path} is empty; a table has a line of column names and a line per row.")
        if separator is None and len(first) == 1:
            _suggest_separator(path, first[0])
        return Head(_names(path, first, header), mark, header is False, reader.line_num)


def read_rows(path: Path, head: Head) -> Iterator[list[list[str]]]:
    """The cells of some thousand lines, again and again until the file ends."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = _reader(file, head.mark)
        rows = _equally_long(path, reader, _full_lines(path, reader), len(head.names))
        if not head.is_data:
            next(rows)
        while chunk := list(islice(rows, CHUNK)):
            yield chunk


def _reader(file: TextIO, mark: str) -> Any:
    return csv.reader(file, delimiter=mark, strict=True, skipinitialspace=mark != " ")


def plain_bytes(path: Path, head: Head) -> bytes | None:
    """The whole file, if every separator and every line end in it is one: there are no quotes that could
    hide them; else None."""
    data = path.read_bytes()
    plain = head.line == 1 and not any(byte in data for byte in (b'"', b"\0"))
    return data if plain and data.count(b"\r") == data.count(b"\r\n") else None


def _separator(path: Path, given: str | None) -> str:
    if given is None:
        return SEPARATORS[path.suffix.lower()]
    mark = SPOKEN.get(given, given)
    if len(mark) != 1 or mark in '"\r\n' or not mark.isascii():
        raise ValueError(f"The separator {given!r} is not one character; say for example ';' or 'tab'.")
    return mark


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


def _suggest_separator(path: Path, line: str) -> None:
    for mark, spoken in ((";", "';'"), ("\t", "tab"), ("|", "'|'")):
        if mark in line:
            raise ValueError(f"{path} has one column only, but it holds {mark!r}; say --separator {spoken}.")


def _names(path: Path, first: list[str], header: bool | None) -> list[str]:
    if header is False:
        return [f"column_{j + 1}" for j in range(len(first))]
    names = [cell.strip() for cell in first]
    remedy = "give each column a name of its own" if header else "if it is data, say --no-header"
    if header is None and all(map(_is_number, names)):
        raise ValueError(
            f"The first line of {path} holds numbers, not column names; say --no-header if it is data, "
            "--header if they are names."
        )
    if "" in names:
        raise ValueError(f"The first line of {path} has no name for column {names.index('') + 1}; {remedy}.")
    for j, name in enumerate(names):
        if name in names[:j]:
            raise ValueError(f"The first line of {path} names two columns {name!r}; {remedy}.")
    return names


def _is_number(cell: str) -> bool:
    try:
        return float(cell) is not None
    except ValueError:
        return False


def _equally_long(
    path: Path, reader: Iterator[list[str]], lines: Iterator[list[str]], n_cells: int
) -> Iterator[list[str]]:
    for row in lines:
        if len(row) != n_cells:
            raise ValueError(
                f"{path}, line {_line(reader)} has {len(row)} cells, but the first line has {n_cells}; "
                "mend it, or say which --separator the file uses."
            )
        yield row
