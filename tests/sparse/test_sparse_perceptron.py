"""`SparsePerceptron` as its users meet it: what it learns, and what it says."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from perceptrons import SparsePerceptron
from perceptrons.sparse.boosting import Stage, merged
from perceptrons.sparse.weighted_conjunctions import aligned
from tests.naive import boosting as naive
from tests.planted import planted_table

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore:Of all numbers of stages the last tried"),
]


def truth_table(rng, n_rows, n_columns):
    return rng.integers(0, 2, (n_rows, n_columns)).astype(bool)


def sparse_target(rng, X, s):
    """sign(Σ h_i) of s random conjunctions of at most two literals, each with a random sign; s is odd."""
    total = np.zeros(len(X), int)
    for _ in range(s):
        i, j = rng.choice(X.shape[1], 2, replace=False)
        first, second = X[:, i] == rng.integers(2), X[:, j] == rng.integers(2)
        held = first & (second | bool(rng.integers(2)))
        total += rng.choice([-1, 1]) * np.where(held, 1, -1)
    return total > 0


@pytest.mark.parametrize(("penalty", "n_sets"), [(False, 60), (True, 12)])
def test_as_many_stages_as_the_theorem_asks_for_are_right_on_every_row(penalty, n_sets, jit):
    """Section 3.2: ⌈2s² ln m⌉ stages are consistent with any s-sparse 2-perceptron."""
    rng, right, whole = np.random.default_rng(11), 0, 0
    n_sets = n_sets if jit else n_sets // 6
    for case in range(n_sets):
        s = (3, 5)[case % 2]
        X = truth_table(rng, 100, 8)
        y = sparse_target(rng, X, s)
        while len(np.unique(y)) < 2:
            y = sparse_target(rng, X, s)
        model = SparsePerceptron(refit="stagewise", stages="theory", target_size=s, penalty=penalty).fit(X, y)
        asked = math.ceil(2 * (2 * s if penalty else s) ** 2 * math.log(100))
        assert model.stages_ == asked or model.history_[-1].error == 0.0
        right += bool((model.predict(X) == y).all())
        whole += model.stages_ == asked
    assert right == n_sets
    assert whole > n_sets / 2  # the others were a single conjunction


def test_frames_and_arrays_give_the_same_model():
    columns, y = planted_table(0)
    rows = np.array([*columns.values()], object).T
    models = [
        SparsePerceptron(refit="stagewise", random_state=0).fit(X, y)
        for X in (pd.DataFrame(columns), pl.DataFrame(columns, nan_to_null=True), rows)
    ]
    assert len({tuple(model.history_) for model in models}) == 1
    assert str(models[0].conjunctions_[0]) == "colour = red"
    assert models[0].feature_names_in_.tolist() == models[1].feature_names_in_.tolist() == [*columns]
    assert str(models[2].conjunctions_[0]) == "x0 = red"


@pytest.mark.parametrize("k", [1, 2, 3])
def test_dense_and_csr_give_the_same_model(k):
    rng = np.random.default_rng(4)
    X = (rng.random((150, 120)) < 0.05) * rng.integers(1, 4, (150, 120)).astype(float)  # CSR literals
    y = X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=150) > 0
    models = [
        SparsePerceptron(refit="stagewise", k=k, stages=12, penalty=k < 3).fit(make(X), y)
        for make in (np.asarray, sp.csr_array, sp.csc_matrix, sp.coo_array)
    ]
    assert models[0].encoder_.sparse_
    assert len({tuple(model.history_) for model in models}) == 1
    dense = models[0].decision_function(X)
    for make in (sp.csr_array, sp.csc_array):
        assert (models[0].decision_function(make(X)) == dense).all()


def test_stages_equal_the_twins_on_literals_of_real_columns():
    """Through the whole estimator, encoder included."""
    columns, y = planted_table(3)
    model = SparsePerceptron(refit="stagewise", stages=15).fit(pd.DataFrame(columns), y)
    L = np.asarray(model.encoder_.transform(pd.DataFrame(columns)))
    signs = np.where(y == "poisonous", 1, -1).tolist()
    expected = naive.boost(
        L.tolist(), signs, [1.0] * len(y), model.encoder_.attributes_.tolist(), 2, 15, penalty=True
    )
    assert [stage[:2] for stage in model.history_] == [stage[:2] for stage in expected]
    scores = [naive.score(expected, row) for row in L.tolist()]
    assert np.allclose(model.decision_function(pd.DataFrame(columns)), scores, rtol=1e-9)


def small_sets(n_sets):
    """Random tables of few values, each with its own source of random numbers."""
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        yield rng, rng.integers(0, 3, (24, 4)).astype(float), rng.integers(0, 2, 24)


def test_a_weight_is_so_many_rows():
    n_stages = 0
    for rng, X, y in small_sets(30):
        weights = rng.integers(0, 4, 24)
        repeated = np.repeat(np.arange(24), weights)
        model = SparsePerceptron(refit="stagewise", stages=8).fit(X, y, sample_weight=weights)
        again = SparsePerceptron(refit="stagewise", stages=8).fit(X[repeated], y[repeated])
        assert [stage[:2] for stage in model.history_] == [stage[:2] for stage in again.history_]
        assert np.allclose(model.decision_function(X), again.decision_function(X), rtol=1e-9)
        n_stages += model.stages_
    assert n_stages > 200


def test_swapped_classes_swap_signs_and_rows_may_come_in_any_order():
    n_stages = 0
    for rng, X, y in small_sets(30):
        model = SparsePerceptron(refit="stagewise", stages=8).fit(X, y)
        swapped = SparsePerceptron(refit="stagewise", stages=8).fit(X, 1 - y)
        order = rng.permutation(24)
        shuffled = SparsePerceptron(refit="stagewise", stages=8).fit(X[order], y[order])
        assert [one.literals for one in swapped.history_] == [one.literals for one in model.history_]
        assert [one.sign for one in swapped.history_] == [-one.sign for one in model.history_]
        assert [one[:2] for one in shuffled.history_] == [one[:2] for one in model.history_]
        n_stages += model.stages_
    assert n_stages > 200


def test_staged_predictions_are_those_of_fewer_stages():
    columns, y = planted_table(5)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", stages=9).fit(X, y)
    staged = list(model.staged_predict(X))
    assert len(staged) == model.stages_ == 9
    for t, predicted in enumerate(staged, 1):
        assert (predicted == SparsePerceptron(refit="stagewise", stages=t).fit(X, y).predict(X)).all()
    assert len({tuple(predicted) for predicted in staged}) > 2


def test_cross_validation_chooses_the_fewest_stages_of_the_highest_accuracy():
    """By hand: on each fold a model of every number of stages, judged on the rows left out."""
    columns, y = planted_table(6, 60)
    X = pd.DataFrame(columns)
    splits = list(StratifiedKFold(4, shuffle=True, random_state=3).split(X, y))
    model = SparsePerceptron(refit="stagewise", cv=splits, max_stages=7).fit(X, y)
    encoded = pd.DataFrame(np.asarray(model.encoder_.transform(X)))
    right = np.zeros(7)
    for train, test in splits:
        rows, attributes = encoded.to_numpy(), model.encoder_.attributes_.tolist()
        signs = np.where(y == "poisonous", 1, -1)
        stages = naive.boost(
            rows[train].tolist(), signs[train].tolist(), [1.0] * len(train), attributes, 2, 7
        )
        for t in range(7):
            scores = np.array([naive.score(stages[: t + 1], row) for row in rows[test].tolist()])
            right[t] += ((scores > 0) == (signs[test] > 0)).sum()
    assert model.cv_accuracy_.tolist() == (right / len(y)).tolist()
    assert model.stages_ == int(right.argmax()) + 1


def test_that_the_most_stages_were_best_is_said():
    rng = np.random.default_rng(20)
    X = rng.integers(0, 2, (200, 9)).astype(float)
    y = X.sum(axis=1) > 4
    with pytest.warns(ConvergenceWarning, match="max_stages=7, was the best in"):
        assert SparsePerceptron(refit="stagewise", max_stages=7, random_state=0).fit(X, y).stages_ == 7


def test_splits_may_be_numbers_or_truth_values():
    columns, y = planted_table(7)
    X = pd.DataFrame(columns)
    marks = np.arange(120) % 3 == 0
    rows = [(tuple(np.flatnonzero(~marks)), tuple(np.flatnonzero(marks)))]
    by_rows, by_marks = (
        SparsePerceptron(refit="stagewise", cv=cv, max_stages=9).fit(X, y) for cv in (rows, [(~marks, marks)])
    )
    assert by_rows.cv_accuracy_.tolist() == by_marks.cv_accuracy_.tolist()


def test_folds_by_number_splitter_and_seed():
    columns, y = planted_table(7)
    X = pd.DataFrame(columns)
    one, same = (SparsePerceptron(refit="stagewise", random_state=1).fit(X, y) for _ in range(2))
    assert one.cv_accuracy_.tolist() == same.cv_accuracy_.tolist()
    assert len(one.cv_accuracy_) == len(one.encoder_.literals_)
    other = SparsePerceptron(refit="stagewise", random_state=2).fit(X, y)
    assert other.cv_accuracy_.tolist() != one.cv_accuracy_.tolist()
    by_splitter = SparsePerceptron(refit="stagewise", cv=KFold(3), max_stages=5).fit(X, y)
    assert len(by_splitter.cv_accuracy_) == 5
    assert SparsePerceptron(refit="stagewise", stages=4).fit(X, y).cv_accuracy_ is None


def test_a_class_of_one_row_is_not_too_small_to_cross_validate():
    X = [[0.0], [1.0], [2.0], [3.0], [9.0]]
    model = SparsePerceptron(refit="stagewise", random_state=0).fit(X, ["a", "a", "b", "b", "c"])
    assert model.predict([[0.0]]).tolist() == ["a"]
    with pytest.raises(ValueError, match="classes of one row each"):
        SparsePerceptron(refit="stagewise").fit([[0.0], [1.0]], ["a", "b"])


def test_several_classes_are_voted_on():
    rng = np.random.default_rng(8)
    X = rng.integers(0, 9, (200, 3)).astype(float)
    y = np.where(X[:, 0] > 5, "high", np.where(X[:, 1] > 4, "mid", "low"))
    model = SparsePerceptron(refit="stagewise", stages=12).fit(X, y)
    assert model.score(X, y) > 0.95
    scores = model.decision_function(X)
    assert scores.shape == (200, 3)
    assert np.abs(scores).max() <= 1 + 1e-12
    assert model.weights_.shape == (3, len(model.conjunctions_))
    assert model.n_weights_.tolist() == np.count_nonzero(model.weights_, axis=1).tolist()
    assert [len(run) for run in model.history_] == [1, 12, 12]  # "high" is one literal
    assert model.to_text().startswith("The class whose sum is the highest.")
    assert "\n\nhigh:\n  +1.00  x0 > 5\n\nlow:\n" in model.to_text()
    for t, predicted in enumerate(model.staged_predict(X), 1):
        assert (predicted == SparsePerceptron(refit="stagewise", stages=t).fit(X, y).predict(X)).all()
    why = model.explain(X[0])
    assert why.prediction == why.label == model.predict(X[:1])[0]
    assert why.score == pytest.approx(scores[0].max())


def test_explanations_add_up():
    columns, y = planted_table(9)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", random_state=0).fit(X, y)
    for row in range(20):
        why = model.explain(X.iloc[[row]])
        assert why == model.explain(X.iloc[row])
        assert sum(part.adds for part in why.parts) == pytest.approx(why.score)
        assert why.score == pytest.approx(model.decision_function(X.iloc[[row]])[0])
        assert why.prediction == model.predict(X.iloc[[row]])[0]
        assert why.label == "poisonous"
        sizes = [abs(part.adds) for part in why.parts]
        assert sizes == sorted(sizes, reverse=True)
    assert "colour = red: " in str(why)
    assert model.explain(X.iloc[19].to_dict()) == why
    assert model.explain(dict(reversed(X.iloc[19].to_dict().items()))) == why
    with pytest.raises(ValueError, match=r"The row has the columns \['colour'\], but the model"):
        model.explain({"colour": "red"})
    with pytest.raises(ValueError, match="There are 3 rows, but one"):
        model.explain(X[:3])


def test_rules_in_words_are_sorted_and_aligned():
    columns, y = planted_table(10)
    model = SparsePerceptron(refit="stagewise", random_state=0).fit(pd.DataFrame(columns), y)
    head, how, blank, *lines = model.to_text().splitlines()
    assert head == "poisonous if the sum is > 0, else edible."
    assert how == "A rule adds its weight where it holds, and subtracts it where it does not."
    assert blank == ""
    weights = [float(line.split()[0]) for line in lines]
    assert len(lines) == model.n_weights_ + (model.intercept_[0] != 0)
    assert [abs(weight) for weight in weights] == sorted(map(abs, weights), reverse=True)
    assert len({line.index("  ", 3) for line in lines}) == 1
    assert {line[line.index("  ", 3) + 2 :] for line in lines} <= {*map(str, model.conjunctions_), "always"}


def test_numbers_are_aligned_with_as_many_decimals_as_needed():
    assert aligned([1.5, -20.25]) == [" +1.50", "-20.25"]
    assert aligned([1.0, 0.00123]) == ["+1.0000", "+0.0012"]
    assert aligned([1.0, 1e-5]) == ["+1.000000", "+0.000010"]
    assert aligned([1.0, -1e-12]) == ["+1.00", "-0.00"]  # next to nothing takes no more digits
    assert aligned([]) == []
    assert aligned([0.0]) == ["+0.00"]


def test_repeats_add_up_with_their_signs():
    run = [
        Stage((1,), 1, 0.2, 1.5),
        Stage((), -1, 0.3, 0.5),
        Stage((1,), -1, 0.4, 0.25),
        Stage((2, 4), 1, 0.4, 1.0),
    ]
    places, weights, intercept = merged([run])
    assert places == [(1,), (2, 4)]
    assert weights.tolist() == [[1.25, 1.0]]
    assert intercept.tolist() == [-0.5]
    cancelled = [Stage((1,), 1, 0.2, 1.5), Stage((1,), -1, 0.2, 1.5), Stage((), 1, 0.4, 0.1)]
    assert merged([cancelled])[0] == []
    alone = [*run, Stage((3,), -1, 0.0, 1.0)]
    assert merged([alone])[0] == [(3,)]
    places, weights, intercept = merged([alone, run])
    assert weights[:, places.index((3,))].tolist() == [-1.0, 0.0]
    assert np.abs(weights[1]).sum() + abs(intercept[1]) == pytest.approx((1.25 + 1.0 + 0.5) / 3.25)


def test_class_weights_move_the_decision():
    rng = np.random.default_rng(13)
    X = rng.integers(0, 5, (300, 3)).astype(float)
    y = np.where(X[:, 0] + rng.normal(size=300) > 4, 1, 0)
    plain, balanced = (
        SparsePerceptron(refit="stagewise", stages=10, class_weight=weight).fit(X, y).predict(X).sum()
        for weight in (None, "balanced")
    )
    assert balanced > plain + 20
    by_rows = SparsePerceptron(refit="stagewise", stages=10).fit(
        X, y, sample_weight=np.where(y, (y == 0).sum(), (y == 1).sum())
    )
    assert by_rows.predict(X).sum() == balanced


def test_cross_validation_of_scikit_learn_takes_it():
    columns, y = planted_table(16)
    scores = cross_val_score(SparsePerceptron(refit="stagewise", stages=6), pd.DataFrame(columns), y, cv=4)
    assert scores.mean() > 0.8
