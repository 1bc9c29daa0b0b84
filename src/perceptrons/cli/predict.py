"""`perceptrons predict`: the classes a model gives to the rows of a table."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ..tables.delimited import SEPARATORS
from . import options
from .destinations import check_out, check_text
from .predict_streamed import Wanted, opened, predict_streamed
from .predicted import ALTERED, Told, answers, as_csv, print_text
from .streams import streams
from .tables import from_standard_input, reading


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
    stream: options.Stream = None,
    json: options.AsJson = False,
) -> None:
    """Predict the class of every row of a table, as CSV.

    A model that can reject answers "reject" for a rejected row, or the text of fit --reject-label; if the
    classes are numbers, it is 0, -1 or another number that is not a class. A line on stderr says how many
    rows are rejected.

    \b
    Example: perceptrons predict model.json new.csv --out predictions.csv
    With probabilities: perceptrons predict model.json new.csv --id name --proba
    From a pipe: cat new.csv | perceptrons predict model.json - --append
    """
    from .appended import beside, read_kept
    from .models import load
    from .progress import progress_bar
    from .safe_cells import safe_columns
    from .show import emit

    if out is not None:
        check_out(out, table=table, model=model)
        check_text(out)
    loaded = load(model)
    if streams(table, stream):
        _check_no_json(json)
        how = reading(header, separator, missing, encoding)
        wanted = Wanted(scores, raw, append, id_column, proba)
        with progress_bar("predicting"), opened(out) as write:
            outcome = predict_streamed(loaded, table, how, wanted, write, out)
        _tell(outcome, loaded, out)
        return
    with progress_bar("predicting"):
        how = reading(header, separator, missing, encoding)
        table = from_standard_input(table)
        frame = loaded.read_table(table, how)
        kept = read_kept(table, how.or_as_in(loaded.about), append, id_column)
        rows, unseen = loaded.lay_out(frame)
        columns, n_rejected = answers(loaded, loaded.encode(rows), scores, proba)
    columns = beside(kept, columns)
    cells = columns if raw else safe_columns(columns)
    if out is not None:
        _write(out, as_csv(cells, SEPARATORS.get(out.suffix.lower(), ",")))
    if json:
        file = None if out is None else str(out)
        told = {"rows": len(rows), "file": file, "unseen": [one._asdict() for one in unseen]}
        emit({**told, "rejected": n_rejected, **columns})
        return
    if out is None:
        print_text(as_csv(cells))
    _tell(Told(len(rows), n_rejected or 0, cells != columns, unseen), loaded, out)


def _tell(told: Told, loaded: Any, out: Path | None) -> None:
    from .models import warn_of
    from .show import say, warn

    warn_of(told.unseen)
    if out is not None:
        say(f"{told.n_rows:,} predictions written to {out}.")
    if told.altered:
        warn([ALTERED])
    if told.n_rejected:
        label = loaded.learner.reject_label_
        warn([f"{told.n_rejected:,} of {told.n_rows:,} rows are rejected, and get {label!r}"])


def _check_no_json(json: bool) -> None:
    if json:
        raise ValueError(
            "--json lists all predictions at once, of which a table that is read in batches has too many; "
            "use --out FILE, or --no-stream."
        )


def _write(out: Path, text: str) -> None:
    from ..model_file.files import write_whole

    write_whole(str(out), text.encode())
