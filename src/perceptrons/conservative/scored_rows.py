"""Rows with their scores: what bands are found and judged by, wherever the rows are."""

from typing import NamedTuple, Protocol

import numpy as np

from .._types import Array
from ..rejection.costs import Prices
from .bands import best_bands, rejected_by_kind, saved_by_side
from .conservative_sweep import EACH_ONE, WeightedSigns, mean_cost, tally


class Tallies(NamedTuple):
    """What is rejected, wrong and right, by class: what these rows weigh, and how many they are."""

    weights: Array
    rows: Array


class Scored(Protocol):
    """Rows that have scores."""

    @property
    def prices(self) -> Prices:
        """What answers cost."""

    def least_bands(self, symmetric: bool) -> Array:
        """As `bands.best_bands`."""

    def rejected_by_kind(self, bands: Array) -> Array:
        """As `bands.rejected_by_kind`."""

    def tallies(self, bands: Array) -> Tallies:
        """What these bands make of the rows."""


class ScoredRows(NamedTuple):
    """Rows in memory."""

    scores: Array
    signs: WeightedSigns
    prices: Prices

    def least_bands(self, symmetric: bool) -> Array:
        return best_bands(self.scores, self.signs.y, self.prices, symmetric, self.signs.weights)

    def rejected_by_kind(self, bands: Array) -> Array:
        return rejected_by_kind(self.scores, self.signs.y, bands, self.signs.weights)

    def tallies(self, bands: Array) -> Tallies:
        weights = tally(self.scores, self.signs, bands)
        if not len(self.signs.weights):
            return Tallies(weights, weights)
        return Tallies(weights, tally(self.scores, WeightedSigns(self.signs.y, EACH_ONE), bands))


def risk_of(rows: Scored, bands: Array) -> float:
    """The mean cost."""
    return float(mean_cost(rows.tallies(bands).weights, rows.prices))


def worthwhile(rows: Scored, symmetric: bool, bands: Array) -> Array:
    """These bands, but 0 where a band costs more than none; if symmetric, both are one."""
    sums, _ = saved_by_side(rows.rejected_by_kind(bands), rows.prices)
    return np.where((sums.sum() if symmetric else sums) < 0.0, 0.0, bands)
