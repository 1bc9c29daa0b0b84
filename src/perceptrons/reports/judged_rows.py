"""The rows a model is judged by, none of which it has learned from.

Of the rows it was fitted to nothing can be said about new ones: copies of it, fitted without each fold,
answer for them. Rows that are new it answers itself. Of very many rows some are drawn, and the report says
so.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from ..cross_validation import Progress, Rows, answers_on, expected_on_new_rows, read_rows
from ..evaluation import AnsweredRows, Evaluation, evaluate_answers
from ..learners import takes_costs
from ..rejection.costs import Costs, read_costs
from .subject import Subject

FOLDED = 20_000  # rows, above which a fifth is held out once
MOST_ROWS = 100_000  # rows looked at


class JudgedRows(NamedTuple):
    """Answers to rows not learned from."""

    answers: AnsweredRows
    places: Any  # of these rows in the table
    weights: Any
    evaluation: Evaluation
    how: str  # half a sentence
    folds: int  # 0: the rows are new


class Material(NamedTuple):
    """Everything a report is made of."""

    subject: Subject
    rows: Rows
    places: Any  # of these rows among those that were given, counted from 0
    numbers: Any  # what they are called
    n_given: int
    n_counted: int  # of weight above 0; some of them are drawn if they are very many
    new_rows: bool
    costs: Costs
    judged: JudgedRows | None
    why_not: str  # nothing could be judged


def _costs_of(learner: Any) -> Costs:
    """What answers and rejections cost; a network has costs alone, and perhaps none."""
    if not takes_costs(learner):
        return Costs()
    if hasattr(learner, "reject_cost"):
        return read_costs(learner.costs, learner.reject_cost)
    return learner.costs or Costs()


def material_of(
    subject: Subject,
    X: Any,
    y: Any,
    sample_weight: Any,
    numbers: Any,
    new_rows: bool,
    folds: int,
    seed: int,
    tell: Progress,
) -> Material:
    rows = _with_model_classes(read_rows(X, y, sample_weight), subject)
    n_given = len(y)
    places = np.arange(n_given) if sample_weight is None else np.flatnonzero(np.asarray(sample_weight))
    n_counted, drawn = len(rows.y), _drawn(rows, seed)
    rows, places = rows.take(drawn), places[drawn]
    costs = _costs_of(subject.learner)
    judged, why_not = None, ""
    try:
        judged = (
            _answered(subject, rows, costs)
            if new_rows
            else _refitted(subject, rows, folds, seed, costs, tell)
        )
    except ValueError as error:
        why_not = str(error)
    numbers = np.arange(1, n_given + 1) if numbers is None else np.asarray(numbers)
    return Material(
        subject, rows, places, numbers[places], n_given, n_counted, new_rows, costs, judged, why_not
    )


def _with_model_classes(rows: Rows, subject: Subject) -> Rows:
    """Codes are places among the classes that the model knows."""
    classes = subject.learner.classes_
    unknown = [name for name in rows.classes.tolist() if name not in classes.tolist()]
    if unknown:
        raise ValueError(f"y holds {unknown[0]!r}, but the model knows the classes {classes.tolist()[:20]}.")
    places = np.searchsorted(classes, rows.classes.astype(classes.dtype))
    return rows._replace(classes=classes, codes=places[rows.codes])


def _drawn(rows: Rows, seed: int) -> Any:
    """All rows, or some of each class."""
    every = np.arange(len(rows.y))
    if len(every) <= MOST_ROWS:
        return every
    often = np.bincount(rows.codes, minlength=len(rows.classes))[rows.codes] > 1
    classes = rows.codes if often.all() else None
    kept, _ = train_test_split(every, train_size=MOST_ROWS, stratify=classes, random_state=seed)
    return np.sort(kept)


def _answered(subject: Subject, rows: Rows, costs: Costs) -> JudgedRows:
    answers = answers_on(subject.model, rows, rows.classes)
    found = evaluate_answers(rows.classes, answers, rows.weights, costs)
    return JudgedRows(
        answers, np.arange(len(rows.y)), rows.weights, found, "rows that are new to the model", 0
    )


def _refitted(
    subject: Subject, rows: Rows, folds: int, seed: int, costs: Costs, tell: Progress
) -> JudgedRows | None:
    if folds == 0:
        return None
    found = expected_on_new_rows(subject.model, rows, folds, seed, costs, tell, FOLDED)
    how = "a fifth of the rows, held out from a copy of the model"
    if found.folds > 1:
        how = f"cross-validation in {found.folds} folds: each row answered by a copy fitted without it"
    return JudgedRows(found.answers, found.tested, found.weights, found.evaluation, how, found.folds)
