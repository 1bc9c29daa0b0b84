"""Intervals as they are written, "(0, 2]": a round bracket leaves the end out, a square one takes it in."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np


class Interval(NamedTuple):
    text: str
    low: float
    high: float

    def __contains__(self, value: Any) -> bool:
        """Whether one number lies inside; NaN never does."""
        return bool(self.holds(value))

    def holds(self, values: Any) -> Any:
        """Which numbers lie inside, one by one."""
        above = np.greater_equal if self.text[0] == "[" else np.greater
        below = np.less_equal if self.text[-1] == "]" else np.less
        return above(values, self.low) & below(values, self.high)

    def in_words(self) -> str:
        """ "> 0", ">= 1", "< 5", "finite", or "in (0, 2]".

        >>> [interval(text).in_words() for text in ("(0, inf)", "[1, inf)", "(-inf, inf)", "(0, 2]")]
        ['> 0', '>= 1', 'that is finite', 'in (0, 2]']
        """
        if self.text == "(-inf, inf)":
            return "that is finite"
        if self.text.endswith(", inf)"):
            return f"{'>=' if self.text[0] == '[' else '>'} {self.text[1:-6]}"
        return f"in {self.text}"


@cache
def interval(text: str) -> Interval:
    """The interval that a text like "(0, 2]" stands for."""
    low, high = map(float, text[1:-1].split(","))
    return Interval(text, low, high)
