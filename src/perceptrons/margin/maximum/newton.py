"""Newton's method for the margin with slack, where there are fewer columns than rows.

S. S. Keerthi, D. DeCoste, *A modified finite Newton method for fast solution of large scale linear SVMs*
(2005). ½‖w‖² + (C/2) Σ s max(0, 1 − y(⟨w,x⟩ + b))², s being the weight of a row, is quadratic as long as the
same rows are below 1: solve for these, go there as far as it pays, and begin again; after a few steps the
rows no longer change, and the solution is exact. A step takes the square of the columns for each row below 1,
however many there are.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import brentq

from ..._types import Array
from ...rows.encode import is_sparse
from ...rows.weights import NO_WEIGHTS
from .pool import MarginSearch, add_offset, balanced, combination, scan
from .slack import times_weight

BLOCK = 1024  # rows copied at a time
LINES = 128  # of a sparse product that are made at a time
STEPS, PATIENCE = 100, 25  # at most; without the gap being halved


def newton(search: MarginSearch) -> None:
    """Step until the gap closes; each step's multipliers, C·s·max(0, 1 − y·score), are looked at."""
    task, C = search.task, 1.0 / search.task.ridge
    n, intercept = search.matrix.shape[1], task.sides == 2
    v, reach = start(search), np.zeros(len(task.y))
    reach += score_all(search, v)
    gaps: list[float] = []
    squares, totals, counted = np.zeros((n + 1, n + 1)), np.zeros(n + 1), np.zeros(len(reach), bool)
    for _ in range(STEPS):
        short = reach < 1.0
        for change, sign in ((short & ~counted, 1.0), (counted & ~short, -1.0)):
            accumulate(search.matrix, task.y, np.flatnonzero(change), sign, squares, totals, task.weights)
        counted = short
        try:
            goal = minimiser(squares, totals, C, intercept)
        except LinAlgError:
            return  # nearly singular: another method must do
        step = goal - v
        moved = score_all(search, step)
        t = line_search(reach, moved, v, step, C, intercept, task.weights)
        moved *= t
        v, reach = v + t * step, np.add(reach, moved, out=reach)
        search.n_updates += 1
        search.n_passes += 1
        gaps.append(gap_at(search, reach))
        search.found = None  # unless it is the best, its rows are not kept
        stuck = len(gaps) > PATIENCE and min(gaps[-PATIENCE:]) > 0.5 * min(gaps[:-PATIENCE])
        if search.ended or stuck or not step.any():
            return


def gap_at(search: MarginSearch, reach: Array) -> float:
    """The gap at the multipliers of these scores."""
    rows = np.flatnonzero(reach < 1.0)
    point = balanced(search.task, rows, times_weight(1.0 - reach[rows], search.task.weights, rows))
    return search.assess(point, combination(search, point)).gap if point else np.inf


def start(search: MarginSearch) -> Array:
    """The weights of the best point so far, the intercept last if there is one; else zeros."""
    best, sides = search.best, search.task.sides
    if best is None or best.length == 0.0:
        return np.zeros(len(search.task.centre) + sides - 1)
    middle = [float(best.levels[0] - best.levels[1]) / 2] if sides == 2 else []
    return np.append(best.w, middle) * sides / best.length


def score_all(search: MarginSearch, v: Array) -> Array:
    """y(⟨w, x⟩ + b), for v = (w, b) or v = w; in the room for the scores of the search."""
    task, n = search.task, len(search.task.centre)
    scan(task.X, task.y, task.side, v[:n], search.scores)
    if len(v) > n:
        add_offset(search.scores, task.y, v[n])
    return search.scores


def accumulate(
    X: Any, y: Array, rows: Array, sign: float, squares: Array, totals: Array, weights: Array = NO_WEIGHTS
) -> None:
    """Add to, or take from, Σ s (x, 1)(x, 1)ᵀ and Σ s y (x, 1) what these rows contribute."""
    n = X.shape[1]
    for first in range(0, len(rows), BLOCK):
        some = rows[first : first + BLOCK]
        s = weights[some] if len(weights) else np.ones(len(some))
        A = X[some].astype(np.float64, copy=False)
        B = scaled(A, s) if len(weights) else A
        add_product(B, A, sign, squares)
        squares[n, :n] += sign * np.asarray(B.sum(axis=0)).ravel()
        squares[n, n] += sign * s.sum()
        totals[:n] += sign * (B.T @ y[some])
        totals[n] += sign * (s * y[some]).sum()
    squares[:n, n] = squares[n, :n]


def add_product(B: Any, A: Any, sign: float, squares: Array) -> None:
    """squares ← squares ± BᵀA; of sparse rows some lines at a time, so that no other matrix is as large."""
    n = A.shape[1]
    if not is_sparse(A):
        squares[:n, :n] += sign * (B.T @ A)
        return
    left = B.T.tocsr()
    for first in range(0, n, LINES):
        lines = slice(first, min(n, first + LINES))
        squares[lines, :n] += sign * (left[lines] @ A).toarray()


def scaled(A: Any, s: Array) -> Any:
    """The rows of A, each times a number of its own."""
    return sp.diags_array(s, format="csr") @ A if is_sparse(A) else s[:, None] * A


def minimiser(squares: Array, totals: Array, C: float, intercept: bool) -> Array:
    """Of ½‖w‖² + (C/2) Σ s (1 − y(⟨w,x⟩ + b))² over the rows that were accumulated."""
    n = len(totals) - 1
    H = squares[: n + intercept, : n + intercept].copy(order="F")  # LAPACK's own: the factor takes its place
    H[np.arange(n), np.arange(n)] += 1.0 / C
    if not (H.diagonal() > 0.0).all():  # no row is below 1, or rounding has left as little of them
        raise LinAlgError("the intercept is free")
    unit = 1.0 / np.sqrt(H.diagonal())  # columns of different scales would spoil the factor
    H *= unit[:, None]
    H *= unit
    return np.asarray(unit * cho_solve(cho_factor(H, overwrite_a=True), unit * totals[: n + intercept]))


def line_search(
    reach: Array, moved: Array, v: Array, step: Array, C: float, intercept: bool, weights: Array = NO_WEIGHTS
) -> float:
    """How far to go: where the slope along the step, which only rises, is 0."""
    w, d = (v[:-1], step[:-1]) if intercept else (v, step)

    def slope(t: float) -> float:
        lack = t * moved
        lack += reach
        np.maximum(0.0, np.subtract(1.0, lack, out=lack), out=lack)
        return float(w @ d + t * (d @ d) - C * (times_weight(lack, weights) @ moved))

    if slope(1.0) <= 0.0:
        return 1.0
    return float(brentq(slope, 0.0, 1.0, xtol=1e-10)) if slope(0.0) < 0.0 else 1.0
