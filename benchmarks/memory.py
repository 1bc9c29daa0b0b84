"""How much memory `fit` and `predict` need beyond their input, for every two-class learner and layout.

    python -m benchmarks.memory Perceptron float32 200000 100    # one measurement: fit and predict, in bytes

Each measurement is a process of its own, and the peak is that of the whole process, so that what compiled
code and libraries allocate counts, too. A smaller fit beforehand loads all code.
"""

import ctypes
import gc
import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .children import ask
from .labeled_rows import csr_labeled, dense_labeled
from .layout import Column, Section
from .peak_memory import forget_peak, peak

SIZE, QUICK_SIZE = (200_000, 100), (20_000, 20)
CSR_COLUMNS = 10  # times as many columns; a row stores as many cells as a dense one has
QUICK = ("Perceptron", "BinaryPerceptron", "SparsePerceptron")
WARM_ROWS = 10_000  # more rows than some code paths begin with
LAYOUTS = ("float64", "float32", "CSR float64")
COLUMNS = [
    Column("name", "model", "text"),
    *(
        Column(f"{what} {layout}", f"{what}, {layout}", "percent")
        for what in ("fit", "predict")
        for layout in LAYOUTS
    ),
]


def learners() -> dict[str, Callable[[], Any]]:
    """Few epochs: memory does not depend on their number."""
    from perceptrons import (
        BinaryPerceptron,
        ConservativePerceptron,
        MaxMarginPerceptron,
        Perceptron,
        SparsePerceptron,
    )

    return {
        "Perceptron": lambda: Perceptron(max_epochs=3, random_state=0),
        "MaxMarginPerceptron": lambda: MaxMarginPerceptron(max_iter=5),
        "MaxMarginPerceptron, C=1": lambda: MaxMarginPerceptron(C=1.0, max_iter=5),
        "ConservativePerceptron": lambda: ConservativePerceptron(max_epochs=2, random_state=0),
        "ConservativePerceptron, learned": lambda: ConservativePerceptron(
            band="learned", max_epochs=2, n_restarts=2, random_state=0
        ),
        "BinaryPerceptron": lambda: BinaryPerceptron(random_state=0),
        "BinaryPerceptron, sbpi": lambda: BinaryPerceptron(method="sbpi", max_epochs=3, random_state=0),
        "SparsePerceptron": lambda: SparsePerceptron(stages=3, random_state=0),
        "SparsePerceptron, k=2": lambda: SparsePerceptron(stages=1, k=2, random_state=0),
    }


def run(quick: bool) -> dict[str, Any]:
    m, n = QUICK_SIZE if quick else SIZE
    table = Section(f"Peak memory beyond the input, as a share of it: {m:,}×{n}", COLUMNS, [])
    for name in QUICK if quick else learners():
        row: dict[str, Any] = {"id": f"memory {name}", "name": name}
        for layout in LAYOUTS:
            found = ask(["-m", "benchmarks.memory", name, layout, str(m), str(n)])
            table.raw[f"{name} {layout}"] = found
            row |= {f"{what} {layout}": found[what] / found["input"] for what in ("fit", "predict")}
        table.rows.append(row)
    notes = [
        f"CSR: {CSR_COLUMNS * n:,} columns, {n} cells stored per row, indices of 32 bits. One process for "
        f"each model and layout; a fit of {WARM_ROWS:,} rows comes first, to load all code. Few epochs.",
        "With slack, `MaxMarginPerceptron` holds two matrices of columns × columns, whatever the rows.",
    ]
    return {"sizes": {"rows": m, "columns": n}, "sections": [table], "notes": notes}


def rows(layout: str, m: int, n: int) -> tuple[Any, np.ndarray, int]:
    """Rows and labels of a teacher; and how many bytes the rows take."""
    dtype = layout.split()[-1]
    if not layout.startswith("CSR"):
        X = np.empty((m, n), dtype)
        return X, dense_labeled(X), X.nbytes
    made, y = csr_labeled(m, CSR_COLUMNS * n, n)
    made = made.astype(dtype, copy=False)
    return made, y, made.data.nbytes + made.indices.nbytes + made.indptr.nbytes


def measure(name: str, layout: str, m: int, n: int) -> dict[str, int]:
    """The peaks beyond what was held before, in bytes."""
    X, y, n_bytes = rows(layout, m, n)
    model, found = learners()[name](), {"input": n_bytes}
    model.fit(X[:WARM_ROWS], y[:WARM_ROWS]).predict(X[:WARM_ROWS])
    for what, work in (("fit", lambda: model.fit(X, y)), ("predict", lambda: model.predict(X))):
        give_back()
        forget_peak()
        before = peak()
        work()
        found[what] = peak() - before
    return found


def give_back() -> None:
    """Memory that is free, but still held by the C library, would hide what comes next."""
    gc.collect()
    library = ctypes.CDLL(None)
    if hasattr(library, "malloc_trim"):
        library.malloc_trim(0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    name, layout, m, n = sys.argv[1:]
    print(json.dumps(measure(name, layout, int(m), int(n))))
