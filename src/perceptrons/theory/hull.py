"""The best margin of a labeling, between two numbers that anyone can recompute.

The best margin is the norm of the shortest vector v = Σ a_i y_i x_i with a_i ≥ 0, Σ a_i = 1 (Moran et al.,
Section 4: the hull of the signed rows and the hyperplanes that miss it). For any such a ‖v‖ bounds every
margin from above, and v itself has the margin min y⟨v,x⟩/‖v‖. The shortest is found on a few rows at a time:
non-negative least squares on the rows in use (Lawson and Hanson, chapter 23), then a look at all rows, of
which the worst join. With a lift ρ all of this happens to the rows (x, ρ).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from .._types import Array
from ..structure import check_structure
from .certificate import lifted_norm, margin_interval
from .inputs import LARGEST, matrix, real_in, require_scale

NEW_ROWS = 64  # that join in a round
NONE = 1e-10  # a share of the radius below which a margin is rounding
CLOSE = 1e-6  # the share of itself by which a number may differ when it is recomputed, besides rounding


@dataclass(frozen=True)
class BestMargin:
    """The best margin of some rows and labels ±1 lies between `margin` and `margin_bound`.

    Attributes
    ----------
    margin : float
        The margin of w = Σ duals·y·x over the support, divided by its norm; 0 if it separates nothing.
    margin_bound : float
        No hyperplane has a larger margin: the norm of that combination.
    radius, lift : float
        The largest norm of a row (x, ρ), and ρ; 0 for hyperplanes through the origin.
    support, duals : array
        The rows of the combination, and their shares, which sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptrons.theory import best_margin
    >>> found = best_margin(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([-1, 1]))
    >>> round(found.margin, 6), found.support.tolist(), round(found.radius, 6)
    (0.707107, [0, 1], 2.236068)
    """

    margin: float
    margin_bound: float
    radius: float
    lift: float
    support: Array
    duals: Array

    def verify(self, X: Any, y: Array) -> None:
        """Recompute both ends from the rows, the labels ±1 and the duals; ValueError for what differs."""
        X, lift = _rows(X), _lift(self.lift)
        known = np.isin(self.support, np.arange(X.shape[0])).all() and self.support.dtype.kind in "iu"
        if self.duals.shape != self.support.shape or not known:
            raise ValueError(f"The margin does not hold: its support is not among these {X.shape[0]} rows.")
        if not ((self.duals >= 0).all() and abs(self.duals.sum() - 1) <= 1e-9):
            raise ValueError("The margin does not hold: its duals are no shares that sum to 1.")
        low, high = _ends(X, _signs(X, y), self.support, self.duals, lift)
        radius = largest_norm(X, lift)
        rounding = 4 * sum(X.shape) * float(np.finfo(np.float64).eps) * radius
        found = {"margin": low, "margin_bound": high, "radius": radius}
        for name, value in found.items():
            given = getattr(self, name)
            if not abs(given - value) <= CLOSE * value + rounding or (given > 0 and value == 0):
                claim = f"{name} is given as {given}, but these rows give {value}"
                raise ValueError(f"The margin does not hold: {claim}.")


def best_margin(
    X: Any, y: Array, *, lift: float = 0.0, tol: float = 1e-6, max_rounds: int = 200
) -> BestMargin:
    """The best margin of rows X (array-like or sparse) with labels y = ±1, to a share `tol` of itself.

    Where max_rounds rounds do not suffice the two ends stay further apart, and still hold. If no hyperplane
    separates the rows, the margin is 0 and its bound is near 0; a margin below 1e-10 of the radius counts as
    rounding, and is 0, too.

    Parameters
    ----------
    X : array-like or sparse matrix
        The rows.
    y : array of ±1
        The label of each row.
    lift : float, default 0
        The constant coordinate ρ that carries the intercept; 0 stands for hyperplanes through the origin.
    tol : float, default 1e-6
        The gap of the interval to reach, as a share of the best margin.
    max_rounds : int, default 200
        The largest number of rounds. If they are not sufficient the gap is larger, and the interval still
        holds.

    Examples
    --------
    >>> X, y = np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([-1, 1])
    >>> found = best_margin(X, y)  # the best margin is 1/√2
    >>> round(found.margin, 6), round(found.margin_bound, 6), found.duals.round(3).tolist()
    (0.707107, 0.707107, [0.75, 0.25])
    >>> found.verify(X, y)
    """
    X, lift, tol = _rows(X), _lift(lift), real_in(tol, "tol", "[0, 1]", "use 1e-6")
    if not isinstance(max_rounds, (int, np.integer)) or max_rounds < 1:
        raise ValueError(f"max_rounds = {max_rounds!r}, but it must be a whole number >= 1; leave it out")
    signs, radius = _signs(X, y), largest_norm(X, lift)
    if radius == 0.0:
        return BestMargin(0.0, 0.0, 0.0, lift, np.zeros(1, np.int64), np.ones(1))
    everyone = np.arange(len(signs))
    rows = _scores(X, signs, everyone, np.ones(len(signs)), lift)[0].argsort()[:1]
    best = (-np.inf, np.inf, rows, np.ones(1))
    for _ in range(max_rounds):
        duals = _shortest(_lifted(X, signs, rows, lift) / radius)
        if duals is None:
            break
        rows, duals = rows[duals > 0], duals[duals > 0]
        scores, norm = _scores(X, signs, rows, duals, lift)
        low = float(scores.min()) / norm if norm > NONE * radius else 0.0
        if norm - low < best[1] - best[0]:
            best = (low, norm, rows, duals)
        short = np.setdiff1d(np.flatnonzero(scores < norm**2), rows)
        if norm - low <= tol * norm or norm <= NONE * radius or not len(short):
            break
        if len(short) > NEW_ROWS:
            short = short[np.argpartition(scores[short], NEW_ROWS)[:NEW_ROWS]]
        rows = np.union1d(rows, short)
    low, high = _ends(X, signs, best[2], best[3], lift)
    return BestMargin(low, high, radius, lift, best[2].astype(np.int64), best[3])


def _rows(X: Any) -> Any:
    """Finite rows in float64, a C-ordered array or a CSR matrix without repeated entries."""
    if not _is_sparse(X):
        return np.ascontiguousarray(matrix(X, "X"))
    check_structure(X)
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions, but it must have 2; use X.reshape(1, -1)")
    if 0 in X.shape:
        raise ValueError(f"X has shape {X.shape}, but it must not be empty; pass at least one point")
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X holds {X.dtype}, but it must hold real numbers; use X.astype(float)")
    rows = sp.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    if not np.isfinite(rows.data).all():
        bad = rows.data[~np.isfinite(rows.data)][0]
        raise ValueError(f"X holds {bad}, but it must be finite; drop such rows")
    require_scale(float(np.abs(rows.data).max(initial=0.0)), "X")
    return rows


def _lift(lift: Any) -> float:
    return real_in(lift, "lift", f"[0, {LARGEST}]", "use 0 for hyperplanes through the origin")


def _signs(X: Any, y: Array) -> Array:
    signs = np.asarray(y)
    if signs.shape != (X.shape[0],) or not np.isin(signs, (-1, 1)).all():
        raise ValueError(f"y must hold -1 or 1 for each of the {X.shape[0]} rows; its shape is {signs.shape}")
    return signs.astype(np.float64)


def largest_norm(X: Any, lift: float = 0.0) -> float:
    """The largest ‖(x, ρ)‖ of a row; scaled, because squares overflow."""
    X = X.astype(np.float64, copy=False)
    scale = max(float(abs(X).max()), lift)
    if scale == 0.0:
        return 0.0
    squares = (X / scale).power(2) if _is_sparse(X) else np.square(X / scale)
    return scale * float(np.sqrt(np.asarray(squares.sum(axis=1)).max() + (lift / scale) ** 2))


def _is_sparse(X: Any) -> bool:
    return bool(sp.issparse(X))


def _lifted(X: Any, signs: Array, rows: Array, lift: float) -> Array:
    """These signed rows (x, ρ), dense; columns that are 0 in all of them are left out."""
    part = X[rows]
    if _is_sparse(part):
        part = part[:, np.unique(part.indices)].toarray()
    lifted = np.column_stack([part, np.full(len(rows), lift)])
    return np.asarray(signs[rows, None] * lifted)


def _shortest(Z: Array) -> Array | None:
    """The shares a of the shortest vector in the hull of the rows Z: u/Σu for the u ≥ 0 that brings
    (Zᵀu, Σu) nearest to (0, 1). None if the solver gives up."""
    columns = np.linalg.qr(Z.T, mode="r") if len(Z) < Z.shape[1] else Z.T
    E = np.vstack([columns, np.ones(len(Z))])
    try:
        u, _ = nnls(E, np.append(np.zeros(len(columns)), 1.0), maxiter=50 * len(Z) + 100)
    except RuntimeError:
        return None
    return np.asarray(u / u.sum())


def _combination(X: Any, signs: Array, rows: Array, duals: Array, lift: float) -> tuple[Array, float]:
    """v = Σ a y x, and the score that the lift adds to every row."""
    shares = signs[rows] * duals
    v = X[rows].T @ shares
    return np.asarray(v), lift**2 * float(shares.sum())


def _scores(X: Any, signs: Array, rows: Array, duals: Array, lift: float) -> tuple[Array, float]:
    v, b = _combination(X, signs, rows, duals, lift)
    return signs * (X @ v + b), lifted_norm(v, b, lift)


def _ends(X: Any, signs: Array, rows: Array, duals: Array, lift: float) -> tuple[float, float]:
    """The margin that this combination achieves, at least 0, and the one it rules out."""
    v, b = _summed(X, signs, rows, duals), lift**2 * float((signs[rows] * duals).sum())
    norm, none = lifted_norm(v, b, lift), NONE * largest_norm(X, lift)
    if norm <= none:
        return 0.0, norm
    a = np.zeros(len(signs))
    a[rows] = duals
    low, high = margin_interval(X, signs, v, a, b, lift)
    return low if low > none else 0.0, max(low, high)


def _summed(X: Any, signs: Array, rows: Array, duals: Array) -> Array:
    """Σ a y x, row after row: the same in every layout, while the order of a product's sums may differ."""
    v = np.zeros(X.shape[1])
    for i, share in zip(rows, signs[rows] * duals, strict=True):
        if _is_sparse(X):
            part = slice(X.indptr[i], X.indptr[i + 1])
            v[X.indices[part]] += share * X.data[part]
        else:
            v += share * X[i]
    return v
