"""Tables from files: CSV, TSV, Parquet, Arrow become a polars frame of numbers, truth values and texts.

Text is read whole before a type is chosen: numbers if all cells are, truth values if they are the two words
of one pair (y/n, yes/no, t/f, true/false), else texts. This is the one file that imports polars.
"""

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .delimited import LONGEST, SEPARATORS, Head, plain_bytes, read_head, read_rows

try:
    import polars as pl
except ImportError as error:
    raise ImportError('Tables from files need polars: pip install "perceptrons[app]"') from error

MISSING = ["", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"]
TRUTHS = {"y": "n", "yes": "no", "t": "f", "true": "false"}
TYPED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    **dict.fromkeys((".parquet", ".pq"), ("Parquet", pl.read_parquet)),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), ("Arrow", pl.read_ipc)),
}
Frame = pl.DataFrame
Series = pl.Series


def read_table(
    path: str | Path, *, header: bool | None = None, separator: str | None = None, text: Collection[str] = ()
) -> Frame:
    """Read a table; the kind of file is told by its suffix.

    header : whether the first line names the columns; None expects it to, and refuses a line of numbers.
    separator : between two cells of a text file; None is a comma, a tab in .tsv and .tab.
    text : columns to leave as they are written, like labels and postal codes.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    suffix = _known_suffix(path)
    with _polars_in_words(path):
        frame = _read_text(path, header, separator) if suffix in SEPARATORS else _read_typed(path, suffix)
        if not frame.height:
            raise ValueError(f"{path} names {frame.width} columns but has no rows.")
        return frame.with_columns(_tidy(column, suffix, as_written=column.name in text) for column in frame)


def _known_suffix(path: Path) -> str:
    known = [*SEPARATORS, *TYPED]
    if path.suffix.lower() not in known:
        raise ValueError(
            f"{path} is no kind of file we read; rename it or convert it to one of {', '.join(known)}."
        )
    return path.suffix.lower()


@contextmanager
def _polars_in_words(path: Path) -> Iterator[None]:
    """What polars cannot do is told in one sentence; a panic is no `Exception`, and would pass."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"{path} could not be read ({reason}).") from None


def _read_text(path: Path, header: bool | None, separator: str | None) -> Frame:
    head = read_head(path, header, separator)
    frame = _read_plain(path, head)
    if frame is not None:
        return frame
    chunks = [_texts(head.names, rows) for rows in read_rows(path, head)]
    if not chunks:
        raise ValueError(f"{path} has column names but no rows.")
    return pl.concat(chunks)


def _read_plain(path: Path, head: Head) -> Frame | None:
    """All cells as texts, by polars, which is several times faster; None unless it is sure to have read what
    is written: it fills up short rows (with nothing, so the last column must be full), overlooks a
    separator at the end of a line (so they are counted) and has no limit to the length of a cell."""
    data = plain_bytes(path, head)
    if data is None:
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
    if max(column.str.len_bytes().max() or 0 for column in frame) > LONGEST:
        return None
    return frame.rename(dict(zip(frame.columns, head.names, strict=True)))


def _texts(names: list[str], rows: list[list[str]]) -> Frame:
    cells = zip(names, zip(*rows, strict=True), strict=True)
    return Frame([Series(name, column, dtype=pl.String) for name, column in cells])


def _read_typed(path: Path, suffix: str) -> Frame:
    kind, read = TYPED[suffix]
    with path.open("rb") as file, _panics_unseen():
        try:
            return read(file)  # type: ignore[no-any-return]
        except (Exception, pl.exceptions.PanicException) as error:  # it raises OSErrors, too, for bad bytes
            raise ValueError(
                f"{path} is not a readable {kind} file; it may be cut off, or of another kind."
            ) from error


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


def _tidy(column: Series, suffix: str, as_written: bool) -> Series:
    """The column in one of the types the encoder knows, missing cells marked."""
    if column.dtype.is_decimal() or str(column.dtype).endswith("Int128"):
        return column.cast(pl.Float64)
    if column.dtype.is_temporal() or column.dtype in (pl.Null, pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype != pl.String:
        return column
    column = column.str.strip_chars()
    column = column.set(column.is_in(MISSING), None)
    if as_written:
        return column
    numbers = _as_numbers(column) if suffix in SEPARATORS else None  # typed files mean text where they say so
    return numbers if numbers is not None else as_truths(column, both=True)


def _as_numbers(column: Series) -> Series | None:
    """None if a cell is no number, or there is none at all: such a column may hold anything later."""
    for kind in (pl.Int64, pl.Float64):
        numbers = column.cast(kind, strict=False)
        if numbers.null_count() == column.null_count() < len(column):
            return numbers
    return None


def as_truths(column: Series, *, both: bool) -> Series:
    """Boolean, if the texts are words of one pair (and both of them occur); else as it was."""
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
    """Texts; a number that is whole is written so, 94110 and not 94110.0."""
    return as_labels(column).cast(pl.String)


def as_numbers_or_none(column: Series) -> Series | None:
    """Float64 if every cell is a number, written or not; None if one is not."""
    if column.dtype.is_numeric():
        return column.cast(pl.Float64)
    return _as_numbers(column) if column.dtype == pl.String else None
