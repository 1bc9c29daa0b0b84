"""What the pictures of the documentation have in common: colours, style, and how they are drawn.

A script keeps its own in PICTURES: for each file the function that computes the data, the one that draws
them, and the height in inches. Drawing needs matplotlib.
"""

import argparse
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
COLOURS = BLUE, ORANGE, INK, GREY, PALE = "#2f6690", "#d9622b", "#22262b", "#8b9199", "#e6e9ed"
STYLE = {
    "svg.hashsalt": "perceptrons",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
}


def draw(pictures, folder=FOLDER, suffix="svg"):
    """Draw all pictures; the names of the files."""
    import matplotlib
    from matplotlib.figure import Figure

    Path(folder).mkdir(parents=True, exist_ok=True)
    files = []
    for name, (data, paint, height) in pictures.items():
        with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE}):
            figure = Figure(figsize=(7, height), layout="constrained")
            paint(figure, data())
            files.append(Path(folder) / f"{name}.{suffix}")
            figure.savefig(files[-1], metadata={"Date": None} if suffix == "svg" else None, dpi=110)
    return files


def run(description, pictures, lines):
    """A script: print lines of text, or with --pictures draw."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--pictures", metavar="FOLDER", nargs="?", const=FOLDER, help="draw those of the docs"
    )
    folder = parser.parse_args().pictures
    print(*(lines() if folder is None else draw(pictures, folder)), sep="\n")
