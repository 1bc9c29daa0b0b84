"""Kernel values: between rows, on the diagonal, and in a Gram matrix that is filled where it is needed.

What certificates say rests on the kernel being positive semidefinite. Most named kernels are; a function or a
matrix is taken at its word, except for what is looked at: K(x, x) ≥ 0, K(x, z)² ≤ K(x, x)·K(z, z), ‖w‖² ≥ 0.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from .._types import Array
from ..checks import number
from ..rows.encode import is_sparse
from ..rows.layouts import Gram
from ..theory.outward import down, up

WHOLE = 2048  # rows of which the whole Gram matrix is computed at once: it takes less time than asking for it
BATCH = 256  # rows whose kernel values are computed together
INDEFINITE = ("sigmoid", "additive_chi2")  # not positive semidefinite in general
WITHOUT_GAMMA = ("linear", "cosine", "additive_chi2", "precomputed")
REMEDY = "use another kernel, other values of gamma and coef0, or scale the columns"


def batches(n: int) -> list[slice]:
    """Of n rows; scikit-learn's own checks its arguments for longer than a few predictions take."""
    return [slice(start, min(start + BATCH, n)) for start in range(0, n, BATCH)]


class Kernel(NamedTuple):
    """A kernel with its numbers, as they were when the model was fitted."""

    kind: Any  # a name of scikit-learn's, "precomputed", or the user's function
    gamma: float
    degree: float
    coef0: float

    @property
    def precomputed(self) -> bool:
        return isinstance(self.kind, str) and self.kind == "precomputed"

    @property
    def indefinite(self) -> bool:
        """Is it one of the named kernels for which nothing can be proved?"""
        odd = self.kind in ("poly", "polynomial") and (self.coef0 < 0 or self.degree != int(self.degree))
        return not callable(self.kind) and (self.kind in INDEFINITE or odd)

    @property
    def radial(self) -> bool:
        """Is it exp(−γ‖x − z‖²), which is 1 on the diagonal and nowhere more?"""
        return isinstance(self.kind, str) and self.kind == "rbf"

    def values(self, A: Any, B: Any) -> Array:
        """K(a, b) for every row of A and every row of B, in double precision."""
        A, B = A.astype(np.float64, copy=False), B.astype(np.float64, copy=False)
        if callable(self.kind):
            values = self.kind(A, B)
            values = values.toarray() if is_sparse(values) else values
        elif self.radial and not is_sparse(A) and not is_sparse(B):
            values = rbf(A, B, self.gamma)
        else:
            numbers = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
            values = pairwise_kernels(A, B, metric=self.kind, filter_params=True, **numbers)
        values, shape = np.asarray(values, np.float64), (A.shape[0], B.shape[0])
        if values.shape != shape:
            raise ValueError(f"The kernel returned shape {values.shape} for sets of {shape} rows; fix it.")
        if not np.isfinite(values).all():
            raise ValueError(f"kernel={self.kind!r} gives NaN or infinity on these rows; {REMEDY}.")
        return values

    def diagonal(self, matrix: Any) -> Array:
        """K(x, x) for every row."""
        if self.precomputed:
            return np.array(matrix.diagonal(), np.float64)
        if self.radial:
            return np.ones(matrix.shape[0])
        diagonal = np.zeros(matrix.shape[0])
        for part in batches(len(diagonal)):
            diagonal[part] = self.values(matrix[part], matrix[part]).diagonal()
        return diagonal

    def gram(self, matrix: Any) -> Gram:
        """The Gram matrix of the training rows: as given, or empty, to be filled by `fill`."""
        m, diagonal = matrix.shape[0], self.diagonal(matrix)
        if diagonal.min() < 0:
            raise ValueError(
                f"K(x, x) = {diagonal.min():.3g} for a row, but a kernel is >= 0 there; {REMEDY}."
            )
        if self.precomputed:
            matrix = given_gram(matrix)
            check_kernel(matrix, diagonal, diagonal)
            return Gram(matrix, np.ones(m, np.bool_), diagonal)
        try:
            empty = np.empty((m, m))  # the system hands out memory when a row is filled
        except MemoryError:
            raise ValueError(
                f"A kernel matrix of {m:,} rows takes {8e-9 * m * m:.0f} GB, more than this machine has; use "
                "fewer rows, or Perceptron on features made by sklearn.kernel_approximation."
            ) from None
        return Gram(empty, np.zeros(m, np.bool_), diagonal)

    def fill(self, matrix: Any, gram: Any, rows: Array) -> None:
        """Compute the kernel values of these rows with all rows, where they are not known."""
        rows = np.unique(rows[~gram.known[rows]])
        if len(rows):
            values = self.values(matrix[rows], matrix)
            if not self.indefinite and not self.radial:
                check_kernel(values, gram.diagonal[rows], gram.diagonal)
            gram.matrix[rows], gram.known[rows] = values, True

    def fill_all(self, matrix: Any, gram: Any) -> bool:
        """Compute all kernel values of a named kernel if the rows are few; returns whether it did."""
        m = len(gram.known)
        if callable(self.kind) or m > WHOLE:
            return False
        if self.radial and not is_sparse(matrix):
            for part in batches(m):  # the matrix is symmetric: what is below the diagonal is known
                gram.matrix[part, part.start :] = self.values(matrix[part], matrix[part.start :])
                gram.matrix[part.start :, part] = gram.matrix[part, part.start :].T
            gram.known[:] = True
        for part in batches(m):
            self.fill(matrix, gram, np.arange(part.start, part.stop))
        return True


def rbf(A: Array, B: Array, gamma: float) -> Array:
    """exp(−γ‖a − b‖²), in place: scikit-learn's checks take longer than the values of a few rows."""
    values = A @ B.T
    values *= 2.0
    values -= np.einsum("ij,ij->i", A, A)[:, None]
    values -= np.einsum("ij,ij->i", B, B)
    np.minimum(values, 0.0, out=values)  # which keeps NaN
    values *= gamma
    return np.asarray(np.exp(values, out=values))


def scores_of(duals: Array, gram: Gram, used: Array) -> Array:
    """Σ duals_i K(x_i, ·), one line per weight vector; of the rows used all kernel values are known."""
    scores = np.zeros((len(duals), len(gram.diagonal)))
    for part in batches(len(used)):
        scores += duals[:, part] @ gram.matrix[used[part]]
    return scores


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
    degree = number("degree", model.degree, "(0, inf)", "use 3")
    coef0 = number("coef0", model.coef0, "(-inf, inf)", "use 1")
    return Kernel(model.kernel, read_gamma(model.gamma, matrix), degree, float(coef0))


def read_gamma(gamma: Any, matrix: Any) -> float:
    """As in scikit-learn's `SVC`: "scale" is 1/(n·variance), "auto" is 1/n."""
    if not isinstance(gamma, str):
        return float(number("gamma", gamma, "(0, inf)", "use 'scale'"))
    if gamma not in ("scale", "auto"):
        raise ValueError(f"gamma={gamma!r}, but it must be 'scale', 'auto' or a number > 0.")
    n, sparse = int(matrix.shape[1]), is_sparse(matrix)
    if gamma == "auto":
        return 1.0 / n
    variance = float(matrix.multiply(matrix).mean() - matrix.mean() ** 2 if sparse else matrix.var())
    return 1.0 / (n * variance) if variance > 0 else 1.0


def check_kernel(values: Array, one: Array, other: Array) -> None:
    """Cauchy and Schwarz: K(x, z)² ≤ K(x, x)·K(z, z); `one` and `other` hold K(x, x) of rows and columns."""
    limit = np.sqrt(one)[:, None] * np.sqrt(other)
    worst = float((np.abs(values) - (1 + 1e-6) * limit).max())
    if worst > 1e-6 * float(limit.max()):
        raise ValueError(f"The kernel is not positive semidefinite: |K(x, z)| > √K(x, x)·√K(z, z); {REMEDY}.")


class Norm(NamedTuple):
    """‖w‖ of w = Σ duals_i φ(x_i), and bounds on it that rounding cannot cross."""

    least: float
    value: float
    most: float


def kernel_norm(duals: Array, scores: Array, diagonal: Array) -> Norm:
    """From the scores that w gives to the rows it is a sum of, and their K(x, x)."""
    squared = float(duals @ scores)
    size = float(np.abs(duals) @ np.sqrt(diagonal)) ** 2  # what the sum would be if nothing cancelled
    if squared < -1e-9 * size:
        raise ValueError(
            f"The kernel is not positive semidefinite: the weights have the squared norm {squared:.3g}; "
            f"{REMEDY}."
        )
    rounding = 4 * len(duals) * np.finfo(float).eps * size
    value = np.maximum(squared, 0.0)  # which keeps NaN
    least, most = np.sqrt(np.maximum(value - rounding, 0.0)), np.sqrt(value + rounding)
    return Norm(down(float(least)), float(np.sqrt(value)), up(up(float(most))))
