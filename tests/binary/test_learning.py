"""The paper's own examples and curves: what influences and the clipped Hebb rule find."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from perceptrons import BinaryPerceptron
from perceptrons.theory.curves import exact_agreement, exact_overlap, learning_curve, limit_overlap
from tests.jit import JIT

pytestmark = pytest.mark.kernels


def malicious(rng, n_rows, noise=0.0):
    """Eleven weights +1, threshold 0, and a product distribution whose correlations mislead."""
    X = np.where(rng.random((n_rows, 11)) < OFTEN, 1, -1).astype(np.int8)
    y = np.where(X.sum(axis=1) > 0, 1, -1)
    return X, np.where(rng.random(n_rows) < noise, -y, y)


OFTEN = np.array([0.15] * 3 + [0.7] * 8)
ALL = np.array(list(product([-1, 1], repeat=11)))


def exact_error(model):
    """Over all 2¹¹ inputs, each as likely as it is."""
    likely = np.where(ALL > 0, OFTEN, 1 - OFTEN).prod(axis=1)
    return likely[model.predict(ALL) != np.where(ALL.sum(axis=1) > 0, 1, -1)].sum()


def test_influence_sees_through_a_product_distribution():
    X, y = malicious(np.random.default_rng(0), 20_000 if JIT else 4000)
    for threshold in ["min-error", "figure-1"]:
        model = BinaryPerceptron(threshold=threshold).fit(X, y)
        assert model.coef_.tolist() == [[1] * 11]
        assert exact_error(model) == 0
    hebb = BinaryPerceptron(method="clipped-hebb").fit(X, y)
    assert hebb.coef_.tolist() == [[-1] * 3 + [1] * 8]
    assert 0.30 < exact_error(hebb) < 0.34


def test_noise_breaks_the_threshold_of_figure_1():
    """ε/4 is 0.025: with more wrong labels no threshold is pure until hardly a row is left."""
    X, y = malicious(np.random.default_rng(1), 20_000 if JIT else 4000, noise=0.1)
    broken, good = (BinaryPerceptron(threshold=how).fit(X, y) for how in ["figure-1", "min-error"])
    assert broken.coef_.tolist() == good.coef_.tolist() == [[1] * 11]
    assert 0.65 < exact_error(broken) < 0.67  # all that is positive
    assert exact_error(good) == 0


def random_samples(rng, n, n_rows):
    """Uniform rows of ±1 as bytes, a target, its labels."""
    bits = np.unpackbits(rng.integers(0, 256, (n_rows, -(-n // 8)), np.uint8), axis=1)[:, :n]
    X = bits.astype(np.int8) * np.int8(2) - np.int8(1)
    target = rng.choice([-1, 1], n)
    return X, target, np.where(X.astype(np.float32) @ target.astype(np.float32) > 0, 1, -1)


def test_clipped_hebb_learns_along_the_curve_of_the_paper():
    """Equations 33 and 34, and the same with n and m finite.

    By chance one point in twenty is beyond two standard errors, so there must be twenty or more to judge.
    """
    n, n_samples = 500 if JIT else 51, 50
    rng = np.random.default_rng(5)
    beyond = []
    for alpha, noise in product(
        [0.25, 0.5, 1, 2, 4, 8] if JIT else [0.25, 0.5, 1, 2], [0, 0.1, 0.2, 0.3, 0.4]
    ):
        overlaps = [learned_overlap(rng, n, int(alpha * n), noise) for _ in range(n_samples)]
        rates = exact_agreement(n, [round(n * (1 - rho) / 2) for rho in overlaps])
        for measured, predicted in [
            (overlaps, limit_overlap(alpha, noise)),
            (rates, learning_curve(alpha, noise)),
        ]:
            error = np.std(measured, ddof=1) / sqrt(n_samples)
            assert abs(np.mean(measured) - predicted) < max(0.01, 4 * error), (alpha, noise)
        error = np.std(overlaps, ddof=1) / sqrt(n_samples)
        beyond.append(abs(np.mean(overlaps) - exact_overlap(n, int(alpha * n), noise)) / error)
    assert max(beyond) < 4
    assert np.mean(np.array(beyond) < 2) >= 0.9


def learned_overlap(rng, n, n_rows, noise):
    X, target, y = random_samples(rng, n, n_rows)
    y = np.where(rng.random(n_rows) < noise, -y, y)
    return BinaryPerceptron(method="clipped-hebb").fit(X, y).coef_[0] @ target / n


def test_rows_agree_as_often_as_the_overlap_says():
    rng = np.random.default_rng(6)
    n, n_rows = 101, 20_000 if JIT else 2000
    X, target, y = random_samples(rng, n, 2 * n)
    model = BinaryPerceptron(method="clipped-hebb").fit(X, y)
    rate = exact_agreement(n, int(np.sum(model.coef_[0] != target)))
    fresh = random_samples(rng, n, n_rows)[0]
    seen = np.mean(model.predict(fresh) == np.where(fresh @ target.astype(np.int64) > 0, 1, -1))
    assert 0.75 < rate < 0.95
    assert abs(seen - rate) < 4 * sqrt(rate * (1 - rate) / n_rows)
