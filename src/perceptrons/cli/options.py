"""Options that several commands share; each is described once, here."""

from pathlib import Path
from typing import Annotated

import typer

from ..data.delimited import SUFFIXES

TABLE = f"A table in a file that ends in {', '.join(SUFFIXES)}."

Table = Annotated[Path, typer.Argument(help=TABLE, show_default=False, metavar="TABLE")]
MaybeTable = Annotated[Path | None, typer.Argument(help=TABLE, show_default="breast cancer", metavar="TABLE")]
Model = Annotated[Path, typer.Argument(help="A model file that `perceptrons fit` wrote.", metavar="MODEL")]
Target = Annotated[str, typer.Option("--target", help="The column to predict.", metavar="COLUMN")]
MaybeTarget = Annotated[str | None, typer.Option("--target", help="The column to predict.", metavar="COLUMN")]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="Leave this column out; may be repeated.", metavar="COLUMN")
]
Nominal = Annotated[
    list[str] | None,
    typer.Option(
        "--nominal",
        help="The numbers in this column are names, like postal codes; may be repeated.",
        metavar="COLUMN",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns. Without one they are column_1, column_2, …",
        show_default=False,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", help="Between two cells, like ';' or tab.", show_default=False, metavar="TEXT"
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        help="Cells like this are missing; may be repeated. Empty ones are anyway, and ?, NA, N/A, #N/A, "
        "<NA>, NaN and null.",
        metavar="TEXT",
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", help="The same seed gives the same result.", min=0, max=2**32 - 1, metavar="N"),
]
Epochs = Annotated[
    int, typer.Option("--max-epochs", help="Passes over the rows, at most.", min=1, metavar="N")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object instead of text.")]
