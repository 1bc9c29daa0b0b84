"""Steps, one after the other: sums, probabilities, the largest of several, what rows cost."""

import math
import sys
from collections.abc import Sequence

from .program import Step

Ref = int  # the place of a step
LARGEST = sys.float_info.max


class Steps:
    """Numbers and truth values to be computed; a step that is there already is not written twice."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._places: dict[Step, Ref] = {}

    def _put(self, step: Step) -> Ref:
        if step not in self._places:
            self._places[step] = len(self.steps)
            self.steps.append(step)
        return self._places[step]

    def number(self, value: float) -> Ref:
        """A constant; infinity becomes the largest double, which no finite score exceeds."""
        value = float(value)
        if math.isnan(value):
            raise ValueError("The model holds NaN, which no target could compare; fit it again.")
        return self._put(Step("number", number=min(max(value, -LARGEST), LARGEST) + 0.0))

    def score(self, unit: int, score: int) -> Ref:
        return self._put(Step("score", unit=unit, score=score))

    def _two(self, operation: str, one: Ref, other: Ref) -> Ref:
        return self._put(Step(operation, (one, other)))

    def _is(self, ref: Ref, value: float) -> bool:
        return self.steps[ref] == Step("number", number=value)

    def add(self, one: Ref, other: Ref) -> Ref:
        if self._is(one, 0.0) or self._is(other, 0.0):
            return other if self._is(one, 0.0) else one
        return self._two("+", one, other)

    def subtract(self, one: Ref, other: Ref) -> Ref:
        return one if self._is(other, 0.0) else self._two("-", one, other)

    def multiply(self, one: Ref, other: Ref) -> Ref:
        if self._is(one, 1.0) or self._is(other, 1.0):
            return other if self._is(one, 1.0) else one
        return self._two("*", one, other)

    def divide(self, one: Ref, other: Ref) -> Ref:
        return self._two("/", one, other)

    def above(self, one: Ref, other: Ref) -> Ref:
        return self._two(">", one, other)

    def at_least(self, one: Ref, other: Ref) -> Ref:
        return self._two(">=", one, other)

    def both(self, one: Ref, other: Ref) -> Ref:
        return one if one == other else self._two("and", one, other)

    def negation(self, one: Ref) -> Ref:
        return self._put(Step("not", (one,)))

    def choose(self, condition: Ref, yes: Ref, no: Ref) -> Ref:
        return yes if yes == no else self._put(Step("choose", (condition, yes, no)))

    def interpolate(self, at: Ref, places: Sequence[float], values: Sequence[float]) -> Ref:
        """Between knots on a line, beyond them flat."""
        if len(places) == 1:
            return self.number(values[0])
        knots = tuple(map(float, places)), tuple(map(float, values))
        return self._put(Step("interpolate", (at,), knots=knots))

    def never(self) -> Ref:
        return self.above(self.number(0.0), self.number(1.0))

    # --- what is made of these ---

    def size(self, one: Ref) -> Ref:
        zero = self.number(0.0)
        return self.choose(self.at_least(one, zero), one, self.subtract(zero, one))

    def logistic(self, one: Ref) -> Ref:
        """1/(1 + exp(−x))"""
        unit = self.number(1.0)
        grown = self._put(Step("exp", (self._two("-", self.number(0.0), one),)))
        return self.divide(unit, self._two("+", unit, grown))

    def softmax(self, scores: Sequence[Ref]) -> list[Ref]:
        most = self.largest(scores)[1]
        grown = [self._put(Step("exp", (self._two("-", one, most),))) for one in scores]
        whole = self.sum(grown)
        return [self.divide(one, whole) for one in grown]

    def sum(self, parts: Sequence[Ref]) -> Ref:
        total = parts[0]
        for one in parts[1:]:
            total = self.add(total, one)
        return total

    def largest(self, parts: Sequence[Ref]) -> tuple[Ref, Ref]:
        """The place of the largest, the first of equal ones, and how large it is."""
        place, most = self.number(0.0), parts[0]
        for k, one in enumerate(parts[1:], 1):
            above = self.above(one, most)
            place, most = self.choose(above, self.number(k), place), self.choose(above, one, most)
        return place, most

    def pick(self, place: Ref, parts: Sequence[Ref]) -> Ref:
        """The one at this place."""
        found = parts[-1]
        for k in range(len(parts) - 2, -1, -1):
            found = self.choose(self.above(self.number(k + 0.5), place), parts[k], found)
        return found

    def weighted(self, parts: Sequence[Ref], weights: Sequence[float]) -> Ref:
        """Σ parts·weights"""
        pairs = zip(parts, weights, strict=True)
        return self.sum(
            [self.multiply(one, self.number(weight)) for one, weight in pairs if weight] or [self.number(0.0)]
        )
