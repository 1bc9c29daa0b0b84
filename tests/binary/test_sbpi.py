"""`method="sbpi"`: targets of binary weights are found, balanced or not, with and without a threshold."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from perceptrons import BinaryPerceptron
from perceptrons.binary import learning
from perceptrons.binary.binary_parameters import read_parameters
from perceptrons.binary.kept_rows import LabeledBits
from perceptrons.binary.learning import final_threshold
from perceptrons.binary.packed_perceptron import pack_weights
from perceptrons.binary.sbpi import NEAR, UNIT, HiddenWeights, sbpi_steps, sweep
from perceptrons.rows.bits import Bits
from perceptrons.rows.packing import pack_rows
from perceptrons.synthetic import product
from perceptrons.theory.curves import exact_agreement
from tests.jit import JIT
from tests.naive import binary as naive

pytestmark = pytest.mark.kernels

SEEDS = range(5) if JIT else range(1)


def n_(columns):
    """So many columns; fewer where nothing is compiled, an odd number if it was one."""
    return columns if JIT else 100 + columns % 2


def teacher(n, load, seed, **how):
    """Rows and labels of a random target; its seed is none that a learner gets."""
    return product(int(load * n), how.pop("shares", n), random_state=10_000 + seed, **how)


def learn(data, seed, **parameters):
    return BinaryPerceptron(method="sbpi", random_state=seed, **parameters).fit(data.X, data.y)


def generalization(model, weights):
    return exact_agreement(len(weights), int(np.count_nonzero(model.coef_[0] != weights)))


@pytest.mark.parametrize("threshold", [0, "auto"])
@pytest.mark.parametrize("load", [0.3, 0.5, 0.7])
def test_few_rows_are_all_learned(load, threshold):
    for seed in SEEDS:
        data = teacher(n_(1001), load, seed)
        model = learn(data, seed, threshold=threshold)
        assert model.converged_
        assert model.score(data.X, data.y) == 1.0
        assert 1 <= model.n_epochs_ <= 300


@pytest.mark.parametrize("columns", [1001, 1000])
@pytest.mark.parametrize("threshold", [0, "auto", "min-error", "figure-1"])
def test_twice_as_many_rows_as_columns_give_the_target_itself(columns, threshold):
    for seed in SEEDS:
        data = teacher(n_(columns), 2 if JIT else 4, seed)
        model = learn(data, seed, threshold=threshold)
        assert model.converged_
        assert (model.coef_[0] == data.weights).all()
        assert model.score(data.X, data.y) == 1.0
        hebb = BinaryPerceptron(method="clipped-hebb").fit(data.X, data.y)
        assert generalization(model, data.weights) == 1.0 > 0.9 > generalization(hebb, data.weights)


def unbalanced(low, high, seed):
    """Shares of +1 between these, random weights, and the threshold at which both classes are as frequent."""
    rng = np.random.default_rng(20_000 + seed)
    shares, weights = rng.uniform(low, high, 301), rng.choice([-1, 1], 301)
    return {"shares": shares, "weights": weights, "threshold": round(float((2 * shares - 1) @ weights))}


def rare_columns(seed):
    return teacher(301, 4 if JIT else 0.5, seed, **unbalanced(0.02, 0.1, seed))


@pytest.mark.parametrize("low_high", [(0.3, 0.7), (0.05, 0.3), (0.02, 0.1)])
def test_unbalanced_columns_and_thresholds(low_high):
    for seed in SEEDS:
        how = unbalanced(*low_high, seed)
        data = teacher(301, 4 if JIT else 0.5, seed, **how)
        model = learn(data, seed, max_epochs=300)
        assert model.converged_
        if JIT:
            new = teacher(301, 10, 99 + seed, **how)
            assert model.score(new.X, new.y) > 0.99


def test_columns_that_do_not_change_have_no_part():
    data = teacher(n_(201), 4, 0)
    X = np.column_stack([np.ones(len(data.X), np.int8), data.X, -np.ones(len(data.X), np.int8)])
    model = BinaryPerceptron(method="sbpi", random_state=0).fit(X, data.y)
    assert model.converged_
    assert model.coef_[0, [0, -1]].tolist() == [0, 0]
    assert model.neglected_[[0, -1]].all()
    assert (model.coef_[0, 1:-1] == data.weights).all()


def test_only_constant_columns():
    with pytest.warns(ConvergenceWarning, match=r"After max_epochs=5, 40 % of the training rows are wrong"):
        model = BinaryPerceptron(method="sbpi", max_epochs=5).fit(np.ones((5, 3)), [0, 0, 1, 1, 1])
    assert model.predict(np.ones((2, 3))).tolist() == [1, 1]


def test_noise_ends_at_the_cap_with_the_best_state():
    data = teacher(51, 20 if JIT else 5, 0, noise=0.2)
    with pytest.warns(ConvergenceWarning, match="After max_epochs=20"):
        model = learn(data, 0, max_epochs=20)
    assert (model.n_epochs_, model.converged_) == (20, False)
    influence = BinaryPerceptron(epsilon=0.1).fit(data.X, data.y)
    assert model.score(data.X, data.y) >= influence.score(data.X, data.y)  # where it begins
    with pytest.warns(ConvergenceWarning):
        more = learn(data, 0, max_epochs=40)
    assert more.score(data.X, data.y) >= model.score(data.X, data.y)


def test_a_learned_threshold_stays_unless_another_makes_fewer_errors():
    data = teacher(31, 10, 0, noise=0.1)
    rows = LabeledBits(pack_rows(data.X), data.y > 0, None)
    parameters = read_parameters(BinaryPerceptron(method="sbpi"))
    errors = {r: rows.errors(pack_weights(data.weights, r)) for r in range(-32, 32)}
    fewest = min(errors.values())
    for threshold, made in errors.items():
        chosen = final_threshold(pack_weights(data.weights, threshold), parameters, rows)
        assert rows.errors(chosen) == fewest
        assert (chosen.threshold == threshold) == (made == fewest)
    assert errors[10] > fewest == errors[0] == errors[-1]


def test_a_seed_makes_it_repeatable_and_rows_may_be_sparse():
    data = teacher(n_(131), 0.7, 1)
    first, again = learn(data, 7), learn(data, 7)
    assert (first.coef_ == again.coef_).all()
    assert first.n_epochs_ == again.n_epochs_ > 0
    sparse = BinaryPerceptron(method="sbpi", random_state=7).fit(sp.csr_array((data.X > 0) * 1.0), data.y)
    assert (first.coef_ == sparse.coef_).all()
    assert first.n_epochs_ == sparse.n_epochs_
    assert (learn(data, 8).coef_ != first.coef_).any()


def test_weights_are_repetitions():
    data = teacher(n_(101), 0.7, 3)
    weights = np.random.default_rng(0).integers(0, 4, len(data.y))
    weighed = BinaryPerceptron(method="sbpi", random_state=1).fit(data.X, data.y, sample_weight=weights)
    repeated = BinaryPerceptron(method="sbpi", random_state=1)
    repeated.fit(np.repeat(data.X, weights, axis=0), np.repeat(data.y, weights))
    assert (weighed.coef_ == repeated.coef_).all()
    assert weighed.n_epochs_ == repeated.n_epochs_ > 0
    alike = BinaryPerceptron(method="sbpi", random_state=1)
    alike.fit(data.X, data.y, sample_weight=np.full(len(data.y), 0.1))
    assert (alike.coef_ == learn(data, 1).coef_).all()


def test_the_plain_rule_does_not_find_rare_values(monkeypatch):
    """Means are taken off, or it fails."""
    monkeypatch.setattr(learning, "sbpi_steps", lambda means, neglected: sbpi_steps(0 * means, neglected))
    with pytest.warns(ConvergenceWarning):
        model = learn(rare_columns(0), 0, max_epochs=99 if JIT else 10)
    assert not model.converged_


def test_rows_of_weight_zero_are_absent_and_heavy_ones_come_first():
    """Contradictory twins: the heavier one is learned."""
    data = teacher(n_(101), 0.5, 2)
    X, y = np.concatenate([data.X, data.X]), np.concatenate([data.y, -data.y])
    weights = np.repeat([5, 0], len(data.y))
    model = BinaryPerceptron(method="sbpi", random_state=0).fit(X, y, sample_weight=weights)
    assert model.converged_
    assert model.score(data.X, data.y) == 1.0
    with pytest.warns(ConvergenceWarning):
        heavy = [
            BinaryPerceptron(method="sbpi", random_state=0, max_epochs=30).fit(X, y, sample_weight=weights)
            for weights in (np.repeat([9, 1], len(data.y)), np.repeat([0.9, 0.1], len(data.y)))
        ]
    assert all(model.score(data.X, data.y) > 0.9 for model in heavy)


def test_hidden_states_move_as_those_of_the_slow_twin():
    seen = Counter()
    for seed in range(60 if JIT else 12):
        rng = np.random.RandomState(seed)
        n, n_rows = [3, 20, 63, 64, 65, 130][seed % 6], 40 if seed % 10 else 2 * NEAR + 5
        X, y = rng.choice([-1, 1], (n_rows, n)), rng.choice([-1, 1], n_rows)
        neglected, means = rng.rand(n) < 0.2, rng.randint(-3, 4, n) * (seed % 2)
        start = pack_weights(np.where(neglected, 0, rng.choice([-1, 1], n)).astype(np.int8), 0)
        steps = sbpi_steps(means / UNIT, neglected)
        hidden = HiddenWeights(
            UNIT * start.coef.astype(np.int64), start.signs.copy(), np.array([1 - steps.active % 2])
        )
        h, theta, moves = hidden.h.tolist(), hidden.theta.tolist(), seed % 3 > 0
        for _ in range(3):
            order, coins = rng.permutation(n_rows).astype(np.uint32), rng.rand(n_rows) < 0.5
            n_wrong = sweep(pack_rows(X).words, y.astype(np.int8), order, coins, hidden, steps, moves)
            level, before = theta if moves else theta[0], list(h)
            rest = means.tolist(), UNIT, np.flatnonzero(neglected)
            assert n_wrong == naive.sbpi_epoch(h, X.tolist(), y.tolist(), order, coins, level, *rest)
            assert hidden.h.tolist() == h
            assert hidden.theta.tolist() == theta
            assert np.array_equal(Bits(hidden.signs[None], n).unpacked()[0], np.array(h) > 0)
            seen.update(wrong=n_wrong, turned=sum(a * b < 0 for a, b in zip(h, before, strict=True)))
    assert min(seen.values()) > 300
