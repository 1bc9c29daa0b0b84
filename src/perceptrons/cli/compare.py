"""`perceptrons compare`: the learners side by side on a table."""

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ..learner_names import ON_REQUEST, WHAT, names_beginning_with
from . import options
from .command_line import command_line
from .destinations import check_out, check_text
from .parameters import check_parameters, read_parameters
from .tables import built_in_table, check_names, reading, training_table

METRICS = {"risk": "risk", "accuracy": "accuracy", "balanced": "balanced accuracy", "auc": "AUC"}
MARKS = {"best": "*", "as good": "="}
ROUNDING = 1e-9  # percent: folds whose accuracies differ by less are equal
SPARE = ["updates", "margin", "training", "fit", "size", "rejected", "balanced", "AUC", "risk"]


def compare(
    context: typer.Context,
    table: options.MaybeTable = None,
    target: options.MaybeTarget = None,
    folds: Annotated[int, typer.Option("--folds", help="Number of folds.", min=2, metavar="N")] = 10,
    repeats: Annotated[
        int, typer.Option("--repeats", help="How often to repeat it, with new folds.", min=1, metavar="N")
    ] = 1,
    metric: Annotated[
        str,
        typer.Option(
            "--metric", help="What decides the best: risk, accuracy, balanced or auc.", metavar="NAME"
        ),
    ] = "risk",
    sort: Annotated[
        str | None,
        typer.Option("--sort", help="What orders the lines; default: --metric.", metavar="NAME"),
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            "--learner",
            help="Compare this learner; may be repeated; the beginning of a name is enough. There are "
            f"{', '.join(WHAT)}.",
            metavar="NAME",
            autocompletion=names_beginning_with,
        ),
    ] = None,
    list_learners: Annotated[bool, typer.Option("--list", help="List all learners, and exit.")] = False,
    parameters: options.Set = None,
    reject_cost: options.RejectCost = None,
    costs: options.CostsFile = None,
    weight: options.Weight = None,
    class_weight: options.ClassWeight = None,
    seed: options.Seed = 0,
    max_epochs: options.Epochs = 1000,
    drop: options.Drop = None,
    keep: options.Keep = None,
    nominal: options.Nominal = None,
    header: options.Header = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            help="Number of processes that share folds and learners; -1 is one per core.",
            show_default="2",
            metavar="N",
        ),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write the results to this CSV file, too.", metavar="FILE")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write an HTML page, too.", metavar="FILE")
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Cross-validate learners on a table, side by side, and mark the best.

    Prints one line per learner, the best first: accuracy, balanced accuracy, AUC, the cost of errors and
    rejections, size, and how training ended. * marks the best, = those that cannot be distinguished from it.
    With --weight, rows count by their weight in training and in testing; --class-weight balanced changes
    training alone, in which a rare class then counts as much as any other.

    \b
    Example: perceptrons compare table.csv --target outcome --drop id
    A rare class: perceptrons compare t.csv --target ill --class-weight balanced
    """
    if list_learners:
        _list_learners()
        return
    how = reading(header, separator, missing, encoding)
    if table is not None:
        check_names(table, how, target, weight, *(drop or []), *(nominal or []))
    from joblib import cpu_count

    from ..comparison import compare as run
    from ..comparison import ranked
    from ..learners import build_learner, complete_name, default_learners
    from ..rejection.costs import Costs
    from ..reports.reporting import comparison_report
    from .costs_file import for_classes
    from .progress import progress_bar
    from .show import emit, say
    from .words import balanced_in_words, rare_in_words, weights_in_words

    prices = options.read_costs(reject_cost, costs) or Costs()
    options.check_class_weight(class_weight)
    if jobs is not None and (jobs < -1 or jobs == 0):
        raise ValueError(f"--jobs is {jobs}, but it must be a number of processes; use -1 for one per core.")
    for option, name in (("metric", metric), ("sort", sort)):
        if name is not None and name not in METRICS:
            raise ValueError(f"--{option} is {name!r}, but it must be one of {', '.join(METRICS)}.")
    if csv is not None:
        check_out(csv, **({} if table is None else {"table": table}))
        check_text(csv)
    if report is not None:
        check_out(report, **({} if table is None else {"table": table}))
    pairs, learner = read_parameters(parameters), [complete_name(name) for name in learner or []]
    if table is None:
        _check_no_table_options(
            {
                "target": target,
                "drop": drop,
                "nominal": nominal,
                "keep": keep,
                "weight": weight,
                "no-header": header is False,
            }
        )
        _check_no_table_options(dict.fromkeys(how.given(), True))
    with progress_bar("comparing") as progress:
        data = _table(table, target, drop, nominal, how, weight, keep)
        prices = for_classes(prices, data.names(), costs)
        names = learner or default_learners(len(data.y), len(data.names()))
        check_parameters(pairs, {name: build_learner(name) for name in names})
        results = run(
            data.X,
            data.y,
            data.weights,
            class_weight=class_weight,
            processes=min(2, cpu_count()) if jobs is None else jobs,
            folds=folds,
            repeats=repeats,
            metric=metric,
            parameters=pairs,
            keep="all" if "all" in (keep or []) else keep,
            seed=seed,
            max_epochs=max_epochs,
            learners=names,
            progress=progress,
            costs=prices,
        )
    results = [_explained(result, len(data.names())) for result in results]
    done = [result for result in results if result.risk is not None]
    if not done:
        raise ValueError(f"{results[0].learner} {results[0].notes[0]}")
    results = ranked(results, sort or metric)
    if csv is not None:
        _write_csv(csv, results)
    if report is not None:
        record = {"Command": command_line(context), "Seed of the folds": seed}
        comparison_report(results, metric, prices, data.summary(), record).save(report)
    if json:
        emit(
            {
                "metric": metric,
                "best": next((one.learner for one in results if one.verdict == "best"), None),
                "data": data.summary(),
                "costs": asdict(prices),
                "class_weight": class_weight,
                "results": [asdict(result) for result in results],
            }
        )
        return
    _show_data(data)
    _show_choices(data, learner, folds, len(done[0].fold_risks) // repeats)
    remedy = "" if metric in ("balanced", "auc") else "; use --metric balanced, and --class-weight balanced"
    rare = rare_in_words(data, remedy=remedy)
    _show_results(results, len(done[0].fold_risks), prices, metric, bool(rare))
    say(*rare)
    if csv is not None:
        say(f"Written to {csv}.")
    if report is not None:
        say(f"Written to {report}.")
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
    from .expected import left_out_in_words
    from .show import say

    say(*left_out_in_words(data))
    if folds < asked:
        rare, count = next(one for one in reversed(data.classes()) if one[1] > 1)
        say(f"{folds} folds, not {asked}: class {rare!r} has {count} rows.")
    if len(data.y) > MANY_ROWS and "kernel" in learners:
        say(f"Above {MANY_ROWS:,} rows the kernel makes {FEW_EPOCHS} epochs at most.")
    if not learners:
        _show_left_out(len(data.y), len(data.classes()))


def _show_left_out(n_rows: int, n_classes: int) -> None:
    from ..learners import LEARNERS, MANY_ROWS, SLOW, supports_classes
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


def _show_results(results: list[Any], folds: int, costs: Any, metric: str, rare: bool) -> None:
    from .show import first, hundredths, interval, percent, say, seconds, table
    from .words import costs_in_words

    rejecting = any(result.may_reject for result in results)
    columns: dict[str, list[str]] = {
        " ": [MARKS.get(result.verdict, "") for result in results],
        "learner": [result.learner for result in results],
        "accuracy": [_accuracy(result) for result in results],
        "balanced": [_share(result.balanced_accuracy, percent) for result in results],
        "AUC": [_share(result.auc, hundredths) for result in results],
        "rejected": [percent(result.rejected) if result.may_reject else "" for result in results],
        "risk": _risks([result.risk for result in results]),
        "size": [str(result.size or "") for result in results],
        "fit": [seconds(result.fit_seconds).rjust(6) for result in results],  # so wide, however quick it was
        "training": [_training(result) for result in results],
        "margin": [interval(result.margin) for result in results],
        "updates": [_share(result.n_updates, "{:,}".format) for result in results],
    }
    for head in ("rejected", *SPARE):
        if head in columns and not any(columns[head]):
            del columns[head]
    heads = [*dict.fromkeys([" ", "learner", *(["balanced", "AUC"] if rare else []), *columns])]
    best = [k for k, result in enumerate(results) if result.verdict == "best"]
    table(
        heads,
        [*zip(*(columns[head] for head in heads), strict=True)],
        right=[head for head in heads if head not in (" ", "learner", "training")],
        whole=[" ", "learner"],
        spare=[one for one in SPARE if one in heads],
        bold=best[0] if best else -1,
        n_keys=2,
    )
    say(*first([f"{one.learner} {one.notes[0]}" for one in results if one.risk is None]))
    say(*_winner(results, metric))
    said = ", without rows rejected" if rejecting else ""
    say(
        f"Accuracy: mean ± deviation over {folds} folds{said}. Balanced: the mean of the classes' shares of "
        "rows answered correctly. AUC: in percent. Risk: the mean cost of a row, where "
        f"{costs_in_words(costs)}; lower is better. The other columns describe one fit on all rows."
    )
    if any(result.margin for result in results):
        say("Margins are those of the encoded rows: numbers standardized, names one-hot.")


def _risks(risks: list[float | None]) -> list[str]:
    """With three decimals, or, where all are below 0.01, as errors of a rare class are, with more."""
    highest = max((risk for risk in risks if risk is not None), default=0.0)
    decimals = min(6, 2 - math.floor(math.log10(highest))) if 0.0 < highest < 0.01 else 3
    return [_share(risk, f"{{:.{decimals}f}}".format) for risk in risks]


def _share(value: float | None, spelled: Any) -> str:
    return "" if value is None else str(spelled(value))


def _winner(results: list[Any], metric: str) -> list[str]:
    """Who is the best, and who may be."""
    from .words import listing

    best = [result.learner for result in results if result.verdict == "best"]
    if not best or len(results) < 2:
        return []
    others = [result.learner for result in results if result.verdict == "as good"]
    what = f"Best by {METRICS[metric]}: * {best[0]}"
    if not others:
        return [f"{what}; a paired t-test on the same folds, at 5 %, tells all others from it."]
    return [
        f"{what}. Not distinguishable from it (=) by a paired t-test on the same folds, at 5 %: "
        f"{listing(others)}."
    ]


def _accuracy(result: Any) -> str:
    from .show import hundredths

    if result.risk is None:
        return "failed"
    if result.accuracy is None:
        return ""
    if result.accuracy_sd is None:
        return f"{hundredths(result.accuracy)} %"
    deviation = 100 * result.accuracy_sd
    spread = f"{deviation:.1f}" if deviation >= 0.05 or deviation < ROUNDING else f"{deviation:.1g}"
    return f"{hundredths(result.accuracy)} ± {spread} %"


def _training(result: Any) -> str:
    """How training ended, in few words; the reason of a failure stands below the table."""
    if result.risk is None:
        return ""
    notes = "; ".join(note.removesuffix(" reached") for note in result.notes)
    if result.converged:
        return f"converged ({notes} in a fold)" if notes else "converged"
    return notes or (result.stopped or "")


def _write_csv(out: Path, results: list[Any]) -> None:
    """A line per learner; lists, one value per fold, are left out."""
    import csv
    import io

    from ..model_file.files import write_whole

    names = [name for name in asdict(results[0]) if not name.startswith("fold_")]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for result in results:
        cells = {**asdict(result), "size": str(result.size or ""), "notes": "; ".join(result.notes)}
        cells["margin"] = "" if result.margin is None else " ".join(map(str, result.margin))
        writer.writerow(["" if cells[name] is None else cells[name] for name in names])
    write_whole(str(out), text.getvalue().encode())


def _list_learners() -> None:
    from .show import say, table

    rows = [[name, what, "--learner" if name in ON_REQUEST else "default"] for name, what in WHAT.items()]
    table(["learner", "what it is", "compared"], rows, whole=["learner", "compared"])
    say("fit --learner NAME takes one of these, or the historical name of a perceptron, such as pam.")
