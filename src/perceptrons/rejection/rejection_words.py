"""What a model that may reject answers, and what its answers cost, in words."""

import math
from collections.abc import Sequence
from typing import Any

from .costs import Costs

FEW = 4  # classes whose costs are written out


def listing(names: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


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


def bands_of(model: Any) -> list[float] | None:
    """How far from 0 a sum must be to be answered, on the side of each class; None if there are no bands."""
    if not hasattr(model, "bands_"):
        return None
    return [0.0, 0.0] if model.reject_label_ is None else [float(band) for band in model.bands_]


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
