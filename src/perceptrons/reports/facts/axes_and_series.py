"""What figures have in common: axes, series, and curves of few points."""

from typing import Any

import numpy as np

Facts = dict[str, Any]
MOST_POINTS = 160


def axis(label: str, low: float, high: float, percent: bool = False) -> Facts:
    return {"label": label, "low": float(low), "high": float(high), "percent": percent}


def share_axis(label: str, high: float = 1.0) -> Facts:
    return axis(label, 0.0, high, percent=True)


def series(name: str, x: Any, y: Any, style: str = "line") -> Facts:
    """A curve: "line", "step" (of what changes at once), "points" or "thin", which is for comparison."""
    xs, ys = thinned(x, y)
    return {"name": name, "x": xs, "y": ys, "style": style}


def thinned(*columns: Any) -> list[list[float]]:
    """A number of points of a curve, the first and the last among them."""
    n = len(columns[0])
    places = np.unique(np.linspace(0, max(n - 1, 0), min(n, MOST_POINTS)).round().astype(int))
    return [
        [float(f"{value:.6g}") for value in np.asarray(column, float)[places].tolist()] for column in columns
    ]


def rounded_up(value: float) -> float:
    """The end of an axis of shares: 5, 10, 20, 50 or 100 %."""
    return next((end for end in (0.02, 0.05, 0.1, 0.2, 0.5) if value <= end), 1.0)
