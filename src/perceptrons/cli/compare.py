"""`perceptrons compare`: the learners side by side on a table."""

from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from . import options
from .tables import built_in_table, reading, training_table


def compare(
    table: options.MaybeTable = None,
    target: options.MaybeTarget = None,
    folds: Annotated[int, typer.Option("--folds", help="Number of folds.", min=2, metavar="N")] = 10,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner", help="Compare this learner; may be repeated. Default: all.", metavar="NAME"
        ),
    ] = None,
    reject_cost: options.RejectCost = None,
    costs: options.CostsFile = None,
    weight: options.Weight = None,
    class_weight: options.ClassWeight = None,
    seed: options.Seed = 0,
    max_epochs: options.Epochs = 1000,
    drop: options.Drop = None,
    nominal: options.Nominal = None,
    header: options.Header = None,
    separator: options.Separator = None,
    missing: options.Missing = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            help="Threads, for learners that use some; -1 is one per core. Default: 1.",
            show_default=False,
            metavar="N",
        ),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Learners side by side on a table, cross-validated.

    One line each: accuracy, what errors and rejections cost, size, the margin it certifies, and how training
    ended. With --weight, rows count by their weight in training and in testing; --class-weight balanced
    changes training alone, and adds the balanced accuracy, which a rare class counts in as much as any.

    \b
    Example: perceptrons compare table.csv --target outcome --drop id
    A rare class: perceptrons compare table.csv --target outcome --class-weight balanced
    """
    from ..comparison import compare as run
    from ..rejection.costs import Costs
    from .costs_file import for_classes
    from .progress import progress_bar
    from .show import emit, say
    from .words import balanced_in_words, weights_in_words

    prices = options.read_costs(reject_cost, costs) or Costs()
    options.check_class_weight(class_weight)
    if jobs == 0:
        raise ValueError("--jobs is 0, but it must be a number of threads; use -1 for one per core.")
    how = reading(header, separator, missing)
    if table is None:
        _check_no_table_options(
            {
                "target": target,
                "drop": drop,
                "nominal": nominal,
                "weight": weight,
                "no-header": header is False,
            }
        )
        _check_no_table_options(dict.fromkeys(how.given(), True))
    with progress_bar("comparing") as progress:
        data = _table(table, target, drop, nominal, how, weight)
        prices = for_classes(prices, data.names(), costs)
        results = run(
            data.X,
            data.y,
            data.weights,
            class_weight=class_weight,
            n_jobs=jobs,
            folds=folds,
            seed=seed,
            max_epochs=max_epochs,
            learners=learner,
            progress=progress,
            costs=prices,
        )
    results = [_explained(result, len(data.names())) for result in results]
    done = [result for result in results if result.risk is not None]
    if not done:
        raise ValueError(f"{results[0].learner} {results[0].notes[0]}")
    if json:
        emit(
            {
                "data": data.summary(),
                "costs": asdict(prices),
                "class_weight": class_weight,
                "results": [asdict(result) for result in results],
            }
        )
        return
    _show_data(data)
    _show_choices(data, learner or [], folds, len(done[0].fold_risks))
    _show_results(results, len(done[0].fold_risks), prices, balanced=class_weight is not None)
    say(*weights_in_words(data.weight))
    if class_weight is not None:
        say(balanced_in_words(len(data.names())))


def _explained(result: Any, n_classes: int) -> Any:
    """A learner of two classes fails with a message for Python; this one is for the command line."""
    from ..learners import supports_classes
    from .words import too_many

    if result.risk is not None or supports_classes(result.learner, n_classes):
        return result
    return replace(result, notes=(f"failed: it {too_many(n_classes)}.",))


def _check_no_table_options(options: dict[str, Any]) -> None:
    for name, given in options.items():
        if given:
            raise ValueError(f"--{name} is about a table in a file; name the file, too.")


def _table(table: Any, *how: Any) -> Any:
    return built_in_table() if table is None else training_table(table, *how)


def _show_data(data: Any) -> None:
    from .show import first, percent, say

    name, share = data.baseline()
    say(data.headline())
    if data.facts:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in data.kinds().items())
        missing = {0: "no cell", 1: "1 cell"}.get(data.missing(), f"{data.missing():,} cells")
        say(f"Columns: {kinds}; {missing} missing.")
    say(f"Baseline (always {name}): {percent(share)}.")
    say(*first([f"Hint: {hint}" for hint in data.hints]))


def _show_choices(data: Any, learners: list[str], asked: int, folds: int) -> None:
    """Where the comparison differs from what was asked for."""
    from ..learners import FEW_EPOCHS, MANY_ROWS
    from .show import say

    if folds < asked:
        rare, count = data.classes()[-1]
        say(f"{folds} folds, not {asked}: class {rare!r} has {count} rows.")
    if len(data.y) > MANY_ROWS and "kernel" in learners:
        say(f"Above {MANY_ROWS:,} rows the kernel makes {FEW_EPOCHS} epochs at most.")
    if not learners:
        _show_left_out(len(data.y), len(data.classes()))


def _show_left_out(n_rows: int, n_classes: int) -> None:
    from ..learners import LEARNERS, MANY_ROWS, ON_REQUEST, SLOW, supports_classes
    from .show import say
    from .words import listing

    able = [name for name in LEARNERS if supports_classes(name, n_classes)]
    slow = [name for name in SLOW if name in able]
    if n_rows > MANY_ROWS:
        names = f"{listing(slow)} {'are' if len(slow) > 1 else 'is'}"
        say(f"Above {MANY_ROWS:,} rows {names} slow and left out; use --learner {slow[0]} to include one.")
    for name in LEARNERS:
        if name not in able and name not in ON_REQUEST:
            say(f"{name} supports two classes, not {n_classes}, and is left out.")
    more = [name for name in ON_REQUEST if name in able]
    say(f'More learners, with --learner "{more[0]}" and so on: {listing(more)}.')


def _show_results(results: list[Any], folds: int, costs: Any, *, balanced: bool) -> None:
    from .show import first, interval, say, seconds, table
    from .words import costs_in_words

    rows = [
        [
            result.learner,
            _accuracy(result),
            *([_balanced(result)] if balanced else []),
            _rejected(result),
            "" if result.risk is None else f"{result.risk:.3f}",
            str(result.size or ""),
            interval(result.margin),
            "" if result.n_updates is None else f"{result.n_updates:,}",
            seconds(result.fit_seconds),
            _training(result),
        ]
        for result in results
    ]
    shares = ["accuracy", *(["balanced"] if balanced else []), "rejected"]
    numbers = [*shares, "risk", "size", "margin", "updates", "fit"]
    table(
        ["learner", *numbers, "training"],
        rows,
        right=numbers,
        whole=["learner"],
        spare=["updates", "fit", "size", "training", "margin", "rejected", "risk"],
        bold=min(range(len(results)), key=lambda k: _by_risk(results[k])),
    )
    say(*first([f"{one.learner} {one.notes[0]}" for one in results if one.risk is None]))
    say(
        f"Accuracy: that of the rows answered, mean ± deviation over {folds} folds. Risk: the mean cost of a "
        f"row, where {costs_in_words(costs)}; lower is better. The other columns describe one fit on all "
        "rows. Margins are those of the encoded rows (numbers standardized, names one-hot): for max and soft "
        "margin as they are, else with a coordinate for the intercept; the kernel's are in its feature space."
    )


def _by_risk(result: Any) -> float:
    return float("inf") if result.risk is None else float(result.risk)


def _accuracy(result: Any) -> str:
    from .show import hundredths

    if result.risk is None:
        return "failed"
    if result.accuracy is None:
        return ""
    if result.accuracy_sd is None:
        return f"{hundredths(result.accuracy)} %"
    deviation = 100 * result.accuracy_sd
    spread = f"{deviation:.1f}" if deviation >= 0.05 or not deviation else f"{deviation:.1g}"
    return f"{hundredths(result.accuracy)} ± {spread} %"


def _balanced(result: Any) -> str:
    from .show import percent

    return "" if result.balanced_accuracy is None else percent(result.balanced_accuracy)


def _rejected(result: Any) -> str:
    from .show import percent

    return percent(result.rejected) if result.may_reject else ""


def _training(result: Any) -> str:
    """How training ended, in few words; the reason of a failure stands below the table."""
    if result.risk is None:
        return ""
    notes = "; ".join(note.removesuffix(" reached") for note in result.notes)
    if result.converged:
        return f"converged ({notes} in a fold)" if notes else "converged"
    return notes or (result.stopped or "")
