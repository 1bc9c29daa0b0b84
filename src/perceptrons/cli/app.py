"""The commands, put together."""

from typing import Annotated

import typer

from .certify import certify
from .compare import compare
from .evaluate import evaluate
from .explain import explain
from .export import export
from .fit import fit
from .play import play
from .predict import predict
from .report import report
from .reproduce import reproduce

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
for command in (compare, fit, evaluate, predict, explain, report, certify, export, reproduce, play):
    app.command()(command)
NEXT = """
Next: `perceptrons compare` runs on a built-in table; on yours, name the column
to predict: `perceptrons compare table.csv --target COLUMN`. `perceptrons compare
--list` names the learners, `perceptrons COMMAND --help` a command's options."""


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__

        print(f"perceptrons {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def perceptrons(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Linear classifiers that can be read, trusted and shipped.

    \b
    perceptrons compare                             learners on a built-in table
    perceptrons compare table.csv --target outcome  the same on yours
    perceptrons fit table.csv --target outcome --out model.json
    perceptrons evaluate model.json test.csv     how good it is on known rows
    perceptrons predict model.json new.csv
    perceptrons explain model.json new.csv --row 3
    perceptrons report model.json test.csv          a page to sign
    perceptrons certify model.json table.csv
    perceptrons export model.json --to c --out model.h
    perceptrons reproduce                           the papers' experiments
    perceptrons play                                see it learn, in a browser
    """
    if context.invoked_subcommand is None:
        print(context.get_help())
        print(NEXT)
