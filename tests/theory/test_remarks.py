"""Remarks of the papers that are nothing to compute with, put to the test."""

import itertools

import numpy as np
import pytest

from perceptrons.theory import Near, separate


@pytest.mark.parametrize("alpha", [1.01, 1.2, 1.5, 1.9, 1.99])
def test_equation_1_falls_from_t_1_on(alpha):
    """Moran et al., equation 1 and Appendix A: ½((t+1)^α − t^α − 1)/t^(α/2) is said to fall for t > 0. It is
    0 at t = 0 and rises up to t = 1; from there on it falls, and corrections are whole numbers."""
    t = np.linspace(1e-4, 50, 200_000)
    margin = 0.5 * ((t + 1) ** alpha - t**alpha - 1) / t ** (alpha / 2)
    assert (np.diff(margin[t <= 1]) > 0).all()
    assert (np.diff(margin[t >= 1]) < 0).all()


def test_precisely_one_holds_for_strong_separation():
    """Theorem 4.1: two sets that touch have distance 0, and a hyperplane lies between them all the same; what
    excludes the distance 0 is a hyperplane with a margin."""
    K, L = [[0.0], [1.0]], [[1.0], [2.0]]
    assert max(K)[0] <= 1.0 <= min(L)[0]
    for eps in (0.5, 0.1, 0.01):
        assert isinstance(separate(K, L, eps), Near)


def conjunctions(n, k):
    """All of at most k literals, and their negations, as columns of ±1 over all 2^n inputs."""
    rows = np.array([*itertools.product([0, 1], repeat=n)])
    literals = [(j, value) for j in range(n) for value in (0, 1)]
    columns = [np.ones(len(rows), int)]
    for size in range(1, k + 1):
        for chosen in itertools.combinations(literals, size):
            holds = np.all([rows[:, j] == value for j, value in chosen], axis=0)
            columns.append(np.where(holds, 1, -1))
    both = np.array(columns + [-column for column in columns])
    return np.unique(both, axis=0)


def test_lemma_1_of_jackson_and_craven():
    """Of s functions whose vote is f, one is wrong about f with probability ½ − 1/(2s) at most, whatever the
    distribution; so is the best of all conjunctions."""
    rng, nearest, tried = np.random.default_rng(0), 1.0, 0
    every = conjunctions(4, 2)
    for _ in range(400):
        s = int(rng.integers(1, 7))
        voters = every[rng.integers(len(every), size=s)]
        votes = voters.sum(axis=0)
        if (votes == 0).any():  # no perceptron of size s
            continue
        f = np.sign(votes)
        D = rng.dirichlet(np.full(len(f), 10.0 ** rng.uniform(-2, 1)))
        wrong = ((voters != f) @ D).min()
        assert wrong <= 0.5 - 0.5 / s + 1e-12
        assert ((every != f) @ D).min() <= wrong + 1e-12
        nearest, tried = min(nearest, 0.5 - 0.5 / s - wrong if s > 1 else 1.0), tried + 1
    assert tried > 100
    assert nearest < 0.2
    majority = np.array([*itertools.product([-1, 1], repeat=3)])  # of three, no two rows alike
    f, D = np.sign(majority.sum(axis=1)), (np.abs(majority.sum(axis=1)) == 1) / 6
    assert ((majority.T != f) @ D).min() == pytest.approx(0.5 - 1 / 6)  # the bound is reached
