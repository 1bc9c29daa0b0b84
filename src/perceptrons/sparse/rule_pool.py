"""Which conjunctions a path may choose from: boosting proposes them as the path goes on.

Where the path has come to, every row has a slope, as in boosting a weight: what the conjunctions so far leave
open. The literal of each column with the largest sum of slopes joins the pool if its sum exceeds the penalty
(so that, for single literals, the path is that over all of them), and now and then so do the best pairs, at
most one per pair of columns and sign, whose sums are looked up in histograms, and the best intervals between
two thresholds of a column, where these tell more than one threshold. Conjunctions of three literals and more
extend the best of one order less by any literal. What holds in the same rows as another, or in all others,
does not join.
"""

from typing import NamedTuple

import numpy as np

from .._types import Array
from .coded_columns import CodedColumns, interval_gains, pair_gains, single_gains

CELLS = 3_000_000  # of the histograms of all pairs; with more, pairs are first sought with fewer thresholds
VISITS = 8_000_000  # of rows, by pairs; with more, pairs are sought in some of the rows
ROWS = 3_000  # in which they are sought, at least
BEAM = 20  # conjunctions of an order that are extended, unless the user says otherwise


class Proposal(NamedTuple):
    places: tuple[int, ...]
    gain: float  # Σ of slopes where it holds


class RulePool:
    """The columns that have weights: a row of 0 and 1 for each conjunction, `count` in use."""

    def __init__(self, columns: CodedColumns, room: int, k: int, penalty: bool) -> None:
        self.columns, self.k, self.penalty = columns, k, penalty
        self.X = np.empty((room, columns.n_rows), np.uint8)
        self.costs, self.count = np.ones(room), 0
        self.signs = np.zeros(room, np.int64)  # of the weights; 0 if they may have either
        self.kept = np.zeros(room, np.bool_)  # of these columns, and never dropped
        self.places: list[tuple[int, ...]] = []
        self._tried: set[tuple[int, ...]] = set()
        self._known: set[bytes] = {bytes(len(np.packbits(self.X[0])))}  # what holds in no row, or in all
        self._gains = np.zeros((len(columns.codes), int(columns.widths.max(initial=0)) + 1))
        self._lookup: PairLookup | None = None

    def add(self, places: tuple[int, ...]) -> bool:
        """Add a conjunction, unless there is one that tells the same rows apart, its weight would have to be
        of two signs, or there is no room. What was proposed before has had its answer."""
        if places in self._tried:
            return False
        self._tried.add(places)
        held = self.columns.column(places)
        places = self.shortest(places, held)
        sign = self.sign(places)
        if sign is None or self.count == len(self.X):
            return False
        same = np.packbits(held ^ held[0]).tobytes()
        if same in self._known:
            return False
        self.X[self.count], self.signs[self.count] = held, sign
        self.costs[self.count] = self.cost(len(places))
        self.places.append(places)
        self._known.add(same)
        self.count += 1
        return True

    def shortest(self, places: tuple[int, ...], held: Array) -> tuple[int, ...]:
        """The conjunction without literals that make no difference in these rows."""
        for k in range(len(places) if len(places) > 1 else 0):
            fewer = places[:k] + places[k + 1 :]
            if (self.columns.column(fewer) == held).all():
                return self.shortest(fewer, held)
        return places

    def sign(self, places: tuple[int, ...]) -> int | None:
        """The sign that a weight must have so that risk rises, or falls, with the columns that must; 0 if it
        may have either, None if it may have none."""
        owners = [self.columns.owner(place) for place in places]
        signs = {int(self.columns.signs[j]) for j in owners} - {0}
        is_interval = any(owners.count(j) > 1 and self.columns.signs[j] for j in owners)
        return None if len(signs) > 1 or is_interval else next(iter(signs), 0)

    def require(self, slopes: Array) -> None:
        """The best literal of each column that must have a rule joins; nothing is charged for it."""
        for one in self.singles(slopes, -1.0):
            if self.columns.required[self.columns.owner(one.places[0])] and self.add(one.places):
                self.costs[self.count - 1], self.kept[self.count - 1] = 0.0, True

    def cost(self, size: int) -> float:
        return float(size) if self.penalty else 1.0

    def singles(self, slopes: Array, least: float) -> list[Proposal]:
        """The literal of each column that gains most, if it gains more than this, the best first."""
        columns, sums = self.columns, self._gains
        single_gains(columns.codes, columns.nested, columns.widths, slopes, sums)
        signs = columns.signs[:, None]
        reach = np.where(signs == 0, abs(sums[:, 1:]), np.maximum(signs * sums[:, 1:], 0.0))
        best = reach.argmax(axis=1)
        if reach.shape[1] > 1:  # of yes and no, yes
            two = ~columns.nested & (columns.widths == 2)
            best[two & (abs(reach[:, 0] - reach[:, 1]) <= 1e-9 * reach[:, 1])] = 1
        gains = reach[np.arange(len(best)), best] * np.sign(sums[np.arange(len(best)), best + 1])
        order = np.argsort(-abs(gains), kind="stable")
        return [
            Proposal((int(columns.starts[j] + best[j]),), float(gains[j]))
            for j in order[abs(gains[order]) > least].tolist()
        ]

    def wider(self, slopes: Array, room: int, beam: int | None) -> list[Proposal]:
        """The best conjunctions of 2 to k literals, those of fewer first; an interval has two."""
        if self.k < 2 or not len(self.columns.codes):
            return []
        pairs = self.intervals(slopes)
        if len(self.columns.codes) > 1:
            self._lookup = self._lookup or PairLookup(self.columns)
            pairs += self._lookup.best(slopes, room)
        pairs = [one for one in pairs if self.sign(one.places) in (0, np.sign(one.gain))]
        pairs = sorted(pairs, key=lambda one: -abs(one.gain))[:room]
        found, order = [*pairs], pairs[: beam or BEAM]
        for _ in range(3, self.k + 1):
            order = self._extended(order, slopes)[: beam or BEAM]
            found += order
        return found

    def _extended(self, order: list[Proposal], slopes: Array) -> list[Proposal]:
        """The best extension of each by a literal of another column."""
        found: dict[tuple[int, ...], Proposal] = {}
        for one in order:
            inside = slopes * self.columns.column(one.places)
            own = {self.owner(place) for place in one.places}
            for other in self.singles(inside, 0.0):
                if self.owner(other.places[0]) not in own:
                    places = tuple(sorted((*one.places, *other.places)))
                    found[places] = Proposal(places, other.gain)
                    break
        return sorted(found.values(), key=lambda one: -abs(one.gain))

    def owner(self, place: int) -> int:
        return self.columns.owner(place)

    def intervals(self, slopes: Array) -> list[Proposal]:
        """The best intervals a < x <= b of each column and sign that gain more than its single literals."""
        columns = self.columns
        among = np.flatnonzero(columns.nested & (columns.widths > 1) & (columns.signs == 0))
        best, places = np.zeros((len(among), 2)), np.zeros((len(among), 2, 2), np.int64)
        interval_gains(columns.codes, columns.widths, among, slopes, best, places)
        singles = {columns.owner(one.places[0]): abs(one.gain) for one in self.singles(slopes, 0.0)}
        return [
            Proposal((int(columns.starts[j] + a), int(columns.starts[j] + b)), float(best[k, side]))
            for k, j in enumerate(among.tolist())
            for side, (a, b) in enumerate(places[k])
            if abs(best[k, side]) > singles.get(j, 0.0)
        ]


class PairLookup:
    """The best pairs of literals of two columns each."""

    def __init__(self, columns: CodedColumns) -> None:
        self.columns, n = columns, len(columns.codes)
        self._pairs = np.column_stack(np.triu_indices(n, 1)).astype(np.int64)
        self._most = max(4, int((CELLS / len(self._pairs)) ** 0.5) - 1)
        self._rows: Array | None = None
        n_rows = max(ROWS, VISITS // len(self._pairs))
        if columns.n_rows > n_rows:
            self._rows = np.sort(np.random.default_rng(0).permutation(columns.n_rows)[:n_rows])
            columns = columns.in_rows(self._rows)
        self._coarse = columns.coarse(self._most)

    def best(self, slopes: Array, room: int) -> list[Proposal]:
        """At most one for each pair of columns and each sign."""
        coarse, some = self._coarse, slopes if self._rows is None else slopes[self._rows]
        best, places = self._searched(coarse, some, self._pairs)
        order = np.argsort(-abs(best.ravel()), kind="stable")[:room]
        pairs = self._pairs[order // 2]
        if self._rows is None and (coarse.widths == self.columns.widths).all():
            gains, chosen = best.ravel()[order], places.reshape(-1, 2)[order]
        else:
            fine, fine_places = self._searched(self.columns, slopes, pairs)
            side = np.arange(len(order)), order % 2
            gains, chosen = fine[side], fine_places[side]
        starts = self.columns.starts
        found = [
            Proposal((int(starts[a] + c), int(starts[b] + d)), float(gain))
            for (a, b), (c, d), gain in zip(pairs, chosen, gains, strict=True)
            if gain != 0.0
        ]
        return sorted(found, key=lambda one: -abs(one.gain))

    def _searched(self, columns: CodedColumns, slopes: Array, pairs: Array) -> tuple[Array, Array]:
        best, places = np.zeros((len(pairs), 2)), np.zeros((len(pairs), 2, 2), np.int64)
        pair_gains(columns.codes, columns.nested, columns.widths, slopes, pairs, best, places)
        return best, places
