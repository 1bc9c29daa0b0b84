"""`perceptrons predict`: the classes a model gives to the rows of a table."""

import csv
import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..data.delimited import SEPARATORS
from . import options
from .places import check_out, check_text
from .printable import printable
from .reading import reading


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
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Predict the class of every row of a table, as CSV.

    \b
    Example: perceptrons predict model.json new.csv --out predictions.csv
    """
    from .models import load, warn_of
    from .show import emit, say
    from .waiting import waiting

    if out is not None:
        check_out(out, table=table, model=model)
        check_text(out)
    loaded = load(model)
    with waiting("predicting"):
        frame = loaded.read_table(table, reading(header, separator, missing))
        rows, unseen = loaded.lay_out(frame)
        columns: dict[str, list[Any]] = {"prediction": loaded.pipeline.predict(rows).tolist()}
        if scores:
            columns |= _scores(loaded.pipeline, loaded.learner.classes_.tolist(), rows)
    if out is not None:
        _write(out, _as_csv(columns, SEPARATORS.get(out.suffix.lower(), ",")))
    if json:
        file = None if out is None else str(out)
        emit({"rows": len(rows), "file": file, "unseen": [one._asdict() for one in unseen], **columns})
        return
    warn_of(unseen)
    if out is None:
        _print(_as_csv(columns))
    else:
        say(f"{len(rows):,} predictions written to {out}.")


def _scores(pipeline: Any, classes: list[Any], rows: Any) -> dict[str, list[Any]]:
    values = pipeline.decision_function(rows)
    if values.ndim == 1:
        return {"score": values.tolist()}
    return {f"score {name}": values[:, k].tolist() for k, name in enumerate(classes)}


def _as_csv(columns: dict[str, list[Any]], mark: str = ",") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _write(out: Path, text: str) -> None:
    from ..export.files import write_whole

    write_whole(str(out), text.encode())


def _print(text: str) -> None:
    """To a terminal what can be shown, to a pipe what is, in UTF-8 as in a file."""
    if sys.stdout.isatty():
        sys.stdout.writelines(printable(line) + "\n" for line in text.split("\n")[:-1])
    else:
        sys.stdout.flush()
        rest = memoryview(text.encode())
        while rest:  # without a buffer (`python -u`) a pipe takes a part at a time
            rest = rest[sys.stdout.buffer.write(rest) :]
