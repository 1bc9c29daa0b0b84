"""How pictures look, and how they become files. Drawing needs matplotlib."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

COLORS = BLUE, ORANGE, INK, GRAY, PALE = "#2f6690", "#d9622b", "#22262b", "#8b9199", "#e6e9ed"
STYLE: Any = {
    "svg.hashsalt": "perceptrons",  # names inside the file: the same picture is the same bytes
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.edgecolor": GRAY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": GRAY,
    "ytick.color": GRAY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
}
WIDTH = 7.0  # inches


def files(
    paint: Callable[[Any], None], height: float, suffixes: tuple[str, ...]
) -> Iterator[tuple[str, bytes]]:
    """(suffix, bytes) of one picture, painted on a figure of this height in inches."""
    with styled() as figure_of:
        figure = figure_of(figsize=(WIDTH, height), layout="constrained")
        paint(figure)
        for suffix in suffixes:
            held = io.BytesIO()
            figure.savefig(held, format=suffix, dpi=150, metadata={"Date": None} if suffix == "svg" else None)
            yield suffix, renamed(held.getvalue()) if suffix == "svg" else held.getvalue()


def renamed(svg: bytes) -> bytes:
    """The same SVG, whose inner names come from what it shows and from their order.

    matplotlib makes them from coordinates in full precision. Those of constrained layouts differ in their
    last bits from run to run, since its solver goes through its constraints by their addresses in memory.
    """
    text = svg.decode()
    names = dict.fromkeys(re.findall(r'id="([chmp][0-9a-f]{10})"', text))
    anyone = re.compile("|".join(names) or "(?!)")
    shown = sha256(anyone.sub("", text).encode()).hexdigest()  # two pictures on one page share no name
    new = {name: name[0] + sha256(f"{shown}{k}".encode()).hexdigest()[:10] for k, name in enumerate(names)}
    return anyone.sub(lambda found: new[found[0]], text).encode()


@contextmanager
def styled() -> Iterator[Any]:
    """matplotlib's Figure, in our style whatever the user has set."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError('Figures need matplotlib: pip install "perceptrons[app]".') from error
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE}):
        yield Figure
