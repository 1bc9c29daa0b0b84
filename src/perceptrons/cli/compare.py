"""`perceptrons compare`: the learners side by side on a table."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from . import options
from .reading import Reading, reading


def compare(
    table: options.MaybeTable = None,
    target: options.MaybeTarget = None,
    folds: Annotated[
        int, typer.Option("--folds", help="Parts of the cross-validation.", min=2, metavar="N")
    ] = 10,
    learner: Annotated[
        list[str] | None,
        typer.Option("--learner", help="Compare this one; may be repeated. Else all.", metavar="NAME"),
    ] = None,
    seed: options.Seed = 0,
    max_epochs: options.Epochs = 1000,
    drop: options.Drop = None,
    nominal: options.Nominal = None,
    header: options.Header = None,
    separator: options.Separator = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Learners side by side on a table, cross-validated.

    One line each: accuracy, size, the margin it certifies, and how training ended.

    \b
    Example: perceptrons compare table.csv --target outcome --drop id
    """
    from ..compare import compare as run
    from .show import emit
    from .waiting import waiting

    how = reading(header, separator, missing)
    if table is None:
        _refuse({"target": target, "drop": drop, "nominal": nominal, "no-header": header is False})
        _refuse(dict.fromkeys(how.given(), True))
    with waiting("comparing") as progress:
        data = _table(table, target, drop, nominal, how)
        results = run(
            data.X, data.y, folds=folds, seed=seed, max_epochs=max_epochs, learners=learner, progress=progress
        )
    done = [result for result in results if result.accuracy is not None]
    if not done:
        raise ValueError(f"{results[0].learner} {results[0].notes[0]}")
    if json:
        emit({"data": data.summary(), "results": [asdict(result) for result in results]})
        return
    _show_data(data)
    _show_choices(data, learner or [], folds, len(done[0].fold_accuracies))
    _show_results(results, len(done[0].fold_accuracies))


def _refuse(options: dict[str, Any]) -> None:
    for name, given in options.items():
        if given:
            raise ValueError(f"--{name} is about a table; name its file, too.")


def _table(table: Any, target: str | None, drop: Any, nominal: Any, how: Reading) -> Any:
    from .tables import built_in_table, training_table

    return built_in_table() if table is None else training_table(table, target, drop, nominal, how)


def _show_data(data: Any) -> None:
    from .show import first, percent, say

    name, count = data.classes()[0]
    say(data.headline())
    if data.facts:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in data.kinds().items())
        missing = {0: "no cell", 1: "1 cell"}.get(data.missing(), f"{data.missing():,} cells")
        say(f"Columns: {kinds}; {missing} missing.")
    say(f"Always answering {name} is right for {percent(count / len(data.y))}.")
    say(*first([f"Hint: {hint}" for hint in data.hints]))


def _show_choices(data: Any, learners: list[str], asked: int, folds: int) -> None:
    """What is not done as one might expect."""
    from ..compare import FEW_EPOCHS, MANY_ROWS, SLOW
    from .show import say

    if folds < asked:
        rare, count = data.classes()[-1]
        say(f"{folds} folds, not {asked}: class {rare!r} has {count} rows.")
    if len(data.y) > MANY_ROWS and "kernel" in learners:
        say(f"Above {MANY_ROWS:,} rows the kernel gets {FEW_EPOCHS} epochs at most.")
    if len(data.y) > MANY_ROWS and not learners:
        names = " and ".join(SLOW)
        say(f"Above {MANY_ROWS:,} rows {names} are slow, and left out; --learner {SLOW[0]} asks for one.")


def _show_results(results: list[Any], folds: int) -> None:
    from .show import interval, say, seconds, table

    rows = [
        [
            result.learner,
            _accuracy(result),
            str(result.size or ""),
            interval(result.margin),
            "" if result.n_updates is None else f"{result.n_updates:,}",
            seconds(result.fit_seconds),
            _training(result),
        ]
        for result in results
    ]
    table(
        ["learner", "accuracy", "size", "margin", "updates", "fit", "training"],
        rows,
        right=["accuracy", "size", "margin", "updates", "fit"],
        whole=["learner"],
        spare=["updates", "fit", "size", "training", "margin"],
        bold=max(range(len(results)), key=lambda k: results[k].accuracy or 0.0),
    )
    say(
        f"Accuracy: mean ± deviation over {folds} folds; the rest: fitted to all rows. Margins are those of "
        "the encoded rows (numbers standardised, names one-hot): for max and soft margin as they are, else "
        "with a coordinate for the intercept; the kernel's are in its feature space."
    )


def _accuracy(result: Any) -> str:
    from .show import hundredths

    if result.accuracy is None:
        return "failed"
    deviation = 100 * result.accuracy_sd
    spread = f"{deviation:.1f}" if deviation >= 0.05 or not deviation else f"{deviation:.1g}"
    return f"{hundredths(result.accuracy)} ± {spread} %"


def _training(result: Any) -> str:
    notes = "; ".join(result.notes)
    if result.converged:
        return f"converged ({notes} in a fold)" if notes else "converged"
    return notes
