"""What a model promises about new rows, on the command line."""

from dataclasses import asdict
from pathlib import Path
from typing import Any


def promise_of(loaded: Any, cells: Any, y: Any, weights: Any, new_rows: bool | None) -> Any:
    """The certificate of the model on rows that are laid out. New rows count once each, whatever their
    weights: a weighted row is not one draw."""
    from ..certification.certifying import certify
    from ..theory.model_certificates import NewRowsCertificate

    found = certify(loaded.pipeline, cells, y, new_rows=new_rows)
    if weights is None or isinstance(found, NewRowsCertificate):
        return found
    return certify(loaded.pipeline, cells, y, weights, new_rows=False)


def kept_reason(path: Path, loaded: Any, cells: Any, y: Any) -> tuple[Any, str]:
    """What the file holds about rows that were held back, and why it does not hold for these rows; None of a
    file that holds nothing."""
    from ..certification.verifying import verify
    from ..model_file.save_load import load_certificate

    kept = load_certificate(path)
    if getattr(kept, "holdback", None) is None:
        return None, ""
    try:
        verify(kept, loaded.pipeline, cells, y)
    except ValueError as error:
        return kept, str(error)
    return kept, ""


def remember_rows(learner: Any, rows: Any, weights: Any) -> None:
    """Let a learner of scikit-learn's remember its rows, as ours do."""
    from ..seen_rows import remember

    if not hasattr(learner, "_seen_rows"):
        learner._seen_rows = remember(learner, rows, weights is not None, False)


def promise_as_dict(found: Any) -> dict[str, Any] | None:
    """As plain data, with the sentences."""
    if found is None:
        return None
    facts = asdict(found)
    facts.pop("margins", None)  # which are told apart
    facts["shares"] = [one._asdict() for one in getattr(found, "shares", ())]
    facts["statements"] = [one._asdict() for one in getattr(found, "statements", ())]
    return {"says_nothing": found.says_nothing, **facts, "sentences": found.sentences()}


def as_options(error: ValueError) -> str:
    """The message, with the options that stand for what it names."""
    message = str(error).replace("new_rows=True", "--new-rows")
    return message.replace("new_rows=False", "--training-rows")


def in_sentences(found: Any, margins_told: bool = False) -> list[str]:
    """What is to be said; without the first sentence, where margins and errors have been told."""
    sentences = [text.replace("(holdback=", "(fit --holdback ") for text in found.sentences()]
    return sentences[1 if margins_told else 0 :]


def fit_with_holdback(model: Any, data: Any, share: float, seed: int) -> tuple[Any, Any, list[str]]:
    """Fit to some rows, certify by the others; returns the table fitted to, the certificate, warnings."""
    from ..certification.certifying import certify, split_rows
    from ..comparison import quietly
    from ..conservative.chow_input import rows_at

    if data.weights is not None:
        raise ValueError("--holdback counts rows that are held back, each once; omit it, or --weight.")
    found, notes = quietly(certify, model, data.X, data.y, holdback=share, random_state=seed)
    kept, _ = split_rows(data.X, data.y, share, seed)
    return data._replace(X=rows_at(data.X, kept), y=data.y[kept]), found, notes
