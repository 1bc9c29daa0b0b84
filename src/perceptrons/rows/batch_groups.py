"""The batches of an epoch, in the order in which they are presented, those together that are shuffled as one.

The order "cyclic" presents the rows as they are given. The order "shuffle" takes the batches in random order,
where the source can be read so, two at a time, and visits the rows of both by groups of blocks, each of which
has a block from each part of the two (`order.shuffled`). Only two batches are in memory at a time.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from .encode import Encoded, as_rows, is_sparse

SHUFFLE, CYCLIC = "shuffle", "cyclic"
TOGETHER = 2  # batches that are shuffled as one

Read = Callable[[Sequence[int] | None], Iterator[tuple[int, Encoded]]]  # these batches, or all of them


def groups_of(there: list[int], order: str, seekable: bool, rng: np.random.RandomState) -> list[list[int]]:
    """The batches of an epoch, those that are presented as one together; `there` are those with rows."""
    if order != SHUFFLE:
        return [[k] for k in there]
    if seekable:
        there = rng.permutation(there).tolist()
    return [there[start : start + TOGETHER] for start in range(0, len(there), TOGETHER)]


def read_groups(
    groups: Sequence[list[int]], seekable: bool, read: Read
) -> Iterator[tuple[list[int], Encoded]]:
    """The rows of each group."""
    wanted = [k for group in groups for k in group]
    batches, chosen = read(wanted if seekable else None), set(wanted)
    if not seekable:
        batches = ((k, data) for k, data in batches if k in chosen)
    for group in groups:
        yield group, joined([next(batches)[1] for _ in group])
    for _ in batches:  # the source is read to its end, where it is seen whether it has changed
        pass


def joined(parts: list[Encoded]) -> Encoded:
    """Two batches as one."""
    if len(parts) == 1:
        return parts[0]
    matrix = stacked_rows([one.matrix for one in parts])
    weights = np.concatenate([one.weights for one in parts])
    codes = np.concatenate([one.codes for one in parts])
    return parts[0]._replace(matrix=matrix, X=as_rows(matrix), codes=codes, weights=weights, present=None)


def stacked_rows(parts: list[Any]) -> Any:
    """One below the other."""
    if is_sparse(parts[0]):
        return sp.vstack(parts, format="csr")
    return np.concatenate(parts)
