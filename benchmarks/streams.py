"""Rows that stream: an epoch beside the same in memory, and peak memory beside the number of rows.

The file is in the page cache. A batch is decoded by polars whoever learns from it, so that is measured apart:
"without decoding" is the time of an epoch less that of reading all batches.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.linear_model import Perceptron as Peer
from threadpoolctl import threadpool_limits

from perceptrons import Perceptron, fit_stream, stream_table

from .children import ask
from .layout import Column, Section
from .sweep_sets import Task
from .timing import interleave
from .vowpal import installed, learner

N_COLUMNS, SIZE, QUICK_SIZE = 20, 500_000, 20_000
MANY_ROWS, QUICK_ROWS = (100_000, 1_000_000, 10_000_000), (20_000, 40_000)
FEW_EPOCHS, MORE_EPOCHS = 2, 12
GROUP = 100_000  # rows of a row group of a Parquet file
NOISE = 0.5
MEMORY, ARRAYS, FILE, READ, PEER, VOWPAL = "memory", "arrays", "file", "read", "sklearn", "vowpal"
NOTES = [
    f"Rows of {N_COLUMNS} independent normal numbers, float32; labels are those of a hyperplane, with noise. "
    "Epochs in order, in seconds of the processor, all threads together: the difference between a fit of "
    f"{MORE_EPOCHS} epochs and one of {FEW_EPOCHS}. Peak memory is that of the process, code included "
    "(VmHWM); a second number says how much of it was not there when few rows had been fitted. "
    "`certificate=False`; seconds on the clock.",
]


def run(quick: bool) -> dict[str, Any]:
    rounds = 1 if quick else 5
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        sections = [epochs(Path(folder), QUICK_SIZE if quick else SIZE, rounds)]
        sections.append(memory(Path(folder), QUICK_ROWS if quick else MANY_ROWS))
    return {
        "sizes": {"rows": [row["rows"] for row in sections[1].rows]},
        "notes": NOTES,
        "sections": sections,
    }


def write_table(path: Path, n_rows: int, seed: int = 0) -> None:
    """A Parquet file, drawn and written in groups of rows."""
    rng = np.random.default_rng(seed)
    teacher = rng.normal(size=N_COLUMNS)
    parts = [path.with_suffix(f".{start}") for start in range(0, n_rows, 10 * GROUP)]
    for part, start in zip(parts, range(0, n_rows, 10 * GROUP), strict=True):
        size = min(10 * GROUP, n_rows - start)
        X = rng.standard_normal((size, N_COLUMNS), np.float32)
        y = (X @ teacher + NOISE * np.sqrt(N_COLUMNS) * rng.standard_normal(size) > 0).astype(np.int8)
        frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(N_COLUMNS)}).with_columns(y=y)
        frame.write_parquet(part, row_group_size=GROUP, compression="uncompressed")
    path.mkdir()
    for k, part in enumerate(parts):
        part.rename(path / f"{k:05}.parquet")


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


def memory(folder: Path, sizes: tuple[int, ...]) -> Section:
    """Peak memory and time of a default fit from files, in a process of its own for each size."""
    columns = [
        Column("name", "rows", "text"),
        Column("peak", "peak memory", "bytes"),
        Column("share", "of the first", "ratio"),
        Column("extra", "beyond few rows", "bytes"),
        Column("time", "fit", "time"),
        Column("epochs", "epochs", "count"),
        Column("per_row", "a pass, per row", "time"),
    ]
    section = Section("A default fit of Parquet files", columns, [])
    for n_rows in sizes:
        print(f"{n_rows:,} rows ...", flush=True)
        table = folder / f"rows {n_rows}"
        write_table(table, n_rows)
        found = ask(["-m", "benchmarks.stream_fit", str(table)])
        for file in table.iterdir():
            file.unlink()
        section.raw[str(n_rows)] = found
        first = section.rows[0]["peak"] if section.rows else found["peak"]
        passes = found["epochs"] + 3  # types of the labels, norms, certificate
        section.rows.append(
            {
                "id": f"memory {n_rows}",
                "name": f"{n_rows:,}",
                "rows": n_rows,
                "extra": found["extra"],
                "peak": found["peak"],
                "share": found["peak"] / first,
                "time": found["seconds"],
                "epochs": found["epochs"],
                "per_row": found["seconds"] / passes / n_rows,
            }
        )
    return section


def fit_files(table: str) -> dict[str, Any]:
    """In a fresh process: fit few rows, then all of them."""
    from .peak_memory import forget_peak, peak

    model = Perceptron(random_state=0)
    source = stream_table(table, "y")
    few = next(iter(source.read()))
    fit_stream(model, [(few.X[:5000].to_numpy(order="c"), few.y[:5000])] * 3, certificate=False)
    forget_peak()
    before, start = peak(), perf_counter()
    fit_stream(model, source, certificate=False)
    seconds = perf_counter() - start
    return {"peak": peak(), "extra": peak() - before, "seconds": seconds, "epochs": model.n_iter_}
