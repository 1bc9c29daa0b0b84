"""Linear systems of whole numbers, solved exactly.

J. D. Dixon, *Exact solution of linear equations using p-adic expansions* (1982). The matrix is inverted
modulo a prime p, once; each further digit, to base p, of the solution costs a product of that inverse with a
vector. When there are enough digits, continued fractions tell the fractions that they belong to. Numbers of
thousands of digits arise in the end alone, so 100 equations take a tenth of a second where elimination with
fractions takes minutes. Every answer is checked by substitution, exactly.
"""

from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from .._types import Array

PRIME = 4_194_301  # below 2²²: 512 products of two remainders add up in double precision, by fast routines
LIMB = 22  # bits of the pieces into which entries are cut for the same reason
MOST = 512  # equations
FIRST_DIGITS = 8


class Solution(NamedTuple):
    """x = numerators / denominator; whole numbers, the denominator positive."""

    numerators: Array  # of Python's whole numbers, as is every array of this module but remainders
    denominator: int


def remainders(A: Array) -> Array:
    """Whole numbers modulo the prime."""
    return np.asarray(A % PRIME).astype(np.int64)


def independent(A: Array) -> tuple[Array, Array]:
    """Rows and columns of A, as many of each, that cross in a matrix regular modulo the prime, and so
    regular; likewise the first t of the rows and of the columns, for every t.

    A column stays outside if it depends on those before it, modulo the prime: one time in millions on these
    grounds alone.
    """
    R = remainders(A)
    order = np.arange(len(R))
    columns: list[int] = []
    for j in range(R.shape[1]):
        k = len(columns)
        there = np.flatnonzero(R[k:, j])
        if not len(there):
            continue
        swap = [k, k + there[0]]
        R[swap], order[swap] = R[swap[::-1]], order[swap[::-1]]
        R[k, j:] = R[k, j:] * pow(int(R[k, j]), -1, PRIME) % PRIME
        below = k + 1 + np.flatnonzero(R[k + 1 :, j])
        R[below, j:] = (R[below, j:] - R[below, j, None] * R[k, None, j:]) % PRIME
        columns.append(j)
        if len(columns) == len(R):
            break
    return order[: len(columns)], np.array(columns, np.int64)


def solve(A: Array, b: Array) -> Solution | None:
    """The x with A x = b, for a regular square matrix; None if the prime divides its determinant."""
    inverse = _inverse(remainders(A))
    if inverse is None:
        return None
    limbs, digits, rest, attempt = _limbs(A), [], b.copy(), FIRST_DIGITS
    most = 2 * (most_bits(A, b) + 1) // (PRIME.bit_length() - 1) + 2
    while True:
        digit = inverse @ (rest % PRIME).astype(np.float64) % PRIME
        digits.append(digit.astype(np.int64))
        for shift, part in limbs:
            rest = rest - ((part @ digit).astype(np.int64).astype(object) << shift)
        rest = rest // PRIME
        if len(digits) == min(attempt, most) or not rest.any():
            found = _fractions(*_joined(digits))
            if found is not None and (A @ found.numerators == b * found.denominator).all():
                return found
            if len(digits) >= most:
                return None
            attempt = 4 * len(digits)


def _inverse(R: Array) -> Array | None:
    """By Gauss and Jordan, modulo the prime."""
    n = len(R)
    both = np.hstack([R, np.eye(n, dtype=np.int64)])
    for k in range(n):
        there = np.flatnonzero(both[k:, k])
        if not len(there):
            return None
        swap = [k, k + there[0]]
        both[swap] = both[swap[::-1]]
        both[k] = both[k] * pow(int(both[k, k]), -1, PRIME) % PRIME
        others = np.flatnonzero(both[:, k])
        others = others[others != k]
        both[others] = (both[others] - both[others, k, None] * both[k]) % PRIME
    return np.ascontiguousarray(both[:, n:], np.float64)


def _limbs(A: Array) -> list[tuple[int, Array]]:
    """A = Σ part·2^shift, each part small."""
    rest: Any = abs(A)
    parts, shift, signs = [], 0, np.where(A < 0, -1, 1)
    while rest.any():
        parts.append((shift, (rest & ((1 << LIMB) - 1)).astype(np.float64) * signs))
        rest, shift = rest >> LIMB, shift + LIMB
    return parts


def most_bits(A: Array, b: Array) -> int:
    """No term of the solution is longer. Hadamard: no determinant of columns of A and b is larger than the
    product of their lengths; nor than that of its rows."""
    columns = sorted(bits(column) for column in (*A.T, b))[1:]
    rows = [max(bits(row), bits(one)) for row, one in zip(A, b[:, None], strict=True)]
    return min(sum(columns), sum(rows)) + (len(A) * len(A).bit_length() + 1) // 2


def bits(A: Array) -> int:
    """Of the largest of these whole numbers."""
    return int(max(abs(A).flat, default=0)).bit_length()


def _joined(digits: list[Array]) -> tuple[Array, int]:
    """The numbers with these digits, and the modulus up to which they are known."""
    numbers, base = [digit.astype(object) for digit in digits], PRIME
    while len(numbers) > 1:
        if len(numbers) % 2:
            numbers.append(np.zeros_like(numbers[0]))
        numbers = [low + high * base for low, high in zip(numbers[::2], numbers[1::2], strict=True)]
        base *= base
    return numbers[0], PRIME ** len(digits)


def _fractions(x: Array, modulus: int) -> Solution | None:
    """Fractions with small terms that are x modulo this, over one denominator."""
    limit, denominator = isqrt(modulus // 2), 1
    for one in x:
        remainder = one * denominator % modulus
        if min(remainder, modulus - remainder) > limit:
            denominator *= _denominator(remainder, modulus, limit)
        if denominator > limit:
            return None
    x = x * denominator % modulus
    return Solution(np.where(x > modulus // 2, x - modulus, x), denominator)


def _denominator(x: int, modulus: int, limit: int) -> int:
    """The d with x·d small, modulo this: by Euclid's algorithm, stopped half way."""
    high, low, before, d = modulus, x, 0, 1
    while low > limit:
        quotient = high // low
        high, low, before, d = low, high - quotient * low, d, before - quotient * d
    return abs(d)
