"""Kernel values: between rows, on the diagonal, and in a Gram matrix that is filled where it is needed."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import gen_batches

from ..data.encode import is_sparse
from ..data.rows import Array, Gram
from .parameters import number

BATCH = 256  # rows whose kernel values are computed together
REMEDY = "use another kernel, other values of gamma and coef0, or scale the columns"


class Kernel(NamedTuple):
    """A kernel with its numbers, as they were when the model was fitted."""

    kind: Any  # a name of scikit-learn's, "precomputed", or the user's function
    gamma: float
    degree: float
    coef0: float

    @property
    def precomputed(self) -> bool:
        return isinstance(self.kind, str) and self.kind == "precomputed"

    def values(self, A: Any, B: Any) -> Array:
        """K(a, b) for every row of A and every row of B, in double precision."""
        A, B = A.astype(np.float64, copy=False), B.astype(np.float64, copy=False)
        if callable(self.kind):
            values = self.kind(A, B)
        else:
            numbers = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            values = pairwise_kernels(A, B, metric=self.kind, filter_params=True, **numbers)
        values, shape = np.asarray(values, np.float64), (A.shape[0], B.shape[0])
        if values.shape != shape:
            raise ValueError(f"The kernel returned shape {values.shape} for sets of {shape} rows; mend it.")
        if not np.isfinite(values).all():
            raise ValueError(f"kernel={self.kind!r} gives NaN or infinity on these rows; {REMEDY}.")
        return values

    def diagonal(self, matrix: Any) -> Array:
        """K(x, x) for every row."""
        if self.precomputed:
            return np.array(matrix.diagonal(), np.float64)
        parts = (matrix[part] for part in gen_batches(matrix.shape[0], BATCH))
        return np.concatenate([self.values(part, part).diagonal() for part in parts])

    def gram(self, matrix: Any) -> Gram:
        """The Gram matrix of the training rows: as given, or empty, to be filled by `fill`."""
        m = matrix.shape[0]
        if self.precomputed:
            return Gram(given_gram(matrix), np.ones(m, np.bool_), self.diagonal(matrix))
        try:
            empty = np.empty((m, m))  # the system hands out memory when a row is filled
        except MemoryError:
            raise ValueError(
                f"A kernel matrix of {m:,} rows takes {8e-9 * m * m:.0f} GB, more than this machine has; use "
                "fewer rows, or Perceptron on features made by sklearn.kernel_approximation."
            ) from None
        return Gram(empty, np.zeros(m, np.bool_), self.diagonal(matrix))

    def fill(self, matrix: Any, gram: Gram, rows: Array) -> None:
        """Compute the kernel values of these rows with all rows, where they are not known."""
        rows = np.unique(rows[~gram.known[rows]])
        if len(rows):
            gram.matrix[rows] = self.values(matrix[rows], matrix)
            gram.known[rows] = True


def given_gram(matrix: Any) -> Array:
    dense = np.ascontiguousarray(matrix.toarray() if is_sparse(matrix) else matrix, np.float64)
    if dense.shape[0] != dense.shape[1] or not np.allclose(dense, dense.T):
        raise ValueError(
            f"kernel='precomputed' needs the symmetric matrix of all pairs of rows; this one has shape "
            f"{dense.shape}{'' if dense.shape[0] != dense.shape[1] else ' and is not symmetric'}."
        )
    return dense


def read_kernel(model: Any, matrix: Any) -> Kernel:
    """The parameters, checked; γ as a number."""
    names = sorted([*PAIRWISE_KERNEL_FUNCTIONS, "precomputed"])
    if not callable(model.kernel) and not (isinstance(model.kernel, str) and model.kernel in names):
        raise ValueError(
            f"kernel={model.kernel!r}, but it must be a function of two sets of rows or one of "
            f"{', '.join(map(repr, names))}."
        )
    degree = number("degree", model.degree, 0, np.inf, "use 3")
    coef0 = number("coef0", model.coef0, -np.inf, np.inf, "use 1")
    return Kernel(model.kernel, read_gamma(model.gamma, matrix), degree, float(coef0))


def read_gamma(gamma: Any, matrix: Any) -> float:
    """As in scikit-learn's `SVC`: "scale" is 1/(n·variance), "auto" is 1/n."""
    if not isinstance(gamma, str):
        return float(number("gamma", gamma, 0, np.inf, "use 'scale'"))
    if gamma not in ("scale", "auto"):
        raise ValueError(f"gamma={gamma!r}, but it must be 'scale', 'auto' or a number > 0.")
    squares = matrix.multiply(matrix) if is_sparse(matrix) else matrix**2
    variance = 1.0 if gamma == "auto" else float(squares.mean()) - float(matrix.mean()) ** 2
    return 1.0 / (matrix.shape[1] * variance) if variance > 0 else 1.0


def kernel_norm(duals: Array, scores: Array) -> float:
    """‖w‖ of w = Σ duals_i φ(x_i), from the scores that w gives to the same rows."""
    squared, size = float(duals @ scores), float(np.abs(duals) @ np.abs(scores))
    if squared < -1e-9 * size:
        raise ValueError(
            f"The kernel is not positive semidefinite: the weights have the squared norm {squared:.3g}; "
            f"{REMEDY}."
        )
    return float(np.sqrt(max(0.0, squared)))
