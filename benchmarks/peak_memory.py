"""How much memory a fit needs beyond its input; each number from a process of its own.

    python -m benchmarks.peak_memory perceptrons float64 1000000 50

The peak is the process's own (VmHWM). `getrusage` serves only where there is no /proc: on Linux a child
inherits its parent's `ru_maxrss`, and the parent may have been the larger one.
"""

import json
import resource
import statistics
import sys
import warnings
from pathlib import Path

import numpy as np

from .children import ask
from .contestants import MODELS, OURS, PEER
from .labeled_rows import dense_labeled
from .layout import Column, Section

SIZE, QUICK_SIZE = (1_000_000, 50), (20_000, 50)
COLUMNS = [
    Column("name", "model and rows", "text"),
    Column("bytes_per_row", "extra per row", "bytes"),
    Column("of_input", "of the input", "percent"),
    Column("input_bytes", "input", "bytes"),
]


def section(quick: bool, rounds: int) -> Section:
    m, n = QUICK_SIZE if quick else SIZE
    table = Section(
        f"Peak memory of a fit of one epoch beyond its input: {m:,}×{n:,}, C-ordered", COLUMNS, []
    )
    for model in (OURS, PEER):
        for dtype in ("float64",) if quick else ("float64", "float32"):
            _add_row(table, model, dtype, m, n, rounds)
    return table


def _add_row(table: Section, model: str, dtype: str, m: int, n: int, rounds: int) -> None:
    arguments = ["-m", "benchmarks.peak_memory", model, dtype, str(m), str(n)]
    extra = [ask(arguments) for _ in range(rounds)]
    name, input_bytes = f"{model} {dtype}", m * n * np.dtype(dtype).itemsize
    table.raw[name] = {"extra_bytes": extra}
    middle = statistics.median(extra)
    derived = {"bytes_per_row": middle / m, "of_input": middle / input_bytes, "input_bytes": input_bytes}
    table.rows.append({"id": f"memory {name}", "name": f"{'sklearn ' * (model == PEER)}{name}"} | derived)


def peak() -> int:
    """The most memory this process has held, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def forget_peak() -> None:
    """Let the peak begin anew from what is held now: compiling or loading may have taken more for a while."""
    switch = Path("/proc/self/clear_refs")
    if switch.exists():
        switch.write_text("5")


def extra_bytes(model: str, dtype: str, m: int, n: int) -> int:
    """Fit once on few rows, so that all code is loaded, then once on all of them."""
    estimator = MODELS[model](False, 1)
    X = np.empty((m, n), dtype)
    y = dense_labeled(X)
    estimator.fit(X[:1000], y[:1000])
    forget_peak()
    before = peak()
    estimator.fit(X, y)
    return peak() - before


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    model, dtype, m, n = sys.argv[1:]
    print(json.dumps(extra_bytes(model, dtype, int(m), int(n))))
