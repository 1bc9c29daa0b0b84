"""The door of the room: rows, which of them are positive, what each counts, and where columns are cut."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import validate_data

from .._types import Array
from ..checks import row_weights
from ..rows.encode import canonical, encode_labels, is_sparse
from .binarization import Levels, levels_of, medians, middles, others
from .binary_parameters import AUTO
from .counts import exact_weights

FLOATS = (np.float64, np.float32)
ALONE = "no_validation"  # how scikit-learn is told that there are no labels


class Problem(NamedTuple):
    """Rows that count."""

    matrix: Any  # an array of numbers or truth values, or CSR
    positive: Array
    weights: Array | None  # > 0; None: each row counts 1
    classes: Array


class Cut(NamedTuple):
    """Where columns are cut; and if no other values are allowed, their two levels."""

    cuts: Array
    levels: Levels | None


def read_rows(estimator: Any, X: Any, y: Any = ALONE, reset: bool = False) -> Any:
    """Validated by scikit-learn; bytes and truth values stay what they are."""
    how: dict[str, Any] = {"accept_sparse": "csr", "order": "C", "reset": reset}
    how["dtype"] = FLOATS if is_sparse(X) else "numeric"
    checked = validate_data(estimator, X, y, **how)
    return _known(checked) if y is ALONE else (_known(checked[0]), checked[1])


def _known(matrix: Any) -> Any:
    """In a type that compiled code has: others, such as float16, are widened. CSR with each cell once."""
    if is_sparse(matrix):
        return canonical(matrix)
    kind, size = matrix.dtype.kind, matrix.dtype.itemsize
    if kind == "f" and size not in (4, 8):
        return matrix.astype(np.float32 if size == 2 else np.float64)
    return matrix if matrix.dtype.isnative else matrix.astype(matrix.dtype.newbyteorder("="))


def read_problem(
    estimator: Any, X: Any, y: Any, sample_weight: Any, reset: bool, classes: Array | None = None
) -> Problem:
    matrix, y = read_rows(estimator, X, y, reset)
    weights = None if sample_weight is None else exact_weights(row_weights(sample_weight, matrix))
    names, codes = encode_labels(y, classes, least=1)
    check_two(names)
    positive = np.asarray(codes == len(names) - 1)
    if weights is not None and not weights.all():
        matrix, positive, weights = (some[weights > 0] for some in (matrix, positive, weights))
        if not len(weights):
            raise ValueError("sample_weight is 0 for every row, so there is nothing to learn from.")
    return Problem(matrix, positive, weights, names)


def check_two(classes: Array) -> None:
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The target has {len(classes)} classes; use "
            "OneVsRestClassifier(BinaryPerceptron()) of scikit-learn."
        )


def learn_cuts(problem: Problem, binarize: float | str | None, names: Any) -> Cut:
    """`names` are for the complaint about a column of more than two values."""
    matrix, width = problem.matrix, problem.matrix.shape[1]
    if binarize is not None and binarize != AUTO:
        return Cut(np.full(width, float(binarize)), None)
    levels = levels_of(matrix)
    more = np.flatnonzero(others(matrix, levels))
    cuts = middles(levels)
    if binarize is None:
        refuse(more, names)
        return Cut(cuts, levels)
    if len(more):
        cuts[more] = medians(matrix, more, problem.weights)
    return Cut(cuts, None)


def check_kept(cut: Cut, binarize: float | str | None) -> None:
    """Cuts stay what the first rows made them."""
    other = isinstance(binarize, float) and (cut.cuts != binarize).any()
    if other or (cut.levels is None) == (binarize is None):
        raise ValueError(
            f"binarize={binarize!r}, but columns were cut otherwise when the first rows came; set it back, "
            "or fit anew."
        )


def check_levels(matrix: Any, cut: Cut, names: Any) -> Cut:
    """Values that columns have not had are refused; but where a column has had one only, a second is welcome
    if it is on the other side of the cut."""
    if cut.levels is None:
        return cut
    (low, high), cuts, now = cut.levels, cut.cuts, levels_of(matrix)
    below = (low == high) & (low > cuts) & (now.low <= cuts)
    above = (low == high) & (low <= cuts) & (now.high > cuts)
    levels = Levels(np.where(below, now.low, low), np.where(above, now.high, high))
    refuse(np.flatnonzero(others(matrix, levels)), names)
    return cut._replace(levels=levels)


def merged(one: Cut, other: Cut, names: Any) -> Cut:
    """The levels of both, where others are not allowed; the cuts are the same."""
    if one.levels is None or other.levels is None:
        return one
    values = np.stack([*one.levels, *other.levels])
    sides = (np.where(side, values, np.nan) for side in (values <= one.cuts, values > one.cuts))
    low, high = ((np.fmin.reduce(side), np.fmax.reduce(side)) for side in sides)
    refuse(np.flatnonzero((low[0] < low[1]) | (high[0] < high[1])), names)
    return one._replace(levels=Levels(np.fmin(low[0], high[0]), np.fmax(low[0], high[0])))


def refuse(columns: Array, names: Any) -> None:
    if len(columns):
        which = f"{columns[0]}" if names is None else f"{names[columns[0]]!r}"
        many = f" (and so have {len(columns) - 1} more)" * (len(columns) > 1)
        raise ValueError(
            f"Column {which} has more than two values, or two on the same side of its cut{many}, rows seen "
            "before included; binarize=None takes columns of two. Use 'auto', which cuts others at the "
            "median, or a number."
        )
