"""Peak memory and time of fits from Parquet files, each in a process of its own."""

import shutil
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl

from perceptrons import ConservativePerceptron, Perceptron, SparsePerceptron, fit_stream, stream_table

from .children import ask
from .layout import Column, Section

N_COLUMNS = 20
MANY_ROWS, QUICK_ROWS = (100_000, 1_000_000, 10_000_000), (20_000, 40_000)
FEWER_ROWS = (100_000, 300_000, 1_000_000)  # of learners that keep something of each row
GROUP = 100_000  # rows of a row group of a Parquet file
NOISE = 0.5
PERCEPTRON, SCORECARD, REJECTION = "perceptron", "scorecard", "rejection"


def memory(folder: Path, quick: bool) -> list[Section]:
    """What does not grow with the rows, and what does."""
    first = section(
        "A default fit of Parquet files", [PERCEPTRON], folder, QUICK_ROWS if quick else MANY_ROWS
    )
    names, sizes = [SCORECARD, REJECTION], QUICK_ROWS if quick else FEWER_ROWS
    return [first, section("Learners that keep something of each row", names, folder, sizes)]


def section(title: str, names: list[str], folder: Path, sizes: tuple[int, ...]) -> Section:
    columns = [
        Column("name", "rows", "text"),
        Column("peak", "peak memory", "bytes"),
        Column("share", "of the first", "ratio"),
        Column("extra", "beyond few rows", "bytes"),
        Column("time", "fit", "time"),
        Column("per_row", "of a row", "time"),
    ]
    table = Section(title, columns, [])
    for name in names:
        first = None
        for n_rows in sizes:
            print(f"{name}, {n_rows:,} rows ...", flush=True)
            path = folder / f"rows {n_rows}"
            if not path.exists():
                write_table(path, n_rows)
            found = ask(["-m", "benchmarks.stream_fit", str(path), name])
            if name == names[-1]:
                shutil.rmtree(path)
            table.raw[f"{name} {n_rows}"] = found
            first = first or found["peak"]
            table.rows.append(
                {
                    "id": f"{name} {n_rows}",
                    "name": f"{n_rows:,}" if len(names) == 1 else f"{name}, {n_rows:,}",
                    "learner": name,
                    "rows": n_rows,
                    "extra": found["extra"],
                    "peak": found["peak"],
                    "share": found["peak"] / first,
                    "time": found["seconds"],
                    "per_row": found["seconds"] / n_rows,
                }
            )
    return table


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


def learner(name: str) -> Any:
    return {
        PERCEPTRON: Perceptron(random_state=0),
        SCORECARD: SparsePerceptron(max_points=5, random_state=0),
        REJECTION: ConservativePerceptron(random_state=0),
    }[name]


def fit_files(table: str, name: str) -> dict[str, Any]:
    """In a fresh process: fit few rows, then all of them."""
    from .peak_memory import forget_peak, peak

    model = learner(name)
    how: dict[str, Any] = {"certificate": False} if name == PERCEPTRON else {}
    source = stream_table(table, "y")
    few = next(iter(source.read()))
    fit_stream(model, [(few.X[:5000].to_numpy(order="c"), few.y[:5000])] * 3, **how)
    forget_peak()
    before, start = peak(), process_time()
    fit_stream(model, source, **how)
    seconds = process_time() - start
    return {"peak": peak(), "extra": peak() - before, "seconds": seconds}
