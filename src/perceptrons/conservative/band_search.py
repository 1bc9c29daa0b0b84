# mypy: allow-untyped-defs, allow-untyped-calls
"""`bands.best_bands`, of rows that are in many places: exact, by questions whose answers are of bounded size.

Where rows of a side are answered from is a place among their |s|. A question cuts some spans of |s| into
bins; of each bin every place answers what its rows weigh, by kind, its lowest and highest |s|, and its dip:
how far the cost of answering may fall within the bin, seen from its upper end, if only these rows are looked
at. The dips of all places add up to a bound. A bin that cannot hold the cut is dropped, the others are cut
further; when few rows are left, they are asked for. Costs are sums by kind, exact where rows are counted, and
the cut is chosen as in memory, ties and rounding included; so the band is the same. Where rows have weights
that are fractions, sums of other order may round otherwise.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from .bands import KINDS, ROUNDING, between
from .conservative_sweep import WeightedSigns

BINS = 256  # in a question
FEW_ROWS = 4096  # that are asked for


class SortedSizes(NamedTuple):
    """Rows of a side in one place, by |s|."""

    sizes: Array  # ascending
    kinds: Array
    weights: Array  # or none: rows count 1


class Bins(NamedTuple):
    """What is between the ends of some spans of |s|, a line for each; both ends belong to it."""

    n_rows: Array
    sums: Array  # what rows weigh, by kind
    dips: Array
    lowest: Array
    highest: Array

    def __add__(self, other: Any) -> "Bins":
        """In both places."""
        n_rows, sums, dips = (mine + its for mine, its in zip(self[:3], other[:3], strict=True))
        lowest, highest = np.minimum(self.lowest, other.lowest), np.maximum(self.highest, other.highest)
        return Bins(n_rows, sums, dips, lowest, highest)

    def at(self, places: Array) -> "Bins":
        return Bins(*(one[places] for one in self))

    def with_others(self, others: "Bins") -> "Bins":
        """These and others that are not empty, in order."""
        both = Bins(*map(np.concatenate, zip(self, others.at(others.n_rows > 0), strict=True)))
        return both.at(np.argsort(both.lowest, kind="stable"))


class Question(NamedTuple):
    """About the rows in these spans of |s|, lowest and highest: Bins, or, if few, the rows themselves."""

    spans: Array
    rows: bool


Search = Generator[Question, Any, float]


# --- where the rows are ---


def sorted_sizes(scores: Array, signs: WeightedSigns, on: Array | None) -> SortedSizes:
    """The rows that are `on` the side asked for, or all."""
    codes = signs.y > 0
    kinds, sizes = (2 * codes + ((scores >= 0.0) == codes)).astype(np.int8), np.abs(scores)
    weights = signs.weights
    if on is not None:
        sizes, kinds, weights = sizes[on], kinds[on], weights[on] if len(weights) else weights
    order = np.argsort(sizes, kind="stable")
    return SortedSizes(sizes[order], kinds[order], weights[order] if len(weights) else weights)


def look(rows: SortedSizes, question: Question, extra: Array) -> Bins | SortedSizes:
    """The answer of one place; `extra` is what an answer costs more than a rejection, by kind."""
    starts = np.searchsorted(rows.sizes, question.spans[:, 0], "left")
    stops = np.searchsorted(rows.sizes, question.spans[:, 1], "right")
    if question.rows:
        few = np.concatenate([np.arange(*ends) for ends in zip(starts, stops, strict=True)])
        weights = rows.weights[few] if len(rows.weights) else rows.weights
        return SortedSizes(rows.sizes[few], rows.kinds[few], weights)
    n = len(starts)
    sums, dips, there = np.zeros((n, KINDS), rows.weights.dtype), np.zeros(n), stops > starts
    add_up(rows, starts, stops, extra, sums, dips)
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    lowest[there], highest[there] = rows.sizes[starts[there]], rows.sizes[stops[there] - 1]
    return Bins(stops - starts, sums, dips, lowest, highest)


@compiled
def add_up(rows, starts, stops, extra, sums, dips):
    """By kind, from the upper end; and the lowest cost on the way."""
    for j in range(starts.size):
        for place in range(stops[j] - 1, starts[j] - 1, -1):
            weight = rows.weights[place] if rows.weights.size else rows.weights.dtype.type(1)
            sums[j, rows.kinds[place]] += weight
            cost = 0.0
            for kind in range(KINDS):
                cost += sums[j, kind] * extra[kind]
            dips[j] = min(dips[j], cost)


def together(answers: Sequence[Any], question: Question, extra: Array) -> Bins:
    """Those of all places. Rows become bins of one |s| each."""
    if not question.rows:
        total = answers[0]
        for one in answers[1:]:
            total = total + one
        return total  # type: ignore[no-any-return]
    sizes, kinds, weights = (np.concatenate(parts) for parts in zip(*answers, strict=True))
    order = np.argsort(sizes, kind="stable")
    rows = SortedSizes(sizes[order], kinds[order], weights[order] if len(weights) else weights)
    each = np.unique(sizes)
    return look(rows, Question(np.stack([each, each], axis=1), False), extra)  # type: ignore[return-value]


# --- the search ---


class Standing(NamedTuple):
    """What is known of the cut, given the bins."""

    band: float
    undecided: Array  # bins that may hold it
    bounds: Array  # of the cost of a cut within each bin


def search(extra: Array) -> Search:
    """Questions about all rows of a side; returns the band."""
    found = yield Question(np.array([[0.0, np.inf]]), False)
    if not found.n_rows.sum():
        return 0.0
    alike = ROUNDING * found.highest[-1]
    slack = ROUNDING * found.sums.sum() * np.abs(extra).max()
    while True:
        standing = where_it_stands(found, extra, alike, slack)
        places = standing.undecided
        if not len(places):
            return standing.band
        few = found.n_rows[places].sum() <= FEW_ROWS
        if not few:
            places = places[np.argsort(standing.bounds[places], kind="stable")[: BINS // 2]]
        spans = np.stack([found.lowest[places], found.highest[places]], axis=1)
        if not few:
            n = BINS // len(places)
            spans = np.concatenate([cut_up(low, high, n) for low, high in spans.tolist()])
        more = yield Question(spans, bool(few))
        found = found.at(np.setdiff1d(np.arange(len(found.n_rows)), places)).with_others(more)


def where_it_stands(bins: Bins, extra: Array, alike: float, slack: float) -> Standing:
    """Cuts between bins have known costs; a cut within a bin costs no less than its bound."""
    tails, cost = np.cumsum(bins.sums[::-1], axis=0)[::-1], np.zeros(len(bins.n_rows))
    for kind in range(KINDS):
        cost += tails[:, kind] * extra[kind]
    allowed = np.append(True, bins.lowest[1:] - bins.highest[:-1] > alike)
    least = min(0.0, float(cost[allowed].min()))
    good = np.flatnonzero(allowed & (cost <= least + slack))
    chosen = int(good[0]) if len(good) else len(cost)
    bounds = np.append(cost[1:], 0.0) + bins.dips
    inside = (bins.highest - bins.lowest > alike) & (bounds <= least + 2.0 * slack)
    if len(good):  # beyond it, none is chosen that costs no less
        inside &= (np.arange(len(cost)) < chosen) | (bounds < cost[chosen] - slack / 2.0)
    band = 0.0 if chosen == 0 else np.inf
    if 0 < chosen < len(cost):
        band = between(float(bins.highest[chosen - 1]), float(bins.lowest[chosen]))
    return Standing(band, np.flatnonzero(inside), bounds)


def cut_up(low: float, high: float, n: int) -> Array:
    """At most n spans from low to high, between all doubles: half of the cuts are at even distances, the
    others with as many doubles between them, so that some are near wherever rows are dense."""
    first, last = (int(end) for end in np.array([low, high]).view(np.int64))
    n_even = (n - 1) // 2 if np.isfinite(high) else 0
    n_others = n - 1 - n_even
    even = low + (high - low) * (np.arange(1, n_even + 1) / (n_even + 1))
    cuts = {first + -(-(last - first) * k // (n_others + 1)) for k in range(1, n_others + 1)}
    cuts |= {*even.view(np.int64).tolist()}
    inner = sorted(cut for cut in cuts if first < cut <= last)
    starts = np.array([first, *inner], np.int64)
    stops = np.array([*(cut - 1 for cut in inner), last], np.int64)
    return np.stack([starts.view(np.float64), stops.view(np.float64)], axis=1)


Ask = Callable[[dict[int, Question]], dict[int, Bins]]


def side_by_side(searches: Sequence[Search], ask: Ask) -> list[float]:
    """The results of searches that ask at the same time; `ask` is given the questions by their numbers."""
    results, going = [np.nan] * len(searches), {k: next(one) for k, one in enumerate(searches)}
    while going:
        answers, asked = ask(going), going
        going = {}
        for k in asked:
            try:
                going[k] = searches[k].send(answers[k])
            except StopIteration as end:
                results[k] = end.value
    return results
