"""The data sets of the papers' experiments, under one name each, with a check of their content.

    python -m perceptrons.datasets                          lists them
    python -m perceptrons.datasets mushroom mushroom.csv    writes one as a table

No data comes with the library: a set is read from the folder named by PERCEPTRONS_DATA, or fetched from
OpenML (where scikit-learn keeps a copy). Either way its content, whatever the order of its rows, must have
the digest we know, so that a result is a result on these data.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tables.read import Frame, Series
from .fetching import MISSING, Row, find
from .sources import SOURCES, TARGET, Source

NAMES = tuple(SOURCES)
OTHERS = """
No tables, but loaders of their own, in Python:
datasets.genome.windows()    coding windows of E. coli: 15 bases, from inside genes or from between them
datasets.images.mnist()      MNIST: 70,000 handwritten digits of 28×28
datasets.svmlight.a9a()      Adult (a9a): 48,842 people as 123 zeros and ones"""


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
