"""`perceptrons compare`: the learners side by side on a table."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from . import options


def compare(
    table: options.MaybeTable = None,
    target: options.MaybeTarget = None,
    folds: Annotated[
        int, typer.Option("--folds", help="Parts of the cross-validation.", min=2, metavar="N")
    ] = 10,
    seed: options.Seed = 0,
    max_epochs: options.Epochs = 1000,
    drop: options.Drop = None,
    nominal: options.Nominal = None,
    header: options.Header = None,
    separator: options.Separator = None,
    json: options.AsJson = False,
) -> None:
    """Learners side by side on a table, cross-validated.

    One line each: accuracy, size, the margin it certifies, and how training ended.

    \b
    Example: perceptrons compare table.csv --target outcome --drop id
    """
    from ..compare import compare as run
    from .show import emit
    from .tables import built_in_table, training_table
    from .waiting import waiting

    if table is None:
        for name, given in (("target", target), ("drop", drop), ("nominal", nominal)):
            if given:
                raise ValueError(f"--{name} is about a table; name its file, too.")
        data = built_in_table()
    else:
        data = training_table(table, target, drop, nominal, header, separator)
    with waiting("comparing") as progress:
        results = run(data.X, data.y, folds=folds, seed=seed, max_epochs=max_epochs, progress=progress)
    if json:
        emit({"data": data.summary(), "results": [asdict(result) for result in results]})
    else:
        _show(data, results)


def _show(data: Any, results: list[Any]) -> None:
    from .show import console, interval, percent, say, seconds, table

    name, count = data.classes()[0]
    say(
        data.headline(),
        f"Always answering {name} is right for {percent(count / len(data.y))}.",
    )
    heads = ["learner", "accuracy", "size", "margin", "updates", "fit", "training"]
    rows = [
        [
            result.learner,
            f"{100 * result.accuracy:.1f} ± {100 * result.accuracy_sd:.1f} %",
            result.size,
            interval(result.margin),
            "" if result.n_updates is None else f"{result.n_updates:,}",
            seconds(result.fit_seconds),
            _training(result),
        ]
        for result in results
    ]
    if console().width < 100:  # the least telling column makes room
        heads, rows = heads[:4] + heads[5:], [row[:4] + row[5:] for row in rows]
    best = max(range(len(results)), key=lambda k: results[k].accuracy)
    table(heads, rows, right=["accuracy", "size", "margin", "updates", "fit"], bold=best)
    say(
        f"Accuracy: mean ± deviation over {len(results[0].fold_accuracies)} folds; the rest: fitted to all "
        "rows. Margins are those of the encoded rows (numbers standardised, names one-hot), the kernel's "
        "those of its feature space."
    )


def _training(result: Any) -> str:
    notes = "; ".join(result.notes)
    if result.converged:
        return f"converged ({notes} in a fold)" if notes else "converged"
    return notes
