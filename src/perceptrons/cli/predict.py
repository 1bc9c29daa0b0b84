"""`perceptrons predict`: the classes a model gives to the rows of a table."""

import csv
import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .printable import printable


def predict(
    model: options.Model,
    table: options.Table,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write CSV to this file, not to stdout.", metavar="FILE")
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Add the scores the classes are chosen by.")
    ] = False,
    header: options.Header = None,
    separator: options.Separator = None,
    json: options.AsJson = False,
) -> None:
    """Predict the class of every row of a table, as CSV.

    \b
    Example: perceptrons predict model.json new.csv --out predictions.csv
    """
    from ..data.layout import lay_out
    from .models import load
    from .show import emit, say
    from .waiting import waiting

    loaded = load(model)
    with waiting("predicting"):
        rows = lay_out(loaded.read_table(table, header, separator), loaded.encoder)
        columns: dict[str, list[Any]] = {"prediction": loaded.pipeline.predict(rows).tolist()}
        if scores:
            columns |= _scores(loaded.pipeline, loaded.learner.classes_.tolist(), rows)
    if out is not None:
        _write(out, _as_csv(columns))
    if json:
        emit({"rows": len(rows), "file": None if out is None else str(out), **columns})
    elif out is None:
        _print(_as_csv(columns))
    else:
        say(f"{len(rows):,} predictions written to {out}.")


def _scores(pipeline: Any, classes: list[Any], rows: Any) -> dict[str, list[Any]]:
    values = pipeline.decision_function(rows)
    if values.ndim == 1:
        return {"score": values.tolist()}
    return {f"score {name}": values[:, k].tolist() for k, name in enumerate(classes)}


def _as_csv(columns: dict[str, list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _write(out: Path, text: str) -> None:
    from ..export.files import write_whole

    write_whole(str(out), text.encode())


def _print(text: str) -> None:
    """To a terminal what can be shown, to a pipe what is."""
    lines = text.splitlines(keepends=True)
    sys.stdout.writelines(
        printable(line.rstrip("\n")) + "\n" if sys.stdout.isatty() else line for line in lines
    )
