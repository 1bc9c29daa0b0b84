"""Whole points: their loss is the twin's, no single change lowers it, and few beat it."""

import numpy as np
import pytest

from perceptrons.sparse.rounding import rounded
from perceptrons.sparse.surgery import STEPS, newton
from tests.naive import joint as naive

pytestmark = pytest.mark.kernels
ALPHA = 1.0


def free(columns):
    """No column has a sign, and none must be kept."""
    return np.zeros(len(columns), np.int64), np.zeros(len(columns), np.bool_)


def problem(seed, n_columns=3, n_rows=50):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_columns, n_rows)).astype(np.uint8)
    signs = np.where(2.0 * X[0] - X[1] + rng.normal(0, 0.8, n_rows) > 0.5, 1.0, -1.0)
    return X, signs, rng.integers(1, 3, n_rows).astype(float)


def card(seed, most, n_columns=3, keep=None):
    X, signs, weights = problem(seed, n_columns)
    v = np.zeros(n_columns + 1)
    newton(np.vstack([X, np.ones(X.shape[1])]).astype(float), signs, weights, ALPHA, v, STEPS, 1e-8)
    start = v[:-1].copy()
    if keep is not None:
        start[keep:] = 0.0
    up, down = np.where(signs > 0, weights, 0.0), np.where(signs > 0, 0.0, weights)
    return X, signs, weights, *rounded(X, up, down, start, v[-1], most, ALPHA, *free(X))


@pytest.mark.parametrize("seed", range(6))
def test_the_loss_is_the_twins_and_no_step_lowers_it(seed):
    X, signs, weights, points, line = card(seed, 5)
    told = (X.T.tolist(), signs.tolist(), weights.tolist())
    own = naive.card_loss(*told, points.tolist(), ALPHA)
    unit = np.gcd.reduce(points)
    assert unit == 1
    assert line[0] > 0.0
    assert abs(points).max() <= 5
    totals = points @ X
    loss = sum(
        p * naive.loss_of(line[0] * t + line[1], y) for t, y, p in zip(totals, signs, weights, strict=True)
    )
    assert loss + 0.5 * ALPHA * line[0] ** 2 * points @ points == pytest.approx(own, rel=1e-6)


def test_few_cards_are_better():
    near = 0
    for seed in range(8):
        X, signs, weights, points, _ = card(seed, 2)
        told = (X.T.tolist(), signs.tolist(), weights.tolist())
        own, best = naive.card_loss(*told, points.tolist(), ALPHA), naive.best_card(*told, 2, ALPHA)
        assert own <= 1.03 * best
        near += own <= best * (1 + 1e-6)
    assert near >= 5


def test_a_better_rule_takes_the_place_of_another():
    """Only the first column may start; it says nothing, the others do."""
    moved = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (3, 60)).astype(np.uint8)
        signs = np.where(X[1], 1.0, -1.0)
        up, down = np.where(signs > 0, 1.0, 0.0), np.where(signs > 0, 0.0, 1.0)
        points, line = rounded(X, up, down, np.array([0.5, 0.0, 0.0]), 0.0, 5, ALPHA, *free(X))
        assert np.count_nonzero(points) == 1
        assert np.isfinite(line).all()
        moved += points[1] == 1
    assert moved == 10


def test_without_rules_there_is_the_constant():
    X, signs, weights = problem(0)
    up, down = np.where(signs > 0, weights, 0.0), np.where(signs > 0, 0.0, weights)
    points, line = rounded(X, up, down, np.zeros(3), 0.3, 5, ALPHA, *free(X))
    assert not points.any()
    assert line[1] == pytest.approx(np.log(up.sum() / down.sum()), abs=1e-5)


def test_last_bits_of_the_weights_do_not_matter():
    """At 0.7 of five points the largest weight is half a point; one card in smaller points has one loss."""
    kept = set()
    for seed in (2, 18, 32):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (8, 120)).astype(np.uint8)
        signs = np.where(2.0 * (X[0] + X[1] - X[2]) + X[3] + rng.normal(0, 1.5, 120) > 1.5, 1.0, -1.0)
        up, down = (signs > 0).astype(float), (signs < 0).astype(float)
        for start in (2.39, 2.21, -2.23), (2.3, 2.2, -2.2):
            noise = 1 + 1e-13 * rng.normal(size=(8, 8))
            starts = np.append(start, np.zeros(5)) * noise
            cards = [rounded(X, up, down, one, -1.0, 5, ALPHA, *free(X))[0] for one in starts]
            assert len({tuple(card.tolist()) for card in cards}) == 1
            kept.add(tuple(cards[0].tolist()))
    assert len(kept) >= 3
