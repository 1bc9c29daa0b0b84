"""Conjunctions of a higher order that a fitted model is told to look at: the best of all, by brute force."""

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from perceptrons import SparsePerceptron
from perceptrons.sparse import search
from tests.jit import JIT
from tests.naive import boosting as naive
from tests.planted import planted_table

pytestmark = [pytest.mark.kernels, pytest.mark.filterwarnings("ignore:No conjunction of at most")]


def random_table(rng, case, n_odd):
    """Six columns, Boolean or with cells missing; is the number of the first that hold odd? With noise."""
    X = rng.integers(0, 2, (int(rng.integers(30, 60)), 6)).astype(bool)
    y = (X[:, :n_odd].sum(axis=1) % 2 == 1) ^ (rng.random(len(X)) < 0.1)
    y[:2] = [True, False]
    return X if case % 2 else np.where(rng.random(X.shape) < 0.05, np.nan, X), y


def places_of(model, conjunction):
    """Of its literals, in the encoder."""
    literals = [str(one) for one in model.encoder_.literals_]
    return tuple(literals.index(str(one)) for one in conjunction.literals)


def expected(model, X, labels, weights, order, vector=0):
    rows, attributes = np.asarray(model.encoder_.transform(X)).tolist(), model.encoder_.attributes_.tolist()
    used = np.flatnonzero(np.atleast_2d(model.weights_)[vector])
    own = [places_of(model, model.conjunctions_[place]) for place in used]
    return naive.suggestions(rows, labels.tolist(), weights.tolist(), attributes, order, own)


@pytest.mark.parametrize("booster", ["adaboost", "majority"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_best_of_all_are_named_and_ranked(k, booster):
    """Those that tell more than their parts; of equal ones, any."""
    rng, n_sets, told, left_out = np.random.default_rng(k), 24 if JIT else 12, 0, 0
    for case in range(n_sets):
        X, y = random_table(rng, case, k + 1)
        weights = rng.integers(0, 4, len(y)) if case % 3 else np.ones(len(y), int)
        weights[:2] = 1
        model = SparsePerceptron(refit="stagewise", k=k, stages=5, booster=booster, target_size=3)
        model.fit(X, y, sample_weight=weights)
        found = model.suggest(X, y, n_suggestions=4, sample_weight=weights)
        every = expected(model, X, np.where(y, 1, -1), weights, k + 1)
        by_places = {places: rest for places, *rest in every}
        assert len(found) == min(4, len(every))
        assert len({places_of(model, one.conjunction) for one in found}) == len(found)
        for one, (_, correlation, _) in zip(found, every, strict=False):
            assert abs(one.correlation) == pytest.approx(abs(correlation), abs=1e-12)
            assert [one.correlation, one.gain] == pytest.approx(
                by_places[places_of(model, one.conjunction)], abs=1e-12
            )
            assert one.label == model.classes_[1]
        told, left_out = told + len(found), left_out + max(0, len(every) - 4)
    assert told >= n_sets / 2
    assert left_out >= n_sets / 4


def test_orders_may_be_named():
    """From the model of single literals: pairs, triples, conjunctions of four; of more than columns none."""
    X, y = random_table(np.random.default_rng(3), 1, 3)
    model, told = SparsePerceptron(refit="stagewise", k=1, stages=5).fit(X, y), 0
    for order in (1, 2, 3, 4):
        found = model.suggest(X, y, order, n_suggestions=3)
        every = expected(model, X, np.where(y, 1, -1), np.ones(len(y)), order)
        assert len(found) == len(every[:3])
        for one, (_, correlation, _) in zip(found, every, strict=False):
            assert abs(one.correlation) == pytest.approx(abs(correlation), abs=1e-12)
            assert len(one.conjunction.literals) == order
        told += len(found)
    assert told >= 6
    assert model.suggest(X, y) == model.suggest(X, y, order=2)
    assert len(model.suggest(X, y, n_suggestions=1)) == 1
    assert model.suggest(X, y, 7) == []


def test_rows_of_both_layouts_get_the_same_suggestions():
    rng = np.random.default_rng(4)
    X = (rng.random((80, 30)) < 0.1) * rng.integers(1, 3, (80, 30)).astype(float)
    y = (X[:, 0] > 0) | (X[:, 1:4].sum(axis=1) > 1)
    model = SparsePerceptron(refit="stagewise", k=1, stages=4).fit(X, y)
    assert model.suggest(X, y) == model.suggest(sp.csr_array(X), y)


@pytest.mark.parametrize("booster", ["adaboost", "majority"])
def test_a_parity_that_pairs_do_not_see_is_named_first(booster):
    """Three Boolean columns of eight: all of their eight conjunctions say as much, and more than others."""
    X = np.random.default_rng(5).integers(0, 2, (400, 8)).astype(bool)
    y = X[:, [1, 4, 6]].sum(axis=1) % 2 == 1
    model = SparsePerceptron(refit="stagewise", k=2, stages=5, booster=booster, target_size=8).fit(X, y)
    assert model.score(X, y) < 0.7
    for one in model.suggest(X, y, n_suggestions=8):
        columns = {str(literal).split()[0] for literal in one.conjunction.literals}
        assert columns == {"x1", "x4", "x6"}
        assert one.gain > 0.05


@pytest.mark.parametrize("booster", ["adaboost", "majority"])
def test_a_rule_of_three_literals_is_named_first(booster):
    """With one row in twenty of the wrong class."""
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, (400, 7)).astype(float)
    rule = (X[:, 1] > 0) & (X[:, 3] > 0) & (X[:, 5] > 0)
    y = rule ^ (rng.random(400) < 0.05)
    model = SparsePerceptron(refit="stagewise", k=2, stages=3, booster=booster, target_size=4)
    for classes in (rule, y):
        first = model.fit(X, classes).suggest(X, classes)[0]
        assert str(first.conjunction) == "x1 > 0 and x3 > 0 and x5 > 0"
        assert first.gain > 0.01
    assert model.fit(X, rule).suggest(X, rule)[0].correlation == pytest.approx(1.0)


def test_of_several_classes_each_has_suggestions_of_its_own():
    """Two parities, of columns that overlap, and the rest; by brute force for each class."""
    X = np.random.default_rng(7).integers(0, 2, (120, 6)).astype(float)
    odd, other = (X[:, columns].sum(axis=1) % 2 == 1 for columns in ([0, 1, 2], [2, 3, 4]))
    y = np.where(odd, np.where(other, "both", "odd"), "even")
    model = SparsePerceptron(refit="stagewise", k=2, stages=6).fit(X, y)
    every = [
        (abs(correlation), label, places, correlation, gain)
        for vector, label in enumerate(model.classes_.tolist())
        for places, correlation, gain in expected(
            model, X, np.where(y == label, 1, -1), np.ones(120), 3, vector
        )
    ]
    every.sort(reverse=True)
    found = model.suggest(X, y, n_suggestions=8)
    assert [(one.label, places_of(model, one.conjunction)) for one in found] == [
        one[1:3] for one in every[:8]
    ]
    assert [one.correlation for one in found] == pytest.approx([one[3] for one in every[:8]])
    assert [one.gain for one in found] == pytest.approx([one[4] for one in every[:8]])
    assert len({one.label for one in found}) > 1


def test_the_model_is_left_as_it_was():
    columns, y = planted_table(3)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", stages=6).fit(X, y)
    before, table = copy.deepcopy(model.__dict__), X.copy()
    found = model.suggest(X, y, 3)
    assert all(str(one.conjunction) and one.label == "poisonous" for one in found)
    assert model.__dict__.keys() == before.keys()
    assert model.history_ == before["history_"]
    assert model.to_text() == SparsePerceptron(refit="stagewise", stages=6).fit(X, y).to_text()
    assert X.equals(table)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"order": 0}, "order=0, but .*use"),
        ({"order": 11}, "order=11, but .*use"),
        ({"order": 2.5}, "order=2.5, but .*use"),
        ({"order": True}, "order=True, but .*use"),
        ({"n_suggestions": 0}, "n_suggestions=0, but .*use"),
        ({"n_suggestions": True}, "n_suggestions=True, but .*use"),
    ],
)
def test_wrong_arguments(arguments, words):
    columns, y = planted_table(3)
    X = pd.DataFrame(columns)
    with pytest.raises(ValueError, match=words):
        SparsePerceptron(refit="stagewise", stages=3).fit(X, y).suggest(X, y, **arguments)


def test_classes_that_the_model_does_not_know():
    columns, y = planted_table(3)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", stages=3).fit(X, y)
    with pytest.raises(ValueError, match="mouldy"):
        model.suggest(X, np.where(columns["ring"], "mouldy", y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.suggest(X, y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        model.suggest(X, None)
    with pytest.raises(ValueError, match="0 sample"):
        model.suggest(X[:0], y[:0])
    with pytest.raises(ValueError, match="All rows have weight 0"):
        model.set_params(class_weight={"poisonous": 0.0}).suggest(X[y == "poisonous"], y[y == "poisonous"])


@pytest.mark.parametrize("booster", ["adaboost", "majority"])
def test_a_rare_class_is_no_hindrance(booster):
    """One row in fourteen is positive: under their own weights the constant tells more than all else."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2_000, 12)).astype(bool)
    y = (X[:, :3].sum(axis=1) % 2 == 1) & (rng.random(2_000) < 0.15)
    model = SparsePerceptron(refit="stagewise", k=2, stages=9, booster=booster, target_size=5).fit(X, y)
    columns = {str(literal).split()[0] for literal in model.suggest(X, y)[0].conjunction.literals}
    assert columns == {"x0", "x1", "x2"}


def test_a_search_that_is_cut_says_so():
    X, y = random_table(np.random.default_rng(9), 1, 3)
    model = SparsePerceptron(refit="stagewise", k=1, stages=4, max_visits=1).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="stopped at max_visits=1 conjunctions"):
        model.suggest(X, y)
    with pytest.raises(ValueError, match="beam='x', but"):
        model.set_params(beam="x").suggest(X, y)


def test_twins_are_suggested_once():
    """A table beside itself: of conjunctions that hold in the same rows, the first."""
    X, y = random_table(np.random.default_rng(10), 1, 3)
    once = SparsePerceptron(refit="stagewise", stages=4).fit(X, y).suggest(X, y, n_suggestions=5)
    twice = np.hstack([X, X])
    assert (
        SparsePerceptron(refit="stagewise", stages=4).fit(twice, y).suggest(twice, y, n_suggestions=5) == once
    )
    assert once


def test_pairs_are_suggested_where_columns_are_too_many_to_be_packed_for_boosting(monkeypatch):
    X, y = random_table(np.random.default_rng(11), 1, 2)
    model = SparsePerceptron(refit="stagewise", k=1, stages=4).fit(X, y)
    packed = model.suggest(X, y)
    monkeypatch.setattr(search, "MOST_BITS", 0)
    assert model.suggest(X, y) == packed
    assert packed
