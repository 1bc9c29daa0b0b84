"""`perceptrons evaluate`: how well a model does on rows whose classes are known."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .streams import streams
from .tables import Reading, called, from_standard_input, reading


def evaluate(
    model: options.Model,
    table: options.Table,
    target: options.MaybeTarget = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            "--costs",
            help="What answers cost, in a JSON file as for fit. Default: as the model was fitted.",
            show_default=False,
            metavar="FILE",
        ),
    ] = None,
    header: options.Header = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    stream: options.Stream = None,
    json: options.AsJson = False,
) -> None:
    """Evaluate a model on rows of known classes, preferably ones it has not seen.

    Accuracy with a 95 % interval, balanced accuracy, AUC, log-loss and Brier score where there are
    probabilities, risk, and the confusion matrix. Rows without a class are left out. If the model was fitted
    with --weight, rows count by that column, provided that the table has it.

    \b
    Example: perceptrons evaluate model.json test.csv
    """
    from ..evaluation import evaluate as measure
    from ..tables.layout import labels_of
    from ..tables.weight_column import read_weights
    from .expected import calibrated
    from .known_rows import KnownRows
    from .models import load
    from .progress import progress_bar

    loaded = load(model)
    target = target or loaded.about.get("target")
    if target is None:
        raise ValueError(f"{model} does not name the column of the classes; name it with --target.")
    if streams(table, stream):
        how = reading(header, separator, missing, encoding)
        with progress_bar("evaluating"):
            found, n_unlabeled, unseen, known = evaluate_streamed(loaded, table, how, target, costs)
        _tell(model, table, loaded, (found, n_unlabeled, unseen, None), known, costs, json)
        return
    with progress_bar("evaluating"):
        weight: Any = loaded.about.get("weight")
        path = from_standard_input(table)
        frame = loaded.read_table(path, reading(header, separator, missing, encoding), target, weight)
        frame, n_unlabeled = labeled(frame, target)
        weights = None
        if weight in frame.columns:
            weights = read_weights(frame, weight)
            frame, weights = frame[weights.nonzero()[0]], weights[weights > 0.0]
        y = labels_of(frame, target, loaded.learner.classes_)
        cells, unseen = loaded.lay_out(frame)
        rows, known = loaded.encode(cells), KnownRows(loaded.learner)
        known.add(rows)
        proba = None
        if not hasattr(loaded.learner, "predict_proba") and hasattr(loaded.learner, "decision_function"):
            proba = calibrated(loaded.learner.decision_function(rows), loaded.about)
        found = measure(loaded.learner, rows, y, weights, _costs(loaded.learner, costs), proba)
        certificates = _certificates(loaded.learner, rows, y, weights)
    _tell(model, path, loaded, (found, n_unlabeled, unseen, certificates), known, costs, json)


def _tell(
    model: Path, table: Path, loaded: Any, measured: Any, known: Any, costs: Path | None, json: bool
) -> None:
    """As JSON or in words: what was measured, rows without a class, unknown names, certificates, and whether
    the model knows the rows."""
    from .known_rows import SAID
    from .models import warn_of
    from .show import emit, say
    from .words import as_dicts, show_certificates

    found, n_unlabeled, unseen, certificates = measured
    if json:
        emit(
            {
                **asdict(found),
                "rows_without_class": n_unlabeled,
                "training_rows": known.share(),
                "certificates": as_dicts(certificates, loaded.learner) if certificates else [],
                "unseen": [one._asdict() for one in unseen],
            }
        )
        return
    warn_of(unseen)
    _show(f"{model} on {called(table)}", found, n_unlabeled, _costs(loaded.learner, costs))
    if certificates:
        show_certificates(certificates, loaded.learner)
    if known.share() in SAID:
        say(SAID[known.share()])


def evaluate_streamed(loaded: Any, path: Path, how: Reading, target: str, costs: Path | None) -> Any:
    """The same, in batches: what was measured, rows without a class, unknown names, known rows."""
    from ..evaluation_stream import EvaluationOfBatches
    from ..tables.column_names import check_name
    from ..tables.layout import labels_of
    from ..tables.weight_column import read_weights
    from .known_rows import KnownRows
    from .streams import add_unseen, frames

    weight, n_unlabeled, unseen = loaded.about.get("weight"), 0, {}  # type: tuple[Any, int, dict[str, Any]]
    found, known = (
        EvaluationOfBatches(loaded.learner, _costs(loaded.learner, costs)),
        KnownRows(loaded.learner),
    )
    for _, frame in frames(loaded, path, how, [name for name in (target, weight) if name is not None]):
        check_name(frame.columns, target)
        n_unlabeled += frame[target].null_count()
        frame, weights = frame.filter(frame[target].is_not_null()), None
        if weight in frame.columns and frame.height:
            weights = read_weights(frame, weight, some=False)
            frame, weights = frame[weights.nonzero()[0]], weights[weights > 0.0]
        if not frame.height:
            continue
        cells, unknown = loaded.lay_out(frame)
        add_unseen(unseen, unknown)
        rows = loaded.encode(cells)
        known.add(rows)
        found.add(rows, labels_of(frame, target, loaded.learner.classes_), weights)
    if not found.n_rows:
        raise ValueError(f"The target {target!r} has no value in any row, so nothing can be compared.")
    return found.result(), n_unlabeled, [*unseen.values()], known


def labeled(frame: Any, target: str) -> tuple[Any, int]:
    """The rows that have a class, and how many have none."""
    from ..tables.layout import check_name

    check_name(frame.columns, target)
    rows = frame.filter(frame[target].is_not_null())
    if not rows.height:
        raise ValueError(f"The target {target!r} has no value in any row, so nothing can be compared.")
    return rows, frame.height - rows.height


def _costs(learner: Any, file: Path | None) -> Any:
    from ..learners import takes_costs
    from ..rejection.costs import Costs, read_costs
    from .costs_file import for_classes, read_costs_file

    if file is not None:
        return for_classes(read_costs_file(file), learner.classes_.tolist(), file)
    return read_costs(learner.costs, learner.reject_cost) if takes_costs(learner) else Costs()


def _certificates(learner: Any, rows: Any, y: Any, weights: Any) -> Any:
    """What the weights certify on these rows; None of a model that certifies nothing."""
    from ..margin.certificates import certify_margin

    if not hasattr(learner, "certificate_"):
        return None
    try:
        return certify_margin(learner, rows, y, weights)
    except ValueError:
        return None


def _show(title: str, found: Any, n_unlabeled: int, costs: Any) -> None:
    from .show import percent, say, span, table
    from .words import costs_in_words

    absent = f" ({n_unlabeled:,} without a class left out)" if n_unlabeled else ""
    say(f"{title}: {found.n_rows:,} row{'s' * (found.n_rows != 1)}{absent}.")
    rejecting = found.rejected > 0.0
    if found.accuracy is None:
        say("All rows are rejected.")
    else:
        answered = f"{percent(1 - found.rejected)} of the rows are answered. " if rejecting else ""
        of_these = "of the rows answered" if rejecting else "of the rows"
        say(
            f"{answered}Accuracy: {percent(found.accuracy)} "
            f"({span(*found.accuracy_interval)}) {of_these}, "
            f"baseline (always the most frequent class): {percent(found.baseline)}."
        )
    measures = [f"Balanced accuracy: {percent(found.balanced_accuracy)}"]
    measures += [f"AUC: {percent(found.auc)}"] if found.auc is not None else []
    measures += [f"log-loss: {found.log_loss:.3f}"] if found.log_loss is not None else []
    measures += [f"Brier score: {found.brier:.3f}"] if found.brier is not None else []
    say(f"{'; '.join(measures)}.")
    say(f"Risk, the mean cost of a row, where {costs_in_words(costs)}: {found.risk:.3f}.")
    names = [f"as {name}" for name in found.classes] + (["rejected"] if rejecting else [])
    rows = [
        [str(name), *(f"{count:,.6g}" if count else "" for count in line[: len(names)])]
        for name, line in zip(found.classes, found.confusion, strict=True)
    ]
    heads = ["class", *dict.fromkeys(names)]
    if len(heads) == len(names) + 1:
        table(heads, rows, right=heads[1:], whole=["class"], spare=heads[:1:-1])
