"""Certificates: what a separating hyperplane achieves, and what no hyperplane can.

A perceptron is a sum of its corrections, w = Σ a_i y_i x_i with a_i ≥ 0 (Moran et al.: its *compression*).
For every unit vector u therefore min_i y_i⟨u,x_i⟩ ≤ ⟨u,w⟩/Σa ≤ ‖w‖/Σa: the weights bound the margin of
every hyperplane from above, while their own margin, min_i y_i⟨w,x_i⟩/‖w‖, bounds the best from below.
Both ends can be recomputed by anyone from the rows, the weights and the duals a.

With an intercept all of this happens in lifted space, where a row is (x, ρ) and the weights are (w, b/ρ).

A certificate is a statement about the real numbers that the arrays hold: whatever is rounded is rounded away
from the claim (`outward`).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np

from .._types import Array
from .bounds import binomial_compression_bound
from .sentences import Sentences, percent

MANY = 1e9  # a bound on corrections that says nothing


@dataclass(frozen=True)
class Certificate(Sentences):
    """What is known about a fitted weight vector and the rows it was trained on.

    Attributes
    ----------
    separable : bool or None
        True if all rows are classified correctly, as real numbers (so `margin` > 0). False if no hyperplane
        does that: `margin_bound` is exactly 0, or there is a `witness`. None if `undecided`.
    margin : float
        The margin of these weights, min y·score/‖w‖, rounded down; negative if a row is on the wrong side. In
        a stream (`partial_fit`), that of the last batch.
    margin_bound : float or None
        No hyperplane has a larger margin on these rows; in a stream, on all rows seen. It is computed from
        duals and rows, and rounded up. None if the weights are not the sum of these rows' corrections (other
        starting weights, other rows).
    radius : float
        The largest norm of a row, rounded up.
    n_updates : int
        The number of corrections made.
    update_bound : float or None
        The largest number of corrections that the theorem of the policy allows, given `margin`; None if there
        is no theorem.
    compression_size : int
        The number of rows ever used in a correction. The weights are a combination of these rows alone.
    n_rows, n_errors : int
        The number of rows looked at, and of those that `predict` gets wrong; with more than two classes, of
        those on the wrong side of this weight vector.
    lift : float
        The constant coordinate ρ that carries the intercept; 0 without one. If it is not 0, `margin`,
        `margin_bound` and `radius` are those of the lifted rows (x, ρ).
    lift_from_rows : bool
        Whether ρ was the largest norm of a row, so that one more row is needed to rebuild the weights.
    reproducible : bool
        Whether a fit on the compression set alone gives the same weights, on which `generalization_bound`
        rests.
    soft_margin, soft_margin_bound : float or None, default None
        With slack (a finite C), the interval for rows that have an additional coordinate 1/√C each of their
        own: this is what was maximized. None without slack.
    witness : tuple of (row, weight) or None, default None
        A convex combination Σ a_i y_i x_i that is exactly 0 (with an intercept the weights add up to 1 in
        each class: a point that both hulls share). Weights are fractions, so that anyone can add them up
        without rounding. None if there is no witness.
    choices : float, default 0
        The logarithm of the number of models that rows outside the compression set could choose from (the
        power of two that is ρ, the epoch at which training ended); δ is divided among them.
    undecided : str or None, default None
        Why `separable` is None; otherwise None.

    Examples
    --------
    >>> from perceptrons import Perceptron
    >>> X, y = [[0, 0], [0, 1], [3, 0], [4, 1]], [0, 0, 1, 1]
    >>> certificate = Perceptron(order="worst", tol=0.1).fit(X, y).certificate_
    >>> certificate.separable, certificate.margin <= certificate.margin_bound
    (True, True)
    >>> round(certificate.gap, 6) <= 0.1  # 1 − margin/margin_bound
    True
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
    soft_margin: float | None = None
    soft_margin_bound: float | None = None
    witness: tuple[tuple[int, Fraction], ...] | None = None
    choices: float = 0.0
    undecided: str | None = None

    def sentences(self) -> list[str]:
        """Rows and margin, the margin with slack if there is some, corrections, rows that are used."""
        parts = (self._margin_said(), self._slack_said(), self._updates_said())
        used = f"The weights are a combination of {self.compression_size:,} rows."
        return [sentence for sentence in (*parts, used) if sentence]

    def _margin_said(self) -> str:
        bound, wrong = self.margin_bound, f"{self.n_errors:,} of {self.n_rows:,} rows"
        limit = "" if bound is None else f", and no hyperplane has more than {bound:.3g}"
        if self.separable:
            return f"All {self.n_rows:,} rows are classified correctly, with margin {self.margin:.3g}{limit}."
        if not self.n_errors and bound is not None:
            return f"No row is misclassified, but some lie on the hyperplane{limit}."
        wrong = f"{wrong} ({percent(self.n_errors / self.n_rows)}) are misclassified"
        if self.separable is False:
            return f"{wrong}; it is proved that no hyperplane separates them all."
        if bound is None:
            return f"{wrong}."
        return f"{wrong}; no hyperplane separates these rows with a margin of more than {bound:.3g}."

    def _slack_said(self) -> str:
        if self.soft_margin is None:
            return ""
        share = f"{max(self.gap or 0.0, 0.0):.1g}"
        return f"With slack, its margin is within a share of {share} of the best possible."

    def _updates_said(self) -> str:
        made = f"{self.n_updates:,} corrections were made"
        if self.update_bound is None or self.update_bound > MANY:
            return f"{made}."
        return f"{made}; the theorem allows {self.update_bound:,.0f} for this margin."

    @property
    def gap(self) -> float | None:
        """How far from the best at most: 1 − margin/bound, of the margin with slack if there is slack. None
        without bound."""
        margin, bound = self.margin, self.margin_bound
        if self.soft_margin is not None:
            margin, bound = self.soft_margin, self.soft_margin_bound
        return None if bound is None else 1.0 - margin / bound if bound > 0.0 else float("inf")

    def generalization_bound(self, delta: float = 0.05) -> float | None:
        """With probability ≥ 1 − δ over the draw of the rows, an upper bound on the error on new ones.

        The exact binomial tail for a sample compression scheme (Moran et al., Section 5, give the
        constant 50 instead). The size is observed, not fixed beforehand: δ is shared among m sizes.
        None where rerunning on the compression set would not rebuild the weights.
        """
        if not self.reproducible:
            return None
        size = self.compression_size + self.lift_from_rows
        errors = min(self.n_errors, max(0, self.n_rows - size))  # outside the set; at most all of them
        return binomial_compression_bound(size, self.n_rows, delta / self.n_rows * exp(-self.choices), errors)


def margin_interval(
    X: Any, y: Array, w: Array, a: Array, b: float = 0.0, lift: float = 0.0
) -> tuple[float, float]:
    """The interval around the best margin that weights and duals prove: (achieved, bound).

    Parameters
    ----------
    X : array or CSR matrix
        The rows.
    y : array of ±1
        The label of each row.
    w : array
        The weights.
    a : array
        The duals: one number ≥ 0 per row, not all of them 0.
    b : float, default 0
        The intercept.
    lift : float, default 0
        The constant coordinate ρ that carries the intercept.

    Examples
    --------
    >>> X, y = np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([-1, 1])  # the best margin is 1/√2
    >>> margin_interval(X, y, w=np.array([4.0, -1.0]), a=np.array([3.0, 2.0]))  # w = −3·(0, 1) + 2·(2, 1)
    (0.242..., 0.824...)
    """
    w, a, y = np.asarray(w, np.float64), np.asarray(a, np.float64), np.asarray(y)
    if (a < 0).any() or not a.any():
        raise ValueError("The duals must be >= 0 and not all 0.")
    achieved = (y * (X @ w + b)).min() / lifted_norm(w, b, lift)
    combination = lifted_norm(X.T @ (a * y), lift**2 * (a * y).sum(), lift)
    return float(achieved), combination / float(a.sum())


def lifted_norm(w: Array, b: float = 0.0, lift: float = 0.0) -> float:
    """‖(w, b/ρ)‖; scaled, because squares of small numbers vanish. Not by `np.linalg.norm`, which would
    wake a second thread for a few microseconds' work."""
    last = abs(b) / lift if lift else 0.0
    scale = max(float(np.abs(w).max(initial=0.0)), last)
    if scale == 0.0 or not np.isfinite(scale):
        return scale
    return scale * float(np.sqrt(np.square(w / scale).sum() + (last / scale) ** 2))


def confirm(ok: Any, why_not: str) -> None:
    """One claim of a proof; a ValueError says why it does not hold."""
    if not ok:
        raise ValueError(f"This does not hold: {why_not}")
