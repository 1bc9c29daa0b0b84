"""Whole fits on a GPU beside one core: rules learned together, and votes counted from bits."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from perceptrons import BinaryPerceptron, SparsePerceptron

from .layout import Column, Section

ROWS, COLUMNS, NOISE = (30_000, 300_000, 1_000_000), 30, 0.1
BITS = (1_000_000, 1_000)
QUICK_ROWS, QUICK_BITS = (600,), (500, 40)
FITS = [
    Column("what", "rows × columns", "text"),
    Column("gpu", "GPU", "time"),
    Column("one", "one core", "time"),
    Column("ratio", "one core / GPU", "ratio"),
    Column("same", "the same", "text"),
]


def together(quick: bool, device: str) -> Section:
    """`SparsePerceptron` as it is."""
    section = Section("Rules learned together, five folds", FITS, [])
    warm = planted(500)
    for where in (device, "cpu"):
        SparsePerceptron(random_state=0, device=where).fit(*warm)
    for n_rows in QUICK_ROWS if quick else ROWS:
        print(f"rules learned together, {n_rows:,} rows ...", flush=True)
        X, y = planted(n_rows)
        models = [SparsePerceptron(random_state=0, device=where) for where in ("cpu", device)]
        (one, there), (gpu, here) = (seconds(partial(model.fit, X, y)) for model in models)
        same = [str(a) for a in there.conjunctions_] == [str(a) for a in here.conjunctions_]
        same = same and np.allclose(there.weights_, here.weights_, rtol=1e-7)
        section.rows.append(row(f"together {n_rows}", f"{n_rows:,} × {COLUMNS}", gpu, one, same))
    return with_seconds(section)


def counted(quick: bool, device: str) -> Section:
    """`BinaryPerceptron` as it is: a vote for each column, and the threshold."""
    n_rows, n_columns = QUICK_BITS if quick else BITS
    print(f"bits, {n_rows:,} rows ...", flush=True)
    X = np.random.default_rng(0).integers(0, 2, (n_rows, n_columns), np.uint8)
    y = X[:, :20].sum(axis=1, dtype=np.int64) > X[:, 20:40].sum(axis=1, dtype=np.int64)
    models = [BinaryPerceptron(random_state=0, device=where) for where in ("cpu", device)]
    for model in models:
        model.fit(X[:1_000], y[:1_000]).predict(X[:1_000])
    size = f"{n_rows:,} × {n_columns:,} bytes"
    (one, there), (gpu, here) = (seconds(lambda m=model: m.fit(X, y)) for model in models)
    same = (there.coef_ == here.coef_).all() and there.threshold_ == here.threshold_
    rows = [row("fit", f"{size}, fit", gpu, one, bool(same))]
    (one, mine), (gpu, its) = (seconds(lambda m=model: m.predict(X)) for model in models)
    rows.append(row("predict", f"{size}, predict", gpu, one, bool((mine == its).all())))
    cells = [model._cells(X) for model in models]
    (one, mine), (gpu, its) = (seconds(lambda c=bits: there.packed_.scores(c)) for bits in cells)
    rows.append(row("scores", f"{size}, scores of packed rows", gpu, one, bool((mine == its).all())))
    return with_seconds(Section("Votes counted from bits", FITS, rows))


def with_seconds(section: Section) -> Section:
    """What was measured, beside what is shown of it."""
    section.raw |= {line["id"]: {"gpu": line["gpu"], "one": line["one"]} for line in section.rows}
    return section


def row(row_id: str, what: str, gpu: float, one: float, same: bool) -> dict[str, Any]:
    said = "yes" if same else "no"
    return {"id": row_id, "what": what, "gpu": gpu, "one": one, "ratio": one / gpu, "same": said}


def seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """On one core, beside the GPU; what comes back is on the processor, so nothing is still to come."""
    with threadpool_limits(1):
        start = time.perf_counter()
        result = run()
        return time.perf_counter() - start, result


def planted(n_rows: int) -> tuple[Any, Any]:
    """Numbers whose first two columns tell the class by their product, but for noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, COLUMNS))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] > 0) ^ (rng.random(n_rows) < NOISE)
