# mypy: allow-untyped-defs, allow-untyped-calls
"""Parts of vectors, for compiled code: the few operations that a triangular factor needs.

These are ordinary Python functions, as in `rows.layouts`; compiled, `inner` may reorder its
sum, so that it vectorizes.
"""

from typing import Any

from numba.extending import overload

from ..._types import Array

_REORDERED: Any = {"fastmath": {"reassoc", "contract"}, "forceinline": True}


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


@overload(inner, jit_options=_REORDERED)
def _inner(u, v, start, stop):
    def dense(u, v, start, stop):
        total = 0.0
        for j in range(start, stop):
            total += u[j] * v[j]
        return total

    return dense


@overload(shift, jit_options={"forceinline": True})
def _shift(v, factor, u, start, stop):
    def dense(v, factor, u, start, stop):
        for j in range(start, stop):
            v[j] += factor * u[j]

    return dense


@overload(rotate, jit_options={"forceinline": True})
def _rotate(u, v, c, s, start, stop):
    def dense(u, v, c, s, start, stop):
        for j in range(start, stop):
            one, other = u[j], v[j]
            u[j] = c * one + s * other
            v[j] = c * other - s * one

    return dense
