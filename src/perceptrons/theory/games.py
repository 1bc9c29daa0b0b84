"""Zero-sum matrix games, solved by deciding on which side of the value a number lies.

The row player chooses x, the column player y, both probabilities, and xᵀAy goes to the row player. For a
number v the columns of A − v together with the unit vectors are points; by the separation theorem (Moran et
al., Theorem 4.1) either a hyperplane through 0 has them all on one side, or 0 is in their hull. The first
gives x ≥ 0 with xᵀA > v, the second Σ y_j (A_j − v) + s = 0 with s ≥ 0, that is Ay ≤ v.

Lemma 4.2 would decide this up to ε in about 1/ε² steps; we take the nearest point of the hull exactly, as a
non-negative least squares problem (Lawson and Hanson): its residual is x, its coefficients are y, so one
decision moves *both* ends of the interval around the value. Nor do we halve: the next v is the lower end.
Close below the value the hull looks like a cone, x is then an optimal strategy, and v = value makes y one; a
few decisions do where halving needs twenty. When the interval shrinks by less than half we do halve, deciding
for both players: coefficients keep their digits where v is very near to the value, residuals do not.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from .._types import Array
from .certificate import confirm
from .exact_sums import least_dot
from .inputs import matrix, real_in
from .outward import exact_sum, float_above, float_below

LEAST_TOL = 1e-12  # below, rounding in xᵀA decides
MOST_DECISIONS = 200  # halving alone needs 2·40 for LEAST_TOL


@dataclass(frozen=True, eq=False)
class GameSolution:
    """Strategies for both players and the interval around the value that they prove.

    Attributes
    ----------
    x, y : array
        The probabilities of the rows and of the columns: shares of their sum, which is 1 up to rounding.
    lower, upper : float
        The interval min_j (xᵀA)_j ≤ value ≤ max_i (Ay)_i, computed exactly and rounded outward, so that it
        holds for the real numbers in A.
    tol : float
        The gap: upper − lower ≤ tol·(max A − min A), up to rounding of the largest |A| (1e-15 of it).
    n_decisions : int
        The number of values v that were tried.

    Examples
    --------
    >>> from perceptrons.theory import solve_game
    >>> solution = solve_game([[3, 1], [0, 2]])
    >>> solution.lower <= 1.5 <= solution.upper, round(solution.value, 6)
    (True, 1.5)
    """

    x: Array
    y: Array
    lower: float
    upper: float
    tol: float
    n_decisions: int

    @property
    def value(self) -> float:
        """The middle of the interval."""
        return self.lower / 2 + self.upper / 2

    def verify(self, A: Any) -> None:
        """Recompute everything from A; a ValueError says what does not hold."""
        A, base, spread = _game(A)
        for name, strategy, n in (("x", self.x, A.shape[0]), ("y", self.y, A.shape[1])):
            confirm(
                strategy.shape == (n,) and (strategy >= 0).all(), f"{name} is not >= 0, one entry per choice"
            )
            confirm(abs(float(strategy.sum()) - 1) <= 1e-12, f"{name} does not sum to 1")
        lower, upper = _guaranteed(A, self.x, self.y)
        rounding = 1e-14 * (1 + float(np.abs(A).max() / spread))
        for name, end, claimed in (("lower", lower, self.lower), ("upper", upper, self.upper)):
            confirm(abs(claimed / spread - end / spread) <= rounding, f"{name} is {end:.17g}")
        confirm(self.lower <= lower, f"lower is {lower:.17g}")
        confirm(self.upper >= upper, f"upper is {upper:.17g}")
        wide = (upper - base) / spread - (lower - base) / spread
        confirm(wide <= self.tol + rounding, f"the interval is wider than tol = {self.tol:g}")
        confirm(self.n_decisions >= 0, "n_decisions is negative")


def solve_game(A: Any, tol: float = 1e-6) -> GameSolution:
    """Optimal strategies of a zero-sum game up to tol, a share of max A − min A (see the module).

    Parameters
    ----------
    A : array-like of shape (m, n)
        What the row player, who maximizes, wins from the column player.
    tol : float, default 1e-6
        The largest gap, as a share of max A − min A, in [1e-12, 1].

    Examples
    --------
    >>> rock_paper_scissors = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    >>> solution = solve_game(rock_paper_scissors)
    >>> solution.x.round(6).tolist(), abs(round(solution.value, 6))
    ([0.333333, 0.333333, 0.333333], 0.0)
    >>> solution.verify(rock_paper_scissors)
    >>> solve_game([[3, 1], [0, 2]]).x.round(6).tolist()  # the value is 3/2
    [0.5, 0.5]
    """
    A, base, spread = _game(A)
    tol = real_in(tol, "tol", f"[{LEAST_TOL}, 1]", "use 1e-6")
    U = (A - base) / spread
    best = _Best.pure(U)
    v, decisions = best.lower, 0
    while best.gap > tol:
        if decisions >= MOST_DECISIONS:
            raise ValueError(
                f"After {decisions} decisions the interval is {best.gap:.3g} of max A - min A, not tol = "
                f"{tol:g}; use a larger tol"
            )
        goal = best.gap / 2
        best = best.after(U, *_decide(U, v))
        decisions += 1
        if best.gap > goal:
            best = best.after(U, *_decide(-U.T, -v)[::-1])  # the other player's view
            decisions += 1
        v = best.lower if best.gap <= goal else (best.lower + best.upper) / 2
    return GameSolution(best.x, best.y, *_guaranteed(A, best.x, best.y), float(tol), decisions)


@dataclass(frozen=True, eq=False)
class _Best:
    """The best strategies so far, and what they guarantee."""

    x: Array
    y: Array
    lower: float
    upper: float

    @staticmethod
    def pure(U: Array) -> "_Best":
        """One row against one column; optimal already if there is a saddle point."""
        x, y = np.zeros(len(U)), np.zeros(U.shape[1])
        x[U.min(axis=1).argmax()] = y[U.max(axis=0).argmin()] = 1.0
        return _Best(x, y, *_ends(U, x, y))

    @property
    def gap(self) -> float:
        return self.upper - self.lower

    def after(self, U: Array, x: Array | None, y: Array | None) -> "_Best":
        """The better of these and new ones; None is no news."""
        x, y = self.x if x is None else x, self.y if y is None else y
        lower, upper = _ends(U, x, y)
        x, lower = (x, lower) if lower > self.lower else (self.x, self.lower)
        y, upper = (y, upper) if upper < self.upper else (self.y, self.upper)
        return _Best(x, y, lower, upper)


def _decide(U: Array, v: float) -> tuple[Array | None, Array]:
    """The nearest point to 0 of the columns of U − v, weights y, and of anything above it: x its direction.

    min ‖(U−v) y + s‖² + (Σy − 1)² over y, s ≥ 0. The residual (z, σ) has z ≥ 0, σ ≤ 0 and ⟨z,U_j−v⟩ ≥ −σ for
    all j, so x = z/Σz wins at least v. It is 0, and x None, if v is not below the value.
    """
    m, n = U.shape
    E = np.block([[U - v, np.eye(m)], [np.ones((1, n)), np.zeros((1, m))]])
    f = np.append(np.zeros(m), 1.0)
    found = nnls(E, f, maxiter=50 * (m + n))[0]
    y, z = found[:n], np.maximum(E[:m] @ found, 0.0)
    return (z / z.sum() if z.sum() > 0 else None), y / y.sum()


def _ends(U: Array, x: Array, y: Array) -> tuple[float, float]:
    """What x wins at least, and y loses at most."""
    return float((x @ U).min()), float((U @ y).max())


def _guaranteed(A: Array, x: Array, y: Array) -> tuple[float, float]:
    """The same of A itself, without rounding except for the last, outward."""
    lower, upper = least_dot(A.T, x) / exact_sum(x), -least_dot(-A, y) / exact_sum(y)
    return float_below(lower), float_above(upper)


def _game(A: Any) -> tuple[Array, float, float]:
    """A, checked, its least entry and its spread (1 if constant)."""
    A = matrix(A, "A")
    return A, float(A.min()), float(np.ptp(A)) or 1.0
