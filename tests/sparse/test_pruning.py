"""The logistic unit and its pruning, against the slow twin, finite differences and invariances."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.sparse import logistic_unit
from perceptrons.sparse.conjunctions import arrange
from perceptrons.sparse.features import features_of
from perceptrons.sparse.logistic_unit import LogisticSample, LossPoint, train
from perceptrons.sparse.pruning import Pruning, descend, prune, saliences, survivors
from perceptrons.sparse.sparse_parameters import read_drop
from tests.naive import pruned as naive

pytestmark = pytest.mark.kernels

one_by_one = read_drop(None)


def draw(seed, k):
    """A table of letters with classes that follow some of them, the same in literals, and rows' weights."""
    rng = np.random.default_rng(seed)
    m, widths = int(rng.integers(30, 61)), rng.integers(2, 4, size=4 if k == 1 else 3)
    codes = np.array([rng.integers(width, size=m) for width in widths]).T
    noise = rng.normal(size=m)
    y = np.where(
        (codes[:, 0] == 0) + 1.0 * (codes[:, 1] == 1) - 0.6 + noise * rng.choice([0.2, 1.0]) > 0, 1, -1
    )
    y[:4] = [1, 1, -1, -1]
    literals = np.array([codes[:, j] == value for j in range(len(widths)) for value in range(widths[j])]).T
    weights = rng.integers(1, 4, size=m).astype(float) if seed % 2 else np.ones(m)
    return (
        np.array(list("abc"))[codes],
        literals.astype(np.uint8),
        np.repeat(range(len(widths)), widths),
        y,
        weights,
    )


def sample_of(literals, attributes, y, weights, k):
    found = features_of(arrange(literals, len(y), attributes), np.arange(len(y)), k)
    return LogisticSample(found.X, y, weights), found.places


def halves(sample, held_out):
    return [LogisticSample(*(part[rows] for part in sample)) for rows in (~held_out, held_out)]


def test_every_step_equals_the_twins():
    tables, trainings, ties = 0, 0, 0
    for seed in range(40):
        k, alpha = 1 + seed % 4 // 2, 10.0 ** -(1 + seed % 3)
        _, literals, attributes, y, weights = draw(seed, k)
        held_out = naive.split(y, 0.3, seed)
        steps = naive.prune(literals, y, weights, attributes, k, alpha, held_out)
        sample, places = sample_of(literals, attributes, y, weights, k)
        learn, test = halves(sample, held_out)
        ours = list(descend(learn, test.X, alpha, 100, one_by_one))
        kept = [[places[column] for column in columns] for columns, _, _ in ours]
        assert kept == [list(step.weights) for step in steps]
        for step, (_, _, unit) in zip(steps, ours, strict=True):
            assert unit.weights == pytest.approx([*step.weights.values()], rel=1e-6, abs=1e-8)
            assert unit.intercept == pytest.approx(step.intercept, rel=1e-6, abs=1e-8)
            assert saliences(unit) == pytest.approx([*step.saliences.values()], rel=1e-5, abs=1e-12)
        dropped = [(set(one) - set(other)).pop() for one, other in pairwise(kept)]
        assert dropped == [step.dropped for step in steps[:-1]]
        found = prune(learn, test, alpha, 100, one_by_one)
        assert found.path == [Pruning(len(step.weights), step.accuracy) for step in steps]
        assert [places[column] for column in found.columns] == [*naive.best(steps).weights]
        tables, trainings, ties = tables + 1, trainings + len(steps), ties + sum(step.tied for step in steps)
    assert tables == 40
    assert trainings > 600
    assert 0 < ties < 20


def numbers(seed, m=40, n=9):
    rng = np.random.default_rng(seed)
    X = (rng.random((m, n)) < 0.4).astype(float)
    y = np.where(X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=m) > 0.4, 1, -1)
    y[:2] = [1, -1]
    return LogisticSample(sp.csr_array(X), y, rng.random(m) + 0.1)


@pytest.mark.parametrize("seed", range(3))
def test_saliences_are_second_differences_of_the_loss(seed):
    sample, alpha, h = numbers(seed), 0.02, 1e-4
    unit = train(sample.select(np.arange(9)), alpha, 100, np.zeros(9), 0.0)
    F = naive.features(sample.X.toarray(), [(j,) for j in range(9)])
    theta = np.concatenate([[unit.intercept], unit.weights])

    def loss(change):
        return naive.loss(F, sample.signs, sample.weights, alpha, theta + change)

    bumps = h * np.eye(10)
    slopes = np.array([(loss(bump) - loss(-bump)) / (2 * h) for bump in bumps])
    curvatures = np.array([(loss(bump) + loss(-bump) - 2 * loss(0.0)) / h**2 for bump in bumps])
    assert abs(slopes).max() < 1e-8
    assert saliences(unit) == pytest.approx(curvatures[1:] * unit.weights**2 / 2, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(("m", "n"), [(40, 9), (20, 60)])
@pytest.mark.parametrize("alpha", [1e-8, 1e-3, 1.0, 1e6])
def test_all_ways_to_solve_find_the_same_optimum(m, n, alpha, monkeypatch):
    sample = numbers(m, m, n)
    units = []
    for direct, dense in ((500, 2**20), (500, 0), (0, 0)):
        monkeypatch.setattr(logistic_unit, "DIRECT", direct)
        monkeypatch.setattr(logistic_unit, "DENSE", dense)
        chosen = sample.select(np.arange(n))
        assert sp.issparse(chosen.X) == (dense == 0)
        units.append(train(chosen, alpha, 200, np.zeros(n), 0.0))
    assert all(unit.converged for unit in units)
    for unit in units[1:]:
        assert unit.weights == pytest.approx(units[0].weights, rel=1e-3 if alpha == 1e-8 else 1e-6, abs=1e-7)


def test_a_long_step_is_halved():
    sample = numbers(0)
    sample = LogisticSample(sample.X.toarray(), sample.signs, sample.weights)
    point = LossPoint(sample, 1e-3, np.zeros(9), 0.0)
    step, step_b = point.newton()
    there = point.beyond(1000 * step, 1000 * step_b)
    assert there.loss < point.loss
    assert abs(there.w).max() < 500 * abs(step).max()


def test_the_last_of_equal_values_is_dropped_first():
    assert survivors(np.array([4.0, 1.0, 1.0 + 1e-9, 9.0, 1.0]), 1).tolist() == [0, 1, 2, 3]
    assert survivors(np.array([4.0, 1.0, 1.0 + 1e-9, 9.0, 1.0]), 2).tolist() == [0, 1, 3]
    assert survivors(np.array([4.0, 1.01, 1.0, 9.0, 1.01]), 2).tolist() == [0, 1, 3]
    assert survivors(np.array([0.0, 1e-20, 9.0]), 2).tolist() == [2]
    assert survivors(np.array([2.0, 1.0]), 5).tolist() == []


def test_columns_that_hold_in_the_same_rows_are_dropped_from_the_end():
    X = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0], [1, 1, 0]] * 4)
    y = np.where(X[:, 0] * 2 - X[:, 2] > 0.5, 1, -1)
    sample = LogisticSample(sp.csr_array(X.astype(float)), y, np.ones(20))
    ours = [columns.tolist() for columns, _, _ in descend(sample, sample.X, 0.1, 100, one_by_one)]
    assert ours == [[0, 1, 2], [0, 1], [0], []]


@settings(deadline=None, max_examples=20, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_swapped_classes_negate_and_rows_in_another_order_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    learn, test = numbers(seed), numbers(seed + 1)
    paths = [[*descend(learn, test.X, 0.01, 100, one_by_one)]]
    paths.append([*descend(learn._replace(signs=-learn.signs), test.X, 0.01, 100, one_by_one)])
    order = rng.permutation(40)
    paths.append([*descend(LogisticSample(*(part[order] for part in learn)), test.X, 0.01, 100, one_by_one)])
    for (columns, _, unit), *others in zip(*paths, strict=True):
        for sign, (same, _, other) in zip((-1, 1), others, strict=True):
            assert same.tolist() == columns.tolist()
            assert sign * other.weights == pytest.approx(unit.weights, rel=1e-6, abs=1e-8)
            assert sign * other.intercept == pytest.approx(unit.intercept, rel=1e-6, abs=1e-8)
