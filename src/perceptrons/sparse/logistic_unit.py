"""One logistic unit, brought to its optimum over rows of 0 and 1.

    L(w, b) = Σ p_r ln(1 + exp(−y_r (⟨w, x_r⟩ + b))) + α/2 ‖w‖²,    Σ p_r = 1

Newton's method with backtracking. The intercept is eliminated from each step: with d_r = p_r σ_r (1 − σ_r),
c = Σ d_r x_r and e = Σ d_r, what is left is (αI + XᵀDX − ccᵀ/e) Δw = g − c·g_b/e. It is solved in the space
of the weights or of the rows, whichever is smaller (Woodbury), or by conjugate gradients if both are large.
As cells are 0 or 1, the diagonal of XᵀDX is c.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from .._types import Array
from ..rows.encode import is_sparse

SURE = 36.0  # the log odds if all rows are of one class: e^−36 is lost beside 1
FLAT = 1e-10  # a slope so small counts as 0
DIRECT = 500  # weights or rows up to which the equations are solved directly
INNER = 2_000  # iterations of conjugate gradients in a step, which need not be exact
DENSE = 2**20  # cells up to which an array is faster than CSR
ROUNDING = 1e-14  # of the loss
HALVINGS = 60  # of a step before it is given up


class LogisticSample(NamedTuple):
    """Rows of 0 and 1 (CSR, or an array if they are few), their classes ±1 and their weights."""

    X: Any
    signs: Array
    weights: Array

    def select(self, columns: Array) -> "LogisticSample":
        X = self.X[:, columns]
        small = is_sparse(X) and X.shape[0] * X.shape[1] <= DENSE
        return self._replace(X=X.toarray() if small else X)


class LogisticUnit(NamedTuple):
    """A trained unit."""

    weights: Array
    intercept: float
    curvatures: Array  # ∂²L/∂w_j² there
    n_iter: int = 0
    converged: bool = True

    def scores(self, X: Any) -> Array:
        return np.asarray(X @ self.weights + self.intercept)


class LossPoint:
    """The loss of a sample at (w, b), its slopes there, and the steps from there."""

    def __init__(self, sample: LogisticSample, alpha: float, w: Array, b: float) -> None:
        self.sample, self.alpha, self.w, self.b = sample, alpha, w, b
        self.margins = sample.signs * (sample.X @ w + b)
        p = sample.weights / sample.weights.sum()
        wrong = p * expit(-self.margins)
        self.loss = float(p @ np.logaddexp(0.0, -self.margins) + alpha / 2 * (w @ w))
        self.slope = sample.X.T @ (-sample.signs * wrong) + alpha * w
        self.slope_b = float(-(sample.signs @ wrong))
        self.d = wrong * expit(self.margins)

    @cached_property
    def c(self) -> Array:
        return np.asarray(self.sample.X.T @ self.d)

    def flat(self) -> bool:
        return bool(max(abs(self.slope).max(), abs(self.slope_b)) <= FLAT)

    def newton(self) -> tuple[Array, float]:
        """The step (Δw, Δb) that Newton's method subtracts."""
        e = float(self.d.sum())
        right = self.slope - self.c * (self.slope_b / e)
        n_rows, n_weights = self.sample.X.shape
        if min(n_rows, n_weights) > DIRECT:
            step = self._by_gradients(right, e)
        else:
            step = self._by_weights(right, e) if n_weights <= n_rows else self._by_rows(right, e)
        return step, (self.slope_b - float(self.c @ step)) / e

    def _by_weights(self, right: Array, e: float) -> Array:
        X, d = self.sample.X, self.d
        H = np.asarray((X.multiply(d[:, None]).T @ X).toarray() if is_sparse(X) else (X.T * d) @ X)
        H -= np.outer(self.c, self.c) / e
        H[np.diag_indices_from(H)] += self.alpha
        return np.asarray(cho_solve(cho_factor(H, overwrite_a=True), right))

    def _by_rows(self, right: Array, e: float) -> Array:
        """(αI + BᵀB)⁻¹ = (I − Bᵀ(αI + BBᵀ)⁻¹B)/α, the rows of B being √d_r (x_r − c/e)."""
        X, root = self.sample.X, np.sqrt(self.d)
        K = X @ X.T
        K = np.asarray(K.toarray() if is_sparse(K) else K)
        shift = K @ self.d / e
        K = (K - shift[:, None] - shift + shift @ self.d / e) * np.outer(root, root)
        K[np.diag_indices_from(K)] += self.alpha
        z = root * cho_solve(cho_factor(K, overwrite_a=True), root * (X @ right - self.c @ right / e))
        return np.asarray((right - X.T @ z + self.c * (z.sum() / e)) / self.alpha)

    def _by_gradients(self, right: Array, e: float) -> Array:
        X, c, d, alpha = self.sample.X, self.c, self.d, self.alpha
        shape, scale = (len(c), len(c)), 1.0 / (c - c * c / e + alpha)
        H = LinearOperator(shape, lambda v: X.T @ (d * (X @ v)) - c * (c @ v / e) + alpha * v, dtype=c.dtype)
        inverse = LinearOperator(shape, lambda v: scale * v, dtype=c.dtype)
        return np.asarray(cg(H, right, rtol=1e-3, maxiter=INNER, M=inverse)[0])

    def beyond(self, step: Array, step_b: float) -> "LossPoint":
        """The point along the step that lowers the loss enough, up to rounding."""
        gain = float(self.slope @ step + self.slope_b * step_b)
        for halvings in range(HALVINGS):
            t = 0.5**halvings
            there = LossPoint(self.sample, self.alpha, self.w - t * step, self.b - t * step_b)
            if there.loss <= self.loss - 1e-4 * t * gain + ROUNDING:
                return there
        return self


def train(sample: LogisticSample, alpha: float, max_iter: int, start: Array, start_b: float) -> LogisticUnit:
    """The optimum, or where at most `max_iter` steps lead."""
    if not len(start):
        return LogisticUnit(start, log_odds(sample), start)
    point, n_iter = LossPoint(sample, alpha, start, start_b), 0
    while n_iter < max_iter and not point.flat():
        point, n_iter = point.beyond(*point.newton()), n_iter + 1
    return LogisticUnit(point.w, point.b, point.c + alpha, n_iter, point.flat())


def log_odds(sample: LogisticSample) -> float:
    """The best intercept without weights."""
    sums = [float(sample.weights[sample.signs == sign].sum()) for sign in (1, -1)]
    if not all(sums):
        return SURE if sums[0] else -SURE
    return float(np.log(sums[0]) - np.log(sums[1]))
