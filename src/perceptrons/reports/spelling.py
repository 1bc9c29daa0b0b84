"""How a report spells what came from the data: short, and so that nothing acts on the page."""

from collections.abc import Sequence
from math import floor, log10
from typing import Any

from ..rejection.rejection_words import listing
from ..texts import hundredths, percent, printable

LONGEST = 80  # characters of a name or a cell
MOST = 6  # names in a sentence


def shown(value: Any, most: int = LONGEST) -> str:
    """A name or a cell, cut where it is long; control characters and changes of direction are escaped."""
    text = printable(str(value)[: most + 1])
    return text if len(text) <= most else f"{text[: most - 1]}…"


def some(names: Sequence[Any], most: int = MOST, last: str = "and") -> str:
    """a, b and c; or the first few and how many more."""
    texts = [*map(shown, names)]
    return listing(
        texts if len(texts) <= most else [*texts[: most - 1], f"{len(texts) - most + 1:,} more"], last
    )


def between(low: float, high: float) -> str:
    """An interval of shares."""
    return f"{hundredths(low)}–{percent(high)}"


def count(number: float, unit: str) -> str:
    """1 row, 2 rows; a sum of weights need not be whole."""
    text = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"
    return f"{text} {unit}{'' if number == 1 else 's'}"


def signed(numbers: Sequence[float], points: bool = False) -> list[str]:
    """Parts of a sum, with as many decimals as make three digits of the largest; points have none."""
    largest = max((abs(number) for number in numbers), default=0.0)
    digits = 0 if points or not largest else min(max(2 - floor(log10(largest)), 0), 9)
    texts = [f"{number:+.{digits}f}" for number in numbers]
    return [text[1:] if float(text) == 0.0 else text for text in texts]


def decimals(number: float | None, digits: int = 3) -> str:
    return "" if number is None else f"{number:.{digits}f}"
