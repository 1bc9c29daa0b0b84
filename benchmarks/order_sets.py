"""Rows of literals for the search of conjunctions: planted ones, the papers' tables, a9a."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from perceptrons import LiteralEncoder
from perceptrons.rows.encode import as_rows
from perceptrons.sparse.conjunctions import Literals, arrange

from .boosting_sets import planted
from .labeled_rows import a9a
from .rules import Task

SPARSE = 0.2  # below this density rows are CSR, as the encoder makes them
LETTERS = ("A", "C", "G", "T")  # splice has a few others, which stand for several of these


class OrderSet(NamedTuple):
    id: str
    label: str
    load: Callable[[], tuple[Literals, np.ndarray]]  # classes ±1


def planted_set(m: int, n: int, density: float) -> OrderSet:
    label = f"{m:,}×{n}, {density:.0%} hold"
    return OrderSet(f"planted {density}", label, partial(_planted, m, n, density))


def triples_set(m: int, n: int, density: float) -> OrderSet:
    label = f"{m:,}×{n}, {density:.0%} hold, triples"
    return OrderSet(f"triples {density}", label, partial(_planted_triples, m, n, density))


def table_sets() -> list[OrderSet]:
    """None without the data folder."""
    if not os.environ.get("PERCEPTRONS_DATA"):
        return []
    voting = Task("voting", "", ("physician-fee-freeze",))
    return [
        OrderSet("voting", "voting, 435×30", partial(_table, voting, "republican")),
        OrderSet("promoters", "promoters, 106×228", partial(_table, Task("promoters", ""), "+")),
        splice(),
        OrderSet("mushroom", "mushroom, 8,124×116", partial(_table, Task("mushroom", ""), "poisonous")),
        OrderSet("a9a", "a9a, 32,561×123", _a9a),
    ]


def splice() -> OrderSet:
    load = partial(_table, Task("splice", ""), "EI", LETTERS)
    return OrderSet("splice", "splice, EI or not, 3,190×240", load)


def _planted(m: int, n: int, density: float) -> tuple[Literals, np.ndarray]:
    return _arranged(*planted(m, n, density), density)


def _planted_triples(m: int, n: int, density: float) -> tuple[Literals, np.ndarray]:
    """The classes are a noisy vote of eight conjunctions of three literals."""
    rng = np.random.default_rng(0)
    L = (rng.random((m, n)) < density).astype(np.uint8)
    score = 0.5 * rng.standard_normal(m)
    for _ in range(8):
        score += rng.choice([-1, 1]) * L[:, rng.choice(n, 3, replace=False)].all(axis=1)
    return _arranged(L, np.where(score > np.median(score), 1, -1).astype(np.int8), density)


def _arranged(L: np.ndarray, y: np.ndarray, density: float) -> tuple[Literals, np.ndarray]:
    rows: Any = as_rows(sp.csr_array(L)) if density < SPARSE else L
    return arrange(rows, len(L), np.arange(L.shape[1])), y


def _table(task: Task, label: str, values: tuple[str, ...] = ()) -> tuple[Literals, np.ndarray]:
    """One class against the rest; literals of these values alone, if any are named."""
    X, y = task.load()
    encoder = LiteralEncoder()
    L: Any = encoder.fit_transform(X)  # an array: of these tables, no attribute has many values
    kept = [not values or str(name).endswith(values) for name in encoder.get_feature_names_out()]
    data = arrange(np.ascontiguousarray(L[:, kept]), len(y), encoder.attributes_[kept])
    return data, np.where(y == label, 1, -1).astype(np.int8)


def _a9a() -> tuple[Literals, np.ndarray]:
    """Its columns are literals; of which attribute is not told."""
    found = a9a(np.float64)
    assert found is not None
    X, y = found
    rows: Any = as_rows(sp.csr_array(X).astype(np.uint8))
    return arrange(rows, len(y), np.arange(X.shape[1])), np.where(y > 0, 1, -1).astype(np.int8)
