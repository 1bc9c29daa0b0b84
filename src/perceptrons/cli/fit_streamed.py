"""`perceptrons fit` on a table that is read batch by batch."""

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import streams
from .tables import Reading

WHY_NOT = "the table was read in batches; perceptrons evaluate says it for other rows"


def fit_streamed(
    model: Any,
    learner: str,
    table: Path,
    target: str,
    how: Reading,
    options: dict[str, Any],
    progress: Any,
) -> tuple[Any, list[str], dict[str, Any]]:
    """Train; returns the source, warnings, and how the training rows fare.

    options : weight, drop, nominal, certificate, checkpoint.
    """
    from ..comparison import quietly
    from ..stream_pipelines import fit_stream
    from ..tables.stream_table import stream_table

    tell = streams.by_bytes(progress, streams.bytes_of_table(table), f"fitting {learner}")
    columns = {
        "weight": options["weight"],
        "drop": options["drop"] or (),
        "nominal": options["nominal"] or (),
    }
    source = stream_table(table, target, **columns, **how._asdict(), progress=tell)
    last = model[-1] if hasattr(model, "steps") else model
    wanted = {"certificate": options["certificate"], "checkpoint": options["checkpoint"]}
    more = wanted if hasattr(last, "certificate_") or "warm_start" in last.get_params(deep=False) else {}
    if not more and options["checkpoint"] is not None:
        raise ValueError(f"{learner} takes three passes and no checkpoint; omit --checkpoint.")
    _, notes = quietly(fit_stream, model, source, **more)
    return source, notes, outcome_of(model, source)


def outcome_of(model: Any, source: Any) -> dict[str, Any]:
    """How the training rows fare: one more pass."""
    from ..evaluation_stream import EvaluationOfBatches

    last = model[-1] if hasattr(model, "steps") else model
    found = EvaluationOfBatches(last)
    for batch in source.read():
        if len(batch.y) and (batch.weights is None or batch.weights.any()):
            rows = batch.X if model is last else model[:-1].transform(batch.X)
            found.add(rows, batch.y, batch.weights)
    result = found.result()
    return {
        "training_accuracy": result.accuracy,
        "training_balanced_accuracy": result.balanced_accuracy,
        "rejected": None,
        "risk": None,
        "bands": [],
        "costs": None,
        "rows": result.n_rows,
    }


def summary(source: Any, outcome: dict[str, Any]) -> dict[str, Any]:
    """The table, as far as it is known without having it whole."""
    name, rows = source.classes[0]
    total = sum(count for _, count in source.classes)
    return {
        "title": source.title,
        "rows": outcome["rows"],
        "bytes": source.n_bytes,
        "columns": len(source.columns) - 1 - (source.weight is not None),
        "classes": [{"class": label, "rows": count} for label, count in source.classes],
        "most_frequent": {"class": name, "accuracy": rows / total},
    }


def headline(found: dict[str, Any]) -> str:
    """What was read."""
    most = 6
    shown = [f"{one['class']} ({one['rows']:,})" for one in found["classes"][:most]]
    rest = [f"{len(found['classes']) - most} more"] if len(found["classes"]) > most else []
    columns = f"{found['columns']:,} columns" if found["columns"] != 1 else "1 column"
    size = streams.size_in_words(found["bytes"])
    return f"{found['title']}: {found['rows']:,} rows, {columns}, {size}; classes {', '.join(shown + rest)}."


def left_out(model: Any) -> list[dict[str, str]]:
    """Columns from which nothing can be learned, and why."""
    from ..tables.treatments import LEFT_OUT

    encoder = model[0] if hasattr(model, "steps") else getattr(model, "encoder_", None)
    treatments = getattr(encoder, "treatments_", None) or []
    pairs = zip(getattr(encoder, "feature_names_in_", ()), treatments, strict=True)
    return [{"column": str(name), "reason": why} for name, why in pairs if why in LEFT_OUT]


def tell_streamed(
    model: Any,
    learner: str,
    streamed: tuple[Any, list[str], dict[str, Any]],
    out: Path | None,
    why: str,
    class_weight: str | None,
    as_json: bool,
) -> None:
    """The report, as JSON or in words."""
    from ..describe import margin_of, size_of, stopped_of
    from .show import emit, first, percent, say
    from .words import as_dicts, show_certificates

    (source, notes, outcome), last = streamed, model[-1] if hasattr(model, "steps") else model
    found, size = summary(source, outcome), size_of(last)
    certificates = getattr(last, "certificate_", None)
    if as_json:
        report = {
            "data": found | {"left_out": left_out(model)},
            "learner": learner,
            **outcome,
            "size": size and asdict(size),
            "margin": margin_of(last),
            "converged": getattr(last, "converged_", None),
            "stopped": stopped_of(last),
            "certificates": as_dicts(certificates, last) if certificates else [],
            "class_weight": class_weight,
            "expected": None,
            "why_not_expected": WHY_NOT,
            "notes": notes,
            "file": None if out is None else str(out),
        }
        emit(report)
        return
    share, name = found["most_frequent"]["accuracy"], found["most_frequent"]["class"]
    say(why, headline(found))
    say(*first([f"Left out: {one['column']} ({one['reason']})" for one in left_out(model)]))
    say(f"Nothing can be said about new rows: {WHY_NOT}.")
    if certificates:
        show_certificates(certificates, last)
    accuracy = f"{percent(outcome['training_accuracy'])} of the training rows correct"
    say(f"{learner}, {size}: {accuracy}, baseline, always {name}: {percent(share)}.")
    say(*first([f"Warning: {note}" for note in notes]))
    say(f"Written to {out}." if out else "Nothing is written; use --out FILE to keep the model.")


def forget(checkpoint: Path | None) -> None:
    """The fit is done, and its model kept."""
    if checkpoint is not None:
        with suppress(FileNotFoundError):
            checkpoint.unlink()
