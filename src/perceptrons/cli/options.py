"""Options that several commands share; each is described once, here."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..tables.delimited import SUFFIXES

if TYPE_CHECKING:
    from ..rejection.costs import Costs

TABLE = f"A table in a file that ends in {', '.join(SUFFIXES)}, compressed (.gz, .bz2, .xz, .zst) or not."

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
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        help="Learn from this column although it seems to name or count rows, or is constant; may be "
        "repeated; all keeps every column.",
        metavar="COLUMN",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line names the columns. Without names they are column_1, column_2, …",
        show_default=False,
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", help="What separates two cells, like ';' or tab.", show_default=False, metavar="TEXT"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        help="How a text file spells characters, like latin-1; found out by default.",
        show_default=False,
        metavar="NAME",
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        help="Cells like this are missing; may be repeated. Empty cells always count as missing, and "
        "so do ?, NA, N/A, #N/A, <NA>, NaN and null.",
        metavar="TEXT",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        help="The column that holds the weight of each row, a number: 2 counts like two such rows, 0 leaves "
        "the row out. It is not used to predict.",
        show_default=False,
        metavar="COLUMN",
    ),
]
ClassWeight = Annotated[
    str | None,
    typer.Option(
        "--class-weight",
        help="balanced: train as if all classes were equally frequent, so that a rare one counts.",
        show_default=False,
        metavar="balanced",
    ),
]
NewRows = Annotated[
    bool | None,
    typer.Option(
        "--new-rows/--training-rows",
        help="Whether the model was trained on these rows. Default: it remembers.",
        show_default=False,
    ),
]
Stream = Annotated[
    bool | None,
    typer.Option(
        "--stream/--no-stream",
        help="Read the table in batches, never whole. Default: where the file is larger than one eighth of "
        "the memory, or TABLE is a folder of files.",
        show_default=False,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", help="The same seed gives the same result.", min=0, max=2**32 - 1, metavar="N"),
]
Epochs = Annotated[
    int, typer.Option("--max-epochs", help="Limit on passes over the rows.", min=1, metavar="N")
]
RejectCost = Annotated[
    float | None,
    typer.Option(
        "--reject-cost",
        help="What a rejection costs, where an error costs 1 and a right answer nothing; default 0.2.",
        show_default=False,
        metavar="NUMBER",
    ),
]
CostsFile = Annotated[
    Path | None,
    typer.Option(
        "--costs",
        help='What answers cost, in a JSON file like {"wrong": {"healthy": 1, "ill": 5}, "reject": 0.3}.',
        show_default=False,
        metavar="FILE",
    ),
]
RejectLabel = Annotated[
    str,
    typer.Option(
        "--reject-label",
        help='What predict answers for a rejected row; auto is "reject", or, if the classes are numbers, 0, '
        "-1 or a number below them all, the first of these that is not a class.",
        metavar="TEXT",
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        "--folds", help="Number of folds that estimate what to expect on new rows; 0 for none.", metavar="N"
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A parameter of the learner by its name in Python, like k=3; may be repeated.",
        metavar="NAME=VALUE",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


def read_row_numbers(text: str | None) -> list[int]:
    """Numbers of rows, as --rows has them."""
    numbers = [] if text is None else [one.strip() for one in text.split(",")]
    if not all(one.isascii() and one.isdigit() and len(one) < 16 for one in numbers):
        raise ValueError(f"--rows is {text!r}, but it must be numbers of rows between commas, like 1,5,9.")
    return [int(one) for one in numbers]


def check_class_weight(given: str | None) -> None:
    if given not in (None, "balanced"):
        raise ValueError(
            f"--class-weight is {given!r}, but it must be balanced; for other weights, put them in a column "
            "and use --weight."
        )


def read_costs(reject_cost: float | None, file: Path | None) -> "Costs | None":
    """The costs that were asked for, in one way or the other; None if neither."""
    from ..rejection.costs import Costs
    from .costs_file import read_costs_file

    if reject_cost is not None and file is not None:
        raise ValueError("--reject-cost and --costs both say what a rejection costs; omit one of the two.")
    if file is not None:
        return read_costs_file(file)
    if reject_cost is not None and not 0.0 <= reject_cost < 1.0:
        raise ValueError(
            f"--reject-cost is {reject_cost:g}, but it must be at least 0 and below 1, what an error costs; "
            "for other scales use --costs FILE."
        )
    return None if reject_cost is None else Costs(reject=reject_cost)
