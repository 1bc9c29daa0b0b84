# mypy: allow-untyped-defs, allow-untyped-calls
"""Fewer rows for the same answers: the rows a kernel model uses are merged, as far as the answers allow.

A row hands its duals over to the nearest row of its class that is still used, if then every training row
keeps its answer and at least `KEPT` of its lead: how far the score of the answer is above the next one (for
two classes, |score|). The smallest duals come first. This merges support vectors as Wang, Crammer and
Vucetic (2012) do under a budget, but what is given here is the loss and not the number of rows.

The sum of the duals stays the same, so the intercept does too, and no dual changes its sign: the weights are
still a sum of rows with a ≥ 0, of which certificates speak. Dropping rows instead of merging them shifts the
intercept and takes away fewer rows. Rerunning on the rows that are left does not give these weights: a model
that was merged has no compression bound.
"""

import numpy as np

from .._types import Array
from ..compiled import compiled, inlined
from ..rows.layouts import Gram

KEPT = 0.8  # of every lead; on sixty tables 0.5 costs accuracy, 0.9 leaves more rows and gains none


def merge_rows(gram: Gram, used: Array, codes: Array, duals: Array, scores: Array) -> tuple[Array, Array]:
    """Which of the rows used remain, and the duals (one line per weight vector) then.

    used : the places of the rows that have duals; their kernel values are known. codes : their classes.
    scores : of all rows, intercept included, one line per weight vector.
    """
    duals, scores = duals.T.copy(), scores.T.copy()
    order = np.argsort(np.abs(duals).max(axis=1), kind="stable")
    remains = merge(gram.matrix, gram.diagonal, used, codes, duals, scores, order)
    return remains, np.ascontiguousarray(duals[remains].T)


@compiled
def merge(K, diagonal, used, codes, duals, scores, order):
    """Merge in this order; `duals` and `scores`, one line per row, change in place."""
    m, n_vectors = scores.shape
    remains, answers, least = np.empty(used.size, np.bool_), np.empty(m, np.int64), np.empty(m)
    for p in range(used.size):
        remains[p] = True
    for j in range(m):
        answers[j] = answer(scores[j])
        least[j] = KEPT * lead(scores[j], answers[j])
    changed, doubtful = np.empty(n_vectors), 0  # the row that objected last is asked first
    for i in order:
        heir = nearest(K, diagonal, used, codes, remains, i)
        if heir < 0:
            continue
        mine, other = K[used[i]], K[used[heir]]
        agreed = True
        for place in range(-1, m):
            j = doubtful if place < 0 else place
            for k in range(n_vectors):
                changed[k] = scores[j, k] + duals[i, k] * (other[j] - mine[j])
            if answer(changed) != answers[j] or lead(changed, answers[j]) < least[j]:
                agreed, doubtful = False, j
                break
        if agreed:
            for j in range(m):
                for k in range(n_vectors):
                    scores[j, k] += duals[i, k] * (other[j] - mine[j])
            for k in range(n_vectors):
                duals[heir, k] += duals[i, k]
                duals[i, k] = 0.0
            remains[i] = False
    return remains


@inlined
def nearest(K, diagonal, used, codes, remains, i):
    """The nearest other row of the class that remains, in feature space; −1 if no other remains."""
    mine, best, found = K[used[i]], np.inf, -1
    for p in range(used.size):
        if p != i and remains[p] and codes[p] == codes[i]:
            distance = diagonal[used[p]] - 2.0 * mine[used[p]]
            if distance < best:
                best, found = distance, p
    return found


@inlined
def answer(scores):
    """The place of the class that the scores of a row choose."""
    if scores.size == 1:
        return int(scores[0] > 0.0)
    best = 0
    for k in range(1, scores.size):
        if scores[k] > scores[best]:
            best = k
    return best


@inlined
def lead(scores, best):
    """How far the score of the answer is above the next one."""
    if scores.size == 1:
        return scores[0] if best == 1 else -scores[0]
    second = -np.inf
    for k in range(scores.size):
        if k != best:
            second = max(second, scores[k])
    return scores[best] - second
