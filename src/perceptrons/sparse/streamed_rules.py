"""`SparsePerceptron.fit_stream`: what a fit looks at again and again is kept small, and the rest is the fit.

One pass finds classes, thresholds and categories; one writes down which literals each row makes true. A
column's literals exclude or imply one another, so that a small number tells all of them: one byte for a
column and row, as in memory. What learns from these numbers is what learns in memory, so the models are the
same. No checkpoint: training looks at all rows at once, so that there is no batch to go on from.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._types import Array
from ..base import all_or_nothing
from ..checks import count_rows, is_number
from ..compiled import one_thread, threads
from ..rows.weights import check_every_class
from ..stream_sources import Source, blamed_on, check_repeatable, open_source
from ..tables.cells import NUMERIC
from ..tables.literal_cells import LiteralCodes
from ..tables.literal_encoder import LiteralEncoder
from .coded_columns import code_type, dense
from .coded_training import CodedTraining, training_of
from .encoded_literals import EncodedLiterals, WeighedClasses, literals_of
from .sparse_parameters import TOGETHER, check_size, read_parameters, read_thresholds
from .stream_labels import LabeledSource, StreamLabels

Room = Callable[[tuple[int, int], Any], Array]  # shape and type → an array to be filled


def fit_stream(model: Any, source: Any, batch_rows: int | None, scratch: str | Path | None) -> list[str]:
    """Learn from a source; returns what is to be complained about."""
    parameters, opened = read_parameters(model), open_source(source, batch_rows)
    check_repeatable(opened, "thresholds and literals take a pass each")
    check_scratch(scratch)
    with (
        all_or_nothing(model),
        one_thread(),
        threads(model.n_jobs) as workers,
        room_in(scratch) as room,
    ):
        vars(model).pop("_seen_rows", None)  # of an earlier fit
        n_thresholds = read_thresholds(model.n_thresholds, parameters.refit, first_rows(opened))
        encoder = LiteralEncoder(n_thresholds=n_thresholds, keep=model.keep, groups=model.groups)
        labels = StreamLabels()
        encoder.fit_stream(LabeledSource(opened, labels))
        given = labels.weighed(model.class_weight)
        check_every_class(given.classes, given.codes, given.weights)
        splitter_sees = rows_without_columns(model.cv, given)
        if parameters.refit == TOGETHER:
            training = coded_stream(opened, labels, encoder, given, model._read_limits(encoder), room)
            return list(model._learn_together(encoder, training, *splitter_sees, parameters, workers))
        check_size(len(encoder.literals_), parameters.scope.k)
        encoded = encoded_stream(opened, labels, encoder, given, room)
        return list(model._learn_stagewise(encoder, encoded, *splitter_sees, parameters, workers))


def first_rows(source: Source) -> Any:
    """Some of the rows, which tell how many columns there are."""
    return next((batch.X for batch in source.read() if count_rows(batch.X)), [])


def rows_without_columns(cv: Any, given: WeighedClasses) -> tuple[Any, Any]:
    """What a splitter sees of the rows: their classes. A number of folds divides them by codes."""
    if is_number(cv, Integral):
        return None, None
    return np.zeros((len(given.codes), 0)), given.classes[given.codes]


def code_cells(encoder: LiteralEncoder, columns: list[int], X: Any, kind: Any) -> Array:
    """Which literals of these columns hold in each row, as numbers: a line for each column."""
    codes, n_rows = encoder.codes(X), count_rows(X)
    return np.array([dense(codes[j], n_rows) for j in columns], kind).reshape(len(columns), n_rows)


def coded_stream(
    source: Source,
    labels: StreamLabels,
    encoder: LiteralEncoder,
    given: WeighedClasses,
    limits: Any,
    room: Room,
) -> CodedTraining:
    """All rows of a source, coded."""
    bare = training_of([], encoder.attributes_, given, limits)
    chosen, start = bare.chosen, 0
    codes = room((len(chosen), bare.n_rows), code_type(bare.attributes, chosen))
    for batch, there in labels.again(source):
        with blamed_on(batch.name):
            some = code_cells(encoder, chosen.tolist(), batch.X, codes.dtype)
        stop = start + int(np.count_nonzero(there))
        codes[:, start:stop] = some if there.all() else some[:, there]
        start = stop
    return bare._replace(columns=coded(encoder, chosen.tolist(), codes))


def coded(encoder: LiteralEncoder, chosen: list[int], codes: Array) -> list[LiteralCodes]:
    """All columns of an encoder, of which those chosen have these codes, and others none."""
    columns = [LiteralCodes(codes[:0])] * len(encoder.kinds_)
    for j, own in zip(chosen, codes, strict=True):
        columns[j] = LiteralCodes(own, encoder.kinds_[j] == NUMERIC)
    return columns


def encoded_stream(
    source: Source, labels: StreamLabels, encoder: LiteralEncoder, given: WeighedClasses, room: Room
) -> EncodedLiterals:
    """All rows of a source, as literals."""
    batches = literal_rows(source, labels, encoder)
    if encoder.sparse_:
        return literals_of(sp.vstack([*batches], format="csr"), encoder, given)
    rows = room((int(np.count_nonzero(given.weights)), len(encoder.literals_)), np.uint8)
    start = 0
    for some in batches:
        rows[start : start + len(some)] = some
        start += len(some)
    return literals_of(rows, encoder, given)


def literal_rows(source: Source, labels: StreamLabels, encoder: LiteralEncoder) -> Iterator[Any]:
    """The literals of the rows that count, batch by batch."""
    for batch, there in labels.again(source):
        with blamed_on(batch.name):
            some = encoder.transform(batch.X)
        yield some if there.all() else some[there]


def check_scratch(scratch: str | Path | None) -> None:
    if scratch is not None and not Path(scratch).is_dir():
        raise ValueError(f"scratch={str(scratch)!r} is no folder; name one, or use None for memory.")


@contextmanager
def room_in(scratch: str | Path | None) -> Iterator[Room]:
    """Arrays in memory, or in a file of this folder, which is gone in the end."""
    if scratch is None:
        yield np.empty
        return
    with TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
        yield partial(mapped, Path(folder) / "literals")


def mapped(path: Path, shape: tuple[int, int], kind: Any) -> Array:
    """An array in a file."""
    return np.asarray(np.memmap(path, kind, "w+", shape=shape))
