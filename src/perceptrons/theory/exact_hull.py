"""Nearest points of convex hulls without rounding: Wolfe's method in whole numbers, for few rows.

P. Wolfe, *Finding the nearest point in a polytope* (1976), as in `MaxMarginPerceptron`: among the convex
combinations w = Σ a_i y_i x_i the shortest; with an intercept the weights add up to 1 in each class. Where
floating-point numbers cannot tell a margin of nothing from a very small one, this can: either w is 0, and
the weights are a witness, or a hyperplane separates the rows. It starts where the floating-point solver
ended, so that a few steps do. Each shortens w, exactly; so it ends.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .._types import Array
from .exact import whole
from .modular import bits, independent, solve

MOST_ROWS_OF_CORRAL = 42
MOST_CELLS = 20_000  # rows times columns
MOST_STEPS = 100
LONGEST = 30_000  # bits of a weight


class Nearest(NamedTuple):
    """The nearest points: the rows that make them, their weights, and the vector w between them."""

    rows: Array
    weights: tuple[Fraction, ...]
    w: Array  # rounded to floating-point numbers
    vanishes: bool  # w is exactly 0


def nearest(
    X: Array, signs: Array, intercept: bool, rows: Array, weights: Array, tol: float
) -> tuple[Nearest | None, str]:
    """The shortest combination to within a share `tol` of its length, starting from these rows and weights;
    None, and why, if that is too much to compute.

    >>> X = np.array([[2.0**46, 0.0], [2.0**46, 1.0]])  # the hyperplane (−2⁻⁴⁶, 2) separates them
    >>> found, _ = nearest(X, np.array([-1, 1]), False, np.array([0]), np.ones(1), tol=1e-3)
    >>> found.vanishes, found.w.tolist()
    (False, [-3.5...e-15, 0.5])
    """
    if X.size > MOST_CELLS or X.shape[1] + 1 + intercept > MOST_ROWS_OF_CORRAL:
        return None, f"{X.shape[0]} rows of {X.shape[1]} columns are too many to decide without rounding"
    numbers, exponents = whole(X, by_column=False)
    if intercept:
        numbers = numbers - numbers[rows[0]]
    Z = signs.astype(np.int64).astype(object)[:, None] * numbers
    side = (signs > 0).astype(np.int64) if intercept else np.zeros(len(X), np.int64)
    start = {
        int(row): max(Fraction(0), Fraction(float(weight))) for row, weight in zip(rows, weights, strict=True)
    }
    if 2 * bits(Z) * min(len(Z), X.shape[1] + 2) > LONGEST:
        return None, "the rows have too many digits to decide without rounding"
    return _search(Z, side, _corral(Z, side, start), Fraction(tol), int(exponents[0]))


def _search(
    Z: Array, side: Array, corral: dict[int, Fraction], tol: Fraction, exponent: int
) -> tuple[Nearest | None, str]:
    sides = range(int(side.max()) + 1)
    for _ in range(MOST_STEPS):
        moved = _walk(Z, side, corral)
        if moved is None:
            break
        corral = moved
        rows = np.array([*corral])
        denominator = np.lcm.reduce(np.array([a.denominator for a in corral.values()], object))
        w = np.array([int(a * denominator) for a in corral.values()], object) @ Z[rows]
        scores = Z @ w
        levels = [scores[rows[side[rows] == h][0]] for h in sides]
        lows = [scores[side == h].min() for h in sides]
        if not w.any() or sum(lows) >= (1 - tol) * sum(levels):
            scale = Fraction(2) ** exponent / denominator
            found = np.array([float(part * scale) for part in w])
            return Nearest(rows, tuple(corral.values()), found, not w.any()), ""
        depth = scores - np.array(levels, object)[side]
        corral = {**corral, int(depth.argmin()): Fraction(0)}
    return None, f"{MOST_STEPS} steps without rounding did not decide"


def _corral(Z: Array, side: Array, start: dict[int, Fraction]) -> dict[int, Fraction]:
    """Affinely independent rows of these, the heaviest first, with weights of sum 1 per side."""
    for h in range(int(side.max()) + 1):
        if not any(side[row] == h and a > 0 for row, a in start.items()):
            start = {**start, int(np.argmax(side == h)): Fraction(1)}
    rows = np.array(sorted(start, key=lambda row: -start[row]))
    kept = rows[independent(_lifted(Z, side, rows).T)[1]]
    sums = [sum((start[row] for row in kept if side[row] == h), Fraction(0)) for h in (0, 1)]
    return {int(row): start[row] / sums[side[row]] for row in kept}


def _lifted(Z: Array, side: Array, rows: Array) -> Array:
    """Rows with a coordinate per side: linearly independent if the rows are affinely so, side by side."""
    beside = (side[rows][:, None] == np.arange(side.max() + 1)).astype(np.int64).astype(object)
    return np.hstack([beside, Z[rows]])


def _walk(Z: Array, side: Array, corral: dict[int, Fraction]) -> dict[int, Fraction] | None:
    """To the shortest affine combination; whenever a weight would become negative its row leaves."""
    while True:
        goal = _minimiser(Z, side, np.array([*corral]))
        if goal is None:
            return None
        steps = [(a / (a - g), row) for (row, a), g in zip(corral.items(), goal, strict=True) if g <= 0 < a]
        out = [row for (row, a), g in zip(corral.items(), goal, strict=True) if g <= 0 == a]
        if not steps and not out:
            return dict(zip(corral, goal, strict=True))
        theta = Fraction(0) if out else min(steps)[0]
        moved = {row: a + theta * (g - a) for (row, a), g in zip(corral.items(), goal, strict=True)}
        corral = {row: a for row, a in moved.items() if a > 0 or (out and row not in out[:1])}


def _minimiser(Z: Array, side: Array, rows: Array) -> list[Fraction] | None:
    """The weights, of sum 1 per side, of the shortest affine combination of affinely independent rows."""
    beside = _lifted(Z, side, rows)[:, : int(side.max()) + 1]
    gram = Z[rows] @ Z[rows].T + (beside @ beside.T << 2 * bits(Z))  # the lift changes no minimiser
    parts = []
    for one in beside.T:
        found = solve(gram, one)
        if found is None:
            return None
        parts.append([Fraction(int(part), found.denominator) for part in found.numerators])
    first, last = parts[0], parts[-1]
    if len(parts) == 1:
        total = sum(first)
        return [part / total for part in first]
    low = [sum((a for a, s in zip(part, side[rows], strict=True) if s == 0), Fraction(0)) for part in parts]
    high = [sum(part, Fraction(0)) - one for part, one in zip(parts, low, strict=True)]
    scale = low[0] * high[1] - low[1] * high[0]
    p, q = (high[1] - low[1]) / scale, (low[0] - high[0]) / scale
    return [p * one + q * other for one, other in zip(first, last, strict=True)]
