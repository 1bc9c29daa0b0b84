"""A vote of conjunctions as a scorecard: the points of the rules that hold are added up.

With integer weights v and a constant b, Σ v_h·h(x) + b > 0, h = ±1, means that the points v_h of the rules
that hold add up to more than (Σ v_h − b)/2. With several classes each has b − Σ v_h base points, and its
rules have 2v_h points: totals are scores.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from .conjunctions import rows_of
from .encoded_literals import EncodedLiterals
from .sheet import Block, Sheet, Table
from .weighted_conjunctions import Explanation, ScorePart

START = "base points"
ADDED = "A rule that holds adds its points."


class Total(NamedTuple):
    """How often a total occurred among the training rows; rows count by their weight."""

    points: int
    rows: float
    positive: float  # those of the class that the points are for


class Card(NamedTuple):
    """The points of one weight vector."""

    points: list[int]  # of each conjunction
    start: int  # the base points; if there is one vector, its class is predicted if the total is > 0

    def explained(self, prediction: Any, label: Any, rules: Sequence[str], held: Array) -> Explanation:
        """The points of each rule, and the base points; rules that do not hold add nothing."""
        rows = zip(rules, held.tolist(), self.points, strict=True)
        parts = [ScorePart(rule, holds, float(points * holds)) for rule, holds, points in rows if points]
        parts.sort(key=lambda part: -abs(part.adds))
        parts.append(ScorePart(START, True, float(self.start)))
        return Explanation(prediction, label, sum(part.adds for part in parts), tuple(parts), points=True)


def card_of(weights: Array, constant: int, one: bool) -> Card:
    """The card of a weight vector: the only one, or one of several."""
    start = int(constant) - int(weights.sum())
    return Card(weights.tolist(), -(-start // 2)) if one else Card((2 * weights).tolist(), start)


def totals_of(
    encoded: EncodedLiterals, places: list[tuple[int, ...]], cards: list[Card]
) -> list[list[Total]]:
    """For each card, how often each total occurred among the rows learned from, in ascending order."""
    held, counts, found = [rows_of(encoded.data, one) for one in places], encoded.counts, []
    for card, signs in zip(cards, encoded.signs(), strict=True):
        points = sum(map(np.multiply, card.points, held), np.zeros(len(counts), int))
        values, which = np.unique(points, return_inverse=True)
        rows, positive = (np.bincount(which, counts * part).tolist() for part in (1.0, signs > 0))
        found.append([Total(*one) for one in zip(values.tolist(), rows, positive, strict=True)])
    return found


def sheet_of(
    cards: list[Card],
    totals: list[list[Total]],
    risks: list[float] | None,
    rules: Sequence[str],
    labels: Sequence[Any],
) -> Sheet:
    """Votes on a sheet; `risks` are those of the totals of two classes, None if there are none."""
    if len(cards) == 1:
        return _card_sheet(cards[0], totals[0], risks, rules, labels)
    blocks = []
    for card, some, label in zip(cards, totals, labels, strict=True):
        rows: list[tuple[str, ...]] = [(f"{one.points + card.start}", *frequency(one)) for one in some]
        tables = [Table((), points_of(card, rules), 1), Table(("total", "rows", f"{label}"), rows)]
        blocks.append(Block(f"{label}: begins with {card.start:+d}", tables))
    return Sheet(["The class with the most points, of equal ones the first.", ADDED], blocks)


def _card_sheet(
    card: Card, totals: list[Total], risks: list[float] | None, rules: Sequence[str], labels: Sequence[Any]
) -> Sheet:
    """For two classes: the threshold, the points, and what each total means."""
    least = 1 - card.start
    if not any(card.points):
        return Sheet([f"Always {labels[least <= 0]}: there are no rules."], [])
    head = f"{labels[1]} from {least} point{'' if least == 1 else 's'} on, else {labels[0]}."
    rows: list[tuple[str, ...]] = [
        (f"{one.points}", f"{labels[one.points >= least]}", *frequency(one)) for one in totals
    ]
    header: tuple[str, ...] = ("total", "class", "rows", f"{labels[1]}")
    if risks is not None:
        header = (*header, "risk")
        rows = [(*row, f"{risk:.1%}") for row, risk in zip(rows, risks, strict=True)]
    return Sheet([head, ADDED], [Block("", [Table((), points_of(card, rules), 1), Table(header, rows, 1)])])


def points_of(card: Card, rules: Sequence[str], *others: Sequence[str]) -> list[tuple[str, ...]]:
    """The rules and their points, those of most points first, and what else is said of each."""
    rows = sorted(zip(card.points, rules, *others, strict=True), key=lambda row: -abs(row[0]))
    return [(f"{points:+d}", *rest) for points, *rest in rows if points]


def frequency(total: Total) -> tuple[str, str]:
    """The number of rows, and the share of the class."""
    return count_and_share(total.rows, total.positive)


def count_and_share(rows: float, positive: float) -> tuple[str, str]:
    count = f"{rows:,.0f}" if float(rows).is_integer() else f"{rows:.3g}"
    return count, f"{positive / rows:.1%}" if rows else "–"
