"""`perceptrons fit`: learn from a table, and keep the model."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .places import check_out, check_savable
from .reading import reading

MOST_COLUMNS = 20  # shown


def fit(
    table: options.Table,
    target: options.Target,
    learner: Annotated[
        str, typer.Option("--learner", help="One that compare shows, or a name like pam.", metavar="NAME")
    ] = "perceptron",
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the model to this file.", metavar="FILE")
    ] = None,
    seed: options.Seed = 0,
    max_epochs: Annotated[
        int | None, typer.Option("--max-epochs", help="Passes over the rows, at most.", min=1, metavar="N")
    ] = None,
    drop: options.Drop = None,
    nominal: options.Nominal = None,
    header: options.Header = None,
    separator: options.Separator = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Learn from a table and write a model file.

    Shows the columns, how they are understood, and what the model certifies, or its rules.

    \b
    Example: perceptrons fit table.csv --target outcome --out model.json
    """
    from ..compare import build_learner, for_tables, quietly
    from ..export.model_file import save
    from .show import emit
    from .tables import training_table
    from .waiting import waiting

    last = build_learner(learner, seed=seed, max_epochs=max_epochs)
    model = for_tables(last)
    if out is not None:
        check_out(out, table=table)
        check_savable(last, learner)
    how = reading(header, separator, missing)
    with waiting(f"fitting {learner}"):
        data = training_table(table, target, drop, nominal, how)
        _, notes = quietly(model.fit, data.X, data.y)
        accuracy = float((model.predict(data.X) == data.y).mean())
    if out is not None:
        save(model, out, about={"table": table.name, "target": target, "learner": learner, **how.to_about()})
    report = _report(data, last, learner, accuracy, notes, out)
    if json:
        emit(report)
    else:
        _show(data, last, report)


def _report(
    data: Any, model: Any, learner: str, accuracy: float, notes: list[str], out: Path | None
) -> dict[str, Any]:
    from ..compare import margin_of, size_of
    from .words import as_dicts, rules_of

    size = size_of(model)
    return {
        "data": data.summary(),
        "columns": [facts._asdict() for facts in data.facts],
        "learner": learner,
        "training_accuracy": accuracy,
        "size": size and asdict(size),
        "margin": margin_of(model),
        "converged": getattr(model, "converged_", None),
        "certificates": as_dicts(model.certificate_, model) if hasattr(model, "certificate_") else [],
        "rules": rules_of(model),
        "notes": notes,
        "file": None if out is None else str(out),
    }


def _show(data: Any, model: Any, report: dict[str, Any]) -> None:
    from ..compare import size_of
    from .show import first, percent, say, text
    from .words import show_certificates

    name, count = data.classes()[0]
    say(data.headline())
    _show_columns(data)
    say(*first([f"Hint: {hint}" for hint in data.hints]))
    say(
        f"{report['learner']}, {size_of(model)}: {percent(report['training_accuracy'])} of the training rows "
        f"right (always answering {name}: {percent(count / len(data.y))})."
    )
    if report["rules"]:
        text(model.to_text())
    if hasattr(model, "certificate_"):
        show_certificates(model.certificate_, model)
    for note in report["notes"]:
        say(f"Warning: {note}")
    written = (
        f"Written to {report['file']}."
        if report["file"]
        else "Nothing is written; --out FILE keeps the model."
    )
    say(written)


def _show_columns(data: Any) -> None:
    from .show import table

    facts = data.facts if len(data.facts) <= MOST_COLUMNS else data.facts[: MOST_COLUMNS - 1]
    rows = [
        [one.name, one.kind, f"{one.missing:,}" if one.missing else "", f"{one.distinct:,}"] for one in facts
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
