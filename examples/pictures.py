"""How the scripts draw the pictures of the documentation.

A script keeps its own in PICTURES: for each file the function that computes the data, the one that draws
them, and the height in inches. Drawing needs matplotlib.
"""

import argparse
from pathlib import Path

from perceptrons.papers.pictures import COLORS as COLORS
from perceptrons.papers.pictures import files

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"


def draw(pictures, folder=FOLDER, suffix="svg"):
    """Draw all pictures; the names of the files."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (data, paint, height) in pictures.items():
        found = data()
        for _, content in files(
            lambda figure, paint=paint, found=found: paint(figure, found), height, (suffix,)
        ):
            paths.append(Path(folder) / f"{name}.{suffix}")
            paths[-1].write_bytes(content)
    return paths


def run(description, pictures, lines):
    """A script: print lines of text, or with --pictures draw."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--pictures", metavar="FOLDER", nargs="?", const=FOLDER, help="draw those of the docs"
    )
    folder = parser.parse_args().pictures
    print(*(lines() if folder is None else draw(pictures, folder)), sep="\n")
