"""Fits on a GPU, and stages of boosting, all pairs or triples of literals at a time, beside the processor.

Without a GPU only `--quick` runs, by PyTorch on the processor: small sizes, to see that it works. The
processor is given some of the rows, and its time is multiplied: a stage takes time in proportion to them.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from perceptrons.sparse.boosting import Stage, boost
from perceptrons.sparse.conjunctions import Literals
from perceptrons.sparse.device_search import DeviceSearch
from perceptrons.sparse.search import ConjunctionSearch, Scope

from .gpu_fits import counted, together
from .layout import Column, Section

NOTES = [
    "Literals are independent, each true in the share of rows called density; classes are a noisy vote of "
    "pairs. A first stage has equal weights and multiplies all rows, a later one three parts of the weights "
    "of the rows that changed, or of the others, whichever are fewer. Seconds of the clock: the winner is "
    "rescored and the rows are weighed again; moving the rows to the GPU (setup) is apart, and a short "
    "run goes before, which loads kernels and takes memory. The processor's stage is that of 1/20 of the "
    "rows, times 20 (k = 3: of all rows).",
    "All products anew: of unequal weights, in three parts, as when rounding has grown. Share of the card: "
    "of that, 3 × rows × literals², the multiplications and additions of half of the pairs, per second, "
    "beside a plain product of two bf16 matrices of 8,192 × 8,192 on the same card.",
    "Whole fits are those of the defaults, from arrays in main memory. Rules learned together: the search "
    "and the path are the processor's, the weights, of all rows, the GPU's; the same are the rules, and "
    "seven digits of their weights. Votes: packed rows stay on the GPU, where they are scored.",
]


class Size(NamedTuple):
    rows: int
    literals: int
    density: float
    k: int
    stages: int


SIZES = {
    "dense": Size(1_000_000, 2_000, 0.5, 2, 100),
    "sparse": Size(1_000_000, 2_000, 0.1, 2, 100),
    "long": Size(10_000_000, 500, 0.1, 2, 20),
    "triples": Size(100_000, 1_000, 0.1, 3, 50),
}
QUICK = {"dense": Size(2_000, 40, 0.5, 2, 4), "triples": Size(500, 20, 0.2, 3, 3)}
WARM = 70_000  # rows of a run before, which loads kernels and takes memory on the card
PART = 20  # of the rows go to the processor, one in so many


def run(quick: bool) -> dict[str, Any]:
    if not quick and not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no GPU here; use --quick to try the code on the processor.")
    device = torch.device("cpu" if quick else "cuda")
    rate = bf16_rate(device, 64 if quick else 8_192)
    columns = [
        Column("what", "rows × literals, density, k", "text"),
        Column("setup", "setup", "time"),
        Column("first", "first stage", "time"),
        Column("later", "later stage, median", "time"),
        Column("whole", "all stages", "time"),
        Column("stages", "stages", "count"),
        Column("product", "all products anew", "time"),
        Column("share", "share of the card", "percent"),
        Column("memory", "memory on the card", "bytes"),
        Column("one", "one core, first", "time"),
        Column("one_later", "one core, later", "time"),
        Column("all", "all cores, first", "time"),
        Column("ratio", "one core / GPU, first", "ratio"),
        Column("ratio_later", "one core / GPU, later", "ratio"),
    ]
    section = Section("Stages of boosting", columns, [])
    for name, size in (QUICK if quick else SIZES).items():
        print(f"{name}: {size} ...", flush=True)
        row, section.raw[name] = measure(size, device, rate)
        section.rows.append({"id": name, **row})
    fits = "cpu" if quick else "cuda"
    sections = [section, together(quick, fits), counted(quick, fits)]
    card = "the processor" if quick else torch.cuda.get_device_name()
    rated = f"{card}, PyTorch {torch.__version__}: {rate / 1e12:.0f} TFLOP/s in a plain bf16 product."
    return {"sizes": {"rate": rate}, "notes": [rated, *NOTES], "sections": sections}


def bf16_rate(device: Any, n: int) -> float:
    """Operations per second of a plain product."""
    A = torch.randn((n, n), device=device).to(torch.bfloat16)
    best = np.inf
    for _ in range(5):
        with clock(device) as taken:
            for _ in range(10):
                A @ A
        best = min(best, taken[0] / 10)
    return 2 * n**3 / best


@contextmanager
def clock(device: Any) -> Iterator[list[float]]:
    taken = [0.0]
    if device.type == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    yield taken
    if device.type == "cuda":
        torch.cuda.synchronize()
    taken[0] = time.perf_counter() - start


def measure(size: Size, device: Any, rate: float) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """A row of the table, and the seconds of all stages."""
    data, signs = drawn(size)
    scope, weights = Scope(size.k), np.ones(size.rows)
    few = size._replace(rows=min(size.rows, WARM))
    timed(DeviceSearch(*drawn(few), scope, device), np.ones(few.rows), 3)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    with clock(device) as setup:
        search = DeviceSearch(data, signs, scope, device)
    stages, seconds = timed(search, weights, size.stages)
    product, n_parts = anew(search, unequal(size.rows), device)
    multiplied = n_parts * size.rows * size.literals**2
    one, one_later, same = processor(data, signs, size, stages, threads=1)
    every, _, _ = processor(data, signs, size, [], threads=0)
    assert same, "the processor chose other conjunctions"
    later = statistics.median(seconds[1:])
    row = {
        "what": f"{size.rows:,} × {size.literals:,}, {size.density}, {size.k}",
        "setup": setup[0],
        "first": seconds[0],
        "later": later,
        "whole": sum(seconds),
        "stages": len(stages),
        "product": product,
        "share": multiplied / product / rate,
        "memory": torch.cuda.max_memory_allocated() if device.type == "cuda" else None,
        "one": one,
        "one_later": one_later,
        "all": every,
        "ratio": one / seconds[0],
        "ratio_later": one_later / later,
    }
    return row, {"stages": [round(one, 6) for one in seconds]}


def anew(search: DeviceSearch, D: Any, device: Any) -> tuple[float, int]:
    """Seconds of all products, of unequal weights, and of how many parts these are."""
    search._D = search.rows.send(D)
    search._refresh()
    with clock(device) as taken:
        search._refresh()
    return taken[0], len(search.rows.written(search._D).parts)


def unequal(n: int) -> Any:
    D = np.random.default_rng(1).exponential(size=n)
    return D / D.sum()


def timed(search: ConjunctionSearch, weights: Any, n: int) -> tuple[list[Stage], list[float]]:
    stages, seconds, run = [], [], boost(search, weights)
    for _ in range(n):
        start = time.perf_counter()
        found = next(run, None)
        if found is None:
            break
        stages.append(found)
        seconds.append(time.perf_counter() - start)
    return stages, seconds


def processor(
    data: Any, signs: Any, size: Size, known: list[Stage], threads: int
) -> tuple[float | None, float | None, bool]:
    """Seconds of a first and of a later stage, as if of all rows; and whether the stages are the same, if all
    rows are searched."""
    part = 1 if size.k == 3 or size.rows < 10_000 else PART
    n_rows = size.rows // part
    few = Literals(data.rows[:n_rows], n_rows, data.ends, data.twins)
    n_stages = 2 if size.k == 3 else 4
    with threadpool_limits(threads or None):
        warm = Literals(data.rows[:400], 400, data.ends, data.twins)
        timed(ConjunctionSearch(warm, signs[:400], Scope(size.k)), np.ones(400), 2)
        if size.k == 3 and not known:
            return None, None, True
        stages, seconds = timed(
            ConjunctionSearch(few, signs[:n_rows], Scope(size.k)), np.ones(n_rows), n_stages
        )
    same = part > 1 or not known or stages == known[: len(stages)]
    return part * seconds[0], part * statistics.median(seconds[1:]), same


def drawn(size: Size) -> tuple[Literals, Any]:
    """Rows and classes; all literals are of columns of their own, and no two hold in the same rows."""
    rng = np.random.default_rng(0)
    L = np.empty((size.rows, size.literals), np.uint8)
    limit = round(size.density * 256)
    for start in range(0, size.rows, 10_000):
        block = L[start : start + 10_000]
        block[:] = rng.integers(0, 256, block.shape, dtype=np.uint8) < limit
    score = np.zeros(size.rows)
    for _ in range(30):
        a, b = rng.choice(size.literals, 2, replace=False)
        score += rng.normal() * (L[:, a] & L[:, b])
    signs = np.where(score + 0.5 * score.std() * rng.standard_normal(size.rows) > np.median(score), 1, -1)
    places = np.arange(size.literals)
    return Literals(L, size.rows, places + 1, places), signs
