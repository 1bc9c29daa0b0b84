"""Boosted conjunctions: the search beside one BLAS product per stage, and whole fits beside other learners.

A stage needs the Gram matrix of the literals, weighted. `sgemm` is one product of that size in float32, with
nothing around it; the peer is a booster that makes one per stage and looks for the largest entry.
"""

import warnings
from collections.abc import Callable
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from perceptrons.compiled import threads
from perceptrons.rows.encode import as_rows
from perceptrons.sparse.boosting import Stage, boost
from perceptrons.sparse.conjunctions import arrange
from perceptrons.sparse.search import ConjunctionSearch, Scope

from .boosting_peers import FEW_TREES, OURS, TREES, Learner, learners
from .boosting_sets import Literals, Table, literal_sets, tables
from .layout import Column, Section
from .timing import interleave

STAGES, FEW, ROUNDS, BRIEF = 100, 20, 3, 3
PRODUCT, FIRST, WHOLE = "sgemm", "first stage", "all stages"

SEARCH = [
    Column("name", "rows × literals", "text"),
    Column("layout", "held as", "text"),
    Column("product", "one sgemm", "time"),
    Column("first", "first stage", "time"),
    Column("first_ratio", "first stage / sgemm", "ratio"),
    Column("whole", f"{STAGES} stages", "time"),
    Column("ratio", f"{STAGES} sgemm / {STAGES} stages", "ratio"),
    Column("pairs", "stages with a pair", "count"),
    Column("same", "same picks as the peer", "text"),
]
FITS = [
    Column("name", "table", "text"),
    Column("learner", "learner", "text"),
    Column("time", "fit", "time"),
    Column("ratio", "its time / ours", "ratio"),
    Column("accuracy", "test accuracy", "percent"),
    Column("weights", "weights, leaves or rules", "count"),
]


THREADED = [
    Column("name", "rows × literals", "text"),
    Column("layout", "held as", "text"),
    Column("stages", "stages", "count"),
    Column("one", "one thread", "time"),
    Column("two", "two", "time"),
    Column("ratio", "one / two", "ratio"),
    Column("same", "same stages", "text"),
]


def run(quick: bool) -> dict[str, Any]:
    rounds = 1 if quick else ROUNDS
    search = Section("The search for pairs, k=2, one thread", SEARCH, [])
    threaded = Section("The same search, two threads beside one", THREADED, [])
    n_trees = FEW_TREES if quick else TREES
    fits = Section(f"Whole fits, {n_trees} stages or trees, one thread, {rounds} rounds", FITS, [])
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peers, about their own dependencies
        for data in literal_sets(quick):
            print(f"{data.label} ...", flush=True)
            _race_search(data, search)
            _race_threads(data, rounds, threaded)
        for table in tables(quick):
            print(f"{table.label} ...", flush=True)
            _race_fits(table, rounds, quick, fits)
    notes = [
        "Ratios are medians over rounds (three, one of the large sets) of the ratio within a round. The "
        "first stage looks at single literals, and finds that no pair may win; rows that hold few literals "
        "are CSR, as the encoder makes them. The peer whose picks are compared was run once, for as many "
        "stages as the last number says.",
        "The classes of zeros and ones are a noisy vote of literals and pairs, which are conjunctions' own "
        "kind; those of a9a and breast cancer are not. imodels' learners have the sizes they come with, FIGS "
        "at most 30 rules.",
        f"Fits include the making of literals. The learner on all pairs of columns was timed for {BRIEF} "
        f"stages, once, and is extrapolated to {STAGES}; it holds all pairs in memory, ours none.",
    ]
    return {
        "sizes": {"rounds": rounds, "stages": STAGES},
        "notes": notes,
        "sections": [search, fits, threaded],
    }


def _arranged(data: Literals) -> tuple[Any, np.ndarray]:
    L, y = data.load()
    rows = as_rows(sp.csr_array(L)) if data.sparse else L
    return arrange(rows, len(L), np.arange(L.shape[1])), y


def _race_search(data: Literals, table: Section) -> None:
    L, _ = data.load()
    (literals, y), ones = _arranged(data), np.ones(len(L))
    scaled = L.astype(np.float32)
    other = scaled * np.float32(1 / len(L))
    competitors = {
        PRODUCT: lambda: other.T @ scaled,  # two arrays: of one, NumPy would compute half
        FIRST: lambda: next(boost(ConjunctionSearch(literals, y, Scope()), ones)),
        WHOLE: lambda: list(islice(boost(ConjunctionSearch(literals, y, Scope()), ones), STAGES)),
    }
    times = interleave(competitors, data.rounds)
    stages = list(islice(boost(ConjunctionSearch(literals, y, Scope()), ones), STAGES))
    picked = _one_product_per_stage(scaled, y, data.checked)
    same = sum(a == b[:2] for a, b in zip(picked, stages, strict=False))
    table.raw[data.id] = times.seconds
    product = times.ratio(PRODUCT, WHOLE)
    table.rows.append(
        {
            "id": f"search {data.id}",
            "name": data.label,
            "layout": "CSR" if data.sparse else "array",
            "product": times.median(PRODUCT),
            "first": times.median(FIRST),
            "first_ratio": times.ratio(FIRST, PRODUCT),
            "whole": times.median(WHOLE),
            "ratio": None if product is None else STAGES * product,
            "pairs": sum(len(stage.literals) == 2 for stage in stages),
            "same": f"{same} of {len(picked)}",
        }
    )


def _race_threads(data: Literals, rounds: int, table: Section, prepare: Callable[[], object] = bool) -> None:
    """`prepare` is called before each run, and not timed."""
    literals, y = _arranged(data)
    n_stages = STAGES if literals.n_rows <= 10_000 else FEW
    stages: dict[int, list[Stage]] = {}

    def boosted(n_threads: int) -> None:
        with threads(n_threads) as workers:
            search = ConjunctionSearch(literals, y, Scope(), workers)
            stages[n_threads] = list(islice(boost(search, np.ones(len(y))), n_stages))

    names = {"one": 1, "two": 2}
    competitors = {name: partial(boosted, n_threads) for name, n_threads in names.items()}
    times = interleave(competitors, rounds, dict.fromkeys(names, prepare))
    table.raw[data.id] = times.seconds
    table.rows.append(
        {
            "id": f"threads {data.id}",
            "name": data.label,
            "layout": "CSR" if data.sparse else "array",
            "stages": n_stages,
            "one": times.median("one"),
            "two": times.median("two"),
            "ratio": times.ratio("one", "two"),
            "same": "yes" if stages[1] == stages[2] else "no",
        }
    )


def _one_product_per_stage(L: np.ndarray, y: np.ndarray, n_stages: int) -> list[tuple[tuple[int, ...], int]]:
    """The picks (literals, sign) of a booster that computes the whole Gram matrix anew, in float32."""
    n, D, picked = L.shape[1], np.full(len(L), 1 / len(L)), []
    i, j = np.triu_indices(n)
    share = np.where(i == j, 1.0, 0.5)
    for _ in range(n_stages):
        mean = float((D * y).sum())
        G = (L * (D * y).astype(np.float32)[:, None]).T @ L
        correlations = np.append(2 * G[i, j] - mean, mean)
        best = int(np.abs(correlations * np.append(share, 1.0)).argmax())
        literals = (
            () if best == len(i) else (int(i[best]),) if i[best] == j[best] else (int(i[best]), int(j[best]))
        )
        sign = 1 if correlations[best] > 0 else -1
        held = L[:, list(literals)].all(axis=1)
        right = (y == sign) == held
        error = D[~right].sum()
        D[right] *= error / (1 - error)
        D /= D.sum()
        picked.append((literals, sign))
    return picked


def _race_fits(table: Table, rounds: int, quick: bool, section: Section) -> None:
    X, y, others, hidden = table.load()
    known = [one for one in learners(quick) if one.fits(X)]
    models = {one.name: one.make() for one in known if one.installed() and not one.brief}
    times = interleave({name: (lambda m=model: m.fit(X, y)) for name, model in models.items()}, rounds)
    section.raw[table.id] = times.seconds
    for one in known:
        row = {"id": f"{table.id} {one.id}", "name": table.label, "learner": one.name}
        if one.brief:
            seconds = _extrapolated(one, X, y)
            section.raw[table.id][one.name] = seconds
            row |= {"time": seconds, "ratio": seconds / times.median(OURS)}
        elif one.installed():
            row |= {
                "time": times.median(one.name),
                "ratio": times.ratio(one.name, OURS),
                "accuracy": float(np.mean(models[one.name].predict(others) == hidden)),
                "weights": int(one.size(models[one.name])),
            }
        section.rows.append(row)


def _extrapolated(learner: Learner, X: Any, y: np.ndarray) -> float:
    """From two runs of few stages: what a stage takes, and what comes before the first."""
    seconds = []
    for n_stages in (1, BRIEF + 1):
        model = learner.make(n_stages)
        start = perf_counter()
        model.fit(X, y)
        seconds.append(perf_counter() - start)
    stage = (seconds[1] - seconds[0]) / BRIEF
    return seconds[0] + (STAGES - 1) * stage
