"""Which columns have an influence beyond noise: `epsilon="auto"`, from the counts alone.

Golea and Marchand silence a column whose influence is at most ε/(4(n + 1)), far less than chance gives an
idle column of any but huge samples. Here the cut is the noise itself. Of a column and the class there are
four counts O, and what they would be without influence, E. With O moved towards E by half a row,

    G = 2 Σ O ln(O / E)        p = erfc(√(G/2)),

which stays near the exact p-value where a value or a class is rare and a normal approximation is not. The
columns of the k smallest p-values have influence, for the largest k such that

    p₍ᵢ₎ ≤ 0.05 i / (n + 1 − 0.95 i)        for all i ≤ k

(Y. Gavrilov, Y. Benjamini, S. Sarkar, 2009): of columns that are independent, at most 5 % of those that are
called so are idle, on average. Benjamini and Hochberg's rule has 0.05 i/n; it promises the same, and misses
many where most columns have influence. `votes` decides which of them vote.

Weights of rows: integers are repetitions. Others make rows unequally important, and the noise is that of
(Σw)²/Σw² rows.
"""

import numpy as np
from scipy.special import erfc

from .._types import Array
from .counts import Counts
from .kept_rows import LabeledBits

FALSE_DISCOVERIES = 0.05  # the share of idle columns among those with influence
HALF_A_ROW = 0.5


def rows_per_weight(rows: LabeledBits) -> float:
    """By what weights are multiplied to count rows."""
    weights = rows.weights
    if weights is None or weights.dtype == np.int64:
        return 1.0
    largest = weights.max()
    shares = weights / largest  # squares of tiny or giant ones would vanish, or overflow
    return float(shares.sum() / np.square(shares).sum() / largest)


def p_values(counts: Counts, scale: float) -> Array:
    """How likely an idle column is to have so much influence; 1 of a column of one value."""
    rows, positive, ones, both = (scale * np.asarray(number, np.float64) for number in counts)
    expected = positive * ones / rows
    away = both - expected
    away = np.sign(away) * np.maximum(np.abs(away) - HALF_A_ROW, 0.0)
    four = [
        (expected, away),
        (ones - expected, -away),
        (positive - expected, -away),
        (rows - positive - (ones - expected), away),
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [np.where(E + d > 0, (E + d) * np.log((E + d) / E), 0.0) for E, d in four]
    G = 2.0 * np.maximum(sum(parts), 0.0)
    return np.where(counts.constant, 1.0, erfc(np.sqrt(G / 2.0)))


def discoveries(p: Array, rate: float = FALSE_DISCOVERIES) -> Array:
    """Which p-values are small, at this share of false discoveries."""
    ordered, place = np.sort(p), np.arange(1, len(p) + 1)
    small = ordered <= rate * place / (len(p) + 1 - (1.0 - rate) * place)
    n_small = len(p) if small.all() else int(np.argmin(small))
    return np.asarray(p <= ordered[n_small - 1]) if n_small else np.zeros(len(p), np.bool_)
