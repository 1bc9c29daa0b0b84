"""Accuracy and size on the papers' tables: sparse and pruned perceptrons beside trees and a linear model.

Ten folds for each seed, the same for all; how many stages, and how far to prune, is chosen inside the part of
a fold that is learned from.
"""

import os
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from perceptrons import LiteralEncoder, PrunedPerceptron, SparsePerceptron

from .layout import Column, Section

SEEDS, FOLDS = 5, 10
COLUMNS = [
    Column("name", "table", "text"),
    Column("learner", "learner", "text"),
    Column("accuracy", "accuracy", "percent"),
    Column("deviation", "deviation over seeds", "percent"),
    Column("weights", "weights or leaves", "mean"),
    Column("time", "fit", "time"),
    Column("paper", "in the paper", "text"),
]


class Task(NamedTuple):
    """A table without the columns that the paper drops."""

    name: str
    label: str
    dropped: tuple[str, ...] = ()
    seeds: int = SEEDS

    def load(self) -> tuple[Any, Any]:
        if self.name == CANCER:
            return load_breast_cancer(return_X_y=True)
        from perceptrons.datasets import load

        data = load(self.name)
        return data.X.drop(self.dropped), data.y


CANCER = "cancer"  # comes with scikit-learn
TASKS = [
    Task(CANCER, "breast cancer, 569×30", seeds=1),
    Task("voting", "voting, 435×15", ("physician-fee-freeze",)),
    Task("promoters", "promoters, 106×57"),
    Task("wisconsin", "Wisconsin, 699×9"),
    Task("tic-tac-toe", "tic-tac-toe, 958×9"),
    Task("splice", "splice, 3,190×60, three classes", seeds=1),
    Task("mushroom", "mushroom, 8,124×22", seeds=1),
]
PAPER = {  # Tables 1 and 2; its promoters were a larger set
    ("voting", "sparse, k=2"): "91.5 %, 12 weights",
    ("voting", "pruned, k=1"): "87.6 %, 12 weights",
    ("promoters", "sparse, k=2"): "92.7 %, 41 weights",
    ("promoters", "pruned, k=1"): "88.2 %, 59 weights",
}


class Learner(NamedTuple):
    name: str
    make: Callable[[int], Any]
    size: Callable[[Any], float]
    tables: tuple[str, ...] | None = None  # where it takes minutes elsewhere


def _n_weights(model: Any) -> float:
    return float(np.sum(model.n_weights_))


def _on_literals(model: Any) -> Any:
    return make_pipeline(LiteralEncoder(), model)


def _pruned_tree(seed: int) -> GridSearchCV:
    """How far to prune is chosen by five inner folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    extents = {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03]}
    return GridSearchCV(DecisionTreeClassifier(random_state=seed), extents, cv=folds)


LEARNERS = [
    Learner("sparse, k=2", lambda seed: SparsePerceptron(refit="stagewise", random_state=seed), _n_weights),
    Learner(
        "sparse, k=2, max_stages=1000",  # the paper's limit, the number of literals, is few where they are
        lambda seed: SparsePerceptron(refit="stagewise", max_stages=1000, random_state=seed),
        _n_weights,
        ("tic-tac-toe",),
    ),
    Learner(
        "sparse, k=1", lambda seed: SparsePerceptron(refit="stagewise", k=1, random_state=seed), _n_weights
    ),
    Learner("pruned, k=1", lambda seed: PrunedPerceptron(random_state=seed), _n_weights),
    Learner(
        "pruned, k=2",
        lambda seed: PrunedPerceptron(k=2, random_state=seed),
        _n_weights,
        ("voting", "promoters", "tic-tac-toe"),
    ),
    Learner(
        "logistic regression",
        lambda seed: _on_literals(LogisticRegression(max_iter=10_000)),
        lambda model: np.count_nonzero(model[-1].coef_),
    ),
    Learner(
        "tree, pruned",
        lambda seed: _on_literals(_pruned_tree(seed)),
        lambda model: model[-1].best_estimator_.get_n_leaves(),
    ),
    Learner(
        "random forest",
        lambda seed: _on_literals(RandomForestClassifier(random_state=seed)),
        lambda model: sum(tree.get_n_leaves() for tree in model[-1].estimators_),
    ),
]


def run(quick: bool) -> dict[str, Any]:
    table = Section(f"{FOLDS}-fold cross-validation, {SEEDS} seeds (large tables: 1)", COLUMNS, [])
    notes = [
        "Accuracy is the mean over folds and seeds, its deviation that of the seeds' means. All learn from "
        "the literals of `LiteralEncoder`.",
    ]
    with threadpool_limits(1):
        for task, learner in _pairs(quick):
            print(f"{task.label}, {learner.name} ...", flush=True)
            row, means = _judge(task, learner, *((1, 2) if quick else (task.seeds, FOLDS)))
            table.rows.append(row)
            table.raw[row["id"]] = means
    return {"sizes": {"folds": FOLDS, "seeds": SEEDS}, "notes": notes, "sections": [table]}


def _pairs(quick: bool) -> list[tuple[Task, Learner]]:
    """What can be measured: tables other than the first need the data folder."""
    if quick:
        return [(TASKS[0], LEARNERS[number]) for number in (0, 2, 3)]
    tasks = TASKS if os.environ.get("PERCEPTRONS_DATA") else TASKS[:1]
    return [(task, one) for task in tasks for one in LEARNERS if task.name in (one.tables or [task.name])]


def _judge(task: Task, learner: Learner, seeds: int, n_folds: int) -> tuple[dict[str, Any], list[float]]:
    """A row, and the mean accuracy of each seed."""
    X, y = task.load()
    means, sizes, times = [], [], []
    for seed in range(seeds):
        right = []
        for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(
            np.zeros(len(y)), y
        ):
            model, start = learner.make(seed), perf_counter()
            model.fit(X[train], y[train])
            times.append(perf_counter() - start)
            right.append(float(np.mean(model.predict(X[test]) == y[test])))
            sizes.append(float(learner.size(model)))
        means.append(statistics.mean(right))
    row = {
        "id": f"{task.name} {learner.name}",
        "name": task.label,
        "learner": learner.name,
        "accuracy": statistics.mean(means),
        "deviation": statistics.stdev(means) if seeds > 1 else None,
        "weights": statistics.mean(sizes),
        "time": statistics.median(times),
        "paper": PAPER.get((task.name, learner.name)),
    }
    return row, means
