"""Whole files or nothing: reading with a limit, writing under another name first."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO


def read_whole(path: str, limit: int) -> bytes:
    """The bytes of a regular file that is not larger than the limit."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would make the reader wait
        raise ValueError("it is not a file")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = b"" if size > limit else file.read(limit + 1)  # it may be growing
    if max(size, len(data)) > limit:
        raise ValueError(
            f"it has {max(size, len(data)):,} bytes, more than max_bytes={limit:,}; raise max_bytes if you "
            "trust it"
        )
    return data


def write_whole(path: str, data: bytes) -> None:
    """Replace the file in one step: whoever reads it, and whenever the machine stops, finds the old bytes
    or the new ones."""
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def whole_file(path: str) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place in one step if all goes well, and is gone if not. A link is
    followed, and the permissions of a file already there are kept."""
    if path.endswith((os.sep, os.altsep or os.sep)):
        raise IsADirectoryError(errno.EISDIR, "This is a folder; add a file name", path)
    target = os.path.realpath(path)
    mode = _mode_of(target)
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".perceptrons-{secrets.token_hex(8)}.tmp")
    try:
        with _created(temporary, mode) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _flush_folder(folder)


def _mode_of(target: str) -> int | None:
    """The permissions of the file that will be replaced; None if there is none yet."""
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "There is no such folder to save in; create it first", folder)
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "This is a folder; add a file name", target)
    if not stat.S_ISREG(mode):
        raise ValueError(f"{target!r} is a device or pipe, which cannot be replaced; use the name of a file.")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "The file may not be written to; choose another name", target)
    return stat.S_IMODE(mode)


def _created(temporary: str, mode: int | None) -> IO[bytes]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(temporary, flags, 0o666), "wb")
    if mode is not None:
        os.chmod(temporary, mode)
    return file


def _flush_folder(folder: str) -> None:
    """Make the new name survive a power failure, where the system lets folders be synchronized."""
    if os.name != "posix":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that may be written to but not read; the file is in its place
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network drives cannot
            raise
    finally:
        os.close(handle)
