"""Thresholds on certainty, and which of them may be promised: arrays in, numbers out.

The thresholds are fixed without the calibration rows and tested on them from strict to lenient, see
`theory.held_out.fixed_sequence`. Rows are answered where their certainty is at least the threshold.
"""

from math import ceil, inf, isfinite
from typing import NamedTuple

import numpy as np
from scipy.special import rel_entr

from .._types import Array
from ..theory.held_out import fixed_sequence, rows_needed

LEVELS = (
    100  # thresholds at most; neighbors share most of their rows, so that more cost little and gain little
)
# the first answers so many times the rows that suffice where none is wrong; of few rows fewer, but 60 %
LIKELY, BARELY, FEW = 2.0, 1.15, 0.6


class Promise(NamedTuple):
    """What calibration rows allow to promise of the error among rows that are answered.

    threshold : the lowest certainty that is answered; inf if nothing can be promised.
    max_error, delta : what is promised, and the probability, over the calibration rows, that it fails.
    n_rows : calibration rows; for one class, those that would be answered by it.
    n_answered, n_errors : of these, answered at the threshold, and wrong among those answered.
    needed : about how many such rows would be needed; 0 if the promise is given, inf if no number would help.
    """

    threshold: float
    max_error: float
    delta: float
    n_rows: int
    n_answered: int
    n_errors: int
    needed: float

    @property
    def given(self) -> bool:
        return self.threshold < inf

    @property
    def holds(self) -> bool:
        """Whether the counts allow the promise, tested by themselves."""
        return fixed_sequence(self.n_errors, self.n_answered, self.max_error, self.delta) == 0


def first_level(n_rows: int, max_error: float, delta: float) -> float:
    """The share of rows that the strictest threshold shall answer; 1 where only all together may suffice."""
    least = rows_needed(max_error, delta)
    return min(min(LIKELY * least, max(BARELY * least, FEW * n_rows)) / max(n_rows, 1), 1.0)


def place_thresholds(certainty: Array, first: float) -> Array:
    """Thresholds, from strict to lenient, that answer shares of these rows from `first` to all.

    Each lies between two certainties, so that no rounding decides about a row; the last is −inf.
    """
    values = np.unique(certainty[np.isfinite(certainty)])
    if not len(values):
        return np.array([-inf])
    ranked = np.sort(certainty)[::-1]
    places = np.ceil(np.linspace(first, 1.0, LEVELS) * len(ranked)).astype(int) - 1
    wanted = np.searchsorted(values, ranked[np.clip(places, 0, len(ranked) - 1)])  # the least to be answered
    middles = np.append(-inf, (values[1:] + values[:-1]) / 2)
    return np.append(np.unique(middles[np.minimum(wanted, len(values) - 1)])[:0:-1], -inf)


def promise(certainty: Array, wrong: Array, thresholds: Array, max_error: float, delta: float) -> Promise:
    """The most lenient threshold that may be promised, from calibration rows and thresholds that fall."""
    order = np.argsort(-certainty, kind="stable")
    answered = np.searchsorted(-certainty[order], -thresholds, side="right")
    errors = np.append(0, np.cumsum(wrong[order]))[answered]
    place = fixed_sequence(errors, answered, max_error, delta)
    if place < 0:
        needed = _needed(errors, answered, len(certainty), max_error, delta)
        return Promise(inf, max_error, delta, len(certainty), 0, 0, needed)
    found = float(thresholds[place]), int(answered[place]), int(errors[place])
    return Promise(found[0], max_error, delta, len(certainty), found[1], found[2], 0.0)


def _needed(errors: Array, answered: Array, n_rows: int, max_error: float, delta: float) -> float:
    """How many calibration rows would do, if errors go on as they were at the best threshold."""
    some = answered > 0
    shares, rates = answered[some] / n_rows, errors[some] / answered[some]
    worth = np.where(rates < max_error, _relative_entropy(rates, max_error) * shares, 0.0)
    if not worth.any():
        return inf if n_rows >= rows_needed(max_error, delta) else float(rows_needed(max_error, delta))
    best = int(worth.argmax())  # rows go with the inverse of this
    needed = rows_needed(max_error, delta, float(rates[best])) / float(shares[best])
    return float(max(ceil(needed), n_rows + 1)) if isfinite(needed) else inf


def _relative_entropy(rates: Array, max_error: float) -> Array:
    """kl(rate||max_error), by which the chance of so few errors falls with each row."""
    return np.asarray(rel_entr(rates, max_error) + rel_entr(1 - rates, 1 - max_error))
