"""How `method="sbpi"` ends: by which rule, and with which weights where rows stay wrong."""

import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from perceptrons import BinaryPerceptron
from perceptrons.binary.averaged_states import cut_averages
from perceptrons.binary.kept_rows import LabeledBits
from perceptrons.binary.sbpi import how_it_ends
from perceptrons.rows.packing import pack_rows
from tests.jit import JIT
from tests.naive import binary_votes as naive

pytestmark = pytest.mark.kernels


def noisy(seed, n=21, n_rows=400, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1, 1], (2 * n_rows, n))
    y = np.where(X[:, :9].sum(axis=1) > 0, 1, -1) * np.where(rng.random(2 * n_rows) < noise, -1, 1)
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def test_averages_are_cut_as_by_the_slow_twin():
    seen = Counter()
    for seed in range(60 if JIT else 10):
        rng = np.random.RandomState(seed)
        n, n_rows = [3, 20, 64, 65][seed % 4], 30
        X, sums = rng.choice([-1, 1], (n_rows, n)), rng.randint(-6, 7, n)
        y = np.where(X @ np.sign(sums) + rng.normal(size=n_rows) > 0, 1, -1)
        weights = [None, rng.randint(1, 4, n_rows), rng.randint(1, 9, n_rows) / 8][seed % 3]
        threshold = [None, 0, 2, -n - 5, n + 5][seed % 5]
        sums[0] = 1
        rows = LabeledBits(pack_rows(X), y > 0, weights)
        model = cut_averages(sums, rows, threshold)
        counted = [1] * n_rows if weights is None else weights.tolist()
        errors, w, r = naive.cut_averages(sums.tolist(), X.tolist(), y.tolist(), counted, threshold)
        assert (model.coef.tolist(), model.threshold, rows.errors(model)) == (w, r, errors)
        seen.update(wrong=int(errors > 0), cut=int(np.count_nonzero(w) < np.count_nonzero(sums)))
    assert min(seen.values()) > (30 if JIT else 5), seen


def test_a_run_ends_as_that_of_the_slow_twin():
    seen = Counter()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        errors = (3 + 60 * np.exp(-np.arange(601) / rng.uniform(1, 30)) + 4 * rng.random(601)).astype(int)
        errors[200:] -= 3 * (seed % 4 == 0)
        most = int(rng.choice([20, 200, 600]))
        best, found = errors[0], 0
        for epoch in range(601):  # as the run itself keeps its books
            if errors[epoch] < best:
                best, found = errors[epoch], epoch
            if ended := how_it_ends(best, epoch, found, most):
                break
        assert (epoch, ended) == naive.how_it_ends(errors.tolist(), most)
        seen[ended] += 1
    assert set(seen) == {"converged", "stalled", "max_epochs"}


def test_rows_that_cannot_all_be_right_end_without_a_warning():
    """And in averaged states that silence idle columns and know new rows better than the best state did."""
    averaged, best = [], []
    for seed in range(5 if JIT else 1):
        X, y, new_X, new_y = noisy(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = BinaryPerceptron(method="sbpi", random_state=0).fit(X, y)
        assert model.stopped_ in ("stalled", "max_epochs")
        assert not model.converged_
        assert 100 <= model.n_epochs_ <= 1000
        assert model.n_weights_ < 21
        averaged.append(model.score(new_X, new_y))
        with pytest.warns(ConvergenceWarning, match="Let max_epochs be 100 or more"):
            best.append(
                BinaryPerceptron(method="sbpi", max_epochs=1, random_state=0).fit(X, y).score(new_X, new_y)
            )
    assert np.mean(averaged) > 0.74


def test_a_run_that_gets_all_rows_right_keeps_what_it_found():
    rng = np.random.default_rng(0)
    target, X = rng.choice([-1, 1], 101), rng.choice([-1, 1], (404, 101))
    model = BinaryPerceptron(method="sbpi", random_state=0).fit(X, X @ target > 0)
    assert (model.stopped_, model.converged_) == ("converged", True)
    assert (model.coef_[0] == target).all()
    assert not hasattr(model.set_params(method="influence").fit(X, X @ target > 0), "stopped_")


def test_a_given_threshold_is_kept():
    X, y, *_ = noisy(1)
    for threshold in (0, 3):
        model = BinaryPerceptron(method="sbpi", threshold=threshold, random_state=0).fit(X, y)
        assert model.threshold_ == threshold
        assert model.score(X, y) > 0.6
