"""From scores to probabilities (Platt, "Probabilistic Outputs for Support Vector Machines", 1999)."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from .._types import Array

PRIOR = 2.0  # rows' worth of belief that scores are calibrated as they are
SLOPES = (0.1, 3.0)  # within which calibration keeps


class Calibration(NamedTuple):
    slope: float = 1.0
    shift: float = 0.0


def calibrate(
    scores: Array,
    signs: Array,
    weights: Array,
    shifted: bool = True,
    slopes: tuple[float, float] = SLOPES,
) -> Calibration:
    """The logistic unit over the scores, by Newton's method, with a prior that leaves them as they are."""
    scale = float(weights @ scores**2 / weights.sum())
    prior = PRIOR * np.array([max(scale, 1e-12), 1.0 if shifted else 1e15])
    X, v = np.vstack([scores, np.ones(len(scores))]), np.array([1.0, 0.0])
    for _ in range(50):
        s = weights * expit(-signs * (v @ X))
        g = X @ (signs * s) - prior * (v - [1.0, 0.0])
        H = (X * (s * (1.0 - s / weights))) @ X.T + np.diag(prior)
        step = np.linalg.solve(H, g)
        v = v + step * min(1.0, 1.0 / max(float(abs(step).max()), 1e-300))
        if abs(step).max() < 1e-10:
            break
    return Calibration(float(np.clip(v[0], *slopes)), float(v[1]))


def calibrate_votes(scores: Array, signs: Iterable[Array], weights: Array) -> Calibration:
    """For scores of the rows learned from, a column per weight vector. One slope for all vectors, and of a
    single vector no shift, so that the class predicted is the one of the highest probability. As these rows
    were learned from, their classes are taken to be a little less certain than they are, as Platt does."""
    y = np.concatenate([one.astype(np.float64) for one in signs])
    f, p = scores.T.ravel(), np.tile(weights, scores.shape[1])
    totals = np.where(y > 0, p[y > 0].sum(), p[y < 0].sum())
    sure = (totals + 1.0) / (totals + 2.0)
    scale = np.sqrt(float(p @ f**2 / p.sum())) or 1.0  # of votes, which are no log odds
    both = np.concatenate([f, f]) / scale, np.concatenate([y, -y]), np.concatenate([p * sure, p * (1 - sure)])
    slope, shift = calibrate(*both, shifted=scores.shape[1] > 1, slopes=(1e-3, 1e3))
    return Calibration(slope / scale, shift)
