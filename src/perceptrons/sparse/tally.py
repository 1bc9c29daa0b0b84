"""A vote of rules as a person adds it up: what each rule adds if it holds and if not, and what the sum
means."""

from typing import Any, NamedTuple

import numpy as np

from .sheet import Sheet
from .weighted_conjunctions import WeightedConjunctions


class Tally(NamedTuple):
    """The sum of a label is `base` + Σ (`held` or `not_held`) of the rules: one label of two classes, whose
    sum is > 0, else all, of which the largest sum decides. The probability is 1/(1 + exp(−(slope·sum +
    shift)))."""

    rules: list[str]
    labels: list[Any]
    held: list[list[float]]  # a list per label
    not_held: list[list[float]]
    base: list[float]
    points: bool  # a card: whole numbers, and a total without the base
    slope: float | None
    shift: float | None


def tally_of(model: WeightedConjunctions) -> Tally:
    """Of a fitted model of rules."""
    weights = np.atleast_2d(np.asarray(model.weights_, np.float64))
    base = np.asarray(model.intercept_, np.float64)
    cards = getattr(model, "cards_", None)
    one = len(weights) == 1
    if cards is not None and not one:
        units = np.array([card.unit for card in cards[: len(weights)]])
        weights = weights * units[:, None]
    adds_alone = bool(model._only_adds)
    slope, shift = _probability(model, cards, float(base[0]), one)
    return Tally(
        [*map(str, model.conjunctions_)],
        model.classes_.tolist()[-len(weights) :],
        weights.tolist(),
        (np.zeros_like(weights) if adds_alone else -weights).tolist(),
        base.tolist(),
        cards is not None and one,
        slope,
        shift,
    )


def _probability(model: Any, cards: Any, base: float, one: bool) -> tuple[float | None, float | None]:
    """Of the sums against the rest; (None, None) where the model says it otherwise, or not at all."""
    if cards is not None and one:
        return cards[0].unit, cards[0].bias - cards[0].unit * base
    risk = getattr(model, "_risk", None)
    if risk is not None:
        return (None, None) if model._totals is not None else (float(risk.slope), float(risk.shift))
    return (1.0, 0.0) if model._only_adds else (None, None)


def printed(model: WeightedConjunctions) -> Sheet:
    """The same in words, with how many rows each rule holds in: what `to_text` and `to_html` show."""
    return model._sheet()
