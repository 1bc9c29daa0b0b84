"""A tree like those of C4.5 (Quinlan 1993), on columns of names: a peer in the paper's experiments.

A node splits by the column of the largest gain ratio, among those whose gain is at least the mean gain of all
that gain anything; one branch per value, of which two must hold two rows or more. A subtree becomes a leaf
where the leaf's pessimistic error is no higher: the upper limit of a binomial share at 25 % confidence, added
up over leaves. Deviations: a missing value is a value of its own; subtrees are not raised, and values not
grouped.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from ..._types import Array

CONFIDENCE, FEWEST = 0.25, 2


class Node(NamedTuple):
    answer: int
    column: int = -1  # of a leaf
    branches: "dict[int, Node] | None" = None

    def leaves(self) -> int:
        return sum(one.leaves() for one in self.branches.values()) if self.branches else 1


def grow(X: Array, y: Array) -> Node:
    """The pruned tree for rows of codes ≥ 0, and answers of 0 or 1."""
    return _prune(_grow(X, y), X, y)[0]


def predict(tree: Node, X: Array) -> Array:
    """Answers; a value that was not met at a node gets the node's own."""
    answers = np.full(len(X), tree.answer)
    for value, branch in (tree.branches or {}).items():
        rows = X[:, tree.column] == value
        answers[rows] = predict(branch, X[rows])
    return answers


def entropy(counts: Array) -> float:
    """In bits.

    >>> entropy(np.array([2, 2]))
    1.0
    """
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def gain_and_ratio(column: Array, y: Array) -> tuple[float, float]:
    """How many bits the column tells of the answers, and that by how many it takes to name its values.

    >>> gain_and_ratio(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    (1.0, 1.0)
    """
    values, codes = np.unique(column, return_inverse=True)
    table = np.zeros((len(values), 2))
    np.add.at(table, (codes, y), 1)
    sizes = table.sum(axis=1)
    if (sizes >= FEWEST).sum() < 2:
        return 0.0, 0.0
    rest = sum(size * entropy(row) for size, row in zip(sizes, table, strict=True)) / len(y)
    gain = entropy(table.sum(axis=0)) - float(rest)
    return gain, gain / entropy(sizes)


def pessimistic(errors: int, n_rows: int) -> float:
    """The pessimistic number of errors of n rows, of which some are wrong.

    >>> round(pessimistic(0, 6), 2)  # Quinlan's example: 6 × 0.206
    1.24
    """
    return (
        n_rows * float(beta.ppf(1 - CONFIDENCE, errors + 1, n_rows - errors)) if errors < n_rows else n_rows
    )


def _grow(X: Array, y: Array) -> Node:
    answer = int(2 * y.sum() > len(y))
    if y.min() == y.max() or len(y) < 2 * FEWEST:
        return Node(answer)
    found = [gain_and_ratio(column, y) for column in X.T]
    gains = np.array([gain for gain, _ in found])
    useful = gains > 1e-12
    if not useful.any():
        return Node(answer)
    enough = gains >= gains[useful].mean() - 1e-12
    ratios = np.where(useful & enough, [ratio for _, ratio in found], -1.0)
    column = int(np.argmax(ratios))
    values = np.unique(X[:, column]).tolist()
    rows = {value: X[:, column] == value for value in values}
    return Node(answer, column, {value: _grow(X[some], y[some]) for value, some in rows.items()})


def _prune(tree: Node, X: Array, y: Array) -> tuple[Node, float]:
    """The tree and its pessimistic errors."""
    as_leaf = pessimistic(int((y != tree.answer).sum()), len(y)) if len(y) else 0.0
    if not tree.branches:
        return tree, as_leaf
    pruned, total = {}, 0.0
    for value, branch in tree.branches.items():
        rows = X[:, tree.column] == value
        pruned[value], errors = _prune(branch, X[rows], y[rows])
        total += errors
    if as_leaf <= total + 0.1:
        return Node(tree.answer), as_leaf
    return tree._replace(branches=pruned), total
