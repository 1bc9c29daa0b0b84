"""From mistakes made in one pass over the rows to the error on new rows.

In the first pass each row is predicted by a vector that was learned from the rows before it: an honest test.
N. Cesa-Bianchi, A. Conconi and C. Gentile, *On the Generalization Ability of On-Line Learning Algorithms*
(2004), with a sharper inequality, see `online_to_batch`. Rows must be independent and alike *in the order
met*: a uniform permutation makes them so, the order of a sorted table does not. No row is met twice, none is
weighted.
"""

import numpy as np
from numpy.typing import ArrayLike

from .._types import Array
from .held_out import SLACK, binomial_upper
from .inputs import bound, checked, require

RATES = np.geomspace(0.01, 8.0, 24)  # λ, fixed before the rows are seen, and paid for


@bound
def online_to_batch(mistakes: ArrayLike, m: ArrayLike, delta: ArrayLike) -> Array:
    """The mean error of the m vectors that predicted the rows of one pass: that of one drawn among them.

    min over λ of [1 − exp(−(λM + ln(K/delta))/m)]/(1 − exp(−λ)), M mistakes, K = 24 values of λ. With p_t the
    error of the t-th vector, exp(−λM − Σ ln(1 − p_t + p_t e^−λ)) is a martingale of mean 1, and the logarithm
    is concave in p. It is about *one vector drawn at random*, not about the last, nor the average: 100
    vectors, each wrong on 1 % of rows, can have an average that is wrong on all of them.

    >>> round(online_to_batch(20, 1000, 0.05), 4)
    0.0398
    """
    M, m_, delta_ = checked(mistakes=mistakes, m=m, delta=delta)
    require(M <= m_, "mistakes", M, "at most m", "count those of the first pass alone")
    exponent = (RATES * M[..., None] + np.log(len(RATES) / delta_)[..., None]) / m_[..., None]
    return np.asarray(np.minimum((np.expm1(-exponent) / np.expm1(-RATES)).min(axis=-1) * (1 + SLACK), 1))


@bound
def majority_vote(mistakes: ArrayLike, m: ArrayLike, delta: ArrayLike) -> Array:
    """The error of the majority vote of the m vectors: twice their mean error, `online_to_batch`, at most 1.

    Where the vote is wrong, at least half of the vectors are.

    >>> round(majority_vote(20, 1000, 0.05), 4)
    0.0795
    """
    return np.asarray(np.minimum(2 * np.asarray(online_to_batch(mistakes, m, delta)), 1))


def frozen_bound(errors: ArrayLike, n_rows: ArrayLike, n_snapshots: int, delta: float) -> float | Array:
    """The error of vectors frozen during the pass, each by its errors on the n rows that came after it.

    `binomial_upper` with delta/S for each of S snapshots, at places fixed beforehand: all hold at once, so
    that the best may be picked.

    >>> frozen_bound([40, 9], [500, 200], 2, 0.05).round(4).tolist()
    [0.1073, 0.0837]
    """
    snapshots, delta_ = checked(n_snapshots=n_snapshots, delta=delta)
    return binomial_upper(errors, n_rows, delta_ / snapshots)
