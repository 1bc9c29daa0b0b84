"""How many stages: by cross-validation, by the theorem, or as told; and what a model says after each."""

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from ..base import codes_of
from ..data.checks import is_number
from ..data.rows import Array
from ..fields import LostFunction
from .boosting import Stage, boost, rows_of
from .problem import Problem
from .settings import Settings

TIE = 1e-12  # accuracies so close are equal


def run(problem: Problem, n_stages: int, settings: Settings, rows: Array | None = None) -> list[list[Stage]]:
    """The stages of each weight vector, learned from all rows, or from those named."""
    weights = problem.weights
    if rows is not None:
        weights = np.zeros(problem.data.n_rows)
        weights[rows] = problem.weights[rows]
    return [
        list(islice(boost(problem.data, signs, weights, settings.k, settings.penalty), n_stages))
        for signs in problem.signs()
    ]


def staged_scores(held: Callable[[tuple[int, ...]], Array], runs: list[list[Stage]]) -> Iterator[Array]:
    """The scores of some rows after each stage, one column per weight vector.

    held : tells for a conjunction in which of the rows it holds."""
    sums, totals = np.zeros((len(held(())), len(runs))), np.zeros(len(runs))
    for t in range(max(map(len, runs))):
        for vector, stages in enumerate(runs):
            for stage in stages[t : t + 1]:
                if stage.error == 0.0:  # it is the model, alone
                    sums[:, vector] = totals[vector] = 0.0
                sums[:, vector] += stage.sign * stage.weight * np.where(held(stage.literals), 1.0, -1.0)
                totals[vector] += stage.weight
        yield sums if len(runs) == 1 else sums / np.where(totals > 0.0, totals, 1.0)


def stages_in_theory(weights: Array, settings: Settings) -> int:
    """⌈2s² ln m⌉: Lemma 1 promises a conjunction of correlation 1/s; with the penalty the one that is chosen
    may have 1/(ks), and they are ⌈2k²s² ln m⌉. Of rows of different weights, 1/m is the smallest share."""
    assert settings.target_size is not None
    size = settings.target_size * (settings.k if settings.penalty else 1)
    weights = weights[weights > 0.0]
    ratio = len(weights) if weights.min() == weights.max() else float(weights.sum() / weights.min())
    return max(1, math.ceil(2 * size**2 * math.log(ratio)))


def splits_of(cv: Any, random_state: Any, X: Any, y: Any, problem: Problem) -> list[tuple[Array, Array]]:
    """The rows to learn from and to test on. A number of folds divides the rows that have a weight at random,
    each class as evenly as can be; if no class has so many rows, there are fewer folds."""
    if isinstance(cv, LostFunction):
        cv()
    if is_number(cv, Integral):
        return _folds(int(cv), random_state, problem)
    n_rows = problem.data.n_rows
    splits = [(_rows(a, n_rows), _rows(b, n_rows)) for a, b in check_cv(cv, y, classifier=True).split(X, y)]
    for part in (part for split in splits for part in split):
        if not problem.weights[part].any():
            raise ValueError("cv has a part without rows whose weight is > 0; each must have some.")
    if not splits:
        raise ValueError("cv has no splits, but at least one is needed; use 5.")
    return splits


def _rows(part: Any, n_rows: int) -> Array:
    """The numbers of rows, which may be marked by truth values."""
    rows = np.asarray(part)
    if rows.dtype != np.bool_:
        return rows.astype(np.intp)
    if len(rows) != n_rows:
        raise ValueError(f"cv marks {len(rows)} rows, but there are {n_rows}.")
    return np.flatnonzero(rows)


def _folds(n_folds: int, random_state: Any, problem: Problem) -> list[tuple[Array, Array]]:
    rows = np.flatnonzero(problem.weights > 0.0)
    codes = problem.codes[rows]
    most = int(np.bincount(codes).max())
    if most < 2:
        raise ValueError(
            'stages="cv" cannot both learn from and test on classes of one row each; set stages to a number, '
            "or add rows."
        )
    splitter = StratifiedKFold(min(n_folds, most), shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class of few rows is not in every fold
        return [(rows[train], rows[test]) for train, test in splitter.split(rows, codes)]


def cross_validate(problem: Problem, settings: Settings, splits: list[tuple[Array, Array]]) -> Array:
    """The accuracy on rows left out, after each number of stages; rows count by their weight."""
    most = settings.max_stages or problem.data.n_literals
    right, total = np.zeros(most), 0.0
    for train, test in splits:
        right += _right_weights(problem, run(problem, most, settings, train), test, most)
        total += float(problem.weights[test].sum())
    return right / total


def _right_weights(problem: Problem, runs: list[list[Stage]], test: Array, most: int) -> Array:
    """The weight of the test rows that are right, after each stage."""
    weights, codes = problem.weights[test], problem.codes[test]
    right = np.full(most, float(weights[codes == 0].sum()))  # before the first stage, all are `classes_[0]`
    for t, scores in enumerate(staged_scores(lambda c: rows_of(problem.data, c)[test], runs)):
        right[t:] = weights[codes_of(scores) == codes].sum()
    return right


def is_still_rising(accuracies: Array) -> bool:
    """Is the best of them the last, and not perfect?"""
    return bool(accuracies.max() < 1.0 - TIE and best_stages(accuracies) == len(accuracies))


def best_stages(accuracies: Array) -> int:
    """The fewest stages of the highest accuracy."""
    return int(np.argmax(accuracies >= accuracies.max() - TIE)) + 1
