"""Tables from files: CSV, TSV, Parquet, Arrow, JSON lines and sheets of Excel become a polars frame of
numbers, truth values and texts.

Text is read whole before a type is chosen: numbers if all cells are and none is a code such as 007, truth
values if they are the two words of one pair (y/n, yes/no, t/f, true/false), else texts. This is the one file
that imports polars.
"""

import csv
import io
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from .cells import as_texts, column_of
from .delimited import (
    LONGEST,
    SEPARATORS,
    SUFFIXES,
    TYPED,
    WORKBOOK,
    Head,
    TextFile,
    is_plain,
    read_head,
    read_rows,
    unique,
)
from .encodings import COMPRESSED, decoded, suffixes, unpacked
from .spreadsheet import read_workbook

try:
    import polars as pl
except ImportError as error:
    raise ImportError('Tables from files need polars: pip install "perceptrons[app]"') from error

MISSING = ("", "?", "na", "n/a", "#n/a", "<na>", "nan", "null")  # in capitals, too
CODE = "^[-+]?0[0-9]+$"
TRUTHS = {"y": "n", "yes": "no", "t": "f", "true": "false"}
READERS: dict[str, Callable[[Any], Any]] = {
    "Parquet": pl.read_parquet,
    "Arrow": pl.read_ipc,
    "JSON lines": partial(pl.read_ndjson, infer_schema_length=None),
}
Frame = pl.DataFrame
Series = pl.Series


class TableFromFile(NamedTuple):
    frame: Frame
    unnamed: list[str]  # columns that have no name and are called by their positions: column_1, ...
    notes: list[str]  # what was found out about the file, or changed: encoding, separator, names


def read_table(path: str | Path, **how: Any) -> Frame:
    """The frame of `read`."""
    return read(path, **how).frame


def read(
    path: str | Path,
    *,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    missing: Collection[str] = (),
    text: Collection[str] = (),
    used: Callable[[str], bool] = lambda name: True,
) -> TableFromFile:
    """Read a table; the suffix tells the kind of file.

    header : whether the first line names the columns; None: it does, and a line of numbers raises.
    separator : the character between two cells of a text file; None: a comma, or a tab in .tsv and .tab, or
        what all of the first lines have instead.
    encoding : how characters are spelled in a text file, "latin-1" for example; None: it is found out.
    missing : texts that count as missing besides `MISSING`, like "-" or "999".
    text : columns that stay texts as they are written, like labels and postal codes.
    used : function of a column's name; columns for which it is False stay as the file holds them.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    suffix = _known_suffix(path)
    with polars_in_words(path):
        if suffix in SEPARATORS:
            table = _read_text(path, _bytes(path), suffix, header, separator, encoding)
        else:
            table = _read_workbook(path, header) if suffix == WORKBOOK else _read_typed(path, suffix)
        return _with_types(table, path, suffix, missing, text, used)


def read_pasted(data: bytes, name: str = "The table") -> TableFromFile:
    """The table that a text holds, like a file of it: CSV, or what separates its cells."""
    path = Path(name)
    with polars_in_words(path):
        return _with_types(_read_text(path, data, ".csv", None, None, None), path, ".csv")


def _with_types(
    table: TableFromFile,
    path: Path,
    suffix: str,
    missing: Collection[str] = (),
    text: Collection[str] = (),
    used: Callable[[str], bool] = lambda name: True,
) -> TableFromFile:
    if not table.frame.height:
        raise ValueError(f"{path} has column names but no rows.")
    tidied = [
        tidy(column, suffix, missing, as_written=column.name in text)
        for column in table.frame
        if used(column.name)
    ]
    return table._replace(frame=table.frame.with_columns(tidied))


def _known_suffix(path: Path) -> str:
    if not path.suffix and not path.is_file():  # a pipe that the shell has named
        return ".csv"
    suffix, packed = suffixes(path)
    if suffix not in SUFFIXES or (packed and suffix == WORKBOOK):
        raise ValueError(
            f"{path} has an unsupported file type; rename it or convert it to one of {', '.join(SUFFIXES)}."
        )
    return suffix


def _bytes(path: Path) -> bytes:
    data, packed = path.read_bytes(), path.suffix.lower()
    return unpacked(path, data, packed) if packed in COMPRESSED else data


@contextmanager
def polars_in_words(path: Path) -> Iterator[None]:
    """An error of polars becomes a ValueError of one sentence; a panic is no `Exception`, and would pass."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"{path} could not be read ({reason}).") from None


def _read_text(
    path: Path, data: bytes, suffix: str, header: bool | None, separator: str | None, encoding: str | None
) -> TableFromFile:
    text = decoded(path, data, encoding)
    source = TextFile(path, text.data, suffix)
    head = read_head(source, header, separator)
    frame = read_plain(source.data, head)
    if frame is None:
        frame = pl.concat([text_cells(head.names, rows) for rows in read_rows(source, head)] or [Frame()])
    empty = [name for name in head.unnamed if frame.height and _is_blank(frame[name])]
    notes = [f"the text is in {text.found}"] if text.found else []
    unnamed = [name for name in head.unnamed if name not in empty]
    return TableFromFile(frame.drop(empty), unnamed, notes + head.notes)


def _read_workbook(path: Path, header: bool | None) -> TableFromFile:
    """By way of CSV, whose reader knows about names and kinds."""
    rows, sheet = read_workbook(path)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    source = TextFile(path, text.getvalue().encode(), ".csv")
    head = read_head(source, header, ",")
    frame = pl.concat([text_cells(head.names, some) for some in read_rows(source, head)] or [Frame()])
    empty = [name for name in head.unnamed if frame.height and _is_blank(frame[name])]
    unnamed = [name for name in head.unnamed if name not in empty]
    return TableFromFile(frame.drop(empty), unnamed, [f"this is the sheet {sheet!r}", *head.notes])


def _is_blank(column: Series) -> bool:
    return column.fill_null("").str.strip_chars().eq("").all()


def read_plain(data: bytes, head: Head) -> Frame | None:
    """All cells as texts, by polars, which is several times faster; None unless it is sure to have read what
    is written: it fills up short rows (with nothing, so the last column must be full), overlooks a
    separator at the end of a line (so they are counted) and has no limit to the length of a cell."""
    if not is_plain(data, head):
        return None
    skipped = 0 if head.is_data else 1
    try:
        frame = pl.read_csv(
            data, has_header=False, skip_rows=skipped, separator=head.mark, infer_schema_length=0
        )
    except pl.exceptions.PolarsError:
        return None
    full = frame.width == len(head.names) > 1 and not frame[:, -1].null_count()
    if not full or data.count(head.mark.encode()) != (frame.width - 1) * (frame.height + skipped):
        return None
    if any((column.str.len_bytes() > LONGEST).any() for column in frame):
        return None
    return frame.rename(dict(zip(frame.columns, head.names, strict=True)))


def text_cells(names: list[str], rows: list[list[str]]) -> Frame:
    cells = zip(names, zip(*rows, strict=True), strict=True)
    return Frame([Series(name, column, dtype=pl.String) for name, column in cells])


def _read_typed(path: Path, suffix: str) -> TableFromFile:
    kind = TYPED[suffix]
    if not path.is_file():  # they are read from the end
        raise ValueError(f"{path} is a device or pipe, from which {kind} cannot be read; use a file.")
    data = io.BytesIO(_bytes(path))
    with _panics_unseen():
        try:
            frame = READERS[kind](data)
        except (Exception, pl.exceptions.PanicException) as error:  # it raises OSErrors, too, for bad bytes
            raise ValueError(
                f"{path} is not a readable {kind} file; it may be cut off, or of another kind."
            ) from error
    places = {name: f"column_{j + 1}" for j, name in enumerate(frame.columns) if not name.strip()}
    names, notes = unique([places.get(name, name) for name in frame.columns])
    frame.columns = names
    return TableFromFile(frame, list(places.values()), notes)


@contextmanager
def _panics_unseen() -> Iterator[None]:
    """When polars panics over damaged bytes it writes a page to the process's stderr before it raises."""
    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr to keep clean
        yield
        return
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def tidy(column: Series, suffix: str, missing: Collection[str], as_written: bool) -> Series:
    """The column in one of the types the encoder knows, missing cells marked."""
    if column.dtype == pl.Duration:
        column = column.dt.total_nanoseconds() / 1e9  # seconds
    if column.dtype.is_decimal() or str(column.dtype).endswith("Int128"):
        column = column.cast(pl.Float64)
    if column.dtype.is_temporal() or column.dtype in (pl.Null, pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return without_numbers(column, missing)
    column = column.str.strip_chars()
    column = column.set(column.str.to_lowercase().is_in([*MISSING, *map(_lower, missing)]), None)
    if as_written:
        return column
    # typed files mean text where they say so
    may_be_numbers = (suffix in SEPARATORS or suffix == WORKBOOK) and not has_codes(column)
    numbers = _as_numbers(column) if may_be_numbers else None
    return as_truths(column, both=True) if numbers is None else without_numbers(numbers, missing)


def has_codes(column: Series) -> bool:
    """Is there a cell like 02139? A number has no zero in front; a postal code has, and loses it as one."""
    return bool(column.str.contains(CODE).any())


def _lower(marker: str) -> str:
    return marker.strip().lower()


def without_numbers(column: Series, missing: Collection[str]) -> Series:
    """NaN is missing, and numbers that say so: 999, and 999.0 as well."""
    if not column.dtype.is_numeric():
        return column
    marks = Series(missing, dtype=pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    column = column.fill_nan(None) if column.dtype.is_float() else column
    return column.set(column.cast(pl.Float64).is_in(marks.drop_nulls()), None) if len(marks) else column


def _as_numbers(column: Series) -> Series | None:
    """None if a cell is no number, or there is none at all: such a column may hold anything later."""
    for kind in (pl.Int64, pl.Float64):
        numbers = column.cast(kind, strict=False)
        if numbers.null_count() == column.null_count() < len(column):
            return numbers
    return None


def as_truths(column: Series, *, both: bool) -> Series:
    """Boolean, if the texts are words of one pair (and both of them occur); else as it was."""
    if column.dtype != pl.String:
        return column
    words = column.str.to_lowercase()
    found = set(words.drop_nulls().unique())
    for true, false in TRUTHS.items():
        if found == {true, false} or (not both and found and found < {true, false}):
            return words == true
    return column


def as_labels(column: Series) -> Series:
    """Classes as they are written: integers where that loses nothing, else texts (or truth values)."""
    if column.dtype.is_integer() or column.dtype == pl.Boolean:
        return column
    numbers = column.cast(pl.Int64, strict=False)
    same = numbers.cast(column.dtype) == column
    return numbers if same.all() and numbers.null_count() == column.null_count() else column.cast(pl.String)


def as_names(column: Series) -> Series:
    """Texts, spelled as the encoder does."""
    return Series(column.name, as_texts(column_of(column.name, column)), dtype=pl.String)


def as_categories(column: Series) -> Series:
    """The same, declared as categories: they stay names, whatever they look like."""
    return as_names(column).cast(pl.Categorical)


def as_numbers_or_null(column: Series) -> Series:
    """Float64, null where a cell is missing or not a number, written or not; a truth value is none."""
    if column.dtype.is_numeric() or column.dtype == pl.String:
        return column.cast(pl.Float64, strict=False)
    return Series(column.name, [None] * len(column), dtype=pl.Float64)


def as_numbers_or_none(column: Series) -> Series | None:
    """Float64 if every cell is a number, written or not; None if one is not."""
    if column.dtype.is_numeric():
        return column.cast(pl.Float64)
    return _as_numbers(column) if column.dtype == pl.String else None
