"""What it costs to pass a row on, stage by stage: arrays in, numbers out.

An answer k is expected to cost Σ p_y·b_y − p_k·(a_k + b_k), p being a stage's posteriors; a row is passed on
where the least of these is above the price of passing on. The last stage passes rows to a person, at known
costs. The price of another is found from the last stage back: it is the threshold by which the rows of that
stage, with what each would cost further on, out of fold, cost least together.

M. Sundararajan and A. Pal, *A Conservative Approach to Perceptron Learning*, name this use of conservatism
and leave it to the future. A price that is the *mean* cost further on of the rows passed on, which comes to
mind first, is too high: the row at the threshold is an easier one than the mean of those beyond it.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..rejection.costs import Prices


class Judged(NamedTuple):
    """Rows as a stage sees them."""

    codes: Array  # the answer that is expected to cost least
    expected: Array  # what it is expected to cost
    by_person: Array  # what a person is expected to cost


def judge(posteriors: Array, prices: Prices) -> Judged:
    """The cheapest answer about each row, and what it is expected to cost."""
    a, b, c = prices
    worth = posteriors * (a + b)
    return Judged(worth.argmax(axis=1), posteriors @ b - worth.max(axis=1), posteriors @ c)


def passed(judged: Judged, price: float | None) -> Array:
    """Which rows are passed on; without a price, to a person."""
    return np.asarray(judged.expected > (judged.by_person if price is None else price))


def best_price(expected: Array, answered: Array, further: Array) -> float:
    """The price of passing on at which rows cost least together.

    expected : what the answer about each row is expected to cost, by which rows are ranked.
    answered, further : what the row costs in truth if it is answered, and if it is passed on.

    Of equal sums the one that passes fewer rows on; inf if it is best to answer all, −inf to answer none.
    """
    order = np.argsort(expected, kind="stable")
    ranked = expected[order]
    sums = np.append(0.0, np.cumsum((answered - further)[order]))  # with so many rows answered
    ends = np.append(0, np.flatnonzero(np.append(ranked[1:] > ranked[:-1], True)) + 1)  # of ties all or none
    least = sums[ends].min()
    n_answered = int(ends[np.flatnonzero(sums[ends] <= least + 1e-12 * max(1.0, abs(least)))[-1]])
    if n_answered in (0, len(ranked)):
        return np.inf if n_answered else -np.inf
    return float((ranked[n_answered - 1] + ranked[n_answered]) / 2)


def stage_prices(
    judged: list[Judged], codes: Array, reaching: list[Array], prices: Prices, stage_costs: Array
) -> tuple[list[float | None], Array]:
    """The price of passing on at each stage, from the last back, and what each row costs in all.

    judged : what each stage says of all rows, out of fold. codes : their classes.
    reaching : which rows reach each stage, by which its price is found.
    """
    found: list[float | None] = []
    further = prices.reject[codes]  # by a person
    for stage in range(len(judged) - 1, -1, -1):
        one, price = judged[stage], None
        right = one.codes == codes
        answered = prices.of_rows(codes, right, np.zeros(len(codes), bool))
        if found:
            rows = reaching[stage]
            price = best_price(one.expected[rows], answered[rows], further[rows])
        further = np.where(passed(one, price), further, answered) + stage_costs[stage]
        found.insert(0, price)
    return found, further
