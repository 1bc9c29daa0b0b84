"""Farkas' lemma by separation: Ax = b has a solution x ≥ 0, or some y with Aᵀy ≥ 0 has ⟨y,b⟩ < 0.

Moran et al. (Section 4) say that a sparse version follows like Lemma 4.2 and give none. The lemma needs
bounded sets and a cone is not bounded. So columns and b are scaled to length 1 and the cone is cut off:
`separate` runs on b against the hull of 0 and `bound` times each column, that is Σ x_j‖a_j‖ ≤ bound·‖b‖.
Near gives a sparse x. Separated gives y = −w with ⟨y,b⟩ < 0 and, because 0 belongs to the hull, all
⟨y,a_j⟩/‖a_j‖ > ⟨y,b⟩/‖b‖/bound: short of ≥ 0 by as much as the cut allows. Such a y proves every solution
larger than the bound. Its nearest vector with Aᵀy ≥ 0 is one least squares problem away (Moreau: add the
combination of columns that makes it shortest); if that one still has ⟨y,b⟩ < 0 it takes the place of y and
proves that there is no solution of any size. Its zeros are known up to rounding alone: an inner product of m
terms counts as 0 if it is less than 4mu of the sum of their sizes below 0 (u = 2.2e-16), and never else, for
a system may have solutions of size 1e10 alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from .._types import Array
from .certificate import confirm, lifted_norm
from .inputs import matrix, real, real_in, vector
from .separation import Near, separate

FINEST = 1e-9  # the smallest eps, as a share of the longest vectors
ROUNDING = 1e-9  # how far y may be from a unit vector; a value this little below 0 excludes nothing
ACTIVE = 1e-9  # columns whose inner product with the nearest vector is this small were meant to have 0


@dataclass(frozen=True, eq=False)
class Solvable:
    """x ≥ 0 with ‖Ax − b‖ < eps.

    Attributes
    ----------
    x, error : the solution, few entries of it not 0, and ‖Ax − b‖.
    eps : what was asked.
    """

    x: Array
    error: float
    eps: float

    def verify(self, A: Any, b: Any) -> None:
        """Recompute everything from A and b; a ValueError says what does not hold."""
        A, b = _system(A, b)
        confirm(self.x.shape == (A.shape[1],) and (self.x >= 0).all(), "x is not >= 0, one entry per column")
        error = lifted_norm(A @ self.x - b)
        size = float(np.abs(A).max() * np.abs(self.x).max() + np.abs(b).max())
        confirm(abs(error - self.error) <= 1e-12 * size, f"the error is {error:.12g}")
        confirm(error < self.eps, f"the error {error:.12g} is not below eps = {self.eps:.12g}")


@dataclass(frozen=True, eq=False)
class Unsolvable:
    """A unit vector y with ⟨y,b⟩ < 0 that no column, or almost none, supports.

    Attributes
    ----------
    y : the vector.
    value : ⟨y,b⟩/‖b‖ < 0.
    least : min_j ⟨y,a_j⟩/‖a_j‖; 0 if it is ≥ 0, up to the rounding of these sums (see the module).
    excludes : no x ≥ 0 with Ax = b has Σ x_j‖a_j‖ < excludes·‖b‖. It is value/least, less what rounding
        may hide, or inf if `least` is 0: then there is no solution at all, up to rounding of A and y (and
        ‖Ax − b‖ ≥ −value·‖b‖ for all x ≥ 0).
    """

    y: Array
    value: float
    least: float
    excludes: float

    def verify(self, A: Any, b: Any) -> None:
        """Recompute everything from A and b; a ValueError says what does not hold."""
        A, b = _system(A, b)
        confirm(self.y.shape == b.shape, "y has not one entry per row")
        confirm(abs(lifted_norm(self.y) - 1) <= ROUNDING, "y is not a unit vector")
        value, least, excludes = _exclusion(self.y, *_normalized(A, b)[:2])
        confirm(value < 0, f"<y,b>/|b| = {value:.12g} is not below 0")
        confirm(abs(value - self.value) <= ROUNDING, f"<y,b>/|b| is {value:.12g}")
        confirm(abs(least - self.least) <= 1e-6 * abs(least), f"the least <y,a>/|a| is {least:.12g}")
        confirm(
            self.excludes == excludes or abs(self.excludes - excludes) <= 1e-6 * excludes < np.inf,
            f"solutions are excluded below {excludes:.12g}",
        )


def farkas(
    A: Any, b: Any, eps: float, *, bound: float = 10.0, max_steps: int | None = None
) -> Solvable | Unsolvable:
    """A sparse x ≥ 0 with ‖Ax − b‖ < eps, or a y that shows why Ax = b has no solution below the bound.

    Parameters
    ----------
    A, b : array-like of shapes (m, n) and (m,).
    eps : in the units of b. Unsolvable needs the system to have no solution below the bound, Solvable a
        point of the cone within eps of b; in between either may be the answer.
    bound : of Σ x_j‖a_j‖/‖b‖, at least 1. Steps may grow like (bound·‖b‖/eps)².
    max_steps : as for `separate`.

    >>> farkas([[1.0, 1.0], [0.0, 1.0]], [3.0, 1.0], eps=0.01).x.round(1).tolist()
    [2.0, 1.0]
    >>> no = farkas([[1.0, 1.0], [0.0, 1.0]], [-1.0, 1.0], eps=0.01)
    >>> no.least, no.excludes, round(no.value, 2)
    (0.0, inf, -1.0)
    """
    A, b = _system(A, b)
    bound = real_in(bound, "bound", "[1, inf)", "use 10")
    eps = real(eps, "eps", "in (0, inf)", "use a share of |b|")
    columns, target, lengths, length = _normalized(A, b)
    if not (0 < eps < np.inf and eps >= FINEST * bound * length):
        raise ValueError(
            f"eps = {eps:.12g}, but it must be finite, > 0 and at least {FINEST:g} * bound * |b| = "
            f"{FINEST * bound * length:.3g}; use a share of |b|"
        )
    x = np.zeros(A.shape[1])
    if length < eps:
        return Solvable(x, length, float(eps))
    cone = np.vstack([np.zeros(len(b)), bound * columns.T])
    answer = separate([target], cone, eps * (1 - 1e-6) / length, max_steps=max_steps)  # room for rounding
    if isinstance(answer, Near):
        shares = np.zeros(len(cone))
        shares[answer.of_L.rows] = answer.of_L.weights
        x = shares[1:] * (bound * length / lengths)
        return Solvable(x, lifted_norm(A @ x - b), float(eps))
    y = -answer.w / lifted_norm(answer.w)
    y = max([y, *_supported(y, columns)], key=lambda one: _exclusion(one, columns, target)[2])
    return Unsolvable(y, *_exclusion(y, columns, target))


def _supported(y: Array, columns: Array) -> list[Array]:
    """Unit vectors next to y with all ⟨y,a_j⟩ ≥ 0, but for rounding. What least squares leave of inner
    products that should be 0 is taken out of the span of their columns; small entries may be 0, too."""
    found: list[Array] = []
    nearest = y + columns @ nnls(columns, -y, maxiter=50 * columns.shape[1])[0]
    norm = lifted_norm(nearest)
    for _ in range(2):  # twice is enough
        if norm < ACTIVE:
            return found
        nearest = nearest / norm
        active = columns[:, nearest @ columns < ACTIVE]
        nearest = nearest - active @ np.linalg.lstsq(active, nearest)[0]
        norm = lifted_norm(nearest)
        cut = np.where(np.abs(nearest) < _rounding(len(y)), 0.0, nearest)
        found += [one / norm for one in (nearest, cut) if norm >= ACTIVE]
    return found


def _exclusion(y: Array, columns: Array, target: Array) -> tuple[float, float, float]:
    """⟨y,b⟩, the least ⟨y,a_j⟩ of unit columns (0 if not below 0), and the bound that the two exclude."""
    terms = y[:, None] * columns
    inner = terms.sum(axis=0)  # not by BLAS, whose order of summation differs between machines
    wrong = _rounding(len(y)) * np.abs(terms).sum(axis=0)
    value, least = float(y @ target), float(inner[inner < -wrong].min(initial=0.0))
    if value >= -ROUNDING:
        return value, least, 0.0
    return value, least, np.inf if least == 0 else value / float((inner - wrong).min())


def _rounding(m: int) -> float:
    """The share of Σ|y_i a_ij| by which a computed Σ y_i a_ij, of m terms, may be wrong."""
    return 4 * m * float(np.finfo(np.float64).eps)


def _system(A: Any, b: Any) -> tuple[Array, Array]:
    A, b = matrix(A, "A"), vector(b, "b")
    if len(A) != len(b):
        raise ValueError(f"A has {len(A)} rows, b has {len(b)} entries, but they must agree; transpose A")
    return A, b


def _normalized(A: Array, b: Array) -> tuple[Array, Array, Array, float]:
    """Unit columns and target, and the lengths they had; what is 0 stays 0, with length 1."""
    lengths = np.array([lifted_norm(a) or 1.0 for a in A.T])
    length = lifted_norm(b)
    return A / lengths, b / (length or 1.0), lengths, length
