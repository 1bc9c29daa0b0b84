"""Certificates, rules, costs and bands in words, and as plain data."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..describe import known_margin
from ..rejection.costs import Costs
from ..sparse.weighted_conjunctions import ALWAYS
from .show import bullets, interval, percent, say, table

SPACE = "Margins are those of the encoded rows: numbers standardized, names one-hot."
LIFTED_SPACE = (
    "Margins are those of the encoded rows: numbers standardized, names one-hot, a coordinate for the "
    "intercept."
)
FEATURE_SPACE = "Margins are those of the kernel's feature space, with a coordinate for the intercept."
FEW = 4  # classes whose costs are written out
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


def listing(names: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def too_many(n_classes: int) -> str:
    """Why a learner does not take a table of so many classes."""
    return f"supports two classes, not {n_classes}; use --learner chow for more"


def costs_in_words(costs: Costs) -> str:
    """Half a sentence: what a rejection and an error cost, and what a right answer earns, if it does."""
    earns = any(costs.gain.values()) if isinstance(costs.gain, dict) else bool(costs.gain)
    gain = f", a right answer earns {_price(costs.gain)}" if earns else ""
    return f"a rejection costs {_price(costs.reject)}, an error {_price(costs.wrong)}{gain}"


def _price(value: Any) -> str:
    if not isinstance(value, dict):
        return f"{value:g}"
    if len(value) > FEW:
        return f"{min(value.values()):g} to {max(value.values()):g} (by class)"
    return listing([f"{number:g} ({name})" for name, number in value.items()], "or")


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


def bands_of(model: Any) -> list[float] | None:
    """How far from 0 a sum must be to be answered, on the side of each class; None if there are no bands."""
    if not hasattr(model, "bands_"):
        return None
    return [0.0, 0.0] if model.reject_label_ is None else [float(band) for band in model.bands_]


def bands_as_dicts(model: Any) -> list[dict[str, Any]] | None:
    """One per class; an infinite band, of a class that is never answered, is none."""
    bands = bands_of(model)
    if bands is None:
        return None
    pairs = zip(model.classes_.tolist(), bands, strict=True)
    return [{"class": name, "band": band if math.isfinite(band) else None} for name, band in pairs]


def when_it_answers(model: Any) -> str:
    """What a model that may reject answers, and what it rejects."""
    bands = bands_of(model)
    if bands is not None:
        return _bands_in_words(model.classes_.tolist(), bands)
    if hasattr(model, "promises_"):
        return _promises_in_words(model)
    if model.threshold_ is None:
        return "Answers where that is expected to cost less than a rejection, and rejects the rest."
    return f"Answers where a class has a probability of at least {model.threshold_:g}, and rejects the rest."


def _promises_in_words(model: Any) -> str:
    names = model.classes_.tolist() if len(model.promises_) > 1 else [None]
    pairs = [*zip(names, model.promises_, strict=True)]
    given = [(name, one) for name, one in pairs if one.given]
    if not given:
        n_rows = sum(one.n_rows for _, one in pairs)
        return f"Rejects every row: {n_rows:,} calibration rows allow no promise."
    said = [
        f"at most {one.max_error:.3g} of its answers{'' if name is None else f' {name}'} are wrong, with a "
        f"confidence of {1 - one.delta:.3g} ({one.n_errors} of {one.n_answered} calibration rows were)"
        for name, one in given
    ]
    never = "".join(f" It never answers {name}." for name, one in pairs if not one.given)
    return f"Promises that {', and '.join(said)}; rejects the rest.{never}"


def _bands_in_words(classes: list[Any], bands: list[float]) -> str:
    negative, positive = classes
    below, above = f"≤ {-bands[0]:.3g}" if bands[0] else "< 0", f"≥ {bands[1]:.3g}"
    if not any(bands):
        return f"Answers {negative} if the sum is < 0, else {positive}, and never rejects."
    if all(map(math.isinf, bands)):
        return "Rejects every row."
    if math.isinf(bands[0]):
        return f"Never answers {negative}, answers {positive} if the sum is {above}, and rejects the rest."
    if math.isinf(bands[1]):
        return f"Answers {negative} if the sum is {below}, never answers {positive}, and rejects the rest."
    both = f"{negative} if the sum is {below}, {positive} if it is {above}"
    return f"Answers {both}, and rejects what lies between."
