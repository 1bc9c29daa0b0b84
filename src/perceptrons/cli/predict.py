"""`perceptrons predict`: the classes a model gives to the rows of a table."""

import csv
import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..tables.delimited import SEPARATORS
from ..texts import printable
from . import options
from .destinations import check_out, check_text
from .tables import from_standard_input, reading

ALTERED = (
    "Some texts are written with ' before them, or with escapes, so that no program computes or obeys them; "
    "--raw writes them as they are"
)


def predict(
    model: options.Model,
    table: options.Table,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write CSV to this file, not to stdout.", metavar="FILE")
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores", help="Add the scores the classes are chosen by.")
    ] = False,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw",
            help="Write texts as they are, even those that a spreadsheet would compute (=, +, -, @) or "
            "that act on a terminal.",
        ),
    ] = False,
    append: Annotated[
        bool, typer.Option("--append", help="Write the columns of the table, too, predictions last.")
    ] = False,
    id_column: Annotated[
        str | None, typer.Option("--id", help="Write this column of the table first.", metavar="COLUMN")
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add a probability for each class.")] = False,
    header: options.Header = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Predict the class of every row of a table, as CSV.

    A model that may reject answers "reject" where it does, or what fit --reject-label said; if the classes
    are numbers it is 0, -1 or another number that is no class. A line on stderr says how often.

    \b
    Example: perceptrons predict model.json new.csv --out predictions.csv
    With probabilities: perceptrons predict model.json new.csv --id name --proba
    From a pipe: cat new.csv | perceptrons predict model.json - --append
    """
    from .appended import beside, probabilities, read_kept
    from .models import load, warn_of
    from .progress import progress_bar
    from .safe_cells import safe_columns
    from .show import emit, say, warn

    if out is not None:
        check_out(out, table=table, model=model)
        check_text(out)
    loaded = load(model)
    with progress_bar("predicting"):
        how = reading(header, separator, missing, encoding)
        table = from_standard_input(table)
        frame = loaded.read_table(table, how)
        kept = read_kept(table, how.or_as_in(loaded.about), append, id_column)
        rows, unseen = loaded.lay_out(frame)
        encoded = loaded.encode(rows)
        columns: dict[str, list[Any]] = {"prediction": loaded.learner.predict(encoded).tolist()}
        if scores:
            columns |= _scores(loaded.learner, encoded)
        if proba:
            columns |= probabilities(loaded, encoded)
        rejected = loaded.rejected(encoded)
        n_rejected = None if rejected is None else int(rejected.sum())
    columns = beside(kept, columns)
    cells = columns if raw else safe_columns(columns)
    if out is not None:
        _write(out, _as_csv(cells, SEPARATORS.get(out.suffix.lower(), ",")))
    if json:
        file = None if out is None else str(out)
        told = {"rows": len(rows), "file": file, "unseen": [one._asdict() for one in unseen]}
        emit({**told, "rejected": n_rejected, **columns})
        return
    warn_of(unseen)
    if out is None:
        _print(_as_csv(cells))
    else:
        say(f"{len(rows):,} predictions written to {out}.")
    if cells != columns:
        warn([ALTERED])
    if n_rejected:
        label = loaded.learner.reject_label_
        warn([f"{n_rejected:,} of {len(rows):,} rows are rejected, and get {label!r}"])


def _scores(learner: Any, encoded: Any) -> dict[str, list[Any]]:
    values = learner.decision_function(encoded)
    if values.ndim == 1:
        return {"score": values.tolist()}
    return {f"score {name}": values[:, k].tolist() for k, name in enumerate(learner.classes_.tolist())}


def _as_csv(columns: dict[str, list[Any]], mark: str = ",") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _write(out: Path, text: str) -> None:
    from ..model_file.files import write_whole

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
