"""Sizes chosen by sums over rows in several places are those chosen from the losses of all rows."""

from collections import Counter

import numpy as np
import pytest

from perceptrons.sparse.calibration import calibrate
from perceptrons.sparse.left_out_sums import added, choose_by_sums, sum_squares
from perceptrons.sparse.rows_alike import patterns_of
from perceptrons.sparse.size_choice import simplest

SIZES = [0, 1, 2, 4]


class LeftOut:
    """The rows of a fold, in two places."""

    def __init__(self, parts, weights):
        self.parts, self.weights = parts, weights

    def sums(self, question, *told):
        return added([question(one, self.weights, *told) for one in self.parts])


def fold(rng):
    held = rng.integers(0, 2, (4, 60)).astype(np.uint8)
    signs = np.where(held[0] + rng.random(60) > 0.8, 1.0, -1.0)
    models = rng.normal(0, 0.3, (2, len(SIZES), 5))
    models[:, 1:, 0] += 1.5
    models[:, :, -1] -= 0.5
    parts = [
        patterns_of(held[:, rows], signs[rows], np.ones(len(rows))) for rows in np.split(np.arange(60), [25])
    ]
    scores = models @ np.vstack([held, np.ones(60)])
    return LeftOut(parts, models), scores, signs


@pytest.mark.kernels
def test_strength_size_and_calibration(monkeypatch):
    monkeypatch.setattr("perceptrons.sparse.left_out_sums.BLOCK", 7)
    seen = Counter()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        folds, scores, signs = zip(*(fold(rng) for _ in range(3)), strict=True)
        f, y, p = np.concatenate(scores, 2), np.concatenate(signs), np.ones(180)
        losses = np.logaddexp(0.0, -y * f)
        means = losses @ p / p.sum()
        for errors in (0.0, 1.0):
            strength, size = simplest(losses, means, p, errors)
            found = choose_by_sums(folds, SIZES, errors)
            assert (found.strength, found.size) == (strength, SIZES[size])
            assert np.allclose(found.losses, means.min(axis=0))
            if SIZES[size]:
                assert np.allclose(found.calibration, calibrate(f[strength, size], y, p))
            seen[SIZES[size]] += 1
    assert min(seen[size] for size in SIZES[1:]) > 5


def test_squares_are_those_around_the_mean_difference():
    one, scores, signs = fold(np.random.default_rng(0))
    losses = np.logaddexp(0.0, -signs * scores)
    difference = losses[1, 2] - losses[0, 1]
    (found,) = one.sums(sum_squares, (0, 1), [(1, 2)], [float(difference.mean())])
    assert np.allclose(found, np.sum((difference - difference.mean()) ** 2))
