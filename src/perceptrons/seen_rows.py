"""Which rows a model was trained on: marks of a few of them, kept with it, by which rows are known again.

A certificate says other things about rows the model was trained on than about new ones, so a model must be
able to tell. A mark is a sum over the cells of a row, of 64 bits; dense, sparse, float32 and float64 rows of
the same numbers have the same. A fit keeps those of at most 16 rows, which takes a few microseconds, and is
told apart from any other table with one number changed in each row. It is no defense against someone who
wants to be deceived.
"""

import zlib
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ._types import Array

FEW = 16  # rows of a fit that are kept
MOST = 256  # of a stream
AT_A_TIME = 10_000  # rows whose marks are added up together
FIRST, SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
THIRD, SHIFTS = np.uint64(0x94D049BB133111EB), np.array([30, 27, 31], np.uint64)
NOT_A_NUMBER = np.float64("nan").view(np.uint64)


class SeenRows(NamedTuple):
    """What a model remembers of the rows it was trained on.

    n_rows : how many there were; marks : of those evenly spread among them, in their order.
    weighted : whether they came with weights. streamed : whether they came in several parts.
    """

    n_rows: int
    marks: Array
    weighted: bool = False
    streamed: bool = False


class Overlap(NamedTuple):
    """How rows at hand compare with those remembered.

    same : the same number of rows, with the same marks at the same places. moved : with the same marks, at
    other places. n_found, n_marks : how many of those remembered are among the rows at hand.
    repeated : about the share of the rows at hand that equal another of them: as many of those remembered
        would be found among new rows, by chance.
    """

    same: bool
    moved: bool
    n_found: int
    n_marks: int
    repeated: float


def remember(model: Any, X: Any, weighted: bool, more: bool) -> SeenRows:
    """The rows of a fit that went well; with `more`, beside those that the model remembers. Of frames the
    columns count that its encoder does not leave out, which later tables may lack."""
    X = _sliceable(X)
    n_rows = _count(X)
    seen = SeenRows(n_rows, marks_of(X, spread(n_rows), model), weighted)
    known = getattr(model, "_seen_rows", None)
    if not more or known is None or (np.array_equal(known.marks, seen.marks) and not known.streamed):
        return seen
    return _together(known, seen)


def both_seen(model: Any, other: Any) -> SeenRows | None:
    """The rows of two models, one of which is added to the other; None if one remembers none."""
    known, seen = (getattr(one, "_seen_rows", None) for one in (model, other))
    return None if known is None or seen is None else _together(known, seen)


def _together(known: SeenRows, seen: SeenRows) -> SeenRows:
    marks = np.concatenate([known.marks, seen.marks])
    marks = marks[:: 1 + (len(marks) > MOST)]
    return SeenRows(known.n_rows + seen.n_rows, marks, known.weighted or seen.weighted, True)


def compare_rows(seen: SeenRows, X: Any, model: Any) -> Overlap:
    """Are these rows those remembered, or some of them among these?"""
    X = _sliceable(X)
    n_rows = _count(X)
    parts = [slice(start, start + AT_A_TIME) for start in range(0, n_rows, AT_A_TIME)]
    marks = np.concatenate([marks_of(X, part, model) for part in parts])
    n_found, every = int(np.isin(seen.marks, marks).sum()), len(seen.marks)
    alike = n_rows == seen.n_rows and n_found == every
    same = alike and not seen.streamed and np.array_equal(marks[spread(n_rows)], seen.marks)
    times = np.unique(marks, return_counts=True)[1]
    repeated = float(times[times > 1].sum() + 1) / (n_rows + 1)
    return Overlap(same, alike and not same, n_found, every, repeated)


def _sliceable(X: Any) -> Any:
    """Frames, matrices, arrays and lists as they are; what NumPy can make an array of as such."""
    known = isinstance(X, np.ndarray | list | tuple) or sp.issparse(X) or hasattr(X, "columns")
    return X if known else np.asarray(X)


def _count(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def spread(n_rows: int) -> slice:
    """Of this number of rows, those that are remembered."""
    return slice(0, n_rows, max(1, -(-n_rows // FEW)))


def marks_of(X: Any, some: slice, model: Any = None) -> Array:
    """A mark for each of some rows."""
    if hasattr(X, "columns") and hasattr(X, "__getitem__"):
        return _marks_of_frame(X.iloc[some] if hasattr(X, "iloc") else X[some], model)
    if sp.issparse(X):
        matrix: Any = X
        return _marks_of_sparse(matrix.tocsr(), some)
    cells = np.asarray(X[some])
    if cells.dtype.kind not in "biuf":
        cells = np.asarray(X[some] if isinstance(X, np.ndarray) else [*X[some]], object)
        return _added(_marks_of_cells(cells))
    return _added(_bits(cells))


def _added(bits: Array) -> Array:
    """The marks of rows, from the cells' bits."""
    columns = np.arange(1, bits.shape[1] + 1, dtype=np.uint64)
    return np.asarray(_mixed(bits, columns).sum(axis=1).view(np.int64))


def _bits(cells: Array) -> Array:
    """Numbers as the bits of a float64; those of 0 and of -0 are 0."""
    return np.add(cells, 0.0, dtype=np.float64).view(np.uint64)


def _mixed(bits: Array, columns: Array) -> Array:
    """Bits that depend on cell and column; 0 for a cell of 0."""
    mixed = (bits ^ (bits >> SHIFTS[0])) * SECOND + columns * FIRST  # splitmix64, after a step more
    mixed = (mixed ^ (mixed >> SHIFTS[0])) * SECOND
    mixed = (mixed ^ (mixed >> SHIFTS[1])) * THIRD
    return np.asarray((mixed ^ (mixed >> SHIFTS[2])) * (bits != 0))


def _marks_of_sparse(X: Any, some: slice) -> Array:
    starts, ends = X.indptr[:-1][some], X.indptr[1:][some]
    if (some.step or 1) == 1:
        lines = [slice(int(starts[0]), int(ends[-1]))] if len(starts) else []
    else:
        lines = [slice(*pair) for pair in zip(starts.tolist(), ends.tolist(), strict=True)]
    parts = X.data, X.indices
    data, columns = (np.concatenate([part[:0], *(part[one] for one in lines)]) for part in parts)
    mixed = _mixed(_bits(data), columns.astype(np.uint64) + np.uint64(1))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    last = np.cumsum(ends - starts)
    return np.asarray((sums[last] - sums[last - (ends - starts)]).view(np.int64))


def _marks_of_frame(frame: Any, model: Any) -> Array:
    columns = [np.asarray(frame[name].to_numpy()) for name in _used(frame, model)]
    cells = [_bits_of_column(values) for values in columns]
    return _added(np.stack(cells, axis=1)) if cells else np.zeros(len(frame), np.int64)


def _used(frame: Any, model: Any) -> list[Any]:
    left_out = getattr(getattr(model, "encoder_", None), "left_out_", ())
    return [name for name in frame.columns if name not in left_out]


def _bits_of_column(values: Array) -> Array:
    if values.dtype.kind not in "biuf":
        return np.asarray(_marks_of_cells(values[:, None])[:, 0])
    bits = _bits(values)
    bits[np.isnan(values)] = NOT_A_NUMBER
    return bits


def _marks_of_cells(cells: Array) -> Array:
    """Bits of cells of any kind: of numbers those of the number, of all else those of its text."""
    known: dict[Any, int] = {}
    flat = [known.setdefault((type(one), one), _bits_of_cell(one)) for one in cells.ravel().tolist()]
    return np.array(flat, np.uint64).reshape(cells.shape)


def _bits_of_cell(value: Any) -> int:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return int(NOT_A_NUMBER)
    if isinstance(value, Number) and not isinstance(value, complex):
        bits = _bits(np.array([float(value)]))[0]  # type: ignore[arg-type]
        return int(bits if value == value else NOT_A_NUMBER)
    text = str(value).encode("utf-8", "surrogatepass")
    return (zlib.crc32(text) << 32) | zlib.adler32(text)
