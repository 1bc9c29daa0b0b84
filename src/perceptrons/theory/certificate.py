"""Certificates: what a separating hyperplane achieves, and what no hyperplane can.

A perceptron is a sum of its corrections, w = Σ a_i y_i x_i with a_i ≥ 0 (Moran et al.: its *compression*).
For every unit vector u therefore min_i y_i⟨u,x_i⟩ ≤ ⟨u,w⟩/Σa ≤ ‖w‖/Σa: the weights bound the margin of
every hyperplane from above, while their own margin, min_i y_i⟨w,x_i⟩/‖w‖, bounds the best from below.
Both ends can be recomputed by anyone from the rows, the weights and the duals a.

With an intercept all of this happens in lifted space, where a row is (x, ρ) and the weights are (w, b/ρ).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bounds import binomial_compression_bound

Array = NDArray[Any]

_CELLS = 1 << 16  # values converted at a time: small enough to stay in the cache


@dataclass(frozen=True)
class Certificate:
    """What is known about a fitted weight vector and the rows it was trained on.

    Attributes
    ----------
    separable : True if `margin` > 0, False if `margin_bound` is exactly 0, None if undecided.
    margin : achieved by these weights, min y·score/‖w‖; negative if a row is on the wrong side.
    margin_bound : no hyperplane has a larger margin on these rows; None if the weights are not the sum
        of these rows' corrections (other starting weights, other rows).
    radius : the largest norm of a row.
    n_updates : corrections made.
    update_bound : the most corrections the policy's theorem allows, given `margin`; None without theorem.
    compression_size : rows ever used in a correction; the weights are a combination of these alone.
    n_rows, n_errors : rows looked at, and those predicted wrong.
    lift : ρ, the constant coordinate that carries the intercept; 0 without one. If it is not 0, `margin`,
        `margin_bound` and `radius` are those of the lifted rows (x, ρ).
    lift_from_rows : ρ was the largest norm of a row, so one row more is needed to rebuild the weights.
    reproducible : rerunning on the compression set gives the same weights; what `generalization_bound`
        rests on.
    """

    separable: bool | None
    margin: float
    margin_bound: float | None
    radius: float
    n_updates: int
    update_bound: float | None
    compression_size: int
    n_rows: int
    n_errors: int
    lift: float
    lift_from_rows: bool
    reproducible: bool

    def generalization_bound(self, delta: float = 0.05) -> float | None:
        """With probability ≥ 1 − δ over the draw of the rows, an upper bound on the error on new ones.

        The exact binomial tail for a sample compression scheme (Moran et al., Section 5, give the
        constant 50 instead). The size is observed, not fixed beforehand: δ is shared among m sizes.
        None where rerunning on the compression set would not rebuild the weights.
        """
        if not self.reproducible:
            return None
        size = self.compression_size + self.lift_from_rows
        return binomial_compression_bound(size, self.n_rows, delta / self.n_rows, self.n_errors)


class Measured(NamedTuple):
    """What one pass over the rows finds."""

    low: float  # min y·score
    n_errors: int
    radius_squared: float
    combination: Array  # Σ a_i y_i x_i


def measure(X: Any, y: Array, w: Array, b: float, a: Array) -> Measured:
    """Score all rows, find their largest norm, add up the corrections; in double precision.

    X: array or CSR matrix; y: ±1; a: the duals, ≥ 0.
    """
    w = np.asarray(w, np.float64)
    low, n_errors, radius_squared, combination = np.inf, 0, 0.0, np.zeros(len(w))
    for rows, part in _blocks(X):
        score = part @ w + b
        low = min(low, float((y[rows] * score).min()))
        n_errors += int(((score > 0) != (y[rows] > 0)).sum())
        radius_squared = max(radius_squared, float(_sqnorms(part).max()))
        if a[rows].any():
            combination += part.T @ (a[rows] * y[rows])
    return Measured(low, n_errors, radius_squared, combination)


def _blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """Consecutive rows, few enough that a conversion to float64 costs no memory worth counting."""
    size = max(1, _CELLS // max(1, X.shape[1] if isinstance(X, np.ndarray) else -(-X.nnz // X.shape[0])))
    for start in range(0, X.shape[0], size):
        rows = slice(start, min(start + size, X.shape[0]))
        yield rows, X[rows].astype(np.float64, copy=False)


def _sqnorms(part: Any) -> Array:
    if isinstance(part, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", part, part))
    return np.asarray(part.multiply(part).sum(axis=1)).ravel()


def lifted_norm(w: Array, b: float, lift: float) -> float:
    """‖(w, b/ρ)‖."""
    return float(np.hypot(np.linalg.norm(w), b / lift if lift else 0.0))
