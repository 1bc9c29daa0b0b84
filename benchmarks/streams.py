"""Rows that stream: an epoch beside the same in memory, and peak memory beside the number of rows.

The file is in the page cache. A batch is decoded by polars whoever learns from it, so that is measured apart:
"without decoding" is the time of an epoch less that of reading all batches.

`python -m benchmarks.streams --memory` measures memory anew, and keeps what is known of epochs;
`python -m benchmarks.streams --draw PICTURE.svg` draws what was measured last.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as Peer
from threadpoolctl import threadpool_limits

from perceptrons import Perceptron, stream_table

from . import RESULTS
from .layout import Column, Section
from .stream_memory import N_COLUMNS, memory, write_table
from .stream_picture import draw
from .sweep_sets import Task
from .timing import interleave
from .vowpal import installed, learner

SIZE, QUICK_SIZE = 500_000, 20_000
FEW_EPOCHS, MORE_EPOCHS = 2, 12
MEMORY, ARRAYS, FILE, READ, PEER, VOWPAL = "memory", "arrays", "file", "read", "sklearn", "vowpal"
NOTES = [
    f"Rows of {N_COLUMNS} independent normal numbers, float32; labels are those of a hyperplane, with noise. "
    "Epochs in order, in seconds of the processor, all threads together: the difference between a fit of "
    f"{MORE_EPOCHS} epochs and one of {FEW_EPOCHS}. Peak memory is that of the process, code included "
    "(VmHWM); a second number says how much of it was not there when few rows had been fitted. A fit is "
    "timed in seconds of the processor, too. `perceptron` without certificate; `scorecard` is "
    "`SparsePerceptron(max_points=5)`, `rejection` is `ConservativePerceptron()`.",
]


def run(quick: bool) -> dict[str, Any]:
    rounds = 1 if quick else 5
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        sections = [epochs(Path(folder), QUICK_SIZE if quick else SIZE, rounds), *memory(Path(folder), quick)]
    return result_of(sections)


def result_of(sections: list[Section]) -> dict[str, Any]:
    return {
        "sizes": {"rows": [row["rows"] for row in sections[1].rows]},
        "notes": NOTES,
        "sections": sections,
    }


def epochs(folder: Path, n_rows: int, rounds: int) -> Section:
    """The time of an epoch, however the rows come."""
    table = folder / "epochs"
    write_table(table, n_rows)
    source = stream_table(table, "y")
    batches = [(batch.X.to_numpy(order="c"), batch.y) for batch in source.read()]
    X, y = np.concatenate([one for one, _ in batches]), np.concatenate([one for _, one in batches])
    np.save(folder / "X.npy", X)
    mapped = np.load(folder / "X.npy", mmap_mode="r")

    def ours(fit: Callable[[Any], Any], n: int) -> None:
        fit(Perceptron(order="cyclic", result="average", min_margin=0.0, max_epochs=n))

    def peer(n: int) -> None:
        model = Peer(shuffle=False)
        for _ in range(n):
            for some, labels in batches:
                model.partial_fit(some, labels, classes=[0, 1])

    fits: dict[str, Callable[[int], Any]] = {
        MEMORY: partial(ours, lambda model: model.fit(X, y)),
        ARRAYS: partial(ours, lambda model: model.fit_stream((mapped, y), certificate=False)),
        FILE: partial(ours, lambda model: model.fit_stream(source, certificate=False)),
        PEER: peer,
        READ: lambda n: [batch.X.to_numpy(order="c") for _ in range(n) for batch in source.read()],
    }
    with vowpal(X, y) as other:
        fits |= other
        times = interleave(
            {f"{name} {n}": partial(fit, n) for name, fit in fits.items() for n in (FEW_EPOCHS, MORE_EPOCHS)},
            rounds,
            clock=process_time,
        )
    for name in fits:
        parts = MORE_EPOCHS - FEW_EPOCHS
        times.add_difference(name, f"{name} {MORE_EPOCHS}", f"{name} {FEW_EPOCHS}", parts)
    rounds_of = zip(times.seconds[FILE], times.seconds[READ], strict=True)
    times.seconds["learning"] = [whole - read for whole, read in rounds_of]
    names = {
        MEMORY: "in memory",
        ARRAYS: "a memory-mapped array, in batches",
        FILE: "Parquet files, in batches",
        READ: "decoding alone",
        "learning": "Parquet files, without decoding",
        PEER: "sklearn Perceptron, partial_fit, batches in memory",
        VOWPAL: "Vowpal Wabbit, a pass over its cache",
    }
    rows = [
        {"id": name, "name": text, "time": times.median(name), "speed": times.ratio(MEMORY, name)}
        for name, text in names.items()
        if name in times.seconds
    ]
    columns = [
        Column("name", "rows", "text"),
        Column("time", "epoch", "time"),
        Column("speed", "of in memory", "ratio"),
    ]
    return Section(f"An epoch over {n_rows:,}×{N_COLUMNS} rows", columns, rows, dict(times.seconds))


@contextmanager
def vowpal(X: Any, y: Any) -> Iterator[dict[str, Callable[[int], None]]]:
    """Passes of Vowpal Wabbit, where it is installed."""
    if not installed():
        yield {}
        return
    with learner(Task("stream", "stream", sp.csr_matrix(X), y)) as run:
        yield {VOWPAL: run}


def memory_again(path: Path = RESULTS / "streams.json") -> None:
    """Measure peak memory anew, and keep what is known of epochs."""
    from .__main__ import _write

    known = json.loads(path.read_text())["sections"][0]
    kept = Section(known["title"], [Column(*one) for one in known["columns"]], known["rows"], known["raw"])
    with tempfile.TemporaryDirectory() as folder:
        _write("streams", False, result_of([kept, *memory(Path(folder), False)]), path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams")
    parser.add_argument("--memory", action="store_true", help="measure peak memory anew")
    parser.add_argument("--draw", type=Path, metavar="PICTURE")
    options = parser.parse_args()
    if options.memory:
        memory_again()
    if options.draw:
        draw(json.loads((RESULTS / "streams.json").read_text()), options.draw)
