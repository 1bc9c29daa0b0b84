"""The methods that find the maximum margin, and which is used when: the numbers of rows and columns decide.

* Wolfe's method is exact and the fastest as long as few rows can be in the corral: their number is at most
  that of the columns and one or two more. A fit with slack may need every row.
* With slack and fewer columns than rows Newton's method does not care how many rows have slack. If they are
  many, coordinate descent finds out first which.
* Where both are many coordinate descent comes first; Wolfe's method follows if it is slow to converge.

Wolfe's method works on a pool of the rows with the lowest scores between scans of all rows.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from ..._types import Array
from .corral import FULL, STALLED, Corral, climb, empty_corral, join, minimise, walk_to
from .descent import descend
from .exactly import decide
from .newton import newton
from .pool import FoundPoint, HullPoint, MarginSearch, balanced, combination

POOL = 100  # rows beside the corral
MOST = 3000  # rows a corral may have: its factor takes the square of that, 72 MB


def shrink_corral(search: MarginSearch, most: int = MOST) -> None:
    """Find the shortest combination; starts from the best point so far, if there is one. `most` : rows that
    a corral may have."""
    room = room_for(search, most)
    start = search.best.point if search.best else HullPoint(search.first_rows, np.ones(search.task.sides))
    if len(start.rows) >= room:
        if search.task.ridge > 0.0:
            return  # all these rows have slack, and no factor holds them
        start = heaviest(search, start, room // 2)  # more cannot be independent
    corral, shortest = rebuilt(search, start, room), start
    w, stalled, full, rebuilds, lengths = np.zeros(len(search.task.centre)), False, False, 0, [np.inf]
    while True:
        k = corral.counts[0]
        point = balanced(search.task, corral.rows[:k].copy(), corral.weights[:k])
        if point is None:
            return  # the factor has broken down; what was found before remains
        search.n_passes += 1
        found = search.assess(point, combination(search, point), exact=True)
        if search.ended or full:
            return
        if found.length < min(lengths):
            shortest = point
        lengths.append(found.length)
        stalled = stalled or min(lengths[-3:]) >= (1.0 - 1e-9) * min(lengths[:-3], default=np.inf)
        if stalled:  # rounding has the better of the factor: once more from the rows themselves
            if rebuilds == 2:
                return
            rebuilds, lengths = rebuilds + 1, [min(lengths)]
            corral = rebuilt(search, shortest, room)
        members = corral.rows[: corral.counts[0]]
        pool = search.lowest_rows(POOL + k, members)  # after a rebuild they may be others
        corral.spots[: len(members)] = np.searchsorted(pool, members)
        before = corral.counts[1:].sum()
        # far from the end the pool is not worth more digits: the next one will be another
        tol = max(search.tol / 2, min(0.3, 0.1 * found.gap))
        status = climb(search.task, corral, pool, w, tol, search.zero)
        search.n_updates += int(corral.counts[1:].sum() - before)
        stalled = status == STALLED or corral.counts[1:].sum() == before  # nothing moved
        full = status == FULL


def heaviest(search: MarginSearch, point: HullPoint, how_many: int) -> HullPoint:
    """The rows of a point with the largest weights; on each side at least one."""
    order = np.argsort(-point.weights, kind="stable")
    sides = search.task.side[point.rows[order]]
    first = np.array([np.argmax(sides == h) for h in range(search.task.sides)])
    chosen = order[np.union1d(np.arange(how_many), first)]
    return HullPoint(point.rows[chosen], point.weights[chosen])


def room_for(search: MarginSearch, most: int = MOST) -> int:
    """Affinely independent rows are at most one more than columns; slack makes any rows independent."""
    m, n = search.matrix.shape
    return int(min(m, most if search.task.ridge > 0.0 else min(n + search.task.sides, most))) + 1


def rebuilt(search: MarginSearch, start: HullPoint, room: int) -> Corral:
    """A corral of these rows, the heaviest first; those that depend on others stay outside."""
    corral, task = empty_corral(room), search.task
    line, row = np.empty(room), np.empty(len(task.centre))
    for s in np.argsort(-start.weights, kind="stable"):
        if join(task, corral, start.rows[s], line, row):
            corral.weights[corral.counts[0] - 1] = start.weights[s]
    k = corral.counts[0]
    fair = balanced(task, corral.rows[:k], corral.weights[:k])
    assert fair is not None  # the heaviest row of each side has joined
    corral.weights[:k] = fair.weights
    corral.spots[:k] = np.arange(k)
    goal = np.zeros(room)
    minimise(corral, task.sides, 1.0, goal)
    walk_to(task, corral, np.ones(room, np.bool_), goal)
    return corral


FEW, FEW_COLUMNS = 1000, 2500  # rows in a corral; columns of a Newton step
LITTLE = 1e-4  # the largest ridge of a row, 1/C without weights, relative to a squared row
MANY = 2e9  # operations of a Newton step on all rows: a few sweeps find out which rows it needs
Method = Callable[[MarginSearch], None]


def methods(shape: tuple[int, int], slack: bool, little: bool = False) -> list[Method]:
    """In the order in which they are tried; each starts from what the one before has found.

    `little` : slack is so dear that, if the rows are separable, there will be hardly any.
    """
    n_rows, n_columns = shape
    if slack and little and n_columns <= FEW:
        return [partial(shrink_corral, most=2 * (n_columns + 2)), *methods(shape, slack)]
    if slack and n_columns <= min(n_rows, FEW_COLUMNS):
        large = n_rows * n_columns**2 > MANY
        return [*([partial(descend, at_most=4)] if large else []), newton, shrink_corral]
    if (n_rows if slack else min(n_rows, n_columns + 2)) <= FEW:
        return [shrink_corral]
    return [descend, shrink_corral]


def run(search: MarginSearch) -> None:
    """Search until the gap is closed, a witness says that there is no margin, or the cap is reached."""
    lightest = search.task.weights.min() if len(search.task.weights) else 1.0
    little = search.task.ridge < LITTLE * search.task.lift * lightest
    for method in methods(search.matrix.shape, search.task.ridge > 0.0, little):
        if not search.ended:
            method(search)
    if search.best is None:  # nothing came of it, not even a point to look at
        first = HullPoint(search.first_rows, np.ones(search.task.sides))
        search.assess(first, combination(search, first))
    if search.task.ridge == 0.0 and not search.solved:
        decide(search)
    if search.task.ridge == 0.0 and not search.solved:
        soften(search)


def soften(search: MarginSearch) -> None:
    """No margin was found: let the hyperplane with slack compete for the fewest errors, too.

    1/C is the mean squared distance of the rows from their centre, so that their scale does not matter.
    """
    soft = search.with_slack(search.task.lift)
    methods(search.matrix.shape, slack=True)[0](soft)
    search.n_updates = soft.n_updates
    if soft.best is not None:
        found = search.assess(soft.best.point, soft.best.w)
        if search.best is found:
            search.best = found._replace(unit=soft.best.length)


def intercept_of(search: MarginSearch, best: FoundPoint) -> tuple[float, bool]:
    """The intercept that goes with best.w, and whether the support rows alone decide it.

    Half way between the two points; if that leaves too little margin, half way between the lowest rows,
    wherever they are; where rows are wrong, the one with the fewest of them.
    """
    if search.task.sides == 1:
        return 0.0, True
    if search.task.ridge == 0.0 and not search.solved:
        return fewest_errors(search.rescored(best), search.task.y), False
    points, lowest = (float(one[0] - one[1]) / 2 for one in (best.levels, best.lowest))
    reach = min(best.lowest[0] - points, best.lowest[1] + points)
    return (points, True) if reach >= (1.0 - search.tol) * best.length / 2 else (lowest, False)


def fewest_errors(scores: Array, y: Array) -> float:
    """The intercept with which the fewest rows are on the wrong side; of several, one far from the rows."""
    order = np.argsort(scores, kind="stable")
    y, scores, n = y[order], scores[order], len(y)
    # threshold after the k lowest: positives among these are wrong, negatives above them are wrong
    wrong = np.full(n + 1, (y < 0).sum())
    wrong[1:] += np.cumsum(y, out=order)
    wrong[1:-1][scores[1:] == scores[:-1]] = n  # no threshold fits between equal scores
    few, far = np.flatnonzero(wrong == wrong.min()), (scores[-1] - scores[0]) or 1.0
    room = scores[np.minimum(few, n - 1)] - scores[np.maximum(few - 1, 0)]
    k = int(few[np.argmax(np.where((few == 0) | (few == n), far, room))])
    if k in (0, n):
        return -float(scores[0] - far if k == 0 else scores[-1] + far)
    return -float((scores[k] + scores[k - 1]) / 2)
