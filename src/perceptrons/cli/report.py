"""`perceptrons report`: one page about a model that a person can sign."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .command_line import command_line
from .destinations import check_out, digest_of_file
from .tables import called, from_standard_input, reading


def report(
    context: typer.Context,
    model: options.Model,
    table: options.Table,
    out: Annotated[Path, typer.Option("--out", help="Write the page to this file.", metavar="FILE")] = Path(
        "report.html"
    ),
    target: options.MaybeTarget = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="Count errors by the groups of this column, too.",
            show_default=False,
            metavar="COLUMN",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            "--rows", help="Explain these rows, too, like 1,5,9.", show_default=False, metavar="N,N,…"
        ),
    ] = None,
    new: Annotated[
        bool | None,
        typer.Option(
            "--new/--fitted",
            help="Whether the rows are new to the model, or those it was fitted to.",
            show_default="fitted, if it is that file",
        ),
    ] = None,
    folds: options.Folds = 5,
    seed: options.Seed = 0,
    header: options.Header = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Write a report of a model: what it decides, how well, whom it fails, and why.

    One HTML page without network or server: the rules or the card with a calculator, evidence, the hardest
    and the most typical rows, the data. On the table the model was fitted to, copies of the model answer
    rows they were not fitted to; of 20,000 rows or more a fifth is held out. Above 100,000 rows a sample is
    looked at.

    \b
    Example: perceptrons report model.json table.csv --out report.html
    On new rows: perceptrons report model.json test.csv --new
    By groups: perceptrons report model.json test.csv --by sex --rows 1,5
    """
    from ..reports.reporting import report as make
    from .models import load, warn_of
    from .progress import progress_bar
    from .report_rows import read_report_rows
    from .show import emit, say

    check_out(out, table=table, model=model)
    asked = options.read_row_numbers(rows)
    loaded = load(model)
    target = target or loaded.about.get("target")
    if target is None:
        raise ValueError(f"{model} does not name the column of the classes; name it with --target.")
    with progress_bar("reporting") as progress:
        path = from_standard_input(table)
        digest = digest_of_file(path)
        given = read_report_rows(loaded, path, target, by, reading(header, separator, missing, encoding))
        new_rows = _is_new(loaded.about, digest, path) if new is None else new
        page = make(
            loaded.pipeline,
            *given.rows,
            new_rows=new_rows,
            target=target,
            table=Path(called(path)).name,
            by=given.groups,
            rows=asked,
            numbers=given.numbers,
            folds=folds,
            seed=seed,
            record=_record(loaded.about, digest, command_line(context)),
            progress=progress,
        )
        page.save(out)
    if json:
        emit(page.facts)
        return
    warn_of(given.unseen)
    whose = "new to the model" if new_rows else "those the model was fitted to"
    say(f"{called(path)}: {page.facts['n_rows']:,} rows, taken as {whose}.", *_first_measure(page.facts))
    say(f"Written to {out}.")


def _is_new(about: dict[str, Any], digest: str, path: Path) -> bool:
    """The file that was fitted is known; whether the rows of another one are new, its owner must say."""
    if about.get("digest") == digest:
        return False
    raise ValueError(
        f"{called(path)} is not the file that the model was fitted to; use --new if the model has seen none "
        "of its rows, else --fitted."
    )


def _record(about: dict[str, Any], digest: str, command: str) -> dict[str, Any]:
    """Where model and rows come from."""
    names = {"table": "Fitted to", "digest": "Its file, SHA-256", "command": "Fitted by", "seed": "Its seed"}
    fitted = {said: about[name] for name, said in names.items() if name in about}
    return {**fitted, "File of the rows, SHA-256": digest, "Reported by": command}


def _first_measure(facts: dict[str, Any]) -> list[str]:
    if not facts["look"]["measures"]:
        return []
    one = facts["look"]["measures"][0]
    return [f"{one['name']} on new rows: {one['value']} ({one['detail']})."]
