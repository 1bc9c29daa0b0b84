"""`perceptrons fit`: learn from a table, and keep the model."""

import re
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ..learner_names import WHAT, names_beginning_with
from . import options, streams
from .command_line import command_line
from .destinations import check_out, digest_of_file
from .parameters import read_parameters, set_parameters
from .tables import Reading, check_names, reading

MOST_COLUMNS = 20  # shown
SPELLED = re.compile("[-+]?[0-9]{1,18}")  # whole numbers that 64 bits hold


def fit(
    context: typer.Context,
    table: options.Table,
    target: options.Target,
    learner: Annotated[
        str,
        typer.Option(
            "--learner",
            help=f"One of {', '.join(WHAT)}, or the beginning of a name; or a historical name like pam.",
            metavar="NAME",
            autocompletion=names_beginning_with,
        ),
    ] = "perceptron",
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the model to this file.", metavar="FILE")
    ] = None,
    folds: options.Folds = 5,
    parameters: options.Set = None,
    reject_cost: options.RejectCost = None,
    costs: options.CostsFile = None,
    reject_label: options.RejectLabel = "auto",
    weight: options.Weight = None,
    class_weight: options.ClassWeight = None,
    seed: options.Seed = 0,
    max_epochs: Annotated[
        int | None,
        typer.Option("--max-epochs", help="Limit on passes over the rows.", min=1, metavar="N"),
    ] = None,
    certificate: Annotated[
        bool | None,
        typer.Option(
            "--certificate/--no-certificate",
            help="Whether the model file holds what certifies the model. Without it the file is small, and "
            "the model predicts, but cannot be certified. Default: it does, unless the table is read in "
            "batches.",
            show_default=False,
        ),
    ] = None,
    holdback: Annotated[
        float | None,
        typer.Option(
            "--holdback",
            help="Keep this share of the rows back, learn from the others, and certify by those kept.",
            metavar="SHARE",
        ),
    ] = None,
    stream: options.Stream = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            help="A file from which a fit that reads in batches goes on after it was interrupted; removed at "
            "the end.",
            show_default=False,
            metavar="FILE",
        ),
    ] = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    nominal: options.Nominal = None,
    header: options.Header = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Learn from a table, say what to expect on new rows, and write a model file.

    Shows the columns, how they are understood and which are left out, the accuracy in cross-validation (from
    100,000 rows on, that of a fifth held out), and what the model certifies, its rules, or what it rejects.

    \b
    Example: perceptrons fit table.csv --target outcome --out model.json
    A rare class: perceptrons fit t.csv --target ill --class-weight balanced
    Weights of rows: perceptrons fit table.csv --target outcome --weight copies
    Larger than memory: perceptrons fit big.csv --target ill --checkpoint fit.tmp
    """
    how = reading(header, separator, missing, encoding)
    check_names(table, how, target, weight, *(drop or []), *(nominal or []))
    from ..comparison import quietly
    from ..learners import build_learner, complete_name, for_tables, may_reject, takes_costs, weights_for
    from ..model_file.save_load import save
    from .expected import about_calibration, expected_of, outcome_as_dict
    from .fit_streamed import fit_streamed, forget, tell_streamed
    from .progress import progress_bar
    from .promised import fit_with_holdback, promise_as_dict, remember_rows
    from .show import emit
    from .tables import training_table

    learner = complete_name(learner)
    prices = options.read_costs(reject_cost, costs)
    options.check_class_weight(class_weight)
    last = build_learner(learner, seed=seed, max_epochs=max_epochs, costs=prices, class_weight=class_weight)
    set_parameters(last, learner, read_parameters(parameters))
    model = for_tables(last, "all" if "all" in (keep or []) else keep)
    if not takes_costs(last):
        of_label = {} if may_reject(last) else {"reject-label": reject_label}
        _check_no_costs({"reject-cost": reject_cost, "costs": costs, **of_label}, learner)
    if out is not None:
        check_out(out, table=table)
    if streams.chosen(table, stream, checkpoint, model, learner):
        _check_streamed(table, out, checkpoint)
        with progress_bar(f"fitting {learner}") as progress:
            wanted: dict[str, Any] = {
                "certificate": bool(certificate),
                "checkpoint": checkpoint,
                "folds": folds,
                "seed": seed,
            }
            columns = {"weight": weight, "drop": drop, "nominal": nominal}
            prepare = partial(_ready, last, learner, costs, reject_label)
            streamed = fit_streamed(model, learner, table, target, how, columns | wanted, progress, prepare)
        if out is not None:
            about = _about(table, target, learner, weight, how) | _record(context, table, seed)
            about |= about_calibration(last, streamed.expected)
            save(model, out, about=about, certificate=bool(certificate))
        forget(checkpoint)
        tell_streamed(model, learner, streamed, out, streams.why(table, stream), class_weight, json)
        return
    with progress_bar(f"fitting {learner}") as progress:
        data = training_table(table, target, drop, nominal, how, weight, keep)
        _ready(last, learner, costs, reject_label, data.names())
        expected, why_not = expected_of(model, data, folds, seed, progress)
        learned, promise = data, None
        if holdback is None:
            _, notes = quietly(model.fit, data.X, data.y, **weights_for(model, data.weights))
        else:
            learned, promise, notes = fit_with_holdback(model, data, holdback, seed)
        rows = learned.X if model is last else model[:-1].transform(learned.X)
        remember_rows(last, rows, data.weights)
        outcome = _outcome(last, rows, learned)
    if out is not None:
        about = _about(table, target, learner, weight, how) | _record(context, table, seed)
        about |= about_calibration(last, expected)
        save(model, out, about=about, certificate=promise or certificate is not False)
    report = _report(data, last, learner, outcome, notes, out) | {"class_weight": class_weight}
    report |= {"promise": promise_as_dict(promise)}
    report |= {"expected": outcome_as_dict(expected), "why_not_expected": why_not}
    if json:
        emit(report)
    else:
        _show(data, last, report)


def _about(table: Path, target: str, learner: str, weight: str | None, how: Reading) -> dict[str, Any]:
    """For the model file: what it was fitted to."""
    weights = {} if weight is None else {"weight": weight}
    return {"table": table.name, "target": target, "learner": learner, **weights, **how.to_about()}


def _record(context: Any, table: Path, seed: int) -> dict[str, Any]:
    """For the model file: what it takes to repeat the fit."""
    return {"digest": digest_of_file(table), "seed": seed, "command": command_line(context)}


def _check_streamed(table: Path, out: Path | None, checkpoint: Path | None) -> None:
    if checkpoint is None:
        return
    for what, path in (("table", table), ("model file of --out", out)):
        if path is not None and path.resolve() == checkpoint.resolve():
            raise ValueError(f"--checkpoint names the {what} itself; choose another file.")


def _check_no_costs(given: dict[str, Any], learner: str) -> None:
    for name, value in given.items():
        if value not in (None, "auto"):
            raise ValueError(
                f"--{name} is for learners that can reject{_by_costs(learner)}; use --learner "
                "conservative, or omit it."
            )


def _by_costs(learner: str) -> str:
    if learner == "selective":
        return " where an answer would cost more, and 'selective' promises few errors instead"
    return f", and {learner!r} always answers"


def _ready(model: Any, learner: str, costs: Path | None, label: str, classes: list[Any]) -> None:
    """Can it learn these classes, and what do they cost?"""
    from ..learners import may_reject

    _check_classes(learner, len(classes))
    if may_reject(model):
        _prepare(model, classes, costs, label)


def _check_classes(learner: str, n_classes: int) -> None:
    from ..learners import supports_classes
    from .words import too_many

    if not supports_classes(learner, n_classes):
        raise ValueError(f"{learner} {too_many(n_classes)}.")


def _prepare(model: Any, classes: list[Any], costs: Path | None, label: str) -> None:
    """Costs and label of one that may reject, now that the classes are known."""
    from .costs_file import for_classes

    if getattr(model, "costs", None) is not None:
        model.set_params(costs=for_classes(model.costs, classes, costs))
    model.set_params(reject_label=_label(label, classes))


def _label(text: str, classes: list[Any]) -> Any:
    """The label of rejected rows: a number if the classes are numbers and the text spells one."""
    from ..rejection.labels import AUTO, WORD

    numbers = not isinstance(classes[0], str)
    label = int(text) if numbers and SPELLED.fullmatch(text) else text
    used = WORD if label == AUTO and not numbers else label
    if used in classes or str(used) in map(str, classes):  # 1 is True
        raise ValueError(
            f"Rejected rows would get {used!r}, but that is one of the classes {classes}; choose another "
            "with --reject-label TEXT."
        )
    return label


def _outcome(model: Any, X: Any, data: Any) -> dict[str, Any]:
    """How the training rows fare; the accuracy is that of the rows answered, None if none is."""
    import numpy as np

    from ..describe import answers_of, shares_of
    from ..learners import may_reject, takes_costs
    from ..rejection.costs import Costs, read_costs
    from .words import bands_as_dicts

    answers, rejected = answers_of(model, X)
    right, codes = answers == data.y, np.searchsorted(model.classes_, data.y)
    shares = shares_of(codes, right, rejected, data.weights)
    costs = Costs() if may_reject(model) else None
    costs = read_costs(model.costs, model.reject_cost) if takes_costs(model) else costs
    paid = None if costs is None else costs.of(model.classes_).of_rows(codes, right, rejected)
    return {
        "training_accuracy": shares.accuracy,
        "training_balanced_accuracy": shares.balanced_accuracy,
        "rejected": None if paid is None else shares.rejected,
        "risk": None if paid is None else float(np.average(paid, weights=data.weights)),
        "bands": bands_as_dicts(model),
        "costs": None if costs is None else asdict(costs),
    }


def _report(
    data: Any, model: Any, learner: str, outcome: dict[str, Any], notes: list[str], out: Path | None
) -> dict[str, Any]:
    from ..describe import margin_of, size_of, stopped_of
    from .words import as_dicts, bytes_of, rules_of

    size = size_of(model)
    return {
        "data": data.summary(),
        "columns": [facts._asdict() for facts in data.facts],
        "learner": learner,
        **outcome,
        "size": size and asdict(size),
        "margin": margin_of(model),
        "converged": getattr(model, "converged_", None),
        "stopped": stopped_of(model),
        "certificates": as_dicts(model.certificate_, model) if hasattr(model, "certificate_") else [],
        "rules": rules_of(model),
        "bytes": bytes_of(model),
        "notes": notes,
        "file": None if out is None else str(out),
    }


def _show(data: Any, model: Any, report: dict[str, Any]) -> None:
    from ..describe import size_of
    from .expected import expected_in_words, left_out_in_words
    from .show import first, percent, say, text
    from .words import (
        balanced_in_words,
        rare_in_words,
        rejection_in_words,
        show_certificates,
        training_rows_in_words,
        votes_in_words,
        weights_in_words,
    )

    name, share = data.baseline()
    always = f"baseline, always {name}: {percent(share)}"
    say(data.headline())
    _show_columns(data)
    say(*left_out_in_words(data))
    say(*first([f"Hint: {hint}" for hint in data.hints]))
    say(*expected_in_words(report, always))
    say(*weights_in_words(data.weight))
    if report["class_weight"] is not None:
        balanced = (report["expected"] or {}).get("balanced_accuracy", report["training_balanced_accuracy"])
        say(balanced_in_words(len(data.names()), balanced))
    elif report["expected"] is not None:
        say(*rare_in_words(data, report["expected"], "; use --class-weight balanced"))
    say(*rejection_in_words(model, report))
    if report["rules"]:
        text(model.to_text())
    if report["bytes"]:
        say(votes_in_words(model))
    if hasattr(model, "certificate_"):
        show_certificates(model.certificate_, model)
    say(f"{report['learner']}, {size_of(model)}: {training_rows_in_words(report)}.")
    say(*(report["promise"] or {}).get("sentences", ()))
    say(*first([f"Warning: {note}" for note in _different(report["notes"])]))
    written = (
        f"Written to {report['file']}."
        if report["file"]
        else "Nothing is written; use --out FILE to keep the model."
    )
    say(written)


def _different(notes: list[str]) -> list[str]:
    """Of those that differ in numbers alone the last: of several fits that to all rows."""
    return list({re.sub(r"[\d.]+", "", note): note for note in notes}.values())


def _kind(one: Any) -> str:
    """What a column is, and what is done with it."""
    from ..tables.treatments import AS_IS

    if one.is_left_out:
        return f"left out: {one.treatment}"
    return one.kind if one.treatment == AS_IS else f"{one.kind}, {one.treatment}"


def _show_columns(data: Any) -> None:
    from .show import table

    facts = data.facts if len(data.facts) <= MOST_COLUMNS else data.facts[: MOST_COLUMNS - 1]
    rows = [
        [one.name, _kind(one), f"{one.missing:,}" if one.missing else "", f"{one.distinct:,}"]
        for one in facts
    ]
    if len(facts) < len(data.facts):
        rows.append([f"… and {len(data.facts) - len(facts)} more", "", "", ""])
    table(
        ["column", "kind", "missing", "distinct"],
        rows,
        right=["missing", "distinct"],
        whole=["kind"],
        spare=["distinct", "missing"],
    )
