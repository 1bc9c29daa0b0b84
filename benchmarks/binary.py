"""Binary weights: counting, predicting and packing beside one read of the same memory and one BLAS product.

Whatever must look at all cells takes at least as long as reading them; a product of floats is what would do
the same work on unpacked rows. `binary_learning` has whole fits, and what "sbpi" learns.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController, threadpool_limits

from perceptrons.binary.counts import count, count_array
from perceptrons.binary.packed_perceptron import pack_weights
from perceptrons.rows.bits import joint_counts, pack_vector
from perceptrons.rows.packing import pack_rows
from perceptrons.synthetic import Product, product

from . import binary_learning
from .layout import Column, Section
from .reading import reader
from .timing import Competitor, Times, interleave

SIZE, QUICK_SIZE = (1_000_000, 256), (20_000, 256)
ROUNDS, THREADS, NOISE = 9, 2, 0.1
SUMS, SCORES, TWO = "X.T @ y", "X @ w", f", {THREADS} threads"
READ_PACKED, READ_BYTES, READ_FLOATS, READ_DOUBLES = (
    "read packed",
    "read int8",
    "read float32",
    "read float64",
)

COLUMNS = [
    Column("name", "what", "text"),
    Column("time", "time", "time"),
    Column("speed", "GB/s", "number"),
    Column("read", "one read", "time"),
    Column("of_read", "its time / read", "ratio"),
    Column("peer", "product", "text"),
    Column("product", "product, 1 thread", "time"),
    Column("ratio", "product / its time", "ratio"),
    Column("two", f"product, {THREADS} threads", "time"),
    Column("two_ratio", f"the same, {THREADS} threads", "ratio"),
]


class Contest(NamedTuple):
    """What is timed, and what it is held against."""

    id: str
    name: str
    competitor: Competitor
    size: int  # bytes that must be read
    read: str  # the competitor that reads as many and does nothing else
    product: str


class Bar(NamedTuple):
    """How large a value of a row is meant to be."""

    text: str
    row: str
    key: str
    least: float = 0.0
    most: float = float("inf")


BARS = [
    Bar("counts of packed columns, time / read ≤ 1.5", "kernel columns", "of_read", most=1.5),
    Bar("product / counts of packed columns ≥ 20", "kernel columns", "ratio", least=20.0),
    Bar("counts of int8 rows, time / read ≤ 2", "kernel cells", "of_read", most=2.0),
    Bar("product / scores of packed rows ≥ 20", "kernel scores", "ratio", least=20.0),
    Bar("float64 product / packing float64 ≥ 1", "packing float64", "ratio", least=1.0),
    Bar("float64 product / packing int8 ≥ 1", "packing int8", "ratio", least=1.0),
]


def run(quick: bool) -> dict[str, Any]:
    rounds = 2 if quick else ROUNDS
    m, n = QUICK_SIZE if quick else SIZE
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # runs end unconverged, and peers copy bytes into floats
        rows = product(m, n, noise=NOISE, random_state=1)
        sections = [_kernels(rows, rounds), _packing(rows, rounds)]
        sections += binary_learning.sections(rows, NOISE, quick)
    notes = [
        f"Ratios are medians over {rounds} rounds of the ratio within a round. Caches are emptied before "
        "each call. A read sums the words of the same memory; GB/s are the bytes that must be read, by the "
        "time. Ours have one thread; products are OpenBLAS's on unpacked rows, float32 except for packing.",
        *(
            []
            if quick
            else ["Meant to be, and is, products with one thread: " + "; ".join(_judged(sections)) + "."]
        ),
        *binary_learning.notes(quick),
    ]
    sizes = {"rows": (m, n), "rounds": rounds, **binary_learning.sizes(quick)}
    return {"sizes": sizes, "notes": notes, "sections": sections}


def _judged(sections: list[Section]) -> list[str]:
    rows = {row["id"]: row for section in sections for row in section.rows}
    found = [(bar, rows[bar.row][bar.key]) for bar in BARS]
    return [
        f"{bar.text}: {value:.2f}{'' if bar.least <= value <= bar.most else ' (missed)'}"
        for bar, value in found
    ]


def _kernels(rows: Product, rounds: int) -> Section:
    X, y, w = rows
    m, n = X.shape
    print(f"counts and scores, {m:,}×{n} ...", flush=True)
    packed, positive, cuts = pack_rows(X), y > 0, np.zeros(n)
    columns, labels, model = packed.transposed(), pack_vector(positive), pack_weights(w, 0)
    ones, both = np.empty(n, np.int64), np.empty(n, np.int64)
    floats, y_floats, w_floats = (part.astype(np.float32) for part in rows)
    size = packed.words.nbytes
    contests = [
        Contest(
            "kernel columns",
            "counts, packed columns",
            lambda: joint_counts(columns.words, labels, ones, both),
            size,
            READ_PACKED,
            SUMS,
        ),
        Contest(
            "kernel rows", "counts, packed rows", lambda: count(packed, positive), size, READ_PACKED, SUMS
        ),
        Contest(
            "kernel cells",
            "counts, int8 rows",
            lambda: count_array(X, cuts, positive),
            X.nbytes,
            READ_BYTES,
            SUMS,
        ),
        Contest(
            "kernel scores", "scores, packed rows", lambda: model.scores(packed), size, READ_PACKED, SCORES
        ),
        Contest(
            "kernel pack and scores",
            "scores, int8 rows, packed first",
            lambda: model.scores(pack_rows(X)),
            X.nbytes,
            READ_BYTES,
            SCORES,
        ),
    ]
    reads = {
        READ_PACKED: reader(columns.words),
        READ_BYTES: reader(_as_words(X)),
        READ_FLOATS: reader(_as_words(floats)),
    }
    products = {SUMS: lambda: floats.T @ y_floats, SCORES: lambda: floats @ w_floats}
    times = _race(contests, reads, products, reads[READ_FLOATS], rounds)
    title = f"Counts and scores, {m:,}×{n}"
    section = Section(title, COLUMNS, [_row(one, times) for one in contests], {"seconds": times.seconds})
    section.rows += [_product_row(name, floats.nbytes, READ_FLOATS, times) for name in products]
    return section


def _packing(rows: Product, rounds: int) -> Section:
    X, (m, n) = rows.X, rows.X.shape
    print(f"packing, {m:,}×{n} ...", flush=True)
    doubles, w = X.astype(np.float64), rows.weights.astype(np.float64)
    contests = [
        Contest(
            f"packing {kind}",
            f"packing of {kind} rows",
            lambda cells=cells: pack_rows(cells),  # type: ignore[misc]
            cells.nbytes,
            read,
            SCORES,
        )
        for kind, cells, read in (("float64", doubles, READ_DOUBLES), ("int8", X, READ_BYTES))
    ]
    reads = {READ_DOUBLES: reader(_as_words(doubles)), READ_BYTES: reader(_as_words(X))}
    times = _race(contests, reads, {SCORES: lambda: doubles @ w}, reads[READ_DOUBLES], rounds)
    title = f"Packing, {m:,}×{n}, products in float64"
    section = Section(title, COLUMNS, [_row(one, times) for one in contests], {"seconds": times.seconds})
    section.rows.append(_product_row(SCORES, doubles.nbytes, READ_DOUBLES, times, "float64"))
    return section


def _as_words(cells: np.ndarray) -> np.ndarray:
    """The same memory, eight bytes at a time: all reads are equally fast per byte."""
    return cells.ravel().view(np.uint64)


def _race(
    contests: list[Contest],
    reads: dict[str, Competitor],
    products: dict[str, Competitor],
    flush: Competitor,
    rounds: int,
) -> Times:
    """Everybody in one race; `flush` reads an array that no cache holds."""
    pools = ThreadpoolController()

    def threaded(compute: Competitor) -> Callable[[], None]:
        def competitor() -> None:
            with pools.limit(limits=THREADS, user_api="blas"):
                compute()

        return competitor

    competitors: dict[str, Competitor] = {one.id: one.competitor for one in contests}
    competitors |= reads | products
    competitors |= {name + TWO: threaded(compute) for name, compute in products.items()}
    return interleave(competitors, rounds, dict.fromkeys(competitors, flush))


def _row(one: Contest, times: Times) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "time": times.median(one.id),
        "speed": one.size / times.median(one.id) / 1e9,
        "read": times.median(one.read),
        "of_read": times.ratio(one.id, one.read),
        "peer": one.product,
        "product": times.median(one.product),
        "ratio": times.ratio(one.product, one.id),
        "two": times.median(one.product + TWO),
        "two_ratio": times.ratio(one.product + TWO, one.id),
    }


def _product_row(name: str, size: int, read: str, times: Times, kind: str = "float32") -> dict[str, Any]:
    """How near the products are to a read of what they multiply."""
    return {
        "id": f"product {kind} {name}",
        "name": f"{name} itself, {kind}",
        "time": times.median(name),
        "speed": size / times.median(name) / 1e9,
        "read": times.median(read),
        "of_read": times.ratio(name, read),
    }
