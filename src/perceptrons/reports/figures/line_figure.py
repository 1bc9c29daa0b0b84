"""Figures of curves and points: ROC, precision and recall, calibration, errors over rejections, training."""

from typing import Any

from .axes import Frame, drawn_axes, whole
from .svg import element, line, path, text

STYLES = ("one", "two", "three", "four", "five", "six")  # colors and dashes of the style sheet


def draw_lines(figure: dict[str, Any]) -> str:
    """The curves of a figure, points with their intervals, and marked points."""
    frame = Frame(figure["x"], figure["y"])
    parts = drawn_axes(frame)
    curves = [one for one in figure["series"] if one["style"] != "thin"]
    for one in figure["series"]:
        style = "thin" if one["style"] == "thin" else f"curve {STYLES[curves.index(one) % len(STYLES)]}"
        points = [frame.place(x, y) for x, y in zip(one["x"], one["y"], strict=True)]
        parts.append(path(points, class_=style))
    for one in figure.get("points", []):
        parts += _point(frame, one)
    for one in figure.get("marks", []):
        parts += _mark(frame, one)
    return whole(parts, figure)


def legend(figure: dict[str, Any]) -> list[dict[str, str]]:
    """Names of the curves and their styles, where there are several."""
    curves = [one for one in figure["series"] if one["style"] != "thin"]
    pairs = zip(curves, STYLES, strict=False)
    return [{"name": one["name"], "style": style} for one, style in pairs] if len(curves) > 1 else []


def _point(frame: Frame, one: dict[str, float]) -> list[str]:
    """A point with its interval."""
    x, y = frame.place(one["x"], one["y"])
    _, low = frame.place(one["x"], one["low"])
    _, high = frame.place(one["x"], one["high"])
    return [line(x, low, x, high, class_="interval"), element("circle", cx=x, cy=y, r=3.2, class_="point")]


def _mark(frame: Frame, one: dict[str, Any]) -> list[str]:
    """A point that stands out, its label on the side that has room."""
    x, y = frame.place(one["x"], one["y"])
    left = one["x"] - frame.x["low"] > (frame.x["high"] - frame.x["low"]) / 2
    beside, anchor = (x - 8, "end") if left else (x + 8, "start")
    label = text(one["label"], beside, y - 7, text_anchor=anchor, class_="mark-label")
    return [element("circle", cx=x, cy=y, r=5, class_="mark"), label]
