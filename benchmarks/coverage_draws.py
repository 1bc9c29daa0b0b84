"""Distributions that are known, and how often a promise breaks on samples drawn from them.

Each case draws samples, computes what is promised from each, and compares it with the truth: an error or a
mean that is known exactly, or by a formula. Sizes and shares are such that the promise nearly breaks, as far
as a case can have that; some samples are small, some classes rare, some scores tied.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import binomtest

from perceptrons.theory import held_out, occam, online, pac_bayes

Draw = Callable[[np.random.Generator, int], int]  # a source, how many samples → how often it broke


class Case(NamedTuple):
    promise: str
    about: str  # the distribution, in words
    delta: float
    broken: Draw

    def p_value(self, n_broken: int, n_draws: int) -> float:
        """How likely so many breaks, or more, are of a promise that keeps its word."""
        return float(binomtest(n_broken, n_draws, self.delta, alternative="greater").pvalue)


def _upper(p: float, n: int, delta: float) -> Draw:
    return lambda rng, draws: int((held_out.binomial_upper(rng.binomial(n, p, draws), n, delta) < p).sum())


def _lower(p: float, n: int, delta: float) -> Draw:
    return lambda rng, draws: int((held_out.binomial_lower(rng.binomial(n, p, draws), n, delta) > p).sum())


def _chernoff(p: float, n: int, delta: float) -> Draw:
    cost = -np.log(delta) / n
    return lambda rng, draws: int((held_out.inverse_kl(rng.binomial(n, p, draws) / n, cost) < p).sum())


def _losses(values: list[float], shares: list[float], n: int, delta: float) -> Draw:
    def broken(rng: np.random.Generator, draws: int) -> int:
        means = rng.multinomial(n, shares, draws) @ np.array(values) / n
        return int((held_out.hoeffding_bentkus(means, n, delta) < np.dot(values, shares)).sum())

    return broken


def _sequence(rates: list[float], n: int, max_error: float, delta: float) -> Draw:
    """Groups of rows of equal size, the surest first, wrong at these rates; thresholds lie between them."""
    true = np.cumsum(rates) / np.arange(1, len(rates) + 1)

    def broken(rng: np.random.Generator, draws: int) -> int:
        count = 0
        for _ in range(draws):
            answered = rng.multinomial(n, np.full(len(rates), 1 / len(rates)))
            errors = rng.binomial(answered, rates)
            place = held_out.fixed_sequence(errors.cumsum(), answered.cumsum(), max_error, delta)
            count += place >= 0 and true[place] > max_error
        return count

    return broken


def _savings(values: list[float], shares: list[float], n: int, delta: float) -> Draw:
    width, mean = max(values) - min(values), float(np.dot(values, shares))

    def broken(rng: np.random.Generator, draws: int) -> int:
        found = rng.multinomial(n, shares, draws) @ np.array(values) / n
        ends = [held_out.saving_interval(float(one), width, n, delta) for one in found]
        return sum(not low <= mean <= high for low, high in ends)

    return broken


def _pays_not(values: list[float], shares: list[float], n: int, delta: float) -> Draw:
    """Rejections that save nothing on average: how often the confidence reaches 1 − delta."""
    width = max(values) - min(values)

    def broken(rng: np.random.Generator, draws: int) -> int:
        found = rng.multinomial(n, shares, draws) @ np.array(values) / n
        return int((held_out.saving_confidence(found, width, n) >= 1 - delta).sum())

    return broken


def _tail(n: int, delta: float, digits: int) -> Draw:
    """Margins uniform in −½…½, rounded so that there are ties; the share below gamma is known."""
    gamma = -0.4
    values = np.unique(np.round(np.linspace(-0.5, 0.5, 100_001), digits))
    share = float(np.mean(np.round(np.linspace(-0.5, 0.5, 100_001), digits) < gamma))

    def broken(rng: np.random.Generator, draws: int) -> int:
        sets = rng.choice(np.round(np.linspace(-0.5, 0.5, 100_001), digits), (draws, n))
        return sum(held_out.margin_tail(one, gamma, delta) < share for one in sets)

    assert len(values) > 1
    return broken


def _curve(n: int, delta: float) -> Draw:
    """Margins uniform in 0…1: the share below gamma is gamma, for all gamma at once."""

    def broken(rng: np.random.Generator, draws: int) -> int:
        sets = np.sort(rng.random((draws, n)))  # the curve is nearest the truth at the margins themselves
        return sum((held_out.margin_curve(one, one, delta) < one).any() for one in sets)

    return broken


def _clouds(rng: np.random.Generator, n: int, center: np.ndarray) -> np.ndarray:
    """Rows times their signs, of two Gaussian clouds around ±center: w is wrong where its product is ≤ 0."""
    return rng.standard_normal((n, len(center))) + center


def _center(n_features: int, distance: float) -> np.ndarray:
    return np.eye(1, n_features)[0] * distance


def _error(w: np.ndarray, center: np.ndarray) -> np.ndarray:
    return np.asarray(ndtr(-(w @ center) / np.linalg.norm(w, axis=-1)))


def _pac_bayes(n: int, n_features: int, distance: float, delta: float) -> Draw:
    center = _center(n_features, distance)

    def broken(rng: np.random.Generator, draws: int) -> int:
        count = 0
        for _ in range(draws):
            rows = _clouds(rng, n, center)
            w = rows.mean(axis=0)
            margins = rows @ w / np.linalg.norm(w) / np.linalg.norm(rows, axis=1)
            count += pac_bayes.pac_bayes_margin(margins, n_features, delta) < _error(w, center)
        return count

    return broken


def _first_pass(n: int, n_features: int, distance: float, delta: float) -> Draw:
    """The classical perceptron's first pass; the errors of all its vectors are known by a formula."""
    center = _center(n_features, distance)

    def broken(rng: np.random.Generator, draws: int) -> int:
        count = 0
        for _ in range(draws):
            rows, vectors = _clouds(rng, n, center), np.zeros((n + 1, n_features))
            mistakes = 0
            for t, row in enumerate(rows):
                wrong = row @ vectors[t] <= 0.0
                mistakes += wrong
                vectors[t + 1] = vectors[t] + wrong * row
            mean = (1.0 + _error(vectors[1:-1], center).sum()) / n  # w = 0 answers nothing right
            count += online.online_to_batch(mistakes, n, delta) < mean
        return count

    return broken


def _coins(errors: list[float], n: int, delta: float) -> Draw:
    """Vectors of these errors, in turns: no learner, but near the bound."""
    mean = float(np.mean(errors))

    def broken(rng: np.random.Generator, draws: int) -> int:
        mistakes = rng.binomial(n // len(errors), errors, (draws, len(errors))).sum(axis=1)
        return int((online.online_to_batch(mistakes, n, delta) < mean).sum())

    return broken


def _snapshots(p: float, sizes: list[int], delta: float) -> Draw:
    def broken(rng: np.random.Generator, draws: int) -> int:
        errors = rng.binomial(sizes, p, (draws, len(sizes)))
        bounds = online.frozen_bound(errors, np.array(sizes), len(sizes), delta)
        return int((np.asarray(bounds).min(axis=1) < p).sum())

    return broken


def _best_of(n_models: int, p: float, n: int, delta: float) -> Draw:
    """The best of models that err independently of one another, all equally often: the worst for Occam."""

    def broken(rng: np.random.Generator, draws: int) -> int:
        least = np.array([rng.binomial(n, p, n_models).min() for _ in range(draws)])
        return int((np.asarray(occam.occam_bound(least, n, np.log(n_models), delta)) < p).sum())

    return broken


CASES = [
    Case("error on new rows (Clopper–Pearson)", "59 rows, 5 % wrong", 0.05, _upper(0.0501, 59, 0.05)),
    Case("error on new rows (Clopper–Pearson)", "12 rows, 30 % wrong", 0.1, _upper(0.3, 12, 0.1)),
    Case("error on new rows (Clopper–Pearson)", "2,000 rows, 0.15 % wrong", 0.05, _upper(0.0015, 2000, 0.05)),
    Case("least error on new rows", "40 rows, 20 % wrong", 0.05, _lower(0.2, 40, 0.05)),
    Case("Chernoff, kl inverse", "100 rows, 10 % wrong", 0.05, _chernoff(0.1, 100, 0.05)),
    Case(
        "mean cost (Hoeffding–Bentkus)",
        "100 rows that cost 0, 0.2 or 1",
        0.05,
        _losses([0.0, 0.2, 1.0], [0.6, 0.3, 0.1], 100, 0.05),
    ),
    Case(
        "mean cost (Hoeffding–Bentkus)",
        "30 rows, a rare cost of 1",
        0.1,
        _losses([0.0, 1.0], [0.92, 0.08], 30, 0.1),
    ),
    Case(
        "error of answered rows (fixed sequence)",
        "1,000 rows, error just above 5 % everywhere",
        0.05,
        _sequence([0.0501] * 10, 1000, 0.05, 0.05),
    ),
    Case(
        "error of answered rows (fixed sequence)",
        "600 rows, error rises with doubt",
        0.05,
        _sequence([0.0, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4], 600, 0.05, 0.05),
    ),
    Case(
        "error of answered rows (fixed sequence)",
        "300 rows, the surest are the worst",
        0.1,
        _sequence([0.11, 0.09, 0.12, 0.1, 0.12, 0.13], 300, 0.1, 0.1),
    ),
    Case(
        "saving per rejected row",
        "50 rejected rows, costs by class",
        0.05,
        _savings([-0.3, 0.7, 4.7], [0.6, 0.3, 0.1], 50, 0.05),
    ),
    Case(
        "rejections pay",
        "80 rejected rows that save nothing",
        0.05,
        _pays_not([-1.0, 1.0], [0.5, 0.5], 80, 0.05),
    ),
    Case("margins of new rows, one gamma", "60 rows, margins tied in tenths", 0.05, _tail(60, 0.05, 1)),
    Case("margins of new rows, all gammas", "50 rows", 0.05, _curve(50, 0.05)),
    Case("PAC-Bayes margin", "100 rows, 3 columns", 0.05, _pac_bayes(100, 3, 1.5, 0.05)),
    Case("PAC-Bayes margin", "20 rows, 10 columns", 0.2, _pac_bayes(20, 10, 1.0, 0.2)),
    Case("online-to-batch, perceptron", "200 rows, 5 columns", 0.05, _first_pass(200, 5, 1.5, 0.05)),
    Case("online-to-batch, equal errors", "200 rows, 10 % wrong", 0.2, _coins([0.1], 200, 0.2)),
    Case(
        "online-to-batch, unequal errors", "120 rows, 1 % and 30 % wrong", 0.2, _coins([0.01, 0.3], 120, 0.2)
    ),
    Case("frozen vectors", "500, 200 and 60 rows, 10 % wrong", 0.05, _snapshots(0.1, [500, 200, 60], 0.05)),
    Case("Occam", "the best of 1,000 guesses, 100 rows", 0.05, _best_of(1000, 0.5, 100, 0.05)),
    Case("Occam", "the best of 200, 5 % wrong, 300 rows", 0.1, _best_of(200, 0.05, 300, 0.1)),
]
