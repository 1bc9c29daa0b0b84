"""Fits over collections on 1, 2 and 4 workers, beside one process and LightGBM's Dask interface; bytes moved.

Rows are drawn on the workers that hold them, before the clock starts; so are clusters. All fits have one
thread per worker, and so has the one in memory.
"""

import statistics
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, wait
from threadpoolctl import threadpool_limits

import perceptrons
from perceptrons import dask as ours
from perceptrons.dask.chunks import MOST_PARTS

from .layout import Column, Section

N_COLUMNS, N_STAGES, N_CHUNKS = 100, 30, 8
SIZE, QUICK_SIZE = 2_000_000, 20_000
SMALL, QUICK_SMALL = 200_000, 4_000
WORKERS, QUICK_WORKERS = (1, 2, 4), (1, 2)
PAPER_ROWS, MACHINES, CORES = 10**10, 100, 16
PAPER_LITERALS, LINK, TASK = (100, 1000), 1.25e9, 1e-3  # bytes per second to the client; seconds of a task
SHARE = 0.05  # of the labels, the other one
BOOSTING: dict[str, Any] = {"refit": "stagewise", "stages": N_STAGES}
LEARNERS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "counts": (
        lambda: perceptrons.BinaryPerceptron(random_state=0),
        lambda: ours.BinaryPerceptron(random_state=0),
    ),
    "boosting": (
        lambda: perceptrons.SparsePerceptron(**BOOSTING),
        lambda: ours.SparsePerceptron(**BOOSTING),
    ),
    "together": (
        lambda: perceptrons.SparsePerceptron(random_state=0),
        lambda: ours.SparsePerceptron(random_state=0),
    ),
}
LONG = {"together"}  # fitted once, to fewer rows
NAMES = {
    "counts": "BinaryPerceptron()",
    "boosting": f'SparsePerceptron(refit="stagewise", stages={N_STAGES})',
    "together": "SparsePerceptron(), a tenth of the rows",
    "lightgbm": f"LightGBM, {N_STAGES} trees of 4 leaves",
    "start": "start of the cluster",
}
NOTES = [
    f"Zeros and ones in {N_COLUMNS} columns, float64, in {N_CHUNKS} chunks; labels are those of five pairs "
    f"of columns, {SHARE:.0%} of them turned over. Seconds on the clock, the median of the rounds; workers "
    "are processes of one thread, their start and the drawing of rows apart. In memory: one process, one "
    "thread. Bytes are those between client and workers, both ways.",
    f"On paper: machines of {CORES} cores, {MOST_PARTS:,} parts, 10 Gbit/s to the client, a millisecond of "
    "the scheduler for a task, two questions a stage; computing takes as long per row as that of one worker "
    "above, and grows with the square of the literals.",
    "SparsePerceptron() sends rows of a sample, 16,384 of each fold, from worker to worker, and patterns of "
    "rows while there are at most 131,072 of them; beyond that, its bytes do not grow either.",
]


def run(quick: bool) -> dict[str, Any]:
    sizes = (QUICK_SMALL, QUICK_SIZE) if quick else (SMALL, SIZE)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sections = times_and_bytes(sizes, QUICK_WORKERS if quick else WORKERS, 1 if quick else 3)
    return {"sizes": {"rows": sizes[1], "columns": N_COLUMNS}, "notes": NOTES, "sections": sections}


def drawn(k: int, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Chunk k."""
    rng = np.random.default_rng([0, k])
    X = rng.integers(0, 2, (n_rows, N_COLUMNS), dtype=np.uint8)
    votes = sum((X[:, 2 * j] & X[:, 2 * j + 1]).astype(np.int64) for j in range(5))
    return X.astype(np.float64), ((votes > 1) ^ (rng.random(n_rows) < SHARE)).astype(np.int8)


def collections(n_rows: int) -> tuple[Any, Any]:
    """The same rows as `in_memory`, to be drawn where they will stay."""
    each = n_rows // N_CHUNKS
    chunks = [dask.delayed(drawn, nout=2)(k, each) for k in range(N_CHUNKS)]
    X = [da.from_delayed(X, (each, N_COLUMNS), np.float64) for X, _ in chunks]
    y = [da.from_delayed(y, (each,), np.int8) for _, y in chunks]
    return da.concatenate(X), da.concatenate(y)


def in_memory(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = zip(*(drawn(k, n_rows // N_CHUNKS) for k in range(N_CHUNKS)), strict=True)
    return np.concatenate(X), np.concatenate(y)


def times_and_bytes(sizes: tuple[int, int], workers: tuple[int, ...], rounds: int) -> list[Section]:
    seconds: dict[str, list[float]] = {}
    rows = in_memory(sizes[1])
    for name, (local, _) in LEARNERS.items():
        local().fit(*(part[:2000] for part in rows))
        given = (part[: sizes[0]] for part in rows) if name in LONG else rows
        seconds[f"{name} 0"] = timed(local, 1 if name in LONG else rounds, *given)[0]
        say(name, "in memory", seconds[f"{name} 0"])
    del rows
    moved: dict[str, dict[str, tuple[int, int]]] = {}
    for n_workers in workers:
        start = perf_counter()
        with (
            LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            client.wait_for_workers(n_workers)
            seconds[f"start {n_workers}"] = [perf_counter() - start]
            say("start", n_workers, seconds[f"start {n_workers}"])
            seconds |= fits_on(client, sizes, n_workers, rounds, moved)
    times = section_of_times(seconds, sizes[1], workers)
    return [times, section_of_bytes(moved, sizes), on_paper(times, sizes[1])]


def say(what: str, where: object, seconds: list[float]) -> None:
    """What has been measured so far."""
    print(f"{what}, {where}: {', '.join(f'{one:.2f} s' for one in seconds)}", flush=True)


def fits_on(
    client: Client,
    sizes: tuple[int, int],
    n_workers: int,
    rounds: int,
    moved: dict[str, dict[str, tuple[int, int]]],
) -> dict[str, list[float]]:
    """Seconds of each learner on a cluster; and what it has moved, by the number of rows."""
    found: dict[str, list[float]] = {}
    small, large = (client.persist(collections(n_rows)) for n_rows in sizes)
    wait([*small, *large])
    for name, (_, learner) in LEARNERS.items():
        first = learner().fit(*small, client=client)  # in which kernels are loaded, too
        moved.setdefault(name, {})[str(sizes[0])] = bytes_of(first)
        rows = small if name in LONG else large
        seconds, last = timed(learner, 1 if name in LONG else rounds, *rows, client=client)
        if name not in LONG:
            moved[name][str(sizes[1])] = bytes_of(last)
        found[f"{name} {n_workers}"] = seconds
        say(name, n_workers, seconds)
    if find_spec("lightgbm") is not None:
        from lightgbm import DaskLGBMClassifier

        how = {"n_estimators": N_STAGES, "num_leaves": 4, "num_threads": 1, "verbose": -1}
        DaskLGBMClassifier(**how, client=client).fit(*small)
        name = f"lightgbm {n_workers}"
        found[name], _ = timed(lambda: DaskLGBMClassifier(**how, client=client), rounds, *large)
        say("LightGBM", n_workers, found[name])
    return found


def bytes_of(model: Any) -> tuple[int, int]:
    """Told, and answered."""
    return sum(one.told for one in model.traffic_), sum(one.answered for one in model.traffic_)


def timed(learner: Callable[[], Any], rounds: int, *rows: Any, **how: Any) -> tuple[list[float], Any]:
    """Seconds of each fit, and the last model."""
    seconds = []
    for _ in range(rounds):
        model, start = learner(), perf_counter()
        model.fit(*rows, **how)
        seconds.append(perf_counter() - start)
    return seconds, model


def section_of_times(seconds: dict[str, list[float]], n_rows: int, workers: tuple[int, ...]) -> Section:
    columns = [Column("name", "model", "text"), Column("t0", "in memory", "time")]
    columns += [Column(f"t{n}", f"{n} worker{'s' * (n > 1)}", "time") for n in WORKERS]  # "–" in quick runs
    columns.append(Column("gain", "in memory / 2 workers", "ratio"))
    rows = []
    for name, text in NAMES.items():
        row: dict[str, Any] = {"id": name, "name": text}
        for n in (0, *workers):
            if f"{name} {n}" in seconds:
                row[f"t{n}"] = statistics.median(seconds[f"{name} {n}"])
        if "t0" in row:
            row["gain"] = row["t0"] / row["t2"]
        if len(row) > 2:
            rows.append(row)
    return Section(f"Fits to {n_rows:,}×{N_COLUMNS}", columns, rows, dict(seconds))


def on_paper(times: Section, n_rows: int) -> Section:
    """A stage of boosting on many machines, from the time of a worker and the size of the answers."""
    (boosting,) = (row for row in times.rows if row["id"] == "boosting")
    per_row = boosting["t1"] / n_rows / N_STAGES
    columns = [
        Column("name", "literals", "text"),
        Column("rows", "rows of a core", "count"),
        Column("compute", "computing", "time"),
        Column("bytes", "answers", "bytes"),
        Column("link", "their way", "time"),
        Column("tasks", "tasks", "time"),
    ]
    rows = []
    for n_literals in PAPER_LITERALS:
        answers = MOST_PARTS * 4 * n_literals * (n_literals + 1)
        rows.append(
            {
                "id": f"paper {n_literals}",
                "name": f"{n_literals:,}",
                "rows": PAPER_ROWS / MACHINES / CORES,
                "compute": per_row * PAPER_ROWS / MACHINES / CORES * (n_literals / N_COLUMNS) ** 2,
                "bytes": answers,
                "link": answers / LINK,
                "tasks": 2 * MOST_PARTS * TASK,
            }
        )
    title = f"On paper: a stage of boosting on {MACHINES} machines, {PAPER_ROWS:,} rows"
    return Section(title, columns, rows, {"seconds per row and stage": per_row})


def section_of_bytes(moved: dict[str, dict[str, tuple[int, int]]], sizes: tuple[int, int]) -> Section:
    columns = [Column("name", "model", "text")]
    for n_rows in sizes:
        columns.append(Column(f"told {n_rows}", f"told, {n_rows:,} rows", "bytes"))
        columns.append(Column(f"answered {n_rows}", f"answered, {n_rows:,} rows", "bytes"))
    rows = []
    for name, found in moved.items():
        row: dict[str, Any] = {"id": f"{name} bytes", "name": NAMES[name]}
        for n_rows in sizes:
            if str(n_rows) in found:
                row[f"told {n_rows}"], row[f"answered {n_rows}"] = found[str(n_rows)]
        rows.append(row)
    return Section("Bytes moved by a fit", columns, rows, {name: {**one} for name, one in moved.items()})
