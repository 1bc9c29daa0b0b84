"""Boosting by majority (Freund, "Boosting a weak learning algorithm by majority", 1995) around the same
search. Jackson and Craven mention it for integer weights (section 3.2).

The number T of stages, odd, and the edge γ are fixed beforehand. If every stage is right on a weight of at
least ½ + γ, the vote of all of them is right as often as T tosses of a coin that comes up right with
probability ½ + γ would have a majority. A row weighs as much as it depends on this stage, were the rest such
tosses: the probability that, of those to come, just as many are right as leaves the row one vote short.

Every stage has one vote, so that repeated conjunctions have integer weights.

Deviations: a stage whose edge is less than γ counts all the same; the run ends when all rows are decided, or
when no hypothesis is better than chance; a first hypothesis without error is the model, alone.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import bdtr, gammaln, xlog1py, xlogy

from .._types import Array
from .boosting import HALF, Stage
from .search import ConjunctionSearch

SURE = 1e-9  # of a toss being wrong, at least: where γ = ½ one stage is enough, but T may be more


def boost_by_majority(
    search: ConjunctionSearch, weights: Array, n_stages: int, gamma: float
) -> Iterator[Stage]:
    """Yield at most `n_stages` stages, of one vote each. Rows of weight 0 are not learned from."""
    votes = np.zeros(len(weights), np.int64)  # that were right
    for t in range(n_stages):
        D = weights * decisive(votes, n_stages, gamma, t, weights > 0.0)
        if not D.any():
            return
        D /= D.sum()
        search.forget()
        found = search.best(D)
        sign = 1 if found.correlation > 0 else -1
        right = (search.signs == sign) == search.rows_of(found.literals)
        error = float(D[~right].sum())
        if error >= 0.5 - HALF:
            return
        yield Stage(found.literals, sign, error, 1.0)
        if t == 0 and error == 0.0:
            return
        votes += right


def decisive(votes: Array, n_stages: int, gamma: float, t: int, learned: Array) -> Array:
    """The weights of rows at stage t = 0, 1, …, if r stages were right about each: the probability that
    ⌊T/2⌋ − r of the T − t − 1 tosses to come are right, relative to the heaviest of the rows learned from."""
    to_come, short = n_stages - t - 1, n_stages // 2 - np.arange(t + 1)
    possible = (short >= 0) & (short <= to_come)
    x = np.where(possible, short, 0)
    wrong = max(0.5 - gamma, SURE)
    ways = gammaln(to_come + 1.0) - gammaln(x + 1.0) - gammaln(to_come - x + 1.0)
    logs = np.where(possible, ways + xlog1py(x, -wrong) + xlogy(to_come - x, wrong), -np.inf)
    of_rows = np.where(learned, logs[votes], -np.inf)
    top = float(of_rows.max())
    return np.zeros(len(votes)) if top == -np.inf else np.exp(of_rows - top)


def error_in_theory(n_stages: int, gamma: float) -> float:
    """The probability that T tosses have no majority, which bounds the error of stages with this edge.

    >>> round(error_in_theory(11, 0.2), 3)
    0.078
    """
    return float(bdtr(n_stages // 2, n_stages, min(0.5 + gamma, 1.0)))


def enough_stages(gamma: float, least: float) -> int:
    """The smallest odd number of stages whose error in theory is below the smallest share of a row, so that
    no row is wrong.

    >>> enough_stages(0.25, 1 / 100), enough_stages(0.5, 1 / 100)
    (19, 1)
    """
    low, high = -1, 1  # 2·low + 1 stages are too few, 2·high + 1 enough
    while error_in_theory(2 * high + 1, gamma) >= least:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if error_in_theory(2 * middle + 1, gamma) < least else (middle, high)
    return 2 * high + 1
