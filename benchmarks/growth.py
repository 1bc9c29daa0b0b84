"""How the time of a fit grows with the rows: per row, beside a fit of the fewest.

Times are those of the processor, with one thread: on a machine that others use, too, a clock on the wall
would tell of them. The best of a few fits counts.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from perceptrons import (
    BinaryPerceptron,
    ConservativePerceptron,
    MaxMarginPerceptron,
    Perceptron,
    SparsePerceptron,
)

from .layout import Column, Section

N_COLUMNS, FEW_COLUMNS = 100, 20
SIZES, MORE, QUICK = (10_000, 100_000, 1_000_000), (10_000_000,), 500  # quick: sizes are divided by it
BLOCK = 10_000  # rows that are drawn together
NOISE = 3.0  # of the labels, beside scores of deviation 10
LONG = 0.3  # seconds: what takes less is fitted again
NOTES = [
    "Rows of independent normal numbers, float32, C-ordered; labels are those of a hyperplane, with noise. "
    "Seconds of the processor, one thread, the best of two fits or more. A fit of few rows stays in the "
    "caches of the processor, one of many waits for memory. Where a default takes minutes, it is cut short "
    "as stated. `KernelPerceptron` is left out: its time grows with the square of the rows.",
]


class Learner(NamedTuple):
    name: str
    make: Callable[[], Any]
    n_columns: int = N_COLUMNS
    sizes: tuple[int, ...] = SIZES


LEARNERS = {
    "perceptron": Learner("Perceptron()", lambda: Perceptron(random_state=0)),
    "narrow": Learner("Perceptron()", lambda: Perceptron(random_state=0), FEW_COLUMNS, SIZES + MORE),
    "slack": Learner("MaxMarginPerceptron(C=1e-3)", lambda: MaxMarginPerceptron(C=1e-3)),
    "conservative": Learner("ConservativePerceptron()", lambda: ConservativePerceptron(random_state=0)),
    "learned": Learner(
        'ConservativePerceptron(band="learned", n_restarts=2, max_epochs=10)',
        lambda: ConservativePerceptron(band="learned", n_restarts=2, max_epochs=10, random_state=0),
    ),
    "influence": Learner("BinaryPerceptron()", lambda: BinaryPerceptron(random_state=0)),
    "sbpi": Learner(
        'BinaryPerceptron(method="sbpi")', lambda: BinaryPerceptron(method="sbpi", random_state=0)
    ),
    "literals": Learner("SparsePerceptron(k=1, stages=20)", lambda: SparsePerceptron(k=1, stages=20)),
    "pairs": Learner("SparsePerceptron(stages=3)", lambda: SparsePerceptron(stages=3)),
}


def run(quick: bool) -> dict[str, Any]:
    sizes = [size // (QUICK if quick else 1) for size in SIZES + MORE]
    columns = [
        Column("name", "learner", "text"),
        Column("columns", "columns", "count"),
        Column("first", f"{sizes[0]:,} rows", "time"),
        *(Column(f"r{k}", f"{size:,}", "ratio") for k, size in enumerate(sizes) if k),
        Column("last", "the most rows", "time"),
    ]
    section = Section("Time per row, beside that of the fewest rows", columns, [])
    for key in LEARNERS:
        _add_row(section, key, quick)
    return {"sizes": {"rows": sizes}, "notes": NOTES, "sections": [section]}


def _add_row(section: Section, key: str, quick: bool) -> None:
    learner, seconds = LEARNERS[key], {}
    print(f"{learner.name}, {learner.n_columns} columns ...", flush=True)
    with threadpool_limits(1):
        for size in learner.sizes:
            n_rows = size // (QUICK if quick else 1)
            seconds[n_rows] = [*_fits(learner, n_rows, quick)]
    section.raw[key] = {str(n_rows): own for n_rows, own in seconds.items()}
    per_row = [min(own) / n_rows for n_rows, own in seconds.items()]
    section.rows.append(
        {
            "id": key,
            "name": learner.name,
            "columns": learner.n_columns,
            "first": min(seconds[min(seconds)]),
            **{f"r{k}": one / per_row[0] for k, one in enumerate(per_row) if k},
            "last": min(seconds[max(seconds)]),
        }
    )


def _fits(learner: Learner, n_rows: int, quick: bool) -> Iterator[float]:
    """Seconds of the processor, at least of two fits; the code is compiled before."""
    X, y = noisy(n_rows, learner.n_columns)
    learner.make().fit(*noisy(min(n_rows, 2 * BLOCK), learner.n_columns))
    total, n_fits = 0.0, 0
    while n_fits < (1 if quick else 2) or (not quick and total < LONG):
        start = time.process_time()
        learner.make().fit(X, y)
        yield (took := round(time.process_time() - start, 6))
        total, n_fits = total + took, n_fits + 1


def noisy(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Drawn block by block, so that memory holds little more than the rows."""
    rng = np.random.default_rng(0)
    teacher = rng.standard_normal(n_columns, dtype=np.float32)
    X, y = np.empty((n_rows, n_columns), np.float32), np.empty(n_rows, np.int64)
    for start in range(0, n_rows, BLOCK):
        block = X[start : start + BLOCK]
        rng.standard_normal(out=block, dtype=np.float32)
        noise = rng.standard_normal(len(block), dtype=np.float32)
        scale = NOISE / 10.0 * np.linalg.norm(teacher)
        y[start : start + BLOCK] = block @ teacher + scale * noise > 0.0
    return X, y
