"""python -m perceptrons.datasets [NAME FILE]: list the data sets, or write one as CSV."""

import argparse
import os
import sys
from collections.abc import Sequence

from ..model_file.files import write_whole
from .dataset import load
from .sources import SOURCES

OTHERS = """
In Python only, for they are no tables:
datasets.windows()    coding windows of E. coli: 15 bases, from inside genes or from between them
datasets.mnist()      MNIST: 70,000 handwritten digits of 28×28
datasets.a9a()        Adult (a9a): 48,842 people as 123 zeros and ones"""


def main(arguments: Sequence[str] | None = None) -> None:
    """List the data sets, or write one as CSV."""
    parser = argparse.ArgumentParser(
        prog="python -m perceptrons.datasets",
        description="Write one of the papers' data sets as CSV, the class last; without a name, list them.",
        epilog="Example: python -m perceptrons.datasets mushroom mushroom.csv",
    )
    parser.add_argument("name", nargs="?", help="one of the data sets")
    parser.add_argument("file", nargs="?", help="the file to write; it must not exist yet")
    given = parser.parse_args(arguments)
    if given.name is None:
        print("\n".join(f"{name:<13} {source.title}" for name, source in SOURCES.items()))
        print(OTHERS)
        return
    if given.file is None:
        parser.error(f"name a file to write {given.name} to, like {given.name}.csv")
    try:
        _write(given.name, given.file)
    except (ImportError, OSError, ValueError) as error:
        parser.exit(2, f"{error}\n")


def _write(name: str, file: str) -> None:
    if os.path.lexists(file):
        raise ValueError(f"{file} exists; remove it first, or choose another name.")
    data = load(name)
    write_whole(file, data.frame.write_csv().encode())
    print(f"{file}: {data.provenance}", file=sys.stderr)


if __name__ == "__main__":
    main()
