"""How learners fare on rows they were not fitted to: folds, one fit after the other or in several processes.

A class of one row cannot be both learned from and tested on: its row is learned from in every fold. From
`MANY` rows on, `expected_on_new_rows` holds out a fifth of the rows instead, once.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from .describe import answers_of
from .evaluation import AnsweredRows, Evaluation, codes_among, evaluate_answers, probabilities_of, scores_of
from .input_kinds import check_input
from .learners import weights_for
from .rejection.costs import Costs
from .rows.weights import check_every_class, weights_of_rows
from .tables.cells import columns
from .tables.treatments import ALL, LEFT_OUT, choose

MANY = 100_000  # rows, above which a fifth is held out
Progress = Callable[[int, int, str], None]
Split = tuple[Any, Any]  # rows to learn from, rows to test on


class Rows(NamedTuple):
    """Rows, their labels and weights; without weights each counts 1."""

    X: Any
    y: Any
    classes: Any
    codes: Any  # places of the labels among the classes
    weights: Any = None

    def take(self, rows: Any) -> "Rows":
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(X=X, y=self.y[rows], codes=self.codes[rows], weights=weights)


def read_rows(X: Any, y: Any, sample_weight: Any) -> Rows:
    """The rows that count: those of weight 0 are left out."""
    check_input(X, y)
    if hasattr(X, "tocsr"):
        raise ValueError("A sparse matrix has no columns to encode; give a frame or X.toarray().")
    X, y = X if hasattr(X, "shape") else np.array(X, object), np.asarray(y)
    rows = Rows(X, y, *np.unique(y, return_inverse=True))
    if sample_weight is None:
        return rows
    weights = weights_of_rows(sample_weight, None, y, rows.classes, rows.codes)
    check_every_class(rows.classes, rows.codes, weights)
    rows = rows._replace(weights=weights)
    return rows if weights.all() else rows.take(np.flatnonzero(weights))


def without_columns_left_out(rows: Rows, keep: Any) -> Rows:
    """Of a frame, without the columns from which nothing can be learned: decided once, for all folds."""
    X = rows.X
    if not hasattr(X, "columns") or keep == ALL:
        return rows
    treatments = choose(X, columns(X), keep)
    out = [name for name, one in zip(list(X.columns), treatments, strict=True) if one in LEFT_OUT]
    if not out:
        return rows
    return rows._replace(X=X.drop(columns=out) if hasattr(X, "iloc") else X.drop(out))


def splits_of(rows: Rows, folds: int, seed: int, repeats: int = 1) -> list[Split]:
    """Stratified folds, at most one per row of the smallest class that has several."""
    single = rows_of_single_classes(rows)
    others = np.setdiff1d(np.arange(len(rows.y)), single)
    found: list[Split] = []
    for repeat in range(repeats):
        state = (seed + repeat) % 2**32
        splitter = StratifiedKFold(possible_folds(rows.y, folds), shuffle=True, random_state=state)
        for train, test in splitter.split(np.zeros(len(others)), rows.y[others]):
            found.append((np.sort(np.concatenate([others[train], single])).astype(np.intp), others[test]))
    return found


def rows_of_single_classes(rows: Rows) -> Any:
    """The rows that are alone in their classes."""
    counts = np.bincount(rows.codes, minlength=len(rows.classes))
    return np.flatnonzero(counts[rows.codes] == 1)


def possible_folds(y: Any, folds: int) -> int:
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise ValueError(f"folds={folds!r}, but it must be an integer >= 2.")
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"There is one class only, {classes.tolist()}; a classifier needs two.")
    if np.count_nonzero(counts > 1) < 2:
        rare = classes.tolist()[counts.argmin()]
        raise ValueError(
            f"The class {rare!r} has one row, which cannot be both learned from and tested on; add rows of "
            "it or remove it."
        )
    return min(folds, int(counts[counts > 1].min()))


class Expected(NamedTuple):
    """What folds say about new rows; scores of the rows tested, for calibration."""

    evaluation: Evaluation
    folds: int  # 1: a fifth was held out
    codes: Any
    scores: Any
    weights: Any
    answers: AnsweredRows  # of the rows tested
    tested: Any  # their numbers


def expected_on_new_rows(
    model: Any, rows: Rows, folds: int, seed: int, costs: Costs | None, tell: Progress, most: int = MANY
) -> Expected:
    """Cross-validate copies of a model that takes these rows. The AUC is the mean over the folds. Of more
    than `most` rows a fifth is held out."""
    many = len(rows.y) > most
    splits = _held_out(rows, seed) if many else splits_of(rows, folds, seed)
    answers, aucs = [], []
    for number, (train, test) in enumerate(splits):
        what = "rows held out" if many else f"fold {number + 1} of {len(splits)}"
        tell(number, len(splits) + 1, what)
        part = rows.take(train)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = clone(model).fit(part.X, part.y, **weights_for(model, part.weights))
            answers.append(answers_on(one, rows.take(test), rows.classes))
        tested = rows.take(test)
        aucs.append(evaluate_answers(rows.classes, answers[-1], tested.weights, costs).auc)
    places = np.concatenate([test for _, test in splits])
    tested = rows.take(places)
    whole = _joined(answers)
    evaluation = evaluate_answers(rows.classes, whole, tested.weights, costs)
    known = [auc for auc in aucs if auc is not None]
    evaluation = replace(evaluation, auc=float(np.mean(known)) if known else None)
    return Expected(evaluation, len(splits), tested.codes, whole.scores, tested.weights, whole, places)


def _held_out(rows: Rows, seed: int) -> list[Split]:
    single = rows_of_single_classes(rows)
    possible_folds(rows.y, 2)  # raises if there is nothing to test on
    others = np.setdiff1d(np.arange(len(rows.y)), single)
    splitter = StratifiedShuffleSplit(1, test_size=0.2, random_state=seed)
    (train, test) = next(splitter.split(np.zeros(len(others)), rows.y[others]))
    return [(np.sort(np.concatenate([others[train], single])), others[test])]


def answers_on(model: Any, rows: Rows, classes: Any) -> AnsweredRows:
    """What a fitted model answers, in codes of these classes, of which it may know fewer."""
    X = rows.X
    if hasattr(model, "steps"):  # a pipeline does not tell which rows are rejected
        X, model = model[:-1].transform(X), model[-1]
    given, rejected = answers_of(model, X)
    scores, proba = scores_of(model, X), probabilities_of(model, X)
    if scores is None and hasattr(model, "estimator_"):  # one that promises has none of its own
        scores = scores_of(model.estimator_, X)
    if len(model.classes_) < len(classes):
        scores = proba = None
    return AnsweredRows(rows.codes, codes_among(classes, given), rejected, scores, proba)


def _joined(answers: list[AnsweredRows]) -> AnsweredRows:
    columns = [list(column) for column in zip(*answers, strict=True)]
    joined = [None if any(one is None for one in some) else np.concatenate(some) for some in columns]
    return AnsweredRows(*joined)
