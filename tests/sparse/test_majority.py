"""Boost-by-majority: stage by stage as its slow twin, integer weights, and what its theorem promises."""

from collections import Counter
from fractions import Fraction
from itertools import islice

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from perceptrons import SparsePerceptron, load, save
from perceptrons.rows.encode import as_rows
from perceptrons.sparse.conjunctions import arrange
from perceptrons.sparse.majority import boost_by_majority
from perceptrons.sparse.search import ConjunctionSearch, Scope
from tests.jit import JIT
from tests.naive import boosting, majority
from tests.planted import planted_table
from tests.sparse.test_sparse_perceptron import sparse_target, truth_table

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore:Of all numbers of stages the last tried"),
]


def as_lists(*arrays):
    return [array.tolist() for array in arrays]


def random_case(rng, case):
    """Few rows, so that many conjunctions tie; classes that follow from three columns, or from nothing."""
    n_rows, sizes = int(rng.integers(5, 30)), rng.integers(1, 4, int(rng.integers(3, 6)))
    attributes = np.repeat(np.arange(len(sizes)), sizes)
    L = (rng.random((n_rows, len(attributes))) < 0.5).astype(np.uint8)
    if case % 3 == 0:
        L[:, -1] = L[:, 0]
    is_true = L[:, np.cumsum(sizes)[:3] - 1].sum(axis=1) % 2 if case % 2 else rng.random(n_rows) < 0.5
    y = np.where(is_true ^ (rng.random(n_rows) < 0.1), 1, -1).astype(np.int8)
    y[:2] = [1, -1]
    weights = rng.integers(0, 4, n_rows).astype(float) if case % 5 < 2 else np.ones(n_rows)
    weights[:2] = np.maximum(weights[:2], 1.0)
    return L, attributes, y, weights


def stages_of(rows, attributes, y, weights, scope, n_stages, gamma):
    search = ConjunctionSearch(arrange(as_rows(rows), len(y), attributes), y, scope)
    return list(boost_by_majority(search, weights, n_stages, gamma))


def test_the_twin_weighs_rows_as_by_hand():
    """Three votes: at first any row may be decided by this one; at last those that are even."""
    assert majority.importance(3, 0, 0, 0.1) == pytest.approx(2 * 0.6 * 0.4)
    assert [majority.importance(3, 1, r, 0.1) for r in (0, 1)] == pytest.approx([0.6, 0.4])
    assert [majority.importance(3, 2, r, 0.1) for r in (0, 1, 2)] == [0, 1, 0]
    assert majority.tail(3, 0.1) == pytest.approx(0.4**3 + 3 * 0.6 * 0.4**2)
    assert majority.stages_in_theory(0.5, 0.01) == 1  # every vote is right


@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_stage_is_that_of_the_slow_twin(k):
    rng, n_cases, count = np.random.default_rng(k), 60 if JIT else 20, Counter()
    for case in range(n_cases):
        L, attributes, y, weights = random_case(rng, case)
        n_stages, gamma = (1, 3, 5, 9, 15, 31)[case % 6], (0.02, 0.05, 0.1, 0.2, 0.35)[case % 5]
        penalty = bool(case % 3 == 0)
        expected = list(majority.boost(*as_lists(L, y, weights, attributes), k, n_stages, gamma, penalty))
        for rows in (L, sp.csr_array(L)):
            found = stages_of(rows, attributes, y, weights, Scope(k=k, penalty=penalty), n_stages, gamma)
            assert [(*one[:2], one[3]) for one in found] == [(*one[:2], one[3]) for one in expected]
            assert np.allclose([one[2] for one in found], [one[2] for one in expected], rtol=1e-9)
        count["stages"] += len(expected)
        count["all stages"] += len(expected) == n_stages > 1
        count["ended"] += 1 < len(expected) < n_stages
        count["k literals"] += any(len(one[0]) == k for one in expected)
    assert count["stages"] >= 4 * n_cases
    assert min(count["all stages"], count["ended"], count["k literals"]) >= n_cases / 5


def test_thousands_of_stages_neither_overflow_nor_vanish():
    """Binomial coefficients of 900 digits: the first stages, against fractions."""
    rng = np.random.default_rng(4)
    L, y = rng.integers(0, 2, (30, 4)).astype(np.uint8), np.where(rng.random(30) < 0.5, 1, -1).astype(np.int8)
    for n_stages, gamma in ((3_001, Fraction(1, 10)), (3_001, Fraction(2, 5))):
        expected = list(
            islice(majority.boost(*as_lists(L, y), [1] * 30, [0, 1, 2, 3], 2, n_stages, gamma, False), 5)
        )
        data = arrange(as_rows(L), 30, np.arange(4))
        search = ConjunctionSearch(data, y, Scope(k=2, penalty=False))
        runs = boost_by_majority(search, np.ones(30), n_stages, float(gamma))
        found = list(islice(runs, 5))
        assert len(found) == 5
        assert [one[:2] for one in found] == [one[:2] for one in expected]
        assert np.allclose([one[2] for one in found], [float(one[2]) for one in expected], rtol=1e-9)


def test_rows_without_weight_change_nothing():
    """However far behind: of ten literals each is wrong on one row of either class, so that every row is
    right nine times of ten; the same rows with the other class, and no weight, are wrong as often."""
    mistakes = np.eye(10, dtype=np.uint8)
    L, y = np.vstack([1 - mistakes, mistakes]), np.repeat([1, -1], 10).astype(np.int8)
    scope, n_stages = Scope(k=1, penalty=False), 2_001
    found = stages_of(L, np.arange(10), y, np.ones(20), scope, n_stages, 0.3)
    both, weights = np.vstack([L, L]), np.repeat([1.0, 0.0], 20)
    again = stages_of(both, np.arange(10), np.concatenate([y, -y]), weights, scope, n_stages, 0.3)
    assert 1_001 < len(found) < n_stages  # then all rows are decided
    assert [one[:2] for one in again] == [one[:2] for one in found]


def vote(stages, row):
    return sum(sign * boosting.value(literals, row) for literals, sign, *_ in stages)


def test_the_error_is_at_most_the_tail_of_the_binomial_distribution():
    """Freund's theorem: if every hypothesis is wrong on at most ½ − γ of its weights, no more than
    P[Bin(T, ½ + γ) ≤ ⌊T/2⌋] of the rows, by their own weights, are wrong in the end."""
    rng, held, close = np.random.default_rng(7), 0, 0
    n_cases = 150 if JIT else 60
    for case in range(n_cases):
        L, attributes, y, weights = random_case(rng, case)
        n_stages, gamma = (5, 11, 21)[case % 3], (0.02, 0.05, 0.1)[case // 3 % 3]
        found = stages_of(L, attributes, y, weights, Scope(k=2, penalty=False), n_stages, gamma)
        if len(found) < n_stages or max(stage.error for stage in found) > 0.5 - gamma:
            continue
        wrong = np.array([f * vote(found, x) < 0 for x, f in zip(*as_lists(L, y), strict=True)])
        error, promised = weights[wrong].sum() / weights.sum(), majority.tail(n_stages, gamma)
        assert error <= promised + 1e-12
        held, close = held + 1, close + (error > promised / 4)
    assert held >= n_cases / 8
    assert close >= held / 10


@pytest.mark.parametrize(("penalty", "n_sets"), [(False, 60), (True, 12)])
def test_as_many_stages_as_the_theorem_asks_for_are_right_on_every_row(penalty, n_sets):
    """A target of size s has a conjunction of edge 1/(2s) at every stage, 1/(2ks) with the penalty; then the
    tail is below a row's share."""
    rng, right, whole = np.random.default_rng(11), 0, 0
    n_sets = n_sets if JIT else n_sets // 12
    for case in range(n_sets):
        s = (3, 5)[case % 2]
        X = truth_table(rng, 100, 8)
        y = sparse_target(rng, X, s)
        while len(np.unique(y)) < 2:
            y = sparse_target(rng, X, s)
        model = SparsePerceptron(
            refit="stagewise", booster="majority", stages="theory", target_size=s, penalty=penalty
        ).fit(X, y)
        assert model.gamma_ == pytest.approx(1 / (4 * s if penalty else 2 * s), rel=1e-12)
        asked = majority.stages_in_theory(model.gamma_, 1 / 100)
        assert model.stages_ <= asked
        right += bool((model.predict(X) == y).all())
        whole += model.stages_ > asked / 2
    assert right == n_sets
    assert whole > n_sets / 3


def test_the_number_of_stages_follows_from_the_lightest_row():
    """Rows of weights 1 to 3, or as many rows: none of 14 may be wrong."""
    X, y = truth_table(np.random.default_rng(3), 8, 4), np.arange(8) % 2
    weights = np.array([1, 1, 2, 2, 3, 1, 1, 3])
    y[0] = y[1]
    parameters = {"booster": "majority", "stages": "theory", "target_size": 4, "penalty": False}
    model = SparsePerceptron(refit="stagewise", **parameters).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(8), weights)
    again = SparsePerceptron(refit="stagewise", **parameters).fit(X[rows], y[rows])
    assert [one[:2] for one in model.history_] == [one[:2] for one in again.history_]
    assert model.stages_ <= majority.stages_in_theory(1 / 8, 1 / 14)
    assert model.stages_ > majority.stages_in_theory(1 / 8, 1 / 14) / 2


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, derandomize=True, max_examples=40 if JIT else 10)
def test_a_weight_is_so_many_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (24, 4)).astype(float), rng.integers(0, 2, 24)
    y[:2], weights = [0, 1], rng.integers(0, 4, 24)
    weights[:2] = 1
    rows = np.repeat(np.arange(24), weights)
    parameters = {"booster": "majority", "stages": int(rng.choice([1, 5, 11])), "target_size": 4}
    model = SparsePerceptron(refit="stagewise", **parameters).fit(X, y, sample_weight=weights)
    again = SparsePerceptron(refit="stagewise", **parameters).fit(X[rows], y[rows])
    assert [one[:2] for one in model.history_] == [one[:2] for one in again.history_]
    assert (model.decision_function(X) == again.decision_function(X)).all()
    order = rng.permutation(24)
    shuffled = SparsePerceptron(refit="stagewise", **parameters).fit(
        X[order], y[order], sample_weight=weights[order]
    )
    assert [one[:2] for one in shuffled.history_] == [one[:2] for one in model.history_]


def test_weights_are_integers_and_every_vote_counts_one():
    columns, y = planted_table(3)
    X, signs, whole = pd.DataFrame(columns), np.where(y == "poisonous", 1, -1).tolist(), 0
    for n_stages in (1, 3, 7, 9, 15):
        model = SparsePerceptron(refit="stagewise", booster="majority", stages=n_stages, target_size=1).fit(
            X, y
        )
        assert model.weights_.dtype == model.intercept_.dtype == np.int64
        assert [stage.weight for stage in model.history_] == [1] * model.stages_
        L, attributes = np.asarray(model.encoder_.transform(X)).tolist(), model.encoder_.attributes_.tolist()
        expected = majority.boost(L, signs, [1.0] * len(y), attributes, 2, n_stages, 1 / 4)
        assert [stage[:2] for stage in model.history_] == [stage[:2] for stage in expected]
        scores = model.decision_function(X)
        assert scores.tolist() == [vote(model.history_, row) for row in L]
        assert np.abs(scores).max() <= n_stages
        if model.stages_ == n_stages:
            assert (scores % 2 == 1).all()
            whole += 1
    assert whole >= 3


def accuracy_of(trial, model, X, y, splits):
    """By the twin: of rows left out, as many as are right."""
    L, signs = np.asarray(model.encoder_.transform(X)), np.where(y == "poisonous", 1, -1)
    right, attributes = 0, model.encoder_.attributes_.tolist()
    for train, test in splits:
        stages = list(
            majority.boost(*as_lists(L[train], signs[train]), [1.0] * len(train), attributes, 2, *trial)
        )
        scores = np.array([vote(stages, row) for row in L[test].tolist()])
        right += int(((scores > 0) == (signs[test] > 0)).sum())
    return right / sum(len(test) for _, test in splits)


@pytest.mark.parametrize(
    ("parameters", "which"),
    [
        ({"max_stages": 9}, "both"),
        ({"max_stages": 9, "target_size": 4}, "stages"),
        ({"stages": 5}, "gamma"),
    ],
)
def test_cross_validation_tries_runs_and_takes_the_best(parameters, which):
    """By hand, by the twin: each trial is a new run on each fold."""
    columns, y = planted_table(6, 60)
    X = pd.DataFrame(columns)
    splits = list(StratifiedKFold(3, shuffle=True, random_state=3).split(X, y))
    model = SparsePerceptron(refit="stagewise", booster="majority", cv=splits, **parameters).fit(X, y)
    assert len(model.cv_trials_) == len(model.cv_accuracy_)
    tried, gammas = {trial[0] for trial in model.cv_trials_}, {trial[1] for trial in model.cv_trials_}
    assert tried == {5} if which == "gamma" else tried <= {1, 3, 5, 7, 9} and len(tried) > 2
    assert gammas == {1 / 16} if which == "stages" else len(gammas) > 1
    for trial, accuracy in zip(model.cv_trials_, model.cv_accuracy_.tolist(), strict=True):
        assert accuracy == pytest.approx(accuracy_of(trial, model, X, y, splits), abs=1e-12)
    best = [
        trial
        for trial, accuracy in zip(model.cv_trials_, model.cv_accuracy_, strict=True)
        if accuracy >= model.cv_accuracy_.max() - 1e-12
    ]
    chosen = (min(trial[0] for trial in best), model.gamma_)
    assert chosen in best
    rerun = SparsePerceptron(refit="stagewise", booster="majority", stages=chosen[0], target_size=4)
    assert model.stages_ <= chosen[0]
    if which == "stages":
        assert rerun.fit(X, y).history_ == model.history_


def test_without_cross_validation_there_are_no_trials():
    columns, y = planted_table(6, 60)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", booster="majority", stages=5, target_size=4).fit(X, y)
    assert model.cv_accuracy_ is None
    assert model.cv_trials_ is None
    assert model.gamma_ == pytest.approx(1 / 16)
    assert SparsePerceptron(refit="stagewise", stages=5).fit(X, y).gamma_ is None


@pytest.mark.parametrize("stages", [2, 10])
def test_an_even_number_of_votes_may_be_a_draw(stages):
    columns, y = planted_table(6, 60)
    words = rf"stages={stages}, but .*{stages - 1} or {stages + 1}"
    with pytest.raises(ValueError, match=words):
        SparsePerceptron(refit="stagewise", booster="majority", stages=stages, target_size=4).fit(
            pd.DataFrame(columns), y
        )


def test_a_conjunction_without_error_is_the_model():
    X = truth_table(np.random.default_rng(5), 80, 4)
    y = X[:, 1] & X[:, 3]
    model = SparsePerceptron(
        refit="stagewise", booster="majority", stages=9, target_size=2, penalty=False
    ).fit(X, y)
    assert [(stage.sign, stage.error) for stage in model.history_] == [(1, 0.0)]
    assert model.weights_.tolist() == [1]
    assert model.score(X, y) == 1.0


def test_several_classes_are_voted_on(tmp_path):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 9, (200, 3)).astype(float)
    y = np.where(X[:, 0] > 5, "high", np.where(X[:, 1] > 4, "mid", "low"))
    model = SparsePerceptron(refit="stagewise", booster="majority", stages=11, target_size=5).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.decision_function(X).shape == (200, 3)
    for vector, label in enumerate(model.classes_):
        alone = SparsePerceptron(refit="stagewise", booster="majority", stages=11, target_size=5).fit(
            X, y == label
        )
        assert model.history_[vector] == alone.history_
    save(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").to_text() == model.to_text()


def cross_validated(booster, X, y, n_folds):
    """Mean accuracy over the first folds of ten, the number of stages chosen anew on each."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0).split(np.zeros(len(y)), y)
    return np.mean(
        [
            SparsePerceptron(refit="stagewise", booster=booster, random_state=0)
            .fit(X[train], y[train])
            .score(X[test], y[test])
            for train, test in islice(folds, n_folds)
        ]
    )


@pytest.mark.data
def test_voting_is_as_accurate_as_by_adaboost():
    from perceptrons.datasets import load as load_set

    data = load_set("voting")
    X = data.X.drop("physician-fee-freeze")
    n_folds, allowed = (10, 0.02) if JIT else (1, 0.1)
    adaptive, fixed = (cross_validated(booster, X, data.y, n_folds) for booster in ("adaboost", "majority"))
    assert fixed >= adaptive - allowed
    assert fixed > 0.85


def test_of_several_classes_one_without_error_has_all_votes():
    """Iris: the petals tell setosa from the rest by one rule, which the votes about the others must not
    outweigh; after every stage, too."""
    X, y = load_iris(return_X_y=True)
    model = SparsePerceptron(refit="stagewise", booster="majority", stages=9, target_size=2).fit(X, y)
    assert [len(run) for run in model.history_] == [1, 9, 9]
    assert np.abs(model.weights_[0]).tolist().count(9) == np.count_nonzero(model.weights_[0]) == 1
    assert (model.decision_function(X)[:, 0] == np.where(y == 0, 9, -9)).all()
    stages = list(model.staged_predict(X))
    assert (stages[-1] == model.predict(X)).all()
    assert all(((predicted == 0) == (y == 0)).all() for predicted in stages[2:])
