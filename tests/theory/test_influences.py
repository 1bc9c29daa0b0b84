"""Influences of binary-weight perceptrons: beside all rows, one by one; the gaps of Lemma 2; Lemma 1."""

import itertools

import numpy as np
import pytest

from perceptrons import BinaryPerceptron
from perceptrons.synthetic import product
from perceptrons.theory import bounds, influences
from perceptrons.theory.influences import agreement_chances
from tests.sizes import cases


def slow_influences(w, theta, p):
    """Equation 2, and P(+), by all 2^n rows."""
    chance = {True: [0.0] * len(w), False: [0.0] * len(w)}  # of + together with x_i = +1 and −1
    positive = 0.0
    for row in itertools.product([-1, 1], repeat=len(w)):
        likely = np.prod([q if x > 0 else 1 - q for x, q in zip(row, p, strict=True)])
        if sum(a * x for a, x in zip(w, row, strict=True)) > theta:
            positive += likely
            for i, x in enumerate(row):
                chance[x > 0][i] += likely
    gaps = [chance[True][i] / p[i] - chance[False][i] / (1 - p[i]) for i in range(len(w))]
    return [2 * gap for gap in gaps], positive


def random_target(rng, n):
    return rng.choice([-1, 1], n), int(rng.integers(-n - 1, n + 1)), rng.uniform(0.02, 0.98, n)


@pytest.mark.thorough
def test_they_are_those_of_all_rows_and_never_in_the_gap():
    """2ρ/√(3n−2) is proved, and more than the paper's ρ/(n+1) for every n."""
    rng, informative, nearest = np.random.default_rng(0), 0, np.inf
    for _ in range(cases(2_000, share=20)):
        n = int(rng.integers(1, 8))
        w, theta, p = random_target(rng, n)
        found, (positive, negative) = influences(w, theta, p), agreement_chances(w, theta, p)
        slow, slow_positive = slow_influences(w, theta, p)
        assert found == pytest.approx(slow, abs=1e-12)
        assert positive == pytest.approx(slow_positive)
        assert positive + negative == pytest.approx(1)
        rho = min(positive, negative)
        if rho > 1e-9:
            informative += 1
            assert bounds.influence_gap(rho, n) > rho / (n + 1)
            assert (w * found > bounds.influence_gap(rho, n) * (1 - 1e-9)).all()
            nearest = min(nearest, (w * found).min() / bounds.influence_gap(rho, n))
    assert informative > 30
    assert nearest < 8


def test_each_step_of_the_proof():
    """The mode of a sum of ±1 variables is at least 1/√(1 + 12σ²), which is at least 1/√(3n − 2); and
    log-concavity makes the height at k at least the mode times the smaller of the two tails that include
    k."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(1, 14))
        p = rng.uniform(0.0, 1.0, n - 1)
        counts = np.ones(1)
        for q in p:
            counts = np.convolve(counts, [1 - q, q])
        least = 1 / np.sqrt(1 + 12 * (p * (1 - p)).sum())
        assert counts.max() >= least * (1 - 1e-12)
        assert least >= 1 / np.sqrt(3 * n - 2) * (1 - 1e-12)
        above, below = counts[::-1].cumsum()[::-1], counts.cumsum()
        assert (counts >= counts.max() * np.minimum(above, below) * (1 - 1e-9)).all()


def test_the_sample_size_needs_no_more_than_the_square_of_n():
    sharper, printed = (
        bounds.sharper_influence_sample_size([10, 1000], 0.1, 0.05),
        bounds.influence_sample_size([10, 1000], 0.1, 0.05),
    )
    assert sharper[0] == pytest.approx(3.1e8, rel=0.02)
    assert printed[0] / sharper[0] > 8e4
    assert (printed / sharper)[1] > 1e3 * (printed / sharper)[0]


def test_lemma_1_what_is_nearly_constant_can_be_neglected():
    """P(g ≠ g′) ≤ P(x_i = −a) where x_i is set to a."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        n = int(rng.integers(2, 7))
        w, theta, p = random_target(rng, n)
        i, a = int(rng.integers(n)), int(rng.choice([-1, 1]))
        wrong = 0.0
        for row in itertools.product([-1, 1], repeat=n):
            changed = [a if j == i else x for j, x in enumerate(row)]
            likely = np.prod([q if x > 0 else 1 - q for x, q in zip(row, p, strict=True)])
            wrong += likely * ((w @ np.array(row) > theta) != (w @ np.array(changed) > theta))
        assert wrong <= (1 - p[i] if a > 0 else p[i]) + 1e-12


def test_the_learner_estimates_them():
    w, theta, p = [1, -1, 1, 1, -1], 0, [0.3, 0.6, 0.5, 0.8, 0.4]
    X, y, _ = product(200_000, p, weights=w, threshold=theta, random_state=0)
    model = BinaryPerceptron(method="influence", epsilon=0.1, threshold=0).fit(X, y)
    assert model.influence_.ravel() == pytest.approx(influences(w, theta, p), abs=0.03)


def test_what_is_no_target_is_refused():
    with pytest.raises(ValueError, match="all must be -1 or 1"):
        influences([1, 0], 0, [0.5, 0.5])
    with pytest.raises(ValueError, match="probabilities of x_i"):
        influences([1, 1], 0, [0.5, 1.5])
    with pytest.raises(ValueError, match=r"rho = 1.*\(0, 1\)"):
        bounds.influence_gap(1, 3)
