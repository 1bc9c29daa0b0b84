"""`perceptrons certify`: does what a model claims hold for these rows?"""

from functools import partial
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
    new_rows: options.NewRows = None,
    json: options.AsJson = False,
) -> None:
    """Say what a model can promise, and recheck what it claims.

    On a table the model has not seen: how often it will be wrong on rows like these, at most. On the table it
    was fitted to: what is proved about margins and new rows, computed again from rows and weights. The exit
    code is 1 if the model file claims what does not hold for these rows, otherwise 0. Rows without a class
    are left out, and so are rows of weight 0 if the model was fitted with --weight.

    \b
    Example: perceptrons certify model.json table.csv
    """
    from ..margin.certificates import certify_margin as recompute
    from ..tables.layout import labels_of
    from ..tables.weight_column import read_weights
    from .models import load, warn_of
    from .progress import progress_bar
    from .promised import in_sentences, kept_reason, promise_as_dict, promise_of
    from .show import emit, say
    from .words import as_dicts

    loaded = load(model)
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
        kept, reason = kept_reason(model, loaded, cells, y)
        if kept is None or reason:
            find = partial(promise_of, loaded, cells, y, weights, new_rows)
            promise, part = _promise(find, proves or bool(reason))
        else:
            promise, part = kept, ""
        is_new = hasattr(promise, "shares")
        if not is_new:
            _require_certificate(model, loaded.learner)
        proves = proves and not is_new
        reason = "" if is_new else reason
        found = recompute(loaded.learner, rows, y, weights) if proves else []
        reason = reason or (_reason(loaded.learner, rows, y, weights) if proves else "")
    if json:
        emit(
            {
                "holds": not reason if proves else None,
                "reason": reason or None,
                "certificates": as_dicts(found, loaded.learner) if proves else [],
                "promise": promise_as_dict(promise),
                "unseen": [one._asdict() for one in unseen],
            }
        )
    else:
        warn_of(unseen)
        if proves:
            _show(f"{model} on {called(path)}", loaded.learner, found, reason)
        else:
            say(f"{model} on {called(path)}:", *([reason] if reason else []))
        say(*([part] if promise is None else in_sentences(promise, proves)))
    if reason:
        raise typer.Exit(1)


def _require_certificate(path: Any, learner: Any) -> None:
    """A model that could prove margins, had its certificate been saved, is not to seem to prove none."""
    if hasattr(learner, "_file_weights") and not hasattr(learner, "certificate_"):
        raise ValueError(
            f"The model in {path} was saved without its certificate; fit it again, without --no-certificate."
        )


def _promise(find: Any, proves: bool) -> tuple[Any, str]:
    """The certificate; of a model that proves margins also without one, and why there is none."""
    from .promised import as_options

    try:
        return find(), ""
    except ValueError as error:
        if not proves:
            raise ValueError(as_options(error)) from None
        return None, f"Nothing is promised about new rows. {as_options(error)}"


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
