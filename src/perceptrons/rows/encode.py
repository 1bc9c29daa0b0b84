# mypy: allow-untyped-defs, allow-untyped-calls
"""The door: what the user passed becomes rows and class codes, checked once, by scikit-learn.

Floats keep their precision, everything else becomes float64, nothing is copied that need not be.
One pass over the rows finds their norms and, by the way, anything that is not finite: the learners
need the largest norm, and a second pass for scikit-learn's own check would cost as much again.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from .._types import Array
from ..compiled import compiled
from .layouts import CSR, Rows, sqnorm


class Encoded(NamedTuple):
    """A training set behind the door."""

    matrix: Any  # the validated array or CSR matrix, for NumPy
    X: Rows  # the same memory, for compiled code
    classes: Array
    codes: Array  # classes[codes] = y
    largest: float  # max ‖x‖²
    smallest: float  # min ‖x‖²

    def signs(self) -> Iterator[Array]:
        return signs_of(self.codes, len(self.classes))


def signs_of(codes: Array, n_classes: int) -> Iterator[Array]:
    """One ±1 array per weight vector: one for two classes, one per class for more."""
    for c in [1] if n_classes == 2 else range(n_classes):
        yield 2 * (codes == c).view(np.int8) - 1


def encode(estimator: Any, X: Any, y: Any, *, reset: bool = True, classes: Array | None = None) -> Encoded:
    """Validate X and y; `classes` is given where a stream has named them before."""
    checks = {"accept_sparse": "csr", "dtype": (np.float64, np.float32), "order": "C", "reset": reset}
    matrix, y = validate_data(estimator, X, y, ensure_all_finite=False, **checks)
    if is_sparse(matrix):
        matrix = canonical(matrix)
    rows = as_rows(matrix)
    smallest, largest = norms(rows, matrix.shape[0])
    if not np.isfinite(largest):
        validate_data(estimator, X, y, **checks)  # NaN or infinity: scikit-learn says which
    check_scale(matrix, largest)
    names, codes = encode_labels(y, classes)
    return Encoded(matrix, rows, names, codes, largest, smallest)


def check_scale(matrix: Any, largest: float) -> None:
    """Squared norms must neither overflow nor vanish in the precision of the rows."""
    least, most = float(np.finfo(matrix.dtype).tiny), float(np.finfo(matrix.dtype).max)
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
    """The sorted classes, at least so many, and each row's place among them."""
    if classes is not None:
        unknown = np.setdiff1d(y, classes)
        if len(unknown):
            raise ValueError(
                f"y holds {unknown.tolist()[0]!r}, which is not one of the classes {classes.tolist()}."
            )
        return classes, np.searchsorted(classes, y)
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
    """A CSR matrix that stores each cell once, in order."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # the user's own matrix stays as it is
        matrix.sum_duplicates()
    return matrix


def is_sparse(matrix: Any) -> bool:
    """`issparse` without its type guard, which knows no CSR."""
    return bool(sp.issparse(matrix))


def as_rows(matrix: Any) -> Rows:
    """A validated array or CSR matrix, seen by compiled code; no copy.

    It is read-only, whatever the user's is: code compiled for the one would be compiled anew for the other.
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
def norms(X, n_rows):
    """The smallest and the largest ‖x‖²; the largest is NaN or infinite if any value is."""
    smallest, largest = np.inf, 0.0
    for i in range(n_rows):
        q = sqnorm(X, i)
        smallest = min(smallest, q)
        largest = q if not q <= largest else largest
        if not np.isfinite(largest):
            break
    return smallest, largest


@compiled
def vanishing(X, n_rows):
    """Which rows have norm 0."""
    zero = np.zeros(n_rows, np.bool_)
    for i in range(n_rows):
        zero[i] = sqnorm(X, i) == 0.0
    return zero
