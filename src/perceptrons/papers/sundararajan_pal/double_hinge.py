"""A support vector machine with a rejection band, trained for the costs: the double hinge.

P. Bartlett and M. Wegkamp (2008), after Fumera and Roli, whom Sundararajan and Pal name in Sections 2 and 5.
A row with t = y·score pays (c + a)(1 − t)₊ + (b − a − 2c)₊(−t)₊, divided by the mean c + a of the classes:
1 at t = 0, and beyond it the steeper slope (b − c)/(c + a). For a = 0, b = 1, c = d that is their φ_d, which
is calibrated: no other convex loss is needed to come to Chow's rule. Rejected are |score| < ½, which they
allow for every d ≤ ½; dearer rejections leave a plain hinge, and no band. Costs of the classes may differ, as
Section 5 asks for.

The losses are rounded off within 0.05 of their corners, so that L-BFGS finds the minimum; the strength of the
penalty is that of least cross-validated risk.
"""

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold

from ..._types import Array

STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1)
FOLDS, CORNER, HALF = 3, 0.05, 0.5


class DoubleHinge(BaseEstimator):
    """Costs by class, in the order −1, +1: what a right answer earns, what a wrong one and a rejection
    cost."""

    def __init__(
        self,
        reject: tuple[float, float] = (0.2, 0.2),
        wrong: tuple[float, float] = (1.0, 1.0),
        gain: tuple[float, float] = (0.0, 0.0),
        seed: int = 0,
    ) -> None:
        self.reject, self.wrong, self.gain, self.seed = reject, wrong, gain, seed

    def fit(self, X: Array, y: Array) -> "DoubleHinge":
        """y is −1 or +1; columns are standardized."""
        self.mean_, self.scale_ = X.mean(axis=0), X.std(axis=0)
        Z, total = self._standard(X), dict.fromkeys(STRENGTHS, 0.0)
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=self.seed).split(Z, y):
            for strength in STRENGTHS:
                weights = self._weights(Z[train], y[train], strength)
                total[strength] += len(test) * self._risk(Z[test] @ weights, y[test])
        self.strength_ = min(STRENGTHS, key=lambda strength: total[strength])
        self.weights_ = self._weights(Z, y, self.strength_)
        return self

    def decision_function(self, X: Array) -> Array:
        return np.asarray(self._standard(X) @ self.weights_)

    def rejects(self, X: Array) -> Array:
        return np.asarray(np.abs(self.decision_function(X)) < self._bands())

    def risk(self, X: Array, y: Array) -> float:
        return self._risk(self.decision_function(X), y)

    def _bands(self) -> float:
        """Where rejections are no cheaper than a guess, none are made."""
        guess = (np.array(self.wrong) - np.array(self.gain)) / 2
        return HALF if (np.array(self.reject) < guess).any() else 0.0

    def _risk(self, scores: Array, y: Array) -> float:
        k = (y > 0).astype(int)
        wrong = (scores >= 0) != (y > 0)
        answered = np.where(wrong, np.array(self.wrong)[k], -np.array(self.gain)[k])
        return float(np.where(np.abs(scores) < self._bands(), np.array(self.reject)[k], answered).mean())

    def _standard(self, X: Array) -> Array:
        return np.column_stack([(X - self.mean_) / self.scale_, np.ones(len(X))])

    def _weights(self, Z: Array, y: Array, strength: float) -> Array:
        k = (y > 0).astype(int)
        near = np.array(self.reject) + np.array(self.gain)
        far = np.maximum(np.array(self.wrong) - np.array(self.gain) - 2 * np.array(self.reject), 0.0)
        near, far = (near / near.mean())[k], (far / near.mean())[k]

        def loss(w: Array) -> tuple[float, Array]:
            t = y * (Z @ w)
            (one, slope_1), (zero, slope_0) = rounded(1.0 - t), rounded(-t)
            slopes = -(near * slope_1 + far * slope_0) * y / len(y)
            penalty = strength * w[:-1]
            value = float((near * one + far * zero).mean() + penalty @ w[:-1] / 2)
            return value, slopes @ Z + np.append(penalty, 0.0)

        return np.asarray(minimize(loss, np.zeros(Z.shape[1]), jac=True, method="L-BFGS-B").x)


def rounded(u: Array) -> tuple[Array, Array]:
    """max(u, 0) with a rounded corner, and its slope."""
    slope = np.clip(u / CORNER + 0.5, 0.0, 1.0)
    return np.where(slope < 1.0, CORNER / 2 * slope**2, u), slope
