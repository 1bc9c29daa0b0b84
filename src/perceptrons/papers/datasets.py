"""The data sets of the papers' experiments, under one name each, with a check of their content.

    python -m perceptrons.papers.datasets                          lists them
    python -m perceptrons.papers.datasets mushroom mushroom.csv    writes one as a table

No data comes with the library: a set is read from the folder named by PERCEPTRONS_DATA, or fetched from
OpenML (where scikit-learn keeps a copy). Either way its content, whatever the order of its rows, must have
the digest we know, so that a result is a result on these data.
"""

import argparse
import hashlib
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.table import Frame, Series
from ..export.files import write_whole
from .fetching import MISSING, Row, find
from .sources import SOURCES, TARGET, Source

NAMES = tuple(SOURCES)
OTHERS = """
No tables, but loaders of their own, in Python:
papers.genome.windows()    coding windows of E. coli: 15 bases, from inside genes or from between them
papers.images.mnist()      MNIST: 70,000 handwritten digits of 28×28
papers.svmlight.a9a()      Adult (a9a): 48,842 people as 123 zeros and ones"""


@dataclass(frozen=True, eq=False)
class Dataset:
    name: str
    X: Frame  # null: a missing cell
    y: np.ndarray[Any, Any]  # the class of each row: texts, or integers where they are numbers
    provenance: str
    digest: str  # of the content, whatever the order of its rows

    @property
    def frame(self) -> Frame:
        """All in one table, the class last."""
        return self.X.with_columns(Series(TARGET, self.y.tolist()))


def load(name: str) -> Dataset:
    """One of `NAMES`. Rows stand as they do in the source; between sources their order may differ."""
    if name not in SOURCES:
        raise ValueError(f"There is no data set {name!r}; choose one of {', '.join(NAMES)}.")
    source = SOURCES[name]
    rows, where, remedy = find(name, source)
    found = digest(source.header, rows)
    if found != source.digest:
        raise ValueError(
            f"The data set {name!r} from {where} is not the one we know: its {len(rows)} rows have the "
            f"digest {found[:12]}..., not {source.digest[:12]}...; {remedy}."
        )
    *columns, labels = zip(*rows, strict=True)
    X = Frame({column: _values(cells, source) for column, cells in zip(source.columns, columns, strict=True)})
    return Dataset(name, X, _classes(labels), _provenance(source, where), found)


def digest(header: Row, rows: Iterable[Row]) -> str:
    """SHA-256 of the table as text, rows sorted: the same for the same rows in any order."""
    lines = ["\t".join(header), *sorted("\t".join(row) for row in rows)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _values(cells: Sequence[str], source: Source) -> list[str | int | float | None]:
    kind = _kind(cells) if source.numbers else str
    return [None if cell == MISSING else kind(cell) for cell in cells]


def _kind(numbers: Sequence[str]) -> type[int] | type[float]:
    """Floats where a number has decimals; the digest has told that they are the right ones."""
    return float if any("." in number for number in numbers) else int


def _classes(labels: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array(labels).astype(np.int64 if all(map(str.isdigit, labels)) else str)


def _provenance(source: Source, where: str) -> str:
    return (
        f"{source.title}. From the UCI Machine Learning Repository, read from {where}. {source.licence} "
        f"{source.changes}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """List the data sets, or write one as CSV."""
    parser = argparse.ArgumentParser(
        prog="python -m perceptrons.papers.datasets",
        description="Write one of the papers' data sets as CSV, the class last; without a name, list them.",
        epilog="Example: python -m perceptrons.papers.datasets mushroom mushroom.csv",
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
