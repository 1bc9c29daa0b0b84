"""`perceptrons fit` on a table that is read batch by batch."""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from . import streams
from .expected import check_folds, columns_left_out_in_words, expected_in_words, outcome_as_dict
from .tables import Reading


class StreamedFit(NamedTuple):
    """What came of it."""

    source: Any
    notes: list[str]  # warnings
    outcome: dict[str, Any]  # how the training rows fare
    expected: Any  # how rows left out fared; None if none were,
    why_not: str | None  # and why


def fit_streamed(
    model: Any,
    learner: str,
    table: Path,
    target: str,
    how: Reading,
    options: dict[str, Any],
    progress: Any,
    prepare: Callable[[list[Any]], None],
) -> StreamedFit:
    """Train.

    options : weight, drop, nominal, certificate, checkpoint, folds, seed. prepare : is given the classes.
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
    prepare(sorted(name for name, _ in source.classes))
    last = model[-1] if hasattr(model, "steps") else model
    taken = signature(last.fit_stream).parameters
    if options["checkpoint"] is not None and "checkpoint" not in taken:
        raise ValueError(f"{learner} takes a few passes and no checkpoint; omit --checkpoint.")
    expected, why_not = expected_of(model, source, options, taken)
    more = {name: options[name] for name in ("certificate", "checkpoint") if name in taken}
    _, notes = quietly(fit_stream, model, source, **more)
    return StreamedFit(source, notes, outcome_of(model, source), expected, why_not)


def expected_of(
    model: Any, source: Any, options: dict[str, Any], taken: Collection[str]
) -> tuple[Any, str | None]:
    """Hold a fifth of the rows out, once; if that is not possible, why not."""
    from ..comparison import quietly
    from ..held_out_stream import expected_of_stream

    if options["folds"] == 0:
        return None, None
    check_folds(options["folds"])
    more: dict[str, Any] = {"certificate": False} if "certificate" in taken else {}
    if options["checkpoint"] is not None:
        more["checkpoint"] = of_test(options["checkpoint"])
    try:
        costs = costs_of(model[-1] if hasattr(model, "steps") else model)
        return quietly(expected_of_stream, model, source, options["seed"], costs, **more)[0], None
    except ValueError as error:  # too few rows of a class; fitting to all rows may work, or says the same
        return None, str(error)


def of_test(checkpoint: Path) -> Path:
    """The file for the fit without a fifth of the rows."""
    return checkpoint.with_name(f"{checkpoint.name}.test")


def costs_of(learner: Any) -> Any:
    """What the answers of one that may reject cost; None of others."""
    from ..learners import may_reject, takes_costs
    from ..rejection.costs import Costs, read_costs

    if takes_costs(learner):
        return read_costs(learner.costs, learner.reject_cost)
    return Costs() if may_reject(learner) else None


def outcome_of(model: Any, source: Any) -> dict[str, Any]:
    """How the training rows fare: one more pass."""
    from ..held_out_stream import evaluate_stream, last_of
    from .words import bands_as_dicts

    costs = costs_of(last_of(model))
    result = evaluate_stream(model, source, costs)
    return {
        "training_accuracy": result.accuracy,
        "training_balanced_accuracy": result.balanced_accuracy,
        "rejected": None if costs is None else result.rejected,
        "risk": None if costs is None else result.risk,
        "bands": bands_as_dicts(last_of(model)),
        "costs": None if costs is None else asdict(costs),
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
    streamed: StreamedFit,
    out: Path | None,
    why: str,
    class_weight: str | None,
    as_json: bool,
) -> None:
    """The report, as JSON or in words."""
    from ..describe import margin_of, size_of, stopped_of
    from .show import emit, first, percent, say, text
    from .words import (
        as_dicts,
        balanced_in_words,
        bytes_of,
        rejection_in_words,
        rules_of,
        show_certificates,
        training_rows_in_words,
        votes_in_words,
    )

    (source, notes, outcome, expected, why_not), last = (
        streamed,
        model[-1] if hasattr(model, "steps") else model,
    )
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
            "rules": rules_of(last),
            "bytes": bytes_of(last),
            "class_weight": class_weight,
            "expected": outcome_as_dict(expected),
            "why_not_expected": why_not,
            "notes": notes,
            "file": None if out is None else str(out),
        }
        emit(report)
        return
    share, name = found["most_frequent"]["accuracy"], found["most_frequent"]["class"]
    say(why, headline(found))
    say(*columns_left_out_in_words([(one["column"], one["reason"]) for one in left_out(model)]))
    report = {**outcome, "expected": outcome_as_dict(expected), "why_not_expected": why_not}
    report["class_weight"] = class_weight
    say(*expected_in_words(report, f"baseline, always {name}: {percent(share)}"))
    if class_weight is not None:
        balanced = (report["expected"] or {}).get("balanced_accuracy", outcome["training_balanced_accuracy"])
        say(balanced_in_words(len(found["classes"]), balanced))
    say(*rejection_in_words(last, outcome))
    if rules_of(last):
        text(last.to_text())
    if bytes_of(last):
        say(votes_in_words(last))
    if certificates:
        show_certificates(certificates, last)
    say(f"{learner}, {size}: {training_rows_in_words(outcome)}.")
    say(*first([f"Warning: {note}" for note in notes]))
    say(f"Written to {out}." if out else "Nothing is written; use --out FILE to keep the model.")


def forget(checkpoint: Path | None) -> None:
    """The fit is done, and its model kept."""
    for path in () if checkpoint is None else (checkpoint, of_test(checkpoint)):
        with suppress(FileNotFoundError):
            path.unlink()
