"""Histograms: how many rows lie where, the classes on top of one another, and marked values."""

from itertools import pairwise
from typing import Any

from .axes import BOTTOM, HEIGHT, TOP, Frame, drawn_axes, whole
from .line_figure import STYLES
from .svg import element, line, text


def draw_histogram(figure: dict[str, Any]) -> str:
    """A bar per bin and class."""
    frame = Frame(figure["x"], figure["y"])
    parts, below = drawn_axes(frame), [0] * (len(figure["edges"]) - 1)
    for one, style in zip(figure["counts"], STYLES, strict=False):
        parts += _bars(frame, figure["edges"], below, one["n"], style)
        below = [under + n for under, n in zip(below, one["n"], strict=True)]
    for mark in figure["marks"]:
        parts += _mark(frame, mark)
    return whole(parts, figure)


def histogram_legend(figure: dict[str, Any]) -> list[dict[str, str]]:
    pairs = zip(figure["counts"], STYLES, strict=False)
    return [{"name": one["name"], "style": f"bar {style}"} for one, style in pairs]


def _bars(frame: Frame, edges: list[float], below: list[int], counts: list[int], style: str) -> list[str]:
    parts = []
    for (low, high), under, number in zip(pairwise(edges), below, counts, strict=True):
        if number:
            left, top = frame.place(low, under + number)
            right, bottom = frame.place(high, under)
            bar = {"x": left, "y": top, "width": max(right - left - 0.7, 0.7), "height": bottom - top}
            parts.append(element("rect", class_=f"bar {style}", **bar))
    return parts


def _mark(frame: Frame, one: dict[str, Any]) -> list[str]:
    x, _ = frame.place(one["x"], 0)
    style = "boundary" if one["x"] == 0 else "certified" if one.get("certified") else "band"
    drawn = [line(x, TOP, x, HEIGHT - BOTTOM, class_=style)]
    return drawn + (
        [text(one["label"], x + 4, TOP + (9 if style == "boundary" else 21), class_="mark-label")]
        if one["label"]
        else []
    )
