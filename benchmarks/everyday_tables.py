"""Everyday tables for `benchmarks everyday`: real ones, and what happens to tables in daily life."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import FunctionTransformer

from perceptrons import TableEncoder, datasets

FROM_FOLDER = ("pima", "voting", "promoters", "splice", "mushroom", "wisconsin", "tic-tac-toe")
MONKS = ("monks-1", "monks-2", "monks-3")
NOT_SCALED = ", not scaled"
FROM_SKLEARN = {
    "breast cancer": load_breast_cancer,
    "iris": load_iris,
    "wine": load_wine,
    "digits": load_digits,
}


class Fold(NamedTuple):
    """Encoded rows to learn from and to test on."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


def names(quick: bool) -> list[str]:
    raw = [name + NOT_SCALED for name in FROM_SKLEARN]
    every = [*FROM_SKLEARN, *raw, "digits, odd or even", *FROM_FOLDER, *MONKS]
    return ["breast cancer", "iris"] if quick else every


def load(name: str) -> tuple[Any, np.ndarray]:
    """The table and its classes, as they come."""
    if name == "digits, odd or even":
        X, y = load_digits(return_X_y=True)
        return X, y % 2
    if name.removesuffix(NOT_SCALED) in FROM_SKLEARN:
        return FROM_SKLEARN[name.removesuffix(NOT_SCALED)](return_X_y=True)
    table = datasets.load(name)
    return table.X, table.y


def folds(name: str, n_folds: int, seed: int) -> Iterator[Fold]:
    """Stratified folds in random order, encoded by what the training rows teach."""
    X, y = load(name)
    numbers = FunctionTransformer() if name.endswith(NOT_SCALED) else TableEncoder()
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for train, test in splitter.split(np.zeros(len(y)), y):
        encoder = clone(numbers).fit(X[train])
        yield Fold(encoder.transform(X[train]), y[train], encoder.transform(X[test]), y[test])


def as_it_comes(fold: Fold, seed: int) -> Fold:
    return fold


def sorted_by_class(fold: Fold, seed: int) -> Fold:
    order = np.argsort(fold.y, kind="stable")
    return fold._replace(X=fold.X[order], y=fold.y[order])


def permuted(fold: Fold, seed: int) -> Fold:
    order = np.random.default_rng(seed).permutation(len(fold.y))
    return fold._replace(X=fold.X[order], y=fold.y[order])


def stretched(factor: float) -> Callable[[Fold, int], Fold]:
    """One training row, chosen at random, many times as long."""

    def stretch(fold: Fold, seed: int) -> Fold:
        X = fold.X.copy()
        row = int(np.random.default_rng(seed).integers(len(fold.y)))
        X[[row]] = factor * X[[row]]
        return fold._replace(X=X)

    return stretch


VARIANTS: dict[str, Callable[[Fold, int], Fold]] = {
    "as it comes": as_it_comes,
    "sorted by class": sorted_by_class,
    "permuted": permuted,
    "one row ×10": stretched(10.0),
    "one row ×1000": stretched(1000.0),
}
