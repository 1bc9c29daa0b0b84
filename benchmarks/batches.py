"""Streams of small batches: `partial_fit` beside scikit-learn's."""

from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .contestants import OURS, PEER, ours, sklearn_perceptron
from .labeled_rows import dense_labeled
from .layout import Column, Section
from .timing import interleave

BATCH = 1_000
SIZES = ((50, 100), (50, 1_000))  # batches, columns
QUICK_SIZES = ((3, 50),)
COLUMNS = [
    Column("name", "rows", "text"),
    Column("ours", "perceptrons", "time"),
    Column("peer", "sklearn Perceptron", "time"),
    Column("ratio", "sklearn / ours", "ratio"),
]


def section(quick: bool, rounds: int) -> Section:
    table = Section(f"partial_fit, batches of {BATCH:,} rows: time per batch", COLUMNS, [])
    for n_batches, n_columns in QUICK_SIZES if quick else SIZES:
        for dtype in (np.float64, np.float32):
            _add_row(table, n_batches, np.empty((n_batches * BATCH, n_columns), dtype), rounds)
    return table


def _add_row(table: Section, n_batches: int, X: Any, rounds: int) -> None:
    y = dense_labeled(X)
    streams = {
        name: partial(_stream, make, X, y) for name, make in ((OURS, ours), (PEER, sklearn_perceptron))
    }
    with threadpool_limits(1):
        times = interleave(streams, rounds)
    name = f"{BATCH:,}×{X.shape[1]:,} {X.dtype}"
    table.raw[name] = times.seconds
    measured = {key: times.median(who) / n_batches for key, who in (("ours", OURS), ("peer", PEER))}
    row = {"id": f"batch {X.shape[1]} {X.dtype}", "name": name, **measured}
    table.rows.append(row | {"ratio": times.ratio(PEER, OURS)})


def _stream(make: Any, X: Any, y: np.ndarray) -> None:
    model, classes = make(shuffle=False, epochs=1), np.unique(y)
    for start in range(0, len(y), BATCH):
        model.partial_fit(X[start : start + BATCH], y[start : start + BATCH], classes=classes)
