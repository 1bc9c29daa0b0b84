"""Conjunctions of three literals, exact or by a beam; and of two, by bounds beside products of all pairs.

A conjunction was visited if its correlation was computed; what share that is of all says how far the bounds
of branch and bound reach. Where many literals are left after bounding, the search computes all pairs by
products: there it can only be as fast as these.
"""

import statistics
from dataclasses import replace
from itertools import islice, product
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from perceptrons.rows.layouts import CSR
from perceptrons.sparse.boosting import Stage, boost
from perceptrons.sparse.conjunctions import FoundConjunction, Literals, rows_of
from perceptrons.sparse.pairs import PairSearch
from perceptrons.sparse.search import ConjunctionSearch, Scope

from .layout import Column, Section
from .order_sets import OrderSet, planted_set, splice, table_sets, triples_set
from .timing import interleave

BEAM, ROUNDS, STAGES = 20, 5, 100
PRUNED, PLAIN = "pruned", "plain"
TRIPLES = [
    Column("name", "rows × literals", "text"),
    Column("layout", "held as", "text"),
    Column("penalty", "penalty", "text"),
    Column("how", "search", "text"),
    Column("stages", "stages", "count"),
    Column("time", "time", "time"),
    Column("stage", "per stage", "time"),
    Column("slowest", "slowest stage", "time"),
    Column("pairs_won", "won by pairs", "count"),
    Column("triples_won", "won by triples", "count"),
    Column("pairs", "pairs visited, median", "percent"),
    Column("most_pairs", "at most", "percent"),
    Column("triples", "triples visited, median", "percent"),
    Column("most_triples", "at most", "percent"),
    Column("agrees", "picks as exact until they differ", "text"),
    Column("same", "finds the exact winner", "text"),
]
PAIRS = [
    Column("name", "rows × literals", "text"),
    Column("layout", "held as", "text"),
    Column("penalty", "penalty", "text"),
    Column("stages", "stages", "count"),
    Column("pruned", "pruned", "time"),
    Column("plain", "all by products", "time"),
    Column("ratio", "pruned / all", "ratio"),
    Column("pairs", "pairs visited, median", "percent"),
    Column("mean", "mean", "percent"),
    Column("most", "at most", "percent"),
    Column("products", "stages by products", "percent"),
    Column("same", "same picks", "text"),
]
NOTES = [
    "Shares are of all conjunctions of that many literals of different attributes, at a stage; one that uses "
    "products has visited all pairs. An exact search begins by extending the best pairs, by any literal; "
    "this is not counted, because it visits what may win once more.",
    "Planted classes are a noisy vote of literals and pairs, or of eight triples. A beam visits only triples "
    f"that extend the {BEAM} best pairs. Once its picks differ from those of the exact search, so do the "
    "weights; it is therefore asked at each stage of the exact run, under the weights of that run, whether "
    "it finds the same winner.",
    "Times of k=3 are of one run each, after compilation; those of k=2 are medians over rounds, and their "
    "ratios are formed within a round. Both boosters of k=2 begin with rows of literals: all that a search "
    "computes from them before its first stage is timed.",
]


class Trial(NamedTuple):
    """A set, searched for so many stages."""

    data: OrderSet
    stages: int
    penalties: tuple[bool, ...] = (True, False)


class Recorder:
    """A search that remembers the weights it was asked about, its answers, and when it gave them."""

    def __init__(self, search: ConjunctionSearch) -> None:
        self.search, self.follow, self.rows_of = search, search.follow, search.rows_of
        self.data, self.signs = search.data, search.signs
        self.weights: list[np.ndarray] = []
        self.found: list[FoundConjunction] = []
        self.times: list[float] = []

    def best(self, D: np.ndarray) -> FoundConjunction:
        start = perf_counter()
        self.weights.append(D)
        self.found.append(self.search.best(D))
        self.times.append(round(perf_counter() - start, 6))
        return self.found[-1]


def run(quick: bool) -> dict[str, Any]:
    rounds = 1 if quick else ROUNDS
    triples = Section("k=3, one thread", TRIPLES, [])
    pairs = Section(f"k=2, pruned beside all pairs by products, one thread, rounds: {rounds}", PAIRS, [])
    with threadpool_limits(1):
        for trial in _triple_trials(quick):
            print(f"k=3, {trial.data.label} ...", flush=True)
            _measure_triples(trial, triples)
        for trial in _pair_trials(quick):
            print(f"k=2, {trial.data.label} ...", flush=True)
            _race_pairs(trial, rounds, pairs)
    sizes = {"rounds": rounds, "stages": STAGES, "beam": BEAM}
    return {"sizes": sizes, "notes": NOTES, "sections": [triples, pairs]}


def _triple_trials(quick: bool) -> list[Trial]:
    if quick:
        return [Trial(planted_set(600, 30, 0.1), 5), Trial(triples_set(600, 30, 0.5), 5)]
    sparse, dense = planted_set(10_000, 500, 0.1), planted_set(10_000, 500, 0.3)
    planted = [Trial(sparse, 100), Trial(dense, 50)]
    tables = [Trial(splice(), 10)] if table_sets() else []
    return [*planted, Trial(triples_set(2_000, 100, 0.5), 50), *tables]


def _pair_trials(quick: bool) -> list[Trial]:
    sizes = (600, 30) if quick else (10_000, 500)
    sets = [] if quick else table_sets()
    sets += [planted_set(*sizes, density) for density in (0.1, 0.3, 0.5)]
    return [Trial(data, 10 if quick else STAGES) for data in sets]


def _measure_triples(trial: Trial, table: Section) -> None:
    data, y = trial.data.load()
    _compile(data)
    for penalty in trial.penalties:
        scope, beam = Scope(3, penalty), Scope(3, penalty, BEAM)
        exact, row = _run_of(trial, data, y, scope)
        table.rows.append(row)
        wide, row = _run_of(trial, data, y, beam)
        picks, own = _picks(exact.found), _picks(wide.found)
        same = sum(a == b for a, b in zip(picks, _asked(data, y, beam, exact.weights), strict=True))
        differ = [t for t, (a, b) in enumerate(zip(picks, own, strict=False)) if a != b]
        row["agrees"] = f"{min(differ, default=len(picks))} of {len(picks)}"
        row["same"] = f"{same} of {len(picks)}"
        table.rows.append(row)
        for how, one in (("exact", exact), ("beam", wide)):
            table.raw[f"{trial.data.id} {_yes(penalty)} {how}"] = one.times


def _compile(data: Literals) -> None:
    """With classes that nothing explains many literals stay open, with one row of each class few do."""
    y = np.where(np.arange(data.n_rows) % 2, 1, -1).astype(np.int8)
    for n_rows, beam in product((2, data.n_rows), (None, BEAM)):
        weights = np.arange(data.n_rows) < n_rows
        ConjunctionSearch(data, y, Scope(3, False, beam, max_visits=1)).best(weights / weights.sum())


def _run_of(trial: Trial, data: Literals, y: np.ndarray, scope: Scope) -> tuple[Recorder, dict[str, Any]]:
    search = Recorder(ConjunctionSearch(data, y, scope))
    start = perf_counter()
    stages = _boosted(search, trial.stages)
    seconds = perf_counter() - start
    shares = _shares(data, search.search)
    how = "exact" if scope.beam is None else f"beam={scope.beam}"
    row = {
        "id": f"{trial.data.id} {_yes(scope.penalty)} {how}",
        "name": trial.data.label,
        "layout": _layout(data),
        "penalty": _yes(scope.penalty),
        "how": how,
        "stages": len(stages),
        "time": seconds,
        "stage": seconds / len(stages),
        "slowest": max(search.times),
        "pairs_won": sum(len(stage.literals) == 2 for stage in stages),
        "triples_won": sum(len(stage.literals) == 3 for stage in stages),
        "pairs": statistics.median(shares[0]),
        "most_pairs": max(shares[0]),
        "triples": statistics.median(shares[1]),
        "most_triples": max(shares[1]),
    }
    return search, row


def _boosted(search: Any, n_stages: int) -> list[Stage]:
    return list(islice(boost(search, np.ones(search.data.n_rows)), n_stages))


def _asked(data: Literals, y: np.ndarray, scope: Scope, weights: list[np.ndarray]) -> list[tuple[Any, bool]]:
    """The winners under each of these weights."""
    search, found = ConjunctionSearch(data, y, scope), []
    for D in weights:
        search.forget()
        found.append(search.best(D))
    return _picks(found)


def _picks(found: list[FoundConjunction]) -> list[tuple[Any, bool]]:
    return [(one.literals, one.correlation > 0) for one in found]


def _shares(data: Literals, search: ConjunctionSearch) -> list[list[float]]:
    """Of the pairs, of the triples, …: the share that each stage visited."""
    counts = zip(*(report.visits for report in search.reports), strict=True)
    return [
        [count / n_conjunctions(data, size) for count in stages]
        for size, stages in enumerate(counts, start=2)
    ]


def n_conjunctions(data: Literals, size: int) -> int:
    """Of so many literals, all of different attributes."""
    counts = [1] + [0] * size
    for literals in np.unique(data.ends, return_counts=True)[1].tolist():
        for wider in range(size, 0, -1):
            counts[wider] += literals * counts[wider - 1]
    return counts[size]


class PlainSearch(PairSearch):
    """All pairs by products, as boosting asks for them."""

    def rows_of(self, literals: tuple[int, ...]) -> np.ndarray:
        return rows_of(self.data, literals)


class Duel:
    """The same boosting with either search; each begins with nothing but the rows."""

    def __init__(self, data: Literals, y: np.ndarray, penalty: bool, n_stages: int) -> None:
        self.data, self.y, self.scope, self.n_stages = data, y, Scope(2, penalty), n_stages
        self.stages: dict[str, list[Stage]] = {}

    def pruned(self) -> None:
        data = replace(self.data)  # which knows no packed columns yet
        self.search = ConjunctionSearch(data, self.y, self.scope)
        self.stages[PRUNED] = _boosted(self.search, self.n_stages)

    def plain(self) -> None:
        first = np.full(self.data.n_rows, 1 / self.data.n_rows)
        search = PlainSearch(self.data, self.y, first, self.scope.share)
        self.stages[PLAIN] = _boosted(search, self.n_stages)

    def same(self) -> str:
        both = list(zip(self.stages[PRUNED], self.stages[PLAIN], strict=True))
        return f"{sum(a[:2] == b[:2] for a, b in both)} of {len(both)}"


def _race_pairs(trial: Trial, rounds: int, table: Section) -> None:
    data, y = trial.data.load()
    for penalty in trial.penalties:
        duel = Duel(data, y, penalty, trial.stages)
        times = interleave({PRUNED: duel.pruned, PLAIN: duel.plain}, rounds)
        (shares,) = _shares(data, duel.search)
        name = f"{trial.data.id} {_yes(penalty)}"
        table.raw[name] = times.seconds
        table.rows.append(
            {
                "id": f"k=2 {name}",
                "name": trial.data.label,
                "layout": _layout(data),
                "penalty": _yes(penalty),
                "stages": len(duel.stages[PRUNED]),
                "pruned": times.median(PRUNED),
                "plain": times.median(PLAIN),
                "ratio": times.ratio(PRUNED, PLAIN),
                "pairs": statistics.median(shares),
                "mean": statistics.mean(shares),
                "most": max(shares),
                "products": statistics.mean(share == 1 for share in shares),
                "same": duel.same(),
            }
        )


def _layout(data: Literals) -> str:
    return "CSR" if isinstance(data.rows, CSR) else "array"


def _yes(penalty: bool) -> str:
    return "yes" if penalty else "no"
