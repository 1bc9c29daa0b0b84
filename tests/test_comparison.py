"""The main job: what `compare` reports, and that nothing leaks between folds."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from perceptrons import NAMED, Perceptron, SparsePerceptron, TableEncoder, fold_fits
from perceptrons import comparison as compare_module
from perceptrons.comparison import compare, quietly
from perceptrons.describe import Size, margin_of, size_of
from perceptrons.learners import (
    LEARNERS,
    MANY_ROWS,
    ON_REQUEST,
    SLOW,
    build_learner,
    default_learners,
    for_tables,
    reads_tables,
)
from perceptrons.synthetic import separable
from perceptrons.tables.layout import split
from perceptrons.tables.read import read_table

REAL = [
    ("voting/house-votes-84.data", "column_1", 435, 0.90),
    ("pima/pima-indians-diabetes.csv", "column_9", 768, 0.65),
    ("mushroom/agaricus-lepiota.data", "column_1", 8124, 0.95),
]


def by_name(results):
    return {result.learner: result for result in results}


@pytest.fixture(scope="module")
def small():
    X, y = separable(60, 3, margin=0.1, random_state=0)[:2]
    return pl.DataFrame(X, schema=["a", "b", "c"]), np.where(y > 0, "up", "down")


def test_what_is_reported(small):
    X, y = small
    steps = []
    results = compare(X, y, folds=4, learners=[*LEARNERS], progress=lambda *step: steps.append(step))
    assert [result.learner for result in results] == list(LEARNERS)
    total = 5 * len(LEARNERS)
    assert [done for done, _, _ in steps] == list(range(total + 1))
    assert steps[0] == (0, total, "fold 1 of 4, perceptron")
    for result in results:
        assert len(result.fold_accuracies) == 4
        if result.learner == "selective":  # of so few rows nothing can be promised
            assert (result.accuracy, {*result.fold_accuracies}, result.rejected) == (None, {None}, 1.0)
            continue
        assert result.accuracy == pytest.approx(np.mean(result.fold_accuracies))
        assert result.accuracy_sd == pytest.approx(np.std(result.fold_accuracies, ddof=1))
        assert result.fit_seconds > 0
    found = by_name(results)
    low, high = found["perceptron"].margin
    assert 0 < low <= high
    assert found["perceptron"].converged
    assert found["perceptron"].n_updates > 0
    assert found["logistic regression"].margin is found["shallow tree"].converged is None
    assert found["averaged"].size == Size(3, "weights")
    assert found["shallow tree"].size.unit == "splits"


def test_folds_are_those_of_a_pipeline(small):
    """Encoding once per fold, for all learners, is what a pipeline in a cross-validation does."""
    X, y = small
    X = X.with_columns(kind=pl.Series(["u", "v", "w"] * 20))
    found = by_name(compare(X, y, folds=5, seed=3))
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    for name, learner in [
        ("logistic regression", LogisticRegression(max_iter=10_000)),
        ("shallow tree", DecisionTreeClassifier(max_depth=3, random_state=3)),
        ("perceptron", Perceptron(random_state=3)),
    ]:
        expected = cross_val_score(make_pipeline(TableEncoder(), learner), X, y, cv=folds)
        assert np.array_equal(found[name].fold_accuracies, expected)


def test_nothing_leaks_between_folds(monkeypatch):
    """In each fold the encoder knows the training rows alone: their mean, their names."""
    seen = []

    class Spy(TableEncoder):
        def fit(self, X, y=None):
            super().fit(X, y)
            seen.append((np.asarray(X["x"].to_numpy()), self.means_[0], set(self.categories_[1])))
            return self

    monkeypatch.setattr("perceptrons.learners.TableEncoder", Spy)
    X = pd.DataFrame({"x": np.arange(40.0) ** 2, "name": [f"n{i}" for i in range(40)]})
    y = np.arange(40) % 2
    compare(X, y, folds=4, seed=1, max_epochs=20, keep=["name"])
    folds = StratifiedKFold(4, shuffle=True, random_state=1).split(X, y)
    trained = [train for train, _ in folds] + [np.arange(40)]
    assert len(seen) == len(trained) == 5
    for rows, (x, mean, names) in zip(trained, seen, strict=True):
        assert np.array_equal(x, X["x"].to_numpy()[rows])
        assert mean == pytest.approx(X["x"].to_numpy()[rows].mean())
        assert names == set(X["name"].to_numpy()[rows])


def test_the_same_from_every_frame_and_every_time(small):
    X, y = small
    first = [result.fold_accuracies for result in compare(X, y, folds=3, seed=5)]
    for other in (pd.DataFrame(X.to_dict(as_series=False)), X.to_numpy(), X.to_numpy().tolist()):
        assert [result.fold_accuracies for result in compare(other, y, folds=3, seed=5)] == first


@pytest.fixture
def mixed():
    """Numbers, names, truth values and holes; `sweet` and `hue` tell the classes apart."""
    rng = np.random.default_rng(0)
    sweet, hue = rng.normal(size=40).tolist(), rng.choice(["red", "green"], 40).tolist()
    y = np.where((np.array(sweet) > 0) & (np.array(hue) == "red"), "ripe", "raw")
    ring = [None if i % 5 == 0 else bool(i % 2) for i in range(40)]
    hue = [None if i % 13 == 0 else name for i, name in enumerate(hue)]
    return pl.DataFrame({"sweet": sweet, "hue": hue, "ring": ring}), y


def test_a_learner_that_reads_tables_gets_them_as_they_are(mixed, monkeypatch):
    seen = []

    class Spy(SparsePerceptron):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

        def predict(self, X):
            seen.append(X)
            return super().predict(X)

    monkeypatch.setitem(LEARNERS, "sparse", lambda seed, max_epochs: Spy(stages=3))
    X, y = mixed
    compare(X, y, folds=2, learners=["averaged", "sparse"])
    (train, test), (again, others) = StratifiedKFold(2, shuffle=True, random_state=0).split(X, y)
    expected = [X[rows] for rows in (train, test, again, others)] + [X]
    assert [one.equals(other) for one, other in zip(seen, expected, strict=True)] == [True] * 5


@pytest.mark.filterwarnings("ignore:Of all numbers of stages the last tried")
def test_a_sparse_learner_beside_others(mixed):
    X, y = mixed
    found = by_name(compare(X, y, folds=4, seed=3, learners=["sparse", "averaged"]))
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    expected = cross_val_score(SparsePerceptron(random_state=3), X, y, cv=folds)
    assert np.array_equal(found["sparse"].fold_accuracies, expected)
    assert found["sparse"].accuracy > 0.8
    model = SparsePerceptron(random_state=3).fit(X, y)
    assert found["sparse"].size == Size(model.n_weights_, "weights")
    assert found["sparse"].margin is found["sparse"].converged is found["sparse"].n_updates is None
    rows = [list(row) for row in X.rows()]
    for other in (pd.DataFrame(rows, columns=X.columns), np.array(rows, object), rows):
        assert compare(other, y, folds=4, seed=3, learners=["sparse"])[0].fold_accuracies == tuple(expected)


def test_the_weights_of_several_classes_are_counted_together():
    X, y = load_iris(return_X_y=True)
    model = SparsePerceptron(stages=2).fit(X, y)
    assert size_of(model) == Size(int(np.count_nonzero(model.weights_)), "weights")
    assert margin_of(model) is None


def test_which_learners_read_tables(mixed):
    assert [name for name in LEARNERS if reads_tables(build_learner(name))] == ["sparse", "scorecard"]
    for name in ("sparse", "averaged"):
        learner = build_learner(name)
        model = for_tables(learner).fit(*mixed)
        assert (model is learner) == (name == "sparse")
        assert model.score(*mixed) > 0.7


def test_a_table_without_use_for_literals_is_a_note():
    """All numbers are one: there is nothing that a rule could say of some rows and not of others."""
    X, y = np.ones((12, 2)), np.arange(12) % 2
    sparse, averaged = compare(X, y, folds=2, max_epochs=3, learners=["sparse", "averaged"])
    assert sparse.accuracy is None
    assert sparse.notes[0].startswith("failed: No column tells rows apart")
    assert averaged.accuracy is not None


def test_fewer_folds_for_a_small_class(small):
    X, y = small
    y = np.where(np.arange(60) < 3, "rare", "usual")
    assert {len(result.fold_accuracies) for result in compare(X, y, max_epochs=5)} == {3}
    with pytest.raises(
        ValueError, match="The class 'rare' has one row, which cannot be both learned from and"
    ):
        compare(X, np.where(np.arange(60) < 1, "rare", "usual"))
    with pytest.raises(ValueError, match="one class only"):
        compare(X, np.zeros(60))
    for folds in (1, 2.5, True):
        with pytest.raises(ValueError, match=f"folds={folds}, but it must be an integer >= 2"):
            compare(X, y, folds=folds)


def test_warnings_become_notes_and_are_not_shown():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = by_name(compare(X, y, folds=3, max_epochs=7))
    assert caught == []
    assert results["perceptron"].notes == ("max_epochs reached",)
    assert results["shallow tree"].notes == ()
    assert results["perceptron"].converged is False
    low, high = results["perceptron"].margin
    assert low is None
    assert high >= 0

    def warn():
        for _ in range(2):
            warnings.warn("Something else.\nMore of it.", UserWarning, stacklevel=1)
        return 1

    assert quietly(warn) == (1, ["Something else.\nMore of it."])
    assert fold_fits._short("Something else.\nMore of it.") == "Something else."


def test_several_classes_report_the_smallest_margin(jit):
    X, y = load_iris(return_X_y=True)
    result = by_name(compare(X, y, folds=3, max_epochs=200 if jit else 5))["perceptron"]
    assert result.accuracy > 0.6
    model = Perceptron(max_epochs=5, random_state=0)
    quietly(model.fit, X, y)
    worst = min(model.certificate_, key=lambda one: one.margin)
    assert margin_of(model) == (None, worst.margin_bound)
    assert str(size_of(model)) == "12 weights"


def test_learners_by_name():
    for name in LEARNERS:
        assert build_learner(name, seed=1, max_epochs=7) is not None
    assert build_learner("perceptron", seed=1, max_epochs=7).get_params()["max_epochs"] == 7
    for name, chosen in NAMED.items():
        if name not in LEARNERS:
            learner = build_learner(name, seed=3)
            assert {key: learner.get_params()[key] for key in chosen} == chosen
            assert learner.random_state == 3
    assert build_learner("minover", max_epochs=5).max_epochs == 5
    with pytest.raises(
        ValueError, match=r"no learner 'percepton'; did you mean 'perceptron'\? There are perceptron, g"
    ):
        build_learner("percepton")
    with pytest.raises(ValueError, match="no learner 'xyz'; there are perceptron, growing margin"):
        build_learner("xyz")


def test_sizes(small):
    X, y = small
    rows = X.to_numpy()
    assert str(size_of(DecisionTreeClassifier(max_depth=1).fit(rows, y))) == "1 split"
    assert str(size_of(Perceptron().fit(rows[:, :1] * 0 + (y == "up")[:, None], y))) == "1 weight"
    assert size_of(object()) is None


def test_chosen_learners(small):
    results = compare(*small, folds=2, learners=["pam", "averaged", "pam"])
    assert [result.learner for result in results] == ["pam", "averaged"]
    with pytest.raises(ValueError, match="no learner 'pma'; did you mean 'pam'"):
        compare(*small, learners=["pma"])


def test_one_line_per_family_unless_more_is_asked_for(small):
    usual = default_learners(60)
    assert [name for name in LEARNERS if name not in usual] == [*ON_REQUEST]
    found = [result.learner for result in compare(*small, folds=2, max_epochs=3)]
    assert found == usual


def test_many_rows_are_not_for_the_kernel(small, monkeypatch):
    assert set(SLOW) <= set(default_learners(MANY_ROWS))
    assert not set(SLOW) & set(default_learners(MANY_ROWS + 1))
    for module in ("learners", "comparison"):
        monkeypatch.setattr(f"perceptrons.{module}.MANY_ROWS", 59)
    monkeypatch.setattr(compare_module, "FEW_EPOCHS", 1)
    X, y = small
    noise = np.roll(y, 7)
    assert "kernel" not in by_name(compare(X, noise, folds=2, max_epochs=3))
    asked = by_name(compare(X, noise, folds=2, max_epochs=3, learners=["kernel", "perceptron"]))
    assert asked["kernel"].n_updates <= 60  # one epoch
    assert asked["perceptron"].n_updates > 60


@pytest.mark.parametrize("error", [ValueError("of no use\nat all"), MemoryError()])
def test_a_learner_that_fails_gets_a_note(small, monkeypatch, error):
    class Fails(DecisionTreeClassifier):
        def fit(self, X, y):
            if len(y) < 60:
                return super().fit(X, y)
            raise error

    monkeypatch.setitem(LEARNERS, "shallow tree", lambda seed, max_epochs: Fails())
    results = by_name(compare(*small, folds=2, learners=["shallow tree", "averaged"]))
    assert results["shallow tree"].accuracy is results["shallow tree"].fit_seconds is None
    assert results["shallow tree"].notes[0] in ("failed: of no use at all", "failed: not enough memory")
    assert results["averaged"].accuracy > 0.8


@pytest.mark.parametrize(
    ("file", "target", "n_rows", "least"), REAL, ids=lambda value: str(value).split("/")[0]
)
def test_real_tables(file, target, n_rows, least, jit, data):
    frame = read_table(data / file, header=False, text=[target])
    assert len(frame) == n_rows
    if not jit:
        frame = frame.sample(150, seed=0)
    X, y = split(frame, target)
    results = by_name(compare(X, y, folds=3, max_epochs=100 if jit else 5))
    for result in results.values():
        bits = 0.05 * result.learner.startswith("binary")  # a bit per weight is not for free
        assert result.accuracy > least - bits - (0 if jit else 0.15)
    if "mushroom" in file and jit:
        assert results["perceptron"].margin[0] > 0
        assert results["perceptron"].converged
