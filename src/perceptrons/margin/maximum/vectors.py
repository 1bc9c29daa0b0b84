# mypy: allow-untyped-defs, allow-untyped-calls
"""Parts of vectors, for compiled code: the few operations that a triangular factor needs.

These are ordinary Python functions, as in `rows.layouts`; compiled, `inner` may reorder its
sum, so that it vectorizes.
"""

from ..._types import Array
from ...compiled import text_for


def inner(u: Array, v: Array, start: int, stop: int) -> float:
    """Σ u_j v_j over j = start … stop − 1."""
    return float((u[start:stop] * v[start:stop]).sum())


def shift(v: Array, factor: float, u: Array, start: int, stop: int) -> None:
    """v_j ← v_j + factor·u_j over j = start … stop − 1, in place."""
    v[start:stop] += factor * u[start:stop]


def rotate(u: Array, v: Array, c: float, s: float, start: int, stop: int) -> None:
    """(u_j, v_j) ← (c·u_j + s·v_j, c·v_j − s·u_j) over j = start … stop − 1, in place."""
    turned = c * u[start:stop] + s * v[start:stop]
    v[start:stop] = c * v[start:stop] - s * u[start:stop]
    u[start:stop] = turned


@text_for(inner, reordered=True)
def _inner(u, v, start, stop):
    def dense(u, v, start, stop):
        total = 0.0
        for j in range(start, stop):
            total += u[j] * v[j]
        return total

    return dense


@text_for(shift, inlined=True)
def _shift(v, factor, u, start, stop):
    def dense(v, factor, u, start, stop):
        for j in range(start, stop):
            v[j] += factor * u[j]

    return dense


@text_for(rotate, inlined=True)
def _rotate(u, v, c, s, start, stop):
    def dense(u, v, c, s, start, stop):
        for j in range(start, stop):
            one, other = u[j], v[j]
            u[j] = c * one + s * other
            v[j] = c * other - s * one

    return dense
