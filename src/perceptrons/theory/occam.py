"""Small models: what there are few of cannot fit by luck. Counts of models, and the bound that uses them.

The count must be fixed before the rows are seen. Thresholds and names of values that were met in training
depend on the rows: have them given, or take them from rows that are then not counted, or pay ln m for each
and leave its row out. The exact binomial form is J. Langford's,
*Tutorial on Practical Prediction Theory for Classification* (2005);
real weights are counted by J. Jackson and M. Craven, *Learning Sparse Perceptrons*, Section 3.2.
All counts are natural logarithms.
"""

from collections.abc import Sequence
from math import exp, lgamma, log, log1p

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, log_expit, logsumexp

from .._types import Array
from .counting import log_choose
from .held_out import SLACK, binomial_upper
from .inputs import bound, checked, require

SMALLEST = 1e-290  # beneath it SciPy's inverse has nothing to work with


@bound
def log_cards(n_terms: ArrayLike, n_rules: ArrayLike, points: ArrayLike) -> ArrayLike:
    """ln of the scorecards with r of N conjunctions, integer points −P…P but 0, and any threshold.

    C(N, r)·(2P)^r·(2Pr + 1), times r(r + 1) for the size itself, not fixed beforehand (these shares of delta
    add up to 1). A constant answer, r = 0, is among the cards of one rule.

    >>> round(log_cards(465, 5, 3), 3)
    41.695
    """
    N, r, P = checked(n_terms=n_terms, n_rules=n_rules, points=points)
    r = np.maximum(r, 1)
    require(r <= N, "n_rules", r, "at most n_terms", "count the rules there are to choose from")
    return _log_rules(N, r) + r * np.log(2 * P) + np.log(2 * P * r + 1)


@bound
def log_real_weights(n_terms: ArrayLike, n_rules: ArrayLike) -> ArrayLike:
    """ln of the threshold functions of r of N conjunctions with real weights: C(N, r)·2^(r²), and the size.

    2^(r²) grows so fast that a model rounded to few points, bounded by `log_cards`, is nearly always better.

    >>> round(log_real_weights(465, 5), 3)
    46.631
    """
    N, r = checked(n_terms=n_terms, n_rules=n_rules)
    r = np.maximum(r, 1)
    require(r <= N, "n_rules", r, "at most n_terms", "count the rules there are to choose from")
    return np.asarray(_log_rules(N, r) + r**2 * np.log(2))


def _log_rules(N: Array, r: Array) -> Array:
    return np.asarray(log_choose(N, r) + np.log(r * (r + 1)))


@bound
def log_binary_perceptrons(n_variables: ArrayLike) -> ArrayLike:
    """ln of the perceptrons with weights −1, 0, +1 and a threshold: 3^n·(2n + 2).

    An integer score lies in −n…n; 2n + 2 thresholds tell apart all that can be.

    >>> round(log_binary_perceptrons(10), 4)
    14.0772
    """
    (n,) = checked(n_variables=n_variables)
    return n * log(3) + np.log(2 * n + 2)


def log_texts(texts: Sequence[str]) -> float:
    """ln of what it takes to write some texts down, each of its length: a set of numbers or names.

    The text 0 takes one bit, others one more than this: each symbol of a number is one of 14, of other
    printable ASCII text one of 95, else a byte; and which of the three. Lengths and the number of texts share
    delta by 1/(l(l + 1)). So thresholds and names may be taken from the rows: a bound that pays for their
    texts holds for all that there could be.

    >>> round(log_texts(["1.5", "red"]), 3)
    32.946
    """
    each, n_texts = sum(map(_log_text, texts)), len(texts) + 1
    return each + log(n_texts * (n_texts + 1)) - lgamma(n_texts)  # in any order


def _log_text(text: str) -> float:
    if text == "0":
        return log(2)
    n = len(text.encode("utf-8", "surrogatepass")) + 1
    return log(2) + (n - 1) * log(_symbols(text)) + log(n * (n + 1)) + log(3)


def _symbols(text: str) -> int:
    if not set(text) - set("0123456789+-.e"):
        return 14
    return 95 if text.isascii() and text.isprintable() else 256


def occam_bound(errors: ArrayLike, m: ArrayLike, log_size: ArrayLike, delta: ArrayLike) -> float | Array:
    """The error of the model at hand on new rows, if it is one of |H| and makes k errors on m training rows.

    The largest p with P[Bin(m, p) <= k] >= delta/|H|; holds for all models of H at once.

    >>> round(occam_bound(10, 1000, 14.0772, 0.05), 4)
    0.0383
    """
    k, m_, size, delta_ = np.broadcast_arrays(*checked(errors=errors, m=m, log_size=log_size, delta=delta))
    require(k <= m_, "errors", k, "at most m", "count no row twice")
    target = np.log(delta_) - size
    found = [_tail_bound(*map(float, one)) for one in zip(k.flat, m_.flat, target.flat, strict=True)]
    return np.reshape(found, k.shape) if k.ndim else found[0]


def _tail_bound(k: float, m: float, log_delta: float) -> float:
    """The largest p with ln P[Bin(m, p) <= k] >= log_delta, rounded up; in logarithms where needed."""
    if log_delta > log(SMALLEST) or k == m:
        return float(binomial_upper(k, m, exp(max(log_delta, log(SMALLEST)))))
    i = np.arange(k + 1)
    choose = -betaln(m - i + 1, i + 1) - log1p(m)
    low, high = -700.0, (m * log(2) - log_delta) / (m - k) + 1  # of the log-odds of p
    for _ in range(100):
        middle = (low + high) / 2
        tail = logsumexp(choose + i * log_expit(middle) + (m - i) * log_expit(-middle))
        low, high = (middle, high) if tail >= log_delta else (low, middle)
    return float(min(np.exp(log_expit(high)) * (1 + SLACK), 1.0))
