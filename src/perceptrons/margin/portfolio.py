"""Which method finds the maximum margin, from the number of rows and columns alone.

* Wolfe's method is exact and the fastest as long as few rows can be in the corral: their number is at most
  that of the columns and one or two more. A fit with slack may need every row.
* With slack and fewer columns than rows Newton's method does not care how many rows have slack. If they are
  many, coordinate descent finds out first which.
* Where both are many coordinate descent comes first; Wolfe's method follows if it is slow to converge.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from ..data.rows import Array
from .descent import descend
from .newton import newton
from .search import Found, Point, Search, combination
from .wolfe import shrink_corral

FEW, FEW_COLUMNS = 1000, 2500  # rows in a corral; columns of a Newton step
LITTLE = 1e-4  # 1/C, relative to a squared row
MANY = 2e9  # operations of a Newton step on all rows: a few sweeps find out which rows it needs
Method = Callable[[Search], None]


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


def run(search: Search) -> None:
    """Search until the gap is closed, a witness says that there is no margin, or the cap is reached."""
    little = search.task.ridge < LITTLE * search.task.lift
    for method in methods(search.matrix.shape, search.task.ridge > 0.0, little):
        if not search.ended:
            method(search)
    if search.best is None:  # nothing came of it, not even a point to look at
        first = Point(search.first_rows, np.ones(search.task.sides))
        search.look(first, combination(search, first))
    if search.task.ridge == 0.0 and not search.solved:
        soften(search)


def soften(search: Search) -> None:
    """No margin was found: let the hyperplane with slack compete for the fewest errors, too.

    1/C is the mean squared distance of the rows from their centre, so that their scale does not matter.
    """
    soft = search.with_slack(search.task.lift)
    methods(search.matrix.shape, slack=True)[0](soft)
    search.n_updates = soft.n_updates
    if soft.best is not None:
        found = search.look(soft.best.point, soft.best.w)
        if search.best is found:
            search.best = found._replace(unit=soft.best.length)


def intercept_of(search: Search, best: Found) -> tuple[float, bool]:
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
    y, scores = y[order], scores[order]
    # threshold after the k lowest: positives among these are wrong, negatives above them are wrong
    wrong = np.append(0, np.cumsum(y > 0)) + (y < 0).sum() - np.append(0, np.cumsum(y < 0))
    far = (scores[-1] - scores[0]) or 1.0
    cuts = np.concatenate([[scores[0] - far], (scores[1:] + scores[:-1]) / 2, [scores[-1] + far]])
    room = np.concatenate([[far], np.diff(scores), [far]])
    wrong[room == 0.0] = len(y)  # no threshold fits between equal scores
    few = np.flatnonzero(wrong == wrong.min())
    return -float(cuts[few[np.argmax(room[few])]])
