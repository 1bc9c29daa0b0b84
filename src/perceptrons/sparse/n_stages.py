"""The number of stages, and the edge of votes: by cross-validation, by the theorem, or as given."""

import math
import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from .._types import Array
from ..base import codes_of
from ..checks import count_rows, is_number
from ..compiled import Threads
from ..model_file.declarations import LostFunction
from ..rows.order import unsigned
from .boosting import Stage
from .coded_training import CodedTraining
from .conjunctions import rows_of
from .encoded_literals import EncodedLiterals
from .majority import enough_stages
from .runs import BoostingTrial, boost_each, staged_scores
from .sparse_parameters import CV, THEORY, SparseParameters

TIE = 1e-12  # accuracies so close are equal
GAMMAS = (0.05, 0.1, 0.2, 0.3)  # the edges tried; smaller ones would need more stages than are tried
MOST_VOTES = 101  # the default: nobody reads a longer card
GROWTH = math.sqrt(2)  # of the numbers of votes tried

Splits: TypeAlias = list[tuple[Array, Array]]  # rows to learn from, and to test on


class StagePlan(NamedTuple):
    """The trial chosen, and the accuracies it was chosen by."""

    trial: BoostingTrial
    accuracies: Array | None = None
    trials: list[BoostingTrial] | None = None  # of votes; else they are 1, 2, … stages
    most: int | None = None  # the largest number of stages tried

    def is_still_rising(self) -> bool:
        """Is the largest number of stages the best, and not perfect?"""
        perfect = self.accuracies is not None and self.accuracies.max() >= 1.0 - TIE
        return self.trial.stages == self.most and not perfect


def plan_stages(
    encoded: EncodedLiterals, parameters: SparseParameters, splits: Callable[[], Splits], threads: Threads
) -> StagePlan:
    """Choose the number of stages, and the edge of votes."""
    if parameters.stages == THEORY:
        return StagePlan(in_theory(encoded.weights, parameters))
    if parameters.stages != CV and (not parameters.votes or parameters.gamma):
        gamma = parameters.gamma if parameters.votes else None
        return StagePlan(BoostingTrial(int(parameters.stages), gamma))
    if parameters.votes:
        trials = _trials(encoded, parameters)
        accuracies = try_votes(encoded, parameters, trials, splits(), threads)
        wanted = parameters.max_stages is not None  # for the sake of a short card
        most = trials[-1].stages if parameters.stages == CV and not wanted else None
        return StagePlan(trials[best_of(accuracies)], accuracies, trials[: len(accuracies)], most)
    most_stages = BoostingTrial(parameters.max_stages or encoded.data.n_literals)
    accuracies = cross_validate(encoded, parameters, most_stages, splits(), threads)
    return StagePlan(BoostingTrial(best_of(accuracies) + 1), accuracies, most=len(accuracies))


def in_theory(weights: Array, parameters: SparseParameters) -> BoostingTrial:
    """⌈2s² ln m⌉ stages: Lemma 1 promises a conjunction of correlation 1/s. With the penalty the one chosen
    may have 1/(ks), and there are ⌈2k²s² ln m⌉. Votes: enough to leave no room for an error. If rows differ
    in weight, 1/m is the smallest share."""
    ratio = len(weights) if weights.min() == weights.max() else float(weights.sum() / weights.min())
    return promised_trial(ratio, parameters)


def promised_trial(ratio: float, parameters: SparseParameters) -> BoostingTrial:
    """The same for a smallest share of 1/ratio."""
    assert parameters.target_size is not None
    assert parameters.gamma is not None
    if parameters.votes:
        return BoostingTrial(enough_stages(parameters.gamma, 1 / ratio), parameters.gamma)
    size = parameters.target_size * (parameters.scope.k if parameters.scope.penalty else 1)
    return BoostingTrial(max(1, math.ceil(2 * size**2 * math.log(ratio))))


def splits_of(cv: Any, random_state: Any, X: Any, y: Any, encoded: EncodedLiterals | CodedTraining) -> Splits:
    """The rows to learn from and to test on, among those of weight > 0. A number of folds divides them at
    random, each class as evenly as possible; if no class has that many rows, there are fewer folds. A
    splitter sees them alone, too; a list of splits counts all rows given."""
    if isinstance(cv, LostFunction):
        cv()
    if is_number(cv, Integral):
        return _folds(int(cv), random_state, encoded)
    n_rows, present = count_rows(X), encoded.present
    if present is not None and hasattr(cv, "split"):
        X, y, n_rows, present = _in_rows(X, present), encoded.classes[encoded.codes], len(present), None
    split = check_cv(cv, y, classifier=True).split(X, y)
    splits = [(_rows(a, n_rows, present), _rows(b, n_rows, present)) for a, b in split]
    if not all(len(part) for split in splits for part in split):
        raise ValueError("cv has a part without rows whose weight is > 0; each must have some.")
    if not splits:
        raise ValueError("cv has no splits, but at least one is needed; use 5.")
    return splits


def _in_rows(X: Any, rows: Array) -> Any:
    """These rows of a frame, a matrix, an array or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return (X.tocsr() if hasattr(X, "tocsr") else X)[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def _rows(part: Any, n_rows: int, present: Array | None) -> Array:
    """The numbers of rows, which may be given by truth values, among those present."""
    rows = np.asarray(part)
    if rows.dtype == np.bool_ and len(rows) != n_rows:
        raise ValueError(f"cv marks {len(rows)} rows, but there are {n_rows}.")
    rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.intp)
    if present is None:
        return rows
    places = np.full(n_rows, -1)
    places[present] = np.arange(len(present))
    return np.asarray(places[rows][places[rows] >= 0])


def _folds(n_folds: int, random_state: Any, encoded: EncodedLiterals | CodedTraining) -> Splits:
    n_folds = possible_folds(n_folds, np.bincount(encoded.codes))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class of few rows is not in every fold
        kind = unsigned(len(encoded.codes))
        pairs = splitter.split(encoded.codes, encoded.codes)
        return [(train.astype(kind), test.astype(kind)) for train, test in pairs]


def possible_folds(n_folds: int, n_rows: Array) -> int:
    """As many folds as were asked for, or as the largest class has rows; `n_rows` are those of each class."""
    most = int(n_rows.max())
    if most < 2:
        raise ValueError(
            "Cross-validation cannot both learn from and test on classes of one row each; set stages to a "
            'number (and target_size, if the booster is "majority"), or add rows.'
        )
    return min(n_folds, most)


def cross_validate(
    encoded: EncodedLiterals,
    parameters: SparseParameters,
    trial: BoostingTrial,
    splits: Splits,
    threads: Threads,
) -> Array:
    """The accuracy of a trial on rows left out, after each of its stages; rows count by their weight."""
    runs = boost_each(encoded, trial, parameters, [train for train, _ in splits], threads)
    judge = partial(right_weights, encoded, trial.stages, parameters.votes)
    folds = [(one.stages, test) for one, (_, test) in zip(runs, splits, strict=True)]
    right, total = np.zeros(trial.stages), 0.0
    for own, (_, test) in zip(threads.map(judge, folds), splits, strict=True):
        right += own
        total += float(encoded.weights[test].sum())
    return right / total


def try_votes(
    encoded: EncodedLiterals,
    parameters: SparseParameters,
    trials: list[BoostingTrial],
    splits: Splits,
    threads: Threads,
) -> Array:
    """The accuracy of each trial, a run of its own, on rows left out; the first perfect one is the last."""
    accuracies: list[float] = []
    for trial in trials:
        accuracies.append(float(cross_validate(encoded, parameters, trial, splits, threads)[-1]))
        if accuracies[-1] >= 1.0 - TIE:
            break
    return np.array(accuracies)


def _trials(encoded: EncodedLiterals, parameters: SparseParameters) -> list[BoostingTrial]:
    """Odd numbers of votes, growing, with each edge; that of a single vote makes no difference."""
    gammas = GAMMAS if parameters.gamma is None else (parameters.gamma,)
    if parameters.stages != CV:
        return [BoostingTrial(int(parameters.stages), gamma) for gamma in gammas]
    most, numbers = parameters.max_stages or min(encoded.data.n_literals, MOST_VOTES), [1]
    while (larger := max(numbers[-1] + 2, int(numbers[-1] * GROWTH) | 1)) <= most:
        numbers.append(larger)
    if numbers[-1] + 2 <= most:
        numbers.append(most - 1 | 1)  # the largest that is odd
    return [BoostingTrial(n, gamma) for n in numbers for gamma in (gammas if n > 1 else gammas[-1:])]


def right_weights(
    encoded: EncodedLiterals, most: int, votes: bool, fold: tuple[list[list[Stage]], Array]
) -> Array:
    """The weight of the test rows that are right, after each stage; a fold is its runs and test rows."""
    runs, test = fold
    weights, codes = encoded.weights[test], encoded.codes[test]
    right = np.full(most, float(weights[codes == 0].sum()))  # without stages, all are `classes_[0]`
    for t, scores in enumerate(staged_scores(lambda c: rows_of(encoded.data, c)[test], runs, votes)):
        right[t:] = weights[codes_of(scores) == codes].sum()
    return right


def best_of(accuracies: Array) -> int:
    """The position of the first that has the highest accuracy."""
    return int(np.argmax(accuracies >= accuracies.max() - TIE))
