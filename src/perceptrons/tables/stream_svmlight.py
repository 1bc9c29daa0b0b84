"""`stream_svmlight`: a text file of sparse rows, `label column:value …`, as a source for `fit_stream`.

The file is cut where lines end. A first pass finds the largest column; columns are counted from 1, as LIBSVM
does, unless one is 0.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_svmlight_file

from ..stream_sources import BATCH_BYTES, Batch, blamed_on


class ReadLines(NamedTuple):
    """Where some lines of a file begin, and how many bytes they have."""

    start: int
    size: int


class SvmlightStream:
    """A source of CSR rows."""

    seekable = repeatable = True

    def __init__(self, path: Path, n_features: int | None) -> None:
        self.path, self.state = path, state_of(path)
        self.parts = [*cut_lines(path)]
        widest, least = 0, 1
        for part in self.parts:
            X, _ = self._rows(part, None, True)
            widest = max(widest, X.shape[1])
            least = min(least, int(X.indices.min(initial=1)))
        self.zero_based = least == 0
        found = widest if self.zero_based else max(widest - 1, 1)
        if n_features is not None and n_features < found:
            raise ValueError(
                f"n_features={n_features}, but {path} has a column {found}; give {found} or more."
            )
        self.n_features = n_features or found

    def _rows(self, part: ReadLines, n_features: int | None, zero_based: bool) -> tuple[Any, Any]:
        if state_of(self.path) != self.state:
            raise ValueError(f"{self.path} has changed since it was first read; train on a file that stays.")
        with self.path.open("rb") as file:
            file.seek(part.start)
            data = file.read(part.size)
        with blamed_on(self._name(part)):
            return load_svmlight_file(BytesIO(data), n_features=n_features, zero_based=zero_based)  # type: ignore[no-any-return]

    def _name(self, part: ReadLines) -> str:
        return f"{self.path} (bytes {part.start:,} to {part.start + part.size - 1:,})"

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        for k in range(len(self.parts)) if order is None else order:
            X, y = self._rows(self.parts[k], self.n_features, self.zero_based)
            whole = bool((y == np.floor(y)).all())
            yield Batch(X, y.astype(np.int64) if whole else y, None, self._name(self.parts[k]))


def stream_svmlight(path: str | Path, n_features: int | None = None) -> SvmlightStream:
    """A file of sparse rows in the format of SVMlight and LIBSVM as a source.

    Parameters
    ----------
    path : str or path
        The file to read.
    n_features : int or None, default None
        The number of columns. None is the largest column that occurs.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from perceptrons import Perceptron, stream_svmlight
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows.svm"
    ...     _ = path.write_text("1 1:0.5 3:2\\n-1 2:1\\n1 3:1\\n")
    ...     model = Perceptron(order="cyclic").fit_stream(stream_svmlight(path))
    >>> model.classes_.tolist(), model.n_features_in_
    ([-1, 1], 3)
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    return SvmlightStream(path, n_features)


def state_of(path: Path) -> tuple[int, int, int]:
    """Size, time and number of the file."""
    try:
        stat = path.stat()
    except OSError as error:
        raise ValueError(f"{path} cannot be read any more ({error.strerror}).") from None
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def cut_lines(path: Path) -> Iterator[ReadLines]:
    """Whole lines, about `BATCH_BYTES` at a time."""
    with path.open("rb") as file:
        start = 0
        while block := file.read(BATCH_BYTES):
            block += file.readline()
            yield ReadLines(start, len(block))
            start += len(block)
