"""Whether rows are separable, where floating point cannot tell: decided without rounding.

A combination of rows that vanishes up to rounding proves nothing: rows may be separable by less. Either its
equations have an exact solution, a witness; or, where rows and columns are few, the search goes on in whole
numbers (`theory.exact_hull`) until it meets a witness or a margin. Otherwise it remains undecided, and the
certificate says why.
"""

from typing import Any

import numpy as np

from ..._types import Array
from ...rows.encode import is_sparse
from ...theory.exact import MOST_CELLS as MOST_PROPOSED
from ...theory.exact import exact_weights
from ...theory.exact_hull import MOST_CELLS, nearest
from ...theory.modular import MOST as MOST_ROWS
from .pool import HullPoint, MarginSearch, Witness

HIDDEN = "a hyperplane separates them, but floating-point weights are too coarse to show it"


def decide(search: MarginSearch) -> None:
    """A witness, or a margin that rounding had hidden, or the reason why neither was found."""
    assert search.best is not None
    point = search.candidate or search.best.point
    order = np.argsort(-point.weights, kind="stable")
    rows, weights = point.rows[order], point.weights[order]
    intercept, reason = search.task.sides == 2, ""
    if search.candidate is not None:
        few = proposed(search.matrix, rows)
        exact, reason = exact_weights(few, search.task.y[rows[: len(few)]], intercept)
        if exact is not None:
            search.witness = Witness(rows[: len(few)], exact)
            return
        if len(few) < len(rows):
            reason = f"{len(rows)} rows are too many for an exact combination"
    elif search.capped:
        search.undecided = "the search was stopped by max_iter"
        return
    if np.prod(search.matrix.shape, dtype=float) <= MOST_CELLS:
        search.undecided = _decide_among_all(search, rows, weights)
    else:
        search.undecided = reason or "the search ended before it met a margin, or a combination that vanishes"


def _decide_among_all(search: MarginSearch, rows: Array, weights: Array) -> str:
    """Go on without rounding, from these rows; returns what stands in the way, if anything does."""
    task, X = search.task, search.matrix.toarray() if is_sparse(search.matrix) else search.matrix
    found, reason = nearest(X, task.y, task.sides == 2, rows, weights, search.tol / 2)
    if found is None:
        return reason
    if found.vanishes:
        search.candidate = HullPoint(found.rows, np.array([float(a) for a in found.weights]))
        search.witness = Witness(found.rows, found.weights)
        return ""
    search.candidate = None
    point = HullPoint(found.rows, np.array([float(a) for a in found.weights]))
    search.assess(point, found.w, exact=True, rounded=False)
    return "" if search.solved else HIDDEN


def proposed(matrix: Any, rows: Array) -> Array:
    """These rows as an array, the first of them if they are too many for an exact combination. Columns that
    are 0 in all of them are left out where rows are sparse."""
    part = matrix[rows[:MOST_ROWS]]
    if is_sparse(part):
        columns = np.unique(part.indices)
        return np.asarray(part[: room(len(columns)), columns].toarray())
    return np.asarray(part[: room(part.shape[1])])


def room(n_columns: int) -> int:
    """How many rows, given the number of columns, are not too many."""
    return max(2, MOST_PROPOSED // max(1, n_columns))
