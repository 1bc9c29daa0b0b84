"""`perceptrons fit`: learn from a table, and keep the model."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options

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
    json: options.AsJson = False,
) -> None:
    """Learn from a table and write a model file.

    Shows the columns, how they are understood, and what the model certifies.

    \b
    Example: perceptrons fit table.csv --target outcome --out model.json
    """
    from sklearn.pipeline import make_pipeline

    from ..compare import build_learner, quietly
    from ..data.columns import TableEncoder
    from .show import emit
    from .tables import training_table
    from .waiting import waiting

    if out is not None:
        _check_place(out)
    model = make_pipeline(TableEncoder(), build_learner(learner, seed=seed, max_epochs=max_epochs))
    data = training_table(table, target, drop, nominal, header, separator)
    with waiting(f"fitting {learner}"):
        _, notes = quietly(model.fit, data.X, data.y)
        accuracy = float((model.predict(data.X) == data.y).mean())
    if out is not None:
        _write(
            model, out, table=table.name, target=target, learner=learner, header=header, separator=separator
        )
    report = _report(data, model[-1], learner, accuracy, notes, out)
    if json:
        emit(report)
    else:
        _show(data, model[-1], report)


def _check_place(out: Path) -> None:
    """Better now than after a long fit."""
    if out.is_dir():
        raise ValueError(f"{out} is a folder; --out names a file.")
    if not out.parent.is_dir():
        raise ValueError(f"There is no folder {out.parent} to write to; create it first.")


def _write(model: Any, out: Path, **about: Any) -> None:
    from ..export.model_file import save

    save(model, out, about={name: value for name, value in about.items() if value is not None})


def _report(
    data: Any, model: Any, learner: str, accuracy: float, notes: list[str], out: Path | None
) -> dict[str, Any]:
    from ..compare import margin_of, size_of

    return {
        "data": data.summary(),
        "columns": [facts._asdict() for facts in data.facts],
        "learner": learner,
        "training_accuracy": accuracy,
        "size": size_of(model),
        "margin": margin_of(model),
        "converged": getattr(model, "converged_", None),
        "notes": notes,
        "file": None if out is None else str(out),
    }


def _show(data: Any, model: Any, report: dict[str, Any]) -> None:
    from .show import percent, say
    from .words import show_certificates

    name, count = data.classes()[0]
    say(data.headline())
    _show_columns(data)
    say(
        f"{report['learner']}, {report['size']}: {percent(report['training_accuracy'])} of the training rows "
        f"right (always answering {name}: {percent(count / len(data.y))})."
    )
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
    from .show import say, table

    facts = data.facts if len(data.facts) <= MOST_COLUMNS else data.facts[: MOST_COLUMNS - 1]
    rows = [
        [one.name, one.kind, f"{one.missing:,}" if one.missing else "", f"{one.distinct:,}"] for one in facts
    ]
    if len(facts) < len(data.facts):
        rows.append([f"… and {len(data.facts) - len(facts)} more", "", "", ""])
    table(["column", "kind", "missing", "distinct"], rows, right=["missing", "distinct"])
    for one in data.facts:
        if one.names_rows(len(data.y)):
            say(
                f"Hint: {one.name!r} tells rows apart ({one.distinct:,} different values), so nothing can be "
                f"learned from it; --drop {one.name} leaves it out."
            )
