"""Rows of a data set as texts, from the folder PERCEPTRONS_DATA if it holds the file, else from OpenML.

Either way a row is spelled as `sources` says: the class last, "?" for a missing cell.
"""

import os
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.datasets import fetch_openml

from .sources import TableSource

FOLDER = "PERCEPTRONS_DATA"
MISSING = "?"
IDS = ("id", "instance", "instance_name", "name", "sample_code_number")  # columns that say nothing

Row = tuple[str, ...]


class FoundRows(NamedTuple):
    rows: list[Row]
    where: str
    remedy: str  # if they are not what they should be


def find(name: str, source: TableSource) -> FoundRows:
    """From the first of the two places that has the set; a file that is there but broken is an error."""
    return _in_folder(name, source) or _at_openml(name, source)


def _in_folder(name: str, source: TableSource) -> FoundRows | None:
    folder = os.environ.get(FOLDER)
    if not folder:
        return None
    path = Path(folder, source.file)
    remedy = f"put the original file at {path}, or unset {FOLDER} to fetch the set from OpenML"
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"The data set {name!r} cannot be read from {path} ({error}); {remedy}.") from error
    rows = [(number, source.split(line)) for number, line in enumerate(lines, start=1) if line.strip()]
    for number, cells in rows:
        if len(cells) != len(source.header):
            raise ValueError(
                f"The data set {name!r} cannot be read from {path}: line {number} gives {len(cells)} values, "
                f"not {len(source.header)}; {remedy}."
            )
    where = f"{source.file} in the folder {FOLDER}"
    return FoundRows([_spelled(cells, source) for _, cells in rows], where, remedy)


def _spelled(cells: Iterable[str], source: TableSource) -> Row:
    """In our case, words and numerals; a code without a meaning stays, and the digest will tell."""
    *texts, label = (source.case(cell.strip()) for cell in cells)
    numerals = map(_numeral, texts) if source.numbers else texts
    return tuple(
        source.words.get(column, {}).get(text, text)
        for column, text in zip(source.header, [*numerals, label], strict=True)
    )


def _numeral(text: str) -> str:
    """A number as everybody would write it: 25, not 25.0, and 33.6, not 33.60. What is none stays."""
    try:
        return _text(float(text))
    except ValueError:
        return text


def _at_openml(name: str, source: TableSource) -> FoundRows:
    """OpenML's columns have other names, but stand in the order of the file."""
    table = _fetched(name, source)
    where = f"OpenML (data_id={source.openml})"
    remedy = f"set {FOLDER} to a folder that holds the original file as {source.file}"
    columns = [column for label, column in table.data.items() if not _is_id(label)]
    if table.target is None or len(columns) != len(source.columns):
        classes = "no class" if table.target is None else "a class"
        raise ValueError(
            f"The data set {name!r} from {where} has {len(columns)} attributes and {classes}, not "
            f"{len(source.columns)} and a class: it has changed; {remedy}."
        )
    cells = zip(*map(_texts, [*columns, table.target]), strict=True)
    return FoundRows([_spelled(row, source) for row in cells][source.part], where, remedy)


def _fetched(name: str, source: TableSource) -> Any:
    """By the parser that takes categories as they are written: with pandas 3.1, scikit-learn's other one
    stops at categories that are digits, as the monks' are (scikit-learn #34902)."""
    try:
        import_module("pandas")  # fetch_openml misses it too late: it would download everything, twice
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each retry is one; what counts is told below, or by the digest
            return fetch_openml(data_id=source.openml, as_frame=True, parser="liac-arff")
    except ImportError as error:
        raise ImportError(
            f"To fetch the data set {name!r} from OpenML, pandas is needed: pip install pandas; or set "
            f"{FOLDER} to a folder that holds {source.file}."
        ) from error
    except Exception as error:  # whatever a network, a proxy or a damaged download may cause
        folder = os.environ.get(FOLDER)
        lack = f"{FOLDER}={folder} has no file {source.file}" if folder else f"{FOLDER} is not set"
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise OSError(
            f"The data set {name!r} cannot be loaded: {lack}, and OpenML gave no data_id={source.openml} "
            f"({reason}); go online, or set {FOLDER} to a folder that holds {source.file}."
        ) from error


def _is_id(label: object) -> bool:
    return str(label).strip().lower().replace("-", "_").replace(" ", "_") in IDS


def _texts(column: Any) -> list[str]:
    """The cells of a pandas column: categories, texts, or numbers, which may have become floats."""
    return [
        MISSING if missing else _text(cell)
        for cell, missing in zip(column.tolist(), column.isna().tolist(), strict=True)
    ]


def _text(cell: object) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return f"{cell:.0f}" if whole else str(cell).strip().strip("'\"")
