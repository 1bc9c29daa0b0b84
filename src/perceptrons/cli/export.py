"""`perceptrons export`: a model as one file that runs without this library."""

from pathlib import Path
from typing import Annotated

import typer

from . import options
from .destinations import check_out

FORMS = ("onnx", "c", "sql", "python")


def export(
    model: options.Model,
    to: Annotated[
        str, typer.Option("--to", help=f"The form: {', '.join(FORMS)}.", show_default=False, metavar="FORM")
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Write to this file.", show_default=False, metavar="FILE")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            help="The prefix of all names in C, the table in SQL.",
            show_default="that of the file",
            metavar="NAME",
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            help="SQL: select this column of the table, too, such as a key; may be repeated.",
            metavar="COLUMN",
        ),
    ] = None,
    fixed: Annotated[
        int | None,
        typer.Option(
            "--fixed",
            help="C: number of bits after the point, 1 to 24, for fixed point instead of doubles.",
            show_default=False,
            metavar="BITS",
        ),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Write a model as one file: an ONNX model, a C header, an SQL query or a Python module.

    Each of them takes columns as the table has them, and answers as predict does.

    \b
    Example: perceptrons export model.json --to c --out model.h
    A query: perceptrons export model.json --to sql --name patients --keep id --out risk.sql
    For a board without floating point: perceptrons export model.json --to c --fixed 16 --out model.h
    """
    from ..checks import one_of
    from ..exports.export import export as write
    from ..model_file.save_load import read
    from .show import emit, say

    one_of("--to", to, FORMS)
    check_out(out, model=model)
    found, _ = read(model)
    written = write(found, out, to, name=name, keep=keep or (), fixed=fixed)
    if json:
        emit({"to": to, "file": str(out), **written._asdict()})
        return
    say(
        f"{written.n_bytes:,} bytes of {LANGUAGES[to]} written to {out}.",
        f"It reads {_listed(written.columns)}.",
    )
    if written.error == written.cell_error == 0.0:
        say(f"Scores are exactly Python's, for numbers of at most {fixed} bits after the point.")
    elif written.error is not None and written.cell_error is not None:
        say(
            f"A score is at most {written.error:.2g} from Python's; if cells are rounded to {fixed} bits "
            f"after the point, at most {written.error + written.cell_error:.2g}."
        )


LANGUAGES = {"onnx": "ONNX", "c": "C", "sql": "SQL", "python": "Python"}
MOST = 8  # columns that are named


def _listed(columns: tuple[str, ...]) -> str:
    if not columns:
        return "no column: the answer is always the same"
    more = f" and {len(columns) - MOST} more" if len(columns) > MOST else ""
    return f"{len(columns)} column{'s' * (len(columns) > 1)}: {', '.join(columns[:MOST])}{more}"
