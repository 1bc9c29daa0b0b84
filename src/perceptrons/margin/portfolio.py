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

from .descent import descend
from .newton import newton
from .search import Found, Search
from .wolfe import shrink_corral

FEW = 1000  # rows in a corral, columns of a Newton step
MANY = 2e9  # operations of a Newton step on all rows: a few sweeps find out which rows it needs
Method = Callable[[Search], None]


def methods(shape: tuple[int, int], slack: bool) -> list[Method]:
    """In the order in which they are tried; each starts from what the one before has found."""
    n_rows, n_columns = shape
    if slack and n_columns <= min(n_rows, FEW):
        large = n_rows * n_columns**2 > MANY
        return [*([partial(descend, at_most=4)] if large else []), newton, shrink_corral]
    if (n_rows if slack else min(n_rows, n_columns + 2)) <= FEW:
        return [shrink_corral]
    return [descend, shrink_corral]


def run(search: Search) -> None:
    """Search until the gap is closed, a witness says that there is no margin, or the cap is reached."""
    for method in methods(search.matrix.shape, search.task.ridge > 0.0):
        if not search.ended:
            method(search)
    if search.witness is not None:
        soften(search)


def soften(search: Search) -> None:
    """There is no margin: let the hyperplane with slack compete for the fewest errors, too.

    C is one over the mean squared norm of the rows, so that the scale of the data does not matter.
    """
    soft = search.with_slack(search.task.lift)
    for method in methods(search.matrix.shape, slack=True)[:1]:
        method(soft)
    if soft.best is not None:
        search.look(soft.best.point, soft.best.w)


def _middle(search: Search, best: Found) -> float:
    """Half way between the two points, which the support rows alone decide; if that leaves too little margin,
    half way between the lowest rows, wherever they are."""
    points, lowest = (float(one[0] - one[1]) / 2 for one in (best.levels, best.lowest))
    reach = min(best.lowest[0] - points, best.lowest[1] + points)
    if reach >= (1.0 - search.tol) * best.length / 2:
        return points
    search.exact = False
    return lowest


def intercept_of(search: Search, best: Found) -> float:
    """For best.w: half way between the lowest scores of both sides, or where the fewest rows are wrong."""
    if search.task.sides == 1:
        return 0.0
    if search.witness is None:
        return _middle(search, best)
    scores = search.rescored(best)
    order = np.argsort(scores, kind="stable")
    y, scores = search.task.y[order], scores[order]
    # threshold after the k lowest: positives among these are wrong, negatives above them are wrong
    wrong = np.append(0, np.cumsum(y > 0)) + (y < 0).sum() - np.append(0, np.cumsum(y < 0))
    far = (scores[-1] - scores[0]) or 1.0
    cuts = np.concatenate([[scores[0] - far], (scores[1:] + scores[:-1]) / 2, [scores[-1] + far]])
    wrong[1:-1][scores[1:] == scores[:-1]] = len(y)  # no threshold fits between equal scores
    return -float(cuts[np.argmin(wrong)])
