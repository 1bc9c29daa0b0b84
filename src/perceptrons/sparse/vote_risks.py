"""The risk of each total of votes between two classes: its frequency among the rows learned from, rising with
the total.

A frequency of few rows is drawn to the logistic unit over all scores, as if `PRIOR` rows had been seen there;
then neighbors whose risks would fall are pooled (isotonic regression). The risk stays on the side of one half
on which the vote is.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit
from sklearn.isotonic import isotonic_regression

from .._types import Array
from .calibration import Calibration
from .scorecard import Total

PRIOR = 10.0
ABOVE = float(np.nextafter(0.5, 1.0))


def risks_of(scores: Array, totals: Sequence[Total], unit: Calibration) -> Array:
    """The risk of each of these totals, whose scores rise."""
    rows = np.array([total.rows for total in totals])
    positive = np.array([total.positive for total in totals])
    expected = expit(unit.slope * scores + unit.shift)
    shares = (positive + PRIOR * expected) / (rows + PRIOR)
    return on_its_side(np.asarray(isotonic_regression(shares, sample_weight=rows + PRIOR)), scores)


def on_its_side(risks: Array, scores: Array) -> Array:
    """Above one half where the score is > 0, and else not."""
    return np.asarray(np.where(scores > 0.0, np.maximum(risks, ABOVE), np.minimum(risks, 0.5)))
