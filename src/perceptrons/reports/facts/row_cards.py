"""Single rows: the hardest, the most typical of each class, and those asked for, each with its parts and with
what would have changed the answer."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...evaluation import probabilities_of, scores_of
from ...texts import percent
from ..donors import Pool, pool_of
from ..flips import Flip, find_flips, pairs_are_all
from ..judged_rows import Material
from ..spelling import shown
from ..subject import Subject
from ..tables_of_donors import names_of
from .row_parts import parts_of, table_of

HARDEST, TYPICAL, MOST_TYPICAL = 10, 10, 30  # typical rows: of each class, and in all
MOST_WIDE = 500  # columns, above which no change of cells is looked for
Facts = dict[str, Any]


class CardGroup(NamedTuple):
    """Rows to be shown together, by their places, and how many parts of each."""

    title: str
    places: list[int]
    n_parts: int


def rows_facts(material: Material, asked: Sequence[int]) -> Facts:
    """`asked` are numbers of rows in the table, counted from 1."""
    subject, rows = material.subject, material.rows
    groups = _groups(material, _leads(subject, subject.encode(rows.X), rows.codes), asked)
    pool = None if len(names_of(rows.X)) > MOST_WIDE else pool_of(subject, rows.X)
    most = {place: group.n_parts for group in groups[::-1] for place in group.places}
    cards = dict(zip(most, _cards(material, most, pool), strict=True))
    return {
        "groups": [
            {"title": group.title, "rows": [cards[place] for place in group.places]} for group in groups
        ],
        "speaks_for": shown(subject.classes[1]) if len(subject.classes) == 2 else "",
        "searched": _searched(pool),
        "may_flip": pool is not None,
        "exact": pool is not None and pairs_are_all(pool),
        "n": len(rows.y),
    }


def _leads(subject: Subject, encoded: Any, codes: Any) -> Any:
    """How far the score of a row's own class is above the best other: below 0 if its answer is wrong."""
    own = subject.learner
    judge = own if hasattr(own, "decision_function") or hasattr(own, "predict_proba") else subject.scorer
    scores = scores_of(judge, encoded)
    if scores is None or not np.isfinite(scores).all():
        return None
    if scores.ndim == 1:
        middle = 0.0 if hasattr(judge, "decision_function") else 0.5  # of a probability
        return np.where(codes == 1, scores - middle, middle - scores)
    true = scores[np.arange(len(codes)), codes]
    others = scores.astype(float)
    others[np.arange(len(codes)), codes] = -np.inf
    return true - others.max(axis=1)


def _groups(material: Material, lead: Any, asked: Sequence[int]) -> list[CardGroup]:
    groups = [CardGroup("Asked for", _places(material, asked), 60)]
    if lead is not None:
        order = np.argsort(lead, kind="stable")
        groups.append(
            CardGroup("The hardest: least on the side of their own class", order[:HARDEST].tolist(), 6)
        )
        groups += _typical(material, order, lead)
    return [group for group in groups if group.places]


def _typical(material: Material, order: Any, lead: Any) -> list[CardGroup]:
    """Of the most frequent classes, the rows that are farthest from the boundary."""
    codes, names = material.rows.codes, material.subject.classes
    frequent = np.argsort(-np.bincount(codes, minlength=len(names)), kind="stable").tolist()
    each = max(1, min(TYPICAL, MOST_TYPICAL // len(names)))
    right = order[::-1][lead[order[::-1]] > 0]
    return [
        CardGroup(
            f"The most typical of {shown(names[code], 40)}", right[codes[right] == code][:each].tolist(), 3
        )
        for code in frequent[: MOST_TYPICAL // each]
    ]


def _places(material: Material, asked: Sequence[int]) -> list[int]:
    there = {int(row): place for place, row in enumerate(material.numbers.tolist())}
    for row in asked:
        if row not in there:
            raise ValueError(
                f"There is no row {row} among the {len(there):,} that were looked at; the table has "
                f"{material.n_given:,} rows that have a class."
            )
    return [there[row] for row in dict.fromkeys(asked)]


def _cards(material: Material, most: dict[int, int], pool: Pool | None) -> list[Facts]:
    """A card per place; `most` says how many parts each shows."""
    if not most:
        return []
    subject, places = material.subject, [*most]
    few = material.rows.take(np.array(places)).X
    encoded = subject.encode(few)
    answers = subject.learner.predict(encoded).tolist()
    proba, parts = probabilities_of(subject.learner, encoded), parts_of(subject, few, encoded)
    flips: list[Flip | None] = [None] * len(places)
    if pool is not None:
        flips = find_flips(subject, material.rows.X, places, pool)
    return [
        {
            **_answer(material, place, answers[k], None if proba is None else proba[k]),
            **table_of(subject, parts[k], most[place]),
            "flip": _flip(subject, flips[k]),
        }
        for k, place in enumerate(places)
    ]


def _answer(material: Material, place: int, answer: Any, proba: Any) -> Facts:
    subject = material.subject
    truth = subject.classes[material.rows.codes[place]]
    return {
        "row": int(material.numbers[place]),
        "class": shown(truth),
        "answer": shown(answer) if answer in subject.classes else "rejected",
        "rejected": subject.rejects and answer not in subject.classes,
        "right": bool(answer == truth),
        "probability": "" if proba is None else _likely(subject, answer, proba),
    }


def _likely(subject: Subject, answer: Any, proba: Any) -> str:
    """The probability of the answer; of a rejected row, that of its most probable class."""
    if answer in subject.classes:
        return percent(float(proba[subject.classes.index(answer)]))
    best = int(np.argmax(proba))
    return f"{shown(subject.classes[best], 40)}: {percent(float(proba[best]))}"


def _flip(subject: Subject, flip: Flip | None) -> Facts | None:
    if flip is None:
        return None
    cells = [
        {"column": shown(name), "from": shown(old, 40), "to": shown(new, 40)} for name, old, new in flip.cells
    ]
    return {"cells": cells, "answer": shown(flip.answer) if flip.answer in subject.classes else "rejected"}


def _searched(pool: Pool | None) -> str:
    """How changes were looked for."""
    if pool is None:
        return f"Above {MOST_WIDE} columns no change of cells is looked for."
    how = "Every new value occurs in the table."
    if pairs_are_all(pool):
        return (
            f"The smallest changes are exact: nothing smaller of one or two cells changes the answer. {how}"
        )
    return f"Not all changes were tried, so there may be smaller ones. {how}"
