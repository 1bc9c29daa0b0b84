"""Visiting orders; the only place where a fit draws random numbers.

An order is an array of unsigned row numbers, drawn here and handed to compiled code, so that the slow
twin in the tests can walk the same rows. It depends on the number of rows and the seed alone, never on
how the rows are stored.
"""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._types import Array

BLOCK = 64  # rows; a block is read in memory order before its rows are visited at random
FEW = 64 * BLOCK  # rows that are quick to walk in any order


def unsigned(n_rows: int) -> type[np.unsignedinteger[Any]]:
    """The type of row numbers."""
    return np.uint32 if n_rows < 2**31 else np.uint64


def given(n_rows: int) -> Array:
    """The rows as they stand."""
    return np.arange(n_rows, dtype=unsigned(n_rows))


def shuffled(n_rows: int, rng: np.random.RandomState) -> Array:
    """Blocks of rows in random order, rows within a block in random order.

    A full permutation jumps across the whole memory for each row, which is slow to walk. All blocks share
    one inner permutation, drawn anew for each epoch: drawing one per block would take too long.
    """
    kind = unsigned(n_rows)
    blocks, within = rng.permutation(-(-n_rows // BLOCK)), rng.permutation(BLOCK)
    rows = (kind(BLOCK) * blocks.astype(kind)[:, None] + within.astype(kind)).ravel()
    return np.asarray(rows if len(rows) == n_rows else rows[rows < n_rows])


def permuted(rows: Array, rng: np.random.RandomState) -> Array:
    """These rows in random order; a full permutation, for learners that blocks of similar rows would slow
    down more than their memory."""
    return np.asarray(rng.permutation(rows))


def visits(n_rows: int, rng: np.random.RandomState) -> tuple[Array, int]:
    """A random order, and the size of the blocks it visits; 0: few rows, which are mixed as a whole."""
    if n_rows <= FEW:
        return permuted(given(n_rows), rng), 0
    return shuffled(n_rows, rng), BLOCK


def generators(random_state: Any, n: int) -> list[np.random.RandomState]:
    """One source of orders per weight vector, so that none depends on how long another one trained."""
    seeds = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n)
    return [np.random.RandomState(seed) for seed in seeds]


def starting_points(n: int, n_weights: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """Normal weights, an intercept the last of each row; and two numbers from 0 to 1."""
    return rng.standard_normal((n, n_weights + 1)), rng.uniform(size=(n, 2))


def drawn(weights: Array, rng: np.random.RandomState) -> Array:
    """As many rows as there are, each as likely as it is heavy."""
    chosen = rng.choice(len(weights), len(weights), p=weights / weights.sum())
    return np.asarray(chosen, unsigned(len(weights)))


def coins(n: int, share: float, rng: np.random.RandomState) -> Array:
    """True with this probability."""
    return np.asarray(rng.uniform(size=n) < share)


def keys(n: int, rng: np.random.RandomState) -> Array:
    """Numbers from 0 to 1; whoever keeps the rows with the smallest keeps a fair sample."""
    return np.asarray(rng.uniform(size=n))
