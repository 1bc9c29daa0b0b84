"""From scores to probabilities (Platt, "Probabilistic Outputs for Support Vector Machines", 1999)."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from .._types import Array

PRIOR = 2.0  # rows' worth of belief that scores are calibrated as they are
BLOCK = 16_384  # rows at a time
SLOPES = (0.1, 3.0)  # within which calibration keeps,
VOTE_SLOPES = (1e-3, 1e3)  # and that of votes


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
    return calibrate_by(partial(slope_and_curvature, scores, signs, weights), scale, shifted, slopes)


def slope_and_curvature(scores: Array, signs: Array, weights: Array, v: Array) -> tuple[Array, Array]:
    """Of the log-likelihood at slope and shift v, summed up over the rows, some at a time."""
    g, H = np.zeros(2), np.zeros((2, 2))
    for start in range(0, len(scores), BLOCK):
        rows = slice(start, start + BLOCK)
        X = np.vstack([scores[rows], np.ones(len(scores[rows]))])
        p, y = weights[rows], signs[rows]
        s = p * expit(-y * (v @ X))
        g += X @ (y * s)
        H += (X * (s * (1.0 - s / p))) @ X.T
    return g, H


def calibrate_by(
    sums: Callable[[Array], tuple[Array, Array]],
    scale: float,
    shifted: bool = True,
    slopes: tuple[float, float] = SLOPES,
) -> Calibration:
    """The same by sums over the rows, wherever these are; `scale`: the mean square of the scores."""
    prior = PRIOR * np.array([max(scale, 1e-12), 1.0 if shifted else 1e15])
    v = np.array([1.0, 0.0])
    for _ in range(50):
        g, H = sums(v)
        g, H = g - prior * (v - [1.0, 0.0]), H + np.diag(prior)
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
    sums = VoteSums.of(f, y, p)
    rows = sums.rows(f, y, p)
    slope, shift = calibrate(*rows, shifted=scores.shape[1] > 1, slopes=VOTE_SLOPES)
    return Calibration(slope / sums.scale, shift)


class VoteSums(NamedTuple):
    """What is known of the scores of all rows before they are calibrated."""

    positive: float  # the weight of rows of the class of a vector,
    negative: float  # and of the others
    squares: float  # Σ weight·score²

    @classmethod
    def of(cls, f: Array, y: Array, p: Array) -> "VoteSums":
        return cls(float(p[y > 0].sum()), float(p[y < 0].sum()), float(p @ f**2))

    @property
    def scale(self) -> float:
        """Of votes, which are no log odds."""
        return float(np.sqrt(self.squares / (self.positive + self.negative))) or 1.0

    @property
    def mean_square(self) -> float:
        """Of the scores after they are divided by the scale."""
        return self.squares / (self.positive + self.negative) / self.scale**2

    def rows(self, f: Array, y: Array, p: Array) -> tuple[Array, Array, Array]:
        """Scores, signs and weights of twice as many rows: each is of the other class, too, for a little."""
        totals = np.where(y > 0, self.positive, self.negative)
        sure = (totals + 1.0) / (totals + 2.0)
        parts = np.concatenate([p * sure, p * (1 - sure)])
        return np.concatenate([f, f]) / self.scale, np.concatenate([y, -y]), parts
