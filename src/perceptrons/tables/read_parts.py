"""Parts of table files: some rows of a Parquet or Arrow file, some lines of a text file, as polars frames.

A text file is cut where lines end, outside of quotes, so that its parts can be read in any order. Each part
is read as `read` reads a whole file.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from .delimited import SEPARATORS, TYPED, Head, TextFile, read_head, read_rows
from .encodings import COMPRESSED, decoded, suffixes
from .read import (
    TRUTHS,
    Frame,
    Series,
    has_codes,
    polars_in_words,
    read_plain,
    text_cells,
    tidy,
    without_numbers,
)
from .stream_svmlight import state_of

SCANNERS: dict[str, Callable[[Path], pl.LazyFrame]] = {"Parquet": pl.scan_parquet, "Arrow": pl.scan_ipc}
HEAD_BYTES = 1 << 20  # in which the first line of a text file ends
FEW_WORDS = 2  # those of a pair, such as yes and no


class FilePart(NamedTuple):
    """Some rows of a file: where they begin, and how many; of a text file, bytes."""

    start: int
    size: int


class FileParts(NamedTuple):
    """A file that is read part by part."""

    path: Path
    columns: list[str]
    dtypes: list[str]  # as polars names them; texts of a text file
    parts: list[FilePart]
    n_bytes: int
    state: tuple[int, int, int]  # which tells whether the file has changed
    head: Head | None  # of a text file
    suffix: str
    encoding: str | None


def check_unchanged(file: FileParts) -> None:
    if state_of(file.path) != file.state:
        raise ValueError(
            f"{file.path} has changed since it was first read; train on a file that stays as it is."
        )


def open_parts(
    path: Path, part_bytes: int, part_rows: int | None, header: bool | None, separator: str | None,
    encoding: str | None,
) -> FileParts:  # fmt: skip
    """Find the columns of a file, and where its parts begin."""
    suffix, packed = suffixes(path)
    if packed or (suffix not in SEPARATORS and TYPED.get(suffix) not in SCANNERS):
        kinds = ", ".join([*SEPARATORS, *(name for name, kind in TYPED.items() if kind in SCANNERS)])
        compressed = f" compressed with {COMPRESSED[packed]}" if packed else ""
        raise ValueError(
            f"{path} cannot be read part by part{compressed}; unpack or convert it to one of {kinds}."
        )
    state = state_of(path)
    if suffix in SEPARATORS:
        return open_text(path, suffix, part_bytes, header, separator, encoding, state)
    with polars_in_words(path):
        lazy = SCANNERS[TYPED[suffix]](path)
        schema = lazy.collect_schema()
        n_rows = int(lazy.select(pl.len()).collect().item())
    width = sum(bytes_of(dtype) for dtype in schema.values())
    step = part_rows or max(1024, part_bytes // max(width, 1))
    parts = [FilePart(start, min(step, n_rows - start)) for start in range(0, n_rows, step)]
    kinds_of = [str(dtype) for dtype in schema.values()]
    return FileParts(path, [*schema.names()], kinds_of, parts, state[0], state, None, suffix, encoding)


def bytes_of(dtype: Any) -> int:
    """About the number of bytes that a cell takes in a frame."""
    return {"Float32": 4, "Int32": 4, "Int16": 2, "Int8": 1, "UInt8": 1, "Boolean": 1}.get(str(dtype), 8)


def open_text(
    path: Path, suffix: str, part_bytes: int, header: bool | None, separator: str | None,
    encoding: str | None, state: tuple[int, int, int],
) -> FileParts:  # fmt: skip
    """Cut a text file; only the places are kept."""
    with path.open("rb") as file:
        begin = file.read(HEAD_BYTES)
    ends = begin.rfind(b"\n") + 1
    text = decoded(path, begin if len(begin) < HEAD_BYTES else begin[:ends], encoding)
    if text.found or begin[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise ValueError(
            f"{path} is in {text.found}, which cannot be read part by part; save it as text in UTF-8."
        )
    head = read_head(TextFile(path, text.data, suffix), header, separator)
    parts = [*text_parts(path, part_bytes)]
    if not head.is_data and parts:  # the first line names the columns
        skipped = after_line(begin, head.line)
        parts[0] = FilePart(skipped, parts[0].start + parts[0].size - skipped)
    parts = [part for part in parts if part.size > 0]
    return FileParts(
        path, head.names, ["String"] * len(head.names), parts, state[0], state, head, suffix, encoding
    )


def after_line(data: bytes, line: int) -> int:
    """Where the line after this one begins; lines are counted from 1."""
    place = 0
    for _ in range(line):
        place = data.find(b"\n", place) + 1
        if not place:
            return len(data)
    return place


def text_parts(path: Path, part_bytes: int) -> Iterator[FilePart]:
    """Lines that are whole: a line end within quotes ends none."""
    with path.open("rb") as file:
        start, waiting = 0, b""
        while block := file.read(part_bytes):
            data = waiting + block
            end = last_line_end(data)
            if end:
                yield FilePart(start, end)
            start, waiting = start + end, data[end:]
        if waiting:
            yield FilePart(start, len(waiting))


def last_line_end(data: bytes) -> int:
    """Behind the last line end before which quotes are even; 0 if there is none."""
    end = data.rfind(b"\n") + 1
    while end and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end - 1) + 1
    return end


def read_part(file: FileParts, part: FilePart, columns: Sequence[str]) -> Frame:
    """Some columns of a part, as the file holds them."""
    check_unchanged(file)
    with polars_in_words(file.path):
        if file.head is None:
            lazy = SCANNERS[TYPED[file.suffix]](file.path)
            return lazy.select(columns).slice(part.start, part.size).collect()
        with file.path.open("rb") as opened:
            opened.seek(part.start)
            data = opened.read(part.size)
        return text_frame(file, file.head, data).select(columns)


def text_frame(file: FileParts, head: Head, data: bytes) -> Frame:
    """Lines of a text file, all cells as texts."""
    as_data = head._replace(is_data=True, line=1)
    source = TextFile(file.path, decoded(file.path, data, file.encoding or "utf-8").data, file.suffix)
    frame = read_plain(source.data, as_data)
    if frame is None:
        blocks = [text_cells(head.names, rows) for rows in read_rows(source, as_data)]
        frame = pl.concat(blocks) if blocks else Frame(schema=dict.fromkeys(head.names, pl.String))
    return frame


class CellTypes:
    """What all texts of a column can be read as."""

    def __init__(self) -> None:
        self.integers = self.floats = True
        self.words: set[str] | None = set()  # in small letters; None: more than those of a pair
        self.any = False

    def add(self, column: Series) -> None:
        """More cells, missing ones marked."""
        present = column.drop_nulls()
        if not len(present):
            return
        self.any = True
        if (self.integers or self.floats) and has_codes(present):
            self.integers = self.floats = False
        if self.integers and present.cast(pl.Int64, strict=False).null_count():
            self.integers = False
        if not self.integers and self.floats and present.cast(pl.Float64, strict=False).null_count():
            self.floats = False
        if self.words is not None:
            self.words |= {*present.str.to_lowercase().unique().head(FEW_WORDS + 1).to_list()}
            self.words = self.words if len(self.words) <= FEW_WORDS else None

    def dtype(self, texts: bool, both: bool = True) -> Any:
        """`texts`: the file says that these are texts, and means it."""
        if self.any and self.integers and not texts:
            return pl.Int64
        if self.any and self.floats and not texts:
            return pl.Float64
        pairs = [{true, false} for true, false in TRUTHS.items()]
        return pl.Boolean if self.words in pairs and both else pl.String


def tidied(frame: Frame, file: FileParts, missing: Collection[str], dtypes: dict[str, Any]) -> Frame:
    """The columns in the types that the encoder knows; texts in those that all of them can be read as."""
    return frame.with_columns([tidy_column(column, file, missing, dtypes) for column in frame])


def tidy_column(column: Series, file: FileParts, missing: Collection[str], dtypes: dict[str, Any]) -> Series:
    column = tidy(column, file.suffix, missing, as_written=True)
    dtype = dtypes.get(column.name, pl.String)
    if column.dtype != pl.String or dtype == pl.String:
        return column
    if dtype == pl.Boolean:
        return column.str.to_lowercase().is_in([*TRUTHS])
    return without_numbers(column.cast(dtype), missing)


def as_marked(column: Series, file: FileParts, missing: Collection[str]) -> Series:
    """A column as the file holds it, missing cells marked."""
    return tidy(column, file.suffix, missing, as_written=True)


def is_text(dtype: str) -> bool:
    """Of a column: do its cells become texts, which something else may be read from?"""
    kinds = ("String", "Categorical", "Enum", "Null")
    return dtype.startswith(kinds)


def as_series(name: str, values: list[Any]) -> Series:
    return Series(name, values)


def as_labels_like(column: Series, dtype: Any) -> Series:
    """Classes, in the type that all of them have (`as_labels`)."""
    return column if column.dtype == dtype else column.cast(dtype)
