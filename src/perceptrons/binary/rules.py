"""Weights from counts: the influences of Figure 1, and the clipped Hebb rule (eq. 11).

    Inf(x_i) = 2 [P(g=+ | x_i=+) − P(g=+ | x_i=−)]        w_i = its sign, or 0 where it is small
    Σ g x_i                                               w_i = its sign, sgn(0) = −1

Deviations. Section 4 prints "|" for "," and a wrong denominator in the influence; this is eq. 2. A column of
one value is neglected by both rules: it tells nothing, and its part of the sum belongs to the threshold.
Where all rows are of one class the hypothesis is constant, whatever the rule.
"""

from typing import NamedTuple

import numpy as np

from ..data.rows import Array
from .counts import Counts


class Weights(NamedTuple):
    coef: Array  # int8: −1, 0, +1
    influence: Array
    neglected: Array


def always(counts: Counts, least: float) -> int | None:
    """The class ±1 of all rows but a share that is too small to matter; None if there are two."""
    share = counts.positive / counts.rows
    if share >= 1.0 - least:
        return 1
    return -1 if share <= least else None


def influences(counts: Counts) -> Array:
    """Inf(x_i); 0 of a column of one value."""
    rows, positive, ones, both = counts
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = both / ones - (positive - both) / (rows - ones)
    return np.where(counts.constant, 0.0, 2.0 * gap)


def figure_1(counts: Counts, epsilon: float) -> Weights:
    """Steps 5 and 6."""
    n, influence, share = len(counts.ones), influences(counts), counts.ones / counts.rows
    least, gap = epsilon / (4 * n), 0.5 * (epsilon / 2) / (n + 1)
    neglected = counts.constant | (share <= least) | (1.0 - share <= least)
    idle = neglected | (np.abs(influence) <= gap)
    return Weights(np.where(idle, 0, np.sign(influence)).astype(np.int8), influence, neglected)


def clipped_hebb(counts: Counts) -> Weights:
    """Eq. 11."""
    rows, positive, ones, both = counts
    agreement = 2 * (both + (rows - positive) - (ones - both)) - rows  # Σ g x: 2·(alike) − all
    coef = np.where(counts.constant, 0, np.where(agreement > 0, 1, -1))
    return Weights(coef.astype(np.int8), influences(counts), counts.constant)
