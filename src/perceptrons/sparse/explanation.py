"""Why a row gets its class, in parts that add up."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any, NamedTuple

FEWEST, MOST = 2, 6  # decimals


class Part(NamedTuple):
    """What a rule adds to the score of a row: its weight where it holds, minus its weight where not; of a
    scorecard, its points where it holds, nothing where not."""

    rule: str
    holds: bool
    adds: float


@dataclass(frozen=True)
class Explanation:
    """Why a row gets its class; as a text, a line per part.

    Attributes
    ----------
    prediction : the class.
    label : the class the score speaks for; of two classes the second.
    score : the sum of what the parts add.
    parts : those that add most, for or against, first; what a scorecard begins with is the last.
    points : whether they are those of a scorecard: a rule that does not hold adds none.
    """

    prediction: Any
    label: Any
    score: float
    parts: tuple[Part, ...]
    points: bool = False

    def __str__(self) -> str:
        *adds, score = aligned([*(part.adds for part in self.parts), self.score], self.points)
        lines = [
            f"  {added}  {part.rule}: {'yes' if part.holds else 'no'}"
            for added, part in zip(adds, self.parts, strict=True)
        ]
        return "\n".join([f"{self.prediction}, because", *lines, f"  {score}  is the sum, for {self.label}"])


def aligned(numbers: Sequence[float], points: bool = False) -> list[str]:
    """Signed numbers of one width, with as many decimals as the smallest of them needs; points have none."""
    sizes = [abs(number) for number in numbers if number]
    needed = 1 - floor(log10(min(sizes))) if sizes else FEWEST
    decimals = 0 if points else min(max(needed, FEWEST), MOST)
    texts = [f"{number:+.{decimals}f}" for number in numbers]
    return [text.rjust(max(map(len, texts))) for text in texts]
