"""Farkas' lemma by separation: Ax = b has a solution x ≥ 0, or some y with Aᵀy ≥ 0 has ⟨y,b⟩ < 0.

Moran et al. (Section 4) say that a sparse version follows like Lemma 4.2 and give none. The lemma needs
bounded sets and a cone is not bounded. So columns and b are scaled to length 1 and the cone is cut off:
`separate` runs on b against the hull of 0 and `bound` times each column, that is Σ x_j‖a_j‖ ≤ bound·‖b‖.
Near gives a sparse x. Separated gives y = −w with ⟨y,b⟩ < 0 and, because 0 belongs to the hull, all
⟨y,a_j⟩/‖a_j‖ > ⟨y,b⟩/‖b‖/bound: short of ≥ 0 by as much as the cut allows. Such a y proves every solution
larger than the bound. Its nearest vector with Aᵀy ≥ 0 is one least squares problem away (Moreau: add the
combination of columns that makes it shortest); if that one still has ⟨y,b⟩ < 0 it takes the place of y and
proves that there is no solution of any size. Rounding leaves inner products a little below 0 that should be
0; where the columns concerned lie in an open half-space, a small step into it makes them positive. What is
claimed in the end is computed exactly and rounded away from the claim: true of the real numbers in A and b,
for a system may have solutions of size 1e10 alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import nnls

from .._types import Array
from .certificate import confirm, lifted_norm
from .inputs import matrix, real, real_in, vector
from .outward import (
    dot_bounds,
    exact_combination,
    exact_dot,
    exact_sqnorm,
    quotient_above,
    sqrt_above,
    sqrt_below,
    squared_length,
)
from .separation import Near, separate

FINEST = 1e-9  # the smallest eps, as a share of the longest vectors
ROUNDING = 1e-9  # how far y may be from a unit vector; a value this little below 0 excludes nothing
STEPS = (1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10)  # inward, where rounding leaves a zero below 0
ACTIVE = 1e-9  # columns whose inner product with the nearest vector is this small were meant to have 0


@dataclass(frozen=True, eq=False)
class Solvable:
    """x ≥ 0 with ‖Ax − b‖ < eps.

    Attributes
    ----------
    x : array
        The solution, few entries of which are not 0.
    error : float
        The error ‖Ax − b‖, computed exactly and rounded up.
    eps : float
        The eps that was asked for.

    Examples
    --------
    >>> from perceptrons.theory import farkas
    >>> found = farkas([[1.0, 1.0], [0.0, 1.0]], [3.0, 1.0], eps=0.01)
    >>> type(found).__name__, found.x.round(1).tolist(), found.error < 0.01
    ('Solvable', [2.0, 1.0], True)
    """

    x: Array
    error: float
    eps: float

    def verify(self, A: Any, b: Any) -> None:
        """Recompute everything from A and b; a ValueError says what does not hold."""
        A, b = _system(A, b)
        confirm(self.x.shape == (A.shape[1],) and (self.x >= 0).all(), "x is not >= 0, one entry per column")
        confirm(np.isfinite(self.x).all(), "x is not finite")
        error = _error(A, self.x, b)
        size = float(np.abs(A).max() * np.abs(self.x).max() + np.abs(b).max())
        confirm(error <= self.error <= error + 1e-12 * size, f"the error is {error:.17g}")
        confirm(self.error < self.eps, f"the error {error:.12g} is not below eps = {self.eps:.12g}")


@dataclass(frozen=True, eq=False)
class Unsolvable:
    """A vector y with ⟨y,b⟩ < 0 that no column, or almost none, supports.

    Attributes
    ----------
    y : array
        The vector, of length 1 up to rounding.
    value : float
        The number ⟨y,b⟩/(‖y‖‖b‖) < 0, rounded up.
    least : float
        The number min_j ⟨y,a_j⟩/(‖y‖‖a_j‖), rounded down; 0 if it is ≥ 0.
    excludes : float
        No x ≥ 0 with Ax = b has Σ x_j‖a_j‖ < excludes·‖b‖. It is value/least, rounded down, or inf if `least`
        is 0: then there is no solution at all (and ‖Ax − b‖ ≥ −value·‖b‖ for all x ≥ 0). It is computed
        exactly, and so holds for the real numbers in A and b.

    Examples
    --------
    >>> from perceptrons.theory import farkas
    >>> proof = farkas([[1.0, 1.0], [0.0, 1.0]], [-1.0, 1.0], eps=0.01)
    >>> type(proof).__name__, proof.least, proof.excludes
    ('Unsolvable', 0.0, inf)
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
        value, least, excludes = _exclusion(self.y, A, b)
        confirm(value < 0, f"<y,b>/|b| = {value:.12g} is not below 0")
        confirm(value <= self.value <= value + ROUNDING, f"<y,b>/|b| is {value:.17g}")
        confirm(least >= self.least >= least * (1 + 1e-6), f"the least <y,a>/|a| is {least:.17g}")
        confirm(
            self.excludes == excludes or excludes * (1 - 1e-6) <= self.excludes < excludes < np.inf,
            f"solutions are excluded below {excludes:.17g}",
        )


def farkas(
    A: Any, b: Any, eps: float, *, bound: float = 10.0, max_steps: int | None = None
) -> Solvable | Unsolvable:
    """A sparse x ≥ 0 with ‖Ax − b‖ < eps, or a y that shows why Ax = b has no solution below the bound.

    Parameters
    ----------
    A, b : array-like of shapes (m, n) and (m,)
        The system Ax = b.
    eps : float
        The largest error, in the units of b. `Unsolvable` requires that the system has no solution below the
        bound, `Solvable` that a point of the cone is within eps of b; in between either may be the answer.
    bound : float, default 10.0
        The largest Σ x_j‖a_j‖/‖b‖ of a solution, at least 1. Steps may grow like (bound·‖b‖/eps)².
    max_steps : int or None, default None
        The largest number of steps, as for `separate`.

    Examples
    --------
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
    if (error := _error(A, x, b)) < eps:
        return Solvable(x, error, float(eps))
    cone = np.vstack([np.zeros(len(b)), bound * columns.T])
    answer = separate([target], cone, eps * (1 - 1e-6) / length, max_steps=max_steps)  # room for rounding
    if isinstance(answer, Near):
        shares = np.zeros(len(cone))
        shares[answer.of_L.rows] = answer.of_L.weights
        x = shares[1:] * (bound * length / lengths)
        return Solvable(x, _error(A, x, b), float(eps))
    y = -answer.w / lifted_norm(answer.w)
    supported = [*_supported(y, columns)]
    candidates = [y, *supported, *(other for one in supported[-1:] for other in _inward(one, columns))]
    found = [_exclusion(one, A, b) for one in candidates]
    best = max(range(len(found)), key=lambda k: found[k][2])
    return Unsolvable(candidates[best], *found[best])


def _error(A: Array, x: Array, b: Array) -> float:
    """‖Ax − b‖, rounded up."""
    used = np.flatnonzero(x)
    sums = exact_combination([*x[used], -1.0], np.vstack([A.T[used], b]))
    return sqrt_above(squared_length(sums))


def _supported(y: Array, columns: Array) -> list[Array]:
    """Unit vectors next to y with all ⟨y,a_j⟩ ≥ 0, except for rounding. What least squares leave of inner
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
        cut = np.where(np.abs(nearest) < 4 * len(y) * float(np.finfo(np.float64).eps), 0.0, nearest)
        found += [one / norm for one in (nearest, cut) if norm >= ACTIVE]
    return found


def _inward(y: Array, columns: Array) -> list[Array]:
    """Vectors next to y whose inner products with the columns that y barely supports are larger: those of a
    vector in the hull of these columns, the shortest, are all positive if any vector's are."""
    active = columns[:, y @ columns < ACTIVE]
    if not active.size:
        return []
    E = np.vstack([active, np.ones(active.shape[1])])
    shares = nnls(E, np.append(np.zeros(len(y)), 1.0), maxiter=50 * E.shape[1])[0]
    inward = active @ shares
    least = float((inward @ active).min(initial=np.inf))
    if not least > ACTIVE:
        return []
    moved = [y + step / least * inward for step in STEPS]
    return [one / lifted_norm(one) for one in moved]


def _exclusion(y: Array, A: Array, b: Array) -> tuple[float, float, float]:
    """Exactly: ⟨y,b⟩/‖b‖, the least ⟨y,a_j⟩/‖a_j‖ (0 if not below 0), and the bound that the two exclude."""
    square, length = exact_sqnorm(y), exact_sqnorm(b)
    inner = exact_dot(y, b)
    value = quotient_above(inner, square * length) if length else 0.0
    low = [(exact_dot(y, A[:, j]), exact_sqnorm(A[:, j])) for j in np.flatnonzero(dot_bounds(A.T, y)[0] < 0)]
    below = [inner_j * inner_j / length_j for inner_j, length_j in low if inner_j < 0]
    steepest = max(below, default=Fraction(0))
    least = -sqrt_above(steepest / square) if below else 0.0
    if value >= -ROUNDING:
        return value, least, 0.0
    return value, least, sqrt_below(inner * inner / length / steepest) if below else np.inf


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
