"""A picture of `streams`: peak memory and time of fits against the number of rows."""

from pathlib import Path
from typing import Any

from perceptrons.papers.pictures import BLUE, GRAY, INK, ORANGE, files

from .stream_memory import N_COLUMNS, PERCEPTRON, REJECTION, SCORECARD

HEIGHT = 3.0  # inches
COLORS = {PERCEPTRON: BLUE, SCORECARD: ORANGE, REJECTION: INK}
CELL = 4  # bytes, of a number in single precision


def draw(result: dict[str, Any], path: Path) -> None:
    """What was measured, and how large the rows are."""
    rows = [row for section in result["sections"][1:] for row in section["rows"]]
    ((_, picture),) = files(lambda figure: _paint(figure, rows), HEIGHT, (path.suffix[1:],))
    path.write_bytes(picture)


def _paint(figure: Any, rows: list[dict[str, Any]]) -> None:
    memory, time = figure.subplots(1, 2)
    for name, color in COLORS.items():
        own = [row for row in rows if row["learner"] == name]
        sizes = [row["rows"] for row in own]
        memory.plot(sizes, [row["peak"] / 1e6 for row in own], "o-", color=color, label=name)
        time.plot(sizes, [row["time"] for row in own], "o-", color=color, label=name)
    sizes = sorted({row["rows"] for row in rows})
    whole = [CELL * N_COLUMNS * size / 1e6 for size in sizes]
    memory.plot(sizes, whole, ":", color=GRAY, label="the rows themselves")
    memory.set(xscale="log", yscale="log", xlabel="rows", ylabel="peak memory, MB")
    time.set(xscale="log", yscale="log", xlabel="rows", ylabel="a fit, seconds of the processor")
    memory.legend()
    time.legend()
