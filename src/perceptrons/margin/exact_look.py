# mypy: allow-untyped-defs, allow-untyped-calls
"""A look at all rows in fractions: what a weight vector achieves, exactly.

Scores in double precision and what rounding may have done to them say which few rows can be the lowest, or on
the other side; these are added up without rounding. This decides claims that bounds leave open, and stands in
for a compiled look where rounding errors are no doubles.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.encode import Encoded, is_sparse
from ..rows.scores import bracket
from ..theory.outward import LEAST, error_factor, exact_dot, exact_sqnorm

BLOCK = 512  # rows scored together


class Scores(NamedTuple):
    """y·(⟨w, x⟩ + b) in double precision, and how far rounding may have taken it, row by row."""

    reach: Array
    far: Array

    def lowest(self) -> Array:
        """The rows that can be the lowest."""
        reach, far, limit = *self, np.inf
        parts = [slice(start, start + BLOCK) for start in range(0, len(reach), BLOCK)]
        for part in parts:
            limit = np.fmin.reduce(reach[part] + far[part], initial=limit)
        found = [part.start + np.flatnonzero(~(reach[part] - far[part] > limit)) for part in parts]
        return np.concatenate(found) if found else np.empty(0, np.intp)


def scores_of(data: Encoded, signs: Array, w: Array, b: float) -> Scores:
    """Scores of all rows, some of them at a time."""
    n_rows, n = data.matrix.shape
    reach, size = np.empty(n_rows), np.empty(n_rows)
    with np.errstate(all="ignore"):
        for start in range(0, n_rows, BLOCK):
            part = slice(start, start + BLOCK)
            rows = data.matrix[part].astype(np.float64, copy=False)
            reach[part] = signs[part] * (rows @ w + b)
            size[part] = abs(rows) @ np.abs(w) + abs(b)
        size *= 2.0 * error_factor(n + 4)
        size += (n + 4) * LEAST
        return Scores(reach, size)


def exact_reach(data: Encoded, signs: Array, w: Array, b: float, i: int) -> Fraction:
    """y·(⟨w, x⟩ + b) of row i."""
    row = data.matrix[[i]].toarray()[0] if is_sparse(data.matrix) else data.matrix[i]
    return int(signs[i]) * exact_dot(np.append(row, 1.0), np.append(w, b))


def exact_look(data: Encoded, signs: Array, w: Array, b: float) -> tuple[Fraction, int]:
    """The smallest y·score, and how many rows are on the wrong side."""
    scores = scores_of(data, signs, w, b)
    in_doubt = ~(np.abs(scores.reach) > scores.far)
    rows = np.union1d(scores.lowest(), np.flatnonzero(in_doubt))
    lows, highs, sure = np.empty(len(rows)), np.empty(len(rows)), np.empty(len(rows), np.bool_)
    brackets(data.X, rows, signs, w, b, (lows, highs, sure))
    values = {i: exact_reach(data, signs, w, b, i) for i in rows[~sure].tolist()}
    for s in np.flatnonzero(sure & (lows <= highs[sure].min(initial=np.inf))).tolist():
        i, known = int(rows[s]), lows[s] == highs[s]
        values[i] = Fraction(lows[s]) if known else exact_reach(data, signs, w, b, i)
    wrong = int((scores.reach[~in_doubt] < 0.0).sum())
    for s in np.flatnonzero(in_doubt[rows]).tolist():
        low, high, i = lows[s], highs[s], int(rows[s])
        if sure[s]:
            wrong += bool(high < 0.0 or (high == 0.0 and (low < 0.0 or signs[i] > 0)))
        else:
            wrong += bool(values[i] < 0 or (values[i] == 0 and signs[i] > 0))
    return min(values.values()), wrong


def exact_low_with_slack(
    data: Encoded, signs: Array, w: Array, b: float, a: Array, C: float, weights: Array
) -> Fraction:
    """The smallest y·score with what the row's own coordinate adds, a_i/(C·weight_i)."""
    reach, far = scores_of(data, signs, w, b)
    for start in range(0, len(reach), BLOCK):  # in place: no more arrays as long as the rows
        part = slice(start, start + BLOCK)
        own = a[part] / C / (weights[part] if len(weights) else 1.0)
        far[part] += 4.0 * error_factor(4) * (own + np.abs(reach[part]))
        reach[part] += own
    rows = Scores(reach, far).lowest()
    each = [Fraction(float(weights[i])) for i in rows] if len(weights) else [Fraction(1)] * len(rows)
    return min(
        exact_reach(data, signs, w, b, i) + Fraction(float(a[i])) / (Fraction(C) * weight)
        for i, weight in zip(rows.tolist(), each, strict=True)
    )


def exact_radius_squared(data: Encoded, lift: float) -> Fraction:
    """The largest squared norm of a lifted row."""
    n_rows, n = data.matrix.shape
    squares = np.empty(n_rows)
    for start in range(0, n_rows, BLOCK):
        rows = data.matrix[start : start + BLOCK].astype(np.float64, copy=False)
        rows = rows.multiply(rows).sum(axis=1) if is_sparse(rows) else np.einsum("ij,ij->i", rows, rows)
        squares[start : start + BLOCK] = np.asarray(rows).ravel()
    least = squares.max() * (1.0 - 4.0 * error_factor(n + 2)) - (n + 2) * LEAST
    return (
        max(map(exact_sqnorm, dense_rows(data.matrix, np.flatnonzero(squares >= least))))
        + Fraction(lift) ** 2
    )


def dense_rows(matrix: Any, rows: Array) -> Any:
    """Some rows, one by one: their cells, those that are 0 included or not."""
    for i in rows.tolist():
        yield matrix[[i]].data if is_sparse(matrix) else matrix[i]


@compiled
def brackets(X, rows, signs, w, b, found):
    """y·score of these rows between two doubles, and whether that is sure."""
    lows, highs, certain = found
    for s in range(rows.size):
        low, high, _, certain[s] = bracket(X, rows[s], w, b)
        lows[s], highs[s] = (low, high) if signs[rows[s]] > 0 else (-high, -low)
