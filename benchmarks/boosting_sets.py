"""Rows of literals with planted conjunctions, and tables to fit: synthetic, a9a, mushroom."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_svmlight_file
from sklearn.model_selection import train_test_split

from .labeled_rows import a9a


class Literals(NamedTuple):
    id: str
    label: str
    sparse: bool  # few literals hold in a row: CSR
    checked: int  # stages of the peer
    rounds: int
    load: Callable[[], tuple[np.ndarray, np.ndarray]]  # uint8, classes ±1


class Table(NamedTuple):
    id: str
    label: str
    load: Callable[[], tuple[Any, np.ndarray, Any, np.ndarray]]  # to learn from, to test on


def literal_sets(quick: bool) -> Iterator[Literals]:
    sizes = [(600, 60, 20, 1)] if quick else [(10_000, 500, 100, 3), (100_000, 1_000, 20, 1)]
    for m, n, checked, rounds in sizes:
        for density in (0.1, 0.3, 0.5):
            yield Literals(
                f"{'large' if m > 10_000 else 'small'} {density}",
                f"{m:,}×{n:,}, {density:.0%} hold",
                density < 0.2,
                checked,
                rounds,
                partial(planted, m, n, density),
            )


def planted(m: int, n: int, density: float) -> tuple[np.ndarray, np.ndarray]:
    """Random literals; the classes are a noisy vote of twelve of them and of their pairs."""
    rng = np.random.default_rng(0)
    L = (rng.random((m, n), dtype=np.float32) < density).astype(np.uint8)
    score = 0.5 * rng.standard_normal(m)
    for number in range(12):
        i, j = rng.choice(n, 2, replace=False)
        score += rng.standard_normal() * (L[:, i] if number % 2 else L[:, i] & L[:, j])
    return L, np.where(score > np.median(score), 1, -1).astype(np.int8)


def tables(quick: bool) -> Iterator[Table]:
    m, n = (400, 20) if quick else (10_000, 200)
    yield Table("planted", f"{m:,}×{n} zeros and ones", partial(_planted_table, m, n))
    if not quick:
        yield Table("cancer", "breast cancer, 284×30", _breast_cancer)
    if not quick and os.environ.get("PERCEPTRONS_DATA"):
        yield Table("a9a", "a9a, 32,561×123, CSR", _a9a)


def _planted_table(m: int, n: int) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    L, y = planted(2 * m, n, 0.3)
    X, others, y, hidden = train_test_split(L.astype(float), y, test_size=0.5, random_state=0)
    return X, (y > 0).astype(int), others, (hidden > 0).astype(int)


def _breast_cancer() -> tuple[Any, np.ndarray, Any, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    X, others, y, hidden = train_test_split(X, y, test_size=0.5, random_state=0)
    return X, y, others, hidden


def _a9a() -> tuple[Any, np.ndarray, Any, np.ndarray]:
    found = a9a(np.float64)
    assert found is not None
    X, y = found
    path = Path(os.environ["PERCEPTRONS_DATA"]) / "sparse" / "a9a.t.gz"
    others, hidden = load_svmlight_file(path, n_features=X.shape[1], dtype=np.float64)
    return X, (y > 0).astype(int), others, (hidden > 0).astype(int)
