# mypy: allow-untyped-defs, allow-untyped-calls
"""Visiting orders; the only place where a fit draws random numbers.

An order is an array of unsigned row numbers, drawn here and handed to compiled code, so that the slow
twin in the tests can walk the same rows. It depends on the number of rows and the seed alone, never on
how the rows are stored.
"""

from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from .._types import Array
from ..compiled import compiled

BLOCK = 64  # rows that lie side by side in memory
GROUP = 16  # blocks that are read one after the other, and then visited as one: they fit into the cache
GROUP_ROWS = GROUP * BLOCK
FEW = 4096  # rows up to which a full permutation is drawn
BUCKET = 4096  # rows, on average, that are permuted together: they fit into the cache


def unsigned(n_rows: int) -> type[np.unsignedinteger[Any]]:
    """The type of row numbers."""
    return np.uint32 if n_rows < 2**31 else np.uint64


def given(n_rows: int) -> Array:
    """The rows as they stand."""
    return np.arange(n_rows, dtype=unsigned(n_rows))


class Order(NamedTuple):
    """Rows in the order in which they are visited; and where that is by groups of blocks, the first row of
    each block, group after group: so compiled code can read a group in memory order beforehand."""

    rows: Array
    blocks: Array

    def without_blocks(self) -> "Order":
        """The same rows; nothing is read beforehand."""
        return self._replace(blocks=self.blocks[:0])


def in_order(rows: Array) -> Order:
    """These rows, one by one."""
    return Order(rows, rows[:0])


def shuffled(n_rows: int, rng: np.random.RandomState) -> Order:
    """All rows in random order: few by a full permutation, many by groups of blocks.

    A full permutation of many rows jumps across the whole memory for each of them, which is slow to walk.
    So random blocks of neighboring rows are taken in groups, and the rows of a whole group are visited at
    random. A group has one block from each part of the set, which is cut into as many equal parts as a group
    has blocks: where rows are sorted by class, every group has rows of all classes that are not rare.
    All groups share one inner permutation, drawn again for each epoch: one for each would take too long.
    What is left over of blocks and rows is a smaller group, the last.
    """
    if n_rows <= FEW:
        return in_order(permutations(n_rows, 1, rng)[0])
    kind, n_blocks = unsigned(n_rows), n_rows // BLOCK
    n_groups = n_blocks // GROUP
    turned = (np.arange(n_blocks, dtype=kind) + kind(rng.randint(n_blocks))) % kind(n_blocks)
    parts = turned[: n_groups * GROUP].reshape(GROUP, n_groups)
    blocks = kind(BLOCK) * np.stack([rng.permutation(part) for part in parts], axis=1)
    left = kind(BLOCK) * turned[n_groups * GROUP :]
    rest = [
        (left[:, None] + np.arange(BLOCK, dtype=kind)).ravel(),
        np.arange(n_blocks * BLOCK, n_rows, dtype=kind),
    ]
    rows = np.empty(n_rows, kind)
    visit_groups(blocks, rng.permutation(GROUP_ROWS), rows)
    rows[n_groups * GROUP_ROWS :] = permuted(np.concatenate(rest), rng)
    return Order(rows, np.append(blocks, left))


@compiled
def visit_groups(blocks, within, rows):
    """The rows of each group, in the inner order `within` that all groups share."""
    for group in range(blocks.shape[0]):
        for k in range(within.size):
            rows[group * within.size + k] = blocks[group, within[k] // BLOCK] + within[k] % BLOCK


def permutations(n_rows: int, n: int, rng: np.random.RandomState) -> Array:
    """A number of permutations of few rows, the same whether they are drawn together or one by one.

    Small tables are swept in microseconds; NumPy's own permutation would take longer than the sweep.
    """
    orders = np.empty((n, n_rows), np.uint32)
    deal(rng.randint(2**32, size=(n, n_rows), dtype=np.uint32), orders)
    return orders


@compiled
def deal(bits, orders):
    """Fisher and Yates: each row in turn takes the place of one dealt before it, which goes to the end.
    32 random bits name that place; of at most 4,096, none is likelier than another by a millionth."""
    for e in range(orders.shape[0]):
        order = orders[e]
        for i in range(order.size):
            place = (np.uint64(bits[e, i]) * np.uint64(i + 1)) >> np.uint64(32)
            order[i] = order[place]
            order[place] = i


def permuted(rows: Array, rng: np.random.RandomState) -> Array:
    """These rows in random order; a full permutation, for learners that blocks of similar rows would slow
    down more than their memory.

    Exchanges across a long array wait for memory at each of them. Many rows are first thrown into buckets
    at random, and then permuted within each: all orders are equally likely still (C. R. Rao, 1961;
    M. Sandelius, 1962).
    """
    if len(rows) <= FEW:
        return np.asarray(rng.permutation(rows))
    bits, out = rng.randint(2**32, size=(2, len(rows)), dtype=np.uint32), np.empty_like(rows)
    ends = np.zeros(-(-len(rows) // BUCKET) + 1, np.int64)
    throw(rows, bits[0], ends, out)
    for start, stop in pairwise(ends.tolist()):
        deal_out(bits[1, start:stop], out[start:stop])
    return out


@compiled
def throw(rows, bits, ends, out):
    """Each row into the bucket that its bits name; a bucket is what lies between two of the ends."""
    n_buckets = ends.size - 1
    for i in range(rows.size):
        ends[1 + bucket_of(bits[i], n_buckets)] += 1
    for b in range(n_buckets):
        ends[b + 1] += ends[b]
    places = ends[:-1].copy()
    for i in range(rows.size):
        b = bucket_of(bits[i], n_buckets)
        out[places[b]] = rows[i]
        places[b] += 1


@compiled
def bucket_of(bits, n_buckets):
    return np.int64((np.uint64(bits) * np.uint64(n_buckets)) >> np.uint64(32))


@compiled
def deal_out(bits, rows):
    """The same rows, in random order: Fisher and Yates, as in `deal`."""
    for i in range(rows.size):
        place = np.int64((np.uint64(bits[i]) * np.uint64(i + 1)) >> np.uint64(32))
        rows[i], rows[place] = rows[place], rows[i]


def generators(random_state: Any, n: int) -> list[np.random.RandomState]:
    """One source of orders per weight vector, so that none depends on how long another one trained."""
    source = check_random_state(random_state)
    seeds = source.randint(np.iinfo(np.int32).max, size=n)
    if n == 1 and isinstance(random_state, Integral):  # our own source: to make another takes 0.1 ms
        source.seed(seeds[0])
        return [source]
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
