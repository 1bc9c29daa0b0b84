"""The commands, put together."""

from typing import Annotated

import typer

from .certify import certify
from .compare import compare
from .evaluate import evaluate
from .explain import explain
from .fit import fit
from .predict import predict
from .reproduce import reproduce

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
for command in (compare, fit, evaluate, predict, explain, certify, reproduce):
    app.command()(command)


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
    perceptrons compare                                    learners side by side, on a built-in table
    perceptrons compare table.csv --target outcome         the same on yours
    perceptrons fit table.csv --target outcome --out model.json
    perceptrons evaluate model.json test.csv                accuracy and more on known classes
    perceptrons predict model.json new.csv
    perceptrons explain model.json new.csv --row 3
    perceptrons certify model.json table.csv
    perceptrons reproduce                                  the papers' experiments
    """
    if context.invoked_subcommand is None:
        print(context.get_help())
