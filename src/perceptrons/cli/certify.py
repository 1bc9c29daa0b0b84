"""`perceptrons certify`: does what a model claims hold for these rows?"""

from typing import Any

import typer

from . import options
from .evaluate import labeled
from .tables import called, from_standard_input, reading


def certify(
    model: options.Model,
    table: options.Table,
    target: options.MaybeTarget = None,
    header: options.Header = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Recheck what a model claims on the rows of a table.

    Margin, errors and what is proved about new rows are computed again from rows and weights. The exit code
    is 0 if the certificate in the model file holds for these rows, or if the model claims nothing, 1 if it
    does not. Rows without a class are left out; so are, of a model fitted with --weight, rows of weight 0.

    \b
    Example: perceptrons certify model.json table.csv
    """
    from ..margin.certificates import certify_margin as recompute
    from ..tables.layout import labels_of
    from ..tables.weight_column import read_weights
    from .models import load, warn_of
    from .progress import progress_bar
    from .show import emit
    from .words import as_dicts

    loaded = load(model)
    if hasattr(loaded.learner, "_file_weights") and not hasattr(loaded.learner, "certificate_"):
        raise ValueError(
            f"The model in {model} was saved without its certificate; fit it again, without --no-certificate."
        )
    target = target or loaded.about.get("target")
    if target is None:
        raise ValueError(f"{model} does not name the column of the classes; name it with --target.")
    with progress_bar("certifying"):
        weight: Any = loaded.about.get("weight")
        path = from_standard_input(table)
        frame = loaded.read_table(path, reading(header, separator, missing, encoding), target, weight)
        frame, _ = labeled(frame, target)
        weights = None
        if weight in frame.columns:
            weights = read_weights(frame, weight)
            frame, weights = frame[weights.nonzero()[0]], weights[weights > 0.0]
        y = labels_of(frame, target, loaded.learner.classes_)
        cells, unseen = loaded.lay_out(frame)
        rows = loaded.encode(cells)
        proves = hasattr(loaded.learner, "certificate_")
        found = recompute(loaded.learner, rows, y, weights) if proves else []
        reason = _reason(loaded.learner, rows, y, weights) if proves else ""
    if json:
        emit(
            {
                "holds": not reason if proves else None,
                "reason": reason or None,
                "certificates": as_dicts(found, loaded.learner) if proves else [],
                "unseen": [one._asdict() for one in unseen],
            }
        )
    else:
        warn_of(unseen)
        if proves:
            _show(f"{model} on {called(path)}", loaded.learner, found, reason)
        else:
            _show_without(f"{model} on {called(path)}", loaded.learner, rows, y)
    if reason:
        raise typer.Exit(1)


def _show_without(title: str, learner: Any, rows: Any, y: Any) -> None:
    """What can be said of a model that proves nothing: how many of the rows it has wrong."""
    from ..describe import answers_of
    from .show import say

    answers, rejected = answers_of(learner, rows)
    wrong, n_rejected = int(((answers != y) & ~rejected).sum()), int(rejected.sum())
    also = f", {n_rejected:,} are rejected" if n_rejected else ""
    say(
        f"{title}: {wrong:,} of {len(y):,} rows are misclassified{also}.",
        f"A {type(learner).__name__} proves no margin, so there is no certificate to recheck; `perceptrons "
        f"evaluate` says how good it is, and `perceptrons explain` {_shown(learner)}.",
    )


def _shown(learner: Any) -> str:
    """By `explain`, of a model without a certificate."""
    rules = "which of its rules decide about a row"
    return rules if hasattr(learner, "conjunctions_") else "what each column adds to the score of a row"


def _reason(learner: Any, rows: Any, y: Any, weights: Any) -> str:
    """Why the model's own certificate does not hold; "" if it does."""
    from ..margin.verification import verify_margin

    if len(y) != learner.n_rows_:
        return f"The certificate is about the {learner.n_rows_:,} rows fitted, and this table has {len(y):,}."
    try:
        verify_margin(learner.certificate_, learner, rows, y, weights)
    except ValueError as error:
        return str(error)
    return ""


def _show(title: str, learner: Any, found: Any, reason: str) -> None:
    from .show import say
    from .words import show_certificates

    say(f"{title}:")
    if reason:
        say(reason, "What holds for the rows of this table:")
    else:
        say("The certificate in the model file holds for these rows.")
    show_certificates(found, learner)
