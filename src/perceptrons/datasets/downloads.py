"""Raw files that are too large, or too far from a table, for `fetching`: genomes, images, sparse rows.

A file is read from the folder PERCEPTRONS_DATA if it is there; else from our part of scikit-learn's data
home, where it is put once it was fetched. Compressed or not, its content must have the digest we know, and it
is checked before anything is written: a broken download leaves nothing behind.
"""

import gzip
import hashlib
import os
import zlib
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from sklearn.datasets import get_data_home

from ..model_file.files import write_whole
from .fetching import FOLDER

GZIP = b"\x1f\x8b"  # how compressed files begin
PATIENCE = 60  # seconds without an answer


class RawFile(NamedTuple):
    title: str
    file: str  # below PERCEPTRONS_DATA
    size: int  # of the content, in bytes
    digest: str  # its SHA-256
    url: str = ""  # none: `images` has a source of its own
    caution: str = ""  # "; " and why the content there may be another


class FileContent(NamedTuple):
    data: bytes  # not compressed
    where: str


def fetch(raw: RawFile) -> FileContent:
    """From the first place that has the file; one that is there but broken is an error."""
    return in_folder(raw) or _kept(raw) or _downloaded(raw)


def in_folder(raw: RawFile) -> FileContent | None:
    """From the folder PERCEPTRONS_DATA; None if there is no such folder or file."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return None
    path = Path(folder, raw.file)
    remedy = f"put the original file at {path}, or unset {FOLDER} to fetch it"
    return _read(raw, path, f"{raw.file} in the folder {FOLDER}", remedy)


def lack(raw: RawFile) -> str:
    """Why it was not found in the folder."""
    folder = os.environ.get(FOLDER)
    return f"{FOLDER}={folder} has no file {raw.file}" if folder else f"{FOLDER} is not set"


def _kept(raw: RawFile) -> FileContent | None:
    path = _keeping(raw)
    return _read(raw, path, raw.url, f"delete {path} to fetch it again")


def _keeping(raw: RawFile) -> Path:
    """Where a download is kept; SCIKIT_LEARN_DATA moves it."""
    try:
        home = Path(get_data_home(), "perceptrons")
        home.mkdir(exist_ok=True)
    except OSError as error:
        raise OSError(
            f"{raw.title} cannot be fetched: {lack(raw)}, and no download can be kept ({error}); "
            f"set SCIKIT_LEARN_DATA to a folder that may be written to, or {FOLDER} to one with {raw.file}."
        ) from error
    return home / raw.url.rpartition("/")[2]


def _read(raw: RawFile, path: Path, where: str, remedy: str) -> FileContent | None:
    try:
        with path.open("rb") as file:
            found = file.read(raw.size + 1)  # one byte too many is enough to tell
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ValueError(f"{raw.title} cannot be read from {path} ({error}); {remedy}.") from error
    return FileContent(_checked(raw, found, str(path), remedy), where)


def _downloaded(raw: RawFile) -> FileContent:
    path = _keeping(raw)
    remedy = f"set {FOLDER} to a folder that holds the file we know as {raw.file}"
    try:
        with urlopen(raw.url, timeout=PATIENCE) as answer:
            found = answer.read(raw.size + 1)
    except Exception as error:  # whatever a network or a proxy may cause
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise OSError(
            f"{raw.title} cannot be loaded: {lack(raw)}, and {raw.url} gave nothing ({reason}); go online, "
            f"or {remedy}."
        ) from error
    data = _checked(raw, found, raw.url, f"try again, or {remedy}")
    write_whole(str(path), found)
    return FileContent(data, raw.url)


def _checked(raw: RawFile, found: bytes, where: str, remedy: str) -> bytes:
    """The content, if it is the one we know."""
    try:
        data = _uncompressed(found, raw.size + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{raw.title} cannot be read from {where} ({error}); {remedy}.") from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != raw.digest:
        size = f"{len(data):,}" if len(data) <= raw.size else f"more than {raw.size:,}"
        raise ValueError(
            f"{raw.title} from {where} is not the one we know: its {size} bytes have the digest "
            f"{digest[:12]}..., not {raw.digest[:12]}... of {raw.size:,}{raw.caution}; {remedy}."
        )
    return data


def _uncompressed(found: bytes, limit: int) -> bytes:
    if not found.startswith(GZIP):
        return found
    with gzip.open(BytesIO(found)) as file:
        return file.read(limit)
