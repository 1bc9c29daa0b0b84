"""The tables among the data sets: by name, with a check of their content."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tables.read import Frame, Series
from .fetching import MISSING, Row, find
from .sources import SOURCES, TARGET, TableSource

NAMES = tuple(SOURCES)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of one of the papers, with the class of each row.

    Attributes
    ----------
    name : str
        The name of the set, one of `NAMES`.
    X : polars frame
        The table; null is a missing cell.
    y : array
        The class of each row: texts, or integers where they are numbers.
    provenance : str
        Where the table comes from, its license, and what was changed.
    digest : str
        The SHA-256 of the content, whatever the order of its rows.

    Examples
    --------
    >>> from perceptrons import datasets
    >>> votes = datasets.load("voting")
    >>> votes.frame.shape, votes.digest[:8]
    ((435, 17), '959fe8cb')
    """

    name: str
    X: Frame
    y: np.ndarray[Any, Any]
    provenance: str
    digest: str

    @property
    def frame(self) -> Frame:
        """Everything in one table, the class last."""
        return self.X.with_columns(Series(TARGET, self.y.tolist()))


def load(name: str) -> Dataset:
    """Load one of `NAMES`, from the folder PERCEPTRONS_DATA or from OpenML.

    Rows are in the order of the source; between the two sources it may differ.

    Parameters
    ----------
    name : str
        The name of a set, one of `NAMES`.

    Examples
    --------
    >>> from perceptrons import datasets
    >>> votes = datasets.load("voting")
    >>> votes.X.shape, sorted(set(votes.y.tolist()))
    ((435, 16), ['democrat', 'republican'])
    """
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


def _values(cells: Sequence[str], source: TableSource) -> list[str | int | float | None]:
    kind = _kind(cells) if source.numbers else str
    return [None if cell == MISSING else kind(cell) for cell in cells]


def _kind(numbers: Sequence[str]) -> type[int] | type[float]:
    """Floats where a number has decimals; the digest has shown that they are the right ones."""
    return float if any("." in number for number in numbers) else int


def _classes(labels: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array(labels).astype(np.int64 if all(map(str.isdigit, labels)) else str)


def _provenance(source: TableSource, where: str) -> str:
    return (
        f"{source.title}. From the UCI Machine Learning Repository, read from {where}. {source.license} "
        f"{source.changes}"
    )
