"""Certificates are kept: on samples of two Gaussian clouds, where the error of a vector has a formula.

python -m tests.thorough tests/certification/test_kept.py -s
"""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binomtest

from perceptrons import Perceptron, SparsePerceptron, certify
from tests.sizes import cases

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
LEVEL, DRAWS = 0.001, 1000
CENTER = np.array([0.7, 0.0])


def sample(rng, n):
    """Rows around ±CENTER; both classes occur."""
    labels = np.append([0, 1], rng.integers(0, 2, n - 2))
    return rng.normal(size=(n, 2)) + np.where(labels[:, None] == 1, CENTER, -CENTER), labels


def true_error(model):
    """Of a hyperplane: the mean of both clouds."""
    w, b = model.coef_[0], model.intercept_[0]
    distances = (np.array([1, -1]) * b + w @ CENTER) / np.linalg.norm(w)
    return float(ndtr(-distances).mean())


def by_new_rows(rng, delta):
    model = Perceptron(random_state=0).fit(*sample(rng, 30))
    return certify(model, *sample(rng, 25), confidence=1 - delta).bound < true_error(model)


def by_rows_held_back(rng, delta):
    model = Perceptron(random_state=0)
    seed = int(rng.integers(1000))
    found = certify(model, *sample(rng, 60), holdback=0.4, confidence=1 - delta, random_state=seed)
    return found.bound < true_error(model)


def by_training_rows(rng, delta):
    """The smallest of all bounds on the model."""
    rows, labels = sample(rng, 150)
    model = Perceptron(random_state=0, fit_intercept=False).fit(rows, labels)
    found = certify(model, rows, labels, confidence=1 - delta)
    bounds = [one.value for one in found.statements if one.value is not None and "model" in one.about]
    return min(bounds) < true_error(model)


def by_a_card(rng, delta):
    """Names whose classes are a coin's: every card is wrong on half of the new rows."""
    rows, labels = rng.integers(0, 2, (30, 3)).astype(float), np.append([0, 1], rng.integers(0, 2, 28))
    card = SparsePerceptron(max_points=1, max_rules=1, k=1, random_state=0).fit(rows, labels)
    found = certify(card, rows, labels, confidence=1 - delta)
    return next(one.value for one in found.statements if one.value is not None) < 0.5


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("broken", "delta"),
    [
        (by_new_rows, 0.05),
        (by_new_rows, 0.3),
        (by_rows_held_back, 0.2),
        (by_training_rows, 0.3),
        (by_a_card, 0.5),
    ],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_no_certificate_breaks_too_often(broken, delta):
    draws = cases(DRAWS)
    n_broken = sum(bool(broken(np.random.default_rng(seed), delta)) for seed in range(draws))
    print(f"{broken.__name__}: {n_broken} of {draws} broke, {delta:g} may")
    assert binomtest(n_broken, draws, delta, alternative="greater").pvalue > LEVEL
    if broken is by_new_rows:
        assert n_broken > 0.3 * delta * draws  # it is exact, not timid
