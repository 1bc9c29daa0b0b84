"""The frame of a figure: where a value lies, ticks, grid and labels."""

from html import escape
from math import ceil, floor, log10
from typing import Any, NamedTuple

from .svg import element, line, text

WIDTH, HEIGHT = 340, 236
LEFT, RIGHT, TOP, BOTTOM = 50, 12, 10, 40
MOST_TICKS = 6


class Frame(NamedTuple):
    """The two axes of a figure, `facts` of x and of y."""

    x: dict[str, Any]
    y: dict[str, Any]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies; what is outside lies on the edge."""
        across = LEFT + (WIDTH - LEFT - RIGHT) * _share(x, self.x)
        return across, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * _share(y, self.y)


def _share(value: float, axis: dict[str, Any]) -> float:
    span = axis["high"] - axis["low"]
    return min(max((value - axis["low"]) / span, 0.0), 1.0) if span else 0.5


def drawn_axes(frame: Frame) -> list[str]:
    """Grid, ticks and labels."""
    parts = []
    low, high = frame.x["low"], frame.x["high"]
    for value in ticks(low, high):
        x, bottom = frame.place(value, frame.y["low"])
        parts += [
            line(x, TOP, x, bottom, class_="grid"),
            text(spelled(value, frame.x), x, bottom + 14, text_anchor="middle", class_="tick"),
        ]
    for value in ticks(frame.y["low"], frame.y["high"]):
        left, y = frame.place(low, value)
        parts += [
            line(left, y, WIDTH - RIGHT, y, class_="grid"),
            text(spelled(value, frame.y), left - 5, y + 3.5, text_anchor="end", class_="tick"),
        ]
    left, bottom = frame.place(low, frame.y["low"])
    parts.append(line(left, bottom, WIDTH - RIGHT, bottom, class_="axis"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(text(frame.x["label"], middle, HEIGHT - 6, text_anchor="middle", class_="label"))
    half = (TOP + HEIGHT - BOTTOM) / 2
    upright = {"transform": f"rotate(-90 11 {half:g})", "text_anchor": "middle", "class_": "label"}
    parts.append(text(frame.y["label"], 11, half, **upright))
    return parts


def ticks(low: float, high: float) -> list[float]:
    """A few round values from low to high."""
    if not high > low:
        return [low]
    step = 10 ** floor(log10((high - low) / MOST_TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (factor * step) <= MOST_TICKS)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def spelled(value: float, axis: dict[str, Any]) -> str:
    if axis["percent"]:
        return f"{100 * value:.4g}%"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value + 0.0:.4g}"


def whole(parts: list[str], figure: dict[str, Any]) -> str:
    """The figure as one element, which says in words what it shows."""
    name, what = f"{figure['id']}-title", f"{figure['id']}-says"
    about = [
        element("title", [escape(figure["title"])], id=name),
        element("desc", [escape(figure["says"])], id=what),
    ]
    box = f"0 0 {WIDTH} {HEIGHT}"
    return element(
        "svg", about + parts, viewBox=box, role="img", aria_labelledby=f"{name} {what}", class_="figure"
    )
