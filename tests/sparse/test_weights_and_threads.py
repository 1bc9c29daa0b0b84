"""Weights of 0 leave rows out of sparse and pruned perceptrons, bit for bit; threads change nothing."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.model_selection import KFold, cross_validate

from perceptrons import PrunedPerceptron, SparsePerceptron, compiled
from perceptrons.sparse import pairs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SPARSE = [
    {"stages": "cv", "max_stages": 6, "cv": 3},
    {"stages": "cv", "max_stages": 5, "cv": KFold(3)},
    {"stages": "cv", "max_stages": 3, "cv": 3, "booster": "majority", "k": 1},
    {"stages": 5, "class_weight": "balanced", "k": 1},
    {"stages": "theory", "target_size": 1, "k": 1},
]
MODELS = [SparsePerceptron(refit="stagewise", random_state=0, **how) for how in SPARSE] + [
    PrunedPerceptron(random_state=0),
    PrunedPerceptron(k=2, n_thresholds=2, random_state=0),
]


def mixed(seed, n_classes, n_rows=90):
    """A table of numbers and names, of which the class follows some, with cells missing."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_rows, 3))
    names = rng.choice(["red", "brown", "white"], n_rows)
    y = (
        np.digitize(numbers[:, 0] + (names == "red") + 0.5 * rng.normal(size=n_rows), [0.0, 1.0])
    ) % n_classes
    numbers[rng.random((n_rows, 3)) < 0.05] = np.nan
    return pd.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1], "c": numbers[:, 2], "cap": names}), y


def fingerprint(model):
    """Everything a fit has learned that could differ by a bit."""
    names = ("_places", "_runs", "_paths", "_totals", "stages_", "gamma_", "missed_", "cv_trials_")
    arrays = ("classes_", "_weights", "intercept_", "n_weights_", "cv_accuracy_")
    plain = {name: getattr(model, name) for name in names if hasattr(model, name)}
    bits = {name: np.asarray(getattr(model, name)).tolist() for name in arrays if hasattr(model, name)}
    return plain | bits | {"literals": model.encoder_.literals_}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_rows_of_weight_0_are_absent(model, n_classes):
    """Literals, folds, rows held out, conjunctions and weights are those of the other rows, bit for bit; the
    rows left out have other names, and numbers that would move every threshold."""
    X, y = mixed(1, n_classes)
    w = np.random.default_rng(2).integers(0, 4, len(y)) * 0.7
    there = w > 0
    assert 50 < there.sum() < 80
    X.loc[~there, "cap"], X.loc[~there, ["a", "b", "c"]] = "blue", 1e6
    with_zeros = fingerprint(sklearn.clone(model).fit(X, y, sample_weight=w))
    assert with_zeros == fingerprint(sklearn.clone(model).fit(X[there], y[there], sample_weight=w[there]))
    dense = X[["a", "b", "c"]].fillna(0.0).to_numpy()
    for rows in (dense, sp.csr_array(dense), sp.coo_array(dense), dense.tolist()):
        kept = rows.tocsr()[there] if sp.issparse(rows) else dense[there]
        one, other = (sklearn.clone(model) for _ in range(2))
        assert fingerprint(one.fit(rows, y, w)) == fingerprint(other.fit(kept, y[there], w[there]))


def test_cells_of_absent_rows_are_not_read():
    """A text among numbers, in a row of weight 0."""
    X = [[1.0], [2.0], [3.0], [4.0], ["unknown"]]
    model = SparsePerceptron(refit="stagewise", stages=1).fit(
        X, [0, 0, 1, 1, 0], sample_weight=[1, 1, 1, 1, 0]
    )
    assert [str(rule) for rule in model.conjunctions_] == ["x0 > 2"]


def test_given_splits_count_all_rows():
    """A list of splits names rows by their places among those given, of weight 0 or not."""
    X, y = mixed(3, 2)
    w = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    there = np.flatnonzero(w)
    splits = [(np.arange(60), np.arange(60, 90)), (np.arange(90) >= 40, np.arange(90) < 40)]
    among = [tuple(np.flatnonzero(np.isin(there, np.arange(90)[part])) for part in split) for split in splits]
    model = SparsePerceptron(refit="stagewise", cv=splits, max_stages=5).fit(X, y, sample_weight=w)
    other = SparsePerceptron(refit="stagewise", cv=among, max_stages=5).fit(
        X.iloc[there], y[there], sample_weight=w[there]
    )
    assert fingerprint(model) == fingerprint(other)
    absent = [(np.arange(90), np.flatnonzero(w == 0))]
    with pytest.raises(ValueError, match="cv has a part without rows whose weight is > 0"):
        SparsePerceptron(refit="stagewise", cv=absent).fit(X, y, sample_weight=w)


@pytest.mark.parametrize("make", [SparsePerceptron, PrunedPerceptron])
def test_a_class_without_weight_cannot_be_learned(make):
    X, y = mixed(1, 3)
    for how, w in [({}, 1.0 * (y != 1)), ({"class_weight": {1: 0.0}}, None)]:
        with pytest.raises(ValueError, match="All rows of the class 1 have weight 0"):
            make(**how).fit(X, y, sample_weight=w)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_threads_change_nothing(model, n_classes, monkeypatch):
    X, y = mixed(5, n_classes)
    sizes = []
    with monkeypatch.context() as patch:
        patch.setattr(
            compiled.ThreadPoolExecutor,
            "map",
            lambda pool, function, items, map=compiled.ThreadPoolExecutor.map: (
                sizes.append(len(items := [*items])) or map(pool, function, items)
            ),
        )
        patched = fingerprint(sklearn.clone(model).set_params(n_jobs=3).fit(X, y))
    assert patched == fingerprint(sklearn.clone(model).fit(X, y))
    n_vectors = 1 if n_classes == 2 else 3
    n_folds = 3 if getattr(model, "stages", None) == "cv" else 1
    assert max(sizes, default=1) == n_folds * n_vectors  # each fold of each class is a task


def test_threads_share_the_products_of_a_single_task(monkeypatch):
    X, y = mixed(6, 2)
    model, parts = SparsePerceptron(refit="stagewise", stages=8, n_thresholds=30), []
    alone = fingerprint(sklearn.clone(model).fit(X, y))
    for name, value in (("PART_TIME", 1.0), ("MERGED", 0), ("LONG", 0)):
        monkeypatch.setattr(pairs, name, value)
    serial = fingerprint(sklearn.clone(model).fit(X, y))
    monkeypatch.setattr(
        compiled.ThreadPoolExecutor, "map", lambda _, f, items: map(f, parts.append(1) or items)
    )
    assert fingerprint(model.set_params(n_jobs=2).fit(X, y)) == serial == alone
    assert len(parts) >= 8


@pytest.mark.parametrize("make", [SparsePerceptron, PrunedPerceptron])
@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_numbers_of_threads_that_make_no_sense(make, n_jobs):
    X, y = mixed(0, 2)
    with pytest.raises(ValueError, match=r"n_jobs=.*, but it must be an integer other than 0; use None"):
        make(n_jobs=n_jobs).fit(X, y)


@pytest.mark.parametrize(
    "model", [SparsePerceptron(refit="stagewise", stages=3), PrunedPerceptron(random_state=0)], ids=str
)
def test_metadata_routing_brings_weights(model):
    X, y = mixed(4, 2)
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = (
            sklearn.clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        )
        split = [(np.arange(60), np.arange(60, 90))]
        routed = cross_validate(asking, X, y, cv=split, params={"sample_weight": w}, return_estimator=True)
    expected = sklearn.clone(model).fit(X[:60], y[:60], sample_weight=w[:60])
    assert fingerprint(routed["estimator"][0]) == fingerprint(expected)
    assert fingerprint(expected) != fingerprint(sklearn.clone(model).fit(X[:60], y[:60]))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_every_fold_judges_its_own_classes(n_jobs):
    """Accuracies by hand: a model of each part, whose literals are those of the whole, as all names occur."""
    rng = np.random.default_rng(0)
    X = rng.choice(["a", "b", "c"], (120, 4))
    y = np.where(rng.random(120) < 0.2, 0, (X[:, 0] == "a") + (X[:, 1] == "b") * 1)
    w = rng.integers(1, 4, 120).astype(float)
    splits = [(np.arange(70), np.arange(70, 120)), (np.arange(40, 120), np.arange(40))]
    model = SparsePerceptron(refit="stagewise", cv=splits, max_stages=4, k=1, n_jobs=n_jobs).fit(
        X, y, sample_weight=w
    )
    right = np.zeros(4)
    for train, test in splits:
        part = SparsePerceptron(refit="stagewise", stages=4, k=1).fit(
            X[train], y[train], sample_weight=w[train]
        )
        assert part.encoder_.literals_ == model.encoder_.literals_
        assert part.classes_.tolist() == [0, 1, 2]
        right += [w[test] @ (answers == y[test]) for answers in part.staged_predict(X[test])]
    assert model.cv_accuracy_ == pytest.approx(right / sum(w[test].sum() for _, test in splits), rel=1e-12)
    assert len(set(model.cv_accuracy_)) > 2
