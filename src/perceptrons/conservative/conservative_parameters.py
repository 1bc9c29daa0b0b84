"""The parameters of `ConservativePerceptron`, checked."""

import math
from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ..checks import flag, is_number, number, one_of
from ..compiled import count_threads
from ..rejection.costs import Prices
from .conservative_sweep import CplrSteps

CPLR1, CPLR2 = "cplr1", "cplr2"
CV, LEARNED, LEARNT, EXACT = "cv", "learned", "learnt", "exact"  # "learnt": older spelling of "learned"
AUTO = "auto"
SHUFFLE, CYCLIC = "shuffle", "cyclic"
WEIGHT_STEPS, BAND_STEPS = (0.01, 0.1), (0.01, 0.1, 1.0)
SHARES = (0.5, 0.1)  # of what takes a row of the usual norm to the band in one step


class ConservativeParameters(NamedTuple):
    """The checked parameters, as `restarts.train` takes them."""

    rule: str
    symmetric: bool
    exact_bands: bool
    cross_validated: bool
    checks_bands: bool  # whether a learned band that costs more than none is dropped
    standardize: bool
    step_sizes: list[tuple[float, float]]  # of weights and of bands
    max_band: float | None  # None: by the scores of the starting weights
    n_restarts: int
    max_epochs: int
    n_jobs: int  # threads
    order: str = SHUFFLE  # of the rows in an epoch
    relative: bool = False  # are steps of weights shares, of 1 over the squared usual norm?


def read_parameters(model: Any) -> ConservativeParameters:
    """Check the parameters of a `ConservativePerceptron`."""
    max_band = None if is_auto(model.max_band) else model.max_band
    if max_band is not None:
        number("max_band", max_band, "[0, inf)", "use 'auto'")
    return ConservativeParameters(
        one_of("rule", model.rule, (CPLR1, CPLR2)),
        flag("symmetric", model.symmetric),
        one_of("band", model.band, (CV, LEARNED, LEARNT, EXACT)) == EXACT,
        model.band == CV,
        model._checks_bands and model.band != CV,
        flag("standardize", model.standardize),
        _step_sizes(model),
        None if max_band is None else float(max_band),
        int(number("n_restarts", model.n_restarts, "[1, inf)", "1 tries one start", Integral)),
        int(number("max_epochs", model.max_epochs, "[1, inf)", "use 100", Integral)),
        count_threads(model.n_jobs),
        one_of("order", model.order, (SHUFFLE, CYCLIC)),
        is_auto(model.eta_weights) and model.band == CV,
    )


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def _step_sizes(model: Any) -> list[tuple[float, float]]:
    """All pairs to try. By default CPLR1's bands move with its weights, CPLR2's by themselves."""
    auto = SHARES if model.band == CV else WEIGHT_STEPS
    of_weights = _sizes("eta_weights", auto if is_auto(model.eta_weights) else model.eta_weights)
    if not is_auto(model.eta_bands):
        return [(eta, other) for eta in of_weights for other in _sizes("eta_bands", model.eta_bands)]
    return [(eta, step * eta if model.rule == CPLR1 else step) for eta in of_weights for step in BAND_STEPS]


def _sizes(name: str, value: Any) -> list[float]:
    several = not isinstance(value, str) and isinstance(value, Iterable)
    sizes = list(value) if several else [value]
    if not sizes or not all(is_number(one) and 0.0 < one < math.inf for one in sizes):
        raise ValueError(f"{name}={value!r}, but it must be a number > 0, or several of them, or 'auto'.")
    return [float(one) for one in sizes]


def steps_of(rule: str, prices: Prices) -> CplrSteps:
    """Equations 9 to 11, or 13: by rejected or wrong, and by class."""
    a, b, c = prices
    nothing = np.zeros((2, 2))
    if rule == CPLR2:
        return CplrSteps(np.stack([a + c, a + b]), nothing, nothing)
    along, own = np.stack([a + b, a + 2 * b - c]), np.stack([-(a + c), -(a + b)])
    return CplrSteps(along, own, np.stack([b - c, b - c]))
