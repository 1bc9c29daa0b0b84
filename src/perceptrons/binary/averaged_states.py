# mypy: allow-untyped-defs, allow-untyped-calls
"""How "sbpi" ends where some rows stay wrong: by the hidden integers, averaged over the epochs.

No state of such a run is right, and the next row throws it over; their sum H is steady. Its signs are the
weights, but where |H| is small a column did not know what to say. So columns are added in the order of |H|,
largest first, and the model is the one of fewest training errors on the way, of several the one with the
fewest weights; each with its threshold of fewest errors, the lowest of several, unless one is given.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from .columns import columns_of
from .kept_rows import LabeledBits
from .packed_perceptron import PackedPerceptron, pack_weights


class Best(NamedTuple):
    errors: float
    n_weights: int
    threshold: int


def cut_averages(sums: Array, rows: LabeledBits, threshold: int | None) -> PackedPerceptron:
    """`sums` are 0 of columns that take no part; `threshold` is None if it may be chosen."""
    order = np.argsort(-np.abs(sums), kind="stable")[: np.count_nonzero(sums)]
    signs, columns, n = np.sign(sums).astype(np.int8), columns_of(rows.here), len(order)
    weights = rows.all_weights().astype(np.float64)
    changes, scores = np.where(rows.positive, weights, -weights), np.zeros(len(weights), np.int32)
    negative, best = float(weights[~rows.positive].sum()), Best(np.inf, 0, 0)
    for k, j in enumerate(order.tolist()):
        column = columns.column(j)
        add_vote(scores, column.rows, int(signs[j]) * column.value)
        errors, r = fewest_errors(scores, changes, n, negative, threshold is None, threshold or 0)
        if errors < best.errors:
            best = Best(errors, k + 1, r)
    coef = np.zeros(len(sums), np.int8)
    coef[order[: best.n_weights]] = signs[order[: best.n_weights]]
    return pack_weights(coef, best.threshold)


@compiled
def add_vote(scores, listed, step):
    """Of a column: one way in the rows listed, the other way in all others."""
    for i in range(scores.size):
        scores[i] -= step
    for place in range(listed.size):
        scores[listed[place]] += 2 * step


@compiled
def fewest_errors(scores, changes, n, negative, free, given):
    """The errors and the threshold. Where it is below all scores the negative rows are wrong; as it passes a
    score, positive rows become wrong, and negative ones right."""
    at = np.zeros(2 * n + 1)
    for i in range(scores.size):
        at[scores[i] + n] += changes[i]
    errors, least, best = negative, negative if free or given < -n else np.inf, -n - 1 if free else given
    for k in range(2 * n + 1):
        errors += at[k]
        if free and errors < least:
            least, best = errors, k - n
        elif not free and k - n == min(given, n):
            least = errors
    return least, best
