"""A scorecard with risks: the points of the rules that hold are added up, and every total has a risk."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from .coded_training import CodedTraining
from .joint import JointVector
from .scorecard import ADDED, START, Card, Total, columns, frequency, lines
from .weighted_conjunctions import Explanation, ScorePart


class RiskCard(NamedTuple):
    """The points of one weight vector; the risk of a total t is 1/(1 + exp(−(unit·t + bias)))."""

    points: list[int]  # of each conjunction of the model
    unit: float
    bias: float

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


def cards_of(vectors: list[JointVector], places: list[tuple[int, ...]]) -> list[RiskCard]:
    """The card of each vector, with points for all conjunctions of the model."""
    found = []
    for vector in vectors:
        assert vector.points is not None
        own = dict(zip(vector.places, vector.points.tolist(), strict=True))
        unit = float(abs(vector.weights).max() / abs(vector.points).max()) if own else 0.0
        found.append(RiskCard([own.get(one, 0) for one in places], unit, vector.bias))
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


def text_of_risks(
    cards: list[RiskCard], totals: list[list[Total]], rules: Sequence[str], labels: Sequence[Any]
) -> str:
    """The points, and what each total means."""
    if len(cards) > 1:
        blocks = [f"The class of the highest risk.\n{ADDED}"]
        for card, some, label in zip(cards, totals, labels, strict=True):
            blocks.append("\n".join([f"{label}:", *lines(card.card, rules), "", *_table(card, some, label)]))
        return "\n\n".join(blocks)
    (card,), (some,) = cards, totals
    if not any(card.points):
        return f"Always {labels[card.bias > 0.0]}, risk {card.risk(0):.1%}: there are no rules."
    least = card.least
    head = f"{labels[1]} from {least} point{'' if least == 1 else 's'} on, else {labels[0]}."
    return "\n".join([head, ADDED, "", *lines(card.card, rules), "", *_table(card, some, labels[1])])


def _table(card: RiskCard, totals: list[Total], label: Any) -> list[str]:
    rows = [(f"{one.points}", *frequency(one), f"{card.risk(one.points):.1%}") for one in totals]
    return columns([("total", "rows", f"{label}", "risk"), *rows])
