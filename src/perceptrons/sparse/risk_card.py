"""A scorecard with risks: the points of the rules that hold are added up, and every total has a risk."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from .coded_training import CodedTraining
from .joint import JointVector
from .scorecard import ADDED, START, Card, Total, frequency, points_of
from .sheet import Block, Sheet, Table
from .weighted_conjunctions import Explanation, ScorePart


class RiskCard(NamedTuple):
    """The points of one weight vector; the risk of a total t is 1/(1 + exp(−(unit·t + bias)))."""

    points: list[int]  # of each conjunction of the model
    unit: float
    bias: float
    rules: tuple[str, ...] = ()  # in words

    def __str__(self) -> str:
        """A line per rule, the most points first, and from which total on the risk is above one half."""
        own = sorted(zip(self.points, self.rules, strict=True), key=lambda one: -abs(one[0]))
        lines = [f"{points:+d}  {rule}" for points, rule in own if points]
        return "\n".join([*lines, f"from {self.least} on"])

    @property
    def least(self) -> int:
        """The smallest total whose risk is above one half."""
        if not any(self.points):
            return 0 if self.bias > 0.0 else 1
        least = math.floor(-self.bias / self.unit) + 1
        while self.unit * least + self.bias <= 0.0:  # rounding
            least += 1
        return least

    @property
    def card(self) -> Card:
        """Two classes: the second is predicted if the points, base points included, add up to more than 0."""
        return Card(self.points, 1 - self.least)

    def log_odds(self, totals: Any) -> Any:
        return self.unit * totals + self.bias

    def explained(self, prediction: Any, label: Any, rules: Sequence[str], held: Any) -> Explanation:
        """Several classes, whose cards have units of their own: what each rule adds to the log odds."""
        rows = zip(rules, held.tolist(), self.points, strict=True)
        parts = [ScorePart(rule, holds, self.unit * points * holds) for rule, holds, points in rows if points]
        parts = [*sorted(parts, key=lambda part: -abs(part.adds)), ScorePart(START, True, self.bias)]
        return Explanation(prediction, label, sum(part.adds for part in parts), tuple(parts))

    def risk(self, total: int) -> float:
        return float(expit(self.log_odds(total)))


def cards_of(
    vectors: list[JointVector], places: list[tuple[int, ...]], rules: Sequence[str] = ()
) -> list[RiskCard]:
    """The card of each vector, with points for all conjunctions of the model."""
    found = []
    for vector in vectors:
        assert vector.points is not None
        own = dict(zip(vector.places, vector.points.tolist(), strict=True))
        unit = float(abs(vector.weights).max() / abs(vector.points).max()) if own else 0.0
        found.append(RiskCard([own.get(one, 0) for one in places], unit, vector.bias, (*rules,)))
    return found


def card_totals(training: CodedTraining, vectors: list[JointVector]) -> list[list[Total]]:
    """For each card, how often each total occurred among the rows learned from, in ascending order."""
    found = []
    for vector, signs in zip(vectors, training.signs(), strict=True):
        assert vector.points is not None
        totals = np.zeros(training.n_rows, np.int64)
        for one, points in zip(vector.places, vector.points.tolist(), strict=True):
            totals += points * training.holding(one).astype(np.int64)
        values, which = np.unique(totals, return_inverse=True)
        rows, positive = (np.bincount(which, training.counts * part).tolist() for part in (1.0, signs > 0))
        found.append([Total(*one) for one in zip(values.tolist(), rows, positive, strict=True)])
    return found


def added_totals(parts: list[list[list[Total]]]) -> list[list[Total]]:
    """The same of rows in several places, from those of each place."""
    found = []
    for cards in zip(*parts, strict=True):
        sums: dict[int, list[float]] = {}
        for one in (total for totals in cards for total in totals):
            own = sums.setdefault(one.points, [0.0, 0.0])
            own[0] += one.rows
            own[1] += one.positive
        found.append([Total(points, *sums[points]) for points in sorted(sums)])
    return found


def sheet_of_risks(
    cards: list[RiskCard],
    totals: list[list[Total]],
    covers: list[list[tuple[str, str]]],
    rules: Sequence[str],
    labels: Sequence[Any],
) -> Sheet:
    """The points, how many rows each rule holds in, and what each total means."""
    if len(cards) > 1:
        blocks = [
            Block(f"{label}:", _tables(card, some, own, rules, label))
            for card, some, own, label in zip(cards, totals, covers, labels, strict=True)
        ]
        return Sheet(["The class of the highest risk.", ADDED], blocks)
    card = cards[0]
    if not any(card.points):
        return Sheet([f"Always {labels[card.bias > 0.0]}, risk {card.risk(0):.1%}: there are no rules."], [])
    least = card.least
    head = f"{labels[1]} from {least} point{'' if least == 1 else 's'} on, else {labels[0]}."
    return Sheet([head, ADDED], [Block("", _tables(card, totals[0], covers[0], rules, labels[1]))])


def _tables(
    card: RiskCard, totals: list[Total], covers: list[tuple[str, str]], rules: Sequence[str], label: Any
) -> list[Table]:
    rows: list[tuple[str, ...]] = [
        (f"{one.points}", *frequency(one), f"{card.risk(one.points):.1%}") for one in totals
    ]
    points = points_of(card.card, rules, *zip(*covers, strict=True)) if covers else []
    return [
        Table(("points", "rule", "rows", f"{label}"), points, 1),
        Table(("total", "rows", f"{label}", "risk"), rows),
    ]
