"""Certificates, rules, costs and bands in words, and as plain data."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..describe import known_margin
from ..rejection.costs import Costs
from ..rejection.rejection_words import bands_of as bands_of
from ..rejection.rejection_words import costs_in_words as costs_in_words
from ..rejection.rejection_words import listing as listing
from ..rejection.rejection_words import when_it_answers as when_it_answers
from ..sparse.weighted_conjunctions import ALWAYS
from .show import bullets, interval, percent, say, table

SPACE = "Margins are those of the encoded rows: numbers standardized, names one-hot."
LIFTED_SPACE = (
    "Margins are those of the encoded rows: numbers standardized, names one-hot, a coordinate for the "
    "intercept."
)
FEATURE_SPACE = "Margins are those of the kernel's feature space, with a coordinate for the intercept."
RARE = 0.02  # the share of the rows below which a class is rare


def as_dicts(certificates: Any, model: Any) -> list[dict[str, Any]]:
    """One each; where there are several, with the class each is about."""
    if not isinstance(certificates, list):
        return [_as_dict(certificates)]
    pairs = zip(model.classes_.tolist(), certificates, strict=True)
    return [{"class": name, **_as_dict(one)} for name, one in pairs]


def _as_dict(certificate: Any) -> dict[str, Any]:
    facts = {**asdict(certificate), "generalization_bound": certificate.generalization_bound()}
    if facts.get("witness"):
        facts["witness"] = [[row, str(weight)] for row, weight in facts["witness"]]
    return {name: None if value in (math.inf, -math.inf) else value for name, value in facts.items()}


def rules_of(model: Any) -> list[dict[str, Any]]:
    """The rules of a model that has some, the heaviest first, and the class that each weight speaks for."""
    if not hasattr(model, "conjunctions_"):
        return []
    weights = np.column_stack([np.atleast_2d(model.weights_), model.intercept_])
    names = [*map(str, model.conjunctions_), ALWAYS]
    return [
        {"rule": names[k], "weight": float(vector[k]), "class": label}
        for label, vector in zip(model.classes_.tolist()[-len(weights) :], weights, strict=True)
        for k in np.argsort(-np.abs(vector), kind="stable")
        if vector[k]
    ]


def bytes_of(model: Any) -> int | None:
    """What a device must keep of a model of binary weights; None of others."""
    return model.packed_.n_bytes if hasattr(model, "packed_") else None


def votes_in_words(model: Any) -> str:
    """A model of binary weights: who votes, and what decides."""
    against, for_ = (int(np.count_nonzero(model.coef_ == sign)) for sign in (-1, 1))
    negative, positive = model.classes_.tolist()
    return (
        f"A statement that holds votes for {positive} ({for_:,} of them) or against it ({against:,}), one "
        f"that does not the other way round: {positive} if the votes add up to more than {model.threshold_}, "
        f"else {negative}. Packed, the model has {model.packed_.n_bytes:,} bytes."
    )


def show_certificates(certificates: Any, model: Any) -> None:
    if isinstance(certificates, list):
        _one_per_class(certificates, model.classes_.tolist())
    else:
        bullets(certificates.sentences())
    space = LIFTED_SPACE if model.lift_ else SPACE
    say(space if hasattr(model, "coef_") else FEATURE_SPACE)


def _one_per_class(certificates: Sequence[Any], classes: Sequence[Any]) -> None:
    table(
        ["class against the rest", "wrong rows", "margin", "corrections", "rows used"],
        [
            [
                str(name),
                f"{one.n_errors:,} of {one.n_rows:,}",
                interval(known_margin(one)),
                f"{one.n_updates:,}",
                f"{one.compression_size:,}",
            ]
            for name, one in zip(classes, certificates, strict=True)
        ],
        right=["wrong rows", "margin", "corrections", "rows used"],
        spare=["rows used", "corrections", "margin"],
    )


def too_many(n_classes: int) -> str:
    """Why a learner does not take a table with this number of classes."""
    return f"supports two classes, not {n_classes}; use --learner chow for more"


def weights_in_words(column: str | None) -> list[str]:
    """A line about the weights of rows, if there are any."""
    if column is None:
        return []
    return [f"Rows count by their weight ({column}), in training and in all shares and means."]


def balanced_in_words(n_classes: int, share: float | None = None) -> str:
    """What the balanced accuracy means, and, unless it stands in a table, what it is."""
    mean, baseline = "the mean of the classes' shares of rows answered correctly", percent(1 / n_classes)
    what = f"Balanced: {mean}" if share is None else f"Balanced accuracy, {mean}: {percent(share)}"
    return f"{what} (baseline: {baseline}). Classes are balanced in training alone."


def rare_in_words(data: Any, found: dict[str, Any] | None = None, remedy: str = "") -> list[str]:
    """Of a class that few rows have, accuracy says little. `found` is what was measured, unless it stands in
    a table."""
    name, rows = next((one for one in reversed(data.classes()) if one[1] > 1), (None, 0))
    if not 0 < rows < RARE * len(data.y):
        return []
    look = "look at balanced accuracy and AUC, not at accuracy"
    if found is not None:
        auc = "" if found["auc"] is None else f" and AUC ({percent(found['auc'])})"
        look = f"look at balanced accuracy ({percent(found['balanced_accuracy'])}){auc}, not at accuracy"
    return [f"Class {name} has {rows:,} of {len(data.y):,} rows: {look}{remedy}."]


def bands_as_dicts(model: Any) -> list[dict[str, Any]] | None:
    """One per class; an infinite band, of a class that is never answered, is none."""
    bands = bands_of(model)
    if bands is None:
        return None
    pairs = zip(model.classes_.tolist(), bands, strict=True)
    return [{"class": name, "band": band if math.isfinite(band) else None} for name, band in pairs]


def training_rows_in_words(report: dict[str, Any]) -> str:
    """How the rows learned from fare."""
    rejected, accuracy = report["rejected"], report["training_accuracy"]
    if rejected is None:
        return f"{percent(accuracy)} of the training rows correct"
    if accuracy is None:
        return "none of the training rows answered"
    return f"{percent(1 - rejected)} of the training rows answered, {percent(accuracy)} of these correct"


def rejection_in_words(model: Any, report: dict[str, Any]) -> list[str]:
    """What a model that may reject costs, and when it answers; nothing of others."""
    if report["rejected"] is None:
        return []
    costs = costs_in_words(Costs(**report["costs"]))
    return [f"Risk, the mean cost of a row, where {costs}: {report['risk']:.3f}.", when_it_answers(model)]
