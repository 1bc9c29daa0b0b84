"""`stream_table`: table files as a source for `fit_stream`, without being read whole.

Types are those that `read` would choose for the whole table: where cells are texts, a pass before all others
finds out what all of them can be read as. Files of a folder must have the same columns of the same types.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from .._types import Array
from ..stream_sources import BATCH_BYTES, Batch, blamed_on
from .cells import shown
from .column_names import check_name, listed
from .delimited import SEPARATORS, TYPED
from .layout import prepare
from .read import Frame, as_labels
from .read_parts import (
    CellTypes,
    FilePart,
    FileParts,
    as_labels_like,
    as_marked,
    as_series,
    check_unchanged,
    is_text,
    open_parts,
    read_part,
    tidied,
)
from .weight_column import read_weights

MOST_CLASSES = 1000

Progress = Callable[[float], None]


def stream_table(
    path: str | Path | Sequence[str | Path],
    target: str | None,
    *,
    weight: str | None = None,
    drop: Collection[str] = (),
    nominal: Collection[str] = (),
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    missing: Collection[str] = (),
    batch_rows: int | None = None,
    progress: Progress | None = None,
) -> "TableStream":
    """Table files as a source: batches of rows as frames, and their labels.

    Parameters
    ----------
    path : str, path or sequence of them
        A Parquet, Arrow (.arrow, .feather, .ipc) or text file (.csv, .tsv, …), a folder of such files, which
        are read in the order of their names, or a list of files.
    target : str or None
        The column of the classes, or None for rows without classes.
    weight : str or None, default None
        The column of the weights of rows, or None for rows without weights.
    drop : collection of str, default ()
        Columns that are left out.
    nominal : collection of str, default ()
        Columns of numbers that are names.
    header, separator, encoding : None, bool or str, default None
        The format of a text file, as for the commands. None finds it out.
    missing : collection of str, default ()
        Further texts that stand for a missing cell.
    batch_rows : int or None, default None
        The number of rows of a batch of a Parquet or Arrow file. None is about 4 MB.
    progress : callable or None, default None
        It is called with the share of the bytes that a pass has read.

    Notes
    -----
    Needs the extra "app".

    Examples
    --------
    >>> from perceptrons import Perceptron, TableEncoder, fit_stream, stream_table
    >>> source = stream_table("examples/coffee.csv", target="grade")
    >>> from sklearn.pipeline import make_pipeline
    >>> model = fit_stream(make_pipeline(TableEncoder(), Perceptron(random_state=0)), source)
    >>> model.classes_.tolist()
    ['commercial', 'specialty']
    """
    return TableStream(
        files_of(path),
        target,
        weight,
        drop,
        nominal,
        (header, separator, encoding),
        missing,
        batch_rows,
        progress,
    )


def files_of(path: str | Path | Sequence[str | Path]) -> list[Path]:
    """The files, those of a folder by name."""
    if not isinstance(path, str | Path):
        return [Path(one) for one in path]
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if not path.is_dir():
        return [path]
    kinds = (*SEPARATORS, *TYPED)
    found = sorted(one for one in path.iterdir() if one.suffix.lower() in kinds and one.is_file())
    if not found:
        raise ValueError(
            f"The folder {path} holds no table; its files must end in one of {', '.join(kinds)}."
        )
    return found


def read_frames(
    path: str | Path,
    names: Collection[str],
    header: bool | None,
    separator: str | None,
    encoding: str | None,
    missing: Collection[str],
) -> Iterator[tuple[Frame, Frame]]:
    """These columns of the files, batch by batch: as they are written, and with missing cells marked. Names
    that the first file does not have are not looked for; without names, all columns."""
    files = [open_parts(one, BATCH_BYTES, None, header, separator, encoding) for one in files_of(path)]
    check_alike(files)
    columns = [name for name in files[0].columns if not names or name in names]
    for file in files:
        for part in file.parts:
            with blamed_on(name_of(file, part)):
                frame = read_part(file, part, columns)
                marked = [as_marked(column, file, missing) for column in frame]
            yield frame, frame.with_columns(marked)
        check_unchanged(file)


class TableStream:
    """A source of frames."""

    seekable = repeatable = True

    def __init__(
        self,
        paths: list[Path],
        target: str | None,
        weight: str | None,
        drop: Collection[str],
        nominal: Collection[str],
        written: tuple[bool | None, str | None, str | None],
        missing: Collection[str],
        batch_rows: int | None,
        progress: Progress | None,
    ) -> None:
        self.target, self.weight, self.missing, self.progress = target, weight, missing, progress
        self.nominal, self.title = [*nominal], paths[0].name if len(paths) == 1 else f"{len(paths)} files"
        self.files = [open_parts(one, BATCH_BYTES, batch_rows, *written) for one in paths]
        check_alike(self.files)
        self.columns = [name for name in self.files[0].columns if name not in drop]
        for name in [*drop, *nominal, *(one for one in (target, weight) if one is not None)]:
            check_name(self.files[0].columns, name)
        if not [name for name in self.columns if name not in (target, weight)]:
            raise ValueError(f"The table has no column besides {listed(self.columns)} to predict from.")
        self.places = [(file, part) for file in self.files for part in file.parts]
        if not self.places:
            raise ValueError(f"{self.files[0].path} has column names but no rows.")
        self.n_bytes = sum(file.n_bytes for file in self.files)
        self.dtypes, self.label_dtype, self.classes = self._find_types()

    def _find_types(self) -> tuple[dict[str, Any], Any, list[tuple[Any, int]]]:
        """One pass over columns of texts, and the target: their types, and the classes."""
        first = self.files[0]
        kinds = dict(zip(first.columns, first.dtypes, strict=True))
        texts = {name for name in self.columns if is_text(kinds[name])} - {self.target, *self.nominal}
        looked_at = [name for name in self.columns if name in texts or name == self.target]
        found: dict[str, CellTypes] = {name: CellTypes() for name in texts}
        labels: Counter[Any] = Counter()
        for frame, file, part in self._parts(looked_at) if looked_at else ():
            with blamed_on(name_of(file, part)):
                for name in texts:
                    found[name].add(as_marked(frame[name], file, self.missing))
                if self.target is not None:
                    column = as_marked(frame[self.target], file, self.missing)
                    labels.update(column.drop_nulls().to_list())
                    self._check_few(labels)
        dtypes = {name: one.dtype(texts=first.head is None) for name, one in found.items()}
        if self.target is None:
            return dtypes, None, []
        if not labels:
            raise ValueError(f"The target {self.target!r} has no value in any row; fill in classes.")
        written = as_labels(as_series(self.target, [*labels]))
        if len(labels) < 2:
            raise ValueError(
                f"The target {self.target!r} holds one class only, {shown(written[0])}; a classifier needs "
                "two."
            )
        names = zip(written.to_list(), labels.values(), strict=True)
        return dtypes, written.dtype, Counter(dict(names)).most_common()

    def _check_few(self, labels: Counter[Any]) -> None:
        if len(labels) > MOST_CLASSES:
            raise ValueError(
                f"A classifier predicts classes, but the target {self.target!r} has more than "
                f"{MOST_CLASSES:,} different values; divide them into a few classes first."
            )

    def _parts(self, columns: Sequence[str], order: Sequence[int] | None = None) -> Iterator[Any]:
        done = 0
        for k in range(len(self.places)) if order is None else order:
            file, part = self.places[k]
            yield read_part(file, part, columns), file, part
            done += part.size * file.n_bytes // max(1, sum(one.size for one in file.parts))
            if self.progress is not None:
                self.progress(done / self.n_bytes)
        for file in self.files:
            check_unchanged(file)

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        for frame, file, part in self._parts(self.columns, order):
            name = name_of(file, part)
            with blamed_on(name):
                yield self._batch(tidied(frame, file, self.missing, self.dtypes), name)

    def _batch(self, frame: Frame, name: str) -> Batch:
        frame = prepare(frame, (), self.nominal, self.target)
        if self.target is not None:
            frame = frame.filter(frame[self.target].is_not_null())
        weights: Array | None = None
        if self.weight is not None:
            weights = read_weights(frame, self.weight, some=False) if frame.height else None
            frame = frame.drop(self.weight)
        if self.target is None:
            return Batch(frame, None, weights, name)
        labels = as_labels_like(frame[self.target], self.label_dtype)
        return Batch(frame.drop(self.target), labels.to_numpy(), weights, name)


def name_of(file: FileParts, part: FilePart) -> str:
    what = "bytes" if file.head is not None else "rows"
    whole = len(file.parts) == 1
    return (
        str(file.path) if whole else f"{file.path} ({what} {part.start:,} to {part.start + part.size - 1:,})"
    )


def check_alike(files: list[FileParts]) -> None:
    """Have all files the columns of the first?"""
    first = files[0]
    for file in files[1:]:
        if file.columns != first.columns:
            missing = [name for name in first.columns if name not in file.columns]
            more = [name for name in file.columns if name not in first.columns]
            what = (
                f"has no {listed(missing)}"
                if missing
                else f"has {listed(more)}, too"
                if more
                else ("has them in another order")
            )
            raise ValueError(f"{file.path} {what}, unlike {first.path}; give all files the same columns.")
        for name, dtype, other in zip(first.columns, file.dtypes, first.dtypes, strict=True):
            if dtype != other:
                raise ValueError(
                    f"{file.path}: the column {name!r} holds {dtype}, but in {first.path} it holds {other}; "
                    "convert one of them."
                )
