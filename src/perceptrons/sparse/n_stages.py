"""How many stages, and of votes which edge: by cross-validation, by the theorem, or as told."""

import math
import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from .._types import Array
from ..base import codes_of
from ..checks import is_number
from ..model_file.declarations import LostFunction
from .boosting import Stage
from .conjunctions import rows_of
from .majority import enough_stages
from .runs import Trial, run, staged_scores
from .sparse_parameters import CV, THEORY, Settings
from .sparse_problem import Problem

TIE = 1e-12  # accuracies so close are equal
GAMMAS = (0.05, 0.1, 0.2, 0.3)  # that are tried: smaller ones would need more stages than are tried
MOST_VOTES = 101  # unless told otherwise: a longer card is none
GROWTH = math.sqrt(2)  # of the numbers of votes that are tried


class Plan(NamedTuple):
    """What was chosen, and the accuracies by which it was."""

    trial: Trial
    accuracies: Array | None = None
    trials: list[Trial] | None = None  # of votes; else they are 1, 2, … stages
    most: int | None = None  # stages that were tried

    def is_still_rising(self) -> bool:
        """Is the most that was tried the best, and not perfect?"""
        perfect = self.accuracies is not None and self.accuracies.max() >= 1.0 - TIE
        return self.trial.stages == self.most and not perfect


def make_plan(problem: Problem, settings: Settings, splits: Callable[[], list[tuple[Array, Array]]]) -> Plan:
    """How many stages, and of votes which edge."""
    if settings.stages == THEORY:
        return Plan(in_theory(problem.weights, settings))
    if settings.stages != CV and (not settings.votes or settings.gamma):
        return Plan(Trial(int(settings.stages), settings.gamma if settings.votes else None))
    if settings.votes:
        trials = _trials(problem, settings)
        accuracies = try_votes(problem, settings, trials, splits())
        wanted = settings.max_stages is not None  # for the sake of a short card
        most = trials[-1].stages if settings.stages == CV and not wanted else None
        return Plan(trials[best_of(accuracies)], accuracies, trials[: len(accuracies)], most)
    accuracies = cross_validate(problem, settings, splits())
    return Plan(Trial(best_of(accuracies) + 1), accuracies, most=len(accuracies))


def in_theory(weights: Array, settings: Settings) -> Trial:
    """⌈2s² ln m⌉: Lemma 1 promises a conjunction of correlation 1/s; with the penalty the one that is chosen
    may have 1/(ks), and they are ⌈2k²s² ln m⌉. Votes: as many as leave no room for an error. Of rows of
    different weights, 1/m is the smallest share."""
    assert settings.target_size is not None
    assert settings.gamma is not None
    weights = weights[weights > 0.0]
    ratio = len(weights) if weights.min() == weights.max() else float(weights.sum() / weights.min())
    if settings.votes:
        return Trial(enough_stages(settings.gamma, 1 / ratio), settings.gamma)
    size = settings.target_size * (settings.scope.k if settings.scope.penalty else 1)
    return Trial(max(1, math.ceil(2 * size**2 * math.log(ratio))))


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
            "Cross-validation cannot both learn from and test on classes of one row each; set stages to a "
            'number (and target_size, if the booster is "majority"), or add rows.'
        )
    splitter = StratifiedKFold(min(n_folds, most), shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class of few rows is not in every fold
        return [(rows[train], rows[test]) for train, test in splitter.split(rows, codes)]


def cross_validate(problem: Problem, settings: Settings, splits: list[tuple[Array, Array]]) -> Array:
    """The accuracy on rows left out, after each number of stages; rows count by their weight."""
    most = settings.max_stages or problem.data.n_literals
    right = np.zeros(most)
    for train, test in splits:
        right += _right_weights(problem, run(problem, Trial(most), settings, train).stages, test, most, False)
    return right / _total(problem, splits)


def try_votes(
    problem: Problem, settings: Settings, trials: list[Trial], splits: list[tuple[Array, Array]]
) -> Array:
    """The accuracy on rows left out of each trial, which is a run of its own; up to one that is perfect."""
    accuracies, total = [], _total(problem, splits)
    for trial in trials:
        right = 0.0
        for train, test in splits:
            runs = run(problem, trial, settings, train).stages
            right += float(_right_weights(problem, runs, test, trial.stages, True)[-1])
        accuracies.append(right / total)
        if accuracies[-1] >= 1.0 - TIE:
            break  # more votes would not be better
    return np.array(accuracies)


def _trials(problem: Problem, settings: Settings) -> list[Trial]:
    """Odd numbers of votes up to the most, growing; where there is one, its edge makes no difference."""
    gammas = GAMMAS if settings.gamma is None else (settings.gamma,)
    if settings.stages != CV:
        return [Trial(int(settings.stages), gamma) for gamma in gammas]
    most, numbers = settings.max_stages or min(problem.data.n_literals, MOST_VOTES), [1]
    while (larger := max(numbers[-1] + 2, int(numbers[-1] * GROWTH) | 1)) <= most:
        numbers.append(larger)
    if numbers[-1] + 2 <= most:
        numbers.append(most - 1 | 1)  # the largest that is odd
    return [Trial(n, gamma) for n in numbers for gamma in (gammas if n > 1 else gammas[-1:])]


def _total(problem: Problem, splits: list[tuple[Array, Array]]) -> float:
    return sum(float(problem.weights[test].sum()) for _, test in splits)


def _right_weights(problem: Problem, runs: list[list[Stage]], test: Array, most: int, votes: bool) -> Array:
    """The weight of the test rows that are right, after each stage."""
    weights, codes = problem.weights[test], problem.codes[test]
    right = np.full(most, float(weights[codes == 0].sum()))  # before the first stage, all are `classes_[0]`
    for t, scores in enumerate(staged_scores(lambda c: rows_of(problem.data, c)[test], runs, votes)):
        right[t:] = weights[codes_of(scores) == codes].sum()
    return right


def best_of(accuracies: Array) -> int:
    """The first of the highest accuracy."""
    return int(np.argmax(accuracies >= accuracies.max() - TIE))
