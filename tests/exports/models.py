"""Fitted models of every kind, and tables with holes and names never seen to ask them about."""

import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from perceptrons import (
    BinaryPerceptron,
    Cascade,
    ChowClassifier,
    ConservativePerceptron,
    Costs,
    KernelPerceptron,
    MaxMarginPerceptron,
    Perceptron,
    PrunedPerceptron,
    SelectiveClassifier,
    SparsePerceptron,
    datasets,
)
from perceptrons.learners import for_tables
from tests.sizes import THOROUGH

UNSEEN = 'never "seen", it\'s */ -- %s \\ ??/ é\n'
TABLES = ("breast cancer", "pima", "voting", "mushroom", "splice")


def table(name: str) -> tuple[pl.DataFrame, np.ndarray]:
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        return pl.from_pandas(X), np.where(y == 1, "benign", "malignant")
    found = datasets.load(name)
    if name == "splice" and not THOROUGH:  # the positions around the junction
        return found.X[:, 22:38], found.y
    return found.X, found.y


def learners(n_classes: int) -> Iterator[tuple[str, Any]]:
    """Estimators that take tables, with names that serve as those of files."""
    short = {"max_epochs": 20, "random_state": 0}
    folds = {"cv": 2, "random_state": 0}
    yield "perceptron", for_tables(Perceptron(**short))
    yield "max_margin", for_tables(MaxMarginPerceptron(C=1.0, max_iter=100))
    yield "kernel", for_tables(KernelPerceptron(max_epochs=3, random_state=0))
    yield "sparse", SparsePerceptron(max_rules=6, stages=20, **folds)
    yield "scorecard", SparsePerceptron(max_points=5, max_rules=5, stages=20, **folds)
    yield "stagewise", SparsePerceptron(refit="stagewise", stages=5, random_state=0)
    yield "votes", SparsePerceptron(booster="majority", stages=5, target_size=5, random_state=0)
    yield "pruned", PrunedPerceptron(max_iter=20, drop=0.3, random_state=0)
    yield "chow", ChowClassifier(for_tables(Perceptron(**short)), cv=2)
    yield "isotonic", ChowClassifier(for_tables(Perceptron(**short)), calibration="isotonic", cv=2)
    yield "selective", SelectiveClassifier(for_tables(Perceptron(**short)), 0.3, 0.6, random_state=0)
    yield (
        "cascade",
        Cascade(
            [for_tables(LogisticRegression(max_iter=500)), for_tables(Perceptron(**short))],
            cv=2,
            random_state=0,
        ),
    )
    if n_classes == 2:
        yield "conservative", for_tables(ConservativePerceptron(max_epochs=5, random_state=0))
        yield "binary", for_tables(BinaryPerceptron())
    if find_spec("torch"):
        from perceptrons.neural import MarginMLPClassifier

        small = {"hidden_size": 8, "max_epochs": 5, "random_state": 0}
        yield "network", for_tables(MarginMLPClassifier(**small))
        costs = Costs(reject=0.2)
        yield "network_costs", for_tables(MarginMLPClassifier(costs=costs, **small))


def fitted(X: Any, y: Any, n_classes: int) -> Iterator[tuple[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, model in learners(n_classes):
            yield name, model.fit(X, y)


def with_holes(X: pl.DataFrame, rng: np.random.Generator, share: float = 0.05) -> pl.DataFrame:
    """The same rows, some of whose cells are missing or hold what no row had."""
    columns = {}
    for name in X.columns:
        cells, draw = X[name].to_list(), rng.random(len(X))
        other = UNSEEN if X[name].dtype == pl.String else {pl.Float64: -0.0, pl.Int64: 0}.get(X[name].dtype)
        cells = [
            None if d < share else other if d < 1.5 * share else c for c, d in zip(cells, draw, strict=True)
        ]
        columns[name] = pl.Series(name, cells, dtype=X[name].dtype)
    return pl.DataFrame(columns)
