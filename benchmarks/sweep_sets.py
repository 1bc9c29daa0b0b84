"""The sets of rows that the sweeps are raced over."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .labeled_rows import a9a, csr_labeled, dense_labeled

SIZES = {"wide": (100_000, 1_000), "tall": (1_000_000, 50), "sparse": (200_000, 50_000, 72)}
QUICK_SIZES = {"wide": (2_000, 500), "tall": (10_000, 50), "sparse": (2_000, 5_000, 72)}
PRECISIONS = (np.float64, np.float32)


@dataclass
class Task:
    """One set of rows to sweep over."""

    key: str  # short and stable: wide, tall, sparse, a9a
    title: str
    X: Any
    y: np.ndarray
    epochs: tuple[int, int] = (1, 3)  # of the two fits whose difference is taken

    @property
    def id(self) -> str:
        return f"{self.key} {self.X.dtype}"

    @property
    def label(self) -> str:
        return f"{self.title} {self.X.dtype}"


def tasks(quick: bool) -> Iterator[Task]:
    """The sets, made one after the other: together they would fill a small machine's memory."""
    sizes = QUICK_SIZES if quick else SIZES
    for key in ("wide", "tall"):
        yield from _dense_tasks(key, *sizes[key])
    yield from _csr_tasks(*sizes["sparse"])
    yield from _a9a_tasks(quick)


def _dense_tasks(key: str, m: int, n: int) -> Iterator[Task]:
    for dtype in PRECISIONS:
        X = np.empty((m, n), dtype)
        yield Task(key, f"dense {m:,}×{n:,}", X, dense_labeled(X))


def _csr_tasks(m: int, n: int, per_row: int) -> Iterator[Task]:
    X, y = csr_labeled(m, n, per_row)
    for dtype in PRECISIONS:
        yield Task("sparse", f"CSR {m:,}×{n:,} ({per_row} per row)", X.astype(dtype), y)


def _a9a_tasks(quick: bool) -> Iterator[Task]:
    """A small set: more epochs, so that their difference stands out of the noise."""
    for dtype in PRECISIONS:
        rows = a9a(dtype)
        if rows is not None:
            yield Task("a9a", "a9a, CSR 32,561×123", *rows, (1, 3 if quick else 41))
