# mypy: allow-untyped-defs, allow-untyped-calls
"""The door: what the user passed becomes rows and class codes, checked once, by scikit-learn.

Floats keep their precision, everything else becomes float64, nothing is copied that need not be.
One pass over the rows finds their norms and, by the way, anything that is not finite: the learners
need the largest norm, and a second pass for scikit-learn's own check would cost as much again.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets

from .._types import Array
from ..checks import validated
from ..compiled import compiled
from .layouts import CSR, Rows, sqnorm
from .norms import Measured, NormCounts, measure
from .weights import NO_WEIGHTS, check_every_class, weights_of_rows

SQUARES = {  # the smallest and the largest that a precision has room for
    np.dtype(kind): (float(np.finfo(kind).tiny), float(np.finfo(kind).max))
    for kind in (np.float32, np.float64)
}


class Encoded(NamedTuple):
    """A training set behind the door. Rows of weight 0 are absent."""

    matrix: Any  # the validated array or CSR matrix, for NumPy
    X: Rows  # the same memory, for compiled code
    classes: Array
    codes: Array  # classes[codes] = y
    largest: float  # max ‖x‖²
    smallest: float  # min ‖x‖²; of the rows counted alone, if not every row was measured
    norms: NormCounts
    weights: Array = NO_WEIGHTS  # of the rows, > 0; empty: each counts 1
    present: Array | None = None  # where these rows stand among those given; None: they are all there
    n_given: int = 0  # rows given, those of weight 0 among them

    def signs(self) -> Iterator[Array]:
        """One ±1 array per weight vector."""
        return signs_of(self.codes, len(self.classes))

    def sign_matrix(self) -> Array:
        """The same, a line for each."""
        return stacked([*self.signs()])

    def weight(self, place: int) -> float:
        """Of a row; 1 if rows have none."""
        return float(self.weights[place]) if len(self.weights) else 1.0

    def numbers(self, places: Array) -> Array:
        """The numbers that these rows have among those given."""
        return places if self.present is None else self.present[places]

    def places(self, numbers: Array) -> Array | None:
        """Where rows given stand among those present, from their numbers in ascending order; None if one of
        them is absent."""
        if len(numbers) and not 0 <= numbers[0] <= numbers[-1] < self.n_given:
            return None
        if self.present is None:
            return numbers
        places = np.searchsorted(self.present, numbers)
        there = places < len(self.present)
        return places if there.all() and (self.present[places] == numbers).all() else None


def stacked(lines: Sequence[Array]) -> Array:
    """As the lines of a matrix; one alone is not copied, which for small sets takes longer than to learn."""
    return lines[0][None] if len(lines) == 1 else np.stack(lines)


def signs_of(codes: Array, n_classes: int) -> Iterator[Array]:
    """One ±1 array per weight vector: one for two classes, one per class for more."""
    for c in [1] if n_classes == 2 else range(n_classes):
        yield 2 * (codes == c).view(np.int8) - 1


def encode(
    estimator: Any,
    X: Any,
    y: Any,
    reset: bool = True,
    classes: Array | None = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    seen: int = 0,
    every: bool = True,
) -> Encoded:
    """Validate X, y and the weights; `classes` is given where a stream has named them before, `seen` is how
    many rows it had. Unless `every` row is to be measured, cells of many rows may still be NaN or infinite,
    or their squares overflow; `check_rows` tells, once that has been noticed.
    """
    matrix, y = read_rows(estimator, X, y, reset)
    return encode_read(estimator, matrix, y, classes, sample_weight, class_weight, seen, every)


def encode_read(
    estimator: Any,
    matrix: Any,
    y: Array,
    classes: Array | None,
    sample_weight: Any,
    class_weight: Any,
    seen: int,
    every: bool,
    measured: Measured | None = None,
) -> Encoded:
    """`encode` of rows that are validated; `measured` : their norms, where they are known."""
    names, codes = encode_labels(y, classes)
    weights = weights_of_rows(sample_weight, class_weight, matrix, names, codes)
    present, n_given = None, len(y)
    if len(weights) and classes is None:
        check_every_class(names, codes, weights)
    if not weights.all():
        present = np.flatnonzero(weights)
        matrix, codes, weights = matrix[present], codes[present], weights[present]
    rows = as_rows(matrix)
    found = measure(rows, matrix.shape[0], weights, seen, every) if measured is None else measured
    smallest, largest, norms = found
    data = Encoded(matrix, rows, names, codes, largest, smallest, norms, weights, present, n_given)
    if every or not largest <= SQUARES[matrix.dtype][1]:  # that squares vanish, some rows cannot tell
        check_rows(estimator, data)
    return data


def read_rows(estimator: Any, X: Any, y: Any, reset: bool) -> tuple[Any, Array]:
    """Validated rows, of which CSR store each cell once, and labels."""
    checks = {"accept_sparse": "csr", "dtype": (np.float64, np.float32), "order": "C"}
    matrix, y = validated(estimator, X, y, reset=reset, ensure_all_finite=False, **checks)
    return canonical(matrix) if is_sparse(matrix) else matrix, y


def check_rows(estimator: Any, data: Encoded) -> None:
    """Are all cells finite, and do their squares neither overflow nor vanish?"""
    check_cells(estimator, data.matrix, data.largest)
    check_scale(data.matrix, data.largest)


def check_cells(estimator: Any, matrix: Any, largest: float) -> None:
    """Are all cells finite?"""
    if not np.isfinite(largest):  # scikit-learn says what is wrong
        cells = matrix.data if is_sparse(matrix) else matrix
        assert_all_finite(cells, estimator_name=type(estimator).__name__, input_name="X")


def check_scale(matrix: Any, largest: float) -> None:
    """Squared norms must neither overflow nor vanish in the precision of the rows."""
    least, most = SQUARES[matrix.dtype]
    if least <= largest <= most:
        return
    value = float(abs(matrix).max())
    if value > 0.0:
        what, limit = ("overflow", most) if largest > 1.0 else ("underflow", least)
        raise ValueError(
            f"The squared norms of the rows {what} {matrix.dtype}: largest |value| {value:.3g}, limit about "
            f"{np.sqrt(limit):.1g}. Scale the columns, for example with StandardScaler."
        )


def encode_labels(y: Array, classes: Array | None = None, least: int = 2) -> tuple[Array, Array]:
    """The sorted classes, at least this number, and each row's place among them.

    Of two classes that are numbers the places may be truth values, which are no indices."""
    if classes is not None:
        if len(classes) == 2 and classes.dtype.kind in "iub" and y.dtype.kind in "iub":  # no need to search
            codes = y == classes[1]
            if (codes | (y == classes[0])).all():
                return classes, codes.view(np.int8)  # truth values would mask, where places are looked up
        try:
            codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
            known = np.asarray(classes[codes] == y)
        except TypeError:  # texts and numbers have no common order
            known = np.zeros(len(y), bool)
        if not known.all():
            raise ValueError(
                f"y holds {y[~known].tolist()[0]!r}, which is not one of the classes {classes.tolist()}."
            )
        return classes, codes
    if y.dtype.kind in "iub" and len(y):  # two numbers, the usual case: no need to sort
        low, high = y.min(), y.max()
        codes = y == high
        if low != high and (codes | (y == low)).all():
            return np.array([low, high]), codes
    check_classification_targets(y)
    names, codes = np.unique(y, return_inverse=True)
    if len(names) < least:
        raise ValueError(
            f"y holds one class only: {names.tolist()[0]!r}. A classifier needs at least two classes."
        )
    return names, codes


def canonical(matrix: Any) -> Any:
    """A sound CSR matrix that stores each cell once, in order.

    SciPy remembers whether it is so, even if the arrays have been written to since then: we look.
    """
    parts = matrix.data, matrix.indices, matrix.indptr
    if not (all(part.flags.c_contiguous for part in parts) and ascending(*map(read_only, parts[1:]))):
        # the user's own matrix stays as it is; two transpositions sort, too, and sooner if no column is empty
        matrix = matrix.copy() if matrix.nnz < matrix.shape[1] else matrix.tocsc().tocsr()
        matrix.sum_duplicates()
    return matrix


def is_sparse(matrix: Any) -> bool:
    """`issparse` without its type guard, which knows no CSR."""
    return bool(sp.issparse(matrix))


def as_rows(matrix: Any) -> Rows:
    """A validated array or CSR matrix, seen by compiled code; no copy.

    It is read-only, whatever the user's is: code compiled for the one would be compiled again for the other.
    """
    if not is_sparse(matrix):
        return read_only(np.asarray(matrix))
    indices, indptr = (part.view(f"u{part.itemsize}") for part in (matrix.indices, matrix.indptr))
    return CSR(read_only(matrix.data), read_only(indices), read_only(indptr))


def read_only(array: Array) -> Array:
    """The same memory, not to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


@compiled
def ascending(indices, indptr):
    """Do the indices of each row of a sound CSR matrix ascend, none of them twice?"""
    for i in range(indptr.size - 1):
        falls = 0
        for k in range(indptr[i] + 1, indptr[i + 1]):
            falls += indices[k] <= indices[k - 1]
        if falls > 0:
            return False
    return True


@compiled
def vanishing(X, n_rows):
    """Which rows have norm 0."""
    zero = np.zeros(n_rows, np.bool_)
    for i in range(n_rows):
        zero[i] = sqnorm(X, i) == 0.0
    return zero
