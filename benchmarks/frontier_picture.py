"""A picture of `frontier`: accuracy against the number of rules or weights."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from perceptrons.papers.pictures import BLUE, GRAY, ORANGE, files

OURS = ("rules", "rules, at most 10", "scorecard, 8 rules", "scorecard, 5 rules")
HEIGHT, APART = 3.6, 0.045  # inches; the least distance of two labels at the side, as a share of the height
CLOSE = 0.005  # accuracies whose labels would meet


def draw(result: dict[str, Any], path: Path) -> None:
    """Means over tables, as they were measured."""
    rows = result["sections"][0]["rows"]
    ((_, picture),) = files(lambda figure: _paint(figure, rows), HEIGHT, (path.suffix[1:],))
    path.write_bytes(picture)


def _paint(figure: Any, rows: list[dict[str, Any]]) -> None:
    axes = figure.add_subplot()
    counted = [row for row in rows if row["size"] is not None]
    ours = sorted((row for row in counted if row["learner"] in OURS), key=lambda row: row["size"])
    axes.plot([row["size"] for row in ours], [100 * row["accuracy"] for row in ours], "o-", color=BLUE)
    others = [row for row in counted if row not in ours]
    axes.plot([row["size"] for row in others], [100 * row["accuracy"] for row in others], "o", color=ORANGE)
    for row in counted:
        color, left = (BLUE, True) if row in ours else (ORANGE, _has_neighbor(row, others))
        where, offset = (
            (row["size"], 100 * row["accuracy"]),
            (-6, 4) if row in ours else (-6 if left else 6, -4),
        )
        side = "right" if left else "left"
        axes.annotate(row["learner"], where, offset, textcoords="offset points", ha=side, color=color)
    axes.set(xscale="log", xlim=(1.8, 100), xlabel="rules or weights, mean over tables")
    axes.set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
    axes.minorticks_off()
    axes.set_ylabel("accuracy on new rows, %")
    _lines(axes, sorted((row for row in rows if row["size"] is None), key=lambda row: row["accuracy"]))


def _has_neighbor(row: dict[str, Any], others: list[dict[str, Any]]) -> bool:
    """Does another one stand to the right, where the label would be?"""
    return any(one["size"] > row["size"] and abs(one["accuracy"] - row["accuracy"]) < CLOSE for one in others)


def _lines(axes: Any, rows: list[dict[str, Any]]) -> None:
    """A model whose size is not counted is a line across, named at its end."""
    for row in rows:
        axes.axhline(100 * row["accuracy"], lw=0.8, ls=":", color=GRAY)
    low, high = axes.get_ylim()
    places = [(100 * row["accuracy"] - low) / (high - low) for row in rows]
    for k, (below, place) in enumerate(pairwise(places), 1):
        places[k] = max(place, below + APART, places[k - 1] + APART)
    for row, place in zip(rows, places, strict=True):
        axes.text(1.01, place, row["learner"], transform=axes.transAxes, va="center", color=GRAY)
