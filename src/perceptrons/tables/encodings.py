"""The bytes of a text file as characters, compressed or not, in any encoding; what separates its cells."""

import bz2
import codecs
import csv
import gzip
import lzma
import zlib
from pathlib import Path
from typing import NamedTuple

from .table_error import Argument, TableError

COMPRESSED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "Zstandard"}
MARKS = (  # at the beginning of a file; the longer first
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SAMPLE = 20_000  # bytes in which UTF-16 without a mark shows
CANDIDATES = ";\t|,"  # separators, of which the first wins if several fit


class Decoded(NamedTuple):
    """The text in UTF-8, and the encoding it was in, if that had to be found out."""

    data: bytes
    found: str | None = None


def suffixes(path: Path) -> tuple[str, str]:
    """The kind of file and how it is compressed: (".csv", ".gz")."""
    last = path.suffix.lower()
    if last not in COMPRESSED:
        return last, ""
    return Path(path.stem).suffix.lower(), last


def unpacked(path: Path, data: bytes, suffix: str) -> bytes:
    """The bytes without their compression."""
    try:
        if suffix == ".gz":
            return gzip.decompress(data)
        if suffix == ".bz2":
            return bz2.decompress(data)
        if suffix == ".xz":
            return lzma.decompress(data)
        return _zstandard(data)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(
            f"{path} is not a readable {COMPRESSED[suffix]} file ({str(error).rstrip('.')}); is it cut off?"
        ) from None


def _zstandard(data: bytes) -> bytes:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # from Python 3.14 on

        return bytes(zstd.decompress(data))
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise ImportError(
            "Files that end in .zst need Python 3.14 or zstandard: pip install zstandard"
        ) from None
    return bytes(zstandard.ZstdDecompressor().stream_reader(data).read())


def decoded(path: Path, data: bytes, encoding: str | None) -> Decoded:
    """The text in UTF-8. Without `encoding` it is found out: a mark, UTF-8, UTF-16, else Windows-1252."""
    if encoding is not None:
        return Decoded(_decode(path, data, encoding))
    for mark, name in MARKS:
        if data.startswith(mark):
            if name == "utf-8-sig":
                return Decoded(data[len(mark) :]) if _is_utf_8(data) else Decoded(_decode(path, data, name))
            return Decoded(_decode(path, data, name), name.upper())
    name = _utf_16(data[:SAMPLE])
    if name:
        return Decoded(_decode(path, data, name), "UTF-16")
    if _is_utf_8(data):
        return Decoded(data)
    if b"\0" in data[:SAMPLE]:
        raise ValueError(f"{path} holds bytes that are no text; save it as text in UTF-8.")
    try:
        return Decoded(data.decode("cp1252").encode(), "Latin-1 (Windows-1252)")
    except UnicodeDecodeError:
        return Decoded(data.decode("latin-1").encode(), "Latin-1")


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf_16(sample: bytes) -> str:
    """Text of mostly Western characters has a zero in every other byte."""
    if len(sample) < 4:
        return ""
    even, odd = sample[::2].count(0) / len(sample[::2]), sample[1::2].count(0) / len(sample[1::2])
    if odd > 0.4 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 and odd < 0.1 else ""


def _decode(path: Path, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except LookupError:
        raise TableError(
            f"There is no encoding {encoding!r}; use for example ", Argument("encoding", "latin-1"), "."
        ) from None
    except (UnicodeError, ValueError) as error:
        reason = getattr(error, "reason", str(error))
        raise TableError(
            f"{path} is not text in {encoding} ({reason}); give another ", Argument("encoding"), "."
        ) from None


def separator_of(lines: list[str], usual: str) -> str:
    """What separates cells in these lines: the usual mark, unless the lines differ in how many of it they
    have, or have none, and each has as many of another, not counting those inside quotation marks."""
    marks: list[str] = [usual, *CANDIDATES]
    for mark in marks:
        counts = {_count(line, mark) for line in lines}
        if len(counts) == 1 and counts.pop() > 0:
            return mark
    return usual


def _count(line: str, mark: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])) - 1
    except csv.Error:
        return 0
