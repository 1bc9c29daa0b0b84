"""Rounds of Wolfe's method: between looks at all rows it works on a pool of those with the lowest scores."""

import numpy as np

from .corral import FULL, STALLED, Corral, climb, empty_corral, join, minimise, settle
from .search import Point, Search, balanced, combination

POOL = 100  # rows beside the corral
MOST = 3000  # rows a corral may have: its factor takes the square of that, 72 MB


def shrink_corral(search: Search, most: int = MOST) -> None:
    """Find the shortest combination; starts from the best point so far, if there is one. `most` : rows that
    a corral may have."""
    room = room_for(search, most)
    start = search.best.point if search.best else Point(search.first_rows, np.ones(search.task.sides))
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
        found = search.look(point, combination(search, point), exact=True)
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
        pool = np.union1d(search.lowest_rows(POOL + k), members)  # after a rebuild they may be others
        corral.spots[: len(members)] = np.searchsorted(pool, members)
        before = corral.counts[1:].sum()
        # far from the end the pool is not worth more digits: the next one will be another
        tol = max(search.tol / 2, min(0.3, 0.1 * found.gap))
        status = climb(search.task, corral, pool, w, tol, search.zero)
        search.n_updates += int(corral.counts[1:].sum() - before)
        stalled = status == STALLED or corral.counts[1:].sum() == before  # nothing moved
        full = status == FULL


def heaviest(search: Search, point: Point, how_many: int) -> Point:
    """The rows of a point with the largest weights; on each side at least one."""
    order = np.argsort(-point.weights, kind="stable")
    sides = search.task.side[point.rows[order]]
    first = np.array([np.argmax(sides == h) for h in range(search.task.sides)])
    chosen = order[np.union1d(np.arange(how_many), first)]
    return Point(point.rows[chosen], point.weights[chosen])


def room_for(search: Search, most: int = MOST) -> int:
    """Affinely independent rows are at most one more than columns; slack makes any rows independent."""
    m, n = search.matrix.shape
    return int(min(m, most if search.task.ridge > 0.0 else min(n + search.task.sides, most))) + 1


def rebuilt(search: Search, start: Point, room: int) -> Corral:
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
    settle(task, corral, np.ones(room, np.bool_), goal)
    return corral
